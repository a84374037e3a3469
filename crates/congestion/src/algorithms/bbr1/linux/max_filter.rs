//! Largest rate of recent rounds in constant space (`lib/win_minmax.c`): the best of the window, and the best since then,
//! twice. What is forgotten may leave an earlier, smaller rate than the exact maximum of the window would be.

/// Rate, and the round in which it was measured.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    round: u64,
    rate: u64,
}

/// Windowed maximum of three candidates, the best first.
#[derive(Clone, Debug, Default)]
pub(super) struct MaxRate([Sample; 3]);

impl MaxRate {
    /// Largest rate of the window, 0 before the first.
    pub(super) fn max(&self) -> u64 {
        self.0[0].rate
    }

    /// Takes in the `rate` of a `round` that is not before the last one; rates of more than `window` rounds ago are forgotten.
    pub(super) fn update(&mut self, window: u64, round: u64, rate: u64) {
        let new = Sample { round, rate };
        let [best, second, third] = self.0;
        let is_out = |sample: Sample| round - sample.round > window;
        if rate >= best.rate || is_out(third) {
            self.0 = [new; 3];
        } else if rate >= second.rate {
            self.0 = [best, new, new];
        } else if rate >= third.rate {
            self.0[2] = new;
        }
        self.age(window, new);
    }

    /// Moves candidates up whose better has left the window, and takes `new` where one of a later part of the window is missing.
    fn age(&mut self, window: u64, new: Sample) {
        let [best, second, third] = self.0;
        let is_past = |sample: Sample, span: u64| new.round - sample.round > span;
        if is_past(best, window) {
            self.0 = if is_past(second, window) { [third, new, new] } else { [second, third, new] };
        } else if second.round == best.round && is_past(best, window / 4) {
            self.0 = [best, new, new];
        } else if third.round == second.round && is_past(best, window / 2) {
            self.0[2] = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linux, `minmax_running_max`: a larger rate counts at once, and the largest for the window and a round.
    #[test]
    fn the_largest_rate_is_kept_for_the_window() {
        let mut filter = MaxRate::default();
        filter.update(10, 0, 100);
        for round in 1..=10 {
            filter.update(10, round, 50 - round);
            assert_eq!(filter.max(), 100);
        }
        // The second best is of the second quarter of the window, not the best of what is left.
        filter.update(10, 11, 30);
        assert_eq!(filter.max(), 47);
        filter.update(10, 12, 200);
        assert_eq!(filter.max(), 200);
    }

    /// Linux, `minmax_running_max` and `minmax_subwin_update`: the second best is of the second quarter of the window, the
    /// third of its second half, here of 8 rounds, and each is replaced by a rate that is as large.
    #[test]
    fn candidates_are_of_later_parts_of_the_window() {
        let mut filter = MaxRate::default();
        for (round, rate, expected) in [
            (0, 100, [(0, 100); 3]),
            // dt > win / 4 from round 3 on, dt > win / 2 from round 5 on.
            (1, 50, [(0, 100); 3]),
            (2, 50, [(0, 100); 3]),
            (3, 50, [(0, 100), (3, 50), (3, 50)]),
            (4, 40, [(0, 100), (3, 50), (3, 50)]),
            (5, 40, [(0, 100), (3, 50), (5, 40)]),
            (6, 30, [(0, 100), (3, 50), (5, 40)]),
            (6, 45, [(0, 100), (3, 50), (6, 45)]),
            (6, 45, [(0, 100), (3, 50), (6, 45)]),
            // The best and the second best are out of the window, and the third is not: dt > win.
            (14, 1, [(6, 45), (14, 1), (14, 1)]),
        ] {
            filter.update(8, round, rate);
            assert_eq!(filter.0.map(|sample| (sample.round, sample.rate)), expected, "round {round}");
        }
    }

    /// After a silence nothing is left that was before.
    #[test]
    fn everything_is_forgotten_after_the_window() {
        let mut filter = MaxRate::default();
        filter.update(10, 0, 100);
        filter.update(10, 30, 7);
        assert_eq!(filter.max(), 7);
    }
}
