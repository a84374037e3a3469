//! Recoveries and timeouts: how far the window goes down, and how.

use congestion::{CongestionEvent, Rate, Time};

use super::{Policy, RTT, Script, at, mechanism, ms};
use crate::tcp::linux::undo::{UndoOptions, UndoRule};
use crate::tcp::loss::Evidence;
use crate::tcp::mechanism::Mechanism;
use crate::tcp::prr::PrrRule;
use crate::tcp::recovery::{RecoveryState, TimeoutRule};
use crate::tcp::rtt::{RtoBounds, RtoRule};
use CongestionEvent::{EnterRecovery, ExitRecovery, Rto};

/// Ten segments of a hundred, of which 0 is lost and 1 to 3 are SACKed, under a controller that goes down to five.
fn one_loss(mechanism: Mechanism) -> Script {
    let mut script = Script::ten(mechanism);
    script.policy().reduced = 5.0;
    for end in 2..=4 {
        script.ack(100, 0, Some((1, end)));
    }
    script
}

/// RFC 6298 sections 5.4 to 5.6: the oldest segment again, the timer backed off; RFC 5681 section 3.1: the loss window.
#[test]
fn a_timeout_begins_anew_at_the_oldest_segment() {
    let mut script = Script::ten(mechanism(Evidence::Sack));
    script.policy().reduced = 1.0;
    for (expiry, counts) in [(300, 1), (300 + 600, 2), (300 + 600 + 1200, 3)] {
        assert_eq!(script.sender.deadline(), at(expiry));
        script.expire();
        assert_eq!((script.counters.timeouts, script.cwnd()), (counts, 1));
        assert_eq!(script.sender.recovery_state(), RecoveryState::RtoRecovery { recovery_point: 10 });
        assert_eq!(script.send(), [0]);
    }
    assert_eq!(script.policy().events, [Rto; 3]);
}

/// Nothing happens before a timer expires.
#[test]
fn a_timer_is_served_when_it_has_expired() {
    for (evidence, expiry) in [(Evidence::Sack, 300), (Evidence::Rack, 202)] {
        let mut script = Script::ten(mechanism(evidence));
        assert_eq!(script.sender.deadline(), at(expiry));
        let Script { sender, mechanism, counters, .. } = &mut script;
        sender.on_timer(at(expiry - 1), mechanism, counters);
        assert_eq!((sender.deadline(), sender.has_window()), (at(expiry), false), "{evidence:?}");
        sender.on_timer(at(expiry), mechanism, counters);
        assert!(sender.deadline() > at(expiry) && sender.has_window());
        assert_eq!(counters.timeouts, u64::from(evidence == Evidence::Sack), "the other is a probe");
    }
}

/// RFC 8985 section 6.2, step 5: what the reordering timer finds is a loss like any other, told with the next delivery.
#[test]
fn a_loss_that_the_reordering_timer_finds_begins_a_recovery() {
    let mut script = Script::ten(mechanism(Evidence::Rack));
    script.ack(100, 0, Some((1, 2)));
    let quarter = at(100 + 25 + 2).0.abs_diff(script.sender.deadline().0);
    assert!(quarter < 1_000_000, "a quarter of a round trip and 2 ms, but for the grain of stamps");
    assert_eq!(script.send(), [10]);
    script.expire();
    assert_eq!((script.counters.recoveries, script.counters.timeouts), (1, 0));
    assert_eq!(script.policy().events, [EnterRecovery]);
    assert_eq!(script.send_one(), Some(0));
    script.ack(130, 0, Some((1, 3)));
    assert_eq!(script.heard().0.lost, 1000);
}

/// Linux, `tcp_xmit_retransmit_queue`: the timer starts anew when fast recovery begins; RFC 6298 knows no such rule.
#[test]
fn fast_recovery_restarts_the_timer_of_linux() {
    for rule in [RtoRule::Linux, RtoRule::Rfc6298] {
        let rto = RtoBounds { rule, ..mechanism(Evidence::Sack).rto };
        let mut script = Script::ten(Mechanism { rto, ..mechanism(Evidence::Sack) });
        let first = script.sender.rto_at;
        for end in 2..=4 {
            script.ack(150, 0, Some((1, end)));
        }
        assert!(matches!(script.sender.recovery_state(), RecoveryState::FastRecovery { recovery_point: 10 }));
        let anew = at(150) + script.sender.rtt.rto();
        assert_eq!(script.sender.rto_at, if rule == RtoRule::Linux { anew } else { first });
    }
}

/// RFC 6298 section 5.1: the timer starts with the first segment, and with no other while it runs.
#[test]
fn the_timer_starts_when_it_is_off() {
    let mut script = Script::new(Policy::new(2.0), mechanism(Evidence::Sack), 100);
    script.send_one();
    let started = script.sender.rto_at;
    assert_eq!(started, Time::ZERO + script.sender.rtt.rto());
    script.now = at(5);
    script.send_one();
    assert_eq!(script.sender.rto_at, started);
}

