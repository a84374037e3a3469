//! Winner tree over the head times of the channels of a region.

use congestion::Time;

/// Channels for which the tree has a fixed size, so that its walks need no bounds checks.
const FEW: usize = 64;

/// Smallest (time, channel) of a fixed set of channels.
///
/// Time and channel share one 64-bit word, the channel in the low bits, so a comparison of words is a
/// comparison of the total order; such words stay within the tree. A change walks from its leaf to the root without an early exit: the
/// walk's length is then always the same, which costs less than a branch that cannot be predicted.
#[derive(Debug)]
pub struct WinnerTree {
    nodes: Nodes,
    bits: u32,
}

#[derive(Debug)]
enum Nodes {
    Few(Box<[u64; 2 * FEW]>),
    Many(Vec<u64>),
}

impl WinnerTree {
    /// A tree over `channels` idle channels.
    pub fn new(channels: usize) -> Self {
        let leaves = Self::leaves(channels);
        let nodes = if leaves == FEW {
            Nodes::Few(Box::new([u64::MAX; 2 * FEW]))
        } else {
            Nodes::Many(vec![u64::MAX; 2 * leaves])
        };
        Self { nodes, bits: leaves.trailing_zeros() }
    }

    fn leaves(channels: usize) -> usize {
        channels.next_power_of_two().max(FEW)
    }

    /// Latest time that fits beside the channel number.
    pub fn horizon(channels: usize) -> Time {
        Time((u64::MAX >> Self::leaves(channels).trailing_zeros()) - 1)
    }

    /// The earliest head time and its channel; time is above every horizon if all channels are idle.
    #[inline]
    pub fn first(&self) -> (Time, usize) {
        match &self.nodes {
            Nodes::Few(nodes) => split(nodes[1], FEW.trailing_zeros()),
            Nodes::Many(nodes) => split(nodes[1], self.bits),
        }
    }

    /// Channel `channel` now has its head at `time`; [`Time::NEVER`] means idle.
    #[inline]
    pub fn set(&mut self, channel: usize, time: Time) {
        self.walk(channel, time);
    }

    /// [`WinnerTree::set`] where the caller shall have a copy of its own.
    #[expect(clippy::inline_always, reason = "a copy per kind of event, whose branches are predicted apart")]
    #[inline(always)]
    pub fn walk(&mut self, channel: usize, time: Time) {
        match &mut self.nodes {
            Nodes::Few(nodes) => {
                let mut least = join(time, channel, FEW.trailing_zeros());
                let mut at = FEW + (channel & (FEW - 1));
                nodes[at] = least;
                for _ in 0..FEW.trailing_zeros() {
                    least = least.min(nodes[(at ^ 1) & (2 * FEW - 1)]);
                    at >>= 1;
                    nodes[at & (2 * FEW - 1)] = least;
                }
            }
            Nodes::Many(nodes) => {
                let mut least = join(time, channel, self.bits);
                let mut at = (1 << self.bits) + channel;
                nodes[at] = least;
                while at > 1 {
                    least = least.min(nodes[at ^ 1]);
                    at >>= 1;
                    nodes[at] = least;
                }
            }
        }
    }
}

#[inline]
fn join(time: Time, channel: usize, bits: u32) -> u64 {
    // A time beyond the horizon is beyond the end of the run and never reached.
    (time.0.min(u64::MAX >> bits) << bits) | channel as u64
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "masked to the number of leaves")]
fn split(word: u64, bits: u32) -> (Time, usize) {
    (Time(word >> bits), word as usize & ((1 << bits) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn first_is_the_minimum_with_ties_to_the_lower_channel(
            channels in 1usize..70,
            changes in prop::collection::vec((0usize..70, prop::option::of(0u64..20)), 1..100),
        ) {
            let mut tree = WinnerTree::new(channels);
            let mut heads = vec![Time::NEVER; channels];
            for (channel, time) in changes {
                let channel = channel % channels;
                heads[channel] = time.map_or(Time::NEVER, Time);
                tree.set(channel, heads[channel]);
                let (at, least) = heads.iter().enumerate().min_by_key(|&(i, &t)| (t, i)).unwrap_or((0, &Time::ZERO));
                if *least == Time::NEVER {
                    prop_assert!(tree.first().0 > WinnerTree::horizon(channels));
                } else {
                    prop_assert_eq!(tree.first(), (*least, at));
                }
            }
        }
    }
}
