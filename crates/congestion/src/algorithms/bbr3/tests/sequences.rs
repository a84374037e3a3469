//! Sequences of ACKs on a path of 100 ms, with segments of 1000 bytes, in both forms.

use super::super::{BBR3, LINUX, State};
use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Phase};
use crate::testing::{SMSS, assert_near, create, initial, read, sampled_ack, segments};
use crate::units::{Duration, Time};

/// Flow with so many segments in flight.
fn flow(now: u64, in_flight: u64) -> Flow {
    let in_flight = in_flight * u64::from(SMSS);
    let rtt = Duration::from_millis(100);
    let now = Time::ZERO + Duration::from_millis(now);
    Flow { now, smss: SMSS, in_flight, srtt: rtt, min_rtt: rtt, cwnd_limited: true, ..Flow::default() }
}

fn is(controller: &dyn CongestionControl, state: State) -> bool {
    (read(controller, "state") - f64::from(state as u8)).abs() < 0.5
}

/// `OnInit` starts the clocks, so the first `ProbeRTT` comes five seconds after the start, whenever that is. `BBR.min_rtt =
/// C.srtt`; Linux, `bbr_init`: `bbr->min_rtt_us = tcp_min_rtt(tp)`, that of the handshake.
#[test]
fn clocks_start_with_the_connection() {
    for algorithm in [&BBR3, &LINUX] {
        let mut controller = create(algorithm, &initial(10.0));
        let handshake = Flow { min_rtt: Duration::from_millis(90), ..flow(60_000, 10) };
        controller.on_ack(&sampled_ack(10, 0, 10), &handshake);
        assert_near(read(&*controller, "min_rtt"), 0.09);
        assert!(is(&*controller, State::Startup));
        controller.on_ack(&AckSample { rate: None, ..sampled_ack(1, 0, 0) }, &flow(65_000, 10));
        assert!(is(&*controller, State::Startup));
        controller.on_ack(&AckSample { rate: None, ..sampled_ack(1, 0, 0) }, &flow(65_001, 10));
        assert!(is(&*controller, State::ProbeRtt));
    }
}

/// `SetCwnd`: a window below its bound grows in Startup, and so does every window until the initial one is delivered.
/// Linux, `bbr_set_cwnd`: `cwnd < target_cwnd || cwnd < 2 * bbr->init_cwnd`. The bound here is far smaller.
#[test]
fn the_first_segments_open_the_window() {
    let windows = |algorithm: &Algorithm, delivered| {
        let mut controller = create(algorithm, &initial(10.0));
        [100, 200, 300].map(|now| {
            controller.on_ack(&sampled_ack(delivered, 0, 1), &flow(now, 10));
            segments(&*controller)
        })
    };
    for (algorithm, delivered, expected) in [
        (&BBR3, 4, [14.0, 18.0, 18.0]),
        (&BBR3, 5, [15.0, 15.0, 15.0]),
        (&LINUX, 4, [14.0, 18.0, 22.0]),
        (&LINUX, 5, [15.0, 20.0, 20.0]),
    ] {
        let windows = windows(algorithm, delivered);
        windows.into_iter().zip(expected).for_each(|(window, expected)| assert_near(window, expected));
    }
}

/// Draft section 5.5.9, `UpdateACKAggregation`: what is acknowledged at once beyond the bandwidth adds up, here after
/// an ACK that comes late.
#[test]
fn acks_at_once_are_aggregated() {
    let mut controller = create(&BBR3, &initial(10.0));
    for round in 1..=20 {
        controller.on_ack(&sampled_ack(50, 0, 50), &flow(100 * round, 50));
    }
    for segments in [1, 30, 30] {
        controller.on_ack(&sampled_ack(segments, 0, 50), &flow(2200, 50));
    }
    assert_near(read(&*controller, "extra_acked"), 61e3);
}

/// `OnEnterFastRecovery` and draft section 5.3.1.3: six ranges lost end Startup after a round of recovery, but not
/// without recovery.
#[test]
fn losses_in_recovery_end_startup() {
    for (recovers, phase) in [(true, Phase::Alternate), (false, Phase::SlowStart)] {
        let mut controller = create(&BBR3, &initial(100.0));
        controller.on_ack(&sampled_ack(50, 0, 50), &flow(100, 100));
        controller.on_ack(&sampled_ack(100, 0, 100), &flow(200, 120));
        if recovers {
            controller.on_congestion(CongestionEvent::EnterRecovery, &flow(210, 120));
        }
        for index in 1..=6 {
            assert_eq!(controller.phase(), Phase::SlowStart);
            // The sixth is for a segment that was sent in recovery.
            controller.on_ack(&sampled_ack(20, 2, 120), &flow(210 + 15 * index, 120));
        }
        assert_eq!(controller.phase(), phase);
    }
}
