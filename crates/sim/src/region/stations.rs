//! The stations of a region.

use std::ops::{Index, IndexMut};

use congestion::{Duration, Time};

use crate::net::headers::Headers;
use crate::net::packet::Packet;
use crate::net::paths::Travel;
use crate::net::station::{Hands, Hop, Station};

/// Stations by their number within the region.
#[derive(Debug)]
pub(crate) struct Stations {
    list: Vec<Station>,
    /// Number of each in the scenario.
    ids: Vec<u32>,
    /// Packets dropped at a station; empty between events.
    pub dropped: Vec<Packet>,
    /// Paths behind stations whose conditions change, by their number within the region.
    pub paths: Vec<Travel>,
    /// Shortest delay behind any station whose decisions may be deferred.
    pub slack: Duration,
}

impl Stations {
    /// No station.
    pub fn new() -> Self {
        Self {
            list: Vec::new(),
            ids: Vec::new(),
            dropped: Vec::new(),
            paths: Vec::new(),
            slack: Duration::MAX,
        }
    }

    /// Add the station that has the number `id` in the scenario.
    pub fn push(&mut self, station: Station, id: u32) {
        self.list.push(station);
        self.ids.push(id);
    }

    /// Put a path behind a station: the station's hops lead to it, and it goes on as they did. A path where nothing ever
    /// happens is none.
    pub fn add_path(&mut self, travel: Travel, hops: &mut [Hop]) {
        let number = u16::try_from(self.paths.len()).expect("it has a channel, so its number fits");
        if !travel.is_idle() {
            hops.fill(Hop::Path(number));
        }
        self.paths.push(travel);
    }

    /// A station at `now`, and what it works with.
    #[inline]
    pub fn at_work<'a>(
        &'a mut self,
        station: u16,
        now: Time,
        headers: &'a mut Headers,
    ) -> (&'a mut Station, Hands<'a>) {
        let hands = Hands { now, headers, dropped: &mut self.dropped };
        (&mut self.list[usize::from(station)], hands)
    }

    /// Number of stations.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The stations in order.
    pub fn iter(&self) -> impl Iterator<Item = &Station> {
        self.list.iter()
    }

    /// The stations in order, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Station> {
        self.list.iter_mut()
    }

    /// The stations in order, each with its number in the scenario.
    pub fn with_ids(&self) -> impl Iterator<Item = (&Station, u32)> {
        self.list.iter().zip(self.ids.iter().copied())
    }

    /// Every packet that waits in the queue of a discipline, or is held on a path.
    pub fn each(&self, see: &mut dyn FnMut(&Packet)) {
        for discipline in self.list.iter().filter_map(|station| station.discipline.as_ref()) {
            discipline.each(see);
        }
        self.paths.iter().for_each(|path| path.each(see));
    }
}

impl Index<u16> for Stations {
    type Output = Station;

    #[inline]
    fn index(&self, station: u16) -> &Station {
        &self.list[usize::from(station)]
    }
}

impl IndexMut<u16> for Stations {
    #[inline]
    fn index_mut(&mut self, station: u16) -> &mut Station {
        &mut self.list[usize::from(station)]
    }
}
