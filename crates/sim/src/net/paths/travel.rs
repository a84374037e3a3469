//! Packets behind a server: when each arrives, if it does.

use congestion::{Duration, Time};

use super::{Concern, Course, PathSpec, WhileOff};
use crate::kernel::rng::Streams;
use crate::net::station::Hop;

/// The path behind a station.
#[derive(Debug)]
pub struct Travel {
    /// The station, within its region.
    pub station: u16,
    /// Channel of packets that do not go straight into a delay line.
    pub channel: u16,
    /// The way on to each site.
    hops: Vec<Hop>,
    course: Option<Course>,
    air: Option<Air>,
    /// The last one in order leaves the path then.
    last: Time,
    /// End of the run; what happens later is nobody's concern.
    end: Time,
}

/// Place of a path in its region.
#[derive(Debug)]
pub struct Place {
    /// The station before it.
    pub station: u16,
    /// Its channel.
    pub channel: u16,
    /// The way on to each site.
    pub hops: Vec<Hop>,
}

/// What becomes of a packet on the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// It leaves the path at that time, and no packet before it later.
    InOrder(Time),
    /// It does not arrive, as it would have done at that time.
    Lost(Time),
}

impl Travel {
    /// A path on which nothing is under way, behind the station that has the number `id` in the scenario; of its course
    /// until `end`.
    pub fn new(path: &PathSpec, streams: &Streams, id: u32, place: Place, end: Time) -> Self {
        let course = Course::new(path, 0.0, Concern::Travel, streams, id);
        let air = course.clone().filter(|_| path.while_off == WhileOff::Lose).map(Air::new);
        let Place { station, channel, hops } = place;
        Self { station, channel, hops, course, air, last: Time::ZERO, end }
    }

    /// `true` if nothing happens on it.
    pub fn is_idle(&self) -> bool {
        self.course.is_none()
    }

    /// The way on to a site.
    pub fn hop(&self, site: u16) -> Hop {
        self.hops[usize::from(site)]
    }

    /// A packet has been sent at `departs`, none before the last one; the propagation behind the path is `beyond`.
    pub fn carry(&mut self, departs: Time, beyond: Duration) -> Passage {
        let Some(course) = self.course.as_mut().filter(|_| departs < self.end) else {
            return Passage::InOrder(departs);
        };
        let now = course.at(departs);
        let leaves = (departs + now.delay).max(self.last);
        self.last = leaves;
        let arrives = leaves + beyond;
        if now.is_cut || self.air.as_mut().is_some_and(|air| air.is_cut_off(departs, arrives)) {
            return Passage::Lost(arrives);
        }
        Passage::InOrder(leaves)
    }
}

/// Switches that cut off packets which are in the air.
#[derive(Debug)]
struct Air {
    course: Course,
    /// The link went off then for the last time.
    cut: Option<Time>,
}

impl Air {
    fn new(course: Course) -> Self {
        Self { course, cut: None }
    }

    /// `true` if the link goes off between two times. Later ones end no earlier.
    fn is_cut_off(&mut self, departs: Time, arrives: Time) -> bool {
        self.course.at(departs);
        while self.course.until <= arrives && self.course.until < Time::NEVER {
            let (change, before) = (self.course.until, self.course.now);
            if self.course.at(change).is_cut && !before.is_cut {
                self.cut = Some(change);
            }
        }
        self.cut.is_some_and(|cut| cut > departs && cut <= arrives)
    }
}
