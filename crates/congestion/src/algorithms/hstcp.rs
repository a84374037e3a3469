//! `HighSpeed` TCP ([RFC 3649]): increase and decrease depend on the window such that the mean window is
//! a straight line against the loss rate on logarithmic axes.
//!
//! At or below `low_window` it is Reno. Page: `docs/models/hstcp.md`.
//!
//! [RFC 3649]: https://www.rfc-editor.org/rfc/rfc3649

use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial};
use crate::window::{BETA_RENO, Window};
use crate::window_controller::WindowController;

pub(crate) const HSTCP: Algorithm = Algorithm {
    name: "hstcp",
    display: "HighSpeed TCP",
    edition: 1,
    summary: "HighSpeed TCP: increase and decrease follow the window (low window 38)",
    source: "RFC 3649",
    params: &Params::DEFAULT.list(),
    build,
};

pub(crate) const NIST: Algorithm = Algorithm {
    name: "hstcp:nist",
    display: "HighSpeed TCP (NIST)",
    edition: 1,
    summary: "HighSpeed TCP as in the MesoNet study (low window 31)",
    source: "NIST SP 500-282 (2010); RFC 3649",
    params: &Params { low_window: 31.0, low_p: 1.5e-3, ..Params::DEFAULT }.list(),
    build,
};

params! {
    /// Parameters of `HighSpeed` TCP; the ranges keep the low end of the response function apart from its high end.
    struct Params {
        low_window: f64 = 38.0, [1.0, 1e3], "segments", "At or below this window the rules are Reno's";
        low_p: f64 = 1e-3, [1e-5, 0.5], "1", "Loss rate that goes with the low window";
        high_window: f64 = 83_000.0, [2e3, 1e9], "segments",
            "Upper end of the response function; the decrease is smallest there";
        high_p: f64 = 1e-7, [1e-15, 1e-6], "1", "Loss rate that goes with the high window";
        high_decrease: f64 = 0.1, [0.06, 0.5], "1",
            "Part of the window given up on loss at and above the high window";
    }
}

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let response = Response::new(&Params::from_values(values));
    Box::new(Hstcp { response, window: Window::new(initial) })
}

/// The response function and the decrease, both linear in the logarithm of the window.
#[derive(Debug)]
struct Response {
    /// [segments]
    low_window: f64,
    low_p: f64,
    high_decrease: f64,
    /// 1 / S of [RFC 3649](https://www.rfc-editor.org/rfc/rfc3649).
    slope: f64,
    decrease_slope: f64,
}

impl Response {
    fn new(params: &Params) -> Self {
        let Params { low_window, low_p, high_window, high_p, high_decrease } = *params;
        let span = libm::log(high_window / low_window);
        Self {
            low_window,
            low_p,
            high_decrease,
            slope: libm::log(high_p / low_p) / span,
            decrease_slope: (high_decrease - BETA_RENO) / span,
        }
    }

    /// Distance of `window` [segments] from the low window, as a logarithm.
    fn height(&self, window: f64) -> f64 {
        libm::log(window / self.low_window)
    }

    /// b(w) of RFC 3649, not below its value at the high window.
    fn decrease(&self, height: f64) -> f64 {
        (BETA_RENO + self.decrease_slope * height).max(self.high_decrease)
    }

    /// a(w) of RFC 3649, which with b(w) makes w the mean window at p(w) [segments per round trip].
    fn increase(&self, window: f64) -> f64 {
        let height = self.height(window);
        let p = self.low_p * libm::exp(self.slope * height);
        let b = self.decrease(height);
        window * window * p * 2.0 * b / (2.0 - b)
    }
}

/// `HighSpeed` TCP of one flow.
#[derive(Debug)]
struct Hstcp {
    response: Response,
    window: Window,
}

impl WindowController for Hstcp {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        if rest > 0.0 {
            let increase =
                if self.is_standard() { 1.0 } else { self.response.increase(self.window.segments()) };
            self.window.avoid(rest * increase, self.window.cwnd());
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let beta = if self.is_standard() {
            BETA_RENO
        } else {
            1.0 - self.response.decrease(self.response.height(self.window.segments()))
        };
        self.window.back_off(event, beta, flow);
    }

    fn is_standard(&self) -> bool {
        self.window.segments() <= self.response.low_window
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Phase;
    use crate::testing::{ack, assert_near, avoiding, create, flow, segments};

    fn grown(algorithm: &Algorithm, window: f64) -> f64 {
        let mut controller = create(algorithm, &avoiding(window));
        controller.on_ack(&ack(1), &flow());
        (segments(&*controller) - window) * window
    }

    fn lost(algorithm: &Algorithm, window: f64) -> f64 {
        let mut controller = create(algorithm, &avoiding(window));
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow());
        1.0 - segments(&*controller) / window
    }

    /// RFC 3649 appendix B, table 12: from each of these windows on a(w) is 1, 2, 3, ..., and b(w) is what stands
    /// beside it. The table's program drops the fraction of a(w) and takes p(w) = 0.078 / w^1.2, with a rounded
    /// exponent that makes a(w) 3 % smaller at the end of the table than equation 2, which says 72 at 83,000.
    #[test]
    fn parameters_follow_appendix_b() {
        for (increase, (window, decrease)) in (1_u32..).zip(APPENDIX_B) {
            let (a, b) = (grown(&HSTCP, window), lost(&HSTCP, window));
            let increase = f64::from(increase);
            assert!((a - increase).abs() < 0.032 * increase + 0.05, "a({window}) is {a}, not {increase}");
            assert!((b - decrease).abs() < 0.006, "b({window}) is {b}, not {decrease}");
        }
    }

