//! Binary Increase Congestion control (Xu, Harfoush, Rhee, IEEE Infocom 2004): after a loss it searches
//! for the window between the one that lost and the one that was left, and beyond it if nothing is lost.
//!
//! Below `low_window` it is Reno. Page: `docs/models/bic.md`, with what Linux does differently.

use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial};
use crate::window::{BETA_RENO, Window};
use crate::window_controller::WindowController;

const SOURCE: &str = "L. Xu, K. Harfoush, I. Rhee, IEEE Infocom 2004";

pub(crate) const BIC: Algorithm = Algorithm {
    name: "bic",
    display: "BIC",
    edition: 1,
    summary: "BIC: binary search for the window, then probing beyond it",
    source: SOURCE,
    params: &Params::DEFAULT.list(),
    build: |values, initial| build(values, initial, Search::Halves { probe: None }),
};

pub(crate) const NIST: Algorithm = Algorithm {
    name: "bic:nist",
    display: "BIC (NIST)",
    // 2: the constants of Linux, which the printed windows show.
    edition: 1,
    summary: "BIC as in the MesoNet study: the paper's search, the constants of Linux",
    source: "NIST SP 500-282 (2010); L. Xu, K. Harfoush, I. Rhee, IEEE Infocom 2004; Linux, net/ipv4/tcp_bic.c",
    params: &Params::LINUX.list(),
    build: |values, initial| build(values, initial, Search::Halves { probe: None }),
};

pub(crate) const LINUX: Algorithm = Algorithm {
    name: "bic:linux",
    display: "BIC (Linux)",
    edition: 1,
    summary: "BIC as in Linux: search in quarters, a fifth less on loss",
    source: "Linux, net/ipv4/tcp_bic.c",
    params: &Params::LINUX.list(),
    build: |values, initial| build(values, initial, Search::Quarters),
};

params! {
    /// Parameters of BIC.
    struct Params {
        s_max: f64 = 32.0, [1.0, 1e6], "segments per round trip",
            "Largest increase; from there on the increase is additive";
        s_min: f64 = 0.01, [1e-6, 1.0], "segments per round trip",
            "Smallest increase, where the search ends";
        decrease: f64 = 0.125, [0.06, 1.0], "1",
            "Part of the window given up on loss from the low window up (beta)";
        low_window: f64 = 14.0, [0.0, 1e9], "segments", "Below this window the rules are Reno's";
    }
}

impl Params {
    /// 819/1024 is kept; in the last stretch a segment every 5 windows.
    const LINUX: Self = Self { s_max: 16.0, s_min: 0.2, decrease: 205.0 / 1024.0, ..Self::DEFAULT };
}

fn build(values: &[f64], initial: &Initial, search: Search) -> Box<dyn CongestionControl> {
    let params = Params::from_values(values);
    Box::new(Bic { keep: 1.0 - params.decrease, params, search, window: Window::new(initial), max: None })
}

/// Rule by which the window is searched for.
#[derive(Debug)]
enum Search {
    /// The paper: half of the distance per round trip; beyond the maximum steps that double.
    Halves { probe: Option<Probe> },
    /// Linux: a quarter of the distance per round trip, mirrored beyond the maximum.
    Quarters,
}

/// The paper's slow start beyond the maximum.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// Increase per round trip [segments].
    step: f64,
    /// The window at which the step doubles [segments].
    target: f64,
}

/// Divisor of the distance to the maximum in Linux.
const QUARTERS: f64 = 4.0;

/// Linux grows by at least this part of the window per round trip until there was a loss.
const UNTESTED_GROWTH: f64 = 0.05;

/// BIC of one flow.
#[derive(Debug)]
struct Bic {
    params: Params,
    /// Part of the window kept on loss from the low window up.
    keep: f64,
    search: Search,
    window: Window,
    /// The window around which to search [segments]; none is known before the first loss and, in the
    /// paper, beyond it.
    max: Option<f64>,
}

