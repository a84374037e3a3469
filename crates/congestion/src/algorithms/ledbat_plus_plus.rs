//! LEDBAT++ ([draft-irtf-iccrg-ledbat-plus-plus-01]): LEDBAT with a gain that follows the base RTT, a
//! multiplicative decrease and regular slowdowns, in which the base delay shows.
//!
//! Page: `docs/models/ledbat.md`.
//!
//! [draft-irtf-iccrg-ledbat-plus-plus-01]: https://datatracker.ietf.org/doc/html/draft-irtf-iccrg-ledbat-plus-plus-01

use super::ledbat::{BASE_HISTORY, CURRENT_FILTER, Delays, TARGET};
use crate::algorithm::{Algorithm, Param};
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial, Phase};
use crate::units::{Duration, Time};
use crate::window::{BETA_RENO, Window, to_float};
use crate::window_controller::WindowController;

pub(crate) const LEDBAT_PLUS_PLUS: Algorithm = Algorithm {
    name: "ledbat++",
    display: "LEDBAT++",
    edition: 1,
    summary: "LEDBAT++: LEDBAT on round-trip delays with adaptive gain and regular slowdowns",
    source: "draft-irtf-iccrg-ledbat-plus-plus-01 (2020)",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of LEDBAT++.
    struct Params {
        target: f64 from Param { default: 0.06, ..TARGET };
        max_divisor: f64 = 16.0, [1.0, 1e3], "1", "Largest number that divides the gain";
        constant: f64 = 1.0, [0.0, 100.0], "1", "Strength of the multiplicative decrease";
        slowdown_factor: f64 = 9.0, [1.0, 1e6], "1",
            "Time between two slowdowns, in durations of the first";
        base_history: f64 from BASE_HISTORY;
        current_filter: f64 from CURRENT_FILTER;
    }
}

/// The window of a slowdown, and the largest initial window [segments] (draft sections 4.1 and 4.4).
const FEW: f64 = 2.0;

/// Part of the target at which slow start ends (section 4.1).
const EXIT: f64 = 0.75;

/// Round trips from the end of slow start to the first slowdown, and of a slowdown at two segments
/// (section 4.4).
const ROUND_TRIPS: u64 = 2;

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let params = Params::from_values(values);
    Box::new(LedbatPlusPlus {
        delays: Delays::new(params.base_history, params.current_filter),
        params,
        window: Window::new(&Initial { window: initial.window.min(FEW), ..*initial }),
        slowdown: Slowdown::None,
    })
}

/// Stage of the flow between two slowdowns.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slowdown {
    /// The initial slow start is not over.
    None,
    /// The next one is due then.
    Due(Time),
    /// Two segments until then; `ssthresh` is the window to return to.
    Still { since: Time, until: Time },
    /// Slow start back to it.
    Rising { since: Time },
}

/// LEDBAT++ of one flow.
#[derive(Debug)]
struct LedbatPlusPlus {
    params: Params,
    /// Round-trip times.
    delays: Delays,
    window: Window,
    slowdown: Slowdown,
}

impl LedbatPlusPlus {
    /// Section 4.2: GAIN = 1 / min(16, ceil(2 TARGET / base)); the most cautious without a base.
    fn gain(&self) -> f64 {
        let params = &self.params;
        let divisor =
            self.delays.base().map_or(params.max_divisor, |base| libm::ceil(2.0 * params.target / base));
        1.0 / divisor.min(params.max_divisor).max(1.0)
    }

    /// The queueing delay in targets; without a sample the queue counts as empty.
    fn load(&self) -> f64 {
        self.delays.queueing().unwrap_or(0.0) / self.params.target
    }

    /// Section 4.3: change of the window per round trip [segments].
    fn change(&self) -> f64 {
        let load = self.load();
        if load <= 1.0 {
            return self.gain();
        }
        let window = self.window.segments();
        (self.gain() - self.params.constant * window * (load - 1.0)).max(-window / 2.0)
    }

