//! Slow start by rounds, sent evenly: the window doubles once per round trip and is spread over it, whatever the
//! algorithm does in congestion avoidance.
//!
//! A guess at the slow start of `MesoNet`, which is not described. Page: `docs/models/transport.md`.

use crate::control::{
    AckSample, CongestionControl, CongestionEvent, Decision, Feedback, Flow, Needs, Phase, Prior,
};
use crate::segment::{Delivery, SentSegment};
use crate::units::{Duration, Rate, Time};

/// An algorithm with another slow start: its own growth per ACK is taken back, and the window doubles when a round trip
/// ends. The algorithm decides where slow start ends, and everything after it.
#[derive(Debug)]
pub struct SlowStartByRounds {
    inner: Box<dyn CongestionControl>,
    /// Smoothed RTT at the last ACK, over which the window is spread.
    srtt: Duration,
    /// A round trip has ended, and no ACK could open the window yet.
    due: bool,
    /// The window is sent evenly: in slow start, and in the round trip in which it ends at its threshold.
    spread: bool,
}

impl SlowStartByRounds {
    /// `inner` with this slow start.
    pub fn new(inner: Box<dyn CongestionControl>) -> Self {
        Self { inner, srtt: Duration::ZERO, due: false, spread: true }
    }

    fn threshold(&self) -> f64 {
        self.inner.ssthresh().unwrap_or(f64::INFINITY)
    }
}

