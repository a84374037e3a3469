//! Packets behind a server: when each arrives, if it does.

use congestion::{Duration, Time};

use super::reordering::{Reordering, Turn};
use super::ways::Ways;
use super::wifi::{Jitter, TOGETHER};
use super::{Concern, Conditions, Course, Model, PathSpec, WhileOff};
use crate::kernel::rng::{Draws, Purpose, Streams};
use crate::net::packet::Packet;

/// The path behind a station.
#[derive(Debug)]
pub struct Travel {
    order: Order,
    /// Every packet leaves it in order, on the first way.
    is_plain: bool,
    /// The station, within its region.
    pub station: u16,
    /// Channel of packets that do not go straight into a delay line.
    pub channel: u16,
    /// The ways on.
    pub ways: Ways,
    course: Option<Course>,
    jitter: Option<Box<Jitter>>,
    reordering: Option<Reordering>,
    air: Option<Air>,
    /// Packets sent, where not all of them are alike.
    packets: u64,
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
        let jitters = path.jitter.is_some() || path.model.as_ref().is_some_and(Model::jitters);
        let jitter = jitters.then(|| Box::new(Jitter::new(streams, id)));
        let reordering = path.reordering.map(|parameters| Reordering::new(parameters, streams, id));
        let Place { station, channel, ways } = place;
        Self {
            order: Order { step: usize::from(jitters), ..Order::default() },
            is_plain: air.is_none() && reordering.is_none() && !ways.change(),
            station,
            channel,
            ways,
            course,
            jitter,
            reordering,
            air,
            packets: 0,
            end,
        }
    }

    /// `true` if nothing happens on it.
    pub fn is_idle(&self) -> bool {
        self.course.is_none() && self.reordering.is_none() && !self.ways.change()
    }

    /// A packet has been sent at `departs`, none before the last one. When it leaves the path by the first way, `None` if more
    /// has a say in it, or if there is something to renew.
    #[inline]
    pub fn pass(&mut self, departs: Time) -> Option<Time> {
        if self.is_plain { self.order.pass(departs) } else { None }
    }

    /// `true` if there was something to renew for a packet that is sent at `departs` and may pass.
    pub fn renews(&mut self, departs: Time) -> bool {
        let renews = self.is_plain && departs < self.end;
        if renews {
            self.renew(departs);
        }
        renews
    }

    #[inline(never)]
    fn renew(&mut self, departs: Time) {
        let steady = (Conditions::STEADY, Time::NEVER);
        let (now, until) = self.course.as_mut().map_or(steady, |course| (*course.at(departs), course.until));
        let order = &mut self.order;
        order.until = until.min(self.end);
        order.gate = now.gate;
        order.delay = now.delay;
        if order.next == TOGETHER {
            order.first += TOGETHER as u64;
            order.next = 0;
        }
        if let Some(jitter) = &mut self.jitter {
            jitter.delays(order.first, &now, &mut order.jitters);
        }
    }

    /// A packet has been sent at `departs`, none before the last one; the propagation behind the path is `beyond`.
    pub fn carry(&mut self, packet: &Packet, departs: Time, beyond: Duration) -> Passage {
        if departs >= self.end {
            return Passage::InOrder(departs.max(self.order.last));
        }
        let number = self.packets;
        self.packets += 1;
        let leaves = loop {
            if let Some(time) = self.order.pass(departs) {
                break time;
            }
            self.renew(departs);
        };
        let arrives = leaves + beyond;
        let is_cut = self.course.as_ref().is_some_and(|course| course.now.is_cut);
        if is_cut || self.air.as_mut().is_some_and(|air| air.is_cut_off(number, departs, arrives)) {
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

/// What packets go by that leave the path in order; renewed when conditions change, and after some packets.
#[derive(Debug, Default)]
struct Order {
    /// It holds until then.
    until: Time,
    /// The last packet in order leaves the path then.
    last: Time,
    /// None of them sets out before.
    gate: Time,
    /// Delay of all packets.
    delay: Duration,
    /// Jitter of packets in a row, and the place of the next; where there is none, the first holds for all.
    jitters: [Duration; TOGETHER],
    next: usize,
    step: usize,
    /// Number of the packet that has the first of the jitters.
    first: u64,
}

impl Order {
    #[inline]
    fn pass(&mut self, departs: Time) -> Option<Time> {
        if departs >= self.until {
            return None;
        }
        let jitter = *self.jitters.get(self.next)?;
        self.next += self.step;
        self.last = ((departs + jitter).max(self.gate) + self.delay).max(self.last);
        Some(self.last)
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
