//! HCC TCP, hybrid congestion control (Xu et al., J. Network and Computer Applications, 2011): the one-way
//! queueing delay steers the window; after a loss a search between the reduced and the lost window does.
//!
//! Written from the algorithm's printed pseudocode as M. Skala presented it in 2011; what that leaves open is
//! ours. Page: `docs/models/hcc.md`.

use super::eefast::Delays;
use super::fast_law::bounded;
use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial};
use crate::units::Duration;
use crate::window::{BETA_RENO, Window};
use crate::window_controller::WindowController;

pub(crate) const HCC: Algorithm = Algorithm {
    name: "hcc",
    display: "HCC TCP",
    // 2: the window at a loss is remembered also when it has fallen.
    edition: 1,
    summary: "HCC TCP: one-way queueing delay first, a search like BIC's after a loss",
    source: "Xu et al., J. Network and Computer Applications, 2011, after Skala's slides (2011)",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of HCC TCP.
    struct Params {
        alpha: f64 = 400.0, [1.0, 1e9], "segments", "Own segments in forward queues at equilibrium";
        gamma: f64 = 0.5, [0.001, 10.0], "1", "Largest change per round trip, in alphas";
        least: f64 = 0.01, [1e-4, 1e3], "segments", "Smallest step of the search after a loss";
        mi_threshold: f64 = 0.000_75, [0.0, 10.0], "s",
            "Forward queueing delay below which the window doubles every round trip";
    }
}

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let params = Params::from_values(values);
    Box::new(Hcc {
        most: (params.gamma * params.alpha).max(params.least),
        params,
        window: Window::new(initial),
        base: None,
        round: Round::default(),
        mode: Mode::Delay { multiply: false },
    })
}

/// Signal that steers the window.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    /// The forward queueing delay; `multiply` while it is below the threshold.
    Delay { multiply: bool },
    /// The window at which the last loss happened [segments].
    Loss { reference: f64 },
}

/// Sums over the samples of a round trip.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    rtt: f64,
    queueing: f64,
    count: f64,
}

impl Round {
    fn add(&mut self, sample: Delays) {
        self.rtt += sample.rtt;
        self.queueing += sample.queueing;
        self.count += 1.0;
    }

    fn average(self) -> Option<Delays> {
        (self.count > 0.0)
            .then(|| Delays { rtt: self.rtt / self.count, queueing: self.queueing / self.count })
    }
}

/// HCC of one flow.
#[derive(Debug)]
struct Hcc {
    params: Params,
    /// Largest change per round trip before it is halved [segments], `I_max`; `least` is `I_min`.
    most: f64,
    window: Window,
    /// Smallest one-way delay of the forward path.
    base: Option<Duration>,
    round: Round,
    mode: Mode,
}

impl Hcc {
    /// Moves the window after a round trip.
    fn end_round(&mut self, flow: &Flow) {
        let Some(average) = std::mem::take(&mut self.round).average() else { return };
        if self.window.in_slow_start() {
            if average.queueing >= self.params.mi_threshold {
                self.window.leave_slow_start();
            }
            return;
        }
        let window = self.window.segments();
        let step = match self.mode {
            Mode::Loss { reference } if window <= reference => {
                ((reference - window) / 2.0).min(self.most).max(self.params.least)
            }
            // Past the window of the last loss without another one, the delay is believed again.
            _ => {
                let multiply = average.queueing < self.params.mi_threshold;
                self.mode = Mode::Delay { multiply };
                if multiply {
                    return;
                }
                let anticipated = self.params.alpha * average.rtt / average.queueing;
                (anticipated - window).min(self.most).max(-self.most)
            }
        };
        let target = (window + step / 2.0) * self.window.smss();
        self.window.steer(bounded(target, self.window.cwnd(), flow));
    }
}

