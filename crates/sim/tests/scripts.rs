//! Given ACKs, expected segments: what a sender does in Linux, as the scripts of packetdrill have it.
//!
//! Facts: <https://github.com/google/packetdrill>, `gtests/net/tcp`, at 2c4001c. Segments are numbered from 1 here, as
//! in their comments; MSS 1000, initial window 10, CUBIC, SACK, RACK-TLP.

use std::collections::BTreeMap;

use congestion::{CongestionControl, Duration, Feedback, Time};
use sim::measure::counters::Counters;
use sim::net::packet::{self, Kind, Packet, Report};
use sim::spec::{Growth, IdleRestart, PrrRule, RtoRule, Transport, ValidationRule};
use sim::tcp::mechanism::Mechanism;
use sim::tcp::ranges::Pool;
use sim::tcp::sender::Sender;

use crate::support::RACK;
use crate::wire::{MS, control_with, transport};

/// Options of the scripts.
pub fn linux() -> Transport {
    Transport {
        prr: PrrRule::Linux,
        growth: Growth::Cumulative,
        cwnd_validation: true,
        validation_rule: ValidationRule::Linux,
        rto_min: 0.2,
        rto_rule: RtoRule::Linux,
        ecn: true,
        ..transport(RACK, 10.0)
    }
}

/// CUBIC of Linux at 250 ticks per second.
pub fn cubic(transport: &Transport, hystart: bool) -> Box<dyn CongestionControl> {
    let params = [("hystart", f64::from(hystart)), ("hystart_linux", 1.0), ("hz", 250.0)];
    let params = params.map(|(name, value)| (name.to_owned(), value));
    control_with("cubic:linux", &params.into(), transport)
}

/// Sender to which the script tells every ACK.
pub struct Script {
    pub sender: Sender,
    mechanism: Mechanism,
    pub now: Time,
    pub counters: Counters,
    pool: Pool,
    /// Last transmission of each segment.
    sent_at: BTreeMap<u32, Time>,
}

impl Script {
    /// Connection whose handshake took `rtt` ms, with `segments` to send; the initial window has left.
    fn new(segments: u32, rtt: u64) -> Self {
        Self::with(&linux(), segments, rtt)
    }

    /// The same with other options.
    pub fn with(transport: &Transport, segments: u32, rtt: u64) -> Self {
        Self::of(cubic(transport, true), transport, segments, rtt)
    }

    /// The same with a controller.
    pub fn of(
        controller: Box<dyn CongestionControl>,
        transport: &Transport,
        segments: u32,
        rtt: u64,
    ) -> Self {
        let mechanism = transport.parts(1000).mechanism;
        let sender = Sender::new(controller, segments, Duration(rtt * MS), &mechanism);
        let (counters, pool, sent_at) = (Counters::default(), Pool::new(), BTreeMap::new());
        let mut script = Self { sender, mechanism, now: Time::ZERO, counters, pool, sent_at };
        assert_eq!(script.send(), (1..=segments.min(10)).collect::<Vec<_>>());
        script
    }

    /// Segments that leave now.
    pub fn send(&mut self) -> Vec<u32> {
        std::iter::from_fn(|| self.send_one()).collect()
    }

    /// The segment that leaves now, if there is one.
    pub fn send_one(&mut self) -> Option<u32> {
        let segment = self.sender.next_segment(&self.mechanism, self.now)?.segment + 1;
        self.sent_at.insert(segment, self.now);
        Some(segment)
    }

    /// Take in an ACK for everything up to `last`, which answers `newest`; nothing leaves yet.
    pub fn take_ack(&mut self, last: u32, newest: u32) {
        self.on_ack(Packet { seq: last, kind: Kind::Ack, ..Packet::default() }, None, newest);
    }

    /// Segments that leave when the application writes `segments` more.
    pub fn write(&mut self, segments: u32) -> Vec<u32> {
        self.sender.seq.limit += segments;
        self.send()
    }

    pub fn wait(&mut self, ms: u64) {
        self.now += Duration(ms * MS);
    }

    /// Segments that leave when an ACK arrives for everything up to `last`, with a SACK block of `sacked`, first and
    /// last; `newest` is the segment whose arrival it answers.
    pub fn ack(&mut self, last: u32, sacked: Option<(u32, u32)>, newest: u32) -> Vec<u32> {
        self.on_ack(Packet { seq: last, kind: Kind::Ack, ..Packet::default() }, sacked, newest);
        self.send()
    }

