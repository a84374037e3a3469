//! Counters and samples. Nothing here influences a run.

pub mod counters;
pub mod groups;
pub mod output;
pub mod packets;
pub mod queue;
pub mod requests;
