//! Decisions on departing packets that are made up for, so that a hop through a discipline is one event instead of two.
//! From: `forward` before an arrival, and the loop of events before anything that depends on them. To: `forward`.
//!
//! Nothing outside of a station sees a decision before the packet has been served and has travelled on for the *slack*
//! of the region at least. So all stations on the list are brought up to date by a timer, a slack after they were for
//! the last time, and at the end of every window.

use congestion::{Duration, Time};

use super::Region;
use crate::kernel::channels::Channels;
use crate::kernel::timers::TimerKind;
use crate::net::packet::Packet;

/// Stations that may owe decisions.
#[derive(Debug)]
pub(crate) struct Late {
    /// Least delay behind any station whose decisions are made up for.
    slack: Duration,
    stations: Vec<u16>,
    /// A timer is pending.
    timed: bool,
}

impl Late {
    /// An empty list.
    pub fn new(slack: Duration) -> Self {
        Self { slack, stations: Vec::new(), timed: false }
    }
}

impl<C: Channels<Packet>> Region<C> {
    /// Make the decisions up that a station owes from before `until`, in their order.
    #[inline]
    pub(super) fn catch_up(&mut self, station: u16, until: Time) {
        while let Some(due) = self.stations[station].take_debt(until) {
            // Where nothing is made up for, this is the event of the departure.
            self.recorder.counters.events += 1;
            self.serve_next(station, due);
        }
    }

    /// Put a station on the list, if it owes a decision from `now` on.
    #[inline]
    pub(super) fn list(&mut self, station: u16, now: Time) {
        if self.stations[station].joins_list() {
            self.late.stations.push(station);
            if !self.late.timed {
                self.set_catch_up(now);
            }
        }
    }

    /// All stations are up to date at `now`.
    fn set_catch_up(&mut self, now: Time) {
        self.late.timed = true;
        self.events.set_timer(now + self.late.slack, TimerKind::CatchUp, 0, 0);
    }

    /// From now on events may depend on decisions that are owed.
    #[cold]
    pub(super) fn on_catch_up(&mut self, now: Time) {
        // Where nothing is made up for, there is no such event.
        self.recorder.counters.events -= 1;
        self.catch_up_all(now);
        self.late.timed = false;
        if !self.late.stations.is_empty() {
            self.set_catch_up(now);
        }
    }

    /// Bring all stations up to date: decisions from before `until`.
    pub(super) fn catch_up_all(&mut self, until: Time) {
        if self.late.stations.is_empty() {
            return;
        }
        let mut stations = std::mem::take(&mut self.late.stations);
        stations.retain(|&station| {
            self.catch_up(station, until);
            self.stations[station].stays_on_list()
        });
        self.late.stations = stations;
    }
}
