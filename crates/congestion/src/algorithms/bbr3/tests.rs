//! The draft's example test cases (appendix "BBR Example Test Cases") on a path of 1000 segments/s and
//! 100 ms, which holds 100 segments.

mod rules;
mod rules_of_output;
mod rules_of_states;
mod sequences;

use super::{BBR3, State};
use crate::control::{AckSample, CongestionEvent, Ecn, Flow, Phase};
use crate::testing::{
    Path, SMSS, Transport, Verdict, assert_near, create, create_with, initial, read, segments,
};
use crate::units::Duration;

const RATE: f64 = 1000.0;
const PIPE: f64 = 100.0;

fn transport(buffer: f64) -> Transport {
    let path = Path { rate: RATE, buffer, ..Path::default() };
    Transport::new(create(&BBR3, &initial(10.0)), SMSS, path)
}

/// Tells if the controller is in `state`.
fn is(transport: &Transport, state: State) -> bool {
    (transport.read("state") - f64::from(state as u8)).abs() < 0.5
}

/// Runs until `state` is reached.
fn reach(transport: &mut Transport, state: State, seconds: f64) -> Verdict {
    assert!(transport.run_until(seconds, |transport| is(transport, state))?, "{state:?} was not reached");
    Ok(())
}

fn pacing(transport: &Transport) -> f64 {
    transport.controller.decision().pacing_rate.expect("paced").0 / f64::from(SMSS)
}

fn assert_about(actual: f64, expected: f64, tolerance: f64) {
    assert!((actual / expected - 1.0).abs() <= tolerance, "expected about {expected}, found {actual}");
}

/// Draft section 5.6.2: 2.77 x initial window / 1 ms before the first RTT sample.
#[test]
fn starts_at_the_startup_gain() {
    let controller = create(&BBR3, &initial(10.0));
    let rate = controller.decision().pacing_rate.expect("paced").0;
    assert_near(rate, 2.77 * 10_000.0 / 0.001);
    assert_near(segments(&*controller), 10.0);
    assert_eq!(controller.phase(), Phase::SlowStart);
}

/// "Exiting STARTUP on Bandwidth Plateau", "Exiting DRAIN Based on Inflight".
#[test]
fn startup_finds_the_bandwidth_and_drain_empties_the_queue() -> Verdict {
    let mut transport = transport(f64::INFINITY);
    reach(&mut transport, State::Drain, 5.0)?;
    assert_about(transport.read("max_bw"), RATE * 1000.0, 0.02);
    assert_about(pacing(&transport), 0.5 * RATE, 0.03);
    assert!(transport.run_until(2.0, |transport| !is(transport, State::Drain))?);
    assert!(transport.flow.in_flight <= 101_000, "{} bytes in flight", transport.flow.in_flight);
    assert_eq!(transport.lost, 0);
    Ok(())
}

/// Draft section 5.3.3 and its table of gains: DOWN, CRUISE, REFILL, UP, and the bottleneck is used.
#[test]
fn cycle_goes_round() -> Verdict {
    let mut transport = transport(f64::INFINITY);
    for _ in 0..3 {
        reach(&mut transport, State::ProbeBwDown, 10.0)?;
        assert_about(pacing(&transport), 0.9 * 0.99 * RATE, 0.03);
        reach(&mut transport, State::ProbeBwCruise, 10.0)?;
        assert_about(pacing(&transport), 0.99 * RATE, 0.03);
        reach(&mut transport, State::ProbeBwRefill, 10.0)?;
        reach(&mut transport, State::ProbeBwUp, 1.0)?;
        assert_about(pacing(&transport), 1.25 * 0.99 * RATE, 0.03);
    }
    let (start, now) = (transport.arrived, transport.flow.now);
    transport.run(30.0)?;
    let rate = crate::window::to_float(transport.arrived - start) / transport.flow.now.since(now).seconds();
    assert!(rate > 0.93 * RATE, "{rate}");
    assert!(segments(&*transport.controller) < 2.6 * PIPE);
    Ok(())
}

/// Draft section 5.3.3.8: the time between probes is 2 to 3 s or 63 rounds, and depends on the seed alone.
#[test]
fn wait_is_random_but_repeatable() -> Verdict {
    let wait = |seed| -> Result<Duration, String> {
        let initial = crate::control::Initial { seed, ..initial(10.0) };
        // Without ProbeRTT, which would start the cycle anew.
        let controller = create_with(&BBR3, &initial, &[("probe_rtt_interval", 100.0)]);
        let path = Path { rate: RATE, ..Path::default() };
        let mut transport = Transport::new(controller, SMSS, path);
        reach(&mut transport, State::ProbeBwDown, 10.0)?;
        let start = transport.flow.now;
        reach(&mut transport, State::ProbeBwRefill, 10.0)?;
        Ok(transport.flow.now.since(start))
    };
    assert_eq!(wait(1)?, wait(1)?);
    assert_ne!(wait(1)?, wait(2)?);
    for seed in 0..5 {
        let wait = wait(seed)?.seconds();
        assert!((2.0..3.1).contains(&wait), "{wait}");
    }
    Ok(())
}

