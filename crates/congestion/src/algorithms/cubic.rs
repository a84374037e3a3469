//! CUBIC ([RFC 9438]): after a loss the window follows a cubic function of time that is flat where the
//! loss was.
//!
//! The initial slow start may be left by `HyStart`++. Page: `docs/models/cubic.md`, with what Linux does
//! differently.
//!
//! [RFC 9438]: https://www.rfc-editor.org/rfc/rfc9438

use crate::control::{AckSample, CongestionControl, CongestionEvent, Decision, Flow, Initial, Phase};
use crate::hystart::{self, HyStart};
use crate::registry::{Algorithm, Param};
use crate::units::Time;
use crate::window::Window;

pub(crate) const CUBIC: Algorithm = Algorithm {
    name: "cubic",
    summary: "CUBIC: the window is a cubic function of the time since the last loss",
    source: "RFC 9438, RFC 9406",
    params: &params(0.4, 0.7),
    build: build_rfc,
};

pub(crate) const LINUX: Algorithm = Algorithm {
    name: "cubic:linux",
    summary: "CUBIC as in Linux: fixed friendliness, faster until the first loss",
    source: "Linux, net/ipv4/tcp_cubic.c; RFC 9438, RFC 9406",
    params: &params(410.0 / 1024.0, 717.0 / 1024.0),
    build: build_linux,
};

const fn params(c: f64, beta: f64) -> [Param; 5] {
    [
        Param::new("c", c, 1e-6, 1e3, "segments/s^3", "Steepness of the cubic function (C)"),
        Param::new("beta", beta, 0.1, 0.94, "1", "Part of the window kept on loss (beta_cubic)"),
        Param::new(
            "fast_convergence",
            1.0,
            0.0,
            1.0,
            "1",
            "1 makes room for new flows by aiming lower after a loss below the last one, 0 does not",
        ),
        Param::new("reno_friendly", 1.0, 0.0, 1.0, "1", "1 keeps up with Reno in small networks, 0 does not"),
        hystart::param(1.0),
    ]
}

fn build_rfc(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    build(values, initial, false)
}

fn build_linux(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    build(values, initial, true)
}

fn build(values: &[f64], initial: &Initial, linux: bool) -> Box<dyn CongestionControl> {
    let &[c, beta, fast_convergence, reno_friendly, hystart] = values else {
        unreachable!("one value per parameter")
    };
    let rules = Rules {
        c,
        beta,
        fast_convergence: is_on(fast_convergence),
        reno_friendly: is_on(reno_friendly),
        linux,
    };
    Box::new(Cubic {
        rules,
        window: Window::new(initial),
        hystart: HyStart::new(is_on(hystart)),
        w_max: None,
        cwnd_prior: None,
        epoch: None,
    })
}

/// Switches are numbers.
fn is_on(value: f64) -> bool {
    value >= 0.5
}

/// The window grows at most by this part of itself per round trip (RFC 9438 section 4.2).
const MAX_GROWTH: f64 = 0.5;

/// Linux grows at least by this part of the window per round trip until there was a loss.
const UNTESTED_GROWTH: f64 = 0.05;

/// Linux grows at least by this many segments per round trip.
const MIN_GROWTH: f64 = 0.01;

/// The parameters.
#[derive(Debug)]
struct Rules {
    /// [segments/s^3]
    c: f64,
    beta: f64,
    fast_convergence: bool,
    reno_friendly: bool,
    linux: bool,
}

impl Rules {
    /// alpha of section 4.3, with which AIMD(alpha, beta) has Reno's mean window.
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
    /// `W_cubic` of section 4.2, equation 1 [segments].
    fn w_cubic(&self, c: f64, ahead: f64) -> f64 {
        let t = self.t + ahead - self.k;
        c * t * t * t + self.origin
    }

    /// Section 4.2: t "MUST NOT include periods during which cwnd has not been updated due to
    /// application-limited behavior".
    fn advance(&mut self, flow: &Flow) {
        let (at, in_use) = self.seen;
        if in_use && flow.cwnd_limited {
            self.t += flow.now.since(at).seconds();
        }
        self.seen = (flow.now, flow.cwnd_limited);
    }
}