impl WindowController for Hcc {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let repairing = self.window.is_repairing(flow);
        if let Some(sample) = Delays::of(ack, &mut self.base).filter(|_| !repairing) {
            self.round.add(sample);
        }
        if ack.round.is_some() && !repairing {
            self.end_round(flow);
        }
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        if repairing {
            // After a timeout there is nothing to go by until all is repaired.
            self.window.avoid(rest, self.window.cwnd());
        } else if self.mode == (Mode::Delay { multiply: true }) {
            self.window.scale(rest, 1.0);
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        if event != CongestionEvent::ExitRecovery {
            // A timeout during repair happens at a window that no longer says anything.
            let reference = self.window.segments();
            self.mode = match self.mode {
                Mode::Loss { reference: old } if self.window.knows_of_losses() => {
                    Mode::Loss { reference: old.max(reference) }
                }
                _ => Mode::Loss { reference },
            };
        }
        self.window.back_off(event, BETA_RENO, flow);
        self.round = Round::default();
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let reference = match self.mode {
            Mode::Loss { reference } => reference * self.window.smss(),
            Mode::Delay { .. } => f64::NAN,
        };
        record("loss_reference", reference);
        record("base_delay", self.base.map_or(f64::NAN, Duration::seconds));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Phase;
    use crate::testing::{
        ack, assert_near, avoiding, create, create_with, flow, initial, read, round_end, segments,
    };

    /// A round trip with these delays, two ACKs; the base of the forward delay is 10 ms.
    fn round(controller: &mut dyn CongestionControl, rtt_ms: u64, forward_ms: u64) {
        let forward_delay = |ms| Some(Duration::from_millis(ms));
        if read(controller, "base_delay").is_nan() {
            let first = AckSample { forward_delay: forward_delay(10), ..round_end(20) };
            controller.on_ack(&first, &flow());
        }
        let end = AckSample { forward_delay: forward_delay(forward_ms), ..round_end(rtt_ms) };
        controller.on_ack(&AckSample { round: None, ..end }, &flow());
        controller.on_ack(&end, &flow());
    }

    /// Pseudocode, part a: half of the way to alpha RTT / queueing, at most gamma alpha / 2 per round trip.
    #[test]
    fn window_goes_half_of_the_way_to_the_anticipated() {
        // 400 x 40 ms / 20 ms = 800.
        for (window, expected) in [(700.0, 750.0), (800.0, 800.0), (860.0, 830.0), (100.0, 200.0)] {
            let mut controller = create(&HCC, &avoiding(window));
            controller.on_congestion(CongestionEvent::ExitRecovery, &flow());
            round(&mut *controller, 40, 30);
            assert_near(segments(&*controller), expected);
        }
    }

    /// Slides: below `mi_threshold` the window grows multiplicatively, from the start on.
    #[test]
    fn empty_queue_lets_the_window_double() {
        let mut controller = create(&HCC, &initial(10.0));
        round(&mut *controller, 20, 10);
        controller.on_ack(&ack(10), &flow());
        assert_near(segments(&*controller), 20.0);
        assert_eq!(controller.phase(), Phase::SlowStart);
        round(&mut *controller, 20, 11);
        assert_eq!(controller.phase(), Phase::Alternate);
        round(&mut *controller, 20, 10);
        let before = segments(&*controller);
        controller.on_ack(&ack(10), &flow());
        assert_near(segments(&*controller), before + 10.0);
    }

    /// Pseudocode, part b: half on loss, then a quarter of the gap per round trip up to the lost window.
    #[test]
    fn loss_starts_a_search() {
        let mut controller = create(&HCC, &avoiding(100.0));
        round(&mut *controller, 40, 30);
        let lost = segments(&*controller);
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow());
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow());
        assert_near(segments(&*controller), lost / 2.0);
        assert_near(read(&*controller, "loss_reference"), lost * 1000.0);
        round(&mut *controller, 40, 30);
        assert_near(segments(&*controller), lost * 0.5 + lost * 0.5 / 4.0);
        let mut rounds = 0;
        while !read(&*controller, "loss_reference").is_nan() {
            round(&mut *controller, 40, 30);
            rounds += 1;
        }
        assert!((20..50).contains(&rounds), "{rounds}");
    }

    /// Pseudocode, parts a and b: every loss updates the reference, also to a smaller window; only a timeout
    /// while losses are repaired, whose window says nothing, leaves it.
    #[test]
    fn every_loss_updates_the_reference() {
        let mut controller = create(&HCC, &avoiding(100.0));
        // The transport says that losses are repaired from the moment it reports them.
        let repairing = Flow { in_recovery: true, ..flow() };
        let lose = |controller: &mut dyn CongestionControl| {
            controller.on_congestion(CongestionEvent::EnterRecovery, &repairing);
            read(controller, "loss_reference") / 1000.0
        };
        assert_near(lose(&mut *controller), 100.0);
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow());
        assert_near(lose(&mut *controller), 50.0);
        controller.on_congestion(CongestionEvent::Rto, &flow());
        assert_near(read(&*controller, "loss_reference"), 50_000.0);
    }

    /// RFC 7661: an unused window may shrink but not grow.
    #[test]
    fn unused_window_does_not_grow() {
        let mut controller = create(&HCC, &avoiding(100.0));
        let end = AckSample { forward_delay: Some(Duration::from_millis(10)), ..round_end(20) };
        controller.on_ack(&end, &Flow { app_limited: true, ..flow() });
        let end = AckSample { forward_delay: Some(Duration::from_millis(30)), ..round_end(40) };
        controller.on_ack(&end, &Flow { app_limited: true, ..flow() });
        assert_near(segments(&*controller), 100.0);
    }

    /// Slides: below `mi_threshold` the window grows multiplicatively; at it the delay steers, half of the way to
    /// 400 x 20 ms / 1 ms and by 100 segments at most.
    #[test]
    fn the_threshold_itself_is_a_queue() {
        let mut controller = create_with(&HCC, &avoiding(100.0), &[("mi_threshold", 0.001)]);
        round(&mut *controller, 20, 11);
        assert_near(segments(&*controller), 200.0);
        controller.on_ack(&ack(10), &flow());
        assert_near(segments(&*controller), 200.0);
    }

    /// Pseudocode: the window follows the averages of a round trip; one without samples has none, here of ACKs that tell no
    /// one-way delay.
    #[test]
    fn rounds_without_samples_change_nothing() {
        let mut controller = create(&HCC, &avoiding(100.0));
        (0..3).for_each(|_| controller.on_ack(&round_end(20), &flow()));
        assert_near(segments(&*controller), 100.0);
    }
}
