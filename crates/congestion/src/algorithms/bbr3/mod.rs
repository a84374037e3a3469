//! BBR version 3 ([draft-ietf-ccwg-bbr]): a model of the path, bandwidth and propagation delay, sets the
//! pacing rate and bounds the data in flight; losses bound the model.
//!
//! One file per concern: `sample` (what an ACK says), `path` (the model), `startup`, `probe_bw`, `probe_rtt`
//! (the states), `loss`, `output` (pacing rate and window). Functions bear the draft's names. Page:
//! `docs/models/bbr3.md`.
//!
//! [draft-ietf-ccwg-bbr]: https://datatracker.ietf.org/doc/draft-ietf-ccwg-bbr/

mod loss;
mod output;
mod path;
mod probe_bw;
mod probe_rtt;
mod sample;
mod startup;
#[cfg(test)]
mod tests;

use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Decision, Flow, Initial, Needs, Phase};
use crate::units::Rate;
use path::Path;
use probe_bw::Cycle;
use probe_rtt::ProbeRtt;
use sample::{Counts, Sample};
use startup::Startup;

pub(crate) const BBR3: Algorithm = Algorithm {
    name: "bbr3",
    display: "BBR 3",
    edition: 1,
    summary: "BBR version 3: paced by a model of bandwidth and propagation delay that losses bound",
    source: "draft-ietf-ccwg-bbr (2026)",
    params: &Params::DEFAULT.list(),
    build: |values, initial| Box::new(Bbr3::new(Params::from_values(values), initial)),
};

params! {
    /// Parameters of BBR 3; times in seconds.
    struct Params {
        startup_gain: f64 = 2.77, [1.0, 10.0], "1", "Pacing gain in Startup";
        drain_gain: f64 = 0.5, [0.05, 1.0], "1", "Pacing gain in Drain";
        down_gain: f64 = 0.9, [0.05, 1.0], "1", "Pacing gain in ProbeBW_DOWN";
        up_gain: f64 = 1.25, [1.0, 10.0], "1", "Pacing gain in ProbeBW_UP";
        cwnd_gain: f64 = 2.0, [1.0, 10.0], "1", "Window in bandwidth-delay products";
        up_cwnd_gain: f64 = 2.25, [1.0, 10.0], "1", "The same in ProbeBW_UP";
        probe_rtt_cwnd_gain: f64 = 0.5, [0.01, 1.0], "1", "The same in ProbeRTT";
        loss_thresh: f64 = 0.02, [0.0, 0.9], "1", "Part lost per round trip that a probe tolerates";
        beta: f64 = 0.7, [0.01, 1.0], "1", "Most that is left of a bound after a round with losses";
        headroom: f64 = 0.15, [0.0, 0.9], "1", "Part of the long-term bound left to other flows";
        min_rtt_filter: f64 = 10.0, [0.1, 1e4], "s", "Time after which the smallest RTT is forgotten";
        probe_rtt_interval: f64 = 5.0, [0.1, 1e4], "s", "Time between two ProbeRTT";
        probe_rtt_duration: f64 = 0.2, [0.0, 10.0], "s", "Least duration of ProbeRTT";
    }
}

/// States of the machine; four of them make up the draft's `ProbeBW`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

/// BBR of one flow; the draft's C, RS and BBR.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "the draft's own flags, independent of each other")]
struct Bbr3 {
    params: Params,
    smss: f64,
    /// [bytes]
    initial_window: f64,
    /// Largest window after a timeout [bytes].
    restart: f64,
    state: State,
    counts: Counts,
    rs: Sample,
    path: Path,
    startup: Startup,
    cycle: Cycle,
    probe_rtt: ProbeRtt,
    /// [bytes]
    cwnd: f64,
    /// The window before recovery or `ProbeRTT` [bytes].
    prior_cwnd: f64,
    /// [bytes/s]
    pacing_rate: f64,
    /// The pacing rate was set without any RTT.
    awaits_rtt: bool,
    /// An ACK has come.
    is_running: bool,
    is_recovering: bool,
    cwnd_limited: bool,
}

impl Bbr3 {
    fn new(params: Params, initial: &Initial) -> Self {
        let smss = f64::from(initial.smss);
        let mut bbr = Self {
            params,
            smss,
            initial_window: initial.window * smss,
            restart: initial.restart_window * smss,
            state: State::Startup,
            counts: Counts::default(),
            rs: Sample::default(),
            path: Path::new(),
            startup: Startup::default(),
            cycle: Cycle::new(initial.seed),
            probe_rtt: ProbeRtt::default(),
            cwnd: initial.window * smss,
            prior_cwnd: 0.0,
            pacing_rate: 0.0,
            awaits_rtt: true,
            is_running: false,
            is_recovering: false,
            cwnd_limited: false,
        };
        bbr.pacing_rate = bbr.initial_pacing(None);
        bbr
    }
}

impl CongestionControl for Bbr3 {
    /// The draft's `UpdateOnACK`.
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        if !self.is_running {
            self.is_running = true;
            self.path.start_clocks(flow.now);
        }
        self.take_sample(ack, flow);
        self.handle_losses(ack, flow);
        self.update_latest_delivery();
        self.update_congestion_signals();
        self.update_aggregation(flow);
        self.check_full_bw();
        self.check_startup_done();
        self.check_drain_done(flow);
        self.update_cycle(flow);
        self.update_min_rtt(flow);
        self.check_probe_rtt(flow);
        self.advance_latest_delivery();
        self.set_pacing(flow);
        self.set_cwnd();
        // Nothing is left in flight and the window is not in use: what comes next restarts from idle.
        if flow.in_flight == 0 && !flow.cwnd_limited {
            self.probe_rtt.idle_restart = true;
            if self.is_in_cycle() {
                self.set_pacing_with(1.0);
            }
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        match event {
            CongestionEvent::EnterRecovery => {
                self.save_cwnd();
                self.note_loss();
                self.is_recovering = true;
                self.startup.recovery_round = Some(self.counts.round_count);
            }
            CongestionEvent::Rto => {
                self.save_cwnd();
                self.note_loss();
                self.is_recovering = true;
                self.startup.recovery_round = None;
                // Draft section 5.6.4.4: room for one segment.
                let room = (self.in_flight(flow) + self.smss).min(self.restart.max(self.smss));
                self.cwnd = self.cwnd.min(room);
            }
            CongestionEvent::ExitRecovery => {
                self.is_recovering = false;
                self.startup.recovery_round = None;
                self.restore_cwnd();
                self.bound_cwnd();
            }
            // Segments are not sent as ECN-capable.
            CongestionEvent::EcnEcho => {}
        }
    }

    fn decision(&self) -> Decision {
        Decision { cwnd: self.cwnd, pacing_rate: Some(Rate(self.pacing_rate)) }
    }

    fn phase(&self) -> Phase {
        if self.state == State::Startup { Phase::SlowStart } else { Phase::Alternate }
    }

    fn needs(&self) -> Needs {
        Needs { rate_samples: true, ..Needs::default() }
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("state", f64::from(self.state as u8));
        record("max_bw", self.path.max_bw());
        record("bw_shortterm", self.path.bw_shortterm);
        record("min_rtt", self.path.min_rtt.map_or(f64::NAN, crate::units::Duration::seconds));
        record("inflight_longterm", self.path.inflight_longterm);
        record("inflight_shortterm", self.path.inflight_shortterm);
        record("extra_acked", self.path.extra_acked());
    }
}