    /// Section 4.4: begins and ends what is due at `flow.now`.
    fn follow_clock(&mut self, flow: &Flow) {
        match self.slowdown {
            Slowdown::None if !self.window.in_slow_start() => {
                self.slowdown = Slowdown::Due(flow.now + round_trips(flow));
            }
            // "Upon entering slowdown, set SSThresh to the current version of the congestion window CWND": in slow start,
            // as after a timeout or a restart, that is on its way to SSThresh, and would be all that is left of it.
            Slowdown::Due(at)
                if at <= flow.now && !self.window.is_repairing(flow) && !self.window.in_slow_start() =>
            {
                let cwnd = self.window.cwnd();
                self.window.put(cwnd.min(FEW * self.window.smss()), cwnd);
                self.slowdown = Slowdown::Still { since: flow.now, until: flow.now + round_trips(flow) };
            }
            Slowdown::Still { since, until } if until <= flow.now => {
                self.slowdown = Slowdown::Rising { since };
            }
            Slowdown::Rising { since } if !self.window.in_slow_start() => self.resume(since, flow),
            _ => {}
        }
    }

    /// Section 4.4: the next slowdown comes after nine times the duration of this one.
    fn resume(&mut self, since: Time, flow: &Flow) {
        let pause = self.params.slowdown_factor * flow.now.since(since).seconds();
        self.slowdown = Slowdown::Due(flow.now + Duration::from_seconds(pause));
    }

    /// Slow start by GAIN, of which `limit` bytes are left. Returns the bytes delivered that are not used up.
    fn rise(&mut self, credit: f64, limit: f64) -> f64 {
        let gain = self.gain();
        let used = (gain * credit).min(limit.max(0.0));
        self.window.scale(used, 1.0);
        credit - used / gain
    }

    /// Congestion avoidance (section 4.3).
    fn avoid(&mut self, rest: f64, ack: &AckSample) {
        let change = self.change() * self.window.smss() / self.window.cwnd();
        if change > 0.0 {
            self.window.scale(rest, change);
        } else {
            self.window.steer(self.window.cwnd() + change * to_float(ack.delivered));
        }
    }
}

/// Two round trips.
fn round_trips(flow: &Flow) -> Duration {
    Duration(ROUND_TRIPS * flow.srtt.0)
}

impl WindowController for LedbatPlusPlus {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        if let Some(rtt) = ack.rtt {
            self.delays.add(rtt, flow.now, Duration::MAX);
        }
        // Section 4.1: "Exit slow start in on excessive delay SHOULD be applied only during the initial slow
        // start." Later ones return to a window that the path has carried.
        if self.slowdown == Slowdown::None && self.load() > EXIT {
            self.window.leave_slow_start();
        }
        self.follow_clock(flow);
        let credit = self.window.credit(ack, flow);
        match self.slowdown {
            Slowdown::Still { .. } => {}
            Slowdown::Rising { .. } => {
                self.rise(credit, self.window.ssthresh() - self.window.cwnd());
            }
            Slowdown::None | Slowdown::Due(_) => {
                let rest = if self.window.in_slow_start() {
                    self.rise(credit, self.window.ssthresh() - self.window.cwnd())
                } else {
                    credit
                };
                if !self.window.in_slow_start() {
                    self.avoid(rest, ack);
                }
            }
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let before = self.window.ssthresh();
        self.window.back_off(event, BETA_RENO, flow);
        // A loss ends a slowdown: the window it would return to was too large.
        if let (true, Slowdown::Still { since, .. } | Slowdown::Rising { since }) =
            (event != CongestionEvent::ExitRecovery, self.slowdown)
        {
            self.window.put(self.window.cwnd(), self.window.ssthresh().max(BETA_RENO * before));
            self.resume(since, flow);
        }
    }

    /// Section 4.4 forces gaps where the application leaves none: one as long as a slowdown has emptied the queue, and only
    /// the return to the window before it is left.
    fn on_restart(&mut self, idle: Duration, flow: &Flow) {
        let gap = round_trips(flow);
        if self.slowdown != Slowdown::None && !flow.cwnd_limited && idle >= gap {
            let cwnd = self.window.cwnd();
            self.window.put(cwnd, self.window.ssthresh().max(cwnd));
            self.slowdown = Slowdown::Rising { since: Time(flow.now.0.saturating_sub(gap.0)) };
        }
    }

    fn phase(&self) -> Phase {
        let is_still = matches!(self.slowdown, Slowdown::Still { .. });
        if self.window.in_slow_start() && !is_still { Phase::SlowStart } else { Phase::Alternate }
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("gain", self.gain());
        record("queueing_delay", self.delays.queueing().unwrap_or(f64::NAN));
    }
}

#[cfg(test)]
mod tests;