impl Bic {
    /// Increase per round trip [segments].
    fn increase(&self) -> f64 {
        let window = self.window.segments();
        let Params { s_max, s_min, .. } = self.params;
        match &self.search {
            Search::Halves { probe: Some(probe) } => probe.step.min(s_max),
            Search::Halves { probe: None } => {
                let midpoint = self.max.map_or(f64::INFINITY, |max| f64::midpoint(max, window));
                (midpoint - window).min(s_max).max(s_min)
            }
            Search::Quarters => {
                let max = self.max.unwrap_or(0.0);
                let distance = if window < max {
                    let quarter = (max - window) / QUARTERS;
                    if quarter <= 1.0 { s_min } else { quarter }
                } else if window < max + QUARTERS {
                    s_min
                } else {
                    (window - max) / (QUARTERS - 1.0)
                };
                let increase = distance.min(s_max);
                if self.max.is_some() { increase } else { increase.max(UNTESTED_GROWTH * window) }
            }
        }
    }

    /// The paper: once the maximum is reached without a loss it is forgotten, and steps of 1, 2, 4, ...
    /// segments lead away from it.
    fn probe(&mut self) {
        let window = self.window.segments();
        let Search::Halves { probe } = &mut self.search else { return };
        match probe {
            None => {
                // The search approaches the maximum without end; closer than the smallest step is there.
                if self.max.is_some_and(|max| max - window < self.params.s_min) {
                    *probe = Some(Probe { step: 1.0, target: window + 1.0 });
                    self.max = None;
                }
            }
            Some(Probe { step, target }) => {
                if window >= *target {
                    *step *= 2.0;
                    *target = window + *step;
                }
                if *step >= self.params.s_max {
                    *probe = None;
                }
            }
        }
    }

    /// Updates the maximum after a loss at `lost` segments.
    fn remember(&mut self, lost: f64) {
        let left = self.keep * lost;
        // Fast convergence: a flow that did not reach its maximum makes room.
        let shrinks = match &mut self.search {
            Search::Halves { probe } => {
                *probe = None;
                // The paper sets the forgotten maximum to a very large number, so a loss is below it.
                self.max.is_none_or(|max| lost < max)
            }
            Search::Quarters => self.max.is_some_and(|max| lost < max),
        };
        self.max = Some(if shrinks { f64::midpoint(lost, left) } else { lost });
    }
}

impl WindowController for Bic {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        if rest <= 0.0 {
            return;
        }
        if self.is_standard() {
            self.window.avoid(rest, self.window.cwnd());
        } else {
            let gain = (self.increase() / self.window.segments()).min(1.0);
            self.window.scale(rest, gain);
            self.probe();
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let (lost, is_standard) = (self.window.segments(), self.is_standard());
        self.window.back_off(event, if is_standard { BETA_RENO } else { self.keep }, flow);
        match (event, &self.search) {
            (CongestionEvent::ExitRecovery, _) => {}
            (CongestionEvent::Rto, Search::Quarters) => self.max = None,
            (_, Search::Quarters) => self.remember(lost),
            (_, Search::Halves { .. }) if !is_standard => self.remember(lost),
            (_, Search::Halves { .. }) => {}
        }
    }

