//! BBR 3 as in Linux (`net/ipv4/tcp_bbr.c` of google/bbr, branch v3) where the draft says otherwise: constants, room for
//! bursts, volumes in whole segments, what is in the network at the next departure. The rest is one code for both.

use super::{Bbr3, Form, Params};
use crate::algorithm::Algorithm;
use crate::algorithms::bbr_linux::{BW_UNIT, LARGEST_BURST, in_net_at_departure, micros, micros_since};
use crate::control::Flow;
use crate::units::Duration;
use crate::window::to_float;

/// Constants, which count in 1/256.
const PARAMS: Params = Params {
    startup_gain: 710.0 / 256.0,
    drain_gain: 88.0 / 256.0,
    down_gain: 232.0 / 256.0,
    loss_thresh: 5.0 / 256.0,
    beta: 180.0 / 256.0,
    headroom: 38.0 / 256.0,
    ecn_factor: 85.0 / 256.0,
    ..Params::DEFAULT
};

pub(crate) const LINUX: Algorithm = Algorithm {
    name: "bbr3:linux",
    display: "BBR 3 (Linux)",
    edition: 1,
    summary: "BBR version 3 as in Linux: room for bursts, slower Drain, bounds in whole segments",
    source: "google/bbr, branch v3, net/ipv4/tcp_bbr.c",
    params: &PARAMS.list(),
    build: |values, initial| Box::new(Bbr3::new(Params::from_values(values), initial, Form::Linux)),
};

/// Fewest segments of a burst (`tcp_min_tso_segs`).
const LEAST_BURST: f64 = 2.0;

/// Room for bursts of a path without delay [bytes] (`GSO_LEGACY_MAX_SIZE`).
const ROOM: f64 = 65_536.0;

/// Microseconds of the smallest RTT that halve the room for bursts, as a power of two (`bbr_tso_rtt_shift`).
const RTT_SHIFT: u32 = 9;

impl Bbr3 {
    /// The flow goes by Linux's rules.
    pub(super) fn is_linux(&self) -> bool {
        self.c.form == Form::Linux
    }

    /// The round trip of the handshake is the first that is known (draft, `OnInit`; Linux, `bbr_init` and `tcp_min_rtt`).
    pub(super) fn know_handshake(&mut self, flow: &Flow) {
        if flow.min_rtt > Duration::ZERO {
            self.min_rtt.min_rtt = Some(flow.min_rtt);
            self.min_rtt.probe_rtt_min_delay = self.is_linux().then_some(flow.min_rtt);
        }
    }

    /// `bbr_set_state` with `TCP_CA_Loss`; the window is still the one before the timeout.
    pub(super) fn note_timeout(&mut self) {
        self.startup.reset_full_bw();
        if !self.is_probing_bw() && self.model.inflight_shortterm.is_infinite() {
            self.model.inflight_shortterm = self.c.cwnd.max(self.prior_cwnd);
        }
    }

    /// Bytes in whole segments, rounded down, in Linux's form; as they are in the draft's.
    pub(super) fn in_segments(&self, bytes: f64) -> f64 {
        if self.is_linux() { libm::floor(bytes / self.c.smss) * self.c.smss } else { bytes }
    }

    /// Whole segments of so many bytes.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
    pub(super) fn count_segments(&self, bytes: f64) -> u64 {
        (bytes / self.c.smss) as u64
    }

    /// Bandwidth in segments per microsecond times 2^24 (`bbr_bw`).
    pub(super) fn bw_in_linux(&self) -> u64 {
        self.count_segments(self.bound_bw_for_model() * 1e-6 * to_float(BW_UNIT))
    }

    /// Bytes of a burst (`bbr_tso_segs_goal`): a millisecond at the pacing rate, and 64 kB less the longer the path is.
    pub(super) fn burst(&self) -> f64 {
        let steps = |min_rtt| to_float(micros(min_rtt) >> RTT_SHIFT);
        let more = self.min_rtt.min_rtt.map_or(0.0, |rtt| ROOM * libm::exp2(-steps(rtt)));
        let bytes =
            (libm::floor(self.c.pacing_rate / 1024.0) + libm::floor(more)).min(to_float(LARGEST_BURST));
        self.in_segments(bytes).max(LEAST_BURST * self.c.smss)
    }

    /// Bytes in the network when the next segment leaves, with so many in flight now (`bbr_packets_in_net_at_edt`).
    pub(super) fn in_net(&self, in_flight: f64, flow: &Flow) -> f64 {
        let added = if self.pacing_gain() > 1.0 { self.burst() } else { 0.0 };
        let [now, added] = [in_flight, added].map(|bytes| self.count_segments(bytes));
        let interval = micros_since(flow.next_send_time, flow.now);
        to_float(in_net_at_departure(now, added, self.bw_in_linux(), interval)) * self.c.smss
    }

