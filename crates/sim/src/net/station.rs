//! One FIFO server with a buffer.

use congestion::{Duration, Time};

use crate::kernel::rng::Sequence;
use crate::measure::output::StationTotals;
use crate::net::departures::{Departures, Waiting};
use crate::net::headers::Headers;
use crate::net::marking::Marking;
use crate::net::packet::Packet;
use crate::net::queue::{Buffer, QueueDiscipline};
use crate::net::service::Service;

/// Where a packet goes after a station.
#[derive(Clone, Copy, Debug)]
pub enum Hop {
    /// To the hosts of the site, none of which is a delay away.
    Deliver,
    /// To the hosts of the site, of which some are a delay away.
    Access,
    /// Into another station of the region, without delay.
    Station(u16),
    /// Into a delay line, here or in another region.
    Exit(u16),
    /// Nowhere: a fault in the routes.
    None,
}

/// Description of a station.
#[derive(Debug)]
pub struct StationSetup {
    /// Its output channel.
    pub channel: u16,
    /// Channel to hosts of the first interface class, where that is a delay away.
    pub access: u16,
    /// Time to serve a packet.
    pub service: Service,
    /// Room for waiting packets, not counting the one in service; `None` is unlimited.
    pub buffer: Option<Buffer>,
    /// Random loss before the queue: its probability, and random numbers.
    pub loss: Option<(f64, Sequence)>,
    /// ECN rule on arrival.
    pub marking: Marking,
    /// The queue; `None` is drop-tail.
    pub discipline: Option<Box<dyn QueueDiscipline>>,
    /// The way to each site.
    pub hops: Vec<Hop>,
    /// The number of packets here may follow from times; without, it is counted.
    pub shortcuts: bool,
}

impl StationSetup {
    /// A drop-tail station without routes.
    #[must_use]
    pub fn drop_tail(channel: u16, service: Service, buffer: Option<Buffer>) -> Self {
        Self {
            channel,
            access: 0,
            service,
            buffer,
            loss: None,
            marking: Marking::Never,
            discipline: None,
            hops: Vec::new(),
            shortcuts: true,
        }
    }
}

/// A server, its buffer and its routes.
#[derive(Debug)]
pub struct Station {
    /// Its output channel.
    pub channel: u16,
    /// Channel from here to hosts of the first interface class, where that is a delay away.
    pub access: u16,
    service: Service,
    buffer: Option<Buffer>,
    last_departure: Time,
    /// Bytes in the station's channel; kept only where [`Station::is_timed`] is false.
    pub backlog: u64,
    /// Knowledge of the packets that it holds.
    room: Room,
    /// Counts; departures follow from the others.
    totals: StationTotals,
    loss: Option<(f64, Sequence)>,
    marking: Marking,
    /// The general path: packets wait here, and the channel holds only the one in service.
    pub discipline: Option<Box<dyn QueueDiscipline>>,
    /// The way to each site.
    hops: Vec<Hop>,
    /// Service time and longest wait, where nothing but them decides what becomes of a packet.
    plain: Option<Plain>,
}

/// Knowledge of a station about the packets that it holds.
#[derive(Debug)]
enum Room {
    /// Every packet costs the same, so the time until the last departure tells how many are here: the
    /// longest wait that the buffer allows before a packet enters.
    Wait(Duration),
    /// Packets are of different sizes, so their departures are remembered.
    Departures(Departures),
    /// By what its channel holds: with a discipline, and on the reference path.
    Channel,
}

/// All that a drop-tail station needs to know where every packet costs the same and none is lost at random
/// or marked.
#[derive(Clone, Copy, Debug)]
pub struct Plain {
    /// Time to serve a packet.
    service: Duration,
    /// Longest wait before a packet enters.
    longest_wait: Duration,
}

/// Fate of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It leaves at this time.
    Departs(Time),
    /// It waits in the discipline's queue.
    Waits,
    /// It is lost.
    Lost,
}

impl Station {
    /// An idle station.
    #[must_use]
    pub fn new(setup: StationSetup) -> Self {
        let StationSetup { channel, access, service, buffer, loss, marking, discipline, hops, shortcuts } =
            setup;
        let room = match (service, buffer, &discipline) {
            _ if !shortcuts => Room::Channel,
            (_, _, Some(_)) => Room::Channel,
            (Service::Fixed(_), None, None) => Room::Wait(Duration::MAX),
            // One packet is in service, `room` wait.
            (Service::Fixed(time), Some(Buffer::Packets(room)), None) => Room::Wait(time * room),
            _ => Room::Departures(Departures::default()),
        };
        let plain = match (service, &room) {
            (Service::Fixed(service), &Room::Wait(longest_wait))
                if loss.is_none() && marking == Marking::Never =>
            {
                Some(Plain { service, longest_wait })
            }
            _ => None,
        };
        Self {
            channel,
            access,
            service,
            buffer,
            last_departure: Time::ZERO,
            backlog: 0,
            room,
            totals: StationTotals::default(),
            loss,
            marking,
            discipline,
            hops,
            plain,
        }
    }

    /// Argument of [`Station::admit_plain`], where the fast path may be taken.
    #[must_use]
    #[inline]
    pub fn plain(&self) -> Option<Plain> {
        self.plain
    }

