//! Timing of ACKs where SACKs are compressed, as receivers in Linux do it (`net/ipv4/tcp_input.c`), or hosts are late.
//!
//! A receiving end has it only where a scenario asks for one of them.

use congestion::{Duration, Time};

use crate::net::packet::{self, Packet};
use crate::tcp::ack_delay::with_delays;
use crate::tcp::ack_jitter::{AckJitterOptions, JitterQueue};
use crate::tcp::ranges::Pool;
use crate::tcp::receiver::{Receiver, Reply};

/// Longest time that a SACK is held back (`tcp_comp_sack_delay_ns`).
const COMPRESSION_MAX: Duration = Duration::from_millis(1);

/// SACKs held back at most (`tcp_comp_sack_nr`).
const COMPRESSED_MAX: u32 = 44;

/// SACKs with one cumulative acknowledgement that leave at once (`TCP_FASTRETRANS_THRESH`).
const UNCOMPRESSED: u32 = 3;

/// Options of the timing of ACKs; all off by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AckTimingOptions {
    /// Part of the RTT for which SACKs are held back; zero holds none back.
    pub sack_compression: f64,
    /// ACKs that leave late, at random.
    pub jitter: AckJitterOptions,
    /// ACKs are of the latest segment, and report how long they were held back (RFC 9000 section 13.2).
    pub reports_delay: bool,
}

impl AckTimingOptions {
    /// Any of them is on.
    #[must_use]
    pub fn is_on(&self) -> bool {
        *self != Self::default()
    }

    /// Segments in order are left alone while nothing is held back.
    #[must_use]
    pub fn rests(&self) -> bool {
        !self.jitter.is_on() && !self.reports_delay
    }
}

/// Rules of a run that the timing of ACKs goes by.
#[derive(Clone, Copy, Debug)]
pub struct AckRules {
    /// Segments per ACK.
    pub every: u32,
    /// ACKs that follow one by one at first.
    pub quick: u32,
    /// Time an ACK is held back.
    pub delay: Duration,
    /// Timing of ACKs.
    pub timing: AckTimingOptions,
}

impl AckRules {
    /// A reply that leaves at `now`, with its delays if they are reported.
    fn reported(&self, reply: Reply, now: Time) -> Reply {
        if self.timing.reports_delay { with_delays(reply, now) } else { reply }
    }
}

/// ACKs that leave when a segment arrives, in order.
pub type Replies = [Option<Reply>; 3];

/// Timing of the ACKs of one receiving end.
#[derive(Clone, Debug)]
pub struct AckTiming {
    /// Arrival of the SYN.
    opened: Time,
    /// RTT of the handshake, as the receiver sees it; zero before the first segment.
    rtt: Duration,
    /// ACKs left of those that follow one by one.
    quick: u32,
    /// Cumulative acknowledgement of the SACKs counted in `sacks`.
    sacks_at: u32,
    sacks: u32,
    compressed: u32,
    compressed_until: Time,
    /// SACK held back.
    pending: Option<Reply>,
    /// ACKs that are ready to leave.
    pub jittered: JitterQueue,
    /// Time of the timer that counts.
    pub timer_at: Time,
}

impl AckTiming {
    /// Timing of a connection whose SYN arrives.
    #[must_use]
    pub fn new(rules: &AckRules, now: Time) -> Self {
        Self {
            opened: now,
            rtt: Duration::ZERO,
            quick: rules.quick,
            sacks_at: 0,
            sacks: 0,
            compressed: 0,
            compressed_until: Time::NEVER,
            pending: None,
            jittered: JitterQueue::default(),
            timer_at: Time::NEVER,
        }
    }

    /// Nothing is held back, and ACKs follow one by one no longer.
    #[must_use]
    pub fn rests(&self) -> bool {
        self.rtt != Duration::ZERO && self.quick == 0 && self.pending.is_none()
    }

