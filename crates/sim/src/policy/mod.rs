//! A controller whose decisions are taken outside of the simulation, by a policy that was trained, is being trained, or
//! is anything else that makes an action of an observation.
//!
//! The controller adds up what the transport says ([`monitor`]). At a decision time it closes the record, makes an
//! observation of it ([`features`]) and asks for an action ([`action`]), which is in force one picosecond later: the
//! shortest delay there is. So whoever advances the simulation can stop between the two, and a policy that is called
//! from inside decides the same.

pub mod action;
mod agent_port;
mod controller;
pub mod features;
mod monitor;
pub mod record;
pub mod reward;
pub mod settings;

pub use agent_port::{AgentPort, SharedPort};
pub use controller::{Decide, plugin, plugin_at};
pub use settings::{Fault, Policy, Settings};
