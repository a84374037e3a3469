//! A sender and a receiver joined by a channel whose every decision is prescribed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use congestion::{CongestionControl, Duration, Feedback, Halve, Initial, Time};
use sim::measure::counters::Counters;
use sim::net::packet::{self, Kind, Packet};
use sim::spec::{Recovery, Transport};
use sim::tcp::linux::ack_timing::{AckRules, AckTiming};
use sim::tcp::loss::Evidence;
use sim::tcp::mechanism::Mechanism;
use sim::tcp::ranges::Pool;
use sim::tcp::receiver::{Receiver, Reply};
use sim::tcp::sender::Sender;

/// One millisecond [ps].
pub const MS: u64 = 1_000_000_000;

/// What the channel does with one packet: lose it (`None`) or deliver it after so many milliseconds.
pub type Fate = Option<u64>;

/// Fates by number of transmission; packets beyond the list are delivered after `usual`.
#[derive(Clone, Debug)]
pub struct Fates {
    pub list: Vec<Fate>,
    pub usual: u64,
    used: usize,
}

impl Fates {
    pub fn new(list: Vec<Fate>, usual: u64) -> Self {
        Self { list, usual, used: 0 }
    }

    fn next(&mut self) -> Fate {
        self.used += 1;
        self.list.get(self.used - 1).copied().unwrap_or(Some(self.usual))
    }
}

/// Transmission of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Time [ps].
    pub time: u64,
    pub segment: u32,
    pub retransmitted: bool,
}

/// What happens to ECN at the receiving end, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// A segment arrives.
    Data { seq: u32, ce: bool, cwr: bool, first: bool, in_window: bool },
    /// An ACK leaves.
    Ack { ece: bool },
}

/// Channel between the two ends.
struct Channel {
    data: Fates,
    acks: Fates,
    /// Marks by number of transmission; only what is ECN-capable is marked.
    marks: Vec<bool>,
    /// How often these segments are still lost, whatever the fates say.
    doomed: BTreeMap<u32, u32>,
    /// Packets in flight: time of arrival, order of sending.
    in_flight: BinaryHeap<Reverse<(u64, u64)>>,
    packets: BTreeMap<u64, Packet>,
    order: u64,
}

impl Channel {
    fn new(data: Fates, acks: Fates) -> Self {
        let (doomed, in_flight, packets) = (BTreeMap::new(), BinaryHeap::new(), BTreeMap::new());
        Self { data, acks, marks: Vec::new(), doomed, in_flight, packets, order: 0 }
    }

    /// Arrival of the next packet; `u64::MAX` if none is in flight.
    fn next_arrival(&self) -> u64 {
        self.in_flight.peek().map_or(u64::MAX, |Reverse((time, _))| *time)
    }

    fn take(&mut self) -> Option<Packet> {
        let Reverse((_, order)) = self.in_flight.pop()?;
        Some(self.packets.remove(&order).expect("every packet in flight is kept"))
    }

    fn put_data(&mut self, mut packet: Packet, now: u64) {
        if self.marks.get(self.data.used) == Some(&true) {
            packet.mark();
        }
        let mut fate = self.data.next();
        if let Some(times @ 1..) = self.doomed.get_mut(&packet.seq) {
            *times -= 1;
            fate = None;
        }
        self.put(fate, packet, now);
    }

    fn put_ack(&mut self, packet: Packet, now: u64) {
        let fate = self.acks.next();
        self.put(fate, packet, now);
    }

    fn put(&mut self, fate: Fate, packet: Packet, now: u64) {
        if let Some(delay) = fate {
            self.order += 1;
            self.in_flight.push(Reverse((now + delay * MS, self.order)));
            self.packets.insert(self.order, packet);
        }
    }
}

/// The experiment.
pub struct Wire {
    pub sender: Sender,
    pub receiver: Receiver,
    timing: Option<AckTiming>,
    pub counters: Counters,
    pub now: u64,
    /// Everything sent, in order.
    pub sent: Vec<Sent>,
    pub acks_sent: u64,
    /// Marks and their echo.
    pub echoes: Vec<Echo>,
    mechanism: Mechanism,
    rules: AckRules,
    channel: Channel,
    pool: Pool,
    /// Segments that reached the receiver, and those the sender knows of.
    arrived: BTreeSet<u32>,
    known: BTreeSet<u32>,
}