    /// Take in a data segment that arrives at `now`; the ACKs to send at once. `receiver.due` is when the next one is.
    #[cold]
    pub fn on_data<H>(
        &mut self,
        receiver: &mut Receiver<H>,
        packet: &Packet,
        rules: &AckRules,
        pool: &mut Pool,
        now: Time,
    ) -> Replies {
        if self.rtt == Duration::ZERO {
            self.rtt = now.since(self.opened).max(Duration(1));
        }
        let (splits, urgent) =
            (receiver.ecn.splits(packet, receiver.next), receiver.ecn.hurries(packet, receiver.next));
        let before = receiver.before(packet).or(self.pending.filter(|_| splits));
        let mut replies = [before.map(|reply| self.sent(reply)), None, None];
        let in_order = packet.seq == receiver.next;
        if in_order {
            replies[1] = self.pending.map(|pending| self.sent(pending));
        }
        if rules.timing.reports_delay {
            (receiver.held_stamp, receiver.held_arrival) = (packet.stamp, packet::stamp(packet.time));
        }
        let mut unreported = receiver.ecn;
        unreported.on_data(packet, receiver.next);
        let answer = receiver.on_data(packet, u32::MAX, pool);
        if in_order {
            replies[2] = match answer {
                Some(reply) => Some(self.sent(reply)),
                None => self.hold(receiver, rules, now),
            };
        } else if let Some(reply) = answer {
            // A mark that may not wait for its ACK (`ICSK_ACK_NOW`) does not wait for its SACK.
            replies[2] = if !urgent && self.compresses(&reply, rules) {
                receiver.ecn = unreported;
                self.compress(receiver, reply, rules, now)
            } else {
                replies[1] = self.other_block(&reply).map(|other| self.sent(other));
                Some(self.sent(reply))
            };
        }
        replies.map(|reply| reply.map(|reply| rules.reported(reply, now)))
    }

    /// Serve the time at which an ACK is due.
    pub fn on_due<H>(&mut self, receiver: &mut Receiver<H>, rules: &AckRules, now: Time) -> Reply {
        let reply = match self.pending {
            Some(pending) => {
                receiver.due = Time::NEVER;
                Reply { flags: receiver.ecn.acknowledge(), ..pending }
            }
            None => receiver.reply(),
        };
        rules.reported(self.sent(reply), now)
    }

    /// Acknowledge segments in order, or put that off.
    fn hold<H>(&mut self, receiver: &mut Receiver<H>, rules: &AckRules, now: Time) -> Option<Reply> {
        if receiver.held >= rules.every || self.quick > 0 {
            return Some(self.sent(receiver.reply()));
        }
        receiver.due = receiver.due.min(now + rules.delay);
        None
    }

    /// Hold a SACK back; the one that was held back for another block leaves, as an ACK has room for one block.
    fn compress<H>(
        &mut self,
        receiver: &mut Receiver<H>,
        reply: Reply,
        rules: &AckRules,
        now: Time,
    ) -> Option<Reply> {
        let other = self.other_block(&reply).map(|other| self.sent(other));
        if self.pending.is_none() {
            let part = rules.timing.sack_compression * self.rtt.seconds();
            self.compressed_until = now + Duration::from_seconds(part).min(COMPRESSION_MAX);
        }
        self.pending = Some(reply);
        self.compressed += 1;
        receiver.due = self.compressed_until;
        other
    }

    /// Count an ACK that leaves (`tcp_event_ack_sent`).
    fn sent(&mut self, reply: Reply) -> Reply {
        (self.compressed, self.pending) = (0, None);
        self.quick = self.quick.saturating_sub(1);
        reply
    }

    /// Hold an ACK of a segment out of order back (`__tcp_ack_snd_check`); not one of a segment that had arrived before.
    fn compresses(&mut self, reply: &Reply, rules: &AckRules) -> bool {
        let is_off = rules.timing.sack_compression == 0.0;
        if reply.duplicate || is_off || self.quick > 0 || self.compressed >= COMPRESSED_MAX {
            return false;
        }
        if self.sacks_at != reply.next {
            (self.sacks_at, self.sacks) = (reply.next, 0);
        }
        self.sacks += 1;
        self.sacks > UNCOMPRESSED
    }

    /// The SACK that is held back, where it is of another block than `reply`. An ACK here has room for one block, where
    /// those of Linux have both.
    fn other_block(&self, reply: &Reply) -> Option<Reply> {
        let start = |reply: &Reply| reply.report.sack_block().map(|(start, _)| start);
        self.pending.filter(|pending| start(pending) != start(reply))
    }
}

#[cfg(test)]
mod tests;
