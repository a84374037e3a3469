//! Timing of ACKs against Linux.

use super::*;
use crate::net::ecn::{Agreement, Echo};
use crate::net::packet::Codepoint;
use crate::tcp::ack_delay::AckDelay;

const MS: u64 = 1_000_000_000;

/// Cumulative acknowledgement and SACK block of an ACK.
type Answer = (u32, Option<(u32, u32)>);

/// Receiving end whose handshake took `rtt` ms, and the time of its last event [us].
struct Script {
    receiver: Receiver,
    timing: AckTiming,
    rules: AckRules,
    pool: Pool,
}

impl Script {
    fn new(quick: u32, timing: AckTimingOptions) -> Self {
        let rules = AckRules { every: 2, quick, delay: Duration::from_millis(40), timing };
        let timing = AckTiming::new(&rules, Time::ZERO);
        Self { receiver: Receiver::idle(()), timing, rules, pool: Pool::new() }
    }

    /// Cumulative acknowledgements and SACK blocks that leave when a segment arrives `us` after the SYN.
    fn data(&mut self, seq: u32, us: u64) -> Vec<Answer> {
        self.arrives(Packet { seq, ..Packet::default() }, us)
    }

    /// As `data`, of a segment under an echo, marked or not.
    fn marked(&mut self, echo: Echo, seq: u32, us: u64, is_marked: bool) -> Vec<Answer> {
        let codepoint = if is_marked { Codepoint::Ce } else { Codepoint::Ect0 };
        let packet = Packet { seq, ..Packet::default() }.with_flags(codepoint, false);
        self.arrives(packet.with_ecn(Agreement::new(echo, false), false), us)
    }

    fn arrives(&mut self, packet: Packet, us: u64) -> Vec<Answer> {
        let now = Time(us * MS / 1000);
        let packet = Packet { time: now, ..packet };
        let Self { receiver, timing, rules, pool } = self;
        let replies = timing.on_data(receiver, &packet, rules, pool, now);
        replies.iter().flatten().map(|reply| (reply.next, reply.report.sack_block())).collect()
    }

    /// Time at which the ACK is due [us], and that ACK.
    fn due(&mut self) -> (u64, Answer) {
        let due = self.receiver.due;
        let reply = self.timing.on_due(&mut self.receiver, &self.rules, due);
        (due.0 * 1000 / MS, (reply.next, reply.report.sack_block()))
    }
}

/// Linux, `__tcp_ack_snd_check`: three SACKs at once, then one per ms; a hole that is filled is told at once.
#[test]
fn sacks_are_compressed() {
    let compression = AckTimingOptions { sack_compression: 0.33, ..AckTimingOptions::default() };
    let mut script = Script::new(0, compression);
    for last in 1..=3 {
        assert_eq!(script.data(last, 100_000 + u64::from(last)), [(0, Some((1, last + 1)))]);
    }
    for last in 4..=9 {
        assert!(script.data(last, 100_100 + u64::from(last)).is_empty());
    }
    assert_eq!(script.due(), (101_104, (0, Some((1, 10)))));
    assert!(script.data(10, 101_200).is_empty());
    assert_eq!(script.data(12, 101_300), [(0, Some((1, 11)))], "another block");
    assert_eq!(script.data(0, 101_400), [(0, Some((12, 13))), (11, None)], "the block that waits, too");
    assert_eq!(script.receiver.due, Time::NEVER);
}

/// Linux, `tcp_sack_new_ofo_skb`: an ACK has several blocks. Here the one that is held back leaves beside it.
#[test]
fn no_block_is_forgotten() {
    let compression = AckTimingOptions { sack_compression: 0.33, ..AckTimingOptions::default() };
    let mut script = Script::new(0, compression);
    let held = |script: &mut Script| {
        for seq in 2..=5 {
            script.data(seq, 100_000 + u64::from(seq));
        }
    };
    held(&mut script);
    assert_eq!(
        script.data(0, 100_400),
        [(0, Some((2, 6))), (1, None)],
        "beside a cumulative acknowledgement"
    );
    assert_eq!(script.data(1, 100_500), [(6, None)]);
    let mut script = Script::new(0, compression);
    held(&mut script);
    script.receiver.ahead.as_mut().expect("segments ahead").insert(8, 9, 0);
    assert_eq!(script.data(8, 100_400), [(0, Some((2, 6))), (0, Some((8, 9)))], "beside that of a duplicate");
}

