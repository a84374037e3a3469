//! Detection of a bottleneck that marks as RFC 3168 has it, by how much the RTT varies and how long the queue is, as in
//! Linux (`L4STeam/linux`, `prague_classic_ecn_detection`; B. Briscoe, A. Ahmed, arXiv 1911.00710).

use crate::units::Duration;

/// Round-trip time whose mean deviation says nothing either way, V0 [µs].
const V0: f64 = 750.0;
/// Queueing delay below which nothing is said, D0 [µs].
const D0: f64 = 2000.0;
/// Weights of the two, V and D.
const WEIGHT: f64 = 0.5;
/// Distance of either sticky end from the transition between L4S (0) and classic (1).
const STICKY: f64 = 8.0;
/// Part of a halving with which a certain detection is answered: 1/2 + 1/8.
const FACTOR: f64 = 0.625;
/// Slowest gain of the smoothed RTT, 2^-18.
const SLOWEST: i32 = 18;

/// Indicator, and the smoothed RTT and its mean deviation [µs], slower than those of RFC 6298.
#[derive(Debug)]
pub(super) struct Detector {
    indicator: f64,
    srtt: Option<f64>,
    mdev: f64,
    /// Gain of `srtt` is 2 to the minus this; that of `mdev` is half of it.
    shift: i32,
}

impl Default for Detector {
    fn default() -> Self {
        Self { indicator: -STICKY, srtt: None, mdev: 1.0, shift: SLOWEST }
    }
}

impl Detector {
    /// 0 or less is L4S, 1 or more classic; from -8 to 9.
    pub(super) fn classic_ecn(&self) -> f64 {
        self.indicator
    }

    /// Takes in an RTT.
    pub(super) fn sample(&mut self, rtt: Duration) {
        let rtt = rtt.seconds() * 1e6;
        let Some(srtt) = &mut self.srtt else {
            self.srtt = Some(rtt);
            return;
        };
        let gain = libm::exp2(-f64::from(self.shift));
        let error = rtt - *srtt;
        *srtt += gain * error;
        self.mdev += gain / 2.0 * (error.abs() - self.mdev);
    }

    /// Gains for a window of `ssthresh` segments: the sawtooth of a classic flow is to be seen, not what is faster.
    pub(super) fn adapt_gains(&mut self, ssthresh: f64) {
        let lg = if ssthresh.is_finite() { exponent(ssthresh) } else { SLOWEST };
        self.shift = (lg + lg / 2 + 1).min(SLOWEST);
    }

    /// Once per period: `V lg(mdev / V0) + D lg(max(d / D0, 1))` is added, where d is the queueing delay.
    pub(super) fn judge(&mut self, min_rtt: Duration) {
        let Some(srtt) = self.srtt else { return };
        self.indicator += WEIGHT * libm::log2(self.mdev.max(1.0) / V0);
        let depth = srtt - min_rtt.seconds() * 1e6;
        // A short queue is no sign of L4S: classic bottlenecks have one at times.
        self.indicator += WEIGHT * libm::log2((depth / D0).max(1.0));
        self.indicator = self.indicator.clamp(-STICKY, 1.0 + STICKY);
    }

    /// Least alpha with which a mark is answered, 0 of L4S to 0.625 of a classic bottleneck.
    pub(super) fn least_alpha(&self) -> f64 {
        FACTOR * self.indicator.clamp(0.0, 1.0)
    }
}

/// Whole part of the binary logarithm of a number, 0 at least.
#[expect(clippy::cast_possible_truncation, reason = "logarithms are small")]
fn exponent(number: f64) -> i32 {
    libm::floor(libm::log2(number.max(1.0))) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linux, `prague_cca_reset` and `prague_classic_ecn_detection`: the gain is 2^-(lg + lg/2 + 1) of the binary logarithm
    /// of the threshold, 2^-18 without one, and the deviation has half of it.
    #[test]
    fn gains_follow_the_threshold() {
        let mut detector = Detector::default();
        for (ssthresh, shift) in
            [(64.0, 10), (127.0, 10), (128.0, 11), (1.0, 1), (1e9, 18), (f64::INFINITY, 18)]
        {
            detector.adapt_gains(ssthresh);
            assert_eq!(detector.shift, shift, "{ssthresh}");
        }
        // A gain of 1/16, and an RTT that is 160 us longer than the mean; the deviation begins at 1 us.
        detector.adapt_gains(4.0);
        for micros in [1000, 1160] {
            detector.sample(Duration(micros * 1_000_000));
        }
        assert!((detector.srtt.expect("it is known") - 1010.0).abs() < 1e-6);
        assert!((detector.mdev - (1.0 + 159.0 / 32.0)).abs() < 1e-6);
    }
}