/// RFC 6675 section 5: the end of a recovery is told once, and is none of a reduction.
#[test]
fn a_recovery_ends_when_its_point_is_acknowledged() {
    let mut script = one_loss(mechanism(Evidence::Sack));
    assert_eq!((script.policy().events.clone(), script.counters.recoveries), (vec![EnterRecovery], 1));
    script.send();
    script.ack(200, 9, None);
    assert!(script.heard().1.in_recovery);
    script.ack(201, 10, None);
    assert_eq!(script.policy().events, [EnterRecovery, ExitRecovery]);
    assert_eq!(script.sender.recovery_state(), RecoveryState::Open);
}

/// Linux, `tcp_fastretrans_alert`: `lost_out` is asked for once the state is open again, so that losses beyond the point of
/// a recovery begin the next one with the ACK that ends it, sent again or not. RFC 6675 waits for one that is not.
#[test]
fn losses_during_a_recovery_begin_the_next_with_the_ack_that_ends_it() {
    for (is_sent_again, evidence) in [(true, Evidence::Rack), (false, Evidence::Rack), (true, Evidence::Sack)]
    {
        let mut script = one_loss(mechanism(evidence));
        script.policy().cwnd = 20.0;
        script.ack(101, 0, Some((1, 5)));
        assert_eq!(script.send().len(), 15);
        if is_sent_again {
            script.ack(201, 0, Some((11, 14)));
            assert!(script.send().contains(&10), "it is lost in the recovery");
        }
        assert_eq!(script.counters.recoveries, 1);
        script.ack(202, 10, Some((11, 14)));
        let again = evidence == Evidence::Rack;
        assert_eq!(script.counters.recoveries, 1 + u64::from(again));
        let events = [EnterRecovery, ExitRecovery, EnterRecovery];
        assert_eq!(script.policy().events, events[..2 + usize::from(again)]);
        let cwnd = if again { 5 } else { 20 };
        assert_eq!(script.cwnd(), cwnd, "the answer to the later loss");
        assert_eq!(script.sender.recovery_state() == RecoveryState::Open, !again);
    }
}

/// Linux, `tcp_init_undo`: the repairs under way belong to the new recovery, so that their ACKs take nothing back.
#[test]
fn a_recovery_that_begins_with_its_repairs_under_way_stands() {
    let undo = UndoOptions { rule: UndoRule::Linux, ..UndoOptions::default() };
    let mut script = one_loss(Mechanism { undo, ..mechanism(Evidence::Rack) });
    script.policy().cwnd = 20.0;
    script.ack(101, 0, Some((1, 5)));
    script.send();
    script.ack(201, 0, Some((11, 14)));
    assert!(script.send().contains(&10), "it is lost in the recovery");
    script.ack(202, 10, Some((11, 14)));
    assert_eq!(script.counters.recoveries, 2);
    script.now = at(301);
    script.ack_of(14, None, at(201));
    assert!(script.policy().undone.is_empty());
    assert_eq!(script.cwnd(), 5);
}

/// A recovery that repairs all that was lost is followed by none.
#[test]
fn a_recovery_without_later_losses_is_the_only_one() {
    let mut script = one_loss(mechanism(Evidence::Rack));
    assert!(script.send().contains(&0));
    script.ack(200, 10, None);
    assert_eq!((script.counters.recoveries, script.policy().events.len()), (1, 2));
}

/// RFC 9937 section 6: with 8 segments in `RecoverFS` (ten, two of which were SACKed before) and a window of five at the
/// end, five segments leave for every eight that are delivered, the retransmission at once.
#[test]
fn a_window_goes_down_in_proportion_to_what_is_delivered() {
    let mut script = one_loss(Mechanism { prr: PrrRule::Rfc9937, ..mechanism(Evidence::Sack) });
    // Delivered: 1; ceil(1 * 5 / 8) = 1.
    assert!((script.sender.control.cwnd_bytes - 7000.0).abs() < 1e-9);
    assert_eq!(script.send(), [0]);
    for (end, left) in [(5, vec![10]), (6, vec![]), (7, vec![])] {
        script.ack(110, 0, Some((1, end)));
        assert_eq!(script.send(), left, "delivered: {}", end - 3);
        assert!(!script.heard().1.cwnd_limited, "a window that goes down does not grow");
    }
    // An ACK that delivers nothing changes nothing.
    let cwnd = script.cwnd();
    script.ack(111, 0, Some((1, 7)));
    assert_eq!((script.cwnd(), script.send()), (cwnd, vec![]));
    script.ack(200, 10, None);
    assert_eq!(script.cwnd(), 5, "the controller's");
    script.ack(201, 11, None);
    assert!(script.heard().1.cwnd_limited);
}

