//! Time order and randomness: channels, the tree over their heads, timers, named random streams.
//!
//! A *channel* is a FIFO of packets whose times never go back: a queue (the output of a station, an interface) or
//! a line (a link with its propagation delay). The future-event set of a region is one key per channel, so no packet
//! ever enters a heap. Events happen in the order (time, channel, sequence within the channel).

pub mod channels;
pub mod line;
pub mod prefetch;
pub mod ring;
pub mod rng;
pub mod timers;
pub mod tree;
