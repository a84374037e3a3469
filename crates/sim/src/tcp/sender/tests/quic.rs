//! Sender of QUIC; sections are those of RFC 9002. Round trips of 100 ms, receivers that hold ACKs back for 25 ms.

use congestion::{CongestionEvent, Ecn, Needs, Time};

use super::{Policy, Script, at, mechanism, ms};
use crate::measure::counters::Counters;
use crate::tcp::ecn::EcnOptions;
use crate::tcp::loss::Evidence;
use crate::tcp::mechanism::Mechanism;
use crate::tcp::rtt::{RtoBounds, RtoRule};
use CongestionEvent::{EcnEcho, EnterRecovery, ExitRecovery, Rto};

/// A sample of 100 ms makes 50 ms of variation: `smoothed_rtt` + 4 rttvar + `max_ack_delay`.
const PTO: u64 = 100 + 4 * 50 + 25;

fn quic() -> Mechanism {
    let plain = mechanism(Evidence::PacketNumbers);
    let rto = RtoBounds { min: ms(1), rule: RtoRule::Rfc9002, ack_delay: ms(25), ..plain.rto };
    Mechanism { rto, ..plain }
}

/// Window of ten packets, and ten sent of a hundred; after a loss it is five.
fn ten() -> Script {
    let script = Script::ten(quic());
    script.policy().reduced = 5.0;
    script
}

/// The same, with the fourth packet acknowledged, so that the first is lost.
fn one_lost() -> Script {
    let mut script = ten();
    script.ack(100, 0, Some((1, 4)));
    script
}

fn events(script: &Script) -> Vec<CongestionEvent> {
    script.policy().events.clone()
}

fn totals(script: &Script) -> (u64, u64) {
    let Counters { recoveries, timeouts, .. } = script.counters;
    (recoveries, timeouts)
}

/// Section 6.2.1: "PTO = `smoothed_rtt` + max(4*rttvar, kGranularity) + `max_ack_delay`", "set to twice its current value" at
/// each expiry. Section 6.2: it "MUST NOT cause prior unacknowledged packets to be marked as lost". Section 7.5: "Probe
/// packets MUST NOT be blocked by the congestion controller", and count as in flight.
#[test]
fn the_probe_timeout_doubles_and_leaves_the_window() {
    let mut script = ten();
    assert_eq!(script.sender.deadline(), at(PTO));
    let mut expiry = 0;
    for (round, probes) in (0..3).zip([[10, 11], [12, 13], [14, 15]]) {
        expiry += PTO << round;
        assert_eq!(script.sender.deadline(), at(expiry));
        script.expire();
        assert_eq!(script.send(), probes, "two of new data, whatever the window");
        assert_eq!(script.sender.pipe(), 12 + 2 * round);
    }
    assert_eq!((script.cwnd(), events(&script), totals(&script)), (10, vec![], (0, 0)));
}

/// Section 6.2.4: "Previously sent data MAY be sent if no new data can be sent."
#[test]
fn a_probe_without_new_data_carries_the_oldest() {
    let mut script = Script::new(Policy::new(10.0), quic(), 3);
    script.send();
    script.ack(100, 1, None);
    script.expire();
    assert_eq!((script.send(), script.sender.counts.retransmitted), (vec![1, 2], 2));
    assert_eq!(script.sender.pipe(), 4);
}

/// Section 6.2.1: "The PTO backoff factor is reset when an acknowledgment is received"; the timer is set from the latest
/// packet sent (appendix A.8), and a probe that is not needed any more stays away.
#[test]
fn an_acknowledgment_ends_back_off_and_probing() {
    let mut script = ten();
    script.now = at(20);
    script.expire();
    script.now = at(PTO + 5);
    script.ack_of(1, None, at(0));
    let pto = script.sender.rtt.pto(&script.mechanism.rto);
    assert_eq!(script.sender.deadline(), at(0) + pto);
    assert_eq!(script.send(), [10], "the window lets one go, and no probe follows");
    assert_eq!(script.sender.deadline(), script.now + pto);
}

/// Section 6.2.1: "The PTO timer MUST NOT be set if a timer is set for time threshold loss detection".
#[test]
fn there_is_one_timer() {
    let mut script = ten();
    script.ack(100, 0, Some((1, 2)));
    let lost_at = Time::ZERO + ms(100) * 9 / 8;
    assert_eq!((script.sender.rto_at, script.sender.deadline()), (Time::NEVER, lost_at));
    script.send();
    assert_eq!((script.sender.rto_at, script.sender.deadline()), (Time::NEVER, lost_at));
    script.expire();
    assert_eq!((events(&script), totals(&script)), (vec![EnterRecovery], (1, 0)));
    let sent_at = at(100);
    assert_eq!(script.sender.deadline(), sent_at + script.sender.rtt.pto(&script.mechanism.rto));
}

