//! Limits of a sender beside its window: the application, the receiver, pacing and bursts; and what the window is
//! when it was not used.

use congestion::{CongestionEvent, Ecn, Needs, Phase};

use super::{Policy, Script, at, mechanism, ms};
use crate::tcp::linux::host_pacing::PacingRule;
use crate::tcp::loss::Evidence;
use crate::tcp::mechanism::Mechanism;
use crate::tcp::validation::{IdleRestart, ValidationOptions, ValidationRule};

fn validating(rule: ValidationRule) -> Mechanism {
    let validation = ValidationOptions { rule, ..ValidationOptions::default() };
    Mechanism { cwnd_validation: true, validation, ..mechanism(Evidence::Sack) }
}

/// The window becomes one of so many segments.
fn resize(script: &mut Script, cwnd: f64) {
    script.policy().cwnd = cwnd;
    script.sender.on_wakeup(script.now, &script.mechanism);
}

/// Linux, `tcp_rate_check_app_limited`: a sample is limited by the application if that had nothing to send, and not if
/// the receive window is full.
#[test]
fn only_the_application_limits_rate_samples() {
    for (limit, rwnd, app_limited) in [(5, u32::MAX, true), (100, 5, false)] {
        let mut policy = Policy::new(10.0);
        policy.needs = Needs { rate_samples: true, ..Needs::default() };
        let mut script = Script::new(policy, Mechanism { rwnd, ..mechanism(Evidence::Sack) }, limit);
        assert_eq!(script.send().len(), 5);
        script.ack(100, 1, None);
        script.sender.seq.limit = 100;
        script.send();
        script.ack(200, 6, None);
        assert_eq!(script.heard().0.rate.map(|rate| rate.app_limited), Some(app_limited));
    }
}

/// Linux, `tcp_cwnd_validate`: a segment that fills the window says that it limits, for a window of data.
#[test]
fn the_segment_that_fills_the_window_is_noted() {
    for (limit, limited) in [(10, true), (9, false)] {
        let mut script = Script::new(Policy::new(10.0), validating(ValidationRule::Linux), limit);
        script.send();
        script.ack(100, 1, None);
        assert_eq!(script.heard().1.cwnd_limited, limited, "{limit} of ten");
    }
}

/// Notes of data that a window which has become smaller holds back; of none if there are none.
#[test]
fn a_window_that_holds_data_back_is_full() {
    for (limit, limited) in [(100, true), (9, false)] {
        let mut script = Script::new(Policy::new(20.0), validating(ValidationRule::Linux), 9);
        script.send();
        script.sender.seq.limit = limit;
        script.now = at(1);
        resize(&mut script, 8.0);
        assert!(script.send().is_empty());
        script.ack(100, 1, None);
        assert_eq!(script.heard().1.cwnd_limited, limited, "{limit}");
    }
}

/// Draft-ietf-ccwg-ratelimited-increase, section 3: the window grows up to `limit(maxFS)`, or if the flight fills it.
#[test]
fn a_rate_limited_window_grows_up_to_its_limit() {
    for (phase, cwnd, limited) in [
        (Phase::Standard, 10.5, true),
        (Phase::Standard, 11.0, false),
        (Phase::SlowStart, 19.0, true),
        (Phase::SlowStart, 20.0, false),
    ] {
        let mut script = Script::new(Policy::new(10.0), validating(ValidationRule::RateLimited), 10);
        script.policy().phase = phase;
        script.send();
        resize(&mut script, cwnd);
        script.ack(100, 1, None);
        assert_eq!(script.heard().1.cwnd_limited, limited, "{phase:?} {cwnd}");
    }
    // After a reduction `maxFS` is the flight; at the window it limits.
    let mut script = Script::new(Policy::new(10.0), validating(ValidationRule::RateLimited), 10);
    script.send();
    resize(&mut script, 6.0);
    script.ack(100, 1, None);
    assert!(script.heard().1.cwnd_limited);
}

