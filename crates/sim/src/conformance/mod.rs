//! What every controller has to do, whoever wrote it, shown on a transport that is played by hand.
//!
//! The transport here is a window of segments without a network: it reports what a real one could report,
//! in an order a real one could report it in.

mod bench;
mod demands;

use congestion::{CongestionControl, Initial};

use demands::{ECN, LOSS};

/// One demand on a controller.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Short name.
    pub name: &'static str,
    /// What is demanded, as a sentence.
    pub demand: &'static str,
    play: fn(&Subject<'_>) -> Verdict,
}

/// What was found instead of what was demanded.
type Verdict = Result<(), String>;

/// What is checked, and with which random numbers.
struct Subject<'a> {
    create: &'a dyn Fn(&Initial) -> Box<dyn CongestionControl>,
    seed: u64,
    steps: u32,
}

/// Every check, in the order in which they are best read.
#[must_use]
pub fn checks() -> &'static [Check] {
    CHECKS
}

impl Check {
    /// Demand it of the controllers that `create` makes; `seed` chooses the events of checks that play at
    /// random, and `steps` how many.
    ///
    /// # Errors
    /// What was found instead.
    pub fn run(
        &self,
        create: &dyn Fn(&Initial) -> Box<dyn CongestionControl>,
        seed: u64,
        steps: u32,
    ) -> Result<(), String> {
        (self.play)(&Subject { create, seed, steps })
    }
}

static CHECKS: &[Check] = &[
    Check {
        name: "events",
        demand: "after events in any order, cwnd is finite and at least one segment, pacing is above zero, \
                 and congestion never opens the window",
        play: demands::events,
    },
    Check {
        name: "loss",
        demand: "loss takes at least one segment of a window of 64",
        play: |it| demands::backs_off(it, LOSS),
    },
    Check {
        name: "ecn",
        demand: "a mark takes at least one segment of a window of 64",
        play: |it| demands::backs_off(it, ECN),
    },
    Check {
        name: "timeout",
        demand: "a retransmission timeout takes at least half of the window",
        play: demands::timeout,
    },
    Check {
        name: "after-timeout",
        demand: "after a timeout the window grows to 4 segments within 100 round trips, while what was \
                 outstanding is repaired",
        play: demands::after_timeout,
    },
    Check { name: "silence", demand: "total silence leads to at most 4 segments", play: demands::silence },
    Check {
        name: "application-limited",
        demand: "a window that is not used does not grow",
        play: demands::application_limited,
    },
    Check {
        name: "idle",
        demand: "after a minute of idleness, with or without a timeout, the window grows again",
        play: demands::idle,
    },
    Check {
        name: "recovery",
        demand: "after a loss is repaired, the window grows again",
        play: demands::recovery,
    },
    Check {
        name: "independence",
        demand: "the same events give the same window, whatever other flows do",
        play: demands::independence,
    },
];

#[cfg(test)]
mod tests {
    use super::bench::SEGMENT;
    use super::*;
    use congestion::{AckSample, CongestionEvent, Decision, Flow, Phase};

    #[test]
    fn algorithms_of_every_kind_conform() {
        for name in
            ["reno", "aiad", "scalable", "cubic", "htcp", "ctcp", "fast", "vegas", "hcc", "xcp", "vcp"]
        {
            let create = congestion::factory(name, &std::collections::BTreeMap::new());
            let create = create.expect("a built-in algorithm");
            for check in checks() {
                assert_eq!(check.run(&*create, 1, 4000), Ok(()), "{name}: {}", check.name);
            }
        }
    }

    /// A window that only what is named here changes.
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
                self.cwnd =
                    if event == CongestionEvent::Rto { SEGMENT } else { self.ssthresh.min(self.cwnd) };
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
            let found: Vec<_> = checks()
                .iter()
                .filter(|check| check.run(&create, 1, 800).is_err())
                .map(|check| check.name)
                .collect();
            assert_eq!(found, failing);
        }
    }

    #[test]
    fn what_only_grows_or_makes_no_sense_fails_everything() {
        assert_eq!(failed(|cwnd, _| cwnd + 1.0).len(), checks().len());
        assert_eq!(failed(|_, _| f64::NAN).len(), checks().len());
        assert_eq!(failed(|_, _| 0.0).len(), checks().len());
    }
}
