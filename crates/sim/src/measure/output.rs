//! Results of a run.

use congestion::Time;

use crate::measure::counters::Counters;
use crate::measure::groups::{Group, GroupKey, PAIRS, Transfer};
use crate::measure::packets::{PacketEvent, SenderEvent};
use crate::measure::queue::{QueueCounts, QueueSample};
use crate::measure::requests::{Receipt, Request, receive};

/// State of a region at the end of a measurement interval.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Population sources thinking.
    pub thinking: u64,
    /// Connecting.
    pub connecting: u64,
    /// Sending.
    pub sending: u64,
    /// Sending flows in slow start, standard and alternate congestion avoidance.
    pub phases: [u64; 3],
    /// In slow start and without a loss so far.
    pub initial_slow_start: u64,
    /// Sum of windows [segments].
    pub cwnd_sum: f64,
    /// Sum of smoothed RTTs [s].
    pub srtt_sum: f64,
    /// Flows that have one.
    pub srtt_count: u64,
    /// Sum of smoothed RTT less base RTT [s].
    pub queueing_sum: f64,
    /// Sending flows by pair class.
    pub class_sending: [u64; PAIRS],
    /// Segments acknowledged during the interval by pair class.
    pub class_acked: [u64; PAIRS],
    /// Events during the interval.
    pub counters: Counters,
}

impl Sample {
    /// Add the sample of another region.
    pub fn add(&mut self, other: &Self) {
        self.thinking += other.thinking;
        self.connecting += other.connecting;
        self.sending += other.sending;
        self.initial_slow_start += other.initial_slow_start;
        self.cwnd_sum += other.cwnd_sum;
        self.srtt_sum += other.srtt_sum;
        self.srtt_count += other.srtt_count;
        self.queueing_sum += other.queueing_sum;
        for (sum, more) in self.phases.iter_mut().zip(other.phases) {
            *sum += more;
        }
        for (sum, more) in self.class_sending.iter_mut().zip(other.class_sending) {
            *sum += more;
        }
        for (sum, more) in self.class_acked.iter_mut().zip(other.class_acked) {
            *sum += more;
        }
        self.counters.add(&other.counters);
    }
}

/// A watched station at the end of a measurement interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StationSample {
    /// Packets waiting or in service.
    pub packets: u64,
    /// Part of its capacity in the interval that was used: work done over what a busy server does.
    pub used: f64,
}

/// A named flow at the end of a measurement interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowSample {
    /// Segments acknowledged during the interval, or datagrams that arrived.
    pub acked: u64,
    /// Window [segments].
    pub cwnd: f64,
    /// Smoothed RTT [s].
    pub srtt: f64,
    /// 0 slow start, 1 standard, 2 alternate, -1 not sending.
    pub phase: i8,
    /// Segments sent again during the interval.
    pub retransmitted: u64,
    /// Segments in the network.
    pub in_flight: u32,
    /// Segments that reached the receiver marked during the interval.
    pub ce_marked: u64,
}

/// Fate of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fate {
    /// Its sender gave it to its interface for the first time.
    Sent,
    /// Its sender gave it to its interface again.
    SentAgain,
    /// It found no room, or was lost at random.
    Dropped,
    /// It reached its receiver.
    Received,
    /// An ACK reached the sender: everything below this segment has arrived.
    Acknowledged,
}

/// One line of the trace of a named flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentEvent {
    /// When.
    pub time: Time,
    /// Index of the flow.
    pub flow: u32,
    /// Its fate.
    pub fate: Fate,
    /// The segment, counted from zero.
    pub segment: u32,
}

/// Events of named flows one by one, in the order of time, each kind if asked for.
#[derive(Clone, Debug, Default)]
pub struct Traces {
    /// Fates of segments.
    pub segments: Vec<SegmentEvent>,
    /// Packets at both hosts.
    pub packets: Vec<PacketEvent>,
    /// States of senders.
    pub senders: Vec<SenderEvent>,
    /// Requests of applications.
    pub requests: Vec<Request>,
    /// Segments of applications that arrived.
    pub receipts: Vec<Receipt>,
}

impl Traces {
    /// Adds the traces of another region. Those of the first are not copied: they may be most of the memory.
    pub fn add(&mut self, other: Self) {
        append(&mut self.segments, other.segments);
        append(&mut self.packets, other.packets);
        append(&mut self.senders, other.senders);
        append(&mut self.requests, other.requests);
        append(&mut self.receipts, other.receipts);
    }

    /// Put the events of several regions into the order of time; those of one instant stay as they are. Requests learn when
    /// their data had come.
    pub fn sort(&mut self) {
        self.packets.sort_by_key(|event| event.time);
        self.senders.sort_by_key(|event| event.time);
        receive(&mut self.requests, &std::mem::take(&mut self.receipts));
    }
}

fn append<T>(all: &mut Vec<T>, mut more: Vec<T>) {
    if all.is_empty() {
        *all = more;
    } else {
        all.append(&mut more);
    }
}

/// Counts of one station over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StationTotals {
    /// Packets that arrived.
    pub arrivals: u64,
    /// Packets lost here.
    pub drops: u64,
    /// Packets served.
    pub departures: u64,
}

/// Everything a run has measured.
#[derive(Clone, Debug, Default)]
pub struct RunOutput {
    /// Time at which the run was stopped [s]; none if it came to its end. The last interval ends there.
    pub stopped: Option<f64>,
    /// One sample per interval.
    pub series: Vec<Sample>,
    /// Each watched station, per interval.
    pub queues: Vec<Vec<StationSample>>,
    /// Queue management at each watched station, per interval; empty unless it is recorded.
    pub queue_states: Vec<Vec<QueueSample>>,
    /// Sojourn times at each watched station: both ends of a class [s] and packets; empty unless they are recorded.
    pub sojourns: Vec<Vec<(f64, f64, u64)>>,
    /// Drops and marks by cause, per station.
    pub queue_counts: Vec<QueueCounts>,
    /// Each named flow, per interval.
    pub flows: Vec<Vec<FlowSample>>,
    /// Statistics by group.
    pub groups: Vec<(GroupKey, Group)>,
    /// Completed transfers, if asked for.
    pub transfers: Vec<Transfer>,
    /// Events of named flows one by one, if asked for.
    pub traces: Traces,
    /// Per station.
    pub stations: Vec<StationTotals>,
    /// Counts over the whole run.
    pub totals: Counters,
    /// Data segments and SYNs still under way at the end.
    pub in_flight: u64,
    /// Events of the busiest region, summed over all windows. All events divided by these bound how much
    /// faster threads can make the run, however many there are, where an event costs the same on all of them.
    pub critical_events: u64,
    /// Bytes of memory held by the simulator at the end, by part.
    pub memory: Vec<(&'static str, u64)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Traces of a minute at 1 Gbit/s are half a gigabyte: to copy them takes a second after Ctrl-C.
    #[test]
    fn traces_of_the_first_region_are_not_copied_and_those_of_others_follow() {
        let event = |segment| SegmentEvent { time: Time::ZERO, flow: 0, fate: Fate::Sent, segment };
        let first = Traces { segments: vec![event(1), event(2)], ..Traces::default() };
        let (place, mut all) = (first.segments.as_ptr(), Traces::default());
        all.add(first);
        assert_eq!(all.segments.as_ptr(), place);
        all.add(Traces { segments: vec![event(3)], ..Traces::default() });
        assert_eq!(all.segments.iter().map(|event| event.segment).collect::<Vec<_>>(), [1, 2, 3]);
    }
}