/// Linux, `tcp_comp_sack_rtt_percent` and `tcp_comp_sack_nr`: a third of a short RTT, and 44 SACKs at most.
#[test]
fn compression_has_bounds() {
    let compression = AckTimingOptions { sack_compression: 0.33, ..AckTimingOptions::default() };
    let mut script = Script::new(0, compression);
    let sent = (1..=48).map(|seq| script.data(seq, 1000).len()).sum::<usize>();
    assert_eq!(sent, 4, "three at once, and the one after 44");
    assert!(script.data(49, 1000).is_empty());
    assert_eq!(script.due(), (1330, (0, Some((1, 50)))));
}

/// Linux, `__tcp_ack_snd_check`: no SACK is held back in quick-ACK mode, or where that is off.
#[test]
fn sacks_leave_at_once_where_they_are_wanted() {
    let compression = AckTimingOptions { sack_compression: 0.33, ..AckTimingOptions::default() };
    for (quick, options) in [(20, compression), (0, AckTimingOptions::default())] {
        let mut script = Script::new(quick, options);
        for seq in 1..=9 {
            assert_eq!(script.data(seq, 100_000 + u64::from(seq)).len(), 1, "{quick} {seq}");
        }
    }
}

/// RFC 8257 section 3.2 and RFC 9768 section 3.2.2.5.1: a mark that is to be acknowledged at once does not wait with SACKs;
/// with DCTCP's echo the SACK of the other kind, which waits, leaves first.
#[test]
fn marks_in_haste_are_not_compressed() {
    let compression = AckTimingOptions { sack_compression: 0.33, ..AckTimingOptions::default() };
    let with_one_held = |echo| {
        let mut script = Script::new(0, compression);
        let sent: Vec<usize> = (1..=4).map(|seq| script.marked(echo, seq, 100_000, false).len()).collect();
        assert_eq!(sent, [1, 1, 1, 0], "the fourth waits");
        script
    };
    let mut script = with_one_held(Echo::Dctcp);
    let (held, marked) = ((0, Some((1, 5))), (0, Some((1, 6))));
    assert_eq!(script.marked(Echo::Dctcp, 5, 100_010, true), [held, marked]);
    let mut script = with_one_held(Echo::Accurate);
    let sent: Vec<usize> = [true, true, true, true, false]
        .into_iter()
        .zip(5..)
        .map(|(is_marked, seq)| script.marked(Echo::Accurate, seq, 100_010, is_marked).len())
        .collect();
    assert_eq!(sent, [1, 0, 1, 0, 0], "the first mark, and every second one after it");
}

/// RFC 9000 section 13.2: "after receiving at least two ack-eliciting packets", or `max_ack_delay` after the first. An ACK is
/// of the latest packet, and says how long it waited.
#[test]
fn receivers_of_quic_report_the_latest_packet_and_its_delay() {
    let mut script = Script::new(0, AckTimingOptions { reports_delay: true, ..AckTimingOptions::default() });
    let read = |reply: Reply| {
        let ack = Packet::default().reporting(reply.report, false);
        (reply.next, reply.stamp, ack.sack_block(), AckDelay::of(&ack).held.0 / (MS / 1000))
    };
    let arrive = |script: &mut Script, seq: u32, us: u64| {
        let packet = Packet { seq, time: Time(us * MS / 1000), stamp: seq + 1, ..Packet::default() };
        let Script { receiver, timing, rules, pool } = script;
        timing.on_data(receiver, &packet, rules, pool, packet.time).map(|reply| reply.map(read))
    };
    assert_eq!(arrive(&mut script, 0, 100_000), [None; 3]);
    assert_eq!(arrive(&mut script, 1, 105_000)[2], Some((2, 2, None, 0)), "every second one, of the second");
    assert_eq!(arrive(&mut script, 2, 106_000), [None; 3]);
    let Script { receiver, timing, rules, .. } = &mut script;
    let due = receiver.due;
    assert_eq!(due, Time(146 * MS));
    let (next, stamp, block, held) = read(timing.on_due(receiver, rules, due));
    assert_eq!((next, stamp, block), (3, 3, None));
    assert!((39_991..=40_000).contains(&held), "{held} us of 40,000");
    assert_eq!(arrive(&mut script, 4, 150_000)[2], Some((3, 5, Some((4, 5)), 0)), "a packet is missing");
    assert_eq!(arrive(&mut script, 3, 151_000)[2], Some((5, 4, None, 0)), "and here it is");
}
