//! Round-trip time and retransmission timeout, RFC 6298.

use crate::spec::{RtoRule, Transport};
use congestion::Duration;

/// Bounds of the retransmission timeout [ps].
#[derive(Clone, Copy, Debug)]
pub struct RtoBounds {
    /// Before the first sample.
    pub initial: u64,
    /// Floor.
    pub min: u64,
    /// Ceiling.
    pub max: u64,
    /// The floor is of what is added to the smoothed RTT, as in Linux, and not of the sum.
    pub over_rtt: bool,
}

impl From<&Transport> for RtoBounds {
    fn from(transport: &Transport) -> Self {
        let ps = |seconds| Duration::from_seconds(seconds).0;
        Self {
            initial: ps(transport.rto_initial),
            min: ps(transport.rto_min),
            max: ps(transport.rto_max),
            over_rtt: transport.rto_rule == RtoRule::Linux,
        }
    }
}

/// Estimator of one connection.
#[derive(Clone, Copy, Debug)]
pub struct RttEstimator {
    /// Smoothed RTT [ps], 0 before the first sample.
    pub srtt: u64,
    /// Smallest sample [ps], `u64::MAX` before the first.
    pub min: u64,
    variation: u64,
    timeout: u64,
}

impl RttEstimator {
    /// No sample yet.
    #[must_use]
    pub fn new(bounds: &RtoBounds) -> Self {
        Self { srtt: 0, min: u64::MAX, variation: 0, timeout: bounds.initial }
    }

    /// A sample was taken [ps]. Section 2: "SRTT <- (1 - alpha) * SRTT + alpha * R'" with alpha 1/8, beta 1/4.
    /// <https://www.rfc-editor.org/rfc/rfc6298#section-2>
    pub fn sample(&mut self, rtt: u64, bounds: &RtoBounds) {
        self.min = self.min.min(rtt);
        if self.srtt == 0 {
            self.srtt = rtt.max(1);
            self.variation = rtt / 2;
        } else {
            self.variation = self.variation - self.variation / 4 + self.srtt.abs_diff(rtt) / 4;
            self.srtt = self.srtt - self.srtt / 8 + rtt / 8;
        }
        let margin = 4 * self.variation;
        self.timeout = if bounds.over_rtt {
            self.srtt + margin.max(bounds.min)
        } else {
            (self.srtt + margin).max(bounds.min)
        }
        .min(bounds.max);
    }

    /// Current timeout [ps].
    #[must_use]
    pub fn timeout(&self) -> u64 {
        self.timeout
    }

    /// Section 5.5: "The host MUST set RTO <- RTO * 2 ("back off the timer")".
    /// <https://www.rfc-editor.org/rfc/rfc6298#section-5>
    pub fn back_off(&mut self, bounds: &RtoBounds) {
        self.timeout = (self.timeout * 2).min(bounds.max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    fn bounds() -> RtoBounds {
        RtoBounds { initial: 3000 * MS, min: 1000 * MS, max: 60_000 * MS, over_rtt: false }
    }

    /// RFC 6298 section 2: first sample gives SRTT = R, RTTVAR = R/2, so RTO = 3 R, and a floor of 1 s.
    #[test]
    fn first_sample_and_floor() {
        let mut rtt = RttEstimator::new(&bounds());
        assert_eq!(rtt.timeout(), 3000 * MS);
        rtt.sample(800 * MS, &bounds());
        assert_eq!((rtt.srtt, rtt.timeout()), (800 * MS, 2400 * MS));
        let mut rtt = RttEstimator::new(&bounds());
        rtt.sample(100 * MS, &bounds());
        assert_eq!(rtt.timeout(), 1000 * MS);
    }

    /// `tcp_rtt_estimator` in Linux keeps RTTVAR at `tcp_rto_min` or above, so that steady round trips,
    /// however long, leave 200 ms between an ACK and the timeout.
    #[test]
    fn the_floor_of_linux_is_above_the_round_trip() {
        let bounds = RtoBounds { min: 200 * MS, over_rtt: true, ..bounds() };
        let mut rtt = RttEstimator::new(&bounds);
        for _ in 0..100 {
            rtt.sample(600 * MS, &bounds);
        }
        assert_eq!(rtt.timeout().div_ceil(MS), 800);
    }

    /// RFC 6298 section 2.3 and 5.5.
    #[test]
    fn later_samples_and_back_off() {
        let mut rtt = RttEstimator::new(&bounds());
        rtt.sample(800 * MS, &bounds());
        rtt.sample(1600 * MS, &bounds());
        // RTTVAR = 3/4 * 400 + 1/4 * 800 = 500, SRTT = 7/8 * 800 + 1/8 * 1600 = 900.
        assert_eq!((rtt.srtt, rtt.timeout()), (900 * MS, 2900 * MS));
        rtt.back_off(&bounds());
        assert_eq!(rtt.timeout(), 5800 * MS);
        for _ in 0..10 {
            rtt.back_off(&bounds());
        }
        assert_eq!(rtt.timeout(), 60_000 * MS);
        rtt.sample(900 * MS, &bounds());
        assert!(rtt.timeout() < 3000 * MS, "a new sample ends the back-off");
        assert_eq!(rtt.min, 800 * MS);
    }
}
