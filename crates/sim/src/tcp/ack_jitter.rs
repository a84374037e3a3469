//! ACKs that a receiving host sends late, at random.
//!
//! Hosts do not answer at once: interrupts, timers and other work delay them, and what waits behind a late ACK leaves with
//! it. So ACKs are compressed (Zhang, Shenker and Clark 1991), which controllers that measure rates take for a faster path.

use std::collections::VecDeque;

use congestion::{Duration, Time};

use crate::kernel::rng::{Purpose, Streams, uniform};
use crate::tcp::receiver::Reply;

/// Draws that a connection has for itself before those of the source's next one begin: half a million.
const DRAWS: u32 = 16;

/// Random delays of ACKs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AckJitterOptions {
    /// Longest delay; zero is none.
    pub limit: Duration,
    /// Part of the ACKs that are late.
    pub share: f64,
}

impl AckJitterOptions {
    /// ACKs may be late.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.limit > Duration::ZERO
    }

    /// Delay of an ACK by a number in [0, 1): uniform up to the limit below the share, none above.
    fn delay(&self, uniform: f64) -> Duration {
        if uniform < self.share {
            Duration::from_seconds(self.limit.seconds() * uniform / self.share)
        } else {
            Duration::ZERO
        }
    }
}

/// ACKs of a connection that wait, in their order.
#[derive(Clone, Debug, Default)]
pub struct JitterQueue {
    waiting: VecDeque<(Time, Reply)>,
    /// ACKs so far.
    count: u32,
}

impl JitterQueue {
    /// Random number of the next ACK of a transfer of `source`: whatever was drawn before, an ACK has the same.
    pub fn draw(&mut self, streams: &Streams, source: u32, cycle: u16) -> f64 {
        let index = (u32::from(cycle) << DRAWS).wrapping_add(self.count / 8);
        let block = streams.block(Purpose::AckJitter, source, index);
        let at = self.count % 8;
        self.count = self.count.wrapping_add(1);
        uniform(block[at as usize])
    }

    /// Hold an ACK back for as long as `uniform` says, and until those before it have left; the ACK, if it leaves now.
    pub fn hold(
        &mut self,
        reply: Reply,
        options: &AckJitterOptions,
        uniform: f64,
        now: Time,
    ) -> Option<Reply> {
        let before = self.waiting.back().map_or(now, |&(leaves, _)| leaves);
        let leaves = before.max(now + options.delay(uniform));
        if leaves <= now && self.waiting.is_empty() {
            return Some(reply);
        }
        self.waiting.push_back((leaves, reply));
        None
    }

    /// The next ACK that has waited long enough.
    pub fn release(&mut self, now: Time) -> Option<Reply> {
        if self.next() > now {
            return None;
        }
        self.waiting.pop_front().map(|(_, reply)| reply)
    }

    /// Time at which the next ACK leaves.
    #[must_use]
    pub fn next(&self) -> Time {
        self.waiting.front().map_or(Time::NEVER, |&(leaves, _)| leaves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ecn::AckFlags;
    use crate::net::packet::Report;

    const OPTIONS: AckJitterOptions = AckJitterOptions { limit: Duration::from_millis(10), share: 0.5 };

    fn ack(next: u32) -> Reply {
        Reply { next, stamp: 0, report: Report::arrival(0), flags: AckFlags::default(), duplicate: false }
    }

    #[test]
    fn what_comes_behind_a_late_ack_leaves_with_it() {
        let mut queue = JitterQueue::default();
        let at = |ms: u64| Time::ZERO + Duration::from_millis(ms);
        assert_eq!(queue.hold(ack(1), &OPTIONS, 0.9, at(1)), Some(ack(1)), "above the share");
        assert_eq!(queue.hold(ack(2), &OPTIONS, 0.25, at(2)), None, "5 ms");
        assert_eq!(queue.hold(ack(3), &OPTIONS, 0.9, at(4)), None, "behind the one before");
        assert_eq!(queue.hold(ack(4), &OPTIONS, 0.4, at(4)), None, "8 ms");
        assert_eq!((queue.next(), queue.release(at(6))), (at(7), None));
        assert_eq!(
            [queue.release(at(7)), queue.release(at(7)), queue.release(at(7))],
            [Some(ack(2)), Some(ack(3)), None]
        );
        assert_eq!((queue.next(), queue.release(at(12))), (at(12), Some(ack(4))));
        assert_eq!((queue.next(), queue.release(at(99))), (Time::NEVER, None));
    }

    #[test]
    fn draws_go_by_source_transfer_and_number() {
        let streams = Streams::new(7);
        let draws = |source: u32, cycle: u16| {
            let mut queue = JitterQueue::default();
            (0..20).map(|_| queue.draw(&streams, source, cycle)).collect::<Vec<_>>()
        };
        let all = [draws(1, 0), draws(1, 1), draws(2, 0)].concat();
        assert_eq!(draws(1, 0), draws(1, 0));
        assert!(all.iter().enumerate().all(|(at, draw)| !all[..at].contains(draw)));
    }

    /// A block of random numbers serves eight ACKs, one number each.
    #[test]
    fn eight_acks_share_a_block() {
        assert!(OPTIONS.is_on() && !AckJitterOptions::default().is_on());
        let streams = Streams::new(7);
        let mut queue = JitterQueue::default();
        for ack in 0..24 {
            let block = streams.block(Purpose::AckJitter, 3, (2 << DRAWS) + ack / 8);
            let expected = uniform(block[ack as usize % 8]);
            assert_eq!(queue.draw(&streams, 3, 2).to_bits(), expected.to_bits(), "{ack}");
        }
    }
}
