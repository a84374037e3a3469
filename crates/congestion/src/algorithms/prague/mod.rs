//! Prague ([draft-briscoe-iccrg-prague-congestion-control]): a scalable congestion control for the Internet, which cuts
//! its window in proportion to the part of its bytes that were marked, and grows meanwhile.
//!
//! `classic` detects a bottleneck with the ECN of RFC 3168. The counts of marks (AccECN), ECT(1), detection of losses by
//! time and the limit of bursts are the transport's. Page: `docs/models/prague.md`.
//!
//! [draft-briscoe-iccrg-prague-congestion-control]: https://datatracker.ietf.org/doc/draft-briscoe-iccrg-prague-congestion-control/04/

mod classic;
mod moving_average;
#[cfg(test)]
mod tests;

use crate::algorithm::Algorithm;
use crate::control::{
    AckSample, CongestionControl, CongestionEvent, Decision, Ecn, Flow, Initial, LEAST_FRACTION, Needs,
};
use crate::units::{Duration, Rate, Time};
use crate::window::{BETA_RENO, Window, to_float};
use crate::window_controller::WindowController;
use classic::Detector;
use moving_average::MovingAverage;

pub(crate) const PRAGUE: Algorithm = Algorithm {
    name: "prague",
    display: "Prague",
    edition: 1,
    summary: "Prague for L4S: the window is cut by half of the averaged part of marked bytes, whatever the RTT",
    source: "draft-briscoe-iccrg-prague-congestion-control-04, RFC 9331",
    params: &Params::DEFAULT.list(),
    build: |values, initial| build(values, initial, Form::Draft),
};

pub(crate) const LINUX: Algorithm = Algorithm {
    name: "prague:linux",
    display: "Prague (Linux)",
    edition: 1,
    summary: "Prague as in Linux: 2 segments at least, and the window moves by a segment per ACK",
    source: "L4STeam/linux, net/ipv4/tcp_prague.c, version 0.6",
    params: &Params { min_cwnd: 2.0, ..Params::DEFAULT }.list(),
    build: |values, initial| build(values, initial, Form::Linux),
};

params! {
    /// Parameters of Prague.
    struct Params {
        g: f64 = 0.0625, [1e-6, 1.0], "1", "Weight of a new period in the averaged part of marked bytes";
        alpha: f64 = 1.0, [0.0, 1.0], "1", "Averaged part of marked bytes until the first mark";
        rtt_virt_min: f64 = 0.025, [0.0, 10.0], "s", "Smallest virtual RTT; 0 leaves all to the RTT";
        rtt_transition: f64 = 500.0, [0.0, 1e9], "round trips",
            "Time after slow start from which the virtual RTT counts";
        min_cwnd: f64 = 0.0625, [LEAST_FRACTION, 100.0], "segments", "Least window that marks and losses leave";
        ecn_fallback: bool = false, "1",
            "1 falls back to Reno where the echo is classic, and towards it where the bottleneck seems to be; 0 does not";
    }
}

fn build(values: &[f64], initial: &Initial, form: Form) -> Box<dyn CongestionControl> {
    let params = Params::from_values(values);
    let window = Window::new(initial);
    Box::new(Prague {
        form,
        in_force: window.cwnd(),
        pacing_rate: None,
        is_scalable: true,
        average: MovingAverage::new(params.g, params.alpha),
        detector: params.ecn_fallback.then(Detector::default),
        rounds: 0,
        cut_at: None,
        cut_is_due: false,
        params,
        window,
    })
}

/// Form of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The draft.
    Draft,
    /// Linux, `net/ipv4/tcp_prague.c`.
    Linux,
}

/// Prague of one flow.
#[derive(Debug)]
struct Prague {
    params: Params,
    form: Form,
    window: Window,
    /// Window that the transport has [bytes]; in the form of Linux it follows `window` in whole segments.
    in_force: f64,
    pacing_rate: Option<Rate>,
    /// Marks are counted, so the flow is not Reno.
    is_scalable: bool,
    average: MovingAverage,
    detector: Option<Detector>,
    /// Periods since slow start, counted to `rtt_transition`.
    rounds: u64,
    /// Latest cut.
    cut_at: Option<Time>,
    /// A mark came before the virtual RTT after the latest cut was over.
    cut_is_due: bool,
}

impl Prague {
    /// Section 2.4.4: "the Reduced RTT-Dependence algorithm only comes into effect after D rounds".
    fn is_rtt_independent(&self) -> bool {
        !self.window.in_slow_start() && to_float(self.rounds) >= self.params.rtt_transition
    }

    /// Section 2.4.4: the virtual RTT is the larger of the RTT and 25 ms; zero before it comes into effect.
    fn rtt_virt(&self, flow: &Flow) -> Duration {
        if !self.is_rtt_independent() {
            return Duration::ZERO;
        }
        flow.srtt.max(Duration::from_seconds(self.params.rtt_virt_min))
    }

    /// Section 2.4.2: a decrease "suppresses any further decreases for one round trip", which the transport counts; with
    /// the virtual RTT, also for that.
    fn may_cut(&self, flow: &Flow) -> bool {
        self.cut_at.is_none_or(|at| flow.now >= at + self.rtt_virt(flow))
    }

    /// Section 2.4.2: "ssthresh = (1 - alpha/2) * cwnd". In slow start it ends that: section 2.4.5, "Slow start is exited
    /// once a single mark is detected".
    fn cut(&mut self, flow: &Flow) {
        let mut alpha = self.average.alpha;
        if let Some(detector) = &mut self.detector {
            detector.adapt_gains(self.window.ssthresh() / self.window.smss());
            alpha = alpha.max(detector.least_alpha());
        }
        self.close(self.window.cwnd() * (1.0 - alpha / 2.0));
        (self.cut_at, self.cut_is_due) = (Some(flow.now), false);
    }

