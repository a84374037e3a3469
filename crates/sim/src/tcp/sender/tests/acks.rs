//! Arrival of an ACK: timers, the response to losses, and what the controller hears of it.

use congestion::{CongestionEvent, Duration, Needs, Phase, Time};

use super::{Policy, RTT, Script, at, mechanism, ms};
use crate::tcp::control::Growth;
use crate::tcp::ecn::EcnOptions;
use crate::tcp::loss::Evidence;
use crate::tcp::mechanism::Mechanism;
use crate::tcp::recovery::LossResponse;
use CongestionEvent::{EnterRecovery, ExitRecovery};

fn is_near(actual: Duration, expected: Duration) -> bool {
    actual.0.abs_diff(expected.0) < 1_000_000
}

/// RFC 6298 sections 5.2 and 5.3: an ACK of new data starts the timer anew, one of all stops it.
#[test]
fn the_retransmission_timer_follows_acks_of_new_data() {
    let mut script = Script::new(Policy::new(10.0), mechanism(Evidence::DupAck), 4);
    script.send();
    let rto = script.sender.rtt.rto();
    assert_eq!(script.sender.rto_at, at(0) + rto, "section 5.1");
    script.ack(100, 2, None);
    let restarted = at(100) + script.sender.rtt.rto();
    assert_eq!(script.sender.rto_at, restarted);
    script.ack(101, 2, None);
    assert_eq!(script.sender.rto_at, restarted, "a duplicate");
    script.ack(102, 4, None);
    assert_eq!(script.sender.rto_at, Time::NEVER);
}

/// A loss declared by an ACK that delivers nothing is reported with the next one that does: once, and whole.
#[test]
fn losses_found_by_duplicate_acks_are_reported_with_the_next_delivery() {
    let mut script = Script::new(Policy::new(10.0), mechanism(Evidence::DupAck), 10);
    script.send();
    let lost = |script: &Script| script.policy().acks.iter().map(|(ack, _)| ack.lost).sum::<u64>();
    (0..3).for_each(|_| script.ack(100, 0, None));
    assert_eq!((lost(&script), script.counters.recoveries), (0, 1), "duplicate ACKs deliver nothing");
    script.ack(100, 4, None);
    assert_eq!(lost(&script), 2000, "segment 0, and by the partial ACK segment 4");
    script.ack(100, 10, None);
    assert_eq!(lost(&script), 2000);
}

/// RFC 8985 section 7.4.2: a loss that the probe has repaired is a loss of one segment, and a whole recovery.
#[test]
fn the_controller_hears_of_a_loss_that_a_probe_has_repaired() {
    let mut script = Script::new(Policy::new(10.0), mechanism(Evidence::Rack), 3);
    script.send();
    script.policy().reduced = 5.0;
    script.expire();
    assert_eq!((script.now, script.send()), (at(202), vec![2]));
    script.ack_of(3, None, script.now);
    script.sender.seq.limit = 4;
    assert_eq!(script.send(), [3]);
    assert!(!script.sender.has_seen_congestion());
    script.ack(300, 4, None);
    assert_eq!(script.heard().0.lost, 1000);
    assert_eq!(script.policy().events, [EnterRecovery, ExitRecovery]);
    assert_eq!((script.cwnd(), script.counters.recoveries), (5, 1));
    assert!(script.sender.has_seen_congestion());
}

/// Floyd 1994: three duplicate ACKs are a loss for Tahoe as released, at any time; for Tahoe, only before the recovery.
#[test]
fn tahoe_as_released_restarts_at_duplicates_of_its_repairs() {
    for evidence in [Evidence::AnyDupAck, Evidence::DupAck] {
        let response = LossResponse::Tahoe;
        let mut script = Script::ten(Mechanism { response, ..mechanism(evidence) });
        script.policy().reduced = 2.0;
        for _ in 0..3 {
            script.ack(100, 0, None);
        }
        assert_eq!((script.send(), script.counters.recoveries), (vec![0, 1], 1), "{evidence:?}");
        assert_eq!(script.policy().events, [CongestionEvent::Rto], "once");
        script.ack(200, 2, None);
        script.send();
        for last in 1..=4 {
            let before = script.counters.recoveries;
            script.ack(300 + last, 2, None);
            let begins = evidence == Evidence::AnyDupAck && last == 3;
            assert_eq!(script.counters.recoveries - before, u64::from(begins), "{evidence:?}, {last}");
        }
    }
}

/// RFC 3168 section 6.1.2: once per window of data, and not in a recovery, whose loss it may be of.
#[test]
fn marks_of_one_window_are_one_event() {
    let ecn = EcnOptions { classic: true, ..EcnOptions::default() };
    let mut script = Script::ten(Mechanism { ecn, ..mechanism(Evidence::Sack) });
    script.policy().reduced = 5.0;
    for seg_ack in 1..=3 {
        script.now = at(100);
        script.marked(seg_ack, at(0));
        assert_eq!(script.policy().events, [CongestionEvent::EcnEcho]);
        assert_eq!(script.heard().0.ce_marked, 1000);
        assert!(!script.heard().1.cwnd_limited, "the window does not grow by an ACK that echoes a mark");
    }
    assert!(script.sender.has_seen_congestion() && script.cwnd() == 5);
    script.ack(110, 4, None);
    assert!(script.heard().1.cwnd_limited);
}

