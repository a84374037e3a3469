//! Smallest round-trip time of data, the base of algorithms that look for queues.

use crate::control::AckSample;
use crate::units::Duration;

/// Smallest RTT that data had on this connection.
///
/// [`crate::Flow::min_rtt`] also has the handshake's. Its packets are small, so on slow paths it is below what data
/// can reach without a queue. Linux's delay-based modules therefore know samples of data alone: `tcp_vegas_init` sets
/// the base after the handshake's sample, and `tcp_westwood.c` forgets that sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BaseRtt(Duration);

impl BaseRtt {
    pub const UNKNOWN: Self = Self(Duration::MAX);

    pub fn observe(&mut self, ack: &AckSample) {
        if let Some(rtt) = ack.rtt {
            self.0 = self.0.min(rtt);
        }
    }

    /// Zero before the first sample.
    pub fn get(self) -> Duration {
        if self.0 == Duration::MAX { Duration::ZERO } else { self.0 }
    }

    pub fn seconds(self) -> f64 {
        self.get().seconds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_smallest_sample() {
        let mut base = BaseRtt::UNKNOWN;
        assert_eq!(base.get(), Duration::ZERO);
        for (rtt, expected) in [(None, 0), (Some(40), 40), (Some(50), 40), (None, 40), (Some(30), 30)] {
            base.observe(&AckSample { rtt: rtt.map(Duration::from_millis), ..AckSample::default() });
            assert_eq!(base.get(), Duration::from_millis(expected));
        }
    }
}
