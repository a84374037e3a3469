//! `HyStart`++ ([RFC 9406]): ends the initial slow start when the RTT rises, before the queue overflows. A
//! part that any controller may hold.
//!
//! [RFC 9406]: https://www.rfc-editor.org/rfc/rfc9406

use crate::algorithm::Param;
use crate::control::{AckSample, Flow};
use crate::units::{Duration, Time};
use crate::window::Window;

/// Smallest rise of the RTT that counts ([RFC 9406 section 4.3], `MIN_RTT_THRESH`).
///
/// [RFC 9406 section 4.3]: https://www.rfc-editor.org/rfc/rfc9406#section-4.3
const MIN_RTT_THRESH: Duration = Duration::from_millis(4);

/// Smallest rise that always counts (`MAX_RTT_THRESH`).
const MAX_RTT_THRESH: Duration = Duration::from_millis(16);

/// Between the two, the part of the RTT that counts (`MIN_RTT_DIVISOR`).
const MIN_RTT_DIVISOR: u64 = 8;

/// RTT samples in a round before it is judged (`N_RTT_SAMPLE`).
const N_RTT_SAMPLE: u32 = 8;

/// Divisor of growth in Conservative Slow Start (`CSS_GROWTH_DIVISOR`).
const CSS_GROWTH_DIVISOR: f64 = 4.0;

/// Rounds of Conservative Slow Start before slow start ends (`CSS_ROUNDS`).
const CSS_ROUNDS: u32 = 5;

/// Segments that one ACK may open in slow start (L): "infinity if paced, L = 8 if non-paced".
const L: f64 = 8.0;

/// The parameter that switches `HyStart`++ on, the same in every algorithm that holds it.
pub(crate) const HYSTART: Param = Param {
    name: "hystart",
    default: 1.0,
    min: 0.0,
    max: 1.0,
    unit: "1",
    doc: "1 leaves the initial slow start by HyStart++, 0 does not",
};

/// Where the initial slow start of one flow is.
#[derive(Clone, Debug)]
pub struct HyStart {
    stage: Stage,
    /// Smallest RTT of the round before, if it had samples.
    last: Option<Duration>,
    /// Smallest RTT of this round so far.
    current: Option<Duration>,
    samples: u32,
}

/// Part of the initial slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Slow start as in RFC 5681.
    Standard,
    /// Conservative Slow Start; `baseline` is the RTT that ended the standard stage.
    Conservative { baseline: Duration, rounds: u32 },
    /// The initial slow start is over, or the part is switched off.
    Off,
}

impl HyStart {
    /// The part for a new flow, `on` or off for good.
    pub fn new(on: bool) -> Self {
        let stage = if on { Stage::Standard } else { Stage::Off };
        Self { stage, last: None, current: None, samples: 0 }
    }

    /// Slow start of `window` by `credit` bytes, with what `ack` says about the RTT. Returns the bytes left
    /// for congestion avoidance, as [`Window::slow_start`] does.
    #[must_use]
    pub fn slow_start(&mut self, window: &mut Window, ack: &AckSample, flow: &Flow, credit: f64) -> f64 {
        if self.stage == Stage::Off {
            return window.slow_start(credit);
        }
        if !window.in_slow_start() {
            self.stage = Stage::Off;
            return credit;
        }
        if ack.round.is_some() {
            self.end_round(window);
        }
        self.sample(ack.rtt);
        let is_paced = flow.next_send_time > Time::ZERO;
        let credit = if is_paced { credit } else { credit.min(L * window.smss()) };
        match self.stage {
            Stage::Conservative { .. } => window.slow_start(credit / CSS_GROWTH_DIVISOR) * CSS_GROWTH_DIVISOR,
            Stage::Standard | Stage::Off => window.slow_start(credit),
        }
    }

    /// A loss, mark or timeout ends the stage returned: [RFC 9406 section 4.3] wants standard slow start from then on.
    ///
    /// [RFC 9406 section 4.3]: https://www.rfc-editor.org/rfc/rfc9406#section-4.3
    pub fn stop(&mut self) -> Stage {
        std::mem::replace(&mut self.stage, Stage::Off)
    }

    /// What [`stop`](Self::stop) has ended goes on, for the loss was none.
    pub fn resume(&mut self, stage: Stage) {
        self.stage = stage;
    }

    fn end_round(&mut self, window: &mut Window) {
        self.last = self.current.take();
        self.samples = 0;
        if let Stage::Conservative { rounds, .. } = &mut self.stage {
            // "If the transition into CSS happens in the middle of a round, that partial round counts towards
            // the limit."
            *rounds += 1;
            if *rounds >= CSS_ROUNDS {
                window.leave_slow_start();
                self.stage = Stage::Off;
            }
        }
    }