/// RFC 5681 section 3.1: slow start after a timeout goes by what is acknowledged, not by SACKs.
#[test]
fn after_a_timeout_only_cumulative_acks_open_the_window() {
    let mut script = Script::ten(mechanism(Evidence::Sack));
    script.ack(100, 0, Some((1, 2)));
    assert!(script.heard().1.cwnd_limited, "no timeout yet");
    script.expire();
    let resent = script.now;
    script.send();
    script.ack_of(0, Some((1, 3)), resent);
    assert!(!script.heard().1.cwnd_limited);
    script.ack_of(1, Some((2, 3)), resent);
    assert!(script.heard().1.cwnd_limited);
}

/// RFC 5681 section 3.1 speaks of "each ACK received that cumulatively acknowledges new data"; Linux,
/// `tcp_may_raise_cwnd`.
#[test]
fn sacks_open_the_window_where_they_are_to() {
    for (growth, by_sack) in [(Growth::Delivered, true), (Growth::Cumulative, false)] {
        let mut script = Script::ten(Mechanism { growth, ..mechanism(Evidence::Sack) });
        script.ack(100, 0, Some((1, 2)));
        assert_eq!(script.heard().1.cwnd_limited, by_sack);
        assert!(!script.heard().1.app_limited, "the window is in use, whatever an ACK acknowledges");
        script.ack(101, 2, None);
        assert!(script.heard().1.cwnd_limited);
    }
}

/// Linux, `tcp_is_cwnd_limited` before there was `tcp_cwnd_validate`'s memory: in slow start a window is used if half of
/// it is, else if it is full but for one segment.
#[test]
fn the_flight_before_an_ack_tells_if_the_window_is_used() {
    for (phase, last_limited) in [(Phase::Standard, 9), (Phase::Alternate, 9), (Phase::SlowStart, 6)] {
        let validating = Mechanism { cwnd_validation: true, ..mechanism(Evidence::DupAck) };
        let mut script = Script::ten(validating);
        script.policy().phase = phase;
        for seg_ack in 1..10 {
            let prior_pipe = 11 - seg_ack;
            script.ack(100, seg_ack, None);
            let (_, flow) = script.heard();
            assert_eq!(flow.cwnd_limited, prior_pipe >= last_limited, "{phase:?}, {prior_pipe}");
            assert_eq!(flow.app_limited, !flow.cwnd_limited);
        }
    }
}

/// Only a window that has grown counts.
#[test]
fn increases_of_the_window_are_counted() {
    let mut script = Script::ten(mechanism(Evidence::DupAck));
    for (seg_ack, cwnd, increases) in [(1, 10.0, 0), (2, 10.5, 1), (3, 10.5, 1), (4, 8.0, 1), (5, 9.0, 2)] {
        script.policy().cwnd = cwnd;
        script.ack(100, seg_ack, None);
        assert_eq!(script.counters.cwnd_increases, increases);
    }
}

/// The draft of BBR, section 4.1.1: a round ends when a segment is delivered that left after its beginning, by SACK, too.
#[test]
fn rounds_end_with_the_first_segment_sent_in_them() {
    let mut script = Script::ten(mechanism(Evidence::Sack));
    script.ack(100, 1, None);
    assert!(script.heard().0.round.is_some(), "the first round");
    assert_eq!(script.send(), [10]);
    script.ack(110, 3, None);
    assert!(script.heard().0.round.is_none());
    script.ack(111, 3, Some((8, 10)));
    assert!(script.heard().0.round.is_none());
    script.ack(200, 3, Some((8, 11)));
    let round = script.heard().0.round.expect("segment 10 is the first of the round");
    assert_eq!((round.delivered, round.rtt_count, round.lost), (5000, 3, 5000));
}

/// Let the last of ten segments leave again as a probe, and an original be SACKed; when the probe left.
fn probe(script: &mut Script) -> Time {
    script.ack(100, 1, None);
    script.expire();
    assert_eq!(script.send(), [9]);
    let probed = script.now;
    script.now = probed + ms(50);
    script.ack_of(1, Some((5, 6)), at(0));
    probed
}

/// A segment that is sent again in a round ends it, too: here the probe, by a SACK.
#[test]
fn rounds_end_with_a_retransmission() {
    let mut script = Script::new(Policy::new(10.0), mechanism(Evidence::Rack), 10);
    script.send();
    let probed = probe(&mut script);
    assert!(script.heard().0.round.is_none(), "an original");
    script.now = probed + RTT;
    script.ack_of(1, Some((9, 10)), probed);
    assert!(script.heard().0.round.is_some());
    // The holes are repaired now, the oldest first; its ACK ends the next round.
    assert_eq!(script.send()[0], 1);
    script.now += RTT;
    script.ack_of(2, None, probed + RTT);
    assert!(script.heard().0.round.is_some());
}

