//! BBR version 3 ([draft-ietf-ccwg-bbr]): a model of the path, bandwidth and propagation delay, sets the
//! pacing rate and bounds the data in flight; losses bound the model.
//!
//! One file per concern: `sample` (rate sample and rounds), `model`, `min_rtt` and `aggregation` (the path), `loss` and
//! `ecn`, `linux` (what Linux has otherwise), `state` (the machine), `startup`, `probe_bw`, `probe_rtt` (its states), `output` (pacing rate and window). Functions
//! bear the draft's names without their prefix, `BBRCheckProbeRTT` is `check_probe_rtt`, and so do fields: `c` is the
//! draft's C, `rs` its RS. Page: `docs/models/bbr3.md`.
//!
//! [draft-ietf-ccwg-bbr]: https://datatracker.ietf.org/doc/draft-ietf-ccwg-bbr/

mod aggregation;
mod ecn;
mod linux;
mod loss;
mod min_rtt;
mod model;
mod output;
mod probe_bw;
mod probe_rtt;
mod sample;
mod startup;
mod state;
#[cfg(test)]
mod tests;

use crate::algorithm::Algorithm;
use crate::control::{
    AckSample, CongestionControl, CongestionEvent, Decision, Ecn, Flow, Initial, Needs, Phase,
};
use crate::units::{Duration, Rate};
use crate::window::to_float;
use aggregation::Aggregation;
use ecn::Marks;
pub(crate) use linux::LINUX;
use min_rtt::MinRtt;
use model::{Model, Signals};
use probe_bw::Cycle;
use probe_rtt::ProbeRtt;
use sample::{Rounds, Sample};
use startup::Startup;
use state::State;

pub(crate) const BBR3: Algorithm = Algorithm {
    name: "bbr3",
    display: "BBR 3",
    edition: 1,
    summary: "BBR version 3: paced by a model of bandwidth and propagation delay that losses bound",
    source: "draft-ietf-ccwg-bbr (2026)",
    params: &Params::DEFAULT.list(),
    build: |values, initial| Box::new(Bbr3::new(Params::from_values(values), initial, Form::Draft)),
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
        ecn: bool = false, "1", "1 sends ECT(0) and answers marks as Linux does, 0 has no ECN";
        ecn_alpha_gain: f64 = 0.0625, [1e-6, 1.0], "1", "Weight of a new round in the averaged part of marked bytes";
        ecn_factor: f64 = 1.0 / 3.0, [0.0, 1.0], "1", "Part of that average by which a round with marks lowers the volume";
        ecn_thresh: f64 = 0.5, [0.0, 1.0], "1", "Part marked per round trip that a probe tolerates";
        ecn_max_rtt: f64 = 0.005, [0.0, 1e4], "s", "Smallest RTT up to which marks count; 0 is any";
    }
}

/// Whose rules the flow goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Draft,
    /// `net/ipv4/tcp_bbr.c` of google/bbr, branch v3.
    Linux,
}

/// Way in which losses are being repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recovery {
    Open,
    Fast,
    Timeout,
}

/// The draft's C, state of the connection [bytes and bytes/s].
#[derive(Clone, Debug)]
struct Connection {
    form: Form,
    smss: f64,
    initial_cwnd: f64,
    /// Largest window after a timeout.
    restart_cwnd: f64,
    cwnd: f64,
    pacing_rate: f64,
    is_cwnd_limited: bool,
    /// An ACK has come.
    is_running: bool,
}

/// BBR of one flow; the draft's BBR, C and RS.
#[derive(Debug)]
struct Bbr3 {
    params: Params,
    c: Connection,
    rs: Sample,
    state: State,
    rounds: Rounds,
    model: Model,
    signals: Signals,
    min_rtt: MinRtt,
    aggregation: Aggregation,
    startup: Startup,
    cycle: Cycle,
    probe_rtt: ProbeRtt,
    /// The window before recovery or `ProbeRTT` [bytes].
    prior_cwnd: f64,
    /// The pacing rate was set with an RTT.
    has_seen_rtt: bool,
    recovery: Recovery,
}

impl Bbr3 {
    /// `OnInit`.
    fn new(params: Params, initial: &Initial, form: Form) -> Self {
        let smss = f64::from(initial.smss);
        let c = Connection {
            form,
            smss,
            initial_cwnd: initial.window * smss,
            restart_cwnd: initial.restart_window * smss,
            cwnd: initial.window * smss,
            pacing_rate: 0.0,
            is_cwnd_limited: false,
            is_running: false,
        };
        let mut bbr = Self {
            params,
            c,
            rs: Sample::default(),
            state: State::Startup,
            rounds: Rounds::default(),
            model: Model::default(),
            signals: Signals::new(Marks::new(&params)),
            min_rtt: MinRtt::default(),
            aggregation: Aggregation::default(),
            startup: Startup::default(),
            cycle: Cycle::new(initial.seed),
            probe_rtt: ProbeRtt::default(),
            prior_cwnd: 0.0,
            has_seen_rtt: false,
            recovery: Recovery::Open,
        };
        bbr.init_pacing_rate(None);
        bbr
    }

