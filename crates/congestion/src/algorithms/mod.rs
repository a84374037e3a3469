//! One file per algorithm.

pub mod bic;
pub mod ctcp;
pub mod hstcp;
pub mod reno;
pub mod scalable;
