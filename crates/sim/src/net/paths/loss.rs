//! Random loss whose probability changes.

use super::Course;
use crate::kernel::rng::Sequence;
use crate::measure::queue::Cause;
use crate::net::arrival::{ArrivalRule, Backlog, Verdict};
use crate::net::queue::{Port, Queued};

/// Loss before the queue, and before a rule on arrival, if there is one. It draws as the loss of a station does that never
/// changes.
#[derive(Debug)]
pub struct VaryingLoss {
    course: Course,
    draws: Sequence,
    rule: Option<Box<dyn ArrivalRule>>,
}

impl VaryingLoss {
    /// Loss that follows a course.
    pub fn new(course: Course, draws: Sequence, rule: Option<Box<dyn ArrivalRule>>) -> Self {
        Self { course, draws, rule }
    }
}

impl ArrivalRule for VaryingLoss {
    fn on_arrival(&mut self, arrival: &mut Queued, backlog: &Backlog, port: &mut Port<'_>) -> Verdict {
        if self.draws.uniform() < self.course.at(port.now).loss {
            return Verdict::Drop(Cause::Random);
        }
        self.rule.as_mut().map_or(Verdict::Pass, |rule| rule.on_arrival(arrival, backlog, port))
    }

    fn control(&self) -> f64 {
        self.rule.as_ref().map_or(0.0, |rule| rule.control())
    }

    fn memory(&self) -> usize {
        self.rule.as_ref().map_or(0, |rule| rule.memory())
    }
}