impl Wire {
    /// `limit` segments under Reno, the first RTT sample already taken from the handshake.
    pub fn new(limit: u32, transport: &Transport, data: Fates, acks: Fates) -> Self {
        Self::controlled(control("reno", transport), limit, transport, data, acks)
    }

    /// `limit` segments under a controller.
    pub fn controlled(
        control: Box<dyn CongestionControl>,
        limit: u32,
        transport: &Transport,
        data: Fates,
        acks: Fates,
    ) -> Self {
        let mechanism = transport.parts(1000).mechanism;
        let rtt = Duration((data.usual + acks.usual) * MS);
        let rules = transport.parts(1000).acks.rules();
        let timing = rules.timing.is_on().then(|| AckTiming::new(&rules, Time::ZERO));
        Self {
            sender: Sender::new(control, limit, rtt, &mechanism),
            receiver: Receiver::idle(()),
            timing,
            counters: Counters::default(),
            now: 0,
            sent: Vec::new(),
            acks_sent: 0,
            echoes: Vec::new(),
            mechanism,
            rules,
            channel: Channel::new(data, acks),
            pool: Vec::new(),
            arrived: BTreeSet::new(),
            known: BTreeSet::new(),
        }
    }

    /// Lose segments so many times each.
    pub fn lose(&mut self, segments: &[(u32, u32)]) {
        self.channel.doomed.extend(segments.iter().copied());
    }

    /// Mark ECN-capable segments by number of transmission.
    pub fn mark(&mut self, marks: Vec<bool>) {
        self.channel.marks = marks;
    }

    /// Run until everything is acknowledged, or `events` have happened; whether it was.
    pub fn run(&mut self, events: u32) -> bool {
        self.send();
        for _ in 0..events {
            if self.sender.is_done() {
                return true;
            }
            self.step();
        }
        false
    }

    /// Run until nothing is under way.
    pub fn drain(&mut self) {
        while self.channel.next_arrival().min(self.receiver.due.0) < u64::MAX {
            self.step();
        }
    }

    /// The next event: a packet arrives, a delayed ACK is due, or the retransmission timer expires.
    pub fn step(&mut self) {
        let arrival = self.channel.next_arrival();
        let due = self.receiver.due.0;
        let next = arrival.min(due).min(self.sender.deadline().0);
        assert_ne!(next, u64::MAX, "nothing will ever happen again: {:?}", self.sender);
        assert!(next >= self.now, "time goes back");
        self.now = next;
        if arrival == next {
            let Some(packet) = self.channel.take() else { return };
            let packet = Packet { time: Time(next), ..packet };
            if packet.kind.is_data() { self.on_data(&packet) } else { self.on_ack(&packet) }
        } else if due == next {
            let reply = match &mut self.timing {
                Some(timing) => timing.on_due(&mut self.receiver, &self.rules, Time(next)),
                None => self.receiver.reply(),
            };
            self.acknowledge(reply);
        } else {
            self.sender.on_timer(Time(self.now), &self.mechanism, &mut self.counters);
            self.send();
        }
    }

    fn send(&mut self) {
        while let Some(sent) = self.sender.next_segment(&self.mechanism, Time(self.now)) {
            let (segment, retransmitted) = (sent.segment, sent.is_retransmission());
            self.check_sent(segment, retransmitted);
            self.sent.push(Sent { time: self.now, segment, retransmitted });
            let stamp = packet::stamp(Time(self.now));
            let data = Packet { seq: segment, stamp, kind: Kind::Data, ..Packet::default() };
            let data = self.sender.ecn.stamp(data, false, retransmitted);
            self.channel.put_data(data, self.now);
            assert!(self.sent.len() < 1_000_000, "sends without end");
        }
    }

