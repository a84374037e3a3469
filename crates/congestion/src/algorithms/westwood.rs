//! TCP Westwood+ (Grieco and Mascolo, ACM CCR 34(2), 2004): Reno, but after a loss the window becomes what the
//! measured delivery rate fills without a queue.
//!
//! Page: `docs/models/westwood.md`.

use crate::algorithm::Algorithm;
use crate::base_rtt::BaseRtt;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Flow, Initial};
use crate::units::{Duration, Time};
use crate::window::{Window, to_float};
use crate::window_controller::WindowController;

pub(crate) const WESTWOOD: Algorithm = Algorithm {
    name: "westwood",
    display: "Westwood+",
    // 2: a timeout measures the base RTT anew.
    edition: 1,
    summary: "TCP Westwood+: Reno that backs off to the measured bandwidth times the base RTT",
    source: "L. Grieco, S. Mascolo, ACM CCR 34(2), 2004; Linux, net/ipv4/tcp_westwood.c",
    params: &Params::DEFAULT.list(),
    build,
};

params! {
    /// Parameters of TCP Westwood+.
    struct Params {
        interval: f64 = 0.05, [0.0, 10.0], "s", "A bandwidth sample covers an RTT, and at least this";
        memory: f64 = 0.875, [0.0, 0.999], "1", "Weight of the past in each of the two filters";
    }
}

fn build(values: &[f64], initial: &Initial) -> Box<dyn CongestionControl> {
    let Params { interval, memory } = Params::from_values(values);
    Box::new(Westwood {
        interval: Duration::from_seconds(interval),
        memory,
        window: Window::new(initial),
        base: BaseRtt::UNKNOWN,
        restarts_base: false,
        sample: None,
        bandwidth: None,
    })
}

/// TCP Westwood+ of one flow.
#[derive(Debug)]
struct Westwood {
    interval: Duration,
    memory: f64,
    window: Window,
    base: BaseRtt,
    /// The base is the next RTT sample, whatever it was before (`reset_rtt_min`).
    restarts_base: bool,
    /// Start of the sample in progress, and the bytes it has counted.
    sample: Option<(Time, f64)>,
    /// Bandwidth after the first and after the second filter [bytes/s].
    bandwidth: Option<[f64; 2]>,
}

impl Westwood {
    /// Follows the smallest RTT. Linux, `update_rtt_min`: after a timeout the next sample begins it anew, for the path may
    /// be another.
    fn observe(&mut self, ack: &AckSample) {
        if self.restarts_base && ack.rtt.is_some() {
            self.base = BaseRtt::UNKNOWN;
            self.restarts_base = false;
        }
        self.base.observe(ack);
    }

    /// Counts what was delivered; ends the sample after an RTT.
    fn measure(&mut self, delivered: u64, flow: &Flow) {
        let (start, bytes) = self.sample.unwrap_or((flow.now, 0.0));
        let span = flow.now.since(start);
        if span > flow.srtt.max(self.interval) {
            let sample = bytes / span.seconds();
            let blend = |past: f64, new: f64| self.memory * past + (1.0 - self.memory) * new;
            self.bandwidth = Some(match self.bandwidth {
                Some([first, second]) => {
                    let first = blend(first, sample);
                    [first, blend(second, first)]
                }
                None => [sample; 2],
            });
            self.sample = Some((flow.now, to_float(delivered)));
        } else {
            self.sample = Some((start, bytes + to_float(delivered)));
        }
    }

    /// Bytes that the path carries without a queue; 0 before that is known, which leaves the least threshold.
    fn carried(&self) -> f64 {
        self.bandwidth.map_or(0.0, |[_, bandwidth]| bandwidth * self.base.seconds())
    }
}

