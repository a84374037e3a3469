//! LEDBAT, Low Extra Delay Background Transport ([RFC 6817]): the window moves with the distance of the
//! queueing delay, measured one way, from a target; and what LEDBAT++ shares with it.
//!
//! Page: `docs/models/ledbat.md`.
//!
//! [RFC 6817]: https://www.rfc-editor.org/rfc/rfc6817

use std::collections::VecDeque;

use crate::algorithm::{Algorithm, Param};
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial};
use crate::filters::MinFilter;
use crate::units::{Duration, PS_PER_S, Time};
use crate::window::{BETA_RENO, Window, to_float};
use crate::window_controller::WindowController;

pub(crate) const LEDBAT: Algorithm = Algorithm {
    name: "ledbat",
    display: "LEDBAT",
    edition: 1,
    summary: "LEDBAT: yields to other traffic by holding the one-way queueing delay at a target",
    source: "RFC 6817",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of LEDBAT.
    struct Params {
        target: f64 from TARGET;
        gain: f64 = 1.0, [1e-6, 1.0], "1", "Growth per round trip on an empty queue [segments]";
        base_history: f64 from BASE_HISTORY;
        current_filter: f64 from CURRENT_FILTER;
        slow_start: bool = true, "1", "1 starts with slow start, 0 does not";
    }
}

pub(super) const TARGET: Param = Param {
    name: "target",
    default: 0.1,
    min: 1e-6,
    max: 10.0,
    unit: "s",
    doc: "Queueing delay to settle at",
};

pub(super) const BASE_HISTORY: Param = Param {
    name: "base_history",
    default: 10.0,
    min: 1.0,
    max: 1e4,
    unit: "min",
    doc: "Time after which the smallest delay is forgotten",
};

pub(super) const CURRENT_FILTER: Param = Param {
    name: "current_filter",
    default: 4.0,
    min: 1.0,
    max: 1e3,
    unit: "samples",
    doc: "Delay samples of which the smallest counts",
};

/// One slot of the base history.
pub(super) const MINUTE: Duration = Duration(60 * PS_PER_S);

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let params = Params::from_values(values);
    let delays = Delays::new(params.base_history, params.current_filter);
    let mut window = Window::new(initial);
    if !params.slow_start {
        window.leave_slow_start();
    }
    Box::new(Ledbat { params, delays, window })
}

/// LEDBAT of one flow.
#[derive(Debug)]
struct Ledbat {
    params: Params,
    /// One-way delays.
    delays: Delays,
    window: Window,
}

impl Ledbat {
    /// Distance from the target, 1 on an empty queue; without a sample the queue counts as empty.
    fn off_target(&self) -> f64 {
        1.0 - self.delays.queueing().unwrap_or(0.0) / self.params.target
    }
}

impl WindowController for Ledbat {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        if let Some(delay) = ack.forward_delay {
            self.delays.add(delay, flow.now, flow.srtt);
        }
        let off_target = self.off_target();
        if off_target <= 0.0 {
            self.window.leave_slow_start();
        }
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        // RFC 6817: "cwnd += GAIN * off_target * bytes_newly_acked * MSS / cwnd".
        let slope = self.params.gain * off_target * self.window.smss() / self.window.cwnd();
        if off_target > 0.0 {
            self.window.scale(rest, slope);
        } else {
            // A window that is not in use, or being repaired, may shrink all the same.
            self.window.steer(self.window.cwnd() + slope * to_float(ack.delivered));
        }
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.window.back_off(event, BETA_RENO, flow);
        if !self.params.slow_start {
            self.window.leave_slow_start();
        }
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("queueing_delay", self.delays.queueing().unwrap_or(f64::NAN));
    }
}

/// The smallest delay of recent time and the smallest of the last few samples.
#[derive(Debug)]
pub(super) struct Delays {
    base: MinFilter,
    current: VecDeque<(Time, Duration)>,
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
            base: MinFilter::new(MINUTE, history as usize),
            current: VecDeque::with_capacity(filter),
            filter,
        }
    }

    /// Takes in `delay` at `now`. RFC 6817 section 2.5: the number of current ones "MUST be limited such that samples in
    /// the list are not older than an RTT in the past", here than `age`.
    pub(super) fn add(&mut self, delay: Duration, now: Time, age: Duration) {
        self.base.add(delay, now);
        if self.current.len() == self.filter {
            self.current.pop_front();
        }
        while self.current.front().is_some_and(|&(at, _)| now.since(at) > age) {
            self.current.pop_front();
        }
        self.current.push_back((now, delay));
    }

    /// Smallest delay of the history [s].
    pub(super) fn base(&self) -> Option<f64> {
        self.base.min().map(Duration::seconds)
    }

    /// Delay now above the smallest [s].
    pub(super) fn queueing(&self) -> Option<f64> {
        let (base, current) = (self.base.min()?, self.current.iter().map(|&(_, delay)| delay).min()?);
        Some((current - base).seconds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Phase;
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

    /// RFC 6817 section 2.5: the smallest of the last four samples is what counts, if it is of the last round trip, here of
    /// 100 ms.
    #[test]
    fn smallest_of_the_last_samples_counts() {
        let mut controller = create(&LEDBAT, &avoiding(100.0));
        let samples =
            [20, 90, 70, 80, 90].map(|delay_ms| (0, delay_ms)).into_iter().chain([(100, 90), (101, 95)]);
        for ((now_ms, delay_ms), queueing) in samples.zip([0.0, 0.0, 0.0, 0.0, 0.05, 0.05, 0.07]) {
            let now = Time::ZERO + Duration::from_millis(now_ms);
            controller
                .on_ack(&delayed(0, delay_ms), &Flow { now, srtt: Duration::from_millis(100), ..flow() });
            assert_near(read(&*controller, "queueing_delay"), queueing);
        }
    }

    /// RFC 6817: a base delay is forgotten after `BASE_HISTORY` minutes.
    #[test]
    fn base_delay_is_forgotten() {
        let mut history = MinFilter::new(MINUTE, 10);
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

    /// RFC 6817: `BASE_HISTORY` minutes of base delays are kept, ten here.
    #[test]
    fn the_controller_forgets_its_base_delay_after_ten_minutes() {
        let mut controller = create(&LEDBAT, &avoiding(100.0));
        let mut queueing = |seconds: u64, delay_ms| {
            let flow = Flow { now: Time(seconds * PS_PER_S), ..flow() };
            (0..4).for_each(|_| controller.on_ack(&delayed(0, delay_ms), &flow));
            read(&*controller, "queueing_delay")
        };
        assert_near(queueing(0, 20), 0.0);
        for seconds in (10..600).step_by(10) {
            assert_near(queueing(seconds, 50), 0.03);
        }
        assert_near(queueing(600, 50), 0.0);
    }

    /// RFC 4015: a reduction that no loss was behind is taken back.
    #[test]
    fn a_spurious_loss_gives_the_window_back() {
        let mut controller = create(&LEDBAT, &avoiding(100.0));
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow());
        controller.on_undo(&crate::control::Prior { cwnd: 100e3, ssthresh: Some(100e3) }, &flow());
        assert_near(segments(&*controller), 100.0);
    }
}
