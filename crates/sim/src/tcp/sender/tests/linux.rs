//! Rules that Linux has beside the RFCs; functions are those of `net/ipv4/tcp_input.c` and `tcp_output.c`, 6.18.

use congestion::{CongestionEvent, Duration, Time};

use super::{Policy, Script, at, mechanism, ms};
use crate::tcp::ecn::EcnOptions;
use crate::tcp::linux::undo::{UndoOptions, UndoRule};
use crate::tcp::loss::Evidence;
use crate::tcp::mechanism::Mechanism;
use crate::tcp::prr::PrrRule;
use crate::tcp::recovery::{RecoveryState, TimeoutRule};
use crate::tcp::rtt::{RtoBounds, RtoRule};
use crate::tcp::validation::{IdleRestart, ValidationOptions};
use CongestionEvent::{EnterRecovery, Rto};

/// Window of ten segments, and ten sent at 1 ms.
fn ten(mechanism: Mechanism) -> Script {
    let mut script = Script::new(Policy::new(10.0), mechanism, 100);
    script.now = at(1);
    assert_eq!(script.send().len(), 10);
    script
}

/// Ten segments sent, and the first acknowledged with a mark: the window goes from ten to five.
fn one_mark(validation: ValidationOptions) -> Script {
    let ecn = EcnOptions { classic: true, ..EcnOptions::default() };
    let rack = mechanism(Evidence::Rack);
    let mut script = ten(Mechanism { prr: PrrRule::Linux, ecn, validation, ..rack });
    script.policy().reduced = 5.0;
    script.now = at(100);
    script.marked(1, at(0));
    script
}

/// `tcp_fastretrans_alert`: state CWR is held until something above `high_seq`, SND.NXT at its beginning, is acknowledged;
/// a recovery ends at `high_seq`.
#[test]
fn a_mark_is_answered_until_something_later_is_acknowledged() {
    let mut script = one_mark(ValidationOptions::default());
    script.ack(101, 10, None);
    assert!(script.sender.is_reducing());
    assert_eq!(script.send_one(), Some(10));
    script.ack(201, 11, None);
    assert_eq!((script.sender.is_reducing(), script.cwnd()), (false, 5));

    let mut script = Script::ten(Mechanism { prr: PrrRule::Linux, ..mechanism(Evidence::Rack) });
    for end in 2..=4 {
        script.ack(100, 0, Some((1, end)));
    }
    assert!(script.sender.is_reducing());
    script.ack(200, 10, None);
    assert!(!script.sender.is_reducing());
}

/// `tcp_end_cwnd_reduction`: what is acknowledged above `high_seq` brings the window to `ssthresh`, after idle time, too.
#[test]
fn idle_time_does_not_lower_the_end_of_a_reduction() {
    let idle_restart = IdleRestart::Linux;
    let mut script = one_mark(ValidationOptions { idle_restart, ..ValidationOptions::default() });
    script.ack(101, 10, None);
    script.now = at(9000);
    assert_eq!(script.send_one(), Some(10));
    script.ack(9100, 11, None);
    assert_eq!((script.cwnd(), script.policy().ssthresh), (5, Some(5.0)));
}

/// `tcp_cwnd_restart` calls `tcp_current_ssthresh` whatever becomes of the window: 10/2 + 10/4 of ten, the initial window.
#[test]
fn the_threshold_remembers_a_window_that_idle_time_leaves() {
    let validation = ValidationOptions { idle_restart: IdleRestart::Linux, ..ValidationOptions::default() };
    let mut script = ten(Mechanism { validation, ..mechanism(Evidence::Rack) });
    script.policy().ssthresh = Some(4.0);
    script.ack(100, 10, None);
    script.now = at(9000);
    script.send_one();
    assert_eq!((script.cwnd(), script.policy().ssthresh), (10, Some(7.0)));
}

/// `tcp_clean_rtx_queue`: `seq_rtt_us` is of the first segment that an ACK acknowledges and goes into SRTT, `ca_rtt_us` of
/// the last; modules hear of that, and `tcp_update_rtt_min`.
#[test]
fn controllers_hear_the_round_trip_of_the_last_segment() {
    for (rule, heard, least) in [(RtoRule::Linux, 50, 50), (RtoRule::Rfc6298, 150, 100)] {
        let rto = RtoBounds { rule, ..mechanism(Evidence::Rack).rto };
        let mut script = Script::ten(Mechanism { rto, ..mechanism(Evidence::Rack) });
        script.ack(100, 9, None);
        assert_eq!(script.send_one(), Some(10));
        script.now = at(150);
        script.ack_of(11, None, at(0));
        let (sample, flow) = script.heard();
        let millis = |time: Duration| time.0.div_ceil(ms(1).0);
        assert_eq!((sample.rtt.map(millis), millis(flow.min_rtt)), (Some(heard), least), "{rule:?}");
        // 7/8 100 ms + 1/8 150 ms.
        assert_eq!(millis(flow.srtt), 107);
    }
}

