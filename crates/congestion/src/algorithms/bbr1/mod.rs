//! BBR version 1 ([draft-cardwell-iccrg-bbr-congestion-control-00]): the largest delivery rate and the smallest
//! RTT of recent time set pacing rate and window; losses hardly matter.
//!
//! `model` is what ACKs tell about the path, `states` is the machine, `output` is pacing rate and window. Functions bear
//! the draft's names without their prefix, `BBRCheckDrain` is `check_drain`, and so do fields. Page:
//! `docs/models/bbr1.md`.
//!
//! [draft-cardwell-iccrg-bbr-congestion-control-00]: https://datatracker.ietf.org/doc/html/draft-cardwell-iccrg-bbr-congestion-control-00

mod linux;
mod model;
mod output;
mod states;
#[cfg(test)]
mod tests;

use crate::algorithm::Algorithm;
use crate::control::{
    AckSample, CongestionControl, CongestionEvent, Decision, Ecn, Flow, Initial, Needs, Phase,
};
use crate::random::Random;
use crate::units::{Duration, Rate};
use crate::window::to_float;
pub(crate) use linux::LINUX;
use model::{Model, Rounds};
use output::Recovery;
use states::{Pipe, ProbeRtt, State};

pub(crate) const BBR1: Algorithm = Algorithm {
    name: "bbr1",
    display: "BBR 1",
    edition: 1,
    summary: "BBR version 1: paced by the largest delivery rate and the smallest RTT of recent time",
    source: "draft-cardwell-iccrg-bbr-congestion-control-00 (2017); Cardwell et al., ACM Queue 14(5), 2016",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of BBR 1; times in seconds.
    struct Params {
        high_gain: f64 = 2.885, [1.0, 10.0], "1", "Gain of pacing and window in Startup";
        probe_gain: f64 = 1.25, [1.0, 1.9], "1", "Pacing gain while probing; the phase after has 2 - it";
        cwnd_gain: f64 = 2.0, [1.0, 10.0], "1", "Window in bandwidth-delay products";
        bw_rounds: f64 = 10.0, [1.0, 1e4], "round trips", "Time after which a rate is forgotten";
        min_rtt_filter: f64 = 10.0, [0.1, 1e4], "s", "Time after which the smallest RTT is forgotten";
        probe_rtt_duration: f64 = 0.2, [0.0, 10.0], "s", "Least duration of ProbeRTT";
    }
}

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    Box::new(Bbr1::new(Params::from_values(values), initial))
}

/// BBR version 1 of one flow.
#[derive(Debug)]
struct Bbr1 {
    params: Params,
    smss: f64,
    /// [bytes]
    initial_cwnd: f64,
    /// Largest window after a timeout [bytes].
    restart_cwnd: f64,
    state: State,
    rounds: Rounds,
    model: Model,
    pipe: Pipe,
    recovery: Recovery,
    probe_rtt: ProbeRtt,
    random: Random,
    /// [bytes]
    cwnd: f64,
    /// The window before recovery or `ProbeRTT` [bytes].
    prior_cwnd: f64,
    /// [bytes/s]
    pacing_rate: f64,
}

impl Bbr1 {
    /// `BBRInit`.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number of rounds is positive and small"
    )]
    fn new(params: Params, initial: &Initial) -> Self {
        let smss = f64::from(initial.smss);
        let mut bbr = Self {
            params,
            smss,
            initial_cwnd: initial.window * smss,
            restart_cwnd: initial.restart_window * smss,
            state: State::Startup,
            rounds: Rounds::default(),
            model: Model { btl_bw_filter_len: params.bw_rounds as u64, ..Model::default() },
            pipe: Pipe::default(),
            recovery: Recovery::Open,
            probe_rtt: ProbeRtt::default(),
            random: Random::new(initial.seed),
            cwnd: initial.window * smss,
            prior_cwnd: 0.0,
            pacing_rate: 0.0,
        };
        bbr.init_pacing_rate(None);
        bbr
    }

    /// The rest of `BBRInit`, at the first ACK: `BBR.RTprop = SRTT ? SRTT : Inf`, and the rate that goes by it.
    fn know_handshake(&mut self, flow: &Flow) {
        if flow.min_rtt > Duration::ZERO {
            self.model.rtprop = Some(flow.min_rtt);
            self.init_pacing_rate(Some(flow.min_rtt.seconds()));
        }
    }

    /// `BBRUpdateModelAndState`.
    fn update_model_and_state(&mut self, ack: &AckSample, flow: &Flow) {
        let has_sample = self.update_btl_bw(ack);
        self.check_cycle_phase(ack, flow);
        self.check_full_pipe(has_sample);
        self.check_drain(flow);
        self.update_rtprop(ack, flow);
        self.check_probe_rtt(ack, flow);
    }

    /// `BBRHandleRestartFromIdle` (section 4.3.4.4).
    fn handle_restart_from_idle(&mut self, flow: &Flow) {
        if flow.in_flight == 0 && !flow.cwnd_limited {
            self.probe_rtt.idle_restart = true;
            if matches!(self.state, State::ProbeBw { .. }) {
                self.set_pacing_rate_with_gain(1.0);
            }
        }
    }
}

impl CongestionControl for Bbr1 {
    /// `BBRUpdateOnACK`.
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        if self.rounds.delivered == 0 {
            self.know_handshake(flow);
        }
        self.update_model_and_state(ack, flow);
        self.update_control_parameters(ack, flow);
    }

    fn on_restart(&mut self, _idle: Duration, flow: &Flow) {
        self.handle_restart_from_idle(flow);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let in_flight = to_float(flow.in_flight);
        match event {
            // Section 4.2.3.4: a round of packet conservation.
            CongestionEvent::EnterRecovery => {
                self.save_cwnd();
                self.recovery = Recovery::Fast { entered: self.rounds.round_count };
                self.rounds.start_round();
                self.cwnd = self.cwnd.min((in_flight + self.smss).max(self.smss));
            }
            CongestionEvent::Rto => {
                self.save_cwnd();
                self.recovery = Recovery::Timeout;
                self.cwnd = self.cwnd.min((in_flight + self.smss).min(self.restart_cwnd.max(self.smss)));
            }
            CongestionEvent::ExitRecovery => {
                if self.recovery != Recovery::Open {
                    self.recovery = Recovery::Open;
                    if self.state != State::ProbeRtt {
                        self.restore_cwnd();
                    }
                }
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
        Needs { rate_samples: true, ecn: Ecn::None, ..Needs::default() }
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let state = match self.state {
            State::Startup => 0.0,
            State::Drain => 1.0,
            State::ProbeBw { .. } => 2.0,
            State::ProbeRtt => 3.0,
        };
        record("state", state);
        record("bandwidth", self.model.btl_bw.max());
        record("min_rtt", self.model.rtprop.map_or(f64::NAN, Duration::seconds));
        record("pacing_gain", self.pacing_gain());
    }
}
