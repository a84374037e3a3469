//! Delay lines that packets leave regions by.

use congestion::Duration;

/// A delay line that packets of a region leave into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Region at its end.
    pub region: u16,
    /// Channel there.
    pub channel: u16,
    /// Its delay.
    pub delay: Duration,
}

/// An exit of ACKs that travel with propagation delay only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckExit {
    /// Region of their senders.
    pub region: u16,
    /// Delay of the way back.
    pub delay: Duration,
    /// Number of the exit.
    pub exit: u16,
}

/// Exits of all regions.
#[derive(Clone, Debug, Default)]
pub struct Exits {
    /// Delay lines leaving each region.
    pub lines: Vec<Vec<Exit>>,
    /// Per region, exits of ACKs that travel with propagation delay only, sorted by (region, delay).
    pub acks: Vec<Vec<AckExit>>,
    /// Per region, the exit of `Release` messages to each region.
    pub releases: Vec<Vec<u16>>,
}

impl Exits {
    /// The exit of ACKs from region `from` to region `to` with this delay.
    pub fn ack(&self, from: u16, to: u16, delay: Duration) -> u16 {
        let exits = &self.acks[usize::from(from)];
        let at = exits.partition_point(|exit| (exit.region, exit.delay) < (to, delay));
        exits[at].exit
    }

    /// Delay lines between two regions, each with the region that it leaves.
    pub fn between_regions(&self) -> impl Iterator<Item = (usize, &Exit)> {
        let lines = self.lines.iter().enumerate();
        let all = lines.flat_map(|(from, exits)| exits.iter().map(move |exit| (from, exit)));
        all.filter(|&(from, exit)| usize::from(exit.region) != from)
    }
}
