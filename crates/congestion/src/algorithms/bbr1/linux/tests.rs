//! BBR version 1 of Linux against what its source says (`net/ipv4/tcp_bbr.c`).

mod rules;

use super::super::BBR1;
use super::*;
use crate::control::RateSample;
use crate::testing::{
    Path, SMSS, Transport, Verdict, assert_near, create, create_with, initial, read, sampled_ack, segments,
};

const RATE: f64 = 1000.0;
const PIPE: f64 = 100.0;

/// 1000 segments/s and 100 ms, which holds 100 segments.
pub(super) fn transport(path: Path, params: &[(&str, f64)]) -> Transport {
    Transport::new(create_with(&LINUX, &initial(10.0), params), SMSS, Path { rate: RATE, ..path })
}

pub(super) fn reach(transport: &mut Transport, mode: Mode, seconds: f64) -> Verdict {
    let reached = transport.run_until(seconds, |transport| is(transport, mode))?;
    assert!(reached, "{mode:?} was not reached");
    Ok(())
}

fn is(transport: &Transport, mode: Mode) -> bool {
    (transport.read("state") - f64::from(mode as u8)).abs() < 0.5
}

fn pacing(controller: &dyn CongestionControl) -> f64 {
    controller.decision().pacing_rate.expect("paced").0
}

