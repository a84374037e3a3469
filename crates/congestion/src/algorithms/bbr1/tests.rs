//! BBR version 1 against the behaviour its draft describes.

mod rules;

use super::*;
use crate::testing::{Path, SMSS, Transport, Verdict, assert_near, create, initial, segments};

const RATE: f64 = 1000.0;
const PIPE: f64 = 100.0;

/// 1000 segments/s and 100 ms, which holds 100 segments.
fn transport(buffer: f64) -> Transport {
    let path = Path { rate: RATE, buffer, ..Path::default() };
    Transport::new(create(&BBR1, &initial(10.0)), SMSS, path)
}

fn reach(transport: &mut Transport, state: f64, seconds: f64) -> Verdict {
    let reached = transport.run_until(seconds, |transport| (transport.read("state") - state).abs() < 0.5)?;
    assert!(reached, "state {state} was not reached");
    Ok(())
}

fn assert_about(actual: f64, expected: f64, tolerance: f64) {
    assert!((actual / expected - 1.0).abs() <= tolerance, "expected about {expected}, found {actual}");
}

fn pacing(transport: &Transport) -> f64 {
    transport.controller.decision().pacing_rate.expect("paced").0 / f64::from(SMSS)
}

/// Draft sections 4.3.2 and 4.3.3: Startup ends on a plateau, Drain when a pipe and three quanta are in flight.
#[test]
fn startup_finds_the_bandwidth_and_drain_empties_the_queue() -> Verdict {
    let mut transport = transport(f64::INFINITY);
    assert_about(pacing(&transport), 2.885 * 10.0 / 0.001, 1e-9);
    reach(&mut transport, 1.0, 5.0)?;
    assert_about(transport.read("bandwidth"), RATE * 1000.0, 0.02);
    assert_about(pacing(&transport), RATE / 2.885, 0.03);
    reach(&mut transport, 2.0, 3.0)?;
    assert!(transport.flow.in_flight <= 104_000, "{} bytes in flight", transport.flow.in_flight);
    Ok(())
}

/// Section 4.3.4.3: gains 1.25, 0.75 and six times 1, two bandwidth-delay products of window, full use.
#[test]
fn cycle_probes_and_drains() -> Verdict {
    let mut transport = transport(f64::INFINITY);
    reach(&mut transport, 2.0, 5.0)?;
    let mut gains = Vec::new();
    transport.run_until(3.0, |transport| {
        let gain = transport.read("pacing_gain");
        if gains.last().is_none_or(|&last: &f64| (last - gain).abs() > 1e-9) {
            gains.push(gain);
        }
        false
    })?;
    let start = gains.iter().position(|&gain| gain > 1.1).expect("it probes");
    assert_eq!(gains[start..start + 4], [1.25, 0.75, 1.0, 1.25]);
    assert_about(segments(&*transport.controller), 2.0 * PIPE, 0.05);
    let (start, now) = (transport.arrived, transport.flow.now);
    transport.run(20.0)?;
    let rate = to_float(transport.arrived - start) / transport.flow.now.since(now).seconds();
    assert!(rate > 0.95 * RATE, "{rate}");
    Ok(())
}

/// Section 4.3.5: after ten seconds without a new minimum, 4 segments for 200 ms.
#[test]
fn probe_rtt_comes_and_goes() -> Verdict {
    let mut transport = transport(f64::INFINITY);
    reach(&mut transport, 2.0, 5.0)?;
    transport.path.rtt += Duration::from_millis(10);
    reach(&mut transport, 3.0, 13.0)?;
    assert_near(segments(&*transport.controller), 4.0);
    let start = transport.flow.now;
    reach(&mut transport, 2.0, 5.0)?;
    let duration = transport.flow.now.since(start).seconds();
    assert!((0.2..0.7).contains(&duration), "{duration}");
    assert!(segments(&*transport.controller) > 1.5 * PIPE);
    assert_about(transport.read("min_rtt"), 0.111, 0.02);
    Ok(())
}

/// Losses do not slow it down: with a buffer of a fifth of the pipe it goes on losing, as is known of it.
#[test]
fn losses_hardly_matter() -> Verdict {
    let mut transport = transport(0.2 * PIPE);
    transport.run(10.0)?;
    let (start, lost) = (transport.arrived, transport.lost);
    transport.run(30.0)?;
    let sent = to_float(transport.arrived - start);
    assert!(sent > 0.9 * RATE * 30.0, "{sent} delivered");
    assert!(transport.lost > lost);
    Ok(())
}

/// Section 4.2.3.4: one segment after a timeout, and the window before it once all is repaired.
#[test]
fn timeout_leaves_one_segment() {
    let mut controller = create(&BBR1, &initial(10.0));
    let flow = Flow { smss: SMSS, ..Flow::default() };
    controller.on_congestion(CongestionEvent::Rto, &flow);
    assert_near(segments(&*controller), 1.0);
    controller.on_congestion(CongestionEvent::ExitRecovery, &flow);
    assert_near(segments(&*controller), 10.0);
}
