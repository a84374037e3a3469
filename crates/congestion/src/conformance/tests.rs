//! Controllers that break rules fail the checks of these rules, and no others.

use super::demands::SEGMENT;
use super::*;
use crate::control::{AckSample, CongestionEvent, Decision, Flow, Phase};

/// Window that only this rule changes.
#[derive(Debug)]
struct Stub(f64, fn(f64, Option<CongestionEvent>) -> f64);

impl CongestionControl for Stub {
    fn on_ack(&mut self, _: &AckSample, _: &Flow) {
        self.0 = (self.1)(self.0, None);
    }
    fn on_congestion(&mut self, event: CongestionEvent, _: &Flow) {
        self.0 = (self.1)(self.0, Some(event));
    }
    fn decision(&self) -> Decision {
        Decision { cwnd: self.0, pacing_rate: None }
    }
    fn phase(&self) -> Phase {
        Phase::Standard
    }
}

fn failed(rule: fn(f64, Option<CongestionEvent>) -> f64) -> Vec<&'static str> {
    let create = move |initial: &Initial| -> Box<dyn CongestionControl> {
        Box::new(Stub(initial.window * SEGMENT, rule))
    };
    checks().iter().filter(|check| check.run(&create, 1, 800).is_err()).map(|check| check.name).collect()
}

#[test]
fn what_does_nothing_fails_to_react_and_to_grow() {
    let names = ["loss", "ecn", "timeout", "silence", "idle", "recovery"];
    assert_eq!(failed(|cwnd, _| cwnd), names);
}

/// Reno, but that it waits for what was outstanding at a timeout to be repaired if `waits`.
#[derive(Debug)]
struct Restart {
    cwnd: f64,
    ssthresh: f64,
    repairing: bool,
    waits: bool,
}

impl CongestionControl for Restart {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        if !flow.cwnd_limited || if self.waits { flow.in_recovery } else { self.repairing } {
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "a window has far fewer than 2^53 bytes")]
        let delivered = ack.delivered as f64;
        self.cwnd += if self.cwnd < self.ssthresh { delivered } else { delivered * SEGMENT / self.cwnd };
    }
    fn on_congestion(&mut self, event: CongestionEvent, _: &Flow) {
        self.repairing = event == CongestionEvent::EnterRecovery;
        if event != CongestionEvent::ExitRecovery {
            self.ssthresh = (self.cwnd / 2.0).max(2.0 * SEGMENT);
            self.cwnd = if event == CongestionEvent::Rto { SEGMENT } else { self.ssthresh.min(self.cwnd) };
        }
    }
    fn decision(&self) -> Decision {
        Decision { cwnd: self.cwnd, pacing_rate: None }
    }
    fn phase(&self) -> Phase {
        Phase::Standard
    }
}

#[test]
fn what_waits_for_the_repair_after_a_timeout_stands_still() {
    for (waits, failing) in [(false, vec![]), (true, vec!["after-timeout"])] {
        let create = move |initial: &Initial| -> Box<dyn CongestionControl> {
            let [cwnd, ssthresh] = [initial.window, initial.ssthresh].map(|size| size * SEGMENT);
            Box::new(Restart { cwnd, ssthresh, repairing: false, waits })
        };
        let failed: Vec<_> = checks()
            .iter()
            .filter(|check| check.run(&create, 1, 800).is_err())
            .map(|check| check.name)
            .collect();
        assert_eq!(failed, failing);
    }
}

#[test]
fn what_only_grows_or_makes_no_sense_fails_everything() {
    assert_eq!(failed(|cwnd, _| cwnd + 1.0).len(), checks().len());
    assert_eq!(failed(|_, _| f64::NAN).len(), checks().len());
    assert_eq!(failed(|_, _| 0.0).len(), checks().len());
}
