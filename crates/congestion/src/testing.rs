//! What the unit tests share: segments of 1000 bytes, so that windows read easily.

use crate::control::{AckSample, CongestionControl, Flow, Halve, Initial, RoundSample};
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
    let round = RoundSample { min_rtt: rtt, rtt_count: 1, delivered: 0, lost: 0, ce_marked: 0 };
    AckSample { rtt, round: Some(round), ..AckSample::default() }
}

/// The window the controller asks for [segments].
pub fn segments(controller: &dyn CongestionControl) -> f64 {
    controller.decision().cwnd / f64::from(SMSS)
}

/// Equality up to rounding.
pub fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "expected {expected}, found {found}");
}
