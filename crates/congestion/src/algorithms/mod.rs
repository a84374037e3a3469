//! One file per algorithm.

pub mod aimd;
pub mod bic;
pub mod ctcp;
pub mod cubic;
pub mod fast;
pub mod hstcp;
pub mod htcp;
pub mod hybla;
pub mod illinois;
pub mod reno;
pub mod scalable;
pub mod vegas;
pub mod veno;
pub mod westwood;
pub mod yeah;