    fn is_standard(&self) -> bool {
        match self.search {
            Search::Halves { .. } => self.window.segments() < self.params.low_window,
            Search::Quarters => self.window.segments() <= self.params.low_window,
        }
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("w_max", self.max.map_or(f64::NAN, |max| max * self.window.smss()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Phase;
    use crate::testing::{ack, assert_near, avoiding, create, flow, read, segments};

    /// One round trip, an ACK per segment.
    fn pass(controller: &mut dyn CongestionControl) -> f64 {
        let before = segments(controller);
        let mut sent = 0.0;
        while sent + 1.0 <= before {
            controller.on_ack(&ack(1), &flow());
            sent += 1.0;
        }
        segments(controller) - before
    }

    fn lose(controller: &mut dyn CongestionControl) {
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow());
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow());
    }

    /// Infocom 2004: an eighth less, then Smax per round trip while the midpoint is farther than that,
    /// then half of the distance at a time.
    #[test]
    fn adds_then_searches() {
        let mut controller = create(&BIC, &avoiding(1000.0));
        lose(&mut *controller);
        assert_near(segments(&*controller), 875.0);
        // No maximum was known, which counts as a larger one: fast convergence.
        assert_near(read(&*controller, "w_max"), 937_500.0);
        let mut controller = create(&BIC, &avoiding(1000.0));
        lose(&mut *controller);
        controller.on_ack(&ack(1), &flow());
        assert_near(segments(&*controller), 875.0 + 31.25 / 875.0);
    }

    #[test]
    fn growth_is_bounded_by_the_steps() {
        let mut controller = create(&BIC, &avoiding(4000.0));
        lose(&mut *controller);
        let (mut increases, mut before) = (Vec::new(), segments(&*controller));
        for _ in 0..60 {
            increases.push(pass(&mut *controller));
            before = before.max(segments(&*controller));
        }
        // 3500 to 3750: additive, search, then probing that accelerates to additive again.
        assert!((31.0..=32.0).contains(&increases[0]), "{increases:?}");
        let slowest = increases.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((0.005..0.05).contains(&slowest), "{increases:?}");
        assert!((31.0..=32.0).contains(increases.last().expect("60")), "{increases:?}");
        assert!(increases.iter().all(|&increase| increase <= 32.0));
    }

    /// Infocom 2004: a maximum below the one before is moved half of the way to what the loss left.
    #[test]
    fn fast_convergence_halves_the_way() {
        let mut controller = create(&BIC, &avoiding(1000.0));
        lose(&mut *controller);
        lose(&mut *controller);
        assert_near(segments(&*controller), 875.0 * 0.875);
        assert_near(read(&*controller, "w_max"), 875_000.0 * (1.0 + 0.875) / 2.0);
    }

    /// Infocom 2004: below the low window standard TCP.
    #[test]
    fn small_windows_are_reno() {
        let mut controller = create(&BIC, &avoiding(13.0));
        assert_eq!(controller.phase(), Phase::Standard);
        assert!((0.95..1.0).contains(&pass(&mut *controller)));
        lose(&mut *controller);
        assert!((6.9..7.0).contains(&segments(&*controller)));
        assert!(read(&*controller, "w_max").is_nan(), "a loss at a small window is not remembered");
        assert_eq!(create(&BIC, &avoiding(14.0)).phase(), Phase::Alternate);
    }

    /// Linux `tcp_bic.c`: 819/1024 kept, maximum remembered, growth by a quarter of the distance, at most
    /// 16, a segment every 5 windows around the maximum, the same mirrored beyond it.
    #[test]
    fn linux_searches_in_quarters() {
        let mut controller = create(&LINUX, &avoiding(1000.0));
        lose(&mut *controller);
        assert_near(segments(&*controller), 1000.0 * 819.0 / 1024.0);
        assert_near(read(&*controller, "w_max"), 1e6);
        let first = pass(&mut *controller);
        assert!((15.5..=16.0).contains(&first), "{first}");
        let mut increases = Vec::new();
        for _ in 0..120 {
            increases.push(pass(&mut *controller));
        }
        let slowest = increases.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((0.19..0.21).contains(&slowest), "{increases:?}");
        assert!(segments(&*controller) > 1050.0);
        assert!(*increases.last().expect("120") > 15.0);
    }

    /// A limit of the page: Linux counts the quarter in whole segments (`dist <= 1U`), so its smallest steps begin at a
    /// distance of 8 segments.
    #[test]
    fn the_smallest_steps_begin_four_segments_from_the_maximum() {
        let step = |distance: f64| {
            let window = Window::new(&avoiding(100.0));
            let max = Some(window.segments() + distance);
            Bic { keep: 1.0, params: Params::LINUX, search: Search::Quarters, window, max }.increase()
        };
        for (distance, expected) in [(3.0, 0.2), (4.0, 0.2), (7.0, 1.75), (8.0, 2.0)] {
            assert_near(step(distance), expected);
        }
    }

    /// Linux `tcp_bic.c`: nothing is known about the path, 5 % per round trip.
    #[test]
    fn linux_grows_fast_until_the_first_loss() {
        let mut controller = create(&LINUX, &avoiding(1000.0));
        assert!((50.0..52.0).contains(&pass(&mut *controller)));
        lose(&mut *controller);
        controller.on_congestion(CongestionEvent::Rto, &flow());
        assert!(read(&*controller, "w_max").is_nan());
    }

    /// Linux `tcp_bic.c`: `last_max_cwnd` is 0 then, and a small window is `BICTCP_B` or more beyond it.
    #[test]
    fn linux_grows_by_a_third_where_no_maximum_is_known() {
        for (window, expected) in [(15.0, 5.0), (36.0, 12.0), (48.0, 16.0), (300.0, 16.0), (400.0, 20.0)] {
            let mut controller = create(&LINUX, &avoiding(window));
            controller.on_ack(&ack(1), &flow());
            assert_near(segments(&*controller), window + expected / window);
        }
    }

    /// Linux `tcp_bic.c`: `ca->cnt = (cwnd * (BICTCP_B-1)) / (cwnd - ca->last_max_cwnd)` beyond the maximum, a third of
    /// the distance per round trip, from `BICTCP_B` segments on.
    #[test]
    fn linux_leaves_the_maximum_by_thirds() {
        for window in [1004.0, 1012.0] {
            let mut controller = create(&LINUX, &avoiding(1000.0));
            lose(&mut *controller);
            controller.override_window(window * 1e3, 800e3);
            controller.on_ack(&ack(1), &flow());
            assert_near(segments(&*controller), window + (window - 1000.0) / 3.0 / window);
        }
    }

    /// Infocom 2004: "slow start" beyond the maximum, steps of 1, 2, 4, ... segments per round trip up to Smax.
    #[test]
    fn steps_double_beyond_the_maximum() {
        let mut controller = create(&BIC, &avoiding(1000.0));
        lose(&mut *controller);
        let mut step_at = |window: f64| {
            controller.override_window(window * 1e3, 875e3);
            controller.on_ack(&ack(1), &flow());
            (segments(&*controller) - window) * window
        };
        // The maximum is 937.5 segments, and the search ends 0.01 below it. A step doubles when it has been taken: from
        // 937.5 to 938.5, then from 940 to 942, and so on.
        let steps = [937.495, 938.0, 940.0, 941.9, 943.0, 948.0, 957.0, 974.0, 1000.0].map(&mut step_at);
        for (step, expected) in steps.into_iter().zip([0.01, 1.0, 1.0, 2.0, 2.0, 4.0, 8.0, 16.0, 32.0]) {
            assert!((step - expected).abs() < 1e-6, "{steps:?}");
        }
    }

    /// Infocom 2004 and Linux: fast convergence is for a loss below the maximum; one at it keeps it.
    #[test]
    fn a_loss_at_the_maximum_keeps_it() {
        for (algorithm, max, below) in
            [(&BIC, 937.5, 900.0 * 1.875 / 2.0), (&LINUX, 1000.0, 900.0 * 1843.0 / 2048.0)]
        {
            for (window, expected) in [(max, max), (900.0, below)] {
                let mut controller = create(algorithm, &avoiding(1000.0));
                lose(&mut *controller);
                controller.override_window(window * 1e3, 800e3);
                lose(&mut *controller);
                assert_near(read(&*controller, "w_max"), expected * 1e3);
            }
        }
    }
}
