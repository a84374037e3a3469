//! Timing of ACKs against Linux.

use super::*;
use crate::net::ecn::{Agreement, Echo};
use crate::net::packet::Codepoint;
use crate::tcp::rtt::RtoRule;

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

    /// As `data`, of a segment under the classic echo, with CE or CWR.
    fn classic(&mut self, seq: u32, us: u64, codepoint: Codepoint, cwr: bool) -> Vec<Answer> {
        let packet = Packet { seq, ..Packet::default() }.with_flags(codepoint, false);
        self.arrives(packet.with_ecn(Agreement::new(Echo::Classic, false), cwr), us)
    }

    /// As `data`, of a segment under another echo, marked or not.
    fn marked(&mut self, echo: Echo, seq: u32, us: u64, is_marked: bool) -> Vec<Answer> {
        let codepoint = if is_marked { Codepoint::Ce } else { Codepoint::Ect0 };
        let packet = Packet { seq, ..Packet::default() }.with_flags(codepoint, false);
        self.arrives(packet.with_ecn(Agreement::new(echo, false), false), us)
    }

    fn arrives(&mut self, packet: Packet, us: u64) -> Vec<Answer> {
        let bounds = RtoBounds {
            initial: Duration::from_millis(1000),
            min: Duration::from_millis(200),
            max: Duration::from_millis(120_000),
            rule: RtoRule::Linux,
        };
        let now = Time(us * MS / 1000);
        let packet = Packet { time: now, ..packet };
        let Self { receiver, timing, rules, pool } = self;
        let replies = timing.on_data(receiver, &packet, rules, &bounds, pool, now);
        replies.iter().flatten().map(|reply| (reply.next, reply.report.sack_block())).collect()
    }

    /// Time at which the ACK is due [us], and that ACK.
    fn due(&mut self) -> (u64, Option<Answer>) {
        let due = self.receiver.due;
        let reply = self.timing.on_due(&mut self.receiver, &self.rules, due);
        (due.0 * 1000 / MS, reply.map(|reply| (reply.next, reply.report.sack_block())))
    }
}

fn adaptive() -> AckTimingOptions {
    AckTimingOptions { adaptive: true, ..AckTimingOptions::default() }
}

/// Linux, `tcp_event_data_recv` and `tcp_send_delayed_ack`: 40 ms at first; the delay doubles when the timer has
/// expired, up to the RTT; gaps of 20 ms and less bring it down again.
#[test]
fn the_delay_adapts() {
    let mut script = Script::new(0, adaptive());
    assert!(script.data(0, 100_000).is_empty());
    assert_eq!(script.due(), (140_000, Some((1, None))));
    assert!(script.data(1, 170_000).is_empty());
    // 80 ms / 2 + 70 ms, bounded by the RTT of 100 ms.
    assert_eq!(script.due(), (270_000, Some((2, None))));
    for (at, seq) in (2..12).enumerate() {
        script.data(seq, 271_000 + 1000 * at as u64);
    }
    assert!(script.data(12, 282_000).is_empty());
    let (due, reply) = script.due();
    assert_eq!((due / 1000, reply), (322, Some((13, None))), "40 ms but for a remainder");
}

/// Linux, `tcp_incr_quickack`: ACKs one by one at first, after a gap longer than the RTO, and after a duplicate.
#[test]
fn quick_acks_come_back() {
    let mut script = Script::new(2, adaptive());
    assert_eq!(script.data(0, 100_000).len(), 1);
    assert_eq!(script.data(1, 100_100).len(), 1);
    assert!(script.data(2, 100_200).is_empty());
    assert_eq!(script.data(3, 100_300), [(4, None)]);
    // RTO: 100 ms and 200 ms.
    assert_eq!(script.data(4, 400_400), [(5, None)]);
    assert_eq!(script.data(5, 400_500), [(6, None)]);
    assert!(script.data(6, 400_600).is_empty());
    assert_eq!(script.data(3, 400_700), [(7, None)]);
    assert_eq!(script.data(7, 400_800), [(8, None)]);
    assert!(script.data(8, 400_900).is_empty());
}

