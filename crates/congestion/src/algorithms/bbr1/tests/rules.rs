//! Single rules of the draft, on segments of 1000 bytes and a path of 500 segments/s and 100 ms.

use super::super::*;
use crate::control::RateSample;
use crate::testing::{SMSS, assert_near, create, initial, read, sampled_ack, segments, startup_is_over};
use crate::units::Time;

fn at(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

/// Flow with so many segments in flight.
fn flow(now: u64, in_flight: u64) -> Flow {
    let in_flight = in_flight * u64::from(SMSS);
    Flow { now: at(now), smss: SMSS, in_flight, cwnd_limited: true, ..Flow::default() }
}

/// State after twenty round trips of 50 segments, in the cycle.
fn cycling() -> Bbr1 {
    let mut bbr = Bbr1::new(Params::DEFAULT, &initial(10.0));
    (1..=20).for_each(|round| bbr.on_ack(&sampled_ack(50, 0, 50), &flow(100 * round, 50)));
    assert!(matches!(bbr.state, State::ProbeBw { .. }));
    bbr
}

/// Section 4.2.3.4: "upon every ACK in Fast Recovery" losses are taken off the window, and what is delivered makes
/// room; in other ACKs losses are not looked at. The window before comes back at the end.
#[test]
fn losses_take_room_away_in_recovery_only() {
    let mut bbr = Bbr1::new(Params::DEFAULT, &initial(60.0));
    bbr.on_ack(&sampled_ack(50, 3, 50), &flow(100, 60));
    assert_near(segments(&bbr), 110.0);
    bbr.on_congestion(CongestionEvent::EnterRecovery, &flow(110, 57));
    assert_near(segments(&bbr), 58.0);
    bbr.on_ack(&AckSample { rate: None, ..sampled_ack(1, 3, 0) }, &flow(110, 50));
    assert_near(segments(&bbr), 55.0);
    // `cwnd = max(cwnd, packets_in_flight + packets_delivered)`.
    bbr.on_ack(&AckSample { rate: None, ..sampled_ack(10, 0, 0) }, &flow(115, 50));
    assert_near(segments(&bbr), 60.0);
    bbr.on_congestion(CongestionEvent::ExitRecovery, &flow(120, 50));
    assert_near(segments(&bbr), 110.0);
}

/// Section 4.2.3.6: `cwnd < BBR.target_cwnd || BBR.delivered < InitialCwnd` opens the window in Startup, here far
/// beyond its target.
#[test]
fn the_first_segments_open_the_window() {
    for (delivered, expected) in [(4, [14.0, 18.0, 18.0]), (5, [15.0, 15.0, 15.0])] {
        let mut controller = create(&BBR1, &initial(10.0));
        for (round, expected) in (1..).zip(expected) {
            controller.on_ack(&sampled_ack(delivered, 0, 1), &flow(100 * round, 10));
            assert_near(segments(&*controller), expected);
        }
    }
}

/// Section 4.2.3.4, `BBRSaveCwnd`: the window as it is, but in recovery and in `ProbeRTT` the largest of both.
#[test]
fn the_window_to_return_to_is_not_that_of_a_recovery() {
    let probing = State::ProbeBw { cycle_index: 2, cycle_stamp: Time::ZERO };
    let mut bbr = Bbr1::new(Params::DEFAULT, &initial(10.0));
    for (state, recovery, kept) in [
        (probing, Recovery::Open, 50.0),
        (State::ProbeRtt, Recovery::Open, 80.0),
        (probing, Recovery::Timeout, 80.0),
    ] {
        (bbr.state, bbr.recovery, bbr.cwnd, bbr.prior_cwnd) = (state, recovery, 50.0, 80.0);
        bbr.save_cwnd();
        assert_near(bbr.prior_cwnd, kept);
    }
}

/// Section 4.3.4.3, `BBRIsNextCyclePhase`: probing lasts an `RTprop` and until the volume is in flight or something is
/// lost, draining that long at most; what was in flight before the ACK counts.
#[test]
fn phases_end_by_time_and_by_volume() {
    // Phase, milliseconds, segments in flight, delivered and lost. Products are 50 segments, and three quanta come on
    // top: 65.5 while probing, 53 while draining.
    for (index, span, in_flight, [delivered, lost], is_over) in [
        (0, 100, 60, [6, 1], false),
        (0, 101, 60, [5, 0], false),
        (0, 101, 60, [6, 0], true),
        (0, 101, 10, [1, 1], true),
        (1, 1, 50, [2, 2], false),
        (1, 1, 50, [2, 1], true),
        (1, 101, 90, [2, 1], true),
        (2, 100, 10, [1, 0], false),
        (2, 101, 10, [1, 0], true),
    ] {
        let mut bbr = cycling();
        bbr.state = State::ProbeBw { cycle_index: index, cycle_stamp: at(3000) };
        bbr.check_cycle_phase(&sampled_ack(delivered, lost, 50), &flow(3000 + span, in_flight));
        let State::ProbeBw { cycle_index, .. } = bbr.state else { panic!("{:?}", bbr.state) };
        assert_eq!(cycle_index != index, is_over, "{index} {span} {in_flight} {delivered} {lost}");
    }
}

/// Section 4.1.2.3: `Now() > BBR.rtprop_stamp + RTpropFilterLen`, which is ten seconds.
#[test]
fn the_smallest_rtt_is_old_after_more_than_ten_seconds() {
    for (now, is_old) in [(12_000, false), (12_001, true)] {
        let mut bbr = cycling();
        let later = AckSample { rtt: Some(Duration::from_millis(110)), ..sampled_ack(1, 0, 50) };
        bbr.on_ack(&later, &flow(now, 50));
        assert_near(read(&bbr, "min_rtt"), if is_old { 0.11 } else { 0.1 });
        assert_eq!(bbr.state == State::ProbeRtt, is_old);
    }
}

/// Section 4.1.1.5: samples that the application limited count only if they are larger, and do not age the others.
#[test]
fn limited_samples_only_raise_the_bandwidth() {
    let mut bbr = cycling();
    let mut now = 2000;
    let mut rounds = |count, rate: u64, app_limited| {
        for _ in 0..count {
            now += 100;
            let plain = sampled_ack(rate, 0, rate);
            let rate = RateSample { app_limited, ..plain.rate.expect("a sample") };
            bbr.on_ack(&AckSample { rate: Some(rate), ..plain }, &flow(now, 50));
        }
        read(&bbr, "bandwidth")
    };
    assert_near(rounds(20, 10, true), 500e3);
    assert_near(rounds(1, 60, true), 600e3);
    assert_near(rounds(9, 10, false), 600e3);
    assert_near(rounds(1, 10, false), 100e3);
}

/// Section 4.3.2.2: Startup ends after three rounds in which the bandwidth has not grown by a quarter.
#[test]
fn growth_of_less_than_a_quarter_ends_startup() {
    assert!(startup_is_over(&BBR1, [100, 110, 117, 124]));
    assert!(!startup_is_over(&BBR1, [100, 110, 117, 126]));
}

/// Section 4.2.1: `nominal_bandwidth = InitialCwnd / (SRTT ? SRTT : 1ms)`, here ten segments in 40 ms.
#[test]
fn the_first_rate_goes_by_the_handshake() {
    for (rtt, seconds) in [(0, 0.001), (40, 0.04)] {
        let mut bbr = Bbr1::new(Params::DEFAULT, &initial(10.0));
        let flow = Flow { min_rtt: Duration::from_millis(rtt), ..flow(100, 9) };
        bbr.on_ack(&sampled_ack(1, 0, 1), &flow);
        assert_near(bbr.pacing_rate, 2.885 * 10e3 / seconds);
        assert_near(read(&bbr, "min_rtt"), if rtt > 0 { 0.04 } else { 0.1 });
    }
}

/// Section 4.2.1: `if (BBR.filled_pipe || rate > BBR.pacing_rate)`.
#[test]
fn startup_does_not_slow_down() {
    for (filled_pipe, before, after) in [(false, 4e5, 5e5), (false, 6e5, 6e5), (true, 6e5, 5e5)] {
        let mut bbr = Bbr1::new(Params::DEFAULT, &initial(10.0));
        bbr.model.btl_bw.update(5e5, 0, 10);
        (bbr.pipe.filled_pipe, bbr.pacing_rate) = (filled_pipe, before);
        bbr.set_pacing_rate_with_gain(1.0);
        assert_near(bbr.pacing_rate, after);
    }
}

/// Section 4.2.3.6: `cwnd = min(cwnd + packets_delivered, BBR.target_cwnd)` with a full pipe, where two products and three
/// quanta are 103 segments, and in Startup growth `if (cwnd < BBR.target_cwnd)`.
#[test]
fn the_window_grows_by_what_is_delivered_up_to_its_target() {
    let mut bbr = cycling();
    for (before, after) in [(20e3, 25e3), (100e3, 103e3), (200e3, 103e3)] {
        bbr.cwnd = before;
        bbr.update_control_parameters(&sampled_ack(5, 0, 50), &flow(2000, 50));
        assert_near(bbr.cwnd, after);
    }
    (bbr.state, bbr.pipe.filled_pipe) = (State::Startup, false);
    let target = bbr.inflight(bbr.params.high_gain);
    for (before, after) in [(target - 1.0, target + 4999.0), (target, target)] {
        bbr.cwnd = before;
        bbr.update_control_parameters(&sampled_ack(5, 0, 50), &flow(2000, 50));
        assert_near(bbr.cwnd, after);
    }
}

/// Section 4.3.4.3, `BBREnterProbeBW`: `BBRGainCycleLen - 1 - random_int_in_range(0..6)`, and a phase on: any but the one
/// that drains, by the seed.
#[test]
fn the_cycle_begins_in_any_phase_but_the_draining_one() {
    let entered = (0..100).map(|seed| {
        let mut bbr = Bbr1::new(Params::DEFAULT, &Initial { seed, ..initial(10.0) });
        bbr.state = State::Drain;
        bbr.check_drain(&flow(100, 0));
        let State::ProbeBw { cycle_index, .. } = bbr.state else { panic!("{:?}", bbr.state) };
        cycle_index
    });
    assert_eq!(entered.collect::<std::collections::BTreeSet<_>>(), [0, 2, 3, 4, 5, 6, 7].into());
}

/// Section 4.3.5, `BBRHandleProbeRTT`: `C.app_limited = (BW.delivered + packets_in_flight)`, here four segments: samples of
/// what is sent until so much is delivered are limited.
#[test]
fn samples_of_probe_rtt_are_limited() {
    let mut bbr = cycling();
    bbr.state = State::ProbeRtt;
    bbr.check_probe_rtt(&sampled_ack(1, 0, 50), &flow(2000, 4));
    // Each was sent one segment before it is delivered: after none, one, ... of the four.
    let counts: Vec<bool> = (0..6).map(|_| bbr.update_btl_bw(&sampled_ack(1, 0, 1))).collect();
    assert_eq!(counts, [false, false, false, false, false, true]);
}

/// Section 4.3.5: the 200 ms begin when `packets_in_flight <= BBRMinPipeCwnd`, which is four; the state ends with a round
/// and `Now() > BBR.probe_rtt_done_stamp`.
#[test]
fn probe_rtt_ends_after_a_round_and_its_time() {
    let mut bbr = cycling();
    bbr.state = State::ProbeRtt;
    for (now, in_flight, round_start, is_over) in [
        (2000, 5, true, false),
        (2300, 4, true, false),
        (2501, 4, false, false),
        (2499, 4, true, false),
        (2500, 4, true, false),
        (2501, 4, false, true),
    ] {
        bbr.rounds.round_start = round_start;
        bbr.check_probe_rtt(&sampled_ack(1, 0, 1), &flow(now, in_flight));
        assert_eq!(bbr.state != State::ProbeRtt, is_over, "{now} {in_flight} {round_start}");
    }
}

/// Section 4.1.1.5: a rate is what was delivered over the time that it took; there is none without any time.
#[test]
fn samples_of_no_time_are_none() {
    let mut bbr = cycling();
    let rate = RateSample { interval: Duration::ZERO, ..sampled_ack(1, 0, 1).rate.expect("a sample") };
    assert!(!bbr.update_btl_bw(&AckSample { rate: Some(rate), ..sampled_ack(1, 0, 1) }));
    assert_near(read(&bbr, "bandwidth"), 500e3);
}
