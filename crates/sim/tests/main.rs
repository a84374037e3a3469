//! What a whole run must do: physics, delivery, conservation, determinism, clear answers to bad scenarios.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of packets and seconds of simulated time are far below 2^52"
)]

mod applications;
mod architecture;
mod bursts;
mod closed_loop;
mod conservation;
mod copa;
mod delivery;
mod determinism;
mod disciplines;
mod echo;
mod ecn;
mod environment;
mod explicit;
mod fair_queueing;
mod fractions;
mod fuzz;
mod golden;
mod interrupted;
mod jitter;
mod mechanism;
mod misbehaving;
mod packets;
mod passes;
mod paths;
mod physics;
mod prague;
mod quic;
mod reference;
mod scenarios;
mod scripts;
mod segments;
mod sorted_maps;
mod stamps;
mod starts;
mod support;
mod undo;
mod wire;
mod worlds;