    /// `UpdateModelAndState`.
    fn update_model_and_state(&mut self, flow: &Flow) {
        self.update_latest_delivery_signals();
        self.update_congestion_signals();
        self.update_ack_aggregation(flow);
        self.check_full_bw_reached();
        self.check_startup_done();
        self.check_drain_done(flow);
        self.update_probe_bw_cycle_phase(flow);
        self.update_min_rtt(flow);
        self.check_probe_rtt(flow);
        self.advance_latest_delivery_signals();
    }

    /// `HandleRestartFromIdle`.
    fn handle_restart_from_idle(&mut self, flow: &Flow) {
        if flow.in_flight == 0 && !flow.cwnd_limited {
            self.probe_rtt.idle_restart = true;
            self.aggregation.restart(flow.now);
            if self.is_in_a_probe_bw_state() {
                self.set_pacing_rate_with_gain(1.0);
            } else if self.state == State::ProbeRtt {
                self.check_probe_rtt_done(flow);
            }
        }
    }

    /// `OnEnterFastRecovery`.
    fn on_enter_fast_recovery(&mut self) {
        self.save_cwnd();
        self.note_loss();
        self.recovery = Recovery::Fast;
        self.startup.recovery_round = Some(self.rounds.round_count);
    }

    /// `OnEnterRTO` (draft section 5.6.4.4): room for one segment.
    fn on_enter_rto(&mut self, flow: &Flow) {
        self.save_cwnd();
        self.note_loss();
        self.recovery = Recovery::Timeout;
        self.startup.recovery_round = None;
        if self.is_linux() {
            self.note_timeout();
        }
        let room = (to_float(flow.in_flight) + self.c.smss).min(self.c.restart_cwnd.max(self.c.smss));
        self.c.cwnd = self.c.cwnd.min(room);
    }

    /// Ends either recovery (draft section 5.6.4.4).
    fn on_exit_recovery(&mut self) {
        let cuts = self.recovery == Recovery::Timeout || !self.is_linux();
        self.recovery = Recovery::Open;
        self.startup.recovery_round = None;
        if cuts {
            self.restore_cwnd();
        }
        self.bound_cwnd_for_probe_rtt();
        self.bound_cwnd_for_model();
    }
}

impl CongestionControl for Bbr3 {
    /// `UpdateOnACK`.
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        if !self.c.is_running {
            self.c.is_running = true;
            self.min_rtt.start_clocks(flow.now);
            self.know_handshake(flow);
        }
        self.generate_rate_sample(ack, flow);
        self.handle_lost_packet(ack, flow);
        self.follow_marks(ack, flow);
        self.update_model_and_state(flow);
        self.update_control_parameters(flow);
    }

    fn on_restart(&mut self, _idle: Duration, flow: &Flow) {
        self.handle_restart_from_idle(flow);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        match event {
            CongestionEvent::EnterRecovery => self.on_enter_fast_recovery(),
            CongestionEvent::Rto => self.on_enter_rto(flow),
            CongestionEvent::ExitRecovery => self.on_exit_recovery(),
            // Marks are answered by their part of a round.
            CongestionEvent::EcnEcho => {}
        }
    }

    fn decision(&self) -> Decision {
        Decision { cwnd: self.c.cwnd, pacing_rate: Some(Rate(self.c.pacing_rate)) }
    }

    fn phase(&self) -> Phase {
        if self.state == State::Startup { Phase::SlowStart } else { Phase::Alternate }
    }

    fn needs(&self) -> Needs {
        let ecn = if self.signals.marks.is_some() { Ecn::Dctcp } else { Ecn::None };
        Needs { rate_samples: true, ecn, ..Needs::default() }
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("state", f64::from(self.state as u8));
        record("max_bw", self.model.max_bw());
        record("bw_shortterm", self.model.bw_shortterm);
        record("min_rtt", self.min_rtt.min_rtt.map_or(f64::NAN, Duration::seconds));
        record("inflight_longterm", self.model.inflight_longterm);
        record("inflight_shortterm", self.model.inflight_shortterm);
        record("extra_acked", self.aggregation.extra_acked());
        if let Some(marks) = &self.signals.marks {
            record("ecn_alpha", marks.alpha);
        }
    }
}
