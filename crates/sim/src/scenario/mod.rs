//! The resolved scenario: its checks, and how it becomes regions.

pub mod build;
pub mod check;
pub mod checked;
pub(crate) mod factories;
mod layout;
pub mod need;
pub mod owner;
mod problem;
mod tables;

pub use problem::{Error, Problem};
