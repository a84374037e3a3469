//! Forms of Linux: rules of `net/ipv4` that the RFCs leave open or have otherwise, each a value that a part of the
//! sender or receiver holds from its construction on.

pub mod ack_timing;
pub mod enter_loss;
pub mod frto;
pub mod host_pacing;
pub mod undo;
pub mod variation;
pub mod window_use;
