//! Packets, stations, queue disciplines and routes.

pub mod arrival;
pub mod capacity;
pub mod departures;
pub mod disciplines;
pub mod ecn;
pub mod headers;
pub mod impairment;
pub mod packet;
pub mod paths;
pub mod queue;
pub mod service;
pub mod station;
pub mod transmitter;
