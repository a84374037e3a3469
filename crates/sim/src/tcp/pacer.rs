//! Pacing: segments leave no faster than a rate, one by one.

use congestion::{Duration, Rate, Time};

/// Release times of segments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pacer {
    next_send_time: Time,
    /// Time between two segments; zero without pacing.
    interval: Duration,
}

impl Pacer {
    /// Time between two segments; zero without pacing.
    #[must_use]
    pub fn interval(&self) -> Duration {
        self.interval
    }

    /// Earliest time of the next segment.
    #[must_use]
    #[inline]
    pub fn next_send_time(&self) -> Time {
        self.next_send_time
    }

    /// Pace segments of `smss` bytes at `rate` from the next one on; `None` ends pacing.
    #[inline]
    pub fn set_rate(&mut self, rate: Option<Rate>, smss: u32) {
        self.interval = match rate {
            Some(rate) => Duration::from_seconds(f64::from(smss) / rate.0).max(Duration(1)),
            None => Duration::ZERO,
        };
    }

    /// Release one segment per `interval`, counted from the last one that left, if it was paced.
    pub fn space(&mut self, interval: Duration) {
        if self.interval > Duration::ZERO && self.next_send_time > Time::ZERO {
            let sent = Time(self.next_send_time.0.saturating_sub(self.interval.0));
            self.next_send_time = sent + interval;
        }
        self.interval = interval;
    }

    /// Let the next segment go at `time`.
    pub fn wait_until(&mut self, time: Time) {
        self.next_send_time = time;
    }

    /// Put the next release one interval after this one, or after the time at which it was due.
    #[inline]
    pub fn on_sent(&mut self, now: Time) {
        if self.interval > Duration::ZERO {
            self.next_send_time = self.next_send_time.max(now) + self.interval;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_space_counts_from_the_last_segment() {
        let ms = |millis| Time::ZERO + Duration::from_millis(millis);
        let mut pacer = Pacer::default();
        pacer.space(Duration::from_millis(80));
        assert_eq!(pacer.next_send_time(), Time::ZERO, "the first segment need not wait");
        pacer.space(Duration::from_millis(80));
        pacer.on_sent(ms(100));
        assert_eq!(pacer.next_send_time(), ms(180));
        pacer.space(Duration::from_millis(120));
        assert_eq!(pacer.next_send_time(), ms(220));
        pacer.space(Duration::from_millis(30));
        assert_eq!(pacer.next_send_time(), ms(130));
    }

    #[test]
    fn segments_leave_at_the_rate_and_idle_time_earns_no_burst() {
        let ms = |millis| Time::ZERO + Duration::from_millis(millis);
        let mut pacer = Pacer::default();
        pacer.on_sent(ms(3));
        assert_eq!(pacer.next_send_time(), Time::ZERO, "no rate, no pacing");
        pacer.set_rate(Some(Rate(1e6)), 1000);
        pacer.on_sent(ms(5));
        assert_eq!(pacer.next_send_time(), ms(6));
        pacer.on_sent(ms(6));
        assert_eq!(pacer.next_send_time(), ms(7));
        pacer.on_sent(ms(20));
        assert_eq!(pacer.next_send_time(), ms(21));
    }

    /// A flow that was not paced has no segment to count from.
    #[test]
    fn a_first_space_delays_nothing() {
        let ms = |millis| Time::ZERO + Duration::from_millis(millis);
        let mut pacer = Pacer::default();
        pacer.space(Duration::from_millis(80));
        pacer.space(Duration::from_millis(40));
        assert_eq!(pacer.next_send_time(), Time::ZERO);
        pacer.on_sent(ms(5));
        pacer.set_rate(None, 1000);
        pacer.space(Duration::from_millis(80));
        assert_eq!(pacer.next_send_time(), ms(45));
    }
}
