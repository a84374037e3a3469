//! H-TCP ([draft-leith-tcp-htcp-06]; Leith and Shorten, `PFLDnet` 2004): the increase follows the time since
//! the last congestion event, the back-off follows the measured delays.
//!
//! For the first second after an event it is Reno. Page: `docs/models/htcp.md`.
//!
//! [draft-leith-tcp-htcp-06]: https://datatracker.ietf.org/doc/html/draft-leith-tcp-htcp-06

use crate::algorithm::Algorithm;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial, RoundSample};
use crate::units::{Duration, Time};
use crate::window::{Window, to_float};
use crate::window_controller::WindowController;

pub(crate) const HTCP: Algorithm = Algorithm {
    name: "htcp",
    display: "H-TCP",
    edition: 1,
    summary: "H-TCP: the increase follows the time since the last loss, the back-off the delays",
    source: "draft-leith-tcp-htcp-06 (2008); D. Leith, R. Shorten, PFLDnet 2004",
    params: &Params::DEFAULT.list(),
    build,
};

pub(crate) const NIST: Algorithm = Algorithm {
    name: "htcp:nist",
    display: "H-TCP (NIST)",
    edition: 1,
    summary: "H-TCP as in the MesoNet study (1 s, adaptive back-off, RTT scaling, throughput test)",
    source: "NIST SP 500-282 (2010); draft-leith-tcp-htcp-06 (2008)",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of H-TCP.
    struct Params {
        threshold: f64 = 1.0, [0.0, 1e6], "s",
            "Time after a loss during which the rules are Reno's (Delta_L)";
        quadratic: f64 = 0.5, [0.0, 10.0], "segments per round trip per s^2",
            "Growth of the increase with the square of the time after the threshold";
        rtt_reference: f64 = 0.1, [0.0, 10.0], "s",
            "RTT for which the increase is meant; others are scaled by RTT / this; 0 turns scaling off";
        beta_min: f64 = 0.5, [0.1, 0.5], "1", "Smallest part of the window kept on loss";
        beta_max: f64 = 0.8, [0.5, 0.94], "1", "Largest part kept; beta_min turns the adaptive back-off off";
        throughput_change: f64 = 0.2, [0.0, 1e9], "1",
            "Relative change of throughput between losses above which beta_min is kept";
        memory: f64 = 0.95, [0.0, 1.0], "1",
            "Part of the largest queueing delay that is remembered from one loss to the next";
    }
}

/// Linear growth of the increase [segments per round trip per s] (draft, equation 1).
const LINEAR: f64 = 10.0;

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let params = Params::from_values(values);
    Box::new(Htcp {
        beta: params.beta_min,
        params,
        window: Window::new(initial),
        event_at: None,
        is_standard: true,
        max_rtt: None,
        throughput: Throughput::default(),
        before: (None, None, None),
    })
}

impl Params {
    /// Increase per round trip [segments], `delta` seconds after the threshold was passed, before it is
    /// adapted to the back-off (draft, sections 3 and 5).
    fn increase(&self, delta: f64, min_rtt: f64) -> f64 {
        let increase = 1.0 + LINEAR * delta + self.quadratic * delta * delta;
        let scale = if self.rtt_reference > 0.0 { min_rtt / self.rtt_reference } else { 1.0 };
        // Never slower than standard TCP, as in Linux and FreeBSD; the draft leaves it open.
        (scale * increase).max(1.0)
    }
}

/// Throughput of the last undisturbed round trip, now and at the event before.
#[derive(Debug, Default)]
struct Throughput {
    round_at: Option<Time>,
    /// [bytes/s]
    last: Option<f64>,
    /// [bytes/s]
    at_event: Option<f64>,
}

impl Throughput {
    /// Measures the round that has ended.
    fn measure(&mut self, round: &RoundSample, now: Time, undisturbed: bool) {
        let span = self.round_at.map(|at| now.since(at).seconds());
        self.round_at = Some(now);
        if let Some(span) = span.filter(|&span| span > 0.0 && undisturbed) {
            self.last = Some(to_float(round.delivered) / span);
        }
    }

    /// Settles the throughput at an event; true if it is within `change` of what it was at the one before.
    fn settle(&mut self, change: f64) -> bool {
        let (now, before) = (self.last.take(), self.at_event);
        self.at_event = now.or(before);
        now.zip(before).is_some_and(|(now, before)| (now - before).abs() <= change * before)
    }
}

/// H-TCP of one flow.
#[derive(Debug)]
struct Htcp {
    params: Params,
    window: Window,
    /// Part of the window kept at the last event.
    beta: f64,
    /// The last event, or the first ACK.
    event_at: Option<Time>,
    /// The threshold was not passed at the last ACK.
    is_standard: bool,
    /// Largest RTT, with a memory that fades from event to event.
    max_rtt: Option<Duration>,
    throughput: Throughput,
    /// Event, largest RTT and throughput before the latest reduction.
    before: (Option<Time>, Option<Duration>, Option<f64>),
}

