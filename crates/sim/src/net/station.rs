//! One FIFO server with a buffer.

use crate::kernel::rng::Sequence;
use crate::measure::output::StationTotals;
use crate::net::packet::Packet;
use crate::net::queue::QueueDiscipline;
use crate::scenario::spec::{Buffer, ServiceRate};

/// Time to serve a packet.
#[derive(Clone, Copy, Debug)]
pub enum Service {
    /// The same for every packet [ps].
    Fixed(u64),
    /// Picoseconds per byte as a 32.32 fixed-point number, so that rates do not drift.
    PerByte(u64),
}

impl Service {
    /// Service at a rate.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float to integer casts saturate; rates are checked before"
    )]
    pub fn new(rate: ServiceRate) -> Self {
        match rate {
            ServiceRate::PacketsPerSecond(rate) => Self::Fixed(libm::round(1e12 / rate) as u64),
            ServiceRate::BitsPerSecond(rate) => {
                Self::PerByte(libm::round(8e12 / rate * 4_294_967_296.0) as u64)
            }
        }
    }

    /// Time to serve a packet of `bytes` [ps].
    #[must_use]
    #[inline]
    pub fn time(self, bytes: u32) -> u64 {
        match self {
            Self::Fixed(time) => time,
            #[expect(clippy::cast_possible_truncation, reason = "a packet takes far less than 2^64 ps")]
            Self::PerByte(per_byte) => ((u128::from(per_byte) * u128::from(bytes)) >> 32) as u64,
        }
    }
}

/// Where a packet goes after a station.
#[derive(Clone, Copy, Debug)]
pub enum Hop {
    /// To the hosts of the site.
    Deliver,
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
    service: Service,
    buffer: Option<Buffer>,
    last_departure: u64,
    /// Bytes waiting or in service; kept only where the buffer counts bytes.
    backlog: u64,
    /// Counts.
    pub totals: StationTotals,
    loss: Option<(f64, Sequence)>,
    /// The general path: packets wait here, and the channel holds only the one in service.
    pub discipline: Option<Box<dyn QueueDiscipline>>,
    /// `hops[row[site]]` is the way to `site`.
    row: Vec<u16>,
    hops: Vec<Hop>,
}

/// What becomes of an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It leaves at this time [ps].
    Departs(u64),
    /// It waits in the discipline's queue.
    Waits,
    /// It is lost.
    Lost,
}

impl Station {
    /// An idle station.
    #[must_use]
    pub fn new(
        channel: u16,
        service: Service,
        buffer: Option<Buffer>,
        discipline: Option<Box<dyn QueueDiscipline>>,
        loss: Option<(f64, Sequence)>,
    ) -> Self {
        Self {
            channel,
            service,
            buffer,
            last_departure: 0,
            backlog: 0,
            totals: StationTotals::default(),
            loss,
            discipline,
            row: Vec::new(),
            hops: Vec::new(),
        }
    }

    /// Set the routes.
    pub fn route(&mut self, row: Vec<u16>, hops: Vec<Hop>) {
        self.row = row;
        self.hops = hops;
    }

    /// The way to a site.
    #[must_use]
    #[inline]
    pub fn hop(&self, site: u16) -> Hop {
        self.hops[usize::from(self.row[usize::from(site)])]
    }

    /// A packet of `bytes` arrives at `now` and finds `present` packets waiting or in service.
    ///
    /// With one server and a known service time the departure is known on arrival, so drop-tail needs no
    /// departure event.
    #[inline]
    pub fn admit(&mut self, packet: &Packet, bytes: u32, now: u64, present: usize) -> Admission {
        self.totals.arrivals += 1;
        if let Some((probability, draws)) = &mut self.loss
            && draws.uniform() < *probability
        {
            self.totals.drops += 1;
            return Admission::Lost;
        }
        if let Some(discipline) = &mut self.discipline {
            if present == 0 {
                return Admission::Departs(now + self.service.time(bytes));
            }
            if discipline.enqueue(*packet, bytes, now) {
                return Admission::Waits;
            }
            self.totals.drops += 1;
            return Admission::Lost;
        }
        let fits = match self.buffer {
            None => true,
            // One packet is in service; the others, and the new one, wait.
            Some(Buffer::Packets(limit)) => present as u64 <= limit,
            Some(Buffer::Bytes(limit)) => {
                let fits = present == 0 || self.backlog + u64::from(bytes) <= limit;
                self.backlog += if fits { u64::from(bytes) } else { 0 };
                fits
            }
        };
        if !fits {
            self.totals.drops += 1;
            return Admission::Lost;
        }
        self.last_departure = self.last_departure.max(now) + self.service.time(bytes);
        Admission::Departs(self.last_departure)
    }

    /// A packet of `bytes` has been served at `now`. On the general path, the next packet and when it departs.
    #[inline]
    pub fn depart(&mut self, bytes: u32) {
        self.totals.departures += 1;
        if let Some(Buffer::Bytes(_)) = self.buffer {
            self.backlog = self.backlog.saturating_sub(u64::from(bytes));
        }
    }

    /// Service time of a packet of `bytes` [ps].
    #[must_use]
    pub fn service(&self, bytes: u32) -> u64 {
        self.service.time(bytes)
    }

    /// Packets in the discipline's queue.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.discipline.as_ref().map_or(0, |discipline| discipline.len())
    }
}
