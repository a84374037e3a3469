//! One file per queue discipline.

mod droptail;
mod step;
mod vcp;
mod xcp;

pub use droptail::DropTail;
pub use step::StepMarking;
pub use vcp::Vcp;
pub use xcp::Xcp;
