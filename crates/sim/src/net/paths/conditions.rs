//! Conditions of a link over time: stretches of them, one after another.

use congestion::{Duration, Time};

use super::changes::Steps;
use super::model::{Generator, Model};
use super::{PathSpec, WhileOff};
use crate::kernel::rng::Streams;

/// Conditions of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// Rate, as a part of the station's.
    pub pace: f64,
    /// Packets are sent.
    pub is_on: bool,
    /// What is sent is lost.
    pub is_cut: bool,
    /// Delay.
    pub delay: Duration,
    /// No packet arrives before this.
    pub gate: Time,
    /// Mean of the jitter of Wi-Fi [s].
    pub jitter: f64,
    /// Longest of a jitter that is uniform from zero on [s].
    pub spread: f64,
    /// Probability that an arriving packet is lost.
    pub loss: f64,
}

impl Conditions {
    /// Those of a link that never changes.
    pub const STEADY: Self = Self {
        pace: 1.0,
        is_on: true,
        is_cut: false,
        delay: Duration::ZERO,
        gate: Time::ZERO,
        jitter: 0.0,
        spread: 0.0,
        loss: 0.0,
    };
}

/// Who asks for conditions: others than those of its concern stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// Random loss before the queue.
    Entrance,
    /// The server.
    Service,
    /// What lies behind the server.
    Travel,
}

/// Conditions over time, followed forward: what is given, and what a model makes.
#[derive(Clone, Debug)]
pub struct Course {
    delay: Steps,
    jitter: Steps,
    loss: Steps,
    on: Steps,
    /// Packets that are sent while the link is off are lost.
    cuts: bool,
    /// Packets of a stretch of the model arrive together.
    gathers: bool,
    model: Option<Generator>,
    /// Conditions at the time that was asked for last.
    pub now: Conditions,
    /// Their end.
    pub until: Time,
}

impl Course {
    /// The course of a station's path, for one concern; `None` if nothing of it ever changes. `loss` is the station's own.
    pub fn new(
        path: &PathSpec,
        loss: f64,
        concern: Concern,
        streams: &Streams,
        station: u32,
    ) -> Option<Self> {
        let concerned = |concerns: Concern, own, changes| {
            if concern == concerns { Steps::new(own, changes) } else { Steps::constant(own) }
        };
        let cuts = path.while_off == WhileOff::Lose;
        let switches = if cuts { Concern::Travel } else { Concern::Service };
        let model = path.model.as_ref().filter(|model| model.concerns(concern));
        let mut course = Self {
            delay: concerned(Concern::Travel, 0.0, path.delay.as_ref()),
            jitter: concerned(Concern::Travel, 0.0, path.jitter.as_ref()),
            loss: concerned(Concern::Entrance, loss, path.loss.as_ref()),
            on: concerned(switches, 1.0, path.on.as_ref()),
            cuts,
            gathers: model.is_some_and(Model::gathers),
            model: model.map(|model: &Model| Generator::new(model, streams, station)),
            now: Conditions::STEADY,
            until: Time::ZERO,
        };
        let steps = [&course.delay, &course.jitter, &course.loss, &course.on];
        let changes = steps.iter().any(|steps| !steps.is_constant()) || course.model.is_some();
        course.at(Time::ZERO);
        let steady = Conditions { loss, ..Conditions::STEADY };
        (changes || course.now != steady).then_some(course)
    }

    /// Conditions at a time, none earlier than that before.
    #[inline]
    pub fn at(&mut self, time: Time) -> &Conditions {
        if self.until <= time {
            self.seek(time);
        }
        &self.now
    }

    #[cold]
    fn seek(&mut self, time: Time) {
        let Self { delay, jitter, loss, on, model, .. } = self;
        let mut until = Time::NEVER;
        for steps in [&mut *delay, jitter, loss, on] {
            steps.seek(time);
            until = until.min(steps.until);
        }
        let is_on = on.value > 0.0;
        let mut now = Conditions {
            delay: Duration::from_seconds(delay.value),
            jitter: jitter.value,
            loss: loss.value,
            is_on: is_on || self.cuts,
            is_cut: !is_on && self.cuts,
            ..Conditions::STEADY
        };
        if let Some(model) = model {
            let modelled = model.at(time);
            until = until.min(model.until);
            now.pace = modelled.pace;
            now.spread = modelled.spread;
            now.delay += modelled.delay;
            now.is_on &= modelled.is_on;
            now.gate = if self.gathers { model.until } else { Time::ZERO };
            // Either of two that know nothing of each other.
            now.loss += modelled.loss - now.loss * modelled.loss;
        }
        (self.now, self.until) = (now, until);
    }
}