/// The draft, section 3: "The sender MUST cap cwnd to be no larger than limit(maxFS)"; not while the flight fills it,
/// and not in a recovery.
#[test]
fn a_window_that_was_never_used_is_capped() {
    for (phase, cwnd, capped) in
        [(Phase::Standard, 30.0, 11), (Phase::Standard, 11.0, 11), (Phase::SlowStart, 30.0, 20)]
    {
        let mut script = Script::new(Policy::new(10.0), validating(ValidationRule::RateLimited), 10);
        script.policy().phase = phase;
        script.send();
        script.policy().cwnd = cwnd;
        script.ack(100, 1, None);
        assert_eq!((script.cwnd(), script.policy().cwnd), (capped, f64::from(capped)), "{phase:?}");
        assert_eq!(script.policy().ssthresh, Some(f64::INFINITY), "nothing is remembered");
    }
}

/// The draft, section 3: "Upon a reduction of cwnd (for any reason), maxFS MUST be reset to zero", and not at the end
/// of a recovery; in one the window is not capped.
#[test]
fn a_reduction_forgets_flights() {
    let mut script = Script::new(Policy::new(10.0), validating(ValidationRule::RateLimited), 10);
    script.policy().reduced = 8.0;
    script.send();
    script.ack(100, 0, Some((1, 4)));
    assert_eq!(script.send()[0], 0);
    script.ack(150, 0, Some((1, 5)));
    assert_eq!(script.cwnd(), 8, "in the recovery");
    script.ack(200, 8, None);
    script.ack(201, 10, None);
    assert_eq!(script.policy().events, [CongestionEvent::EnterRecovery, CongestionEvent::ExitRecovery]);
    assert_eq!(script.cwnd(), 8);
    // The flight before the first ACK was ten, and two before the last; since the reduction it was ten at most.
    script.sender.seq.limit = 11;
    script.send();
    script.policy().cwnd = 30.0;
    script.ack(300, 11, None);
    assert_eq!(script.cwnd(), 11);
}

/// The same for the loss that a probe has repaired, a whole recovery at once (RFC 8985 section 7.4.2).
#[test]
fn a_loss_that_a_probe_repaired_forgets_flights() {
    let options =
        Mechanism { loss: mechanism(Evidence::Rack).loss, ..validating(ValidationRule::RateLimited) };
    let mut script = Script::new(Policy::new(10.0), options, 10);
    script.policy().reduced = 8.0;
    script.send();
    script.expire();
    assert_eq!(script.send(), [9]);
    script.ack_of(10, None, script.now);
    script.sender.seq.limit = 11;
    script.send();
    script.ack(300, 11, None);
    assert_eq!(script.policy().events, [CongestionEvent::EnterRecovery, CongestionEvent::ExitRecovery]);
    // Before the probe ten segments were in flight, and since then one.
    script.sender.seq.limit = 12;
    script.send();
    script.policy().cwnd = 30.0;
    script.ack(400, 12, None);
    assert_eq!(script.cwnd(), 2);
}

/// RFC 5681 section 4.1 and Linux, `tcp_cwnd_restart`: a window that was idle for more than an RTO goes down. Linux
/// remembers three quarters of it.
#[test]
fn an_idle_window_is_restarted() {
    for (idle_restart, cwnd, ssthresh) in
        [(IdleRestart::Rfc5681, 10, 4.0), (IdleRestart::Linux, 20, 30.0), (IdleRestart::None, 40, 4.0)]
    {
        let validation =
            ValidationOptions { idle_restart, rule: ValidationRule::Linux, ..Default::default() };
        let options = Mechanism { validation, ..mechanism(Evidence::Sack) };
        let mut script = Script::new(Policy::new(10.0), options, 10);
        script.now = at(1);
        script.send();
        script.policy().ssthresh = Some(4.0);
        script.ack(101, 10, None);
        resize(&mut script, 40.0);
        // Less than two timeouts.
        script.now = at(401);
        assert_eq!(script.send_one(), None);
        assert!(script.policy().restarts.is_empty(), "there is nothing to send");
        script.sender.seq.limit = 100;
        assert_eq!(script.send_one(), Some(10));
        assert_eq!(script.policy().restarts, [(ms(400), false)]);
        assert_eq!((script.cwnd(), script.policy().ssthresh), (cwnd, Some(ssthresh)), "{idle_restart:?}");
        script.now = at(402);
        script.send_one();
        assert_eq!(script.policy().restarts.len(), 1, "it is idle no longer");
    }
}

