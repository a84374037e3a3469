//! Sampling at the end of every measurement interval.

use congestion::{Duration, Phase};

use super::{NONE, Region, State};
use crate::kernel::channels::Channels;
use crate::measure::output::{FlowSample, Sample, StationTotals};
use crate::net::station::Station;

impl<C: Channels> Region<C> {
    /// Record the state at the end of an interval and begin the next.
    pub fn sample(&mut self, now: u64) {
        let mut sample =
            Sample { thinking: self.thinking, class_acked: self.class_acked, ..Sample::default() };
        let smss = f64::from(self.world.mechanism.smss);
        for connection in &self.connections {
            if connection.state == State::Idle || self.sources[connection.source as usize].flow != NONE {
                continue;
            }
            let Some(sender) = &connection.sender else {
                sample.connecting += 1;
                continue;
            };
            sample.sending += 1;
            sample.class_sending[usize::from(connection.pair)] += 1;
            let phase = sender.control.phase();
            sample.phases[phase as usize] += 1;
            sample.initial_slow_start += u64::from(phase == Phase::SlowStart && sender.lossless);
            sample.cwnd_sum += sender.window / smss;
            if sender.rtt.srtt > 0 {
                sample.srtt_count += 1;
                sample.srtt_sum += Duration(sender.rtt.srtt).seconds();
                sample.queueing_sum +=
                    Duration(sender.rtt.srtt.saturating_sub(connection.base_rtt)).seconds();
            }
        }
        let departed = self.station_totals(now).map(|totals| totals.departures).sum::<u64>();
        self.counters.hops = departed - self.totals.hops;
        sample.counters = self.counters;
        self.totals.add(&self.counters);
        self.counters = crate::measure::counters::Counters::default();
        self.class_acked = Default::default();
        self.samples.push(sample);
        let queues = self.watched.iter().map(|&(column, station)| {
            let server = &self.stations[usize::from(station)];
            (column, server.present(now, self.queued(server, now)))
        });
        self.queue_samples.push(queues.collect());
        self.sample_flows(smss);
    }

    /// Counts of the stations up to `now`.
    pub fn station_totals(&self, now: u64) -> impl Iterator<Item = StationTotals> + '_ {
        self.stations.iter().map(move |server| server.totals(now, self.queued(server, now)))
    }

    /// Packets in a station's channel that depart after `now`.
    fn queued(&self, server: &Station, now: u64) -> usize {
        let channel = usize::from(server.channel);
        let gone = self.channels.packets(channel).take_while(|packet| packet.time <= now).count();
        self.channels.len(channel) - gone
    }

    fn sample_flows(&mut self, smss: f64) {
        let mut row = Vec::with_capacity(self.named.len());
        for named in &mut self.named {
            let slot = self.sources[named.source as usize].slot;
            let sender =
                self.connections.get(slot as usize).and_then(|connection| connection.sender.as_ref());
            let delivered = named.done + sender.map_or(0, |sender| sender.delivered);
            let resent = named.done_resent + sender.map_or(0, |sender| sender.resent);
            let mut sample = FlowSample {
                acked: delivered - named.seen,
                retransmitted: resent - named.seen_resent,
                phase: -1,
                ..FlowSample::default()
            };
            if let Some(sender) = sender {
                sample.cwnd = sender.window / smss;
                sample.srtt = Duration(sender.rtt.srtt).seconds();
                sample.phase = sender.control.phase() as i8;
                sample.in_flight = sender.pipe();
            }
            named.seen = delivered;
            named.seen_resent = resent;
            row.push((named.flow, sample));
        }
        self.flow_samples.push(row);
    }
}
