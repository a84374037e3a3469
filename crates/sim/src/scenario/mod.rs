//! The resolved scenario: its format, its checks, and how it becomes regions.

pub mod build;
pub mod check;
pub mod need;
pub mod spec;
