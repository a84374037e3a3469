//! Reordering: some packets leave the line, and others overtake them.
//!
//! By delay, as `netem` of Linux does with a jitter, or by depth, which [RFC 4737 section 4.2] calls the extent: the packets
//! that arrive before one which was sent earlier.
//!
//! [RFC 4737 section 4.2]: https://www.rfc-editor.org/rfc/rfc4737#section-4.2

use std::collections::VecDeque;

use congestion::{Duration, Time};
use serde::{Deserialize, Serialize};

use crate::kernel::rng::{Draws, Purpose, Streams};
use crate::net::packet::Packet;

/// Packets that others overtake.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ReorderingParameters {
    /// Probability that a packet leaves the line.
    pub probability: f64,
    /// For how long.
    pub by: By,
}

/// Time for which a packet is held.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// A uniform delay from zero to this [s].
    Delay(f64),
    /// Until that many later packets have passed.
    Depth(u64),
}

#[derive(Debug)]
pub(super) struct Reordering {
    parameters: ReorderingParameters,
    draws: Draws<2>,
    /// Packets that have passed in order.
    passed: u64,
    /// Packets held until so many have passed.
    held: VecDeque<(u64, Packet)>,
}

/// What reordering says of a packet that would leave the path at a time.
#[derive(Debug)]
pub(super) enum Turn {
    InOrder,
    At(Time),
    Held,
}

impl Reordering {
    pub fn new(parameters: ReorderingParameters, streams: &Streams, station: u32) -> Self {
        let draws = Draws::of(Purpose::PathOrder, streams, station);
        Self { parameters, draws, passed: 0, held: VecDeque::new() }
    }

    /// Decide on the packet of this number, which would leave the path at `leaves`.
    pub fn judge(&mut self, number: u64, packet: &Packet, leaves: Time) -> Turn {
        if self.draws.uniform(number, 0) >= self.parameters.probability {
            self.passed += 1;
            return Turn::InOrder;
        }
        match self.parameters.by {
            By::Delay(longest) => {
                let delay = Duration::from_seconds(longest * self.draws.uniform(number, 1));
                Turn::At(leaves + delay)
            }
            By::Depth(packets) => {
                self.held.push_back((self.passed + packets, *packet));
                Turn::Held
            }
        }
    }

    /// A packet that enough later ones have passed.
    pub fn release(&mut self) -> Option<Packet> {
        let &(until, packet) = self.held.front()?;
        if until > self.passed {
            return None;
        }
        self.held.pop_front();
        Some(packet)
    }

    /// Every packet held.
    pub fn each(&self, see: &mut dyn FnMut(&Packet)) {
        self.held.iter().for_each(|(_, packet)| see(packet));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of packets in the order in which they leave, of one every microsecond.
    fn order(parameters: ReorderingParameters, packets: u32) -> Vec<u32> {
        let mut reordering = Reordering::new(parameters, &Streams::new(5), 0);
        let mut leaving: Vec<(u64, u32)> = Vec::new();
        for seq in 0..packets {
            let leaves = u64::from(seq) * 1_000_000;
            match reordering.judge(u64::from(seq), &Packet { seq, ..Packet::default() }, Time(leaves)) {
                Turn::InOrder => leaving.push((leaves, seq)),
                Turn::At(time) => leaving.push((time.0, seq)),
                Turn::Held => {}
            }
            leaving.extend(std::iter::from_fn(|| Some((leaves, reordering.release()?.seq))));
        }
        leaving.sort_by_key(|&(time, _)| time);
        leaving.into_iter().map(|(_, seq)| seq).collect()
    }

    /// RFC 4737 section 3.3: a packet is reordered if one that was sent later arrived before it. For each, how many did.
    fn reordered(order: &[u32]) -> Vec<f64> {
        let mut next = 0;
        let mut depths = Vec::new();
        for (at, &seq) in order.iter().enumerate() {
            if seq < next {
                let before = &order[at.saturating_sub(3000)..at];
                depths.push(before.iter().map(|&other| f64::from(u8::from(other > seq))).sum());
            }
            next = next.max(seq);
        }
        depths
    }

    #[test]
    fn as_many_pass_as_the_depth_says() {
        for depth in [1u32, 3, 30] {
            let by = By::Depth(u64::from(depth));
            let depths = reordered(&order(ReorderingParameters { probability: 0.01, by }, 200_000));
            assert!((1850..2150).contains(&depths.len()), "{} of 2000", depths.len());
            assert!(depths.iter().all(|passed| (passed - f64::from(depth)).abs() < 0.5), "{depths:?}");
        }
    }

    /// Of 1000 packets at most, a tenth is late itself: 0.9 x 500 pass, and a third of a half of the others.
    #[test]
    fn a_delay_is_uniform() {
        let by = By::Delay(0.001);
        let depths = reordered(&order(ReorderingParameters { probability: 0.1, by }, 200_000));
        assert!((19_400..20_600).contains(&depths.len()), "{} of 20000", depths.len());
        let mean = depths.iter().sum::<f64>() / f64::from(u32::try_from(depths.len()).expect("few"));
        assert!((mean / 466.7 - 1.0).abs() < 0.02, "{mean}");
    }
}
