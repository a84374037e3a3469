//! Times of mesonet as s2n-quic counts them: in microseconds, from one on.

use std::time::Duration;

use mesonet_plugin::congestion::Time;
use s2n_quic_core::time::{Clock, NoopClock, Timestamp};

const PICOSECONDS: u64 = 1_000_000;

/// The timestamp of an instant.
pub fn timestamp(time: Time) -> Timestamp {
    NoopClock.get_time() + Duration::from_micros(time.0 / PICOSECONDS)
}

/// The instant of a timestamp.
pub fn time(timestamp: Timestamp) -> Time {
    let since = timestamp.saturating_duration_since(NoopClock.get_time());
    Time(u64::try_from(since.as_micros()).unwrap_or(u64::MAX).saturating_mul(PICOSECONDS))
}
