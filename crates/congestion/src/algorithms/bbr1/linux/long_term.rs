//! Long-term bandwidth (`bbr_lt_bw_sampling`): the rate that a policer lets through, found in two intervals with many losses
//! and about the same rate.

use super::{Bbr1Linux, Mode};
use crate::algorithms::bbr_linux::{BW_UNIT, UNIT, scale};
use crate::units::Time;

/// Fewest rounds of an interval; it is given up after four times as many (`bbr_lt_intvl_min_rtts`).
const INTERVAL_ROUNDS: u32 = 4;

/// Part of what was delivered that has to be lost as well, in 1/256 (`bbr_lt_loss_thresh`).
const LOSS_THRESHOLD: u64 = 50;

/// Difference of two rates that counts as none, in 1/256 of the first (`bbr_lt_bw_ratio`).
const RATIO: u64 = UNIT / 8;

/// Difference that counts as none whatever the rate [bytes/s] (`bbr_lt_bw_diff`).
const DIFFERENCE: u64 = 4000 / 8;

/// Rounds for which the rate is used (`bbr_lt_bw_max_rtts`).
const USED_ROUNDS: u32 = 48;

/// State of the sampling.
#[derive(Clone, Debug, Default)]
pub(super) struct LongTerm {
    is_sampling: bool,
    /// Rate of the last interval; used from the second one on that is like it.
    bw: u64,
    pub use_bw: bool,
    rounds: u32,
    /// Start of the interval: segments delivered and lost until then, and when [ms].
    delivered: u64,
    lost: u64,
    stamp: u64,
}

impl LongTerm {
    /// Rate to use instead of the largest, if there is one.
    pub(super) fn in_use(&self) -> Option<u64> {
        self.use_bw.then_some(self.bw)
    }
}

impl Bbr1Linux {
    /// `bbr_reset_lt_bw_sampling`.
    pub(super) fn reset_long_term(&mut self, now: Time) {
        self.long_term = LongTerm::default();
        self.start_interval(now);
    }

    /// `bbr_reset_lt_bw_sampling_interval`.
    fn start_interval(&mut self, now: Time) {
        let (delivered, lost, stamp) = (self.counts.delivered, self.counts.lost, millis(now));
        self.long_term = LongTerm { rounds: 0, delivered, lost, stamp, ..self.long_term };
    }

    /// `bbr_lt_bw_sampling`, with an ACK that shows losses or none.
    pub(super) fn sample_long_term(&mut self, has_losses: bool, app_limited: bool, now: Time) {
        if !self.params.long_term {
            return;
        }
        if self.long_term.use_bw {
            self.use_long_term(now);
            return;
        }
        // The first loss shows that the policer's tokens are spent.
        if !self.long_term.is_sampling {
            if !has_losses {
                return;
            }
            self.start_interval(now);
            self.long_term.is_sampling = true;
        }
        if app_limited {
            self.reset_long_term(now);
            return;
        }
        self.long_term.rounds += u32::from(self.counts.round_start);
        if self.long_term.rounds < INTERVAL_ROUNDS {
            return;
        }
        if self.long_term.rounds > 4 * INTERVAL_ROUNDS {
            self.reset_long_term(now);
        } else if has_losses {
            self.end_interval(now);
        }
    }

    /// Counts the rounds in which the rate is used, and ends its use.
    fn use_long_term(&mut self, now: Time) {
        if self.mode == Mode::ProbeBw && self.counts.round_start {
            self.long_term.rounds += 1;
            if self.long_term.rounds >= USED_ROUNDS {
                self.reset_long_term(now);
                self.enter_probe_bw(now);
            }
        }
    }

    /// Ends an interval with a loss, if it had enough of them.
    fn end_interval(&mut self, now: Time) {
        let interval = &self.long_term;
        let (delivered, lost) =
            (self.counts.delivered - interval.delivered, self.counts.lost - interval.lost);
        let time = millis(now) - interval.stamp;
        if delivered > 0 && lost * UNIT >= LOSS_THRESHOLD * delivered && time > 0 {
            self.compare_intervals(scale(delivered, BW_UNIT, 1000 * time), now);
        }
    }

    /// `bbr_lt_bw_interval_done`: two intervals of about the same rate are a policer.
    fn compare_intervals(&mut self, bw: u64, now: Time) {
        let last = self.long_term.bw;
        let difference = bw.abs_diff(last);
        let is_like_it = difference.saturating_mul(UNIT) <= RATIO.saturating_mul(last)
            || self.bytes_per_second(difference, UNIT) <= DIFFERENCE;
        if last > 0 && is_like_it {
            self.long_term.bw = u64::midpoint(bw, last);
            self.long_term.use_bw = true;
            self.long_term.rounds = 0;
            return;
        }
        self.long_term.bw = bw;
        self.start_interval(now);
    }
}

fn millis(now: Time) -> u64 {
    now.0 / 1_000_000_000
}
