//! Persistent congestion (RFC 9002 section 7.6): of the packets that are lost, two left far from each other, and none
//! between them was acknowledged. s2n-quic's own calculator needs a path of a connection, which cannot be made outside.

use s2n_quic_core::recovery::RttEstimator;
use s2n_quic_core::time::Timestamp;

/// Losses without an acknowledged packet between them, since an acknowledgment came last.
#[derive(Debug, Default)]
pub struct Period {
    /// First one, and number of the last.
    current: Option<(Timestamp, u64)>,
    /// The period was long enough.
    is_persistent: bool,
}

impl Period {
    /// Takes in the loss of packet `number`; true if congestion is persistent. Section 7.6.2: "none of the packets sent
    /// between the send times of these two packets are acknowledged; the duration between the send times of these two
    /// packets exceeds the persistent congestion duration", and "a prior RTT sample existed when these two packets were sent".
    pub fn on_lost(&mut self, number: u64, sent: Timestamp, rtt: &RttEstimator) -> bool {
        if rtt.first_rtt_sample().is_none_or(|first| sent < first) {
            return self.is_persistent;
        }
        let start = match self.current {
            Some((start, last)) if last + 1 == number => start,
            _ => sent,
        };
        self.current = Some((start, number));
        self.is_persistent |= sent.saturating_duration_since(start) > rtt.persistent_congestion_threshold();
        self.is_persistent
    }

    /// Begins anew: an acknowledgment has come.
    pub fn end(&mut self) {
        *self = Self::default();
    }
}