    fn sample(&mut self, rtt: Option<Duration>) {
        let Some(rtt) = rtt else { return };
        let current = self.current.map_or(rtt, |current| current.min(rtt));
        self.current = Some(current);
        self.samples += 1;
        if self.samples < N_RTT_SAMPLE {
            return;
        }
        match (self.stage, self.last) {
            (Stage::Standard, Some(last)) => {
                let rise = Duration(last.0 / MIN_RTT_DIVISOR).min(MAX_RTT_THRESH).max(MIN_RTT_THRESH);
                if current >= last + rise {
                    self.stage = Stage::Conservative { baseline: current, rounds: 0 };
                }
            }
            // The rise was jitter.
            (Stage::Conservative { baseline, .. }, _) if current < baseline => self.stage = Stage::Standard,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{CongestionControl, CongestionEvent, Decision, Initial, Phase};
    use crate::testing::{Path, SMSS, Transport, ack, assert_near, avoiding, flow, initial};

    /// Slow start of one window, and nothing else.
    #[derive(Debug)]
    struct SlowStart {
        hystart: HyStart,
        window: Window,
    }

    impl CongestionControl for SlowStart {
        fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
            let credit = self.window.credit(ack, flow);
            let _ = self.hystart.slow_start(&mut self.window, ack, flow, credit);
        }
        fn on_congestion(&mut self, _: CongestionEvent, _: &Flow) {
            self.hystart.stop();
        }
        fn decision(&self) -> Decision {
            self.window.decision()
        }
        fn phase(&self) -> Phase {
            self.window.phase(true)
        }
    }

    fn transport(initial: &Initial) -> Transport<SlowStart> {
        let controller = SlowStart { hystart: HyStart::new(true), window: Window::new(initial) };
        Transport::new(Box::new(controller), SMSS, Path::default())
    }

    /// Plays a round trip of this RTT; the window at its end [segments].
    fn pass(sender: &mut Transport<SlowStart>, rtt_ms: u64) -> f64 {
        sender.path.rtt = Duration::from_millis(rtt_ms);
        sender.round().expect("a window that makes sense");
        sender.segments()
    }

    /// RFC 9406 section 4.2: without a rise of the RTT it is slow start.
    #[test]
    fn constant_rtt_doubles() {
        let mut sender = transport(&initial(10.0));
        for expected in [20.0, 40.0, 80.0, 160.0] {
            assert_near(pass(&mut sender, 100), expected);
        }
    }

    /// RFC 9406 section 4.2: a rise by an eighth of the RTT, between 4 and 16 ms, found after 8 samples.
    #[test]
    fn rise_of_the_rtt_slows_down() {
        for (base, rise) in [(20, 4), (80, 10), (200, 16)] {
            let mut sender = transport(&initial(16.0));
            assert_near(pass(&mut sender, base), 32.0);
            assert_near(pass(&mut sender, base + rise - 1), 64.0);
            let mut sender = transport(&initial(16.0));
            assert_near(pass(&mut sender, base), 32.0);
            // 7 ACKs open the window as before, the eighth finds the rise: 25 at a quarter.
            assert_near(pass(&mut sender, base + rise), 32.0 + 7.0 + 25.0 / 4.0);
        }
    }

    /// RFC 9406 section 4.2: after `CSS_ROUNDS` rounds, the first of them partial, `ssthresh` is `cwnd`.
    #[test]
    fn five_slow_rounds_end_slow_start() {
        let mut sender = transport(&initial(16.0));
        pass(&mut sender, 100);
        for _ in 0..5 {
            pass(&mut sender, 120);
            assert!(sender.controller.window.in_slow_start());
        }
        let before = sender.controller.window.cwnd();
        pass(&mut sender, 120);
        assert!(!sender.controller.window.in_slow_start());
        assert_near(sender.controller.window.ssthresh(), before);
    }

    /// RFC 9406 section 4.2: an RTT below the baseline means that the rise was jitter.
    #[test]
    fn jitter_resumes_slow_start() {
        let mut sender = transport(&initial(16.0));
        pass(&mut sender, 100);
        let slow = pass(&mut sender, 120);
        let resumed = pass(&mut sender, 105);
        assert!(resumed > 1.8 * slow, "{slow} {resumed}");
        assert_near(pass(&mut sender, 105), 2.0 * resumed.floor() + resumed.fract());
    }

    /// RFC 9406 section 4.2: a quarter of what is delivered opens the window; what is beyond the threshold counts whole.
    #[test]
    fn slow_growth_leaves_the_rest_to_congestion_avoidance() {
        let mut window = Window::new(&Initial { ssthresh: 10.5, ..initial(10.0) });
        let mut hystart = HyStart::new(true);
        hystart.stage = Stage::Conservative { baseline: Duration::from_millis(1), rounds: 0 };
        assert_near(hystart.slow_start(&mut window, &ack(4), &flow(), 4000.0), 2000.0);
        assert_near(window.cwnd(), 10_500.0);
    }

    /// RFC 9406 section 4.2: "L = infinity if paced".
    #[test]
    fn an_ack_of_a_paced_flow_opens_the_window_by_all_that_it_delivers() {
        let mut window = Window::new(&initial(16.0));
        let paced = Flow { next_send_time: Time(1), ..flow() };
        assert_near(HyStart::new(true).slow_start(&mut window, &ack(20), &paced, 20_000.0), 0.0);
        assert_near(window.cwnd(), 36_000.0);
    }

    /// RFC 9406 section 4.3: only the initial slow start; and L = 8 segments per ACK without pacing.
    #[test]
    fn later_slow_starts_are_standard() {
        let mut sender = transport(&initial(16.0));
        let SlowStart { hystart, window } = &mut *sender.controller;
        assert_near(hystart.slow_start(window, &ack(20), &flow(), 20_000.0), 0.0);
        assert_near(window.cwnd(), 24_000.0);
        sender.controller.hystart.stop();
        let before = pass(&mut sender, 100);
        assert!(pass(&mut sender, 150) > 1.9 * before);
        let SlowStart { hystart, window } = &mut *transport(&avoiding(16.0)).controller;
        assert_near(hystart.slow_start(window, &ack(1), &flow(), 1000.0), 1000.0);
    }
}
