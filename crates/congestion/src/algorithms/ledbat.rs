//! LEDBAT, Low Extra Delay Background Transport ([RFC 6817]): the window moves with the distance of the
//! queueing delay, measured one way, from a target; and what LEDBAT++ shares with it.
//!
//! Page: `docs/models/ledbat.md`.
//!
//! [RFC 6817]: https://www.rfc-editor.org/rfc/rfc6817

use std::collections::VecDeque;

use super::reno;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Decision, Flow, Initial, Phase};
use crate::registry::{Algorithm, Param};
use crate::units::{Duration, PS_PER_S, Time};
use crate::window::{Window, to_float};

pub(crate) const LEDBAT: Algorithm = Algorithm {
    name: "ledbat",
    summary: "LEDBAT: yields to other traffic by holding the one-way queueing delay at a target",
    source: "RFC 6817",
    params: &[
        target(0.1),
        Param::new("gain", 1.0, 1e-6, 1.0, "1", "Growth per round trip on an empty queue [segments]"),
        BASE_HISTORY,
        CURRENT_FILTER,
        Param::new("slow_start", 1.0, 0.0, 1.0, "1", "1 starts with slow start, 0 does not"),
    ],
    build,
};

/// The target of the queueing delay.
pub(super) const fn target(default: f64) -> Param {
    Param::new("target", default, 1e-6, 10.0, "s", "Queueing delay to settle at")
}

pub(super) const BASE_HISTORY: Param =
    Param::new("base_history", 10.0, 1.0, 1e4, "min", "Time after which the smallest delay is forgotten");

pub(super) const CURRENT_FILTER: Param =
    Param::new("current_filter", 4.0, 1.0, 1e3, "samples", "Delay samples of which the smallest counts");

/// One slot of the base history.
pub(super) const MINUTE: Duration = Duration(60 * PS_PER_S);

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let &[target, gain, history, filter, slow_start] = values else {
        unreachable!("one value per parameter")
    };
    let mut ledbat = Ledbat {
        target,
        gain,
        slow_start: slow_start >= 0.5,
        delays: Delays::new(history, filter),
        window: Window::new(initial),
    };
    if !ledbat.slow_start {
        ledbat.window.leave_slow_start();
    }
    Box::new(ledbat)
}

/// LEDBAT of one flow.
#[derive(Debug)]
struct Ledbat {
    /// [s]
    target: f64,
    gain: f64,
    slow_start: bool,
    /// Of one-way delays.
    delays: Delays,
    window: Window,
}

impl Ledbat {
    /// The distance from the target, 1 on an empty queue; without a sample the queue counts as empty.
    fn off_target(&self) -> f64 {
        1.0 - self.delays.queueing().unwrap_or(0.0) / self.target
    }
}

impl CongestionControl for Ledbat {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        if let Some(delay) = ack.forward_delay {
            self.delays.add(delay, flow.now);
        }
        let off_target = self.off_target();
        if off_target <= 0.0 {
            self.window.leave_slow_start();
        }
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        // RFC 6817: "cwnd += GAIN * off_target * bytes_newly_acked * MSS / cwnd".
        let slope = self.gain * off_target * self.window.smss() / self.window.cwnd();
        if off_target > 0.0 {
            self.window.scale(rest, slope);
        } else {
            // A window that is not in use, or being repaired, may shrink all the same.
            self.window.steer(self.window.cwnd() + slope * to_float(ack.delivered));
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let reference = self.window.reference(self.window.cwnd(), flow);
        self.window.respond(event, reno::KEEP * reference);
        if !self.slow_start {
            self.window.leave_slow_start();
        }
    }

    fn decision(&self) -> Decision {
        self.window.decision()
    }

    fn phase(&self) -> Phase {
        self.window.phase(false)
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("ssthresh", self.window.ssthresh());
        record("queueing_delay", self.delays.queueing().unwrap_or(f64::NAN));
    }
}

/// The smallest delay of recent time and the smallest of the last few samples.
#[derive(Debug)]
pub(super) struct Delays {
    base: History,
    current: VecDeque<Duration>,
    /// Samples in `current`.
    filter: usize,
}

impl Delays {
    /// A base history of so many minutes and a filter of so many samples.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "parameters are positive and small"
    )]
    pub(super) fn new(history: f64, filter: f64) -> Self {
        let filter = filter as usize;
        Self {
            base: History::new(MINUTE, history as usize),
            current: VecDeque::with_capacity(filter),
            filter,
        }
    }

    pub(super) fn add(&mut self, delay: Duration, now: Time) {
        self.base.add(delay, now);
        if self.current.len() == self.filter {
            self.current.pop_front();
        }
        self.current.push_back(delay);
    }

    /// The smallest delay of the history [s].
    pub(super) fn base(&self) -> Option<f64> {
        self.base.min().map(Duration::seconds)
    }

    /// The delay now above the smallest [s].
    pub(super) fn queueing(&self) -> Option<f64> {
        let (base, current) = (self.base.min()?, self.current.iter().min()?);
        Some((*current - base).seconds())
    }
}

