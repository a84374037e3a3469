//! Round-trip times that Copa needs: standing, least and largest.

use std::collections::VecDeque;

use crate::control::Flow;
use crate::filters::MinFilter;
use crate::units::{Duration, PS_PER_S, Time};

/// The queue counts as nearly empty below this part of the delay oscillations.
const NEARLY_EMPTY: f64 = 0.1;

/// RTT samples over several spans of time.
#[derive(Debug)]
pub(super) struct Rtts {
    /// Samples of the last half smoothed RTT that could still become its smallest, in rising order.
    recent: VecDeque<(Time, Duration)>,
    long: MinFilter,
    /// Largest samples of the running round trip and of the four before.
    largest: [Duration; 5],
}

impl Rtts {
    /// Slots of the long-term minimum.
    const SLOTS: u64 = 10;

    /// The long-term minimum covers so many seconds.
    pub fn new(min_rtt_window: f64) -> Self {
        let slot = Duration(Duration::from_seconds(min_rtt_window).0 / Self::SLOTS);
        let long = MinFilter::new(slot.max(Duration(PS_PER_S / 1000)), 10);
        Self { recent: VecDeque::new(), long, largest: [Duration::ZERO; 5] }
    }

    pub fn add(&mut self, rtt: Duration, flow: &Flow) {
        self.long.add(rtt, flow.now);
        self.largest[0] = self.largest[0].max(rtt);
        while self.recent.back().is_some_and(|&(_, last)| last >= rtt) {
            self.recent.pop_back();
        }
        self.recent.push_back((flow.now, rtt));
        let span = Duration(flow.srtt.0 / 2);
        while self.recent.len() > 1 && flow.now.since(self.recent[0].0) > span {
            self.recent.pop_front();
        }
    }

    /// Time in which nothing was sent is part of the long term, too.
    pub fn pass(&mut self, idle: Duration) {
        self.long.pass(idle);
    }

    pub fn end_round(&mut self) {
        self.largest.rotate_right(1);
        self.largest[0] = Duration::ZERO;
    }

    /// The smallest RTT of the last half smoothed RTT.
    pub fn standing(&self) -> Option<Duration> {
        self.recent.front().map(|&(_, rtt)| rtt)
    }

    /// The smallest RTT in the long term.
    pub fn least(&self) -> Option<Duration> {
        self.long.min()
    }

    /// True if the queueing delay is below a tenth of the oscillations of four round trips.
    pub fn is_nearly_empty(&self) -> bool {
        let (Some(standing), Some(least)) = (self.standing(), self.least()) else { return true };
        let largest = self.largest.iter().max().copied().unwrap_or_default();
        let queueing = (standing - least).seconds();
        queueing == 0.0 || queueing < NEARLY_EMPTY * (largest - least).seconds()
    }
}