/// Losses bound the data in flight: a buffer of a fifth of the pipe overflows, and the long-term bound holds.
#[test]
fn losses_bound_the_data_in_flight() -> Verdict {
    let mut transport = transport(0.2 * PIPE);
    transport.run(20.0)?;
    assert!(transport.read("inflight_longterm").is_finite());
    let (start, lost) = (transport.arrived, transport.lost);
    transport.run(30.0)?;
    let sent = crate::window::to_float(transport.arrived - start);
    assert!(sent > 0.85 * RATE * 30.0, "{sent} delivered");
    let part = crate::window::to_float(transport.lost - lost) / sent;
    assert!(part < 0.02, "{part} lost");
    Ok(())
}

/// "Entering and Exiting `PROBE_RTT`": five seconds after the last minimum, half the pipe for 200 ms.
#[test]
fn probe_rtt_comes_and_goes() -> Verdict {
    let mut transport = transport(f64::INFINITY);
    // Another flow's queue hides the propagation delay.
    reach(&mut transport, State::ProbeBwCruise, 10.0)?;
    transport.path.rtt += Duration::from_millis(10);
    reach(&mut transport, State::ProbeRtt, 8.0)?;
    let start = transport.flow.now;
    transport.run(0.05)?;
    assert!(segments(&*transport.controller) <= 0.5 * PIPE * 1.05, "{}", segments(&*transport.controller));
    assert!(transport.run_until(5.0, |transport| !is(transport, State::ProbeRtt))?);
    assert!(is(&transport, State::ProbeBwCruise));
    let duration = transport.flow.now.since(start).seconds();
    assert!((0.2..0.6).contains(&duration), "{duration}");
    assert!(segments(&*transport.controller) > PIPE);
    // Ten seconds later the larger delay is believed.
    transport.run(10.0)?;
    assert_about(transport.read("min_rtt"), 0.111, 0.02);
    Ok(())
}

/// "Never Exiting `PROBE_UP` (or STARTUP) When Application-Limited With No Loss".
#[test]
fn application_limited_startup_lasts() -> Verdict {
    let mut transport = transport(f64::INFINITY);
    transport.app_limited = true;
    transport.run(4.0)?;
    assert!(is(&transport, State::Startup));
    Ok(())
}

/// Near "Exiting `PROBE_DOWN` After Max Time": the bandwidth falls by half in DOWN, and the model follows.
#[test]
fn lower_bandwidth_is_found() -> Verdict {
    let mut transport = transport(f64::INFINITY);
    reach(&mut transport, State::ProbeBwDown, 10.0)?;
    transport.path.rate = 0.5 * RATE;
    transport.run(20.0)?;
    assert_about(transport.read("max_bw"), 0.5 * RATE * 1000.0, 0.05);
    Ok(())
}

/// Draft section 5.6.4.4: room for one segment after a timeout; the window before it comes back at the end.
#[test]
fn timeout_leaves_one_segment() {
    let mut controller = create(&BBR3, &initial(10.0));
    controller.on_congestion(CongestionEvent::Rto, &Flow { smss: SMSS, ..Flow::default() });
    assert_near(segments(&*controller), 1.0);
    controller.on_congestion(CongestionEvent::ExitRecovery, &Flow { smss: SMSS, ..Flow::default() });
    assert_near(segments(&*controller), 10.0);
    assert!(read(&*controller, "min_rtt").is_nan());
    controller.on_ack(&AckSample::default(), &Flow { smss: SMSS, ..Flow::default() });
    assert_near(segments(&*controller), 10.0);
}

/// Flow that answers marks on a path of 4 ms with a threshold; 1000 segments/s hold 4 segments, 25,000 a hundred.
fn marking(mark_above: f64, changes: &[(&str, f64)]) -> Transport {
    let changes: Vec<_> = changes.iter().chain(&[("ecn", 1.0)]).copied().collect();
    let path = Path { rate: 25_000.0, rtt: Duration::from_millis(4), mark_above, ..Path::default() };
    Transport::new(create_with(&BBR3, &initial(10.0), &changes), SMSS, path)
}

/// Linux, `bbr_can_use_ecn`: with the feature, ECT(0) and an exact echo; without it, as in the draft, no ECN.
#[test]
fn ecn_is_off_unless_asked_for() {
    assert_eq!(BBR3.needs().ecn, Ecn::None);
    let needs = create_with(&BBR3, &initial(10.0), &[("ecn", 1.0)]).needs();
    assert_eq!((needs.ecn, needs.rate_samples), (Ecn::Dctcp, true));
}

