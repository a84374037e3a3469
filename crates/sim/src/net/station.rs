//! One FIFO server with a buffer.

mod account;
mod droptail;
mod queueing;
mod setup;

use congestion::Time;

use self::account::Account;
pub use self::account::Hands;
pub use self::droptail::{Plain, Tally};
use self::queueing::Deferred;
pub use self::setup::StationSetup;
use crate::kernel::rng::Sequence;
use crate::measure::output::StationTotals;
use crate::measure::queue::{Cause, QueueCounts, QueueSample, Sojourns};
use crate::net::arrival::ArrivalRule;
use crate::net::capacity::Capacity;
use crate::net::departures::Departures;
use crate::net::queue::{Buffer, QueueDiscipline};
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
    /// Onto the path of this number, which knows the way on.
    Path(u16),
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
    /// Its departures, arrivals and drops.
    pub tally: Tally,
    /// Bytes in the station's channel; kept only where [`Station::is_timed`] is false.
    pub backlog: u64,
    /// Knowledge of the packets that it holds.
    room: Room,
    loss: Option<(f64, Sequence)>,
    /// Packets that may wait before ECN-capable arrivals are marked.
    mark_above: u64,
    rule: Option<Box<dyn ArrivalRule>>,
    /// The general path: packets wait here, and the channel holds only the one in service.
    pub discipline: Option<Box<dyn QueueDiscipline>>,
    /// The way to each site.
    hops: Vec<Hop>,
    account: Box<Account>,
}

/// Knowledge of a station about the packets that it holds (`droptail`, `queueing`).
#[derive(Debug)]
enum Room {
    /// By the time until the last departure.
    Plain(Plain),
    /// By departures to come.
    Departures(Departures),
    /// By what its channel holds: with a discipline, and on the reference path.
    Channel,
    /// By what its discipline holds, whose decisions may be deferred.
    Deferred(Deferred),
}

impl Station {
    /// An idle station.
    pub fn new(setup: StationSetup) -> Self {
        let StationSetup { channel, access, transmitter, buffer, loss, rule, discipline, .. } = setup;
        let mark_above = setup.mark_above.unwrap_or(u64::MAX);
        let judges = loss.is_some() || rule.is_some() || mark_above < u64::MAX;
        let plain = match transmitter.only_service() {
            Some(Service::Fixed(service)) if !judges && setup.observed.is_none() => {
                Buffer::longest_wait(buffer, service).map(|longest_wait| Plain { service, longest_wait })
            }
            _ => None,
        };
        let room = match plain {
            _ if !setup.shortcuts || (discipline.is_some() && !setup.defers) => Room::Channel,
            _ if discipline.is_some() => Room::Deferred(Deferred::default()),
            Some(plain) => Room::Plain(plain),
            None => Room::Departures(Departures::default()),
        };
        let sojourns = setup.observed.map(Sojourns::new);
        Self {
            channel,
            access,
            transmitter,
            buffer,
            tally: Tally::default(),
            backlog: 0,
            room,
            loss,
            mark_above,
            rule,
            discipline,
            hops: setup.hops,
            account: Box::new(Account { sojourns, ..Account::default() }),
        }
    }

    /// What its packets go by, where it is plain.
    #[inline]
    pub fn plain(&self) -> Option<Plain> {
        if let Room::Plain(plain) = self.room { Some(plain) } else { None }
    }

    /// The way to a site.
    #[inline]
    pub fn hop(&self, site: u16) -> Hop {
        self.hops[usize::from(site)]
    }

    /// The ways to all sites.
    pub fn hops(&self) -> &[Hop] {
        &self.hops
    }

    /// `true` if packets need not pass the station's own channel on their way into a delay line: their
    /// number here is known without it.
    #[inline]
    pub fn is_timed(&self) -> bool {
        !matches!(self.room, Room::Channel)
    }

    /// Packets waiting or in service at `now`, of which `queued` are in the station's channel.
    pub fn present(&self, now: Time, queued: usize) -> u64 {
        match &self.room {
            Room::Plain(plain) => plain.present(self.tally.last_departure.since(now)),
            Room::Departures(departures) => departures.present(now),
            Room::Deferred(_) => u64::from(self.is_busy(now)) + self.waiting_in_discipline(),
            Room::Channel => queued as u64 + self.waiting_in_discipline(),
        }
    }

    /// Bytes of memory held by what it remembers of packets.
    pub fn memory(&self) -> usize {
        let departures = if let Room::Departures(departures) = &self.room { departures.memory() } else { 0 };
        let rule = self.rule.as_ref().map_or(0, |rule| rule.memory());
        departures
            + rule
            + self.transmitter.memory()
            + self.discipline.as_ref().map_or(0, |discipline| discipline.memory())
    }

    /// Counts up to `now`.
    pub fn totals(&self, now: Time, queued: usize) -> StationTotals {
        let drops = self.drops();
        let departures = self.tally.arrivals - drops - self.present(now, queued);
        StationTotals { arrivals: self.tally.arrivals, drops, departures }
    }

    /// Packets dropped, whatever the cause.
    fn drops(&self) -> u64 {
        self.tally.drops + self.account.counts.drops()
    }

    /// Packets that were given to its server, or their bytes, whichever its capacity counts.
    #[expect(clippy::cast_precision_loss, reason = "2^53 bytes are more than any run carries")]
    pub fn entered_service(&self, capacity: &Capacity) -> f64 {
        let packets = self.tally.arrivals - self.drops() - self.waiting_in_discipline();
        (if capacity.counts_packets() { packets } else { self.transmitter.bytes() }) as f64
    }

    /// Work done by `now`, in packets or bytes: what was given to its server but for what is left of it, in part.
    pub fn done(&self, now: Time, capacity: &mut Capacity) -> f64 {
        let starts = self.discipline.as_ref().map_or(now, |discipline| discipline.service_starts(now));
        self.entered_service(capacity) - capacity.between(starts.max(now), self.tally.last_departure)
    }

    /// Drops and marks by cause. Overflows of a queue that only its server and room describe are among its totals, and losses
    /// behind the server are random ones.
    pub fn counts(&self) -> QueueCounts {
        let mut counts = self.account.counts;
        counts.dropped[Cause::Overlimit as usize] += self.tally.drops;
        counts.dropped[Cause::Random as usize] += self.account.lost;
        counts
    }

    /// A packet that was served is lost on its way.
    pub fn count_lost(&mut self) {
        self.account.lost += 1;
    }

    /// Changes of a recorded queue since the last sample.
    pub fn sample(&mut self) -> Option<QueueSample> {
        let (counts, control) = (self.counts(), self.control());
        self.account.sample(counts, control)
    }

    /// Sojourn times, if they are recorded.
    pub fn sojourns(&self) -> Option<&Sojourns> {
        self.account.sojourns.as_ref()
    }

    /// Control variable of its queue management; 0 where there is none.
    pub fn control(&self) -> f64 {
        // An impairment is a rule, too, and has none.
        let discipline = self.discipline.as_ref().map(|discipline| discipline.control());
        discipline.or_else(|| self.rule.as_ref().map(|rule| rule.control())).unwrap_or(0.0)
    }
}
