//! Rates of servers and times of service.

use congestion::Duration;
use serde::{Deserialize, Serialize};

/// Service rate of a station or interface.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum ServiceRate {
    /// Every packet costs the same.
    PacketsPerSecond(f64),
    /// A packet costs its bits.
    BitsPerSecond(f64),
}

/// Time to serve a packet.
#[derive(Clone, Copy, Debug)]
pub enum Service {
    /// One time for every packet.
    Fixed(Duration),
    /// Parts of 2^-32 picosecond per byte, so that rates do not drift. At 100 bit/s they take 69 bits.
    PerByte(u128),
}

impl Service {
    /// Service at a rate.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float to integer casts saturate; rates are checked before"
    )]
    pub fn new(rate: ServiceRate) -> Self {
        match rate {
            ServiceRate::PacketsPerSecond(rate) => Self::Fixed(Duration(libm::round(1e12 / rate) as u64)),
            ServiceRate::BitsPerSecond(rate) => {
                Self::PerByte(libm::round(8e12 / rate * 4_294_967_296.0) as u128)
            }
        }
    }

    /// Time to serve a packet of `bytes`.
    #[must_use]
    #[inline]
    pub fn time(self, bytes: u32) -> Duration {
        match self {
            Self::Fixed(time) => time,
            #[expect(clippy::cast_possible_truncation, reason = "a packet takes far less than 2^64 ps")]
            Self::PerByte(per_byte) => Duration(((per_byte * u128::from(bytes)) >> 32) as u64),
        }
    }
}
