//! The TCP mechanism: everything about a connection but the size of its window.

pub mod rack;
pub mod ranges;
pub mod rate;
pub mod receiver;
pub mod round;
pub mod rtt;
pub mod sender;