pub(super) fn ms(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

/// `bbr_init_pacing_rate_from_rtt`: 739/256 initial windows per millisecond, less 1 %, then per round trip of the
/// handshake; every step in whole numbers.
#[test]
fn the_first_rate_is_the_handshakes() {
    let mut controller = create(&LINUX, &initial(10.0));
    assert_near(pacing(&*controller), 28_578_488.0);
    let rtt = Duration::from_millis(100);
    let flow = Flow { smss: SMSS, now: ms(300), srtt: rtt, min_rtt: rtt, ..Flow::default() };
    controller.on_ack(&AckSample { delivered: 1000, rtt: Some(rtt), ..AckSample::default() }, &flow);
    assert_near(pacing(&*controller), 285_662.0);
}

/// `bbr_check_full_bw_reached`, `bbr_check_drain`: three rounds without a quarter of growth; drained are one product and
/// three bursts of two.
#[test]
fn startup_finds_the_bandwidth_and_drain_empties_the_queue() -> Verdict {
    let mut transport = transport(Path::default(), &[]);
    reach(&mut transport, Mode::Drain, 5.0)?;
    assert!((transport.read("bandwidth") / 1e6 - 1.0).abs() < 0.02, "{}", transport.read("bandwidth"));
    // 88/256 of the bandwidth, less 1 %.
    let drained = pacing(&*transport.controller) / transport.read("bandwidth");
    assert!((drained - 0.99 * 88.0 / 256.0).abs() < 1e-3, "{drained}");
    reach(&mut transport, Mode::ProbeBw, 3.0)?;
    assert!((100_000..=108_000).contains(&transport.flow.in_flight), "{}", transport.flow.in_flight);
    Ok(())
}

/// `bbr_pacing_gain` and `bbr_quantization_budget`: gains 1.25, 0.75 and six times 1 of 99 % of the bandwidth; a window of two
/// products and three bursts of two segments, rounded to an even number.
#[test]
fn cycle_probes_and_drains() -> Verdict {
    let mut transport = transport(Path::default(), &[("extra_acked_gain", 0.0)]);
    reach(&mut transport, Mode::ProbeBw, 5.0)?;
    let mut gains: Vec<f64> = Vec::new();
    let mut windows = Vec::new();
    transport.run_until(3.0, |transport| {
        let gain = transport.read("pacing_gain");
        if gains.last().is_none_or(|&last| (last - gain).abs() > 1e-9) {
            gains.push(gain);
        }
        if (gain - 1.0).abs() < 1e-9 {
            windows.push(segments(&*transport.controller));
        }
        false
    })?;
    let start = gains.iter().position(|&gain| gain > 1.1).expect("it probes");
    assert_eq!(gains[start..start + 4], [1.25, 0.75, 1.0, 1.25]);
    let last = *windows.last().expect("it cruises");
    assert!((206.0..=212.0).contains(&last) && last % 2.0 == 0.0, "{last}");
    let (arrived, now) = (transport.arrived, transport.flow.now);
    transport.run(20.0)?;
    let rate = to_float(transport.arrived - arrived) / transport.flow.now.since(now).seconds();
    assert!(rate > 0.95 * RATE, "{rate}");
    Ok(())
}

/// `bbr_check_probe_rtt_done`: four segments for 200 ms and a round; then the window from before.
#[test]
fn probe_rtt_lasts_200_ms_and_a_round() -> Verdict {
    let mut transport = transport(Path::default(), &[]);
    reach(&mut transport, Mode::ProbeRtt, 15.0)?;
    assert_near(segments(&*transport.controller), 4.0);
    let start = transport.flow.now;
    reach(&mut transport, Mode::ProbeBw, 5.0)?;
    let duration = transport.flow.now.since(start).seconds();
    assert!((0.3..0.5).contains(&duration), "{duration}");
    assert!(segments(&*transport.controller) > 1.5 * PIPE);
    Ok(())
}

/// `bbr_lt_bw_sampling`: a fifth lost in two intervals of four rounds or more with about the same rate is a policer, whose rate
/// is kept for 48 rounds.
#[test]
fn policers_are_found_and_their_rate_is_kept() -> Verdict {
    let lossy = Path { lose_every: Some(4), ..Path::default() };
    let mut policed = transport(lossy, &[]);
    assert!(policed.run_until(20.0, |transport| transport.read("policed") > 0.5)?);
    let start = policed.flow.now;
    policed.run_until(30.0, |transport| transport.read("policed") < 0.5)?;
    let kept = policed.flow.now.since(start).seconds();
    assert!((4.0..12.0).contains(&kept), "{kept}");
    let mut careless = transport(lossy, &[("long_term", 0.0)]);
    assert!(!careless.run_until(20.0, |transport| transport.read("policed") > 0.5)?);
    // A loss in ten is no policer.
    let mut seldom = transport(Path { lose_every: Some(10), ..lossy }, &[]);
    assert!(!seldom.run_until(20.0, |transport| transport.read("policed") > 0.5)?);
    Ok(())
}

/// Flow in the middle of a connection with so many segments in flight.
pub(super) fn flow(now: u64, in_flight: u64) -> Flow {
    let rtt = Duration::from_millis(100);
    let bytes = in_flight * u64::from(SMSS);
    Flow {
        now: ms(now),
        smss: SMSS,
        in_flight: bytes,
        srtt: rtt,
        min_rtt: rtt,
        cwnd_limited: true,
        ..Flow::default()
    }
}

/// ACK of so many segments, with losses, whose sample covers a round trip of 50 segments.
pub(super) fn ack(delivered: u64, lost: u64) -> AckSample {
    sampled_ack(delivered, lost, 50)
}

/// `bbr_set_cwnd_to_recover_or_restore`: a round of packet conservation, then growth by what is delivered, less what is lost;
/// the window before comes back at the end.
#[test]
fn recovery_conserves_packets_for_a_round() {
    let mut controller = create(&LINUX, &initial(60.0));
    controller.on_ack(&ack(50, 0), &flow(100, 60));
    let before = segments(&*controller);
    controller.on_congestion(CongestionEvent::EnterRecovery, &flow(110, 57));
    let within = RateSample { delivered: 1_000, ..ack(1, 0).rate.expect("a sample") };
    controller.on_ack(&AckSample { rate: None, ..ack(2, 3) }, &flow(110, 56));
    assert_near(segments(&*controller), 58.0);
    controller.on_ack(&AckSample { rate: None, ..ack(2, 0) }, &flow(120, 55));
    assert_near(segments(&*controller), 58.0);
    controller.on_ack(&AckSample { rate: None, ..ack(4, 0) }, &flow(130, 56));
    assert_near(segments(&*controller), 60.0);
    // A sample of a segment that was sent in recovery begins the next round.
    controller.on_ack(&AckSample { rate: Some(within), ..ack(2, 0) }, &flow(210, 55));
    assert_near(segments(&*controller), 62.0);
    controller.on_ack(&AckSample { rate: None, ..ack(2, 3) }, &flow(215, 55));
    assert_near(segments(&*controller), 61.0);
    // "no packet fully ACKed; just apply caps"
    controller.on_ack(&AckSample { rate: None, ..ack(0, 3) }, &flow(216, 55));
    assert_near(segments(&*controller), 61.0);
    controller.on_congestion(CongestionEvent::ExitRecovery, &flow(220, 50));
    assert_near(segments(&*controller), before);
}

/// `tcp_fastretrans_alert` leaves a recovery and begins the next one before `bbr_main` looks at the state, which is the one
/// before. Packets are conserved anew where an ACK lies between.
#[test]
fn recoveries_that_meet_at_one_ack_are_one() {
    let window = |begins: u64| {
        let mut controller = create(&LINUX, &initial(60.0));
        controller.on_ack(&ack(50, 0), &flow(100, 60));
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow(110, 57));
        controller.on_ack(&AckSample { rate: None, ..ack(2, 3) }, &flow(110, 56));
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow(120, 50));
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow(begins, 50));
        controller.on_ack(&AckSample { rate: None, ..ack(2, 0) }, &flow(130, 40));
        segments(&*controller)
    };
    assert_near(window(120), 58.0);
    assert_near(window(121), 42.0);
}

