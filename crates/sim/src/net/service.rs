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
    /// A time per byte. At 100 bit/s it takes 69 bits.
    PerByte {
        /// Whole picoseconds.
        whole: u64,
        /// Parts of 2^-32 picosecond, so that rates do not drift.
        fraction: u32,
    },
}

impl Service {
    /// Service at a rate.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float to integer casts saturate; rates are checked before"
    )]
    pub fn new(rate: ServiceRate) -> Self {
        match rate {
            ServiceRate::PacketsPerSecond(rate) => Self::Fixed(Duration(libm::round(1e12 / rate) as u64)),
            ServiceRate::BitsPerSecond(rate) => {
                let parts = libm::round(8e12 / rate * 4_294_967_296.0) as u128;
                Self::PerByte { whole: (parts >> 32) as u64, fraction: parts as u32 }
            }
        }
    }

    /// Time to serve a packet of `bytes`.
    #[inline]
    pub fn time(self, bytes: u32) -> Duration {
        match self {
            Self::Fixed(time) => time,
            Self::PerByte { whole, fraction } => {
                let bytes = u64::from(bytes);
                Duration(whole * bytes + ((u64::from(fraction) * bytes) >> 32))
            }
        }
    }

    /// Time of a packet, or of a byte [2^-32 ps].
    pub fn per_unit(self) -> u128 {
        match self {
            Self::Fixed(time) => u128::from(time.0) << 32,
            Self::PerByte { whole, fraction } => u128::from(whole) << 32 | u128::from(fraction),
        }
    }
}