    fn on_ack(&mut self, packet: Packet, sacked: Option<(u32, u32)>, newest: u32) {
        let report = sacked.map_or(Report::arrival(0), |(first, last)| Report::block(first - 1, last));
        self.take_in(packet.reporting(report, false), self.sent_at[&newest]);
    }

    /// The same of a packet that has ECE.
    fn on_marked_ack(&mut self, packet: Packet, newest: u32) {
        self.take_in(packet.reporting(Report::arrival(0), true), self.sent_at[&newest]);
    }

    /// Take in an ACK with the stamp of a segment that was sent at `stamped`.
    pub fn take_in(&mut self, packet: Packet, stamped: Time) {
        let packet = Packet { stamp: packet::stamp(stamped), ..packet };
        let Self { sender, mechanism, now, counters, pool, .. } = self;
        sender.on_ack(&packet, &Feedback::None, *now, mechanism, pool, counters);
    }

    /// Let the next timer expire, and send what it asks for.
    pub fn expire(&mut self) -> Vec<u32> {
        self.now = self.sender.deadline();
        self.sender.on_timer(self.now, &self.mechanism, &mut self.counters);
        self.send()
    }

    pub fn cwnd(&self) -> u32 {
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

/// `cwnd_moderation/cwnd-moderation-ecn-enter-cwr-no-moderation-700`: a mark of one of four segments at a window of 10.
/// The script wants a window of 4, which was right before Linux 5.14 ("tcp: avoid slow start during fast recovery on new
/// losses"): an ACK that advances SND.UNA and finds no loss is worth one segment more since.
#[test]
fn a_mark_of_one_in_four() {
    let mut script = Script::new(4, 100);
    script.wait(100);
    script.on_marked_ack(Packet { seq: 1, kind: Kind::Ack, ..Packet::default() }, 1);
    assert_eq!((script.cwnd(), script.sender.pipe()), (5, 3));
}

/// RFC 3168 section 6.1.2: the window is reduced "only once in response to a series of dropped and/or CE packets from a
/// single window of data". Linux, `tcp_enter_recovery`: "`if (!tcp_in_cwnd_reduction(sk))`", so the reduction that the mark
/// began lasts until the loss is repaired. `dctcp_state` halves the window at a loss whatever the marks did.
#[test]
fn a_loss_in_cwr_reduces_nothing_more() {
    let window_at_the_end = |prr, algorithm| {
        let options = Transport { prr, ..linux() };
        let controller = control_with(algorithm, &BTreeMap::new(), &options);
        let mut script = Script::of(controller, &options, 40, 100);
        script.wait(100);
        script.on_marked_ack(Packet { seq: 1, kind: Kind::Ack, ..Packet::default() }, 1);
        script.send();
        (3..=5).for_each(|last| drop(script.ack(1, Some((3, last)), last)));
        assert_eq!(script.counters.recoveries, 1, "segment 2 is lost");
        (6..=10).for_each(|last| drop(script.ack(1, Some((3, last)), last)));
        script.wait(100);
        let sent = script.sender.seq.snd_nxt;
        script.ack(sent, None, 2);
        script.cwnd()
    };
    assert_eq!(window_at_the_end(PrrRule::Linux, "reno"), 5, "of 10, once");
    assert_eq!(window_at_the_end(PrrRule::Rfc9937, "reno"), 5, "of 10, once");
    assert_eq!(window_at_the_end(PrrRule::Linux, "dctcp"), 2, "of 5, again");
}

/// `fast_retransmit/fr-4pkt-sack`: the third SACK of four segments.
#[test]
fn four_segments_are_enough_for_a_fast_retransmission() {
    let mut script = Script::new(4, 100);
    script.wait(100);
    assert!(script.ack(0, Some((2, 2)), 2).is_empty());
    assert!(script.ack(0, Some((2, 3)), 3).is_empty());
    assert_eq!(script.ack(0, Some((2, 4)), 4), [1]);
    script.wait(100);
    assert!(script.ack(4, None, 1).is_empty());
    assert_eq!(script.write(10), [5, 6, 7, 8, 9, 10, 11]);
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

/// Windows after ACKs of two segments each, of a sender that has written so many.
fn windows_of(segments: u32) -> Vec<u32> {
    let mut script = Script::new(segments, 100);
    script.wait(105);
    let mut windows = Vec::new();
    for at in 1..=segments.div_ceil(2) {
        let last = segments.min(2 * at);
        script.ack(last, None, last);
        windows.push(script.cwnd());
        script.wait(5);
    }
    windows
}

/// `slow_start/slow-start-app-limited`, `-9-packets-out`, `slow-start-ack-per-2pkt-send-5pkt`: an application that fills
/// the window once doubles it, one that does not gets twice what it sent, and one that sends half of it gets nothing.
#[test]
fn the_window_grows_to_twice_what_was_sent() {
    assert_eq!(windows_of(10), [12, 14, 16, 18, 20]);
    assert_eq!(windows_of(9), [12, 14, 16, 18, 18]);
    assert_eq!(windows_of(5), [10, 10, 10]);
}

/// `slow_start/slow-start-ack-per-4pkt`: an ACK opens the window by as many segments as it covers.
#[test]
fn growth_counts_segments() {
    let mut script = Script::new(30, 100);
    for (ms, last, sent) in [(110, 4, 11..=18), (10, 8, 19..=26), (5, 10, 27..=30)] {
        script.wait(ms);
        assert_eq!(script.ack(last, None, last), sent.collect::<Vec<_>>());
    }
    assert_eq!(script.cwnd(), 20);
}

/// `slow_start/slow-start-after-idle`: 2 s without anything to send, and the window is the initial one again.
#[test]
fn a_window_is_not_kept_over_idle_time() {
    let after = |idle_restart| {
        let mut script = Script::with(&Transport { idle_restart, ..linux() }, 26, 100);
        script.wait(100);
        assert_eq!(script.ack(10, None, 10), (11..=26).collect::<Vec<_>>());
        assert_eq!(script.cwnd(), 20);
        script.wait(100);
        assert!(script.ack(26, None, 26).is_empty());
        assert_eq!(script.cwnd(), 36);
        script.wait(2000);
        let sent = script.write(20);
        (sent.len(), script.cwnd())
    };
    assert_eq!(after(IdleRestart::Linux), (10, 10));
    assert_eq!(after(IdleRestart::Rfc5681), (10, 10));
    assert_eq!(after(IdleRestart::None), (20, 36));
}

/// Linux, `tcp_cwnd_application_limited`: an application that sends two segments per round trip of 100 ms loses half of
/// the rest of its window per RTO.
#[test]
fn an_application_that_does_not_fill_the_window_loses_it() {
    let after = |app_limited_decay| {
        let mut script = Script::with(&Transport { app_limited_decay, ..linux() }, 26, 100);
        script.wait(100);
        script.ack(10, None, 10);
        script.wait(100);
        script.ack(26, None, 26);
        let mut windows = vec![script.cwnd()];
        for round in 0..8 {
            assert_eq!(script.write(2).len(), 2);
            script.wait(100);
            let last = 28 + 2 * round;
            script.ack(last, None, last);
            if windows.last() != Some(&script.cwnd()) {
                windows.push(script.cwnd());
            }
        }
        windows
    };
    assert_eq!(after(false), [36]);
    assert_eq!(after(true), [36, 23, 16]);
}

/// draft-ietf-ccwg-ratelimited-increase, section 3.1: ten segments, a pause, four more: the window is 24 without a rule,
/// and stays at twice the largest flight with it.
#[test]
fn flights_cap_the_window_of_a_rate_limited_sender() {
    let after = |transport: Transport| {
        let mut script = Script::with(&transport, 10, 100);
        script.wait(100);
        (1..=10).for_each(|last| drop(script.ack(last, None, last)));
        assert_eq!(script.cwnd(), 20);
        script.wait(100);
        script.write(4);
        script.wait(100);
        (11..=14).for_each(|last| drop(script.ack(last, None, last)));
        script.cwnd()
    };
    assert_eq!(
        after(Transport { cwnd_validation: false, validation_rule: ValidationRule::Flight, ..linux() }),
        24
    );
    assert_eq!(after(Transport { validation_rule: ValidationRule::RateLimited, ..linux() }), 20);
}
