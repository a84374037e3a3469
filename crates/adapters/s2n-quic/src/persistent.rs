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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mesonet_plugin::congestion::Time;
    use s2n_quic_core::packet::number::PacketNumberSpace;

    use super::*;
    use crate::clock::timestamp;

    /// RFC 9002 section 7.6.3: a sender with a probe timeout of 2 s sends packets 2 to 8 at 1, 2, 3, 4, 5, 6 and 8 s. All are
    /// lost: "the congestion period is calculated as the time between the oldest and newest lost packets: 8 - 1 = 7", and
    /// the duration is 6.
    #[test]
    fn the_example_of_the_rfc_is_persistent() {
        let s = |seconds: u64| timestamp(Time(seconds * 1_000_000_000_000));
        let mut rtt = RttEstimator::new(Duration::from_secs(2));
        for _ in 0..100 {
            rtt.update_rtt(
                Duration::ZERO,
                Duration::from_secs(2),
                s(0),
                true,
                PacketNumberSpace::ApplicationData,
            );
        }
        let sent = [1, 2, 3, 4, 5, 6, 8];
        let mut period = Period::default();
        let persistent: Vec<bool> =
            (2..).zip(sent).map(|(number, at)| period.on_lost(number, s(at), &rtt)).collect();
        assert_eq!(persistent, [false, false, false, false, false, false, true]);
        // Packet 5 was acknowledged.
        period.end();
        let gaps = (2..).zip(sent).filter(|(number, _)| *number != 5);
        assert!(gaps.map(|(number, at)| period.on_lost(number, s(at), &rtt)).all(|persistent| !persistent));
    }
}
