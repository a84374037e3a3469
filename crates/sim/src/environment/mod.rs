//! Simulations that stop at the decisions of some flows, hand out observations, take actions and go on.
//!
//! An [`Environment`] has one episode at a time, a [`Batch`] steps many of them on some threads. What is simulated is
//! the same as in a run in which the decisions were taken inside ([`crate::policy::plugin`]).

mod batch;
mod episode;
mod simulation;

pub use batch::{Batch, Turn};
pub use episode::Environment;
pub use simulation::Simulation;

/// Name of the algorithm of controlled flow number `agent`, which the scenario has to use for just that flow.
pub fn algorithm(agent: usize) -> String {
    format!("external:{agent}")
}