impl CongestionControl for SlowStartByRounds {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        self.srtt = flow.srtt;
        if self.inner.phase() != Phase::SlowStart {
            self.due = false;
            self.spread &= ack.round.is_none();
            self.inner.on_ack(ack, flow);
            return;
        }
        let (before, threshold) = (self.inner.decision().cwnd, self.threshold());
        self.inner.on_ack(ack, flow);
        if self.threshold().to_bits() != threshold.to_bits() {
            // It has ended slow start itself, as HyStart does.
            self.spread = false;
            return;
        }
        self.due |= ack.round.is_some();
        let doubles = self.due && flow.cwnd_limited;
        let window = if doubles { (2.0 * before).min(threshold) } else { before };
        self.due &= !doubles;
        self.inner.override_window(window, threshold);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.inner.on_congestion(event, flow);
        if event != CongestionEvent::ExitRecovery {
            self.spread = self.inner.phase() == Phase::SlowStart;
        }
    }

    fn decision(&self) -> Decision {
        let decision = self.inner.decision();
        let seconds = self.srtt.seconds();
        if self.spread && decision.pacing_rate.is_none() && seconds > 0.0 {
            return Decision { pacing_rate: Some(Rate(decision.cwnd / seconds)), ..decision };
        }
        decision
    }

    fn on_undo(&mut self, prior: &Prior, flow: &Flow) {
        self.inner.on_undo(prior, flow);
    }

    fn phase(&self) -> Phase {
        self.inner.phase()
    }

    fn needs(&self) -> Needs {
        self.inner.needs()
    }

    fn on_send(&mut self, feedback: &mut Feedback, flow: &Flow) {
        self.inner.on_send(feedback, flow);
    }

    fn on_segment_sent(&mut self, segment: &SentSegment, flow: &Flow) {
        self.inner.on_segment_sent(segment, flow);
    }

    fn on_delivery(&mut self, delivery: &Delivery, flow: &Flow) {
        self.inner.on_delivery(delivery, flow);
    }

    fn on_segment_lost(&mut self, segment: &SentSegment, starts_run: bool, flow: &Flow) {
        self.inner.on_segment_lost(segment, starts_run, flow);
    }

    fn departure(&self) -> Option<Time> {
        self.inner.departure()
    }

    fn wakeup(&self) -> Option<Time> {
        self.inner.wakeup()
    }

    fn on_wakeup(&mut self, flow: &Flow) {
        self.inner.on_wakeup(flow);
    }

    fn ssthresh(&self) -> Option<f64> {
        self.inner.ssthresh()
    }

    fn override_window(&mut self, cwnd: f64, ssthresh: f64) {
        self.inner.override_window(cwnd, ssthresh);
    }

    fn on_restart(&mut self, idle: Duration, flow: &Flow) {
        self.inner.on_restart(idle, flow);
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.inner.state(record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Initial;
    use crate::registry::factory;
    use crate::testing::{ack, assert_near, avoiding, flow_at, initial, read, round_end, segments};

    fn reno(initial: &Initial) -> SlowStartByRounds {
        SlowStartByRounds::new(factory("reno", &std::collections::BTreeMap::new()).expect("it is built in")(
            initial,
        ))
    }

    /// ACKs within a round open nothing, its end doubles, and the window leaves over a round-trip time.
    #[test]
    fn window_doubles_by_rounds_and_leaves_evenly() {
        let mut controller = reno(&initial(2.0));
        // Before the first round trip is known there is nothing to spread it over.
        assert_eq!(controller.decision().pacing_rate, None);
        for expected in [4.0, 8.0, 16.0] {
            controller.on_ack(&ack(1), &flow_at(100, 100));
            assert_near(segments(&controller), expected / 2.0);
            controller.on_ack(&round_end(100), &flow_at(100, 100));
            assert_near(segments(&controller), expected);
            let pace = controller.decision().pacing_rate.map_or(0.0, |rate| rate.0);
            assert_near(pace, expected * 10_000.0);
        }
    }

    /// A loss halves the window of the round, however many ACKs came in it, and congestion avoidance is the algorithm's,
    /// by ACKs and without a pace.
    #[test]
    fn a_loss_leads_to_the_rules_of_the_algorithm() {
        let mut controller = reno(&initial(64.0));
        for _ in 0..20 {
            controller.on_ack(&ack(1), &flow_at(100, 100));
        }
        controller.on_congestion(CongestionEvent::EnterRecovery, &flow_at(100, 100));
        assert_eq!(controller.decision().pacing_rate, None);
        controller.on_congestion(CongestionEvent::ExitRecovery, &flow_at(100, 100));
        assert_near(segments(&controller), 32.0);
        assert_eq!(controller.decision().pacing_rate, None);
        controller.on_ack(&ack(32), &flow_at(100, 100));
        assert_near(segments(&controller), 33.0);
    }

    /// It ends at the threshold, and does not open a window that is not used.
    #[test]
    fn threshold_and_use_bound_it() {
        let mut controller = reno(&Initial { ssthresh: 12.0, ..initial(8.0) });
        let unused = Flow { cwnd_limited: false, ..flow_at(100, 100) };
        controller.on_ack(&round_end(100), &unused);
        assert_near(segments(&controller), 8.0);
        // The doubling that was due comes with the next ACK that may open the window.
        controller.on_ack(&ack(1), &flow_at(100, 100));
        assert_near(segments(&controller), 12.0);
        assert_eq!(controller.phase(), Phase::Standard);
        // What the last step has opened leaves evenly, too.
        assert!(controller.decision().pacing_rate.is_some());
        controller.on_ack(&round_end(100), &flow_at(100, 100));
        assert_eq!(controller.decision().pacing_rate, None);
    }

    /// All but slow start is the algorithm's: its threshold, windows that the transport sets, and pauses.
    #[test]
    fn the_algorithm_hears_of_everything_else() {
        let hz = std::collections::BTreeMap::from([("hz".to_string(), 250.0)]);
        let create = factory("cubic:linux", &hz).expect("it is built in");
        let mut bare = create(&avoiding(48.0));
        let mut inside = SlowStartByRounds::new(create(&avoiding(48.0)));
        for (number, late) in [(20, 0), (21, 4), (60, 4), (61, 4)] {
            let now = Time::ZERO + Duration::from_millis(1000 * late + 100 * number);
            let flow = Flow { now, ..flow_at(100, 100) };
            for controller in [&mut *bare, &mut inside] {
                if number == 21 {
                    controller.on_restart(Duration::from_seconds(4.0), &flow);
                }
                controller.on_ack(&ack(2), &flow);
            }
            assert_near(segments(&inside), segments(&*bare));
            assert_near(read(&inside, "k"), read(&*bare, "k"));
        }
        inside.override_window(20e3, 30e3);
        assert_near(segments(&inside), 20.0);
        assert_eq!(inside.ssthresh(), Some(30e3));
    }

    /// RFC 5681 section 3.1: slow start follows a timeout, while it is being repaired, too, and leaves evenly.
    #[test]
    fn slow_start_after_a_timeout_leaves_evenly() {
        let mut controller = reno(&avoiding(64.0));
        controller.on_ack(&round_end(100), &flow_at(100, 100));
        assert_eq!(controller.decision().pacing_rate, None);
        controller.on_congestion(CongestionEvent::Rto, &flow_at(100, 100));
        // Two segments over 100 ms.
        assert_eq!(controller.decision().pacing_rate, Some(Rate(20e3)));
    }

    /// Controller that counts what it is told, by kind: reductions taken back, segments sent, timers.
    #[derive(Debug, Default)]
    struct Counting([u32; 3]);

    impl CongestionControl for Counting {
        fn on_ack(&mut self, _: &AckSample, _: &Flow) {}

        fn on_congestion(&mut self, _: CongestionEvent, _: &Flow) {}

        fn decision(&self) -> Decision {
            Decision { cwnd: 1e3, pacing_rate: None }
        }

        fn on_undo(&mut self, _: &Prior, _: &Flow) {
            self.0[0] += 1;
        }

        fn phase(&self) -> Phase {
            Phase::Alternate
        }

        fn on_send(&mut self, _: &mut Feedback, _: &Flow) {
            self.0[1] += 1;
        }

        fn wakeup(&self) -> Option<Time> {
            Some(Time(7))
        }

        fn on_wakeup(&mut self, _: &Flow) {
            self.0[2] += 1;
        }

        fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
            ["undone", "sent", "woken"].into_iter().zip(self.0).for_each(|(name, n)| record(name, n.into()));
        }
    }

    /// Reductions that are taken back, headers and timers are the algorithm's.
    #[test]
    fn the_algorithm_is_told_of_headers_and_timers() {
        let mut inside = SlowStartByRounds::new(Box::<Counting>::default());
        let flow = flow_at(100, 100);
        inside.on_undo(&Prior { cwnd: 1e3, ssthresh: None }, &flow);
        inside.on_send(&mut Feedback::None, &flow);
        assert_eq!(inside.wakeup(), Some(Time(7)));
        inside.on_wakeup(&flow);
        for name in ["undone", "sent", "woken"] {
            assert_near(read(&inside, name), 1.0);
        }
    }

    /// The transport gives the algorithm what it needs, here marks as DCTCP has them.
    #[test]
    fn needs_are_those_of_the_algorithm() {
        let create = factory("dctcp", &std::collections::BTreeMap::new()).expect("it is built in");
        let inside = SlowStartByRounds::new(create(&initial(2.0)));
        assert_eq!(inside.needs(), create(&initial(2.0)).needs());
        assert_ne!(inside.needs(), Needs::default());
    }
}
