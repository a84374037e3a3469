//! One file per algorithm.

pub mod bic;
pub mod ctcp;
pub mod cubic;
pub mod fast;
pub mod hstcp;
pub mod htcp;
pub mod reno;
pub mod scalable;