/// CUBIC of one flow.
#[derive(Debug)]
struct Cubic {
    rules: Rules,
    window: Window,
    hystart: HyStart,
    /// Where the last loss was, perhaps less [segments]; unknown before it and after a timeout.
    w_max: Option<f64>,
    /// The window when `ssthresh` was set [segments]; none if no loss has set it.
    cwnd_prior: Option<f64>,
    epoch: Option<Epoch>,
}

impl Cubic {
    /// [segments]
    fn segments(&self) -> f64 {
        self.window.cwnd() / self.window.smss()
    }

    /// The stage begins: equation 2 for K, or K = 0 where there is no larger `W_max` to return to.
    fn begin(&mut self, flow: &Flow) -> Epoch {
        let cwnd = self.segments();
        let w_max = self.w_max.filter(|&w_max| w_max > cwnd);
        let k = w_max.map_or(0.0, |w_max| libm::cbrt((w_max - cwnd) / self.rules.c));
        if !self.rules.linux {
            // Linux keeps what it remembers; the RFC sets W_max to the window here (sections 4.8 and 4.10).
            self.w_max.get_or_insert(cwnd);
        }
        self.cwnd_prior.get_or_insert(cwnd);
        Epoch { t: 0.0, seen: (flow.now, true), k, origin: w_max.unwrap_or(cwnd), w_est: cwnd }
    }

    fn avoid(&mut self, bytes: f64, flow: &Flow) {
        let mut epoch = match self.epoch.take() {
            Some(epoch) => epoch,
            None => self.begin(flow),
        };
        epoch.advance(flow);
        if bytes > 0.0 {
            let grown = self.grow(bytes / self.window.smss(), &mut epoch, flow);
            self.window.scale(bytes, grown.min(1.0));
        }
        self.epoch = Some(epoch);
    }

    /// Growth per segment acknowledged [segments]; sections 4.3 to 4.5.
    fn grow(&self, acked: f64, epoch: &mut Epoch, flow: &Flow) -> f64 {
        let Rules { c, linux, .. } = self.rules;
        let cwnd = self.segments();
        let reached = !linux && self.cwnd_prior.is_some_and(|prior| epoch.w_est >= prior);
        let alpha = if reached { 1.0 } else { self.rules.alpha() };
        epoch.w_est += alpha * acked / cwnd;
        let behind = if self.rules.reno_friendly { epoch.w_est - cwnd } else { 0.0 };
        if linux {
            let growth = self.toward(epoch.w_cubic(c, flow.min_rtt.seconds()));
            let least = if self.w_max.is_none() { UNTESTED_GROWTH * cwnd } else { MIN_GROWTH };
            return growth.max(least).max(behind) / cwnd;
        }
        if behind > 0.0 && epoch.w_cubic(c, 0.0) < epoch.w_est {
            return behind / acked;
        }
        self.toward(epoch.w_cubic(c, flow.srtt.seconds())) / cwnd
    }

    /// Growth per round trip towards `target` segments [segments], within the bounds of section 4.2.
    fn toward(&self, target: f64) -> f64 {
        let cwnd = self.segments();
        (target - cwnd).min(MAX_GROWTH * cwnd).max(0.0)
    }

    /// Section 4.7: what a loss at `cwnd` segments makes of `W_max`.
    fn remember(&mut self, cwnd: f64) {
        let converges = self.rules.fast_convergence && self.w_max.is_some_and(|w_max| cwnd < w_max);
        self.w_max = Some(if converges { cwnd * (1.0 + self.rules.beta) / 2.0 } else { cwnd });
    }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let credit = self.window.credit(ack, flow);
        let rest = self.hystart.slow_start(&mut self.window, ack, credit);
        // A stage begins when slow start or fast recovery is over.
        if !self.window.in_slow_start() && (self.epoch.is_some() || rest > 0.0) {
            self.avoid(rest, flow);
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let cwnd = self.segments();
        let reference = self.window.reference(self.window.cwnd(), flow);
        self.window.respond(event, self.rules.beta * reference);
        self.epoch = None;
        if event == CongestionEvent::ExitRecovery {
            return;
        }
        self.hystart.stop();
        self.cwnd_prior = Some(cwnd);
        if event == CongestionEvent::Rto {
            // Section 4.8: after it, "K is set to 0, and W_max is set to the congestion window size at the
            // beginning of the current congestion avoidance stage".
            self.w_max = None;
        } else {
            self.remember(cwnd);
        }
    }

