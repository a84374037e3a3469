//! Smallest round-trip time of data, the base of algorithms that look for queues.

use crate::control::AckSample;
use crate::units::Duration;

/// Smallest RTT that data had on this connection.
///
/// [`crate::Flow::min_rtt`] also has the handshake's. Its packets are small, so on slow paths it is below what data
/// can reach without a queue. Linux's delay-based modules therefore know samples of data alone: `tcp_vegas_init` sets
/// the base after the handshake's sample, and `tcp_westwood.c` forgets that sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BaseRtt {
    smallest: Duration,
    /// The round trip under way began before a restart.
    spans_restart: bool,
}

impl BaseRtt {
    pub const UNKNOWN: Self = Self { smallest: Duration::MAX, spans_restart: false };

    pub fn observe(&mut self, ack: &AckSample) {
        if let Some(rtt) = ack.rtt {
            self.smallest = self.smallest.min(rtt);
        }
    }

    /// Begins anew with what is sent now, after nothing was in flight: samples from before are no evidence of the path
    /// (Linux, `tcp_vegas_cwnd_event`).
    pub fn restart(&mut self) {
        *self = Self { spans_restart: true, ..Self::UNKNOWN };
    }

    /// The round trip that ends began before a restart, so its samples are of two times.
    pub fn round_spans_restart(&mut self) -> bool {
        std::mem::take(&mut self.spans_restart)
    }

    /// Zero before the first sample.
    pub fn get(self) -> Duration {
        if self.smallest == Duration::MAX { Duration::ZERO } else { self.smallest }
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
        base.restart();
        assert_eq!(base.get(), Duration::ZERO);
        assert_eq!([base.round_spans_restart(), base.round_spans_restart()], [true, false]);
    }
}
