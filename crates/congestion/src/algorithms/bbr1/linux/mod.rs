//! BBR version 1 as in Linux (`net/ipv4/tcp_bbr.c`, 6.18): whole segments, microseconds and ticks, gains in 1/256.
//!
//! Beside the draft it has a pacing margin, room for bursts, compensation of aggregated ACKs, and long-term sampling of
//! policers. `model` is what ACKs tell about the path, `long_term` the sampling, `modes` the machine, `output` pacing rate
//! and window. Functions and fields bear the kernel's names where they are words. Page: `docs/models/bbr1.md`.

mod long_term;
mod max_filter;
mod model;
mod modes;
mod output;
#[cfg(test)]
mod tests;

use crate::algorithm::Algorithm;
use crate::algorithms::bbr_linux::{Aggregation, BW_UNIT, UNIT, gain, micros, rtt, scale};
use crate::control::{
    AckSample, CongestionControl, CongestionEvent, Decision, Ecn, Flow, Initial, Needs, Phase,
};
use crate::random::Random;
use crate::units::{Duration, PS_PER_S, Rate, Time};
use crate::window::to_float;
use long_term::LongTerm;
use model::{Counts, FullPipe, Path};
use modes::{Cycle, Mode, ProbeRtt};

pub(crate) const LINUX: Algorithm = Algorithm {
    name: "bbr1:linux",
    display: "BBR 1 (Linux)",
    edition: 1,
    summary: "BBR version 1 as in Linux: pacing margin, room for bursts and aggregated ACKs, policers",
    source: "Linux 6.18, net/ipv4/tcp_bbr.c",
    params: &Params::DEFAULT.list(),
    build: |values, initial| Box::new(Bbr1Linux::new(&Params::from_values(values), initial)),
};

params! {
    /// Parameters of BBR 1 in Linux; gains count in whole 1/256, times in whole ticks.
    struct Params {
        high_gain: f64 = 739.0 / 256.0, [1.0, 3.99], "1", "Gain of pacing and window in Startup";
        probe_gain: f64 = 1.25, [1.0, 1.9], "1", "Pacing gain while probing; the phase after has 2 - it";
        cwnd_gain: f64 = 2.0, [1.0, 3.99], "1", "Window in bandwidth-delay products";
        bw_rounds: f64 = 10.0, [1.0, 1e4], "round trips", "Time after which a rate is forgotten";
        min_rtt_filter: f64 = 10.0, [0.1, 1e4], "s", "Time after which the smallest RTT is forgotten";
        probe_rtt_duration: f64 = 0.2, [0.0, 10.0], "s", "Least duration of ProbeRTT";
        pacing_margin: f64 = 0.01, [0.0, 0.9], "1", "Part of the bandwidth that pacing leaves unused";
        extra_acked_gain: f64 = 1.0, [0.0, 3.99], "1", "Weight of aggregated ACKs in the window";
        bursts: bool = true, "1", "1 adds room for three bursts of a millisecond, two segments each at least, 0 does not";
        long_term: bool = true, "1", "1 looks for policers, 0 does not";
        hz: f64 = 250.0, [1.0, 1e6], "1/s", "Ticks per second of the kernel's clock";
    }
}

/// Largest window that is given to the transport [segments]; nobody sends as much.
const MAX_CWND: u64 = 1 << 40;

/// Parameters in a kernel's units, and constants of the flow.
#[derive(Clone, Debug)]
struct Scaled {
    high_gain: u64,
    drain_gain: u64,
    probe_gain: u64,
    cwnd_gain: u64,
    extra_acked_gain: u64,
    bw_rounds: u64,
    min_rtt_ticks: u64,
    probe_rtt_ticks: u64,
    hz: u64,
    smss: u64,
    /// Largest window after a timeout [segments].
    restart_cwnd: u64,
    /// Millionths of the bandwidth that pacing uses.
    paced: u64,
    bursts: bool,
    long_term: bool,
}