    fn decision(&self) -> Decision {
        self.window.decision()
    }

    fn phase(&self) -> Phase {
        self.window.phase(false)
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let smss = self.window.smss();
        let bytes = |segments: Option<f64>| segments.map_or(f64::NAN, |segments| segments * smss);
        record("ssthresh", self.window.ssthresh());
        record("w_max", bytes(self.w_max));
        record("w_est", bytes(self.epoch.as_ref().map(|epoch| epoch.w_est)));
        record("cwnd_prior", bytes(self.cwnd_prior));
        record("k", self.epoch.as_ref().map_or(f64::NAN, |epoch| epoch.k));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, assert_near, avoiding, create, create_with, flow_at, initial, read, segments};
    use crate::units::Duration;

    fn at(seconds: f64) -> Flow {
        Flow { now: Time(Duration::from_seconds(seconds).0), ..flow_at(100, 100) }
    }

    fn lose(controller: &mut dyn CongestionControl, seconds: f64) {
        controller.on_congestion(CongestionEvent::EnterRecovery, &at(seconds));
        controller.on_congestion(CongestionEvent::ExitRecovery, &at(seconds));
    }

    /// Round trips of 100 ms from `from` to `to` seconds, ACKs evenly spread.
    fn pass(controller: &mut dyn CongestionControl, from: f64, to: f64) -> f64 {
        let mut now = from;
        while now < to {
            now += 0.1 / segments(controller);
            controller.on_ack(&ack(1), &at(now));
        }
        segments(controller)
    }

    /// Section 4.6: beta 0.7 and `W_max` as it was; equation 2: K = cbrt(0.3 `W_max` / C); equation 1: the window
    /// is back at `W_max` after K, flat there, and beyond it after that.
    #[test]
    fn window_is_cubic_in_time() {
        let mut controller = create(&CUBIC, &avoiding(1000.0));
        lose(&mut *controller, 0.0);
        assert_near(segments(&*controller), 700.0);
        let k = (300.0_f64 / 0.4).cbrt();
        controller.on_ack(&ack(1), &at(0.0));
        assert_near(read(&*controller, "k"), k);
        for (from, to) in [(0.0, 3.0), (3.0, 6.0), (6.0, k), (k, 12.0), (12.0, 15.0)] {
            let found = pass(&mut *controller, from, to);
            // The window follows W_cubic(t + RTT) with a lag of one round trip.
            let expected = 0.4 * (to - k).powi(3) + 1000.0;
            assert!((found - expected).abs() < 2.0, "at {to}: {found} instead of {expected}");
        }
    }

    /// Section 4.2: the target is at most 1.5 cwnd.
    #[test]
    fn growth_is_bounded() {
        let mut controller = create(&CUBIC, &avoiding(100.0));
        controller.on_ack(&ack(1), &at(0.0));
        let before = segments(&*controller);
        controller.on_ack(&ack(1), &at(1000.0));
        assert_near(segments(&*controller) - before, 0.5);
    }

    /// Section 4.3: alpha = 3 (1 - beta) / (1 + beta) until the window is what it was before the loss, then 1.
    #[test]
    fn reno_friendly_region_has_two_slopes() {
        let mut controller = create(&CUBIC, &avoiding(20.0));
        lose(&mut *controller, 0.0);
        // Time stands still, so the cubic function does not grow and Reno's estimate leads.
        controller.on_ack(&ack(1), &at(0.0));
        assert_near(segments(&*controller), 14.0 + 9.0 / 17.0 / 14.0);
        while segments(&*controller) < 20.0 {
            controller.on_ack(&ack(1), &at(0.0));
        }
        let before = segments(&*controller);
        controller.on_ack(&ack(1), &at(0.0));
        assert_near(segments(&*controller), before + 1.0 / before);
        let mut off = create_with(&CUBIC, &avoiding(20.0), &[("reno_friendly", 0.0)]);
        lose(&mut *off, 0.0);
        off.on_ack(&ack(1), &at(0.0));
        assert!(segments(&*off) < 14.5);
    }

