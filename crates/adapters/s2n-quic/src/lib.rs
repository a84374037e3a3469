//! CUBIC and BBR of the public crate `s2n-quic-core`, unmodified, as congestion controllers of mesonet.
//!
//! `adapter` calls them as the connection of s2n-quic does. Page: `docs/models/s2n-quic.md`.

mod adapter;
mod clock;
mod persistent;
mod random;

use mesonet_plugin::congestion::{Algorithm, CongestionControl, Initial};
use s2n_quic_core::recovery::CongestionController;
use s2n_quic_core::recovery::bbr::{self, BbrCongestionController};
use s2n_quic_core::recovery::cubic::{self, CubicCongestionController};

use adapter::Adapter;

const SOURCE: &str = "s2n-quic-core 0.91.0, https://github.com/aws/s2n-quic";

/// CUBIC of s2n-quic.
pub const CUBIC: Algorithm = Algorithm {
    name: "cubic",
    display: "CUBIC of s2n-quic",
    edition: 1,
    summary: "CUBIC of RFC 8312 with HyStart and pacing, the code of s2n-quic",
    source: SOURCE,
    params: &[],
    build: |_, initial| {
        build(initial, |mtu| CubicCongestionController::new(mtu, cubic::ApplicationSettings::default()))
    },
};

/// BBR of s2n-quic.
pub const BBR: Algorithm = Algorithm {
    name: "bbr",
    display: "BBR of s2n-quic",
    edition: 1,
    summary: "BBR version 2, the code of s2n-quic",
    source: SOURCE,
    params: &[],
    build: |_, initial| {
        build(initial, |mtu| BbrCongestionController::new(mtu, bbr::ApplicationSettings::default()))
    },
};

mesonet_plugin::export_controllers![CUBIC, BBR];

fn build<C: CongestionController>(initial: &Initial, make: fn(u16) -> C) -> Box<dyn CongestionControl> {
    let mtu = u16::try_from(initial.smss).expect("a datagram is at most 65,535 bytes long");
    Box::new(Adapter::new(make(mtu), initial))
}
