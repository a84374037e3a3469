//! Time order and randomness: channels, the tree over their heads, timers, named random streams.
//!
//! A *channel* is a FIFO of packets whose times never go back: a queue (the output of a station, an interface) or
//! a line (a link with its propagation delay). The future-event set of a region is one key per channel, so no packet
//! ever enters a heap. Events happen in the order (time, channel, sequence within the channel).
//!
//! The kernel knows of a packet that it is [`Timed`] and nothing else.

use congestion::Time;

pub mod channels;
pub mod distribution;
pub mod fifo;
pub mod line;
pub mod prefetch;
pub mod ring;
pub mod rng;
pub mod timers;
pub mod tree;

/// An entry of a channel: a packet, which is an event at its time.
pub trait Timed: Copy + Default + Send + 'static {
    /// When it leaves the channel.
    fn time(&self) -> Time;
}

#[cfg(test)]
mod item {
    use super::{Time, Timed};

    /// The least that a channel may hold: a time, and a number to tell items apart.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Item {
        pub time: Time,
        pub number: u32,
    }

    impl Timed for Item {
        fn time(&self) -> Time {
            self.time
        }
    }
}