/// Linux, `tcp_data_ecn_check` and `tcp_ecn_accept_cwr`: the first mark begins two quick ACKs, further ones until CWR do not,
/// and CWR is acknowledged at once; nothing of it where the delay does not adapt.
#[test]
fn marks_and_cwr_bring_quick_acks() {
    use Codepoint::{Ce, Ect0};
    let other = AckTimingOptions { sack_compression: 0.33, ..AckTimingOptions::default() };
    let arrivals = [
        (Ect0, false),
        (Ce, false),
        (Ce, false),
        (Ce, false),
        (Ect0, false),
        (Ect0, true),
        (Ce, true),
        (Ect0, false),
    ];
    for (timing, acks) in [(adaptive(), [0, 1, 1, 0, 1, 1, 1, 1]), (other, [0, 1, 0, 1, 0, 1, 0, 1])] {
        let mut script = Script::new(0, timing);
        let answers = (0..8).zip(arrivals).map(|(seq, (codepoint, cwr))| {
            script.classic(seq, 100_000 + 1000 * u64::from(seq), codepoint, cwr).len()
        });
        assert_eq!(answers.collect::<Vec<_>>(), acks);
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
    assert_eq!(script.due(), (101_104, Some((0, Some((1, 10))))));
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
    assert_eq!(script.due(), (1330, Some((0, Some((1, 50))))));
}

/// Segments that arrive within 50 us are one: a stretch ACK acknowledges all of them, the last alone is delayed.
#[test]
fn arrivals_are_merged() {
    let merging = Duration(50 * MS / 1000);
    let merged = AckTimingOptions::merged_max(1448);
    let mut script = Script::new(0, AckTimingOptions { merging, merged, ..AckTimingOptions::default() });
    for seq in 0..7 {
        assert!(script.data(seq, 100_000 + 7 * u64::from(seq)).is_empty());
    }
    assert_eq!(script.due(), (100_050, Some((7, None))));
    assert!(script.data(7, 100_060).is_empty());
    assert_eq!(script.due(), (100_110, None));
    assert_eq!(script.due(), (140_110, Some((8, None))));
    let sent = (8..8 + 45).map(|seq| script.data(seq, 200_000).len()).collect::<Vec<_>>();
    assert_eq!(sent.iter().position(|&acks| acks > 0), Some(44), "fewer than 65,536 bytes at most");
    script.data(60, 300_000);
    assert!(script.data(52, 300_010).len() == 1, "an ACK of a hole that is not filled yet");
}

/// Linux, `skb_gro_receive`: the bytes are bounded, not the segments.
#[test]
fn fewer_than_64_kb_are_merged() {
    assert_eq!([536, 1448, 1460, 8948].map(AckTimingOptions::merged_max), [122, 45, 44, 7]);
}

/// Linux, `tcp_event_data_recv`: a short gap brings the delay down by half, a longer one up to half of it and the gap,
/// one beyond the RTO brings quick ACKs; nothing of it where the delay does not adapt.
#[test]
fn gaps_move_the_delay() {
    for (adaptive, gap, ato, quick) in [
        (true, 20, 70, 0),
        (true, 21, 71, 0),
        (true, 60, 110, 0),
        (true, 250, 100, 0),
        (true, 301, 100, 9),
        (false, 20, 100, 0),
        (false, 301, 100, 0),
    ] {
        let timing = AckTimingOptions { adaptive, ..AckTimingOptions::default() };
        let rules = AckRules { every: 2, quick: 9, delay: Duration::from_millis(40), timing };
        assert!(timing.is_on() == adaptive);
        let mut timing = AckTiming::new(&rules, Time::ZERO);
        (timing.quick, timing.rto, timing.ato) = (0, Duration::from_millis(300), Duration::from_millis(100));
        timing.last_data = Time(1000 * MS);
        timing.adapt(&rules, Time((1000 + gap) * MS));
        assert_eq!((timing.ato, timing.quick), (Duration::from_millis(ato), quick), "{adaptive} {gap}");
    }
}

/// Linux, `tcp_dec_quickack_mode`: "Leaving quickack mode we deflate ATO."
#[test]
fn the_end_of_quick_acks_deflates_the_delay() {
    let mut script = Script::new(2, adaptive());
    let timing = &mut script.timing;
    timing.ato = Duration::from_millis(100);
    let atos = [0, 1].map(|seq| {
        assert_eq!(script.data(seq, 100_000 + u64::from(seq)).len(), 1);
        script.timing.ato
    });
    assert_eq!(atos, [Duration::from_millis(100), Duration::from_millis(40)]);
}

/// Linux, `__tcp_ack_snd_check`: no SACK is held back in quick-ACK mode, or where that is off.
#[test]
fn sacks_leave_at_once_where_they_are_wanted() {
    let compression = AckTimingOptions { sack_compression: 0.33, ..AckTimingOptions::default() };
    for (quick, options) in [(20, compression), (0, adaptive())] {
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
