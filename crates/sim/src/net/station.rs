//! One FIFO server with a buffer.

mod account;
mod queueing;
mod setup;

use congestion::{Duration, Time};

use self::account::Account;
pub use self::account::{Hands, NotSized};
use self::queueing::Deferred;
pub use self::setup::StationSetup;

use crate::kernel::rng::Sequence;
use crate::measure::output::StationTotals;
use crate::measure::queue::{Cause, QueueCounts, QueueSample, Sojourns};
use crate::net::arrival::{ArrivalRule, Found, Verdict};
use crate::net::capacity::Capacity;
use crate::net::departures::{Departures, Waiting};
use crate::net::packet::Packet;
use crate::net::queue::{Buffer, QueueDiscipline, Queued};
use crate::net::service::Service;
use crate::net::transmitter::Transmitter;

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

/// A server, its buffer and its routes.
#[derive(Debug)]
pub struct Station {
    /// Its output channel.
    pub channel: u16,
    /// Channel from here to hosts of the first interface class, where that is a delay away.
    pub access: u16,
    transmitter: Transmitter,
    buffer: Option<Buffer>,
    last_departure: Time,
    /// Bytes in the station's channel; kept only where [`Station::is_timed`] is false.
    pub backlog: u64,
    /// Knowledge of the packets that it holds.
    room: Room,
    /// Counts; departures follow from the others.
    totals: StationTotals,
    loss: Option<(f64, Sequence)>,
    rule: Option<Box<dyn ArrivalRule>>,
    /// The general path: packets wait here, and the channel holds only the one in service.
    pub discipline: Option<Box<dyn QueueDiscipline>>,
    /// The way to each site.
    hops: Vec<Hop>,
    /// Service time and longest wait, where nothing but them decides what becomes of a packet.
    plain: Option<Plain>,
    /// Packets that may wait before one is marked, where nothing but that, service times and room decides.
    sized: Option<u64>,
    account: Box<Account>,
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
    /// By what its discipline holds, whose decisions may be deferred.
    Deferred(Deferred),
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

impl Plain {
    /// Time of service, and longest wait before a packet enters.
    #[must_use]
    pub fn times(self) -> (Duration, Duration) {
        (self.service, self.longest_wait)
    }
}

impl Station {
    /// An idle station.
    #[must_use]
    pub fn new(setup: StationSetup) -> Self {
        let StationSetup { channel, access, transmitter, buffer, loss, rule, discipline, .. } = setup;
        let service = transmitter.only_service();
        let room = match (service, buffer) {
            _ if !setup.shortcuts || (discipline.is_some() && !setup.defers) => Room::Channel,
            _ if discipline.is_some() => Room::Deferred(Deferred::default()),
            _ if rule.is_some() => Room::Departures(Departures::default()),
            (Some(Service::Fixed(_)), None) => Room::Wait(Duration::MAX),
            // One packet is in service, `room` wait.
            (Some(Service::Fixed(time)), Some(Buffer::Packets(room))) => Room::Wait(time * room),
            _ => Room::Departures(Departures::default()),
        };
        let plain = match (service, &room) {
            (Some(Service::Fixed(service)), &Room::Wait(longest_wait))
                if loss.is_none() && setup.observed.is_none() =>
            {
                Some(Plain { service, longest_wait })
            }
            _ => None,
        };
        let threshold = rule.as_ref().map_or(Some(u64::MAX), |rule| rule.threshold());
        let sized = threshold.filter(|_| setup.observed.is_none() && service.is_some());
        let sojourns = setup.observed.map(Sojourns::new);
        Self {
            channel,
            access,
            transmitter,
            buffer,
            last_departure: Time::ZERO,
            backlog: 0,
            room,
            totals: StationTotals::default(),
            loss,
            rule,
            discipline,
            hops: setup.hops,
            plain,
            sized,
            account: Box::new(Account { sojourns, ..Account::default() }),
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

    /// [`Station::admit`] at a drop-tail queue where nothing but a threshold and chance decides: when it departs, if so.
    ///
    /// # Errors
    /// The station is of another kind.
    #[inline]
    pub fn admit_sized(
        &mut self,
        packet: &mut Packet,
        bytes: u32,
        now: Time,
    ) -> Result<Option<Time>, NotSized> {
        let Some(threshold) = self.sized else { return Err(NotSized) };
        let Room::Departures(departures) = &mut self.room else { return Err(NotSized) };
        self.totals.arrivals += 1;
        if let Some((probability, draws)) = &mut self.loss
            && draws.uniform() < *probability
        {
            self.account.counts.dropped[Cause::Random as usize] += 1;
            return Ok(None);
        }
        let waiting = departures.waiting(now);
        if let Some(waiting) = waiting
            && waiting.packets > threshold
        {
            self.account.counts.marked[Cause::Step as usize] += u64::from(packet.mark());
        }
        if !has_room(self.buffer, waiting, bytes) {
            self.totals.drops += 1;
            return Ok(None);
        }
        self.last_departure = self.transmitter.finish(self.last_departure.max(now), bytes);
        departures.push(self.last_departure, bytes);
        Ok(Some(self.last_departure))
    }

    /// The way to a site.
    #[must_use]
    #[inline]
    pub fn hop(&self, site: u16) -> Hop {
        self.hops[usize::from(site)]
    }

    /// The ways to all sites.
    #[must_use]
    pub fn hops(&self) -> &[Hop] {
        &self.hops
    }

    /// Go on from the account of whoever has served packets in its place ([`Station::admit_plain`]).
    pub fn follow(&mut self, last_departure: Time, arrivals: u64, drops: u64) {
        self.last_departure = last_departure;
        (self.totals.arrivals, self.totals.drops) = (arrivals, drops);
    }

    /// A packet arrives at a drop-tail queue. `waiting` is what waits in the station's channel, `None` while nothing is in
    /// service; it matters only where [`Station::is_timed`] is false. The packet with the time of its departure; `None`
    /// if it is lost.
    ///
    /// With one server and a known service time the departure is known on arrival, so drop-tail needs no
    /// departure event. At one instant departures come before arrivals.
    pub fn admit(
        &mut self,
        mut arrival: Queued,
        waiting: Option<Waiting>,
        hands: &mut Hands<'_>,
    ) -> Option<Packet> {
        let now = hands.now;
        arrival.packet.time = now;
        let waiting = match &mut self.room {
            Room::Departures(departures) => departures.waiting(now),
            _ => waiting,
        };
        if !self.judge(&mut arrival, waiting, hands) {
            return None;
        }
        let fits = if let Room::Wait(longest) = self.room {
            self.last_departure.since(now) <= longest
        } else {
            has_room(self.buffer, waiting, arrival.bytes)
        };
        if !fits {
            self.account.port(hands).drop(&arrival, Cause::Overlimit);
            return None;
        }
        Some(self.schedule(arrival, now))
    }

    /// Count an arrival, and ask chance and the rule on arrival: `false` if they drop it.
    #[inline]
    fn judge(&mut self, arrival: &mut Queued, waiting: Option<Waiting>, hands: &mut Hands<'_>) -> bool {
        self.totals.arrivals += 1;
        let mut port = self.account.port(hands);
        if let Some((probability, draws)) = &mut self.loss
            && draws.uniform() < *probability
        {
            port.drop(arrival, Cause::Random);
            return false;
        }
        let Some(rule) = &mut self.rule else { return true };
        let idle_since = (self.last_departure <= port.now).then_some(self.last_departure);
        let found = Found { waiting: waiting.unwrap_or(Waiting { packets: 0, bytes: 0 }), idle_since };
        let verdict = rule.on_arrival(arrival, &found, &mut port);
        if let Verdict::Drop(cause) = verdict {
            port.drop(arrival, cause);
        }
        verdict == Verdict::Pass
    }

    /// Put a packet behind all others at a drop-tail queue: its departure is known.
    #[inline]
    fn schedule(&mut self, arrival: Queued, now: Time) -> Packet {
        let starts = self.last_departure.max(now);
        self.account.observe(now, starts.since(now));
        self.last_departure = self.transmitter.finish(starts, arrival.bytes);
        match &mut self.room {
            Room::Departures(departures) => departures.push(self.last_departure, arrival.bytes),
            Room::Channel => self.backlog += u64::from(arrival.bytes),
            _ => {}
        }
        Packet { time: self.last_departure, ..arrival.packet }
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
        match (&self.room, self.transmitter.only_service()) {
            (Room::Departures(departures), _) => departures.present(now),
            (Room::Wait(_), Some(Service::Fixed(time))) => {
                self.last_departure.since(now).0.div_ceil(time.0.max(1))
            }
            (Room::Deferred(_), _) => u64::from(self.is_busy(now)) + self.waiting_in_discipline(),
            _ => queued as u64 + self.waiting_in_discipline(),
        }
    }

    /// Bytes of memory held by what it remembers of packets.
    #[must_use]
    pub fn memory(&self) -> usize {
        let departures = if let Room::Departures(departures) = &self.room { departures.memory() } else { 0 };
        let rule = self.rule.as_ref().map_or(0, |rule| rule.memory());
        departures
            + rule
            + self.transmitter.memory()
            + self.discipline.as_ref().map_or(0, |discipline| discipline.memory())
    }

    /// Counts up to `now`.
    #[must_use]
    pub fn totals(&self, now: Time, queued: usize) -> StationTotals {
        let drops = self.totals.drops + self.account.counts.drops();
        let departures = self.totals.arrivals - drops - self.present(now, queued);
        StationTotals { drops, departures, ..self.totals }
    }

    /// Packets that were given to its server, or their bytes, whichever its capacity counts.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "2^53 bytes are more than any run carries")]
    pub fn given(&self, capacity: &Capacity) -> f64 {
        let drops = self.totals.drops + self.account.counts.drops();
        let packets = self.totals.arrivals - drops - self.waiting_in_discipline();
        (if capacity.counts_packets() { packets } else { self.transmitter.bytes() }) as f64
    }

    /// Work done by `now`, in packets or bytes: what was given to its server but for what is left of it, in part.
    #[must_use]
    pub fn done(&self, now: Time, capacity: &Capacity) -> f64 {
        let starts = self.discipline.as_ref().map_or(now, |discipline| discipline.service_starts(now));
        self.given(capacity) - capacity.between(starts.max(now), self.last_departure)
    }

    /// Time at which everything that was given to its server has been sent.
    #[must_use]
    pub fn last_departure(&self) -> Time {
        self.last_departure
    }

    /// Drops and marks by cause. Overflows of a queue that only its server and room describe are among its totals.
    #[must_use]
    pub fn counts(&self) -> QueueCounts {
        let mut counts = self.account.counts;
        counts.dropped[Cause::Overlimit as usize] += self.totals.drops;
        counts
    }

    /// Changes of a recorded queue since the last sample.
    pub fn sample(&mut self) -> Option<QueueSample> {
        let (counts, control) = (self.counts(), self.control());
        self.account.sample(counts, control)
    }

    /// Sojourn times, if they are recorded.
    #[must_use]
    pub fn sojourns(&self) -> Option<&Sojourns> {
        self.account.sojourns.as_ref()
    }

    /// Control variable of its queue management; 0 where there is none.
    #[must_use]
    pub fn control(&self) -> f64 {
        let rule = self.rule.as_ref().map(|rule| rule.control());
        rule.or_else(|| self.discipline.as_ref().map(|discipline| discipline.control())).unwrap_or(0.0)
    }
}

/// `true` if a packet of `bytes` finds room; one that finds nothing in service needs none.
fn has_room(buffer: Option<Buffer>, waiting: Option<Waiting>, bytes: u32) -> bool {
    let (Some(buffer), Some(waiting)) = (buffer, waiting) else { return true };
    buffer.fits(waiting.packets, waiting.bytes, bytes)
}
