//! One file per algorithm.

pub mod ctcp;
pub mod reno;
pub mod scalable;
