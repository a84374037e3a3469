//! One file per queue discipline.

mod droptail;
mod vcp;
mod xcp;

pub use droptail::DropTail;
pub use vcp::Vcp;
pub use xcp::Xcp;