impl Scaled {
    fn new(params: &Params, initial: &Initial) -> Self {
        let high_gain = gain(params.high_gain);
        Self {
            high_gain,
            drain_gain: gain(256.0 / to_float(high_gain)),
            probe_gain: gain(params.probe_gain),
            cwnd_gain: gain(params.cwnd_gain),
            extra_acked_gain: gain(params.extra_acked_gain),
            bw_rounds: whole(params.bw_rounds),
            min_rtt_ticks: whole(params.min_rtt_filter * params.hz),
            probe_rtt_ticks: whole(libm::ceil(params.probe_rtt_duration * params.hz)),
            hz: whole(params.hz),
            smss: u64::from(initial.smss.max(1)),
            restart_cwnd: whole(initial.restart_window).max(1),
            paced: whole(libm::round((1.0 - params.pacing_margin) * 1e6)),
            bursts: params.bursts,
            long_term: params.long_term,
        }
    }
}

/// Whole part of a number that is not negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "parameters are not negative")]
fn whole(number: f64) -> u64 {
    number as u64
}

/// States of loss recovery that matter (`enum tcp_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CaState {
    Open,
    Recovery,
    Loss,
}

/// One ACK in segments and microseconds.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    delivered: u64,
    lost: u64,
    in_flight: u64,
    /// Before the ACK.
    prior_in_flight: u64,
    /// Round-trip time of the last segment that it acknowledges.
    rtt: Option<u64>,
    rate: Option<Delivery>,
}

/// Rate sample of an ACK.
#[derive(Clone, Copy, Debug)]
struct Delivery {
    delivered: u64,
    interval: u64,
    app_limited: bool,
}

impl Arrival {
    fn new(ack: &AckSample, flow: &Flow) -> Self {
        let smss = u64::from(flow.smss.max(1));
        let (delivered, lost) = (ack.delivered / smss, ack.lost / smss);
        let rate = ack.rate.map(|rate| Delivery {
            delivered: rate.delivered / smss,
            interval: micros(rate.interval),
            app_limited: rate.app_limited,
        });
        let in_flight = flow.in_flight / smss;
        Self {
            delivered,
            lost,
            in_flight,
            prior_in_flight: in_flight + delivered + lost,
            rtt: rtt(ack, flow.now).map(micros),
            rate: rate.filter(|rate| rate.interval > 0),
        }
    }
}

/// Progress of loss recovery.
#[derive(Clone, Copy, Debug)]
struct Recovery {
    state: CaState,
    /// State when the window was last set (`prev_ca_state`).
    prior_state: CaState,
    packet_conservation: bool,
}

/// BBR version 1 of one flow, as a kernel has it; windows in segments.
#[derive(Debug)]
struct Bbr1Linux {
    params: Scaled,
    mode: Mode,
    /// Gains of pacing and window in 1/256.
    gains: (u64, u64),
    counts: Counts,
    path: Path,
    full: FullPipe,
    cycle: Cycle,
    probe_rtt: ProbeRtt,
    long_term: LongTerm,
    aggregation: Aggregation,
    recovery: Recovery,
    /// Time at which the last recovery ended, with its progress and window.
    ended: Option<(Time, Recovery, u64)>,
    cwnd: u64,
    /// Window before recovery or `PROBE_RTT`.
    prior_cwnd: u64,
    /// [bytes/s]
    pacing_rate: u64,
}

impl Bbr1Linux {
    /// `bbr_init`, before anything is known of the path.
    fn new(params: &Params, initial: &Initial) -> Self {
        let params = Scaled::new(params, initial);
        let mut bbr = Self {
            mode: Mode::Startup,
            gains: (params.high_gain, params.high_gain),
            params,
            counts: Counts::default(),
            path: Path::default(),
            full: FullPipe::default(),
            cycle: Cycle::new(Random::new(initial.seed)),
            probe_rtt: ProbeRtt::default(),
            long_term: LongTerm::default(),
            aggregation: Aggregation::default(),
            recovery: Recovery {
                state: CaState::Open,
                prior_state: CaState::Open,
                packet_conservation: false,
            },
            ended: None,
            cwnd: whole(initial.window).max(1),
            prior_cwnd: 0,
            pacing_rate: 0,
        };
        bbr.init_pacing_rate(None);
        bbr
    }

    /// The rest of `bbr_init`, at the first ACK: a kernel knows the round trip of the handshake when it begins.
    fn begin(&mut self, ack: &Arrival, flow: &Flow) {
        let established = Time(flow.now.0.saturating_sub(ack.rtt.unwrap_or(0) * 1_000_000));
        self.path.min_rtt_stamp = self.tick(established);
        self.reset_long_term(established);
        if flow.min_rtt > Duration::ZERO {
            self.path.min_rtt = Some(micros(flow.min_rtt));
            self.init_pacing_rate(self.path.min_rtt);
            self.path.has_seen_rtt = true;
        }
    }

