//! CUBIC ([RFC 9438]): after a loss the window follows a cubic function of time that is flat where the
//! loss was.
//!
//! `linux` is CUBIC in the whole numbers of a kernel. Page: `docs/models/cubic.md`.
//!
//! [RFC 9438]: https://www.rfc-editor.org/rfc/rfc9438

mod linux;
mod start;
#[cfg(test)]
mod tests;

use crate::abe::{BETA_ECN, beta};
use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionEvent, Flow, Initial};
use crate::hystart::HYSTART;
use crate::units::{Duration, Time};
use crate::window::Window;
use crate::window_controller::WindowController;
pub(crate) use linux::LINUX;
use start::SlowStart;

pub(crate) const CUBIC: Algorithm = Algorithm {
    name: "cubic",
    display: "CUBIC",
    edition: 1,
    summary: "CUBIC: the window is a cubic function of the time since the last loss",
    source: "RFC 9438, RFC 9406",
    params: &Params::DEFAULT.list(),
    build: |values, initial| Box::new(Cubic::new(Params::from_values(values), initial)),
};

params! {
    /// Parameters of CUBIC.
    struct Params {
        c: f64 = 0.4, [1e-6, 1e3], "segments/s^3", "Steepness of the cubic function (C)";
        beta: f64 = 0.7, [0.1, 0.94], "1", "Part of the window kept on loss (beta_cubic)";
        fast_convergence: bool = true, "1",
            "1 makes room for new flows by aiming lower after a loss below the last one, 0 does not";
        reno_friendly: bool = true, "1", "1 keeps up with Reno in small networks, 0 does not";
        hystart: bool from HYSTART;
        search: bool = false, "1", "1 leaves it by SEARCH instead of HyStart++, 0 does not";
        beta_ecn: f64 from BETA_ECN;
    }
}

impl Params {
    /// `alpha_cubic` of section 4.3, with which AIMD(alpha, beta) has Reno's mean window.
    fn alpha(&self) -> f64 {
        3.0 * (1.0 - self.beta) / (1.0 + self.beta)
    }
}

/// A stage of congestion avoidance.
#[derive(Debug)]
struct Epoch {
    /// Time in the stage during which the window was in use [s].
    t: f64,
    /// The last ACK, and whether the window was in use then.
    seen: (Time, bool),
    /// Time at which the function is flat [s].
    k: f64,
    /// The window there [segments].
    origin: f64,
    /// The window that Reno would have [segments].
    w_est: f64,
}

impl Epoch {
    /// `W_cubic` of section 4.2, figure 1, `ahead` seconds from now [segments]:
    /// `W_cubic(t) = C * (t - K)^3 + W_max`.
    fn w_cubic(&self, c: f64, ahead: f64) -> f64 {
        let t = self.t + ahead - self.k;
        c * t * t * t + self.origin
    }

    /// Section 4.2: t "MUST NOT include periods during which cwnd has not been updated due to
    /// application-limited behavior".
    fn advance(&mut self, flow: &Flow) {
        let (at, in_use) = self.seen;
        if in_use && !flow.app_limited {
            self.t += flow.now.since(at).seconds();
        }
        self.seen = (flow.now, !flow.app_limited);
    }

    /// Section 5.8: t does "not include application-limited periods, such as idle periods".
    fn resume(&mut self, now: Time) {
        self.seen.0 = now;
    }
}

/// CUBIC of one flow.
#[derive(Debug)]
struct Cubic {
    params: Params,
    window: Window,
    start: SlowStart,
    /// Window at the last loss, perhaps less [segments]; unknown before it and after a timeout.
    w_max: Option<f64>,
    /// Window when `ssthresh` was set [segments]; none if no loss has set it.
    cwnd_prior: Option<f64>,
    epoch: Option<Epoch>,
    /// All three before the latest reduction; `start` keeps its own.
    before: Option<Before>,
    /// They have just been restored, so the end of the recovery begins no stage.
    is_restored: bool,
}

/// State before a reduction that may be taken back.
#[derive(Debug)]
struct Before {
    w_max: Option<f64>,
    cwnd_prior: Option<f64>,
    epoch: Option<Epoch>,
}

/// The window grows at most by this part of itself per round trip (RFC 9438 section 4.2).
const MAX_GROWTH: f64 = 0.5;

impl Cubic {
    fn new(params: Params, initial: &Initial) -> Self {
        Self {
            start: SlowStart::new(params.hystart, false, params.search),
            params,
            window: Window::new(initial),
            w_max: None,
            cwnd_prior: None,
            epoch: None,
            before: None,
            is_restored: false,
        }
    }

    /// Begins a stage: section 4.2, figure 2, `K = cbrt((W_max - cwnd_epoch) / C)`, or K = 0 where there is no larger
    /// `W_max` to return to. Section 4.3: "`W_est` is set equal to `cwnd_epoch`".
    fn begin(&mut self, flow: &Flow) -> Epoch {
        let cwnd = self.window.segments();
        let w_max = self.w_max.filter(|&w_max| w_max > cwnd);
        let k = w_max.map_or(0.0, |w_max| libm::cbrt((w_max - cwnd) / self.params.c));
        // Sections 4.8 and 4.10: without a `W_max`, after a timeout or a slow start that no loss ended, it is the window at
        // the beginning of the stage.
        self.w_max.get_or_insert(cwnd);
        self.cwnd_prior.get_or_insert(cwnd);
        self.start.begin_epoch(flow.now);
        Epoch { t: 0.0, seen: (flow.now, true), k, origin: w_max.unwrap_or(cwnd), w_est: cwnd }
    }