    /// Volume by which the phases of `ProbeBW` go: in flight now, or before the ACK and at the next departure.
    pub(super) fn volume(&self, flow: &Flow) -> f64 {
        if self.is_linux() { self.in_net(self.rs.prior_in_flight, flow) } else { to_float(flow.in_flight) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::bbr3::{BBR3, State};
    use crate::control::{CongestionControl, CongestionEvent};
    use crate::testing::{Path, SMSS, Transport, Verdict, assert_near, create, initial, segments};

    const RATE: f64 = 1000.0;

    fn transport(algorithm: &Algorithm, path: Path) -> Transport {
        Transport::new(create(algorithm, &initial(10.0)), SMSS, path)
    }

    fn reach(transport: &mut Transport, state: State) -> Verdict {
        let is = |transport: &Transport| (transport.read("state") - f64::from(state as u8)).abs() < 0.5;
        assert!(transport.run_until(10.0, is)?, "{state:?} was not reached");
        Ok(())
    }

    fn pacing(controller: &dyn CongestionControl) -> f64 {
        controller.decision().pacing_rate.expect("paced").0
    }

    /// `bbr_startup_pacing_gain` is 277/100 of 256, and one; the first rate has the margin, too.
    #[test]
    fn the_first_rate_has_the_margin() {
        assert_near(pacing(&*create(&LINUX, &initial(10.0))), 0.99 * 710.0 / 256.0 * 1e7);
    }

    /// `bbr_drain_gain` 88/256 and `bbr_pacing_gain` 232/256: slower in Drain than the draft, and less slow in DOWN.
    #[test]
    fn drain_and_down_have_linux_gains() -> Verdict {
        let mut transport = transport(&LINUX, Path { rate: RATE, ..Path::default() });
        for (state, gain) in [(State::Drain, 88.0), (State::ProbeBwDown, 232.0)] {
            reach(&mut transport, state)?;
            let part = pacing(&*transport.controller) / transport.read("max_bw");
            assert!((part - 0.99 * gain / 256.0).abs() < 1e-6, "{part}");
        }
        Ok(())
    }

    /// `bbr_quantization_budget`: three bursts of 64 kB/2^(RTT/512 us) and a millisecond, so on short paths more is in flight
    /// than two products.
    #[test]
    fn short_paths_have_room_for_bursts() -> Verdict {
        let path = Path { rate: 25_000.0, rtt: Duration::from_millis(1), ..Path::default() };
        let mut windows = [0.0; 2];
        for (algorithm, window) in [&LINUX, &BBR3].into_iter().zip(&mut windows) {
            let mut transport = transport(algorithm, path);
            reach(&mut transport, State::ProbeBwCruise)?;
            *window = transport.segments();
        }
        let [linux, draft] = windows;
        // 24 segments per millisecond and 16 for an RTT of 1.04 ms are 40 per burst.
        assert!((117.0..=120.0).contains(&linux) && draft < 70.0, "{linux} and {draft}");
        Ok(())
    }

    /// `bbr_bdp`: products are rounded up to whole segments.
    #[test]
    fn windows_are_whole_segments() -> Verdict {
        let mut transport = transport(&LINUX, Path { rate: 333.3, ..Path::default() });
        reach(&mut transport, State::ProbeBwCruise)?;
        for _ in 0..50 {
            transport.run(0.1)?;
            assert_near(transport.segments().fract(), 0.0);
        }
        Ok(())
    }

    /// `bbr_set_state`: after a timeout the window before it comes back, and the volume outside of probes is bounded by it; fast
    /// recovery leaves the window alone.
    #[test]
    fn only_timeouts_cut_the_window() -> Verdict {
        let mut transport = transport(&LINUX, Path { rate: RATE, ..Path::default() });
        reach(&mut transport, State::ProbeBwCruise)?;
        let before = transport.segments();
        let flow = transport.flow;
        let controller = &mut transport.controller;
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow);
        assert_near(segments(&**controller), before);
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow);
        assert_near(segments(&**controller), before);
        controller.on_congestion(CongestionEvent::Rto, &Flow { in_flight: 0, ..flow });
        assert!(segments(&**controller) < 3.0);
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow);
        assert_near(segments(&**controller), before);
        assert_near(transport.read("inflight_shortterm"), before * f64::from(SMSS));
        Ok(())
    }

    /// `bbr_loss_thresh` is 5/256, a little less than the draft's 2 %: 4 of 250 segments may be lost.
    #[test]
    fn the_tolerated_loss_counts_in_256ths() {
        let mut bbr = Bbr3::new(PARAMS, &initial(10.0), Form::Linux);
        bbr.rs.tx_in_flight = 250e3;
        for (lost, is_too_much) in [(4e3, false), (5e3, true)] {
            bbr.rs.lost = lost;
            assert_eq!(bbr.is_inflight_too_high(), is_too_much);
        }
    }
}
