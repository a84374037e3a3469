//! What is counted and sampled. Nothing here influences a run.

pub mod counters;
pub mod groups;
pub mod output;