/// `tcp_enter_loss`: `tcp_packets_in_flight(tp) + 1`, room for one segment; the window before it comes back once all is
/// repaired.
#[test]
fn timeout_leaves_room_for_one_segment() {
    for (in_flight, left) in [(0, 1.0), (3, 4.0)] {
        let mut controller = create(&LINUX, &Initial { restart_window: 8.0, ..initial(10.0) });
        controller.on_congestion(CongestionEvent::Rto, &flow(100, in_flight));
        assert_near(segments(&*controller), left);
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow(100, in_flight));
        assert_near(segments(&*controller), 10.0);
    }
}

/// `bbr_is_next_cycle_phase`: the draining phase ends early by the time until the next departure.
#[test]
fn what_leaves_until_the_next_departure_is_not_in_the_network() {
    let departing = |gain, wait: u64| {
        let mut bbr = Bbr1Linux::new(&Params::DEFAULT, &initial(10.0));
        (0..20).for_each(|round| bbr.on_ack(&ack(50, 0), &flow(100 * (round + 1), 50)));
        bbr.gains.0 = gain;
        let flow = Flow { next_send_time: ms(3000 + wait), ..flow(3000, 50) };
        bbr.in_net(50, &flow)
    };
    // 500 segments/s.
    assert_eq!([departing(192, 0), departing(192, 10), departing(192, 20)], [50, 46, 41]);
    // A burst of two segments leaves then `if (bbr->pacing_gain > BBR_UNIT)`.
    assert_eq!([departing(256, 0), departing(257, 0)], [50, 52]);
}

/// `bbr_update_min_rtt`: samples that only match the smallest RTT do not put `PROBE_RTT` off, which the draft's do.
#[test]
fn probe_rtt_comes_though_the_smallest_rtt_is_met_again() {
    let probes = [&LINUX, &BBR1].map(|algorithm| {
        let mut controller = create(algorithm, &initial(50.0));
        let mut probes = |from: u64, to: u64| {
            (from..to).any(|index| {
                controller.on_ack(&ack(1, 0), &flow(50 * index, 50));
                (read(&*controller, "state") - 3.0).abs() < 0.5
            })
        };
        [probes(2, 200), probes(200, 220)]
    });
    assert_eq!(probes, [[false, true], [false, false]]);
}

/// `bbr_save_cwnd`: the window as it is, but in recovery and in `ProbeRTT` the largest of both.
#[test]
fn the_window_to_return_to_is_not_that_of_a_recovery() {
    let mut bbr = Bbr1Linux::new(&Params::DEFAULT, &initial(10.0));
    for (mode, state, kept) in [
        (Mode::ProbeBw, CaState::Open, 50),
        (Mode::ProbeRtt, CaState::Open, 80),
        (Mode::ProbeBw, CaState::Recovery, 80),
    ] {
        (bbr.mode, bbr.recovery.prior_state, bbr.cwnd, bbr.prior_cwnd) = (mode, state, 50, 80);
        bbr.save_cwnd();
        assert_eq!(bbr.prior_cwnd, kept, "{mode:?} {state:?}");
    }
}
