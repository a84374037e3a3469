//! Ways on from a station, which failures and changes of routes turn elsewhere.

use congestion::Time;

use crate::net::station::Hop;

/// The way on to each site over time, followed forward by those who look ahead and by those who do not.
#[derive(Debug)]
pub struct Ways {
    /// Tables, each with the time from which on it holds.
    tables: Vec<(Time, Vec<Hop>)>,
    /// Table at the time that was asked for last, by when a packet will be there, and by when it is.
    ahead: usize,
    here: usize,
}

impl Ways {
    /// Ways that are these first, and then others from some times on.
    pub fn new(first: Vec<Hop>, later: impl IntoIterator<Item = (Time, Vec<Hop>)>) -> Self {
        let tables = std::iter::once((Time::ZERO, first)).chain(later).collect();
        Self { tables, ahead: 0, here: 0 }
    }

    /// `true` if they change.
    pub fn change(&self) -> bool {
        self.tables.len() > 1
    }

    /// The way on to a site before any change.
    pub fn first(&self, site: u16) -> Hop {
        self.tables[0].1[usize::from(site)]
    }

    /// The way on to a site for a packet that leaves the path at a time, which is known before; none earlier than the last.
    pub fn ahead(&mut self, site: u16, time: Time) -> Hop {
        seek(&self.tables, &mut self.ahead, time);
        self.tables[self.ahead].1[usize::from(site)]
    }

    /// The way on to a site for a packet that leaves the path now.
    pub fn here(&mut self, site: u16, now: Time) -> Hop {
        seek(&self.tables, &mut self.here, now);
        self.tables[self.here].1[usize::from(site)]
    }
}

fn seek(tables: &[(Time, Vec<Hop>)], table: &mut usize, time: Time) {
    while tables.get(*table + 1).is_some_and(|&(from, _)| from <= time) {
        *table += 1;
    }
}