    /// Tick of the kernel's clock (`tcp_jiffies32`).
    fn tick(&self, now: Time) -> u64 {
        scale(now.0, self.params.hz, PS_PER_S)
    }

    /// `bbr_cwnd_event`, after `CA_EVENT_TX_START`.
    fn handle_restart_from_idle(&mut self, flow: &Flow) {
        if flow.in_flight == 0 && !flow.cwnd_limited {
            self.probe_rtt.idle_restart = true;
            self.aggregation.restart(flow.now);
            match self.mode {
                Mode::ProbeBw => self.set_pacing_rate(UNIT),
                Mode::ProbeRtt => self.check_probe_rtt_done(self.tick(flow.now), flow.now),
                Mode::Startup | Mode::Drain => {}
            }
        }
    }

    /// `bbr_set_state` with `TCP_CA_Loss`, and `tcp_enter_loss`: room for one segment.
    fn on_rto(&mut self, flow: &Flow) {
        self.save_cwnd();
        (self.recovery.state, self.recovery.prior_state) = (CaState::Loss, CaState::Loss);
        self.full.bw = 0;
        self.counts.round_start = true;
        self.sample_long_term(true, false, flow.now);
        let room = (flow.in_flight / self.params.smss).saturating_add(1);
        self.cwnd = self.cwnd.min(room.min(self.params.restart_cwnd));
    }
}

impl CongestionControl for Bbr1Linux {
    /// `bbr_main`.
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let ack = Arrival::new(ack, flow);
        if !self.path.has_seen_rtt {
            self.begin(&ack, flow);
        }
        let tick = self.tick(flow.now);
        self.update_bw(&ack, flow);
        self.update_aggregation(&ack, flow.now);
        self.update_cycle(&ack, flow);
        self.check_full_pipe();
        self.check_drain(&ack, flow);
        let expired = self.update_min_rtt(&ack, tick);
        self.check_probe_rtt(expired, &ack, tick, flow.now);
        self.update_gains();
        self.set_pacing_rate(self.gains.0);
        self.set_cwnd(&ack);
    }

    fn on_restart(&mut self, _idle: Duration, flow: &Flow) {
        self.handle_restart_from_idle(flow);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        match event {
            CongestionEvent::EnterRecovery => {
                // A recovery that begins at the ACK that ended one goes on with it: `bbr_main` comes after
                // `tcp_fastretrans_alert`, and `prev_ca_state` sees no change.
                if let Some((_, recovery, cwnd)) = self.ended.filter(|&(at, ..)| at == flow.now) {
                    (self.recovery, self.cwnd) = (recovery, cwnd);
                }
                self.save_cwnd();
                self.recovery.state = CaState::Recovery;
            }
            CongestionEvent::Rto => self.on_rto(flow),
            CongestionEvent::ExitRecovery => {
                self.ended = Some((flow.now, self.recovery, self.cwnd));
                self.restore_cwnd();
            }
            // Segments are not sent as ECN-capable.
            CongestionEvent::EcnEcho => {}
        }
    }

    fn decision(&self) -> Decision {
        let cwnd = to_float(self.cwnd.min(MAX_CWND)) * to_float(self.params.smss);
        Decision { cwnd, pacing_rate: Some(Rate(to_float(self.pacing_rate))) }
    }

    fn phase(&self) -> Phase {
        if self.mode == Mode::Startup { Phase::SlowStart } else { Phase::Alternate }
    }

    fn needs(&self) -> Needs {
        Needs { rate_samples: true, ecn: Ecn::None, ..Needs::default() }
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("state", f64::from(self.mode as u8));
        record("bandwidth", to_float(scale(self.bw(), self.params.smss * 1_000_000, BW_UNIT)));
        record("min_rtt", self.path.min_rtt.map_or(f64::NAN, |micros| to_float(micros) * 1e-6));
        record("pacing_gain", to_float(self.gains.0) / 256.0);
        record("extra_acked", to_float(self.aggregation.extra_acked()) * to_float(self.params.smss));
        record("policed", f64::from(u8::from(self.long_term.in_use().is_some())));
    }
}