    fn check_sent(&self, segment: u32, retransmitted: bool) {
        let sender = &self.sender;
        let seq = &sender.seq;
        assert!(segment < seq.limit, "segment {segment} is beyond the file of {}", seq.limit);
        if retransmitted {
            assert!(segment < seq.snd_nxt, "segment {segment} is retransmitted before it was sent");
            assert!(segment >= seq.snd_una, "segment {segment} is retransmitted below {}", seq.snd_una);
            assert!(!self.known.contains(&segment), "segment {segment} is retransmitted though acknowledged");
        } else {
            assert_eq!(segment + 1, seq.snd_nxt, "new segments leave in order");
            assert!(seq.flight_size() <= self.mechanism.rwnd, "beyond the receive window");
        }
        let sent = self.sent.len() as u32 + 1;
        assert!(sender.pipe() <= sent, "{} in the pipe of {sent} sent", sender.pipe());
        let outstanding = seq.flight_size();
        // Each probe of QUIC is a packet more.
        let is_quic = self.mechanism.loss.evidence == Evidence::PacketNumbers;
        assert!(
            is_quic || sender.pipe() <= 2 * outstanding,
            "{} in the pipe, {outstanding} outstanding",
            sender.pipe()
        );
    }

    fn on_data(&mut self, packet: &Packet) {
        let first = self.arrived.insert(packet.seq);
        let before = self.receiver.next;
        let (ce, cwr, in_window) = (packet.is_ce(), packet.is_cwr(), packet.seq >= before);
        self.echoes.push(Echo::Data { seq: packet.seq, ce, cwr, first, in_window });
        let rules = &self.rules;
        let replies = if let Some(timing) = &mut self.timing {
            timing.on_data(&mut self.receiver, packet, rules, &mut self.pool, Time(self.now))
        } else {
            let earlier = self.receiver.before(packet);
            let reply = self.receiver.on_data(packet, rules.every, &mut self.pool);
            if reply.is_some() { [earlier, reply, None] } else { [None; 3] }
        };
        // What the application has is everything up to the first gap, never more, never again.
        let first_gap = (before..=self.sender.seq.limit).find(|segment| !self.arrived.contains(segment));
        assert_eq!(Some(self.receiver.next), first_gap, "delivered to the application");
        for reply in replies.into_iter().flatten() {
            self.acknowledge(reply);
        }
        if self.receiver.held > 0 && self.receiver.due == Time::NEVER {
            self.receiver.due = Time(self.now) + self.rules.delay;
        }
    }

    fn acknowledge(&mut self, reply: Reply) {
        self.acks_sent += 1;
        if let Some((start, end)) = reply.report.sack_block() {
            for segment in start..end {
                assert!(
                    self.arrived.contains(&segment),
                    "segment {segment} is acknowledged but did not arrive"
                );
            }
        }
        let packet = Packet {
            seq: reply.next,
            stamp: reply.stamp,
            kind: if reply.duplicate { Kind::AckOfDuplicate } else { Kind::Ack },
            ..Packet::default()
        };
        self.echoes.push(Echo::Ack { ece: reply.flags.is_ece() });
        self.channel.put_ack(self.receiver.fill(packet, &reply, false), self.now);
    }

    fn on_ack(&mut self, packet: &Packet) {
        let una = self.sender.seq.snd_una;
        let Self { mechanism, pool, counters, .. } = self;
        self.sender.on_ack(packet, &Feedback::None, Time(self.now), mechanism, pool, counters);
        self.known.extend(una..packet.seq);
        if matches!(self.mechanism.loss.evidence, Evidence::Sack | Evidence::Rack | Evidence::PacketNumbers)
            && let Some((start, end)) = packet.sack_block()
        {
            self.known.extend(start..end);
        }
        let reported = self.known.len() as u32;
        assert_eq!(self.sender.seq.snd_una, una.max(packet.seq), "the cumulative ACK");
        assert_eq!(self.sender.counts.delivered, reported, "segments delivered, each counted once");
        self.send();
    }
}

/// Controller of an algorithm.
pub fn control(name: &str, transport: &Transport) -> Box<dyn CongestionControl> {
    control_with(name, &BTreeMap::new(), transport)
}

/// The same with parameters.
pub fn control_with(
    name: &str,
    params: &BTreeMap<String, f64>,
    transport: &Transport,
) -> Box<dyn CongestionControl> {
    let create = congestion::factory(name, params).expect("it is registered");
    create(&Initial { halve: Halve::Window, seed: 1, ..transport.parts(1000).initial })
}

/// Transport of the study with a recovery of choice.
pub fn transport(recovery: Recovery, initial_window: f64) -> Transport {
    Transport { recovery, initial_window, ..crate::support::mesonet() }
}

/// A receiving end that has received nothing.
pub fn receiver() -> Receiver {
    Receiver::idle(())
}
