//! Pacing by a leaky bucket (RFC 9002 section 7.7).
//! <https://www.rfc-editor.org/rfc/rfc9002#section-7.7>

use congestion::{Duration, Time};

use crate::tcp::pacer::Pacer;

/// Windows per smoothed RTT. "Using a value for N that is small, but at least 1 (for example, 1.25) ensures that variations
/// in RTT do not result in underutilization of the congestion window."
const WINDOWS: f64 = 1.25;

/// Pacing of one flow: "the capacity of the bucket is limited to the maximum burst size".
#[derive(Clone, Copy, Debug, Default)]
pub struct LeakyBucket {
    /// When all that was sent has leaked out.
    empty_at: Time,
}

impl LeakyBucket {
    /// Note that a segment leaves, and tell the pacer when the next one fits into a bucket of `burst` segments. The rate is
    /// the controller's, which `pacer` has, or else that of a window of `cwnd` segments:
    ///
    /// ```text
    /// interval = ( smoothed_rtt * packet_size / congestion_window ) / N
    /// ```
    pub fn on_sent(&mut self, cwnd: u32, srtt: Duration, burst: u32, pacer: &mut Pacer, now: Time) {
        let own = pacer.interval();
        let of_window = || Duration::from_seconds(srtt.seconds() / (WINDOWS * f64::from(cwnd.max(1))));
        let interval = if own > Duration::ZERO { own } else { of_window() };
        self.empty_at = self.empty_at.max(now) + interval;
        let room = interval * u64::from(burst.max(1) - 1);
        pacer.wait_until(Time(self.empty_at.0.saturating_sub(room.0)));
    }
}

#[cfg(test)]
mod tests {
    use congestion::Rate;

    use super::*;

    fn ms(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// A window of 8 segments in round trips of 100 ms: ten a round trip, one each 10 ms, after a burst of four. Idle time
    /// earns no longer burst.
    #[test]
    fn a_burst_leaves_at_once_and_the_rest_at_the_rate() {
        let (mut bucket, mut pacer) = (LeakyBucket::default(), Pacer::default());
        let mut send = |at| {
            bucket.on_sent(8, Duration::from_millis(100), 4, &mut pacer, at);
            pacer.next_send_time()
        };
        for start in [ms(1000), ms(9000)] {
            let (mut now, mut since) = (start, Vec::new());
            for _ in 0..7 {
                since.push(now.since(start).0 / ms(1).0);
                now = send(now).max(now);
            }
            assert_eq!(since, [0, 0, 0, 0, 10, 20, 30]);
        }
    }

    #[test]
    fn a_controller_that_paces_keeps_its_rate() {
        let (mut bucket, mut pacer) = (LeakyBucket::default(), Pacer::default());
        pacer.set_rate(Some(Rate(1e5)), 1000);
        bucket.on_sent(8, Duration::from_millis(100), 1, &mut pacer, ms(50));
        assert_eq!(pacer.next_send_time(), ms(60));
    }
}
