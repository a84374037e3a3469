//! Sampling at the end of every measurement interval.

use congestion::{Duration, Phase, Time};

use super::Region;
use super::connections::{Connection, State};
use super::recorder::Watched;
use crate::kernel::channels::Channels;
use crate::measure::output::{FlowSample, Sample, StationSample, StationTotals};
use crate::measure::queue::{QueueCounts, Sojourns};
use crate::net::packet::Packet;
use crate::net::station::Station;
use crate::tcp::sender::Sender;

impl<C: Channels<Packet>> Region<C> {
    /// Record the state at the end of an interval and begin the next.
    pub fn sample(&mut self, now: Time) {
        let sample = self.sample_population();
        let departed = self.station_totals(now).map(|(totals, _)| totals.departures).sum();
        self.recorder.end_interval(sample, departed);
        let queues = (0..self.recorder.watched.len()).map(|at| self.sample_station(at, now)).collect();
        self.recorder.queue_samples.push(queues);
        for at in 0..self.recorder.watched.len() {
            let Watched { column, station, .. } = self.recorder.watched[at];
            let interval = self.recorder.samples.len() - 1;
            if let Some(sample) = self.stations[station].sample() {
                self.recorder.queue_states.push((interval, column, sample));
            }
        }
        self.sample_flows();
    }

    /// A watched station's column in the output, and its queue and work.
    fn sample_station(&mut self, at: usize, now: Time) -> (usize, StationSample) {
        let server = &self.stations[self.recorder.watched[at].station];
        let packets = server.present(now, self.queued(server, now));
        let Watched { column, capacity, sampled: (before, done), .. } = &mut self.recorder.watched[at];
        let done_now = server.done(now, capacity);
        let most = capacity.between(*before, now);
        // Service ends at whole picoseconds, so a packet may take one less than its share of the capacity.
        let used = if most > 0.0 { ((done_now - *done) / most).clamp(0.0, 1.0) } else { 0.0 };
        (*before, *done) = (now, done_now);
        capacity.forget(now);
        (*column, StationSample { packets, used })
    }

    fn sample_population(&self) -> Sample {
        let mut sample = Sample { thinking: self.sources.thinking, ..Sample::default() };
        for connection in self.connections.iter() {
            if connection.state == State::Idle || !self.sources[connection.source].is_of_population() {
                continue;
            }
            match &connection.sender {
                None => sample.connecting += 1,
                Some(sender) => self.add_sender(&mut sample, connection, sender),
            }
        }
        sample
    }

    fn add_sender(&self, sample: &mut Sample, connection: &Connection, sender: &Sender) {
        sample.sending += 1;
        sample.class_sending[usize::from(connection.class.pair)] += 1;
        let phase = sender.control.algorithm.phase();
        sample.phases[phase as usize] += 1;
        sample.initial_slow_start += u64::from(phase == Phase::SlowStart && !sender.has_seen_congestion());
        sample.cwnd_sum += sender.control.cwnd_bytes / self.smss();
        let srtt = sender.rtt.srtt;
        if srtt > Duration::ZERO {
            sample.srtt_count += 1;
            sample.srtt_sum += srtt.seconds();
            sample.queueing_sum += (srtt - connection.base_rtt).seconds();
        }
    }

    fn smss(&self) -> f64 {
        f64::from(self.world.mechanism.smss)
    }

    /// Counts of the stations up to `now`, each with its number in the scenario.
    pub fn station_totals(&self, now: Time) -> impl Iterator<Item = (StationTotals, u32)> + '_ {
        self.stations.with_ids().map(move |(server, id)| (server.totals(now, self.queued(server, now)), id))
    }

    /// Drops and marks of the stations, each with its number in the scenario.
    pub fn queue_counts(&self) -> impl Iterator<Item = (QueueCounts, u32)> + '_ {
        self.stations.with_ids().map(|(server, id)| (server.counts(), id))
    }

    /// Sojourn times at the recorded stations, each with its column in the output.
    pub fn sojourns(&self) -> impl Iterator<Item = (usize, &Sojourns)> + '_ {
        let watched = self.recorder.watched.iter();
        watched.filter_map(|each| Some((each.column, self.stations[each.station].sojourns()?)))
    }

    /// Packets in a station's channel that depart after `now`.
    fn queued(&self, server: &Station, now: Time) -> usize {
        let channel = usize::from(server.channel);
        let channels = &self.events.channels;
        let gone = channels.packets(channel).take_while(|packet| packet.time <= now).count();
        channels.len(channel) - gone
    }

    fn sample_flows(&mut self) {
        let smss = self.smss();
        let mut row = Vec::with_capacity(self.recorder.flows.len());
        for record in &mut self.recorder.flows {
            let sender = self.connections.sender(self.sources[record.source].slot);
            let delivered = record.delivered + u64::from(sender.map_or(0, |sender| sender.counts.delivered));
            let retransmitted =
                record.retransmitted + u64::from(sender.map_or(0, |sender| sender.counts.retransmitted));
            let mut sample = FlowSample {
                acked: delivered - record.sampled_delivered,
                retransmitted: retransmitted - record.sampled_retransmitted,
                phase: -1,
                ..FlowSample::default()
            };
            if let Some(sender) = sender {
                sample.cwnd = sender.control.cwnd_bytes / smss;
                sample.srtt = sender.rtt.srtt.seconds();
                sample.phase = sender.control.algorithm.phase() as i8;
                sample.in_flight = sender.pipe();
            }
            record.sampled_delivered = delivered;
            record.sampled_retransmitted = retransmitted;
            row.push((record.flow, sample));
        }
        let at = self.recorder.flow_samples.len();
        self.recorder.flow_samples.push(row);
        let marks = self.receivers.take_marks().map(|(flow, marked)| (at, flow, marked));
        self.recorder.ce_marked.extend(marks);
        let arrived = self.receivers.take_datagrams().map(|(flow, datagrams)| (at, flow, datagrams));
        self.recorder.datagrams.extend(arrived);
    }
}
