//! EEFAST: FAST TCP on the queueing delay of the forward path alone, so that traffic on the way back does
//! not slow it down; and the one-way delay measurement that HCC shares with it.
//!
//! The rule is ours, from the equilibrium that HCC's description gives. Page: `docs/models/eefast.md`.

use super::fast_law::{EVERY, FastLaw, GAMMA, Signal, Target, weight};
use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, Flow, Initial};
use crate::units::Duration;
use crate::window::Window;

pub(crate) const EEFAST: Algorithm = Algorithm {
    name: "eefast",
    display: "EEFAST",
    edition: 1,
    summary: "FAST TCP on one-way delays: alpha own segments in the queues of the forward path",
    source: "after Xu et al., J. Network and Computer Applications, 2011; the rule is ours, see the model page",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of EEFAST.
    struct Params {
        alpha: f64 = 200.0, [0.0, 1e9], "segments", "Own segments in forward queues at equilibrium";
        gamma: f64 from GAMMA;
        every: f64 from EVERY;
    }
}

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let Params { alpha, gamma, every } = Params::from_values(values);
    let signal = ForwardPath { alpha, base: None, average: None };
    Box::new(FastLaw::new(gamma, every, Window::new(initial), signal))
}

/// A round-trip time and the queueing delay of the forward path in it [s].
#[derive(Clone, Copy, Debug)]
pub(super) struct Delays {
    pub(super) rtt: f64,
    pub(super) queueing: f64,
}

impl Delays {
    /// Delays that `ack` tells, if it tells both; `base` remembers the smallest delay of the forward path.
    pub(super) fn of(ack: &AckSample, base: &mut Option<Duration>) -> Option<Self> {
        let (rtt, forward) = (ack.rtt?, ack.forward_delay?);
        let least = base.map_or(forward, |base| base.min(forward));
        *base = Some(least);
        Some(Self { rtt: rtt.seconds(), queueing: (forward - least).seconds() })
    }
}

/// The queue of the forward path, the signal of EEFAST.
#[derive(Debug)]
struct ForwardPath {
    /// [segments]
    alpha: f64,
    /// Smallest one-way delay of the forward path.
    base: Option<Duration>,
    /// Averaged delays.
    average: Option<Delays>,
}

impl Signal for ForwardPath {
    /// As FAST averages the RTT.
    fn sample(&mut self, ack: &AckSample, window: &Window, repairing: bool) {
        let Some(sample) = Delays::of(ack, &mut self.base).filter(|_| !repairing) else { return };
        let weight = weight(window);
        let mix = |old: f64, new: f64| (1.0 - weight) * old + weight * new;
        self.average = Some(self.average.map_or(sample, |old| Delays {
            rtt: mix(old.rtt, sample.rtt),
            queueing: mix(old.queueing, sample.queueing),
        }));
    }

    /// FAST's terms with (RTT - forward queueing) / RTT for baseRTT / RTT. It rests where
    /// w = alpha RTT / queueing, which is HCC's anticipated window.
    fn target(&mut self, _window: f64, _flow: &Flow) -> Option<Target> {
        let Delays { rtt, queueing } = self.average.filter(|delays| delays.rtt > 0.0)?;
        Some(Target { ratio: (1.0 - queueing / rtt).max(0.0), alpha: self.alpha })
    }

    fn forget(&mut self) {
        self.average = None;
    }

    fn record(&self, _smss: f64, record: &mut dyn FnMut(&'static str, f64)) {
        record("rtt", self.average.map_or(f64::NAN, |delays| delays.rtt));
        record("queueing_delay", self.average.map_or(f64::NAN, |delays| delays.queueing));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::CongestionEvent;
    use crate::testing::{assert_near, avoiding, create, create_with, flow_at, read, round_end, segments};

    /// The first ACK of a round with these delays.
    fn round(rtt_ms: u64, forward_ms: u64) -> AckSample {
        AckSample { forward_delay: Some(Duration::from_millis(forward_ms)), ..round_end(rtt_ms) }
    }

    /// A controller that has seen a forward delay of 50 ms and whose average has settled at these delays.
    fn settle(controller: &mut dyn CongestionControl, rtt_ms: u64, forward_ms: u64) {
        let settled = AckSample { round: None, ..round(rtt_ms, forward_ms) };
        controller.on_ack(&AckSample { round: None, ..round(100, 50) }, &flow_at(100, 100));
        for _ in 0..20_000 {
            controller.on_ack(&settled, &flow_at(rtt_ms, 100));
        }
        for _ in 0..2 {
            controller.on_ack(&round(rtt_ms, forward_ms), &flow_at(rtt_ms, 100));
        }
    }

    /// It rests where HCC's description says: w = alpha RTT / forward queueing.
    #[test]
    fn rests_at_the_anticipated_window() {
        let mut controller = create(&EEFAST, &avoiding(1000.0));
        settle(&mut *controller, 150, 80);
        assert!((segments(&*controller) - 1000.0).abs() < 0.01, "{}", segments(&*controller));
        assert!((read(&*controller, "rtt") - 0.15).abs() < 1e-6);
        assert!((read(&*controller, "queueing_delay") - 0.03).abs() < 1e-6);
    }

    /// A queue on the way back does not count: FAST would go to 0.5 x 1000 + 0.5 x (2/3 x 1000 + 200).
    #[test]
    fn the_way_back_does_not_count() {
        let mut controller = create(&EEFAST, &avoiding(1000.0));
        settle(&mut *controller, 150, 50);
        assert!((segments(&*controller) - 1100.0).abs() < 0.01, "{}", segments(&*controller));
    }

    /// At most twice the window, and never more while it is not in use.
    #[test]
    fn growth_is_bounded() {
        let mut controller = create(&EEFAST, &avoiding(10.0));
        settle(&mut *controller, 100, 50);
        assert_near(segments(&*controller), 20.0);
        let unused = Flow { app_limited: true, ..flow_at(100, 100) };
        for _ in 0..4 {
            controller.on_ack(&round(100, 50), &unused);
        }
        assert_near(segments(&*controller), 20.0);
    }

    /// Without one-way delays there is nothing to go by; loss halves as in FAST.
    #[test]
    fn needs_one_way_delays() {
        let mut controller = create_with(&EEFAST, &avoiding(100.0), &[("every", 1.0)]);
        controller.on_ack(&round_end(100), &flow_at(100, 100));
        assert_near(segments(&*controller), 100.0);
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow_at(100, 100));
        assert_near(segments(&*controller), 50.0);
    }
}
