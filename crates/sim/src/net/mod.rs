//! Packets, stations, queue disciplines and routes.

pub mod packet;
pub mod queue;
pub mod station;
