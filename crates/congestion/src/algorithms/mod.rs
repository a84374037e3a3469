//! One file per algorithm.

pub mod aimd;
pub mod bbr1;
pub mod bbr3;
#[cfg(test)]
mod bbr_idle;
mod bbr_linux;
pub mod bic;
pub mod copa;
pub mod ctcp;
pub mod cubic;
pub mod dctcp;
pub mod eefast;
pub mod fast;
mod fast_law;
pub mod fast_ns2;
pub mod hcc;
pub mod hstcp;
pub mod htcp;
pub mod hybla;
pub mod illinois;
pub mod ledbat;
pub mod ledbat_plus_plus;
pub mod prague;
pub mod reno;
pub mod scalable;
pub mod vcp;
pub mod vegas;
pub mod veno;
pub mod westwood;
pub mod xcp;
pub mod yeah;