fn sampled(evidence: Evidence, limit: u32) -> Script {
    let mut policy = Policy::new(10.0);
    policy.needs = Needs { rate_samples: true, ..Needs::default() };
    let mut script = Script::new(policy, mechanism(evidence), limit);
    script.send();
    script
}

/// The draft of BBR, section 4.1.2: what is delivered over the time that it took, by the segment that the ACK answers.
#[test]
fn rate_samples_are_of_the_segment_that_was_delivered() {
    let mut script = sampled(Evidence::Sack, 100);
    script.ack(100, 1, None);
    let rate = script.heard().0.rate.expect("of segment 0");
    assert_eq!((rate.delivered, rate.app_limited), (1000, false));
    assert!(is_near(rate.interval, RTT));
    assert_eq!(script.send(), [10]);
    script.ack(120, 1, Some((2, 3)));
    let rate = script.heard().0.rate.expect("of segment 2");
    assert_eq!(rate.delivered, 2000);
    assert!(is_near(rate.interval, ms(120)));
    script.ack(200, 1, Some((2, 11)));
    let rate = script.heard().0.rate.expect("of segment 10");
    assert_eq!(rate.delivered, 9000, "all since segment 0 was acknowledged");
    assert!(is_near(rate.interval, RTT));
}

/// Linux, `tcp_rate_skb_delivered`: the sample is of the segment sent last among those delivered, repairs included.
#[test]
fn repairs_are_sampled_when_they_are_delivered() {
    let mut script = sampled(Evidence::Sack, 100);
    script.ack(100, 0, Some((1, 4)));
    assert_eq!(script.send(), [0, 10, 11, 12]);
    script.ack(110, 0, Some((1, 6)));
    let rate = script.heard().0.rate.expect("of segment 5, for the repair is on its way");
    assert!(is_near(rate.interval, ms(110)) && rate.rtt.is_some_and(|rtt| is_near(rtt, ms(110))));
    script.now = at(200);
    script.ack_of(6, None, at(100));
    let rate = script.heard().0.rate.expect("of the repair");
    assert!(is_near(rate.interval, RTT) && rate.rtt.is_none());
    assert_eq!(rate.delivered, 3000, "segments 4 and 5, and the repair itself");
}

/// Sample by a SACK of the probe, which leaves again what is not the oldest.
#[test]
fn repairs_are_sampled_when_they_are_sacked() {
    let mut script = sampled(Evidence::Rack, 10);
    let probed = probe(&mut script);
    assert!(script.heard().0.rate.is_some_and(|rate| rate.rtt.is_some()), "an original");
    script.now = probed + RTT;
    script.ack_of(1, Some((9, 10)), probed);
    assert!(script.heard().0.rate.is_some_and(|rate| rate.rtt.is_none()), "the probe");
}

/// Sample where the ACK is caused by another segment: of the repairs in its block the one that left last.
#[test]
fn a_sack_of_several_repairs_samples_the_last() {
    let mut script = sampled(Evidence::Sack, 100);
    script.ack(100, 0, Some((5, 8)));
    assert_eq!(script.send(), [0, 1, 2, 3, 4, 10, 11, 12]);
    script.now = at(200);
    script.ack_of(0, Some((1, 8)), at(100));
    assert!(script.heard().0.rate.is_some_and(|rate| rate.rtt.is_none()), "segment 4");
}

/// RFC 8985 section 7.2: the probe timeout is set anew by an ACK that delivers something, and by no other.
#[test]
fn a_probe_is_put_off_by_news_only() {
    let mut script = Script::ten(mechanism(Evidence::Rack));
    assert_eq!(script.sender.deadline(), at(202));
    script.ack(50, 0, None);
    assert_eq!(script.sender.deadline(), at(202));
    script.ack(100, 1, None);
    assert!(script.sender.deadline() > at(202));
}

/// After a timeout ECE goes on until CWR can be sent, with new data, so that holding the window would leave one segment
/// per round trip until all is repaired. Linux raises the window by progress alone in its state Loss.
#[test]
fn echoes_after_a_timeout_do_not_hold_the_window() {
    let ecn = EcnOptions { classic: true, ..EcnOptions::default() };
    let mut script = Script::ten(Mechanism { ecn, ..mechanism(Evidence::Sack) });
    script.policy().reduced = 1.0;
    script.expire();
    let resent = script.now;
    script.send();
    script.now = resent + RTT;
    script.marked(1, resent);
    assert!(script.heard().1.cwnd_limited);
    assert_eq!(script.policy().events, [CongestionEvent::Rto], "marks of what was sent before are no event");
}
