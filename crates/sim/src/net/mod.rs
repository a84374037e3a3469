//! Packets, stations, queue disciplines and routes.

pub mod departures;
pub mod disciplines;
pub mod headers;
pub mod marking;
pub mod packet;
pub mod queue;
pub mod service;
pub mod station;
