//! Copa (Arun and Balakrishnan, [NSDI 2018]): the rate moves to 1 / (delta x queueing delay), with a velocity
//! that grows while the direction lasts; against flows that fill the queue, delta becomes smaller.
//!
//! Page: `docs/models/copa.md`.
//!
//! [NSDI 2018]: https://www.usenix.org/conference/nsdi18/presentation/arun

mod rtts;
#[cfg(test)]
mod tests;
mod velocity;

use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Decision, Ecn, Flow, Initial, Needs};
use crate::units::{Duration, Rate, Time};
use crate::window::{BETA_RENO, Window, to_float};
use crate::window_controller::WindowController;
use rtts::Rtts;
use velocity::Velocity;

pub(crate) const COPA: Algorithm = Algorithm {
    name: "copa",
    display: "Copa",
    edition: 1,
    summary: "Copa: paced, the rate moves to 1 / (delta x queueing delay), delta adapts to queue fillers",
    source: "Arun and Balakrishnan, NSDI 2018",
    params: &Params::DEFAULT.list(),
    build,
};

pub(crate) const DEFAULT_MODE: Algorithm = Algorithm {
    name: "copa:default-mode",
    display: "Copa (default mode)",
    edition: 1,
    summary: "Copa without its mode for competition with flows that fill the queue",
    source: "Arun and Balakrishnan, NSDI 2018",
    params: &Params { competitive: false, ..Params::DEFAULT }.list(),
    build,
};

params! {
    /// Parameters of Copa.
    struct Params {
        delta: f64 = 0.5, [1e-4, 10.0], "1", "Weight of delay against throughput, in the default mode";
        competitive: bool = true, "1", "1 lowers delta against flows that fill the queue, 0 never does";
        min_rtt_window: f64 = 10.0, [0.1, 1e4], "s", "Time after which the smallest RTT is forgotten";
        memory: f64 = 5.0, [1.0, 1e3], "round trips", "Time without an empty queue that shows a filler";
    }
}

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let params = Params::from_values(values);
    Box::new(Copa {
        rtts: Rtts::new(params.min_rtt_window),
        params,
        window: Window::new(initial),
        velocity: Velocity::default(),
        mode: Mode::Default,
        restarting: false,
        round: Time::ZERO,
        since_empty: 0.0,
        cut: Time::ZERO,
    })
}

/// Copa of one flow.
#[derive(Debug)]
struct Copa {
    params: Params,
    window: Window,
    rtts: Rtts,
    velocity: Velocity,
    mode: Mode,
    /// In slow start after a timeout. It is bounded by `ssthresh`, and the first RTTs still show the queue of before.
    restarting: bool,
    /// When the running round trip began.
    round: Time,
    /// Rounds since the queue was nearly empty.
    since_empty: f64,
    /// When 1 / delta was cut last.
    cut: Time,
}

/// Rule by which delta is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    /// The parameter.
    Default,
    /// 1 / delta grows and is cut like the window of Reno.
    Competitive { inverse: f64, lossless: bool },
}

impl Copa {
    fn delta(&self) -> f64 {
        match self.mode {
            Mode::Default => self.params.delta,
            Mode::Competitive { inverse, .. } => 1.0 / inverse,
        }
    }

    /// True if the rate is below its target, 1 / (delta x queueing delay); `None` before the first RTT.
    fn below_target(&self) -> Option<bool> {
        let (standing, least) = (self.rtts.standing()?, self.rtts.least()?);
        let queueing = (standing - least).seconds();
        // w / standing <= 1 / (delta queueing), without dividing by an empty queue.
        Some(self.window.segments() * self.delta() * queueing <= standing.seconds())
    }

    /// Once per smoothed RTT: velocity and mode.
    fn end_round(&mut self, now: Time) {
        self.round = now;
        self.rtts.end_round();
        if !self.window.in_slow_start() {
            self.velocity.end_round(self.window.cwnd());
        }
        self.since_empty += 1.0;
        let fills = self.params.competitive && self.since_empty > self.params.memory;
        self.mode = match self.mode {
            Mode::Default if fills => Mode::Competitive { inverse: 1.0 / self.params.delta, lossless: true },
            Mode::Competitive { inverse, lossless } if fills => {
                // + 1 per round trip without loss.
                Mode::Competitive { inverse: inverse + f64::from(u8::from(lossless)), lossless: true }
            }
            _ => Mode::Default,
        };
    }

