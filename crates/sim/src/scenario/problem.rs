//! Faults of a scenario, and reasons why a run has no result.

use std::fmt;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Path into the scenario.
    pub loc: String,
    /// Stable name of the kind of problem.
    pub kind: &'static str,
    /// Message: what was expected and what was found.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.loc, self.message)
    }
}

/// Why a run did not happen or cannot be believed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The scenario is not valid; nothing was run.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Scenario(Vec<Problem>),
    /// Packets were created or lost by the simulator itself: a defect, please report it.
    #[error(
        "packets are not conserved: {injected} injected, {delivered} delivered, {dropped} dropped, {in_flight} in flight"
    )]
    NotConserved {
        /// Put on the network.
        injected: u64,
        /// Delivered.
        delivered: u64,
        /// Dropped.
        dropped: u64,
        /// Found under way at the end.
        in_flight: u64,
    },
    /// A server did more work than its rate allows: a defect, please report it.
    #[error("{server} did work of {work} in a time in which its rate allows {most} packets or bytes")]
    Overserved {
        /// A station, or the interface of a named flow.
        server: String,
        /// Packets or bytes.
        work: f64,
        /// The most that its rate allows.
        most: f64,
    },
    /// A controller asked to be woken at an instant that had come already, again and again: time stood still.
    #[error(
        "source {source_index} asked for {} wake-ups at {at} simulated seconds",
        crate::region::MOST_OVERDUE
    )]
    Sleepless {
        /// Source whose controller it is.
        source_index: u32,
        /// Instant [s].
        at: f64,
    },
}