impl Htcp {
    /// Leith and Shorten 2004: beta = `RTT_min` / `RTT_max`, unless the throughput changed.
    fn adapt(&mut self, flow: &Flow) {
        let steady = self.throughput.settle(self.params.throughput_change);
        self.beta = self.params.beta_min;
        let Some(max_rtt) = self.max_rtt else { return };
        if steady && flow.min_rtt > Duration::ZERO {
            let ratio = flow.min_rtt.seconds() / max_rtt.seconds();
            self.beta = ratio.min(self.params.beta_max).max(self.params.beta_min);
        }
        let queueing = (max_rtt - flow.min_rtt).seconds();
        self.max_rtt = Some(flow.min_rtt + Duration::from_seconds(self.params.memory * queueing));
    }
}

impl WindowController for Htcp {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        let undisturbed = !self.window.is_repairing(flow);
        if let Some(rtt) = ack.rtt.filter(|_| undisturbed) {
            self.max_rtt = Some(self.max_rtt.map_or(rtt, |max| max.max(rtt)));
        }
        if let Some(round) = &ack.round {
            self.throughput.measure(round, flow.now, undisturbed);
        }
        let since_event = flow.now.since(*self.event_at.get_or_insert(flow.now)).seconds();
        let delta = since_event - self.params.threshold;
        self.is_standard = delta <= 0.0;
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        let alpha = if self.is_standard { 1.0 } else { self.params.increase(delta, flow.min_rtt.seconds()) };
        // A smaller back-off must not make the flow more aggressive as a whole.
        let alpha = 2.0 * (1.0 - self.beta) * alpha;
        let gain = (alpha * self.window.smss() / self.window.cwnd()).min(1.0);
        self.window.scale(rest, gain);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        if event != CongestionEvent::ExitRecovery {
            if !self.window.is_repeated(event) {
                self.before = (self.event_at, self.max_rtt, self.throughput.at_event);
            }
            self.adapt(flow);
            self.event_at = Some(flow.now);
            self.is_standard = true;
        }
        self.window.back_off(event, self.beta, flow);
    }

    /// As Linux restores `last_cong`, `maxRTT` and `old_maxB` (`htcp_cwnd_undo`).
    fn restore(&mut self) {
        (self.event_at, self.max_rtt, self.throughput.at_event) = self.before;
    }

    fn is_standard(&self) -> bool {
        self.is_standard
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("beta", self.beta);
        record("max_rtt", self.max_rtt.map_or(f64::NAN, Duration::seconds));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Phase, Prior};
    use crate::testing::{
        ack, assert_near, avoiding, create, create_with, flow_at, read, rtt_sample, segments,
    };

    fn at(now_ms: u64, rtt_ms: u64) -> Flow {
        Flow { now: Time(Duration::from_millis(now_ms).0), ..flow_at(rtt_ms, 100) }
    }

    /// Increase per round trip [segments] `now_ms` after the start.
    fn alpha(changes: &[(&str, f64)], now_ms: u64, min_rtt_ms: u64) -> f64 {
        let mut controller = create_with(&HTCP, &avoiding(1000.0), changes);
        controller.on_ack(&ack(0), &at(0, 100));
        let min_rtt = Duration::from_millis(min_rtt_ms);
        controller.on_ack(&ack(1), &Flow { min_rtt, ..at(now_ms, 100) });
        (segments(&*controller) - 1000.0) * 1000.0
    }

    /// An undisturbed round trip that delivered `segments`, ending at `now_ms`.
    fn round(controller: &mut dyn CongestionControl, now_ms: u64, rtt_ms: u64, segments: u64) {
        let rtt = Some(Duration::from_millis(rtt_ms));
        let round =
            RoundSample { min_rtt: rtt, rtt_count: 9, delivered: 1000 * segments, lost: 0, ce_marked: 0 };
        controller.on_ack(&AckSample { rtt, round: Some(round), ..ack(0) }, &at(now_ms, rtt_ms));
    }

    fn lose(controller: &mut dyn CongestionControl, now_ms: u64) -> f64 {
        let before = segments(controller);
        controller.on_congestion(CongestionEvent::EnterRecovery, &at(now_ms, 100));
        controller.on_congestion(CongestionEvent::ExitRecovery, &at(now_ms, 100));
        segments(controller) / before
    }

    /// Draft section 3, equation 1: 1 up to a second, then 1 + 10 D + 0.5 D^2.
    #[test]
    fn increase_follows_the_time_since_the_event() {
        for (now_ms, expected) in [(0, 1.0), (1000, 1.0), (2000, 11.5), (5000, 49.0), (11_000, 151.0)] {
            assert_near(alpha(&[], now_ms, 100), expected);
        }
        // Linux: (D / 2)^2.
        assert_near(alpha(&[("quadratic", 0.25)], 5000, 100), 45.0);
    }

    /// Draft section 5: K = RTT / 100 ms, "not applied in low-speed conditions".
    #[test]
    fn increase_is_scaled_by_the_rtt() {
        assert_near(alpha(&[], 5000, 200), 98.0);
        assert_near(alpha(&[], 5000, 10), 4.9);
        assert_near(alpha(&[], 500, 10), 1.0);
        assert_near(alpha(&[], 1050, 10), 1.0);
        assert_near(alpha(&[("rtt_reference", 0.0)], 5000, 10), 49.0);
    }

    /// Leith and Shorten 2004: half at first; then `RTT_min` / `RTT_max` while the throughput is steady,
    /// and alpha multiplied by 2 (1 - beta).
    #[test]
    fn back_off_drains_the_queue() {
        let mut controller = create(&HTCP, &avoiding(1000.0));
        round(&mut *controller, 0, 100, 1000);
        round(&mut *controller, 150, 150, 1000);
        assert_near(lose(&mut *controller, 150), 0.5);
        // 5 % of the queueing delay are forgotten: 147.5 ms.
        assert_near(read(&*controller, "max_rtt"), 0.1475);
        round(&mut *controller, 300, 100, 900);
        round(&mut *controller, 440, 140, 900);
        assert_near(lose(&mut *controller, 440), 100.0 / 147.5);
        let before = segments(&*controller);
        controller.on_ack(&ack(1), &at(450, 100));
        assert_near((segments(&*controller) - before) * before, 2.0 * (1.0 - 100.0 / 147.5));
    }

    /// Short queues: at least a fifth is given up. Long queues: at most half.
    #[test]
    fn back_off_is_between_a_fifth_and_a_half() {
        for (rtt_ms, expected) in [(104, 0.8), (300, 0.5)] {
            let mut controller = create(&HTCP, &avoiding(1000.0));
            for event in [0, 500] {
                round(&mut *controller, event, 100, 1000);
                round(&mut *controller, event + 200, rtt_ms, 1000);
                lose(&mut *controller, event + 200);
            }
            assert_near(read(&*controller, "beta"), expected);
        }
    }

    /// Leith and Shorten 2004: a throughput that changed by more than 20 % means new flows, so half.
    #[test]
    fn changed_throughput_halves() {
        let mut controller = create(&HTCP, &avoiding(1000.0));
        for (start, delivered, expected) in
            [(0, 1000, 0.5), (500, 1000, 0.8), (1000, 700, 0.5), (1500, 650, 0.8)]
        {
            round(&mut *controller, start, 100, delivered);
            round(&mut *controller, start + 110, 110, delivered);
            assert_near(lose(&mut *controller, start + 110), expected);
        }
    }

    /// Linux, `htcp_cwnd_undo`: the clock and the largest RTT are those of before.
    #[test]
    fn an_undo_restores_the_clock() {
        let mut controller = create(&HTCP, &avoiding(1000.0));
        controller.on_ack(&rtt_sample(150), &at(0, 100));
        let prior = Prior { cwnd: controller.decision().cwnd, ssthresh: controller.ssthresh() };
        controller.on_congestion(CongestionEvent::Rto, &at(4000, 100));
        controller.on_congestion(CongestionEvent::Rto, &at(4500, 100));
        assert!(read(&*controller, "max_rtt") < 0.15);
        controller.on_undo(&prior, &at(4600, 100));
        controller.on_ack(&ack(1), &at(4600, 100));
        assert_eq!(controller.phase(), Phase::Alternate);
        assert_near(read(&*controller, "max_rtt"), 0.15);
    }

    /// The draft, section 5: throughput is that of a round trip without congestion.
    #[test]
    fn disturbed_rounds_are_not_measured() {
        let mut throughput = Throughput::default();
        let round = RoundSample { min_rtt: None, rtt_count: 9, delivered: 1000, lost: 0, ce_marked: 0 };
        for (now_ms, undisturbed) in [(0, true), (100, false), (100, true)] {
            throughput.measure(&round, at(now_ms, 100).now, undisturbed);
            assert!(throughput.last.is_none(), "{now_ms} ms");
        }
        throughput.measure(&round, at(200, 100).now, true);
        assert_near(throughput.last.expect("a whole round trip"), 10_000.0);
    }

    /// An event starts the clock anew; the study calls 1 s without loss the activation.
    #[test]
    fn event_restarts_the_clock() {
        let mut controller = create(&NIST, &avoiding(1000.0));
        controller.on_ack(&ack(1), &at(0, 100));
        assert_eq!(controller.phase(), Phase::Standard);
        controller.on_ack(&ack(1), &at(1001, 100));
        assert_eq!(controller.phase(), Phase::Alternate);
        lose(&mut *controller, 1500);
        assert_eq!(controller.phase(), Phase::Standard);
        controller.on_ack(&ack(1), &at(2400, 100));
        assert_eq!(controller.phase(), Phase::Standard);
    }
}
