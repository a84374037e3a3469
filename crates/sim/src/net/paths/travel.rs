//! Packets behind a server: when each arrives, if it does.

use congestion::{Duration, Time};

use super::reordering::{Reordering, Turn};
use super::ways::Ways;
use super::wifi::Jitter;
use super::{Concern, Conditions, Course, Model, PathSpec, WhileOff};
use crate::kernel::rng::{Draws, Purpose, Streams};
use crate::net::packet::Packet;

/// The path behind a station.
#[derive(Debug)]
pub struct Travel {
    /// The station, within its region.
    pub station: u16,
    /// Channel of packets that do not go straight into a delay line.
    pub channel: u16,
    /// The ways on.
    pub ways: Ways,
    course: Option<Course>,
    jitter: Option<Jitter>,
    reordering: Option<Reordering>,
    air: Option<Air>,
    /// Packets sent.
    packets: u64,
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
    /// The ways on.
    pub ways: Ways,
}

/// What becomes of a packet on the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// It leaves the path at that time, and no packet before it later.
    InOrder(Time),
    /// It leaves the path at that time, and others may have overtaken it.
    OutOfOrder(Time),
    /// It stays until others have passed.
    Held,
    /// It does not arrive, as it would have done at that time.
    Lost(Time),
}

impl Travel {
    /// A path on which nothing is under way, behind the station that has the number `id` in the scenario; of its course
    /// until `end`.
    pub fn new(path: &PathSpec, streams: &Streams, id: u32, place: Place, end: Time) -> Self {
        let course = Course::new(path, 0.0, Concern::Travel, streams, id);
        let loss_in_air = path.model.as_ref().map_or(0.0, Model::loss_in_air);
        let loses = path.while_off == WhileOff::Lose || loss_in_air > 0.0;
        let air = course.clone().filter(|_| loses).map(|course| Air {
            course,
            draws: Draws::of(Purpose::PathAir, streams, id),
            loss: loss_in_air,
            cut: None,
            interrupted: None,
        });
        let jitter = course.as_ref().map(|_| Jitter::new(streams, id));
        let reordering = path.reordering.map(|parameters| Reordering::new(parameters, streams, id));
        let Place { station, channel, ways } = place;
        let (packets, last) = (0, Time::ZERO);
        Self { station, channel, ways, course, jitter, reordering, air, packets, last, end }
    }

    /// `true` if nothing happens on it.
    pub fn is_idle(&self) -> bool {
        self.course.is_none() && self.reordering.is_none() && !self.ways.change()
    }

    /// A packet has been sent at `departs`, none before the last one; the propagation behind the path is `beyond`.
    pub fn carry(&mut self, packet: &Packet, departs: Time, beyond: Duration) -> Passage {
        if departs >= self.end {
            return Passage::InOrder(departs);
        }
        let number = self.packets;
        self.packets += 1;
        let now = self.course.as_mut().map_or(&Conditions::STEADY, |course| course.at(departs));
        let mut delay = now.delay;
        if let Some(jitter) = self.jitter.as_mut().filter(|_| now.jitter > 0.0 || now.spread > 0.0) {
            delay += jitter.delay(number, now);
        }
        let leaves = (departs + delay).max(now.gate).max(self.last);
        self.last = leaves;
        let arrives = leaves + beyond;
        if now.is_cut || self.air.as_mut().is_some_and(|air| air.is_cut_off(number, departs, arrives)) {
            return Passage::Lost(arrives);
        }
        let Some(reordering) = &mut self.reordering else { return Passage::InOrder(leaves) };
        match reordering.judge(number, packet, leaves) {
            Turn::InOrder => Passage::InOrder(leaves),
            Turn::At(time) => Passage::OutOfOrder(time),
            Turn::Held => Passage::Held,
        }
    }

    /// A packet that was held until others had passed, which leaves the path together with the last of them.
    pub fn release(&mut self) -> Option<Packet> {
        self.reordering.as_mut()?.release()
    }

    /// Every packet held.
    pub fn each(&self, see: &mut dyn FnMut(&Packet)) {
        if let Some(reordering) = &self.reordering {
            reordering.each(see);
        }
    }
}

/// Times at which packets in the air are cut off.
#[derive(Debug)]
struct Air {
    course: Course,
    draws: Draws<2>,
    /// Probability that a packet is lost in an interruption.
    loss: f64,
    /// The link began for the last time to lose what is sent, and to be off in an interruption.
    cut: Option<Time>,
    interrupted: Option<Time>,
}

impl Air {
    /// `true` if the packet of this number is cut off between two times. Those of later ones are no earlier.
    fn is_cut_off(&mut self, number: u64, departs: Time, arrives: Time) -> bool {
        self.course.at(departs);
        while self.course.until <= arrives && self.course.until < Time::NEVER {
            let (change, before) = (self.course.until, self.course.now);
            let after = self.course.at(change);
            if after.is_cut && !before.is_cut {
                self.cut = Some(change);
            }
            if !after.is_on && before.is_on {
                self.interrupted = Some(change);
            }
        }
        let in_air = |time: Option<Time>| time.is_some_and(|time| time > departs && time <= arrives);
        in_air(self.cut) || in_air(self.interrupted) && self.draws.uniform(number, 0) < self.loss
    }
}
