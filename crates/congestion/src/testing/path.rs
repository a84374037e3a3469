//! Path of a scripted flow.

use crate::units::{Duration, PS_PER_S};
use crate::window::to_float;

/// Path of one bottleneck. By default it is 100 ms long and has no bottleneck: nothing waits and nothing is
/// lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Rate of the bottleneck [segments/s]; infinite for none.
    pub rate: f64,
    /// Propagation there and back; a segment's transmission comes on top by path.
    pub rtt: Duration,
    /// Room for waiting segments, beyond which they are lost [segments]; by path.
    pub buffer: f64,
    /// Queue beyond which segments of ECN-capable flows are marked [segments]; by path.
    pub mark_above: f64,
    /// Scripted loss of every n-th segment; by round and by path.
    pub lose_every: Option<u64>,
    /// ACKs of a round trip arrive together at its end, instead of spread over it; by round.
    pub compressed: bool,
}

impl Default for Path {
    fn default() -> Self {
        Self {
            rate: f64::INFINITY,
            rtt: Duration::from_millis(100),
            buffer: f64::INFINITY,
            mark_above: f64::INFINITY,
            lose_every: None,
            compressed: false,
        }
    }
}

impl Path {
    /// Bandwidth-delay product [segments].
    pub fn bdp(&self) -> f64 {
        self.rate * self.seconds()
    }

    /// Round-trip time of a whole window: beyond the bandwidth-delay product it waits in the queue.
    pub fn rtt_of(&self, window: u32) -> Duration {
        Duration::from_seconds(self.seconds() * (f64::from(window) / self.bdp()).max(1.0))
    }

    /// Propagation there and back [s], correctly rounded: 100 ms are 0.1.
    fn seconds(&self) -> f64 {
        to_float(self.rtt.0) / to_float(PS_PER_S)
    }
}
