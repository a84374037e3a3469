//! Given ACKs, expected segments: what a sender does in Linux, as the scripts of packetdrill have it.
//!
//! Facts: <https://github.com/google/packetdrill>, `gtests/net/tcp`, at 2c4001c. Segments are numbered from 1 here, as
//! in their comments; MSS 1000, initial window 10, CUBIC, SACK, RACK-TLP.

use std::collections::BTreeMap;

use congestion::{Duration, Feedback, Time};
use sim::measure::counters::Counters;
use sim::net::packet::{self, Kind, Packet, Report};
use sim::scenario::mechanism::mechanism;
use sim::spec::{Growth, PrrRule, RtoRule, Transport};
use sim::tcp::mechanism::Mechanism;
use sim::tcp::ranges::Pool;
use sim::tcp::rtt::RttEstimator;
use sim::tcp::sender::Sender;

use crate::support::RACK;
use crate::wire::{MS, control, transport};

/// Sender to which the script tells every ACK.
struct Script {
    sender: Sender,
    mechanism: Mechanism,
    now: Time,
    counters: Counters,
    pool: Pool,
    /// Last transmission of each segment.
    sent_at: BTreeMap<u32, Time>,
}

impl Script {
    /// Connection whose handshake took `rtt` ms, with `segments` to send; the initial window has left.
    fn new(segments: u32, rtt: u64) -> Self {
        let transport = Transport {
            prr: PrrRule::Linux,
            growth: Growth::Cumulative,
            rto_min: 0.2,
            rto_rule: RtoRule::Linux,
            ecn: true,
            ..transport(RACK, 10.0)
        };
        let mechanism = mechanism(&transport, 1000);
        let mut estimator = RttEstimator::new(&mechanism.rto);
        estimator.sample(Duration(rtt * MS), &mechanism.rto);
        let sender = Sender::new(control("cubic:linux", &transport), segments, estimator, &mechanism);
        let (counters, pool, sent_at) = (Counters::default(), Pool::new(), BTreeMap::new());
        let mut script = Self { sender, mechanism, now: Time::ZERO, counters, pool, sent_at };
        assert_eq!(script.send(), (1..=segments.min(10)).collect::<Vec<_>>());
        script
    }

    /// Segments that leave now.
    fn send(&mut self) -> Vec<u32> {
        let mut sent = Vec::new();
        while let Some(transmission) = self.sender.next_segment(&self.mechanism, self.now) {
            let segment = transmission.segment + 1;
            self.sent_at.insert(segment, self.now);
            sent.push(segment);
        }
        sent
    }

    /// Segments that leave when the application writes `segments` more.
    fn write(&mut self, segments: u32) -> Vec<u32> {
        self.sender.seq.limit += segments;
        self.send()
    }

    fn wait(&mut self, ms: u64) {
        self.now += Duration(ms * MS);
    }

    /// Segments that leave when an ACK arrives for everything up to `last`, with a SACK block of `sacked`, first and
    /// last; `newest` is the segment whose arrival it answers.
    fn ack(&mut self, last: u32, sacked: Option<(u32, u32)>, newest: u32) -> Vec<u32> {
        self.on_ack(Packet { seq: last, kind: Kind::Ack, ..Packet::default() }, sacked, newest);
        self.send()
    }

    fn on_ack(&mut self, packet: Packet, sacked: Option<(u32, u32)>, newest: u32) {
        let report = sacked.map_or(Report::arrival(0), |(first, last)| Report::block(first - 1, last));
        let packet =
            Packet { stamp: packet::stamp(self.sent_at[&newest]), ..packet.reporting(report, false) };
        let Self { sender, mechanism, now, counters, pool, .. } = self;
        sender.on_ack(&packet, &Feedback::None, *now, mechanism, pool, counters);
    }

    fn cwnd(&self) -> u32 {
        self.sender.control.cwnd
    }
}

/// `fast_recovery/prr-ss-10pkt-lost-1`: the flight equals the window to end at, so one segment leaves for each that is
/// delivered.
#[test]
fn one_loss_of_ten() {
    let mut script = Script::new(10, 100);
    script.wait(110);
    for (last, expected) in [(2, vec![]), (3, vec![]), (4, vec![1])] {
        assert_eq!(script.ack(0, Some((2, last)), last), expected);
        script.wait(10);
    }
    assert_eq!(script.cwnd(), 7);
    assert!(script.write(7).is_empty());
    for last in 5..=10 {
        script.wait(10);
        assert_eq!(script.ack(0, Some((2, last)), last), [last + 6]);
    }
    script.wait(20);
    assert_eq!(script.ack(10, None, 1), [17]);
    assert_eq!((script.cwnd(), script.counters.recoveries), (7, 1));
}

/// `fast_recovery/prr-ss-30pkt-lost1_4`: four losses, nothing more to send; afterwards a window of 7 leaves at once.
#[test]
fn four_losses_of_ten() {
    let mut script = Script::new(10, 10);
    script.wait(10);
    for (last, expected) in
        [(5, vec![]), (6, vec![]), (7, vec![1]), (8, vec![2]), (9, vec![3]), (10, vec![4])]
    {
        assert_eq!(script.ack(0, Some((5, last)), last), expected);
    }
    script.wait(10);
    for last in 1..=3 {
        assert!(script.ack(last, Some((5, 10)), last).is_empty());
    }
    assert!(script.ack(10, None, 4).is_empty());
    script.wait(10);
    assert_eq!(script.write(10), [11, 12, 13, 14, 15, 16, 17]);
}

/// `fast_recovery/prr-ss-30pkt-lost-1_4-11_16`: limited transmit, conservation of packets, catching up on a safe ACK, and
/// a retransmission that is lost, too.
#[test]
fn a_lost_retransmission() {
    let mut script = Script::new(20, 10);
    script.wait(10);
    let answers = [(5, 11), (6, 12), (7, 1), (8, 2), (9, 3), (10, 4), (11, 13), (12, 14)];
    for (last, expected) in answers {
        assert_eq!(script.ack(0, Some((5, last)), last), [expected], "SACK of {last}");
        script.wait(2);
    }
    script.wait(8);
    assert_eq!(script.ack(1, Some((5, 12)), 1), [15, 16]);
    script.wait(2);
    assert_eq!(script.ack(1, Some((3, 12)), 4), [2, 17]);
    script.wait(2);
    assert_eq!(script.ack(1, Some((3, 13)), 13), [18]);
    script.wait(2);
    assert_eq!(script.ack(1, Some((3, 14)), 14), [19]);
}

/// Two segments overtake the first: one new segment for each, and no reduction.
#[test]
fn slight_reordering_costs_nothing() {
    let mut script = Script::new(100, 100);
    script.wait(100);
    assert_eq!(script.ack(0, Some((2, 2)), 2), [11]);
    assert_eq!(script.ack(0, Some((2, 3)), 3), [12]);
    script.ack(3, None, 1);
    assert!(script.cwnd() >= 10);
    assert_eq!(script.counters.recoveries, 0);
}