/// `tcp_init_undo`: `undo_retrans` begins at `retrans_out`, at a timeout with what RACK spares: segment 2, sent again
/// 60 ms before. Reports of both retransmissions take the reduction back, one alone does not.
#[test]
fn a_timeout_counts_the_retransmissions_that_it_spares() {
    let undo = UndoOptions { rule: UndoRule::Linux, ..UndoOptions::default() };
    let mut script = after_timeout(Mechanism { undo, ..mechanism(Evidence::Rack) });
    script.now = at(602);
    script.ack_of(1, None, at(502));
    resize(&mut script, 2.0);
    assert_eq!(script.send_one(), Some(1));
    script.now = at(842);
    assert_eq!(script.send_one(), Some(2));
    script.expire();
    assert_eq!((script.now.0 / ms(1).0, script.send_one()), (902, Some(1)));
    script.dsack(2, at(902));
    assert_eq!(script.policy().undone, []);
    script.dsack(3, at(842));
    assert_eq!(script.policy().undone.len(), 1);
}

/// Ten segments whose timer has expired after a probe of segment 10; segment 0 was sent again at 502 ms.
fn after_timeout(mechanism: Mechanism) -> Script {
    let mut script = Script::ten(mechanism);
    script.policy().reduced = 1.0;
    script.expire();
    assert_eq!(script.send(), [10], "a probe");
    script.expire();
    assert_eq!((script.now, script.send()), (at(502), vec![0]));
    script
}

/// The window becomes one of so many segments.
fn resize(script: &mut Script, cwnd: f64) {
    script.policy().cwnd = cwnd;
    script.sender.on_wakeup(script.now, &script.mechanism);
}

/// `tcp_fastretrans_alert`: with `FLAG_LOST_RETRANS` state Loss becomes Recovery, with a reduction and a point of its own.
/// RFC 6675 section 5.1 begins no recovery before the point of the timeout.
#[test]
fn a_lost_retransmission_after_a_timeout_begins_a_recovery() {
    for (timeout_rule, events) in
        [(TimeoutRule::Linux, vec![Rto, EnterRecovery]), (TimeoutRule::Rfc5681, vec![Rto])]
    {
        let mut script = after_timeout(Mechanism { timeout_rule, ..mechanism(Evidence::Rack) });
        resize(&mut script, 3.0);
        script.now = at(503);
        assert_eq!(script.send(), [1, 2]);
        script.now = at(603);
        script.ack_of(0, Some((1, 3)), at(503));
        assert_eq!(script.policy().events, events);
        let recovers = script.sender.recovery_state() == RecoveryState::FastRecovery { recovery_point: 11 };
        assert_eq!(recovers, timeout_rule == TimeoutRule::Linux);
    }
}

/// `tcp_rack_reo_timeout`: a loss that the timer finds begins a recovery, unless one is under way. `tcp_rack_mark_lost`: it
/// expires `TCP_TIMEOUT_MIN_US`, 2 ms, after the reordering window of 100/4 ms.
#[test]
fn the_reordering_timer_begins_a_recovery_after_a_timeout() {
    let timeout_rule = TimeoutRule::Linux;
    let mut script = Script::ten(Mechanism { timeout_rule, ..mechanism(Evidence::Rack) });
    // Segment 0 is late: reordering was seen.
    script.ack(100, 0, Some((1, 2)));
    script.ack(100, 2, None);
    script.policy().events.clear();
    while !script.sender.recovery.is_rto_recovery() {
        script.expire();
        if !script.sender.recovery.is_rto_recovery() {
            script.send();
        }
    }
    script.policy().events.clear();
    resize(&mut script, 3.0);
    let resent = script.now;
    assert_eq!(script.send_one(), Some(2));
    script.now = Time(resent.0 + ms(1).0);
    assert_eq!(script.send(), [3, 4]);
    script.now = Time(resent.0 + ms(101).0);
    script.ack_of(2, Some((3, 5)), Time(resent.0 + ms(1).0));
    assert_eq!(script.policy().events, []);
    script.expire();
    assert_eq!(script.policy().events, [EnterRecovery]);
    let waited = script.now.since(Time(resent.0 + ms(100).0));
    assert_eq!(waited.0.div_ceil(ms(1).0), 27);
}