    /// [`Station::admit`] where a packet departs or is lost, whatever it is: when it departs, if it does.
    #[inline]
    pub fn admit_plain(&mut self, plain: Plain, now: Time) -> Option<Time> {
        self.totals.arrivals += 1;
        if self.last_departure.since(now) > plain.longest_wait {
            self.totals.drops += 1;
            return None;
        }
        self.last_departure = self.last_departure.max(now) + plain.service;
        Some(self.last_departure)
    }

    /// The way to a site.
    #[must_use]
    #[inline]
    pub fn hop(&self, site: u16) -> Hop {
        self.hops[usize::from(site)]
    }

    /// A packet of `bytes` arrives at `now`. `waiting` is what waits in the station's channel, `None` while
    /// nothing is in service; it matters only where [`Station::is_timed`] is false.
    ///
    /// With one server and a known service time the departure is known on arrival, so drop-tail needs no
    /// departure event. At one instant departures come before arrivals.
    pub fn admit(
        &mut self,
        packet: &mut Packet,
        bytes: u32,
        now: Time,
        waiting: Option<Waiting>,
        headers: &mut Headers,
    ) -> Admission {
        self.totals.arrivals += 1;
        if let Some((probability, draws)) = &mut self.loss
            && draws.uniform() < *probability
        {
            self.totals.drops += 1;
            return Admission::Lost;
        }
        let waiting =
            if let Room::Departures(departures) = &mut self.room { departures.waiting(now) } else { waiting };
        if self.marking != Marking::Never {
            self.marking.on_arrival(packet, self.waiting(now, waiting));
        }
        let fits = if let Room::Wait(longest) = self.room {
            self.last_departure.since(now) <= longest
        } else if let Some(discipline) = &mut self.discipline {
            if self.last_departure > now {
                if discipline.enqueue(*packet, bytes, now, headers) {
                    return Admission::Waits;
                }
                false
            } else {
                discipline.pass(packet, bytes, now, headers);
                true
            }
        } else {
            has_room(self.buffer, waiting, bytes)
        };
        if !fits {
            self.totals.drops += 1;
            return Admission::Lost;
        }
        self.last_departure = self.last_departure.max(now) + self.service.time(bytes);
        match &mut self.room {
            Room::Wait(_) => {}
            Room::Departures(departures) => departures.push(self.last_departure, bytes),
            Room::Channel => self.backlog += u64::from(bytes),
        }
        Admission::Departs(self.last_departure)
    }

    /// Packets that wait at `now`; `waiting` is what is known of them.
    fn waiting(&self, now: Time, waiting: Option<Waiting>) -> u64 {
        match (&self.discipline, waiting) {
            (Some(discipline), _) => discipline.len() as u64,
            (None, Some(waiting)) => waiting.packets,
            // One of those present is in service.
            (None, None) => self.present(now, 0).saturating_sub(1),
        }
    }

    /// The general path: the next packet into service at `now`, and when it departs. Packets that the
    /// discipline drops on the way are appended to `dropped`.
    pub fn serve(
        &mut self,
        now: Time,
        dropped: &mut Vec<Packet>,
        headers: &mut Headers,
        size: impl Fn(&Packet) -> u32,
    ) -> Option<Packet> {
        let discipline = self.discipline.as_mut()?;
        if self.last_departure > now {
            return None;
        }
        let next = discipline.dequeue(now, dropped, headers);
        self.totals.drops += dropped.len() as u64;
        let mut packet = next?;
        packet.time = now + self.service.time(size(&packet));
        self.last_departure = packet.time;
        self.backlog += u64::from(size(&packet));
        Some(packet)
    }

    /// `true` if packets need not pass the station's own channel on their way into a delay line: their
    /// number here is known without it.
    #[must_use]
    #[inline]
    pub fn is_timed(&self) -> bool {
        !matches!(self.room, Room::Channel)
    }

    /// Packets waiting or in service at `now`, of which `queued` are in the station's channel.
    #[must_use]
    pub fn present(&self, now: Time, queued: usize) -> u64 {
        match (&self.room, self.service) {
            (Room::Departures(departures), _) => departures.present(now),
            (Room::Wait(_), Service::Fixed(time)) => self.last_departure.since(now).0.div_ceil(time.0.max(1)),
            _ => queued as u64 + self.discipline.as_ref().map_or(0, |discipline| discipline.len() as u64),
        }
    }

    /// Bytes of memory held by what it remembers of packets.
    #[must_use]
    pub fn memory(&self) -> usize {
        if let Room::Departures(departures) = &self.room { departures.memory() } else { 0 }
    }

    /// Counts up to `now`.
    #[must_use]
    pub fn totals(&self, now: Time, queued: usize) -> StationTotals {
        let departures = self.totals.arrivals - self.totals.drops - self.present(now, queued);
        StationTotals { departures, ..self.totals }
    }
}

/// `true` if a packet of `bytes` finds room; one that finds nothing in service needs none.
fn has_room(buffer: Option<Buffer>, waiting: Option<Waiting>, bytes: u32) -> bool {
    match (buffer, waiting) {
        (None, _) | (_, None) => true,
        (Some(Buffer::Packets(room)), Some(waiting)) => waiting.packets < room,
        (Some(Buffer::Bytes(room)), Some(waiting)) => waiting.bytes + u64::from(bytes) <= room,
    }
}