    /// Congestion avoidance by `bytes` acknowledged.
    fn avoid(&mut self, bytes: f64, flow: &Flow) {
        let mut epoch = match self.epoch.take() {
            Some(epoch) => epoch,
            None => self.begin(flow),
        };
        epoch.advance(flow);
        if bytes > 0.0 {
            let acked = bytes / self.window.smss();
            let growth = self.growth(acked, &mut epoch, flow);
            self.window.scale(bytes, growth.min(1.0));
        }
        self.epoch = Some(epoch);
    }

    /// Sections 4.2 to 4.5: growth per segment acknowledged [segments], `acked` segments at once.
    fn growth(&self, acked: f64, epoch: &mut Epoch, flow: &Flow) -> f64 {
        let (c, cwnd) = (self.params.c, self.window.segments());
        // Section 4.3: "Once W_est has grown to reach the cwnd at the time of most recently setting ssthresh -- that
        // is, W_est >= cwnd_prior -- the sender SHOULD set alpha_cubic to 1".
        let reached = self.cwnd_prior.is_some_and(|prior| epoch.w_est >= prior);
        let alpha = if reached { 1.0 } else { self.params.alpha() };
        epoch.w_est += alpha * acked / cwnd;
        let behind = if self.params.reno_friendly { epoch.w_est - cwnd } else { 0.0 };
        // Section 4.3: "CUBIC checks whether W_cubic(t) is less than W_est. If so, CUBIC is in the Reno-friendly
        // region and cwnd SHOULD be set to W_est at each reception of a new ACK."
        if behind > 0.0 && epoch.w_cubic(c, 0.0) < epoch.w_est {
            return behind / acked;
        }
        // Sections 4.4 and 4.5: "cwnd MUST be incremented by (target - cwnd) / cwnd for each received new ACK", where
        // the target is W_cubic(t + RTT).
        self.toward(epoch.w_cubic(c, flow.srtt.seconds())) / cwnd
    }

    /// Growth per round trip towards `target` segments [segments], within the bounds of section 4.2: no less than the
    /// window, and no more than 1.5 of it.
    fn toward(&self, target: f64) -> f64 {
        let cwnd = self.window.segments();
        (target - cwnd).min(MAX_GROWTH * cwnd).max(0.0)
    }

    /// Section 4.7: `W_max = cwnd * (1 + beta_cubic) / 2` after a loss below the last `W_max`, with fast convergence;
    /// otherwise `W_max` = `cwnd` [segments].
    fn remember(&mut self, cwnd: f64) {
        let converges = self.params.fast_convergence && self.w_max.is_some_and(|w_max| cwnd < w_max);
        self.w_max = Some(if converges { cwnd * (1.0 + self.params.beta) / 2.0 } else { cwnd });
    }
}

impl WindowController for Cubic {
    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> Option<&mut Window> {
        Some(&mut self.window)
    }

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let rest = self.start.on_ack(&mut self.window, ack, flow);
        // A stage begins when slow start or fast recovery is over.
        if !self.window.in_slow_start() && (self.epoch.is_some() || rest > 0.0) {
            self.avoid(rest, flow);
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let cwnd = self.window.segments();
        // It sets no threshold (RFC 5681 section 3.1), so `cwnd_prior` stays, too.
        let is_repeated = self.window.is_repeated(event);
        let goes_with_earlier = self.window.goes_with_earlier(event);
        // Section 4.6: marks are answered by beta_cubic, unless RFC 8511 says otherwise.
        let beta = beta(event, self.params.beta, self.params.beta_ecn, &self.window);
        self.window.back_off(event, beta, flow);
        let is_restored = std::mem::take(&mut self.is_restored);
        if is_restored && event == CongestionEvent::ExitRecovery {
            return;
        }
        let epoch = self.epoch.take();
        if event == CongestionEvent::ExitRecovery || is_repeated {
            return;
        }
        if !goes_with_earlier {
            self.before = Some(Before { w_max: self.w_max, cwnd_prior: self.cwnd_prior, epoch });
        }
        self.start.on_congestion(event, goes_with_earlier);
        self.cwnd_prior = Some(cwnd);
        if event == CongestionEvent::Rto {
            // Section 4.8: after it, "K is set to 0, and W_max is set to the congestion window size at the
            // beginning of the current congestion avoidance stage".
            self.w_max = None;
        } else {
            self.remember(cwnd);
        }
    }

    /// Section 4.9.2: the sender restores `W_max`, K, `epoch_start` and `W_est`, too.
    fn restore(&mut self) {
        if let Some(before) = self.before.take() {
            (self.w_max, self.cwnd_prior, self.epoch) = (before.w_max, before.cwnd_prior, before.epoch);
            self.is_restored = true;
        }
        self.start.restore();
    }

    fn on_restart(&mut self, idle: Duration, flow: &Flow) {
        if let Some(epoch) = &mut self.epoch {
            epoch.resume(flow.now);
        }
        self.start.on_restart(idle, flow);
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let smss = self.window.smss();
        let bytes = |segments: Option<f64>| segments.map_or(f64::NAN, |segments| segments * smss);
        record("w_max", bytes(self.w_max));
        record("w_est", bytes(self.epoch.as_ref().map(|epoch| epoch.w_est)));
        record("cwnd_prior", bytes(self.cwnd_prior));
        record("k", self.epoch.as_ref().map_or(f64::NAN, |epoch| epoch.k));
    }
}