/// The smallest of the values of recent time, forgotten slot by slot.
#[derive(Debug)]
pub(super) struct History {
    slot: Duration,
    /// Minima of the slots, the running one last.
    minima: VecDeque<Duration>,
    /// Number of slots that are remembered.
    length: usize,
    /// End of the running slot.
    until: Time,
    /// The smallest of `minima`, kept because it is asked for on every ACK.
    min: Option<Duration>,
}

impl History {
    pub(super) fn new(slot: Duration, length: usize) -> Self {
        Self { slot, minima: VecDeque::new(), length, until: Time::ZERO, min: None }
    }

    pub(super) fn add(&mut self, value: Duration, now: Time) {
        match self.minima.back_mut() {
            Some(last) if now < self.until => {
                *last = value.min(*last);
                self.min = Some(self.min.map_or(value, |min| min.min(value)));
            }
            _ => {
                if self.minima.len() == self.length {
                    self.minima.pop_front();
                }
                self.minima.push_back(value);
                self.until = now + self.slot;
                self.min = self.minima.iter().min().copied();
            }
        }
    }

    pub(super) fn min(&self) -> Option<Duration> {
        self.min
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, assert_near, avoiding, create, create_with, flow, initial, read, segments};

    /// An ACK of some segments whose delay was that long.
    fn delayed(segments: u64, delay_ms: u64) -> AckSample {
        AckSample { forward_delay: Some(Duration::from_millis(delay_ms)), ..ack(segments) }
    }

    /// RFC 6817: GAIN x `off_target` segments per round trip, both ways.
    #[test]
    fn window_moves_with_the_distance_from_the_target() {
        // Base delay 20 ms, so the queueing delay is 0, 50, 100 and 150 ms.
        for (delay_ms, moved) in [(20, 1.0), (70, 0.5), (120, 0.0), (170, -0.5)] {
            let mut controller = create(&LEDBAT, &avoiding(100.0));
            controller.on_ack(&delayed(0, 20), &flow());
            for _ in 0..4 {
                controller.on_ack(&delayed(0, delay_ms), &flow());
            }
            controller.on_ack(&delayed(100, delay_ms), &flow());
            assert_near(segments(&*controller), 100.0 + moved);
        }
    }

    /// RFC 6817, the filter: one small sample among the last four is what counts.
    #[test]
    fn smallest_of_the_last_samples_counts() {
        let mut controller = create(&LEDBAT, &avoiding(100.0));
        for delay_ms in [20, 90, 70, 80, 90] {
            controller.on_ack(&delayed(0, delay_ms), &flow());
        }
        assert_near(read(&*controller, "queueing_delay"), 0.05);
    }

    /// RFC 6817: a base delay is forgotten after `BASE_HISTORY` minutes.
    #[test]
    fn base_delay_is_forgotten() {
        let mut history = History::new(MINUTE, 10);
        let minute = |minutes: u64| Time(minutes * MINUTE.0);
        history.add(Duration(20), minute(0));
        for minutes in 1..10 {
            history.add(Duration(50 + minutes), minute(minutes));
            assert_eq!(history.min(), Some(Duration(20)));
        }
        history.add(Duration(70), minute(10));
        assert_eq!(history.min(), Some(Duration(51)));
        history.add(Duration(40), minute(10));
        assert_eq!(history.min(), Some(Duration(40)));
    }

    /// RFC 6817: never below `MIN_CWND`, two segments, however long the queue.
    #[test]
    fn two_segments_are_left() {
        let mut controller = create(&LEDBAT, &avoiding(100.0));
        controller.on_ack(&delayed(0, 20), &flow());
        for _ in 0..5 {
            controller.on_ack(&delayed(100, 9000), &flow());
        }
        assert_near(segments(&*controller), 2.0);
        assert_eq!(controller.phase(), Phase::Alternate);
    }

    /// RFC 6817: loss halves.
    #[test]
    fn loss_halves() {
        let mut controller = create(&LEDBAT, &avoiding(100.0));
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow());
        assert_near(segments(&*controller), 50.0);
    }

    /// Slow start ends when the target is reached, and can be left out.
    #[test]
    fn slow_start_ends_at_the_target() {
        let mut controller = create(&LEDBAT, &initial(10.0));
        controller.on_ack(&delayed(10, 20), &flow());
        assert_near(segments(&*controller), 20.0);
        for _ in 0..4 {
            controller.on_ack(&delayed(0, 121), &flow());
        }
        assert_eq!(controller.phase(), Phase::Alternate);
        let mut controller = create_with(&LEDBAT, &initial(10.0), &[("slow_start", 0.0)]);
        controller.on_ack(&delayed(10, 20), &flow());
        assert_near(segments(&*controller), 11.0);
        controller.on_congestion(CongestionEvent::Rto, &flow());
        assert_eq!(controller.phase(), Phase::Alternate);
    }
}
