//! Deferred decisions on departing packets, so that a hop through a discipline is one event instead of two.
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

/// Stations whose decisions are deferred.
#[derive(Debug)]
pub(crate) struct Deferred {
    /// Shortest delay behind any station whose decisions are deferred.
    slack: Duration,
    stations: Vec<u16>,
    /// A timer is pending.
    timed: bool,
}

impl Deferred {
    /// An empty list.
    pub fn new(slack: Duration) -> Self {
        Self { slack, stations: Vec::new(), timed: false }
    }
}

impl<C: Channels<Packet>> Region<C> {
    /// Make the decisions of a station that were due before `until`, in their order.
    #[inline]
    pub(super) fn catch_up(&mut self, station: u16, until: Time) {
        while let Some(due) = self.stations[station].pop_overdue(until) {
            // Without deferral this is the event of the departure.
            self.recorder.counters.events += 1;
            self.serve_next(station, due);
        }
    }

    /// Put a station on the list, if it has a deferred decision from `now` on.
    #[inline]
    pub(super) fn enlist(&mut self, station: u16, now: Time) {
        if self.stations[station].enlist_deferred() {
            self.deferred.stations.push(station);
            if !self.deferred.timed {
                self.set_catch_up(now);
            }
        }
    }

    /// All stations are up to date at `now`.
    fn set_catch_up(&mut self, now: Time) {
        self.deferred.timed = true;
        self.events.set_timer(now + self.deferred.slack, TimerKind::CatchUp, 0, 0);
    }

    /// From now on events may depend on deferred decisions.
    #[cold]
    pub(super) fn on_catch_up(&mut self, now: Time) {
        // Without deferral there is no such event.
        self.recorder.counters.events -= 1;
        self.catch_up_all(now);
        self.deferred.timed = false;
        if !self.deferred.stations.is_empty() {
            self.set_catch_up(now);
        }
    }

    /// Bring all stations up to date: decisions from before `until`.
    pub(super) fn catch_up_all(&mut self, until: Time) {
        if self.deferred.stations.is_empty() {
            return;
        }
        let mut stations = std::mem::take(&mut self.deferred.stations);
        stations.retain(|&station| {
            self.catch_up(station, until);
            self.stations[station].stays_deferred()
        });
        self.deferred.stations = stations;
    }
}