/// Section 7.3.2: "during a recovery period, the congestion window does not change in response to new losses", and it "ends
/// and the sender enters congestion avoidance when a packet sent during the recovery period is acknowledged". "A single
/// packet can be sent prior to reduction".
#[test]
fn a_recovery_period_is_a_round_trip() {
    let mut script = one_lost();
    assert_eq!((script.cwnd(), events(&script)), (5, vec![EnterRecovery]));
    assert_eq!(script.send(), [0], "one packet despite six in flight");
    // Packet 6, too, was sent before the period began, and its loss is none of another one.
    script.ack(101, 0, Some((1, 6)));
    script.ack(102, 0, Some((7, 10)));
    assert_eq!((events(&script).len(), script.sender.pipe()), (1, 1), "what is in flight is the repair");
    assert!(script.heard().1.in_recovery);
    assert_eq!(script.send(), [6, 10, 11, 12]);
    // The repair arrives: the period is over, although segment 6 is still missing.
    script.now = at(200);
    script.ack_of(6, None, at(100));
    assert_eq!((events(&script), script.heard().1.in_recovery), (vec![EnterRecovery, ExitRecovery], false));
    // The second transmission of segment 6 was sent in the period: its loss begins another one.
    script.now = at(202);
    script.ack_of(6, Some((10, 13)), at(102));
    assert_eq!(events(&script)[2..], [EnterRecovery]);
    assert_eq!(totals(&script), (2, 0));
}

/// Appendix B.5: "Do not increase `congestion_window` in recovery period", of packets that left before it. Appendix A.7:
/// losses come before what is acknowledged, so the ACK that begins a period is of such a packet.
#[test]
fn packets_of_before_the_recovery_period_open_no_window() {
    let mut script = one_lost();
    assert!(!script.heard().1.cwnd_limited, "of the packet that tells of the loss");
    script.send();
    script.now = at(105);
    script.ack_of(4, None, at(100));
    assert!(script.heard().1.cwnd_limited, "of the repair");
    script.ack_of(4, Some((9, 10)), at(0));
    assert!(!script.heard().1.cwnd_limited, "of a packet that the repair has overtaken");
    script.ack_of(5, Some((9, 10)), at(0));
    assert!(!script.heard().1.cwnd_limited, "of one that was taken for lost");
}

/// Section 7.6: all packets over more than three probe timeouts are lost. The window is two packets, the threshold that of
/// the loss, and `min_rtt` the newest sample (section 5.2).
#[test]
fn persistent_congestion_leaves_two_packets() {
    // The sample of 120 ms makes it 3 x (102.5 + 4 x 42.5 + 25) ms.
    for (lasts, persistent) in [(892, false), (893, true)] {
        let mut script = Script::new(Policy::new(40.0), quic(), 1000);
        script.policy().reduced = 20.0;
        let sent = (0..30).filter_map(|_| script.send_one()).count();
        script.now = at(lasts);
        assert_eq!((sent, script.send().len()), (30, 10));
        script.now = at(lasts + 120);
        script.ack_of(0, Some((39, 40)), at(lasts));
        let outcome = (events(&script), script.cwnd(), totals(&script), script.sender.rtt.min_rtt);
        let expected = if persistent {
            (vec![EnterRecovery, Rto, ExitRecovery], 2, (1, 1), ms(120))
        } else {
            (vec![EnterRecovery], 20, (1, 0), ms(100))
        };
        assert_eq!(outcome, expected);
        assert_eq!(script.policy().ssthresh, Some(20.0));
    }
}

/// Section 7.1: a mark is a signal of congestion like a loss, and begins a recovery period.
#[test]
fn marks_and_losses_of_a_round_trip_are_one() {
    let needs = Needs { ecn: Ecn::Classic, ..Needs::default() };
    let ecn = EcnOptions { classic: true, ..EcnOptions::default() };
    let policy = Policy { needs, reduced: 5.0, ..Policy::new(10.0) };
    let mut script = Script::new(policy, Mechanism { ecn, ..quic() }, 100);
    script.send();
    script.now = at(100);
    script.marked(1, at(0));
    assert_eq!((events(&script), script.cwnd()), (vec![EcnEcho], 5));
    assert!(!script.heard().1.cwnd_limited, "a marked packet left before the period that it begins");
    script.marked(2, at(0));
    script.ack_of(2, Some((3, 7)), at(0));
    assert_eq!(events(&script), [EcnEcho], "a further mark, and a loss");
    assert!(!script.heard().1.cwnd_limited && script.sender.has_seen_congestion());
    assert_eq!(script.send(), [2, 10], "it is sent again all the same");
    script.now = at(200);
    script.marked(7, at(100));
    assert_eq!(events(&script), [EcnEcho, EcnEcho], "a mark of the next round trip");
}

/// Once all data is delivered, packets that brought nothing are no matter any more: no probe asks for them.
#[test]
fn nothing_is_probed_for_without_data() {
    let mut script = Script::new(Policy::new(10.0), quic(), 1);
    script.send();
    script.expire();
    assert_eq!(script.send(), [0, 0]);
    assert_eq!(script.sender.pipe(), 3);
    script.now = at(400);
    script.ack_of(1, None, at(0));
    assert!(script.sender.is_done());
    assert_eq!((script.sender.pipe(), script.sender.deadline()), (0, Time::NEVER));
}