    /// Section 4.7: `W_max` = cwnd (1 + beta) / 2 when the loss came below the last `W_max`.
    #[test]
    fn fast_convergence_aims_lower() {
        for (switch, expected) in [(1.0, 700.0 * 0.85), (0.0, 700.0)] {
            let changes = [("fast_convergence", switch)];
            let mut controller = create_with(&CUBIC, &avoiding(1000.0), &changes);
            lose(&mut *controller, 0.0);
            assert_near(read(&*controller, "w_max"), 1e6);
            lose(&mut *controller, 1.0);
            assert_near(read(&*controller, "w_max"), 1000.0 * expected);
        }
    }

    /// Section 4.8: `ssthresh` by beta, Reno's window, and K = 0 in the stage that follows.
    #[test]
    fn stage_after_a_timeout_starts_flat() {
        let mut controller = create(&CUBIC, &avoiding(100.0));
        lose(&mut *controller, 0.0);
        controller.on_congestion(CongestionEvent::Rto, &at(1.0));
        assert_near(segments(&*controller), 2.0);
        assert_near(read(&*controller, "ssthresh"), 49_000.0);
        assert_eq!(controller.phase(), Phase::SlowStart);
        controller.on_congestion(CongestionEvent::ExitRecovery, &at(1.0));
        controller.on_ack(&ack(60), &at(2.0));
        assert_eq!(controller.phase(), Phase::Alternate);
        assert_near(read(&*controller, "k"), 0.0);
        assert_near(read(&*controller, "w_max"), 49_000.0);
    }

    /// Section 5.8: an application-limited period does not count.
    #[test]
    fn idle_time_does_not_count() {
        let mut controller = create(&CUBIC, &avoiding(1000.0));
        lose(&mut *controller, 0.0);
        let used = pass(&mut *controller, 0.0, 2.0);
        controller.on_ack(&ack(1), &Flow { cwnd_limited: false, ..at(2.1) });
        assert_near(segments(&*controller), used);
        controller.on_ack(&ack(1), &at(100.0));
        assert!(segments(&*controller) < used + 0.1);
    }

    /// Section 4.10: after `HyStart`++ there is no `W_max`; the stage starts flat.
    #[test]
    fn slow_start_may_end_without_loss() {
        let mut controller = create(&CUBIC, &initial(16.0));
        let rtt = |ms| Some(Duration::from_millis(ms));
        let mut now = 0.0;
        for round_trip in 0..12_u64 {
            let mut round =
                Some(crate::RoundSample { min_rtt: None, rtt_count: 9, delivered: 0, lost: 0, ce_marked: 0 });
            now += 0.1;
            for _ in 0..16 {
                let rtt = rtt(100 + 15 * round_trip.min(2));
                controller.on_ack(&AckSample { rtt, round: round.take(), ..ack(1) }, &at(now));
            }
        }
        assert_eq!(controller.phase(), Phase::Alternate);
        assert_near(read(&*controller, "k"), 0.0);
        assert!(read(&*controller, "ssthresh").is_finite());
    }

    /// Linux `tcp_cubic.c`: 717/1024; 5 % per round trip until the first loss; alpha stays.
    #[test]
    fn linux_differs() {
        let mut controller = create(&LINUX, &avoiding(1000.0));
        controller.on_ack(&ack(1), &at(0.0));
        assert_near(segments(&*controller), 1000.05);
        let mut controller = create(&LINUX, &avoiding(20.0));
        lose(&mut *controller, 0.0);
        assert_near(segments(&*controller), 20.0 * 717.0 / 1024.0);
        for _ in 0..600 {
            controller.on_ack(&ack(1), &at(0.0));
        }
        let before = segments(&*controller);
        controller.on_ack(&ack(1), &at(0.0));
        let alpha = (segments(&*controller) - before) * before;
        assert!((0.52..0.54).contains(&alpha), "{alpha}");
    }
}
