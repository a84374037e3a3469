//! Deterministic packet-level simulator of congestion control on networks of stations.
//!
//! A scenario ([`spec::Spec`], usually resolved by the Python package) and a seed make a run:
//!
//! ```
//! let spec = sim::parse(include_str!("../tests/data/dumbbell.json"))?;
//! let output = sim::run(&spec, 1, 1, &mut |_| true)?;
//! let totals = output.totals;
//! assert_eq!(totals.injected, totals.delivered + totals.dropped + output.in_flight);
//! # Ok::<(), sim::Error>(())
//! ```
//!
//! Read `kernel` for time and order, `net` for packets and stations, `tcp` for the mechanism, `region` for
//! how they work together. Nothing here reads a clock, the environment or the order of a hash table.

pub mod environment;
pub mod kernel;
pub mod measure;
pub mod net;
mod parallel;
mod plugin;
pub mod policy;
pub mod region;
mod run;
pub mod scenario;
pub mod spec;
pub mod tcp;
pub mod world;

pub use measure::output::RunOutput;
pub use plugin::{Constructor, Plugin, Plugins};
pub use run::{RESULT_VERSION, carried, run, run_on, run_with};
pub use scenario::checked::{CheckedSpec, discipline_faults, parse, parse_with};
pub use scenario::need::need;
pub use scenario::owner::owner;
pub use scenario::{Error, Problem};
pub use world::{Unwatched, Watch};