/// RFC 5681 section 4.1, "RW = min(IW,cwnd)": a restart lowers a window and never raises one, be it an eighth of a segment.
#[test]
fn no_restart_raises_a_fractional_window() {
    for (before, after) in [(0.125, 0.125), (40.0, 10.0)] {
        let validation = ValidationOptions { idle_restart: IdleRestart::Linux, ..Default::default() };
        let mut policy = Policy::new(10.0);
        policy.needs = Needs { ecn: Ecn::L4s, ..Needs::default() };
        let mut script = Script::new(policy, Mechanism { validation, ..mechanism(Evidence::Rack) }, 100);
        script.now = at(1);
        script.send_one();
        script.ack(101, 1, None);
        resize(&mut script, before);
        script.now = at(5001);
        assert_eq!(script.send_one(), Some(1));
        assert!((script.policy().cwnd - after).abs() < 1e-9, "{}", script.policy().cwnd);
    }
}

/// Linux, `tcp_event_data_sent`: a segment that leaves with nothing in flight is `CA_EVENT_TX_START`, whatever is validated
/// and whatever has held it back: the application, or a window that one ACK has emptied.
#[test]
fn every_controller_hears_of_restarts() {
    let mut script = Script::new(Policy::new(10.0), mechanism(Evidence::Sack), 100);
    script.now = at(1);
    script.send();
    script.ack(101, 10, None);
    script.send();
    assert_eq!(script.policy().restarts, [(ms(100), true)]);
    script.sender.seq.limit = 20;
    script.ack(200, 20, None);
    script.now = at(5000);
    script.sender.seq.limit = 100;
    script.send();
    assert_eq!(script.policy().restarts[1..], [(ms(4899), false)]);
}

/// Linux, `tcp_cwnd_application_limited`: half way to what is used, when the application has nothing more to send and
/// the window was not full for an RTO; not in a recovery.
#[test]
fn an_application_that_sends_little_loses_its_window() {
    for loses in [false, true] {
        let validation =
            ValidationOptions { app_limited_decay: true, rule: ValidationRule::Linux, ..Default::default() };
        let options = Mechanism { validation, ..mechanism(Evidence::Sack) };
        let mut script = Script::new(Policy::new(10.0), options, 8);
        script.policy().ssthresh = Some(4.0);
        script.send();
        resize(&mut script, 40.0);
        script.policy().reduced = 40.0;
        script.now = at(400);
        if loses {
            script.ack(400, 0, Some((1, 4)));
            assert_eq!(script.send_one(), Some(0));
        } else {
            assert_eq!((script.send_one(), script.cwnd()), (None, 40), "nothing leaves");
        }
        script.sender.seq.limit = 9;
        assert_eq!(script.send()[0], 8);
        assert_eq!(script.cwnd(), if loses { 40 } else { 25 });
        assert_eq!(script.policy().ssthresh, Some(if loses { 40.0 } else { 30.0 }));
    }
}

/// Linux, `tcp_update_pacing_rate`: two windows per round trip below half of the threshold, 1.2 from there on.
#[test]
fn hosts_pace_by_the_window_and_the_threshold() {
    for (ssthresh, ratio) in [(f64::INFINITY, 2.0), (30.0, 2.0), (12.0, 1.2)] {
        let options = Mechanism { pacing: PacingRule::Fq, ..mechanism(Evidence::Sack) };
        let mut script = Script::new(Policy::new(20.0), options, 100);
        script.policy().ssthresh = Some(ssthresh);
        resize(&mut script, 10.0);
        for _ in 0..10 {
            script.send_one();
        }
        let interval = 0.1 / (ratio * 10.0);
        let next = script.sender.pacer.next_send_time().since(at(0)).seconds();
        assert!((next - interval).abs() < 1e-9, "{ssthresh}: {next}, not {interval}");
    }
}

/// The draft, section 3, again: after a reduction the flights from then on count, of four segments here.
#[test]
fn flights_before_a_reduction_count_no_more() {
    let mut script = Script::new(Policy::new(10.0), validating(ValidationRule::RateLimited), 10);
    script.policy().reduced = 14.0;
    script.send();
    script.ack(100, 6, None);
    script.ack(101, 6, Some((7, 10)));
    assert_eq!(script.send()[0], 6);
    assert_eq!(script.cwnd(), 14, "no cap in a recovery, though four were outstanding");
    script.ack(200, 10, None);
    script.sender.seq.limit = 11;
    script.send();
    script.policy().cwnd = 30.0;
    script.ack(300, 11, None);
    assert_eq!(script.cwnd(), 5);
}