impl WindowController for Westwood {
    answers_of_window!();

    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        self.observe(ack);
        self.measure(ack.delivered, flow);
        let credit = self.window.credit(ack, flow);
        let rest = self.window.slow_start(credit);
        self.window.avoid(rest, self.window.cwnd());
    }

    fn on_congestion(&mut self, event: CongestionEvent, _flow: &Flow) {
        let carried = self.carried();
        let target = match event {
            CongestionEvent::Rto => carried,
            // A threshold above the window would make slow start follow a loss.
            _ => carried.min(self.window.cwnd()),
        };
        self.window.respond(event, target);
        self.restarts_base |= event == CongestionEvent::Rto;
    }

    fn is_standard(&self) -> bool {
        true
    }

    fn record(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("bandwidth", self.bandwidth.map_or(f64::NAN, |[_, bandwidth]| bandwidth));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Phase;
    use crate::testing::{ack, assert_near, avoiding, create, flow_at, initial, read, rtt_sample, segments};

    fn at(now_ms: u64) -> Flow {
        Flow { now: Time(Duration::from_millis(now_ms).0), ..flow_at(120, 90) }
    }

    fn on_path() -> Box<dyn CongestionControl> {
        let mut controller = create(&WESTWOOD, &avoiding(80.0));
        controller.on_ack(&rtt_sample(100), &at(0));
        controller
    }

    /// A segment every `gap_ms` until `until_ms`.
    fn deliver(controller: &mut dyn CongestionControl, from_ms: u64, until_ms: u64, gap_ms: u64) {
        for now in (from_ms..until_ms).step_by(usize::try_from(gap_ms).expect("small")) {
            controller.on_ack(&ack(1), &at(now));
        }
    }

    /// CCR 2004: cwnd = ssthresh = max(2, bandwidth x `RTTmin`): 500 segments/s for 100 ms.
    #[test]
    fn loss_leaves_what_the_path_carries() {
        let mut controller = on_path();
        deliver(&mut *controller, 0, 20_000, 2);
        let bandwidth = read(&*controller, "bandwidth");
        assert!((bandwidth / 500_000.0 - 1.0).abs() < 0.02, "{bandwidth}");
        controller.on_congestion(CongestionEvent::EnterRecovery, &at(20_000));
        assert_near(segments(&*controller), bandwidth * 0.1 / 1000.0);
        assert_eq!(controller.phase(), Phase::Standard);
        controller.on_congestion(CongestionEvent::Rto, &at(20_000));
        assert_near(segments(&*controller), 2.0);
        assert_near(read(&*controller, "ssthresh"), bandwidth * 0.1);
    }

    /// After a timeout the threshold is what the path carries, also above the window, which slow start then opens.
    #[test]
    fn timeout_opens_to_what_the_path_carries() {
        let mut controller = on_path();
        deliver(&mut *controller, 0, 5000, 2);
        for event in [CongestionEvent::Rto, CongestionEvent::ExitRecovery] {
            controller.on_congestion(event, &at(5000));
        }
        controller.on_ack(&ack(1), &at(5002));
        assert_near(segments(&*controller), 3.0);
        controller.on_congestion(CongestionEvent::Rto, &at(5004));
        assert_near(read(&*controller, "ssthresh"), read(&*controller, "bandwidth") * 0.1);
        assert_eq!(controller.phase(), Phase::SlowStart);
    }

    /// Linux, `tcp_westwood_event`, `CA_EVENT_LOSS`: "Update `RTT_min` when next ack arrives". A path that has become
    /// longer would be underrated for ever otherwise.
    #[test]
    fn timeout_measures_the_base_anew() {
        let threshold = |event| {
            let mut controller = on_path();
            deliver(&mut *controller, 0, 20_000, 2);
            for event in [event, CongestionEvent::ExitRecovery] {
                controller.on_congestion(event, &at(20_000));
            }
            controller.on_ack(&rtt_sample(150), &at(20_000));
            controller.on_ack(&rtt_sample(160), &at(20_000));
            controller.on_congestion(CongestionEvent::Rto, &at(20_000));
            read(&*controller, "ssthresh") / read(&*controller, "bandwidth")
        };
        assert_near(threshold(CongestionEvent::Rto), 0.15);
        assert_near(threshold(CongestionEvent::EnterRecovery), 0.1);
    }

    /// Linux: two filters of 7/8 in a row, a sample per RTT.
    #[test]
    fn bandwidth_is_filtered_twice() {
        let mut controller = on_path();
        deliver(&mut *controller, 0, 1000, 2);
        let before = read(&*controller, "bandwidth");
        deliver(&mut *controller, 1000, 2000, 1);
        let after = read(&*controller, "bandwidth");
        // 8 samples of twice the rate: 1 - (1 + 8/8) (7/8)^8 of the way, about 0.3.
        assert!((1.2..1.5).contains(&(after / before)), "{before} {after}");
    }

    /// Without a sample the window becomes the least threshold; a loss never leads to slow start.
    #[test]
    fn unknown_bandwidth_is_none() {
        let mut controller = create(&WESTWOOD, &initial(40.0));
        controller.on_congestion(CongestionEvent::EnterRecovery, &at(0));
        assert_near(segments(&*controller), 2.0);
        let mut controller = create(&WESTWOOD, &avoiding(20.0));
        // The path carries 100 segments, more than the window has.
        controller.on_ack(&rtt_sample(100), &at(0));
        deliver(&mut *controller, 0, 5000, 1);
        controller.on_congestion(CongestionEvent::EcnEcho, &at(5000));
        assert_eq!(controller.phase(), Phase::Standard);
    }
}