    /// The rows up to `High_Window`. Three follow, down to b = 0.09, which is below `High_Decrease`.
    const APPENDIX_B: [(f64, f64); 70] = [
        (38.0, 0.50),
        (118.0, 0.44),
        (221.0, 0.41),
        (347.0, 0.38),
        (495.0, 0.37),
        (663.0, 0.35),
        (851.0, 0.34),
        (1058.0, 0.33),
        (1284.0, 0.32),
        (1529.0, 0.31),
        (1793.0, 0.30),
        (2076.0, 0.29),
        (2378.0, 0.28),
        (2699.0, 0.28),
        (3039.0, 0.27),
        (3399.0, 0.27),
        (3778.0, 0.26),
        (4177.0, 0.26),
        (4596.0, 0.25),
        (5036.0, 0.25),
        (5497.0, 0.24),
        (5979.0, 0.24),
        (6483.0, 0.23),
        (7009.0, 0.23),
        (7558.0, 0.22),
        (8130.0, 0.22),
        (8726.0, 0.22),
        (9346.0, 0.21),
        (9991.0, 0.21),
        (10_661.0, 0.21),
        (11_358.0, 0.20),
        (12_082.0, 0.20),
        (12_834.0, 0.20),
        (13_614.0, 0.19),
        (14_424.0, 0.19),
        (15_265.0, 0.19),
        (16_137.0, 0.19),
        (17_042.0, 0.18),
        (17_981.0, 0.18),
        (18_955.0, 0.18),
        (19_965.0, 0.17),
        (21_013.0, 0.17),
        (22_101.0, 0.17),
        (23_230.0, 0.17),
        (24_402.0, 0.16),
        (25_618.0, 0.16),
        (26_881.0, 0.16),
        (28_193.0, 0.16),
        (29_557.0, 0.15),
        (30_975.0, 0.15),
        (32_450.0, 0.15),
        (33_986.0, 0.15),
        (35_586.0, 0.14),
        (37_253.0, 0.14),
        (38_992.0, 0.14),
        (40_808.0, 0.14),
        (42_707.0, 0.13),
        (44_694.0, 0.13),
        (46_776.0, 0.13),
        (48_961.0, 0.13),
        (51_258.0, 0.13),
        (53_677.0, 0.12),
        (56_230.0, 0.12),
        (58_932.0, 0.12),
        (61_799.0, 0.12),
        (64_851.0, 0.11),
        (68_113.0, 0.11),
        (71_617.0, 0.11),
        (75_401.0, 0.10),
        (79_517.0, 0.10),
    ];

    /// RFC 3649 equation 2: "a(83000) = 72".
    #[test]
    fn increase_at_the_high_window_is_equation_2() {
        assert!((grown(&HSTCP, 83_000.0) - 72.0).abs() < 1.0);
    }

    /// RFC 3649 section 6, table 6: the window in congestion avoidance, one segment at round trip 1. The rounded
    /// exponent makes the table's rate 2 % smaller, which its window, a cube of time, shows threefold.
    #[test]
    fn window_grows_as_in_table_6() {
        let table = [
            131.0, 475.0, 1131.0, 2160.0, 3601.0, 5477.0, 7799.0, 10_567.0, 13_774.0, 17_409.0, 21_455.0,
            25_893.0, 30_701.0, 35_856.0, 41_336.0, 47_115.0, 53_170.0, 59_477.0, 66_013.0, 72_754.0,
        ];
        let mut controller = create(&HSTCP, &avoiding(1.0));
        for (hundreds, expected) in table.into_iter().enumerate() {
            for _ in usize::from(hundreds == 0)..100 {
                let mut sent = 0.0;
                let window = segments(&*controller);
                // A round trip in a hundred ACKs or fewer.
                let batch = (1..=1000_u32).find(|&batch| f64::from(batch) * 100.0 >= window).expect("finite");
                while sent < window {
                    controller.on_ack(&ack(batch.into()), &flow());
                    sent += f64::from(batch);
                }
            }
            let window = segments(&*controller);
            assert!((window / expected - 1.0).abs() < 0.07, "{window} instead of {expected}");
        }
    }

    /// `MesoNet`: low window 31; what that makes of the increase.
    #[test]
    fn study_switches_at_31() {
        for (window, increase) in [(100.0, 2.0), (1000.0, 8.4), (3402.0, 17.1), (10_000.0, 30.5)] {
            let a = grown(&NIST, window);
            assert!((a / increase - 1.0).abs() < 0.02, "a({window}) is {a}, not {increase}");
        }
        assert_near((lost(&NIST, 3402.0) * 1e3).round(), 262.0);
        assert_eq!(create(&NIST, &avoiding(31.0)).phase(), Phase::Standard);
        assert_eq!(create(&NIST, &avoiding(32.0)).phase(), Phase::Alternate);
    }

    /// RFC 3649: up to `Low_Window` the response is that of standard TCP.
    #[test]
    fn small_windows_are_reno() {
        assert_near(grown(&HSTCP, 38.0), 1.0);
        assert_near(lost(&HSTCP, 38.0), 0.5);
        assert_eq!(create(&HSTCP, &avoiding(38.0)).phase(), Phase::Standard);
    }

    /// RFC 3649 says nothing beyond `High_Window`; the decrease must not vanish.
    #[test]
    fn huge_windows_still_back_off() {
        assert_near(lost(&HSTCP, 1e7), 0.1);
        assert!(grown(&HSTCP, 1e7).is_finite());
    }
}
