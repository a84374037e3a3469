//! What the unit tests share: segments of 1000 bytes, so that windows read easily.

use crate::control::{AckSample, CongestionControl, Flow, Halve, Initial, RoundSample};
use crate::registry::Algorithm;
use crate::units::Duration;

pub const SMSS: u32 = 1000;

/// A flow of the `MesoNet` study, but without a slow-start threshold.
pub fn initial(window: f64) -> Initial {
    Initial {
        smss: SMSS,
        window,
        ssthresh: f64::INFINITY,
        restart_window: 2.0,
        halve: Halve::Window,
        seed: 0,
    }
}

/// A flow that starts in congestion avoidance with `window` segments.
pub fn avoiding(window: f64) -> Initial {
    Initial { ssthresh: window, ..initial(window) }
}

/// A sender that its window limits.
pub fn flow() -> Flow {
    Flow { smss: SMSS, cwnd_limited: true, ..Flow::default() }
}

/// An ACK of `segments` segments.
pub fn ack(segments: u64) -> AckSample {
    AckSample { delivered: segments * u64::from(SMSS), ..AckSample::default() }
}

/// The first ACK of a round; it acknowledges nothing, so only what happens per round happens.
pub fn round_end(rtt_ms: u64) -> AckSample {
    let rtt = Some(Duration::from_millis(rtt_ms));
    let round = RoundSample { min_rtt: rtt, rtt_count: 9, delivered: 0, lost: 0, ce_marked: 0 };
    AckSample { rtt, round: Some(round), ..AckSample::default() }
}

/// A controller with the parameters of its name.
pub fn create(algorithm: &Algorithm, initial: &Initial) -> Box<dyn CongestionControl> {
    create_with(algorithm, initial, &[])
}

/// A controller with some parameters replaced.
pub fn create_with(
    algorithm: &Algorithm,
    initial: &Initial,
    changes: &[(&str, f64)],
) -> Box<dyn CongestionControl> {
    let value = |name: &str| changes.iter().find(|change| change.0 == name).map(|change| change.1);
    let values: Vec<f64> =
        algorithm.params.iter().map(|param| value(param.name).unwrap_or(param.default)).collect();
    (algorithm.build)(&values, initial)
}

/// A sender that its window limits, on a path whose RTT is `rtt_ms` and was `min_rtt_ms` at best.
pub fn flow_at(rtt_ms: u64, min_rtt_ms: u64) -> Flow {
    Flow { srtt: Duration::from_millis(rtt_ms), min_rtt: Duration::from_millis(min_rtt_ms), ..flow() }
}

/// The quantity that the controller records under this name.
pub fn read(controller: &dyn CongestionControl, wanted: &str) -> f64 {
    let mut found = None;
    controller.state(&mut |name, value| found = found.or((name == wanted).then_some(value)));
    found.expect(wanted)
}

/// The window the controller asks for [segments].
pub fn segments(controller: &dyn CongestionControl) -> f64 {
    controller.decision().cwnd / f64::from(SMSS)
}

/// Equality up to rounding.
pub fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "expected {expected}, found {found}");
}
