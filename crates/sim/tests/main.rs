//! What a whole run must do: physics, conservation, determinism, delivery.

mod conservation;
mod delivery;
mod determinism;
mod physics;
mod support;
mod two_flows;
