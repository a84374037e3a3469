//! Facts and initial values for tests: segments of 1000 bytes, so that windows read easily.

use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, Flow, Halve, Initial, RateSample, RoundSample};
use crate::units::Duration;
#[cfg(test)]
use crate::{control::Phase, units::Time};

/// Payload of a full segment [bytes].
pub const SMSS: u32 = 1000;

/// Initial values of a flow of the `MesoNet` study, but without a slow-start threshold.
pub fn initial(window: f64) -> Initial {
    Initial {
        smss: SMSS,
        window,
        ssthresh: f64::INFINITY,
        restart_window: 2.0,
        halve: Halve::Window,
        counts_whole_acks: false,
        seed: 0,
    }
}

/// Initial values of a flow that starts in congestion avoidance with `window` segments.
pub fn avoiding(window: f64) -> Initial {
    Initial { ssthresh: window, ..initial(window) }
}

/// Facts of a sender that its window limits.
pub fn flow() -> Flow {
    Flow { smss: SMSS, cwnd_limited: true, ..Flow::default() }
}

/// ACK of `segments` segments.
pub fn ack(segments: u64) -> AckSample {
    AckSample { delivered: segments * u64::from(SMSS), ..AckSample::default() }
}

/// First ACK of a round; it acknowledges nothing, so only what happens per round happens.
pub fn round_end(rtt_ms: u64) -> AckSample {
    let rtt = Some(Duration::from_millis(rtt_ms));
    let round = RoundSample { min_rtt: rtt, rtt_count: 9, delivered: 0, lost: 0, ce_marked: 0 };
    AckSample { rtt, round: Some(round), ..AckSample::default() }
}

/// ACK with an RTT sample alone: it acknowledges nothing and ends no round.
pub fn rtt_sample(rtt_ms: u64) -> AckSample {
    AckSample { rtt: Some(Duration::from_millis(rtt_ms)), ..AckSample::default() }
}

/// Controller with the default parameters.
pub fn create(algorithm: &Algorithm, initial: &Initial) -> Box<dyn CongestionControl> {
    create_with(algorithm, initial, &[])
}

/// Controller with some parameters replaced.
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

/// Facts of a sender that its window limits, on a path whose RTT is `rtt_ms` and was `min_rtt_ms` at best.
pub fn flow_at(rtt_ms: u64, min_rtt_ms: u64) -> Flow {
    Flow { srtt: Duration::from_millis(rtt_ms), min_rtt: Duration::from_millis(min_rtt_ms), ..flow() }
}

/// ACK of so many segments, with losses, after a round trip of 100 ms in which `rate` segments were delivered.
pub fn sampled_ack(delivered: u64, lost: u64, rate: u64) -> AckSample {
    let (smss, rtt) = (u64::from(SMSS), Duration::from_millis(100));
    let rate = RateSample { delivered: rate * smss, interval: rtt, app_limited: false, rtt: Some(rtt) };
    AckSample {
        delivered: delivered * smss,
        lost: lost * smss,
        rtt: Some(rtt),
        rate: Some(rate),
        ..AckSample::default()
    }
}

/// `true` if a BBR has left Startup after rounds of 100 ms in which so many segments were delivered, and not before.
#[cfg(test)]
pub(crate) fn startup_is_over(algorithm: &Algorithm, rates: [u64; 4]) -> bool {
    let mut controller = create(algorithm, &initial(10.0));
    for (round, rate) in (1..).zip(rates) {
        assert_eq!(controller.phase(), Phase::SlowStart, "round {round}");
        let (now, in_flight) = (Time(Duration::from_millis(100 * round).0), rate * u64::from(SMSS));
        controller.on_ack(&sampled_ack(rate, 0, rate), &Flow { now, in_flight, ..flow() });
    }
    controller.phase() != Phase::SlowStart
}

/// Quantity that the controller records under this name.
///
/// # Panics
/// It records no such quantity.
pub fn read<C: CongestionControl + ?Sized>(controller: &C, wanted: &str) -> f64 {
    let mut recorded = None;
    controller.state(&mut |name, value| recorded = recorded.or((name == wanted).then_some(value)));
    recorded.expect(wanted)
}

/// Window that the controller asks for [segments].
pub fn segments<C: CongestionControl + ?Sized>(controller: &C) -> f64 {
    controller.decision().cwnd / f64::from(SMSS)
}

/// Asserts equality up to rounding.
///
/// # Panics
/// The numbers differ by more.
pub fn assert_near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1.0), "expected {expected}, found {value}");
}
