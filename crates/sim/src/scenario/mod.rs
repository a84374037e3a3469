//! The resolved scenario: its checks, and how it becomes regions.

pub mod build;
pub mod check;
pub mod need;
