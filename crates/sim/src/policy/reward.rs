//! Rewards for the time between two decisions.

use serde::{Deserialize, Serialize};

use super::record::{Record, ratio};

/// Reward and its weights.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(tag = "name", rename_all = "snake_case", deny_unknown_fields)]
pub enum Reward {
    /// `throughput T - delay D - loss L` of the delivery rate `T` [segments/s], the mean RTT `D` [s] and the part `L` of
    /// the data that was lost; 10, 1000 and 2000 in Jay et al., ICML 2019 (Aurora).
    Aurora {
        /// Weight of the delivery rate.
        throughput: f64,
        /// Weight of the RTT.
        delay: f64,
        /// Weight of the loss.
        loss: f64,
    },
    /// `(T - loss L) / greatest T x d` of the delivery rate `T` and the rate of losses `L`; `d` is 1 while the smoothed
    /// RTT is at most `margin` times the least, and then the quotient of these. 5 and 1.25 in the code of Orca
    /// (Abbasloo, Yen, Chao, Sigcomm 2020).
    Orca {
        /// Weight of the losses.
        loss: f64,
        /// RTT over the least RTT that costs nothing.
        margin: f64,
    },
    /// `ln T - delay ln(D / least D)` of the delivery rate `T` [Mbit/s] and the mean RTT `D` (Winstein, Balakrishnan,
    /// Sigcomm 2013, with the queueing ratio for the delay). Its sum over flows is largest where rates are
    /// proportionally fair. `T` is at least one segment in the interval, or in the least RTT if that is longer.
    LogUtility {
        /// Weight of the delay.
        delay: f64,
    },
}

const MEGABIT: f64 = 125_000.0;

impl Reward {
    /// Reward from JSON.
    ///
    /// # Errors
    /// The fault.
    pub fn parse(json: &str) -> Result<Self, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    /// Reward for a record.
    pub fn of(&self, record: &Record) -> f64 {
        if record.elapsed <= 0.0 {
            return 0.0;
        }
        match *self {
            Self::Aurora { throughput, delay, loss } => {
                throughput * record.rate() / record.smss
                    - delay * record.rtt.mean
                    - loss * record.loss_ratio()
            }
            Self::Orca { loss, margin } => {
                let lost = record.counts.lost / record.elapsed;
                let free = ratio(margin * record.rtt.least, record.rtt.smoothed, 1.0).min(1.0);
                ratio(record.rate() - loss * lost, record.state.greatest_rate, 0.0) * free
            }
            Self::LogUtility { delay } => {
                let least = record.smss / record.elapsed.max(record.rtt.least);
                let rate = record.rate().max(least) / MEGABIT;
                let stretch = ratio(record.rtt.mean, record.rtt.least, 1.0).max(1.0);
                libm::log(rate) - delay * libm::log(stretch)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::record::{Counts, RoundTrips, State};

    fn record() -> Record {
        Record {
            elapsed: 0.1,
            smss: 1000.0,
            counts: Counts { delivered: 90_000.0, lost: 10_000.0, ..Counts::default() },
            rtt: RoundTrips { mean: 0.05, least: 0.025, smoothed: 0.05, ..RoundTrips::default() },
            state: State { greatest_rate: 1_000_000.0, ..State::default() },
            ..Record::default()
        }
    }

    #[test]
    fn rewards_are_those_worked_out_on_paper() {
        let close = |reward: Reward, expected: f64| {
            let actual = reward.of(&record());
            assert!((actual - expected).abs() < 1e-9, "{reward:?}: {actual}, not {expected}");
        };
        // 900 segments/s, 50 ms, a tenth lost.
        close(Reward::Aurora { throughput: 10.0, delay: 1000.0, loss: 2000.0 }, 9000.0 - 50.0 - 200.0);
        // 900 kB/s less 5 times 100 kB/s, of 1 MB/s; 1.25 times the least RTT is 0.625 of the smoothed one.
        close(Reward::Orca { loss: 5.0, margin: 1.25 }, 0.4 * 0.625);
        close(Reward::LogUtility { delay: 1.0 }, libm::log(7.2) - libm::log(2.0));
        // A segment of 1000 bytes in the least RTT of 25 ms, not in the interval of 1 ms.
        let idle = Record { elapsed: 0.001, counts: Counts::default(), ..record() };
        assert!((Reward::LogUtility { delay: 1.0 }.of(&idle) - libm::log(0.32 / 2.0)).abs() < 1e-9);
    }

    #[test]
    fn no_time_brings_no_reward() {
        let reward = Reward::LogUtility { delay: 1.0 };
        assert!(reward.of(&Record::default()).abs() < 1e-300);
    }
}
