//! Token bucket, by which a policer and a shaper measure packets.

use congestion::Time;

/// Units of a bucket's clock in a picosecond: rates do not drift for want of precision.
const FRACTION: u32 = 32;

/// A bucket that fills at a constant rate. Tokens are kept as the time at which it will be full, so an idle bucket needs no
/// updates.
#[derive(Clone, Copy, Debug)]
pub struct TokenBucket {
    /// Time in which a byte's worth flows in [2^-32 ps].
    per_byte: u128,
    /// Time in which the empty bucket fills [2^-32 ps].
    depth: u128,
    /// [2^-32 ps].
    full_at: u128,
}

impl TokenBucket {
    /// A full bucket of `burst` bytes that fills at `rate` [bit/s].
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate is at least 1 bit/s")]
    pub fn new(rate: f64, burst: u64) -> Self {
        let per_byte = libm::round(8e12 / rate * 4_294_967_296.0) as u128;
        Self { per_byte, depth: per_byte * u128::from(burst), full_at: 0 }
    }

    fn cost(&self, bytes: u32) -> u128 {
        self.per_byte * u128::from(bytes)
    }

    /// Tokens at a time [bytes].
    #[expect(clippy::cast_precision_loss, reason = "for traces")]
    pub fn tokens(&self, now: Time) -> f64 {
        let missing = self.full_at.saturating_sub(clock(now));
        self.depth.saturating_sub(missing) as f64 / self.per_byte.max(1) as f64
    }

    /// Earliest time from `now` on at which there are tokens for `bytes`, of which the bucket must be able to hold so many.
    #[expect(clippy::cast_possible_truncation, reason = "a bucket fills long before time ends")]
    pub fn ready(&self, bytes: u32, now: Time) -> Time {
        let ready = (self.full_at + self.cost(bytes)).saturating_sub(self.depth);
        now.max(Time(ready.div_ceil(1 << FRACTION) as u64))
    }

    /// Take the tokens for `bytes` out, if there are so many.
    pub fn take(&mut self, bytes: u32, now: Time) -> bool {
        // A packet that waited for its tokens left at the next whole picosecond; what flowed in meanwhile is not lost.
        let rounding = clock(now).saturating_sub(self.full_at) < 1 << FRACTION;
        let full_at = if rounding { self.full_at } else { clock(now) } + self.cost(bytes);
        let enough = full_at <= clock(now) + self.depth;
        if enough {
            self.full_at = full_at;
        }
        enough
    }
}

fn clock(now: Time) -> u128 {
    u128::from(now.0) << FRACTION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_bucket_passes_its_burst_and_then_its_rate() {
        // 8 Mbit/s: a byte per microsecond.
        let mut bucket = TokenBucket::new(8e6, 3000);
        let at = |micros: u64| Time(micros * 1_000_000);
        assert!(bucket.take(1500, at(0)) && bucket.take(1500, at(0)) && !bucket.take(1, at(0)));
        assert_eq!(bucket.ready(1500, at(0)), at(1500));
        assert!((bucket.tokens(at(600)) - 600.0).abs() < 1e-9);
        assert!(!bucket.take(601, at(600)) && bucket.take(600, at(600)));
        assert!((bucket.tokens(at(9000)) - 3000.0).abs() < 1e-9, "no more than the burst");
        assert_eq!(bucket.ready(3000, at(9000)), at(9000));
    }

    #[test]
    fn rates_do_not_drift() {
        // A third of a bit per picosecond does not go evenly into picoseconds.
        let mut bucket = TokenBucket::new(3e11, 1500);
        let mut now = Time::ZERO;
        let packets = 1_000_000u32;
        for _ in 0..=packets {
            now = bucket.ready(1500, now);
            assert!(bucket.take(1500, now));
        }
        let rate = f64::from(packets) * 12_000.0 / now.seconds();
        assert!((rate / 3e11 - 1.0).abs() < 1e-9, "{rate}");
    }
}
