//! Demands on every controller, whoever wrote it, played on the [scripted transport](crate::testing), with the
//! feature `conformance`.
//!
//! The transport reports what a real one could report, in an order a real one could report it in.
//!
//! ```
//! use congestion::{conformance, factory};
//!
//! let create = factory("reno", &Default::default())?;
//! for check in conformance::checks() {
//!     assert_eq!(check.run(&*create, 1, 400), Ok(()), "{}", check.demand);
//! }
//! # Ok::<(), congestion::RegistryError>(())
//! ```

mod demands;
mod draws;
#[cfg(test)]
mod tests;

use crate::control::{CongestionControl, Initial};
use crate::testing::Verdict;
use demands::{ECN, LOSS};

/// One demand on a controller.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Short name.
    pub name: &'static str,
    /// Demand as a sentence.
    pub demand: &'static str,
    play: fn(&Subject<'_>) -> Verdict,
}

/// Controllers under test, and the random numbers of checks that play at random.
struct Subject<'a> {
    create: &'a dyn Fn(&Initial) -> Box<dyn CongestionControl>,
    seed: u64,
    steps: u32,
}

/// Every check, in the order in which they are best read.
pub fn checks() -> &'static [Check] {
    CHECKS
}

impl Check {
    /// Demand it of the controllers that `create` makes; `seed` chooses the events of checks that play at
    /// random, and `steps` how many.
    ///
    /// # Errors
    /// The demand is not met: a description of what was found instead.
    pub fn run(
        &self,
        create: &dyn Fn(&Initial) -> Box<dyn CongestionControl>,
        seed: u64,
        steps: u32,
    ) -> Verdict {
        (self.play)(&Subject { create, seed, steps })
    }
}

static CHECKS: &[Check] = &[
    Check {
        name: "events",
        demand: "after events in any order, cwnd is finite and at least one segment (of L4S a part of one), pacing \
                 is above zero, and congestion never opens the window",
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