    /// Lowers the window to `target` bytes, no further than to `min_cwnd`.
    fn close(&mut self, target: f64) {
        self.window.close(target.max(self.params.min_cwnd * self.window.smss()));
    }

    /// Section 2.4.3: "a Prague CC applies additive increase irrespective of its CWR state, but only for bytes that have
    /// been ACK'd without ECN feedback": `cwnd += (acked_sacked - ece_delta) * ai_per_rtt / cwnd`.
    ///
    /// Section 2.4.4: the increase per packet is "(1/M^2) * (1/cwnd)", where M is the virtual RTT over the RTT.
    fn increase(&mut self, credit: f64, ack: &AckSample, flow: &Flow) {
        let marked = to_float(ack.ce_marked.min(ack.delivered)) / to_float(ack.delivered.max(1));
        let rest = self.window.slow_start(credit * (1.0 - marked));
        let virt = self.rtt_virt(flow);
        let per_rtt = if virt > flow.srtt && flow.srtt > Duration::ZERO {
            let inverse_m = flow.srtt.seconds() / virt.seconds();
            inverse_m * inverse_m
        } else {
            1.0
        };
        // Below one segment no faster than slow start.
        self.window.scale(rest, (per_rtt * self.window.smss() / self.window.cwnd()).min(1.0));
    }

    /// Ends a period, at the end of a round trip and of the virtual RTT, once there is a mark.
    fn follow_marks(&mut self, ack: &AckSample, flow: &Flow) {
        self.average.add(ack);
        if let (Some(detector), Some(rtt)) = (&mut self.detector, ack.rtt) {
            detector.sample(rtt);
        }
        if !self.average.ends_period(flow.now, self.rtt_virt(flow)) {
            return;
        }
        if let Some(detector) = self.detector.as_mut().filter(|_| self.average.has_seen_mark()) {
            detector.judge(flow.min_rtt);
        }
        self.average.start_period(flow.now);
        self.rounds += u64::from(!self.window.in_slow_start());
    }

    /// Window in force: Linux moves it by a segment per ACK, towards the next whole number of segments.
    /// Like the window itself, it opens by the bytes of `credit` at most.
    fn put_in_force(&mut self, credit: f64) {
        let (cwnd, smss) = (self.window.cwnd(), self.window.smss());
        if self.form == Form::Draft {
            self.in_force = cwnd;
            return;
        }
        let wanted = if self.window.in_slow_start() { cwnd } else { libm::ceil(cwnd / smss) * smss };
        let lowered = self.in_force - smss;
        self.in_force = wanted.min(self.in_force + credit).max(lowered);
    }

    /// Section 2.5.1: the window is spread over the smoothed RTT; `if (cwnd < ssthresh / 2) pacing_rate *= 2`.
    fn pace(&mut self, flow: &Flow) {
        let cwnd = self.window.cwnd();
        let gain = if cwnd < self.window.ssthresh() / 2.0 { 2.0 } else { 1.0 };
        let is_known = self.is_scalable && flow.srtt > Duration::ZERO;
        self.pacing_rate = is_known.then(|| Rate(gain * cwnd / flow.srtt.seconds()));
    }
}

impl WindowController for Prague {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        // Section 2.3.1.1: "If the peer does not support accurate ECN feedback, the sender MUST fall back to a
        // Reno-friendly CC behaviour for the rest of the connection."
        self.is_scalable = matches!(flow.ecn, Ecn::L4s | Ecn::Dctcp);
        let credit = self.window.credit(ack, flow);
        if self.is_scalable {
            if self.cut_is_due && ack.ce_marked > 0 && self.may_cut(flow) {
                self.cut(flow);
            }
            self.increase(credit, ack, flow);
            self.follow_marks(ack, flow);
        } else {
            let rest = self.window.slow_start(credit);
            self.window.avoid(rest, self.window.cwnd());
        }
        self.put_in_force(credit);
        self.pace(flow);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.is_scalable = matches!(flow.ecn, Ecn::L4s | Ecn::Dctcp);
        match event {
            CongestionEvent::EcnEcho if !self.is_scalable => self.window.back_off(event, BETA_RENO, flow),
            CongestionEvent::EcnEcho if self.may_cut(flow) => self.cut(flow),
            CongestionEvent::EcnEcho => self.cut_is_due = true,
            // Section 2.4.1: "A Prague CC has to fall back to Reno-friendly behaviour on detection of a loss".
            CongestionEvent::EnterRecovery => {
                let kept = BETA_RENO * self.window.reference(self.window.cwnd(), flow);
                self.window.respond(event, kept);
                if self.is_scalable {
                    self.close(kept);
                }
            }
            CongestionEvent::ExitRecovery | CongestionEvent::Rto => {
                self.window.back_off(event, BETA_RENO, flow);
            }
        }
        let is_step = self.form == Form::Linux && event != CongestionEvent::Rto;
        if !(is_step && self.is_scalable) {
            self.in_force = self.in_force.min(self.window.cwnd());
        }
        self.pace(flow);
    }

    fn follow_window(&mut self) {
        self.in_force = self.window.cwnd();
    }

    fn decision(&self) -> Decision {
        Decision { cwnd: self.in_force, pacing_rate: self.pacing_rate }
    }

    fn is_standard(&self) -> bool {
        !self.is_scalable
    }

    fn needs(&self) -> Needs {
        Needs { ecn: Ecn::L4s, ecn_fallback: self.params.ecn_fallback, ..Needs::default() }
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("alpha", self.average.alpha);
        record("rounds", to_float(self.rounds));
        if let Some(detector) = &self.detector {
            record("classic_ecn", detector.classic_ecn());
        }
    }
}
