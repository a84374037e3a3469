//! Congestion control as policy: no simulator, no I/O, no clock.
//!
//! A transport obtains a [`Factory`] by name once per scenario and a controller from it once per flow. It
//! then reports every ACK and every episode, and asks for the [`Decision`]:
//!
//! ```
//! use std::collections::BTreeMap;
//! use congestion::{AckSample, CongestionEvent, Flow, Halve, Initial};
//!
//! let initial = Initial {
//!     smss: 1500,
//!     window: 2.0,
//!     ssthresh: f64::INFINITY,
//!     restart_window: 1.0,
//!     halve: Halve::Window,
//!     counts_whole_acks: false,
//!     seed: 0,
//! };
//! let create = congestion::factory("reno", &BTreeMap::new())?;
//! let mut controller = create(&initial);
//! let flow = Flow { smss: 1500, cwnd_limited: true, ..Flow::default() };
//!
//! controller.on_ack(&AckSample { delivered: 1500, ..AckSample::default() }, &flow);
//! assert_eq!(controller.decision().cwnd, 3.0 * 1500.0); // slow start
//! controller.on_congestion(CongestionEvent::EnterRecovery, &flow);
//! assert_eq!(controller.decision().cwnd, 2.0 * 1500.0); // not below two segments
//! # Ok::<(), congestion::RegistryError>(())
//! ```
//!
//! To add an algorithm: a file in `algorithms/` with its parameters ([`params!`]), an [`Algorithm`] and a
//! [`WindowController`] or [`CongestionControl`]; a line in `registry.rs`; a page in
//! `docs/models/`. The conformance tests run it from then on.
//!
//! Features for tests, of algorithms here and of controllers elsewhere: `testing` has a scripted transport, and
//! `conformance` the demands that every controller has to meet.

mod abe;
#[macro_use]
mod algorithm;
#[macro_use]
mod window_controller;
mod algorithms;
mod base_rtt;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod control;
mod filters;
mod hystart;
mod hystart_linux;
mod random;
mod registry;
mod search;
mod segment;
mod slow_start_by_rounds;
#[cfg(feature = "testing")]
pub mod testing;
pub mod units;
mod window;

pub use algorithm::{Algorithm, Param};
pub use control::*;
pub use hystart::HyStart;
pub use registry::{Factory, RegistryError, algorithms, factory, needs, values};
pub use segment::{Delivery, SentSegment};
pub use slow_start_by_rounds::SlowStartByRounds;
pub use units::*;
pub use window::{BETA_RENO, Window};
pub use window_controller::WindowController;