/// Linux, `tcp_cwnd_reduction`: in proportion to the window before, of ten here.
#[test]
fn the_reduction_of_linux_goes_by_the_window_before() {
    let mut script = one_loss(Mechanism { prr: PrrRule::Linux, ..mechanism(Evidence::Sack) });
    assert_eq!(script.send(), [0]);
    for (end, left) in [(5, vec![]), (6, vec![]), (7, vec![10])] {
        script.ack(110, 0, Some((1, end)));
        assert_eq!(script.send(), left, "delivered: {}", end - 3);
    }
}

/// RFC 9937 section 6: "PRR-CRB by default", and one segment more for an ACK that advances SND.UNA without a further
/// loss.
#[test]
fn a_safe_ack_catches_up() {
    for (seg_ack, sacked, cwnd) in [
        // Delivered 4, sent 3, in flight 8, no progress; one more for progress; delivered 7, in flight 2, a further loss.
        (0, Some((1, 5)), 8 + 1),
        (4, None, 8 + 1 + 1),
        (4, Some((7, 10)), 2 + 4),
    ] {
        let mut script = Script::ten(Mechanism { prr: PrrRule::Rfc9937, ..mechanism(Evidence::Sack) });
        script.ack(100, 0, Some((1, 4)));
        assert_eq!(script.send(), [0, 10, 11], "as many as were delivered");
        script.ack(200, seg_ack, sacked);
        assert_eq!(script.cwnd(), cwnd, "{seg_ack} {sacked:?}");
    }
}

/// Linux leaves the window of a controller that paces itself alone, as it does BBR's.
#[test]
fn controllers_that_pace_themselves_have_their_window_at_once() {
    for rate in [None, Some(Rate(1e9))] {
        let mut script = Script::ten(Mechanism { prr: PrrRule::Linux, ..mechanism(Evidence::Sack) });
        (script.policy().reduced, script.policy().pacing_rate) = (5.0, rate);
        for end in 2..=4 {
            script.ack(100, 0, Some((1, end)));
        }
        assert_eq!(script.cwnd() == 5, rate.is_some());
    }
}

/// Linux, `tcp_enter_loss`: a segment more than is in flight; RFC 5681: the restart window.
#[test]
fn a_timeout_of_linux_keeps_what_is_in_flight() {
    for (timeout_rule, cwnd) in [(TimeoutRule::Linux, 4), (TimeoutRule::Rfc5681, 1)] {
        let mut script =
            Script::new(Policy::new(10.0), Mechanism { timeout_rule, ..mechanism(Evidence::Rack) }, 5);
        script.policy().reduced = 1.0;
        script.send();
        script.ack(100, 1, None);
        script.expire();
        assert_eq!(script.send(), [4], "a probe");
        // Three more leave less than a round trip before the timeout, which spares them.
        script.now = Time(script.sender.deadline().0 - ms(50).0);
        script.sender.seq.limit = 8;
        assert_eq!(script.send(), [5, 6, 7]);
        script.expire();
        assert_eq!((script.counters.timeouts, script.sender.pipe()), (1, 3));
        assert_eq!(script.cwnd(), cwnd);
    }
}

/// Linux, `tcp_enter_loss`: the threshold goes down once per episode; RFC 5681 section 4.3: in a recovery once more.
#[test]
fn a_timeout_in_a_recovery_is_no_second_reduction_in_linux() {
    let threshold = |timeout_rule, loses_first, prr| {
        let recovery = Mechanism { timeout_rule, prr, ..mechanism(Evidence::Sack) };
        let mut script = if loses_first { one_loss(recovery) } else { Script::ten(recovery) };
        script.policy().reduced = 2.0;
        script.send();
        script.expire();
        assert_eq!(script.counters.timeouts, 1);
        let threshold = script.policy().ssthresh;
        (threshold, script.cwnd())
    };
    let none = PrrRule::None;
    assert_eq!(threshold(TimeoutRule::Linux, true, none), (Some(5.0), 1));
    assert_eq!(threshold(TimeoutRule::Linux, false, none), (Some(2.0), 1));
    assert_eq!(threshold(TimeoutRule::Rfc5681, true, none), (Some(2.0), 2));
    assert_eq!(threshold(TimeoutRule::Linux, true, PrrRule::Linux), (Some(5.0), 1));
}

/// A round begins anew with a timeout: what was outstanding before ends none.
#[test]
fn a_timeout_ends_the_round() {
    let mut script = Script::ten(mechanism(Evidence::Sack));
    script.expire();
    let resent = script.now;
    script.send();
    script.now += RTT;
    script.ack_of(0, Some((5, 6)), at(0));
    assert!(script.heard().0.round.is_none());
    script.ack_of(1, None, resent);
    assert!(script.heard().0.round.is_some(), "the retransmission");
}