    /// v / (delta w) segments per segment acknowledged, up or down.
    fn steer(&mut self, up: bool, delivered: f64, now: Time) {
        if self.velocity.is_against(up) {
            self.velocity.turn(up, self.window.cwnd());
            self.round = now;
        }
        let slope = self.velocity.bounded(self.delta(), self.window.segments())
            / (self.delta() * self.window.segments());
        if up {
            self.window.scale(delivered, slope);
        } else {
            self.window.steer(self.window.cwnd() - slope * delivered);
        }
    }

    /// Loss, mark or timeout: 1 / delta is cut, once per smoothed RTT at most, as in the authors' program
    /// (genericCC, `MarkovianCC::update_delta`).
    fn back_off(&mut self, flow: &Flow) {
        let Mode::Competitive { inverse, lossless } = &mut self.mode else { return };
        *lossless = false;
        if flow.now.since(self.cut) >= flow.srtt {
            self.cut = flow.now;
            // By half, as Reno cuts its window, but never below the default mode's.
            *inverse = (BETA_RENO * *inverse).max(1.0 / self.params.delta);
        }
    }
}

impl WindowController for Copa {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        if let Some(rtt) = ack.rtt {
            self.rtts.add(rtt, flow);
            if self.rtts.is_nearly_empty() {
                self.since_empty = 0.0;
            }
        }
        // A recovery may last for many rounds with losses.
        if ack.lost > 0 {
            self.back_off(flow);
        }
        if flow.srtt > Duration::ZERO && flow.now.since(self.round) >= flow.srtt {
            self.end_round(flow.now);
        }
        // Loss is no signal: what arrives beyond a segment that is still missing opens the window, too.
        let open = Flow { cwnd_limited: flow.cwnd_limited || flow.in_recovery, ..*flow };
        let credit = self.window.credit(ack, &open);
        let Some(up) = self.below_target() else {
            let _ = self.window.slow_start(credit);
            return;
        };
        if !up && !self.restarting {
            self.window.leave_slow_start();
        }
        let rest = self.window.slow_start(credit);
        if self.window.in_slow_start() {
            return;
        }
        self.restarting = false;
        // A loss says nothing, so the window also grows while losses are repaired, but never unused.
        if !flow.app_limited || flow.in_recovery || !up {
            self.steer(up, to_float(ack.delivered) - (credit - rest), flow.now);
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let cwnd = self.window.cwnd();
        match event {
            // Loss is no signal in itself: it ends slow start and cuts 1 / delta.
            CongestionEvent::EnterRecovery | CongestionEvent::EcnEcho => {
                self.window.respond(event, cwnd);
                self.back_off(flow);
            }
            CongestionEvent::Rto => {
                self.window.back_off(event, BETA_RENO, flow);
                self.velocity = Velocity::default();
                self.restarting = true;
                self.back_off(flow);
            }
            CongestionEvent::ExitRecovery => self.window.respond(event, cwnd),
        }
    }

    /// A timeout that is taken back leaves no slow start to repair by, and delay ends the initial one again.
    fn restore(&mut self) {
        self.restarting = false;
    }

    fn on_restart(&mut self, idle: Duration, _flow: &Flow) {
        self.rtts.pass(idle);
    }

    fn decision(&self) -> Decision {
        // Packets go out at 2 cwnd / RTTstanding, so that bursts do not look like queues.
        let pacing_rate = self
            .rtts
            .standing()
            .filter(|&standing| standing > Duration::ZERO)
            .map(|standing| Rate(2.0 * self.window.cwnd() / standing.seconds()));
        Decision { cwnd: self.window.cwnd(), pacing_rate }
    }

    /// Delay is the signal; a mark has no answer.
    fn needs(&self) -> Needs {
        Needs { ecn: Ecn::None, ..Needs::default() }
    }

    /// Without `ssthresh`, which says little of a rate.
    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("delta", self.delta());
        record("velocity", self.velocity.value);
        record("rtt_standing", self.rtts.standing().map_or(f64::NAN, Duration::seconds));
        record("min_rtt", self.rtts.least().map_or(f64::NAN, Duration::seconds));
    }
}
