//! Winner tree over the head times of the channels of a region.

/// Smallest (time, channel) of a fixed set of channels.
///
/// Time and channel share one 64-bit word, the channel in the low bits, so a comparison of words is a
/// comparison of the total order.
#[derive(Debug)]
pub struct WinnerTree {
    nodes: Vec<u64>,
    leaves: usize,
    bits: u32,
}

impl WinnerTree {
    /// A tree over `channels` idle channels.
    #[must_use]
    pub fn new(channels: usize) -> Self {
        let leaves = channels.next_power_of_two().max(2);
        Self { nodes: vec![u64::MAX; 2 * leaves], leaves, bits: leaves.trailing_zeros() }
    }

    /// Latest time that fits beside the channel number [ps].
    #[must_use]
    pub fn horizon(channels: usize) -> u64 {
        (u64::MAX >> channels.next_power_of_two().max(2).trailing_zeros()) - 1
    }

    /// The earliest head time and its channel; time is above every horizon if all channels are idle.
    #[must_use]
    #[inline]
    pub fn first(&self) -> (u64, usize) {
        let word = self.nodes[1];
        #[expect(clippy::cast_possible_truncation, reason = "masked to the number of leaves")]
        let channel = word as usize & (self.leaves - 1);
        (word >> self.bits, channel)
    }

    /// Channel `channel` now has its head at `time`; `u64::MAX` means idle.
    #[inline]
    pub fn set(&mut self, channel: usize, time: u64) {
        let mut at = self.leaves + channel;
        // A time beyond the horizon is beyond the end of the run and never reached.
        let mut word = if time > u64::MAX >> self.bits { u64::MAX } else { (time << self.bits) | channel as u64 };
        self.nodes[at] = word;
        while at > 1 {
            word = word.min(self.nodes[at ^ 1]);
            at >>= 1;
            if self.nodes[at] == word {
                return;
            }
            self.nodes[at] = word;
        }
    }
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
            let mut heads = vec![u64::MAX; channels];
            for (channel, time) in changes {
                let channel = channel % channels;
                heads[channel] = time.unwrap_or(u64::MAX);
                tree.set(channel, heads[channel]);
                let (at, least) = heads.iter().enumerate().min_by_key(|&(i, &t)| (t, i)).unwrap_or((0, &0));
                if *least == u64::MAX {
                    prop_assert!(tree.first().0 > WinnerTree::horizon(channels));
                } else {
                    prop_assert_eq!(tree.first(), (*least, at));
                }
            }
        }
    }
}
