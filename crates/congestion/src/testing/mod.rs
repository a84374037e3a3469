//! Scripted transport for tests of controllers, with the feature `testing`.
//!
//! [`Transport`] notifies a controller as a real transport does: ACKs, round trips, rates, episodes of
//! congestion, wake-ups and headers of routers. A script drives it in one of three ways:
//!
//! | Script | Methods | Use |
//! |---|---|---|
//! | by round | [`round`](Transport::round), [`lose`](Transport::lose) | growth and back-off, counted in round trips |
//! | by path | [`run`](Transport::run), [`run_until`](Transport::run_until) | controllers that pace, or follow rates and queues |
//! | by ACK | [`acknowledge`](Transport::acknowledge), [`congestion`](Transport::congestion), [`timeout`](Transport::timeout), [`pass`](Transport::pass) | one event after the other |
//!
//! Every method checks the decision after each call, and fails where it makes no sense.
//!
//! ```
//! use congestion::testing::{Path, Transport, avoiding};
//! use congestion::{Duration, factory};
//!
//! let create = factory("reno", &Default::default())?;
//! // 60 segments fill the path; congestion avoidance begins at 50 segments of 1000 bytes.
//! let path = Path { rate: 600.0, rtt: Duration::from_millis(100), ..Path::default() };
//! let mut transport = Transport::new(create(&avoiding(50.0)), 1000, path);
//!
//! for _ in 0..10 {
//!     transport.round()?;
//! }
//! assert_eq!(transport.segments().round(), 60.0); // one segment per round trip
//! transport.lose()?;
//! assert_eq!(transport.segments().round(), 30.0); // half of it
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bottleneck;
mod helpers;
mod path;
mod round;
mod routers;
mod transport;

#[cfg(test)]
mod tests;

pub use helpers::*;
pub use path::Path;
pub use transport::{Transport, Verdict};