/// Linux, `bbr_update_ecn_alpha`: a sixteenth of the way per round, from 1, once the smallest RTT is known to be 5 ms or
/// less.
#[test]
fn marks_are_averaged_on_short_paths() -> Verdict {
    let mut short = marking(f64::INFINITY, &[]);
    short.run(2.0)?;
    assert!(short.read("ecn_alpha") < 1e-6);
    let mut long = marking(f64::INFINITY, &[]);
    long.path.rtt = Duration::from_millis(6);
    long.run(2.0)?;
    assert_near(long.read("ecn_alpha"), 1.0);
    let mut any = marking(f64::INFINITY, &[("ecn_max_rtt", 0.0)]);
    any.path.rtt = Duration::from_millis(6);
    any.run(2.0)?;
    assert!(any.read("ecn_alpha") < 1e-6);
    Ok(())
}

/// Linux, `bbr_check_ecn_too_high_in_startup`: two rounds in a row with half of the bytes marked end Startup.
#[test]
fn marks_end_startup() {
    let ends = [f64::INFINITY, 10.0].map(|mark_above| {
        let mut transport = marking(mark_above, &[]);
        reach(&mut transport, State::Drain, 5.0)
            .map(|()| (transport.flow.now, transport.read("inflight_longterm")))
    });
    let [(plateau, unbounded), (marked, bounded)] = ends.map(|end| end.expect("Drain"));
    assert!(unbounded.is_infinite() && bounded.is_finite());
    assert!(marked < plateau, "{marked:?} instead of {plateau:?}");
}

/// Linux, `bbr_ecn_lower_bounds`: a round with marks outside of probes lowers the volume by alpha / 3.
#[test]
fn marks_bound_the_volume() -> Verdict {
    let mut transport = marking(f64::INFINITY, &[("ecn_alpha_gain", 1e-6)]);
    reach(&mut transport, State::ProbeBwCruise, 5.0)?;
    let before = transport.segments();
    transport.path.mark_above = -1.0;
    let bounded = |transport: &Transport| transport.read("inflight_shortterm").is_finite();
    assert!(transport.run_until(1.0, bounded)?);
    // The gain leaves alpha at 1, where it starts.
    assert_about(transport.read("inflight_shortterm") / f64::from(SMSS), before * 2.0 / 3.0, 0.02);
    assert!(transport.read("bw_shortterm").is_infinite(), "marks say nothing about the rate");
    Ok(())
}

/// Linux, `bbr_is_inflight_too_high`: a probe with more than half of its bytes marked ends, and sets the long-term bound.
#[test]
fn marks_end_a_probe() -> Verdict {
    let mut transport = marking(f64::INFINITY, &[]);
    reach(&mut transport, State::ProbeBwUp, 9.0)?;
    assert!(transport.read("inflight_longterm").is_infinite());
    transport.path.mark_above = -1.0;
    reach(&mut transport, State::ProbeBwDown, 0.05)?;
    assert!(transport.read("inflight_longterm").is_finite());
    Ok(())
}

/// Flows that answer marks keep a queue near the threshold that the others do not see.
#[test]
fn marks_keep_the_queue_short() -> Verdict {
    let mean = |ecn| -> Result<f64, String> {
        let mut transport = marking(5.0, &[("ecn", ecn)]);
        transport.run(3.0)?;
        let (mut sum, mut count) = (0.0, 0.0);
        transport.run_until(6.0, |transport| {
            sum += transport.segments();
            count += 1.0;
            false
        })?;
        Ok(sum / count)
    };
    let [with, without] = [mean(1.0)?, mean(0.0)?];
    assert!(with < 0.8 * without, "{with} instead of less than {without} segments");
    Ok(())
}

/// Linux, `bbr_ecn_lower_bounds` and `bbr_can_use_ecn`: neither rounds without marks nor marks on a long path bound the
/// volume.
#[test]
fn only_eligible_marks_bound_the_volume() -> Verdict {
    for (mark_above, ecn_max_rtt) in [(f64::INFINITY, 0.005), (-1.0, 1e-6)] {
        let changes = [("ecn_alpha_gain", 1e-6), ("ecn_max_rtt", ecn_max_rtt)];
        let mut transport = marking(f64::INFINITY, &changes);
        reach(&mut transport, State::ProbeBwCruise, 5.0)?;
        transport.path.mark_above = mark_above;
        transport.run(0.1)?;
        assert!(transport.read("inflight_shortterm").is_infinite(), "{mark_above}");
    }
    Ok(())
}

/// Linux, `bbr_is_inflight_too_high`: a probe without marks goes on, and bounds nothing.
#[test]
fn a_probe_without_marks_goes_on() -> Verdict {
    let mut transport = marking(f64::INFINITY, &[]);
    reach(&mut transport, State::ProbeBwUp, 9.0)?;
    transport.run(0.006)?;
    assert!(is(&transport, State::ProbeBwUp));
    assert!(transport.read("inflight_longterm").is_infinite());
    Ok(())
}
