//! Timing of ACKs as receivers in Linux have it: delayed ACKs that adapt to gaps, quick ACKs, segments merged on arrival,
//! SACKs compressed (`net/ipv4/tcp_input.c`, `tcp_output.c`).
//!
//! A receiving end has it only where a scenario asks for one of them; others hold each ACK back for a fixed time.

use congestion::{Duration, Time};

use crate::net::packet::Packet;
use crate::tcp::ack_jitter::{AckJitterOptions, JitterQueue};
use crate::tcp::ranges::Pool;
use crate::tcp::receiver::{Receiver, Reply};
use crate::tcp::rtt::{RtoBounds, RttEstimator};

/// Longest time that an ACK is held back (`TCP_DELACK_MAX`).
const DELAY_MAX: Duration = Duration::from_millis(200);

/// Longest time that a SACK is held back (`tcp_comp_sack_delay_ns`).
const COMPRESSION_MAX: Duration = Duration::from_millis(1);

/// SACKs held back at most (`tcp_comp_sack_nr`).
const COMPRESSED_MAX: u32 = 44;

/// ACKs that follow one by one after a mark under the classic echo (`tcp_data_ecn_check`).
const QUICK_AFTER_MARK: u32 = 2;

/// SACKs with one cumulative acknowledgement that leave at once (`TCP_FASTRETRANS_THRESH`).
const UNCOMPRESSED: u32 = 3;

/// Bytes of merged segments, with one header (`GRO_LEGACY_MAX_SIZE`; `skb_gro_receive` takes fewer), and of that header:
/// IP, TCP and time stamps.
const MERGED_BYTES: u32 = 65_536;
const HEADER: u32 = 52;

/// Options of the timing of ACKs; all off by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AckTimingOptions {
    /// The delay adapts to the gaps between segments.
    pub adaptive: bool,
    /// Time for which arrivals are merged; zero merges none.
    pub merging: Duration,
    /// Segments merged at most, where any are.
    pub merged: u32,
    /// Part of the RTT for which SACKs are held back; zero holds none back.
    pub sack_compression: f64,
    /// ACKs that leave late, at random.
    pub jitter: AckJitterOptions,
}

impl AckTimingOptions {
    /// Segments of `smss` bytes that are merged at most.
    #[must_use]
    pub fn merged_max(smss: u32) -> u32 {
        (MERGED_BYTES - 1 - HEADER) / smss.max(1)
    }

    /// Any of them is on.
    #[must_use]
    pub fn is_on(&self) -> bool {
        *self != Self::default()
    }
}

/// Rules of a run that the timing of ACKs goes by.
#[derive(Clone, Copy, Debug)]
pub struct AckRules {
    /// Segments per ACK.
    pub every: u32,
    /// Segments acknowledged one by one, at first and again in quick-ACK mode.
    pub quick: u32,
    /// Time an ACK is held back, the least one where it adapts (`TCP_DELACK_MIN`).
    pub delay: Duration,
    /// Timing of ACKs.
    pub timing: AckTimingOptions,
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
    rto: Duration,
    /// Time for which ACKs are held back (`ato`).
    ato: Duration,
    /// ACKs left of quick-ACK mode.
    quick: u32,
    /// Arrival of the latest segment in order.
    last_data: Time,
    /// Arrivals are being merged.
    merging: bool,
    /// Cumulative acknowledgement of the SACKs counted in `sacks`.
    sacks_at: u32,
    sacks: u32,
    compressed: u32,
    compressed_until: Time,
    delayed_until: Time,
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
            rto: Duration::ZERO,
            ato: rules.delay,
            quick: rules.quick,
            last_data: Time::NEVER,
            merging: false,
            sacks_at: 0,
            sacks: 0,
            compressed: 0,
            compressed_until: Time::NEVER,
            delayed_until: Time::NEVER,
            pending: None,
            jittered: JitterQueue::default(),
            timer_at: Time::NEVER,
        }
    }

    /// Take in a data segment that arrives at `now`; the ACKs to send at once. `receiver.due` is when the next one is.
    #[cold]
    pub fn on_data<H>(
        &mut self,
        receiver: &mut Receiver<H>,
        packet: &Packet,
        rules: &AckRules,
        bounds: &RtoBounds,
        pool: &mut Pool,
        now: Time,
    ) -> Replies {
        if self.rtt == Duration::ZERO {
            self.rtt = now.since(self.opened).max(Duration(1));
            self.rto = RttEstimator::of_handshake(self.rtt, bounds).0.rto();
        }
        let (splits, urgent) =
            (receiver.ecn.splits(packet, receiver.next), receiver.ecn.hurries(packet, receiver.next));
        let before = receiver.before(packet).or(self.pending.filter(|_| splits));
        let mut replies = [before.map(|reply| self.sent(reply, rules)), None, None];
        let in_order = packet.seq == receiver.next;
        if self.merging && !in_order {
            // What cannot be merged ends the merging.
            replies[1] = self.end_merging(receiver, rules, now);
        }
        if in_order {
            replies[1] = self.pending.map(|pending| self.sent(pending, rules));
        }
        let demanded_cwr = receiver.ecn.demands_cwr() && !packet.is_cwr();
        let mut unreported = receiver.ecn;
        unreported.on_data(packet, receiver.next);
        let mut answer = receiver.on_data(packet, u32::MAX, pool);
        if in_order {
            self.adapt(rules, now);
        }
        // "Better not delay acks, sender can have a very low cwnd": the first mark until CWR.
        if packet.is_ce() && receiver.ecn.demands_cwr() && !demanded_cwr {
            self.enter_quick_acks(QUICK_AFTER_MARK, rules);
        }
        if in_order {
            // `tcp_ecn_accept_cwr`: the window behind CWR may be one segment.
            if packet.is_cwr() && rules.timing.adaptive {
                answer = answer.or_else(|| Some(receiver.reply()));
            }
            replies[2] = match answer {
                Some(reply) => Some(self.sent(reply, rules)),
                None => self.hold(receiver, rules, now),
            };
        } else if let Some(reply) = answer {
            // A mark that may not wait for its ACK (`ICSK_ACK_NOW`) does not wait for its SACK.
            replies[2] = if !urgent && self.compresses(&reply, rules) {
                receiver.ecn = unreported;
                self.compress(receiver, reply, rules, now)
            } else {
                let other = self.other_block(&reply).map(|other| self.sent(other, rules));
                replies[1] = replies[1].or(other);
                Some(self.sent(reply, rules))
            };
        }
        replies
    }

    /// Serve the time at which an ACK is due.
    pub fn on_due<H>(&mut self, receiver: &mut Receiver<H>, rules: &AckRules, now: Time) -> Option<Reply> {
        if let Some(pending) = self.pending {
            receiver.due = Time::NEVER;
            return Some(self.sent(Reply { flags: receiver.ecn.acknowledge(), ..pending }, rules));
        }
        if self.merging {
            return self.end_merging(receiver, rules, now);
        }
        if rules.timing.adaptive {
            // An ACK that waited in vain: the next waits longer (`tcp_delack_timer_handler`).
            self.ato = (self.ato * 2).min(self.rto);
        }
        Some(self.sent(receiver.reply(), rules))
    }

    /// Merge a segment in order with the next ones, or decide on its ACK.
    fn hold<H>(&mut self, receiver: &mut Receiver<H>, rules: &AckRules, now: Time) -> Option<Reply> {
        if rules.timing.merging == Duration::ZERO || receiver.held >= rules.timing.merged {
            return self.end_merging(receiver, rules, now);
        }
        if !self.merging {
            self.merging = true;
            receiver.due = self.delayed_until.min(now + rules.timing.merging);
        }
        None
    }

    /// Acknowledge what is held back, or put that off.
    fn end_merging<H>(&mut self, receiver: &mut Receiver<H>, rules: &AckRules, now: Time) -> Option<Reply> {
        self.merging = false;
        if receiver.held >= rules.every || self.quick > 0 {
            return Some(self.sent(receiver.reply(), rules));
        }
        self.delayed_until = self.delayed_until.min(now + self.delay(rules));
        receiver.due = self.delayed_until;
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
        let other = self.other_block(&reply).map(|other| self.sent(other, rules));
        if self.pending.is_none() {
            let part = rules.timing.sack_compression * self.rtt.seconds();
            self.compressed_until = now + Duration::from_seconds(part).min(COMPRESSION_MAX);
        }
        self.pending = Some(reply);
        self.compressed += 1;
        receiver.due = self.compressed_until;
        other
    }

    /// Adapt the delay to a segment in order (`tcp_event_data_recv`).
    fn adapt(&mut self, rules: &AckRules, now: Time) {
        let least = rules.delay;
        if rules.timing.adaptive && self.last_data != Time::NEVER {
            let gap = now.since(self.last_data);
            if gap <= least / 2 {
                self.ato = self.ato / 2 + least / 2;
            } else if gap < self.ato {
                self.ato = self.ato / 2 + gap;
                self.ato = self.ato.min(self.rto);
            } else if gap > self.rto {
                self.quick = self.quick.max(rules.quick);
            }
        }
        self.last_data = now;
    }

    /// Begin quick-ACK mode (`tcp_enter_quickack_mode`).
    fn enter_quick_acks(&mut self, acks: u32, rules: &AckRules) {
        if rules.timing.adaptive {
            (self.quick, self.ato) = (self.quick.max(acks), rules.delay);
        }
    }

    /// Time for which an ACK is held back now (`tcp_send_delayed_ack`).
    fn delay(&self, rules: &AckRules) -> Duration {
        if !rules.timing.adaptive || self.ato <= rules.delay {
            return rules.delay;
        }
        self.ato.min(self.rtt.max(rules.delay)).min(DELAY_MAX.max(rules.delay))
    }

    /// Count an ACK that leaves (`tcp_event_ack_sent`).
    fn sent(&mut self, reply: Reply, rules: &AckRules) -> Reply {
        (self.merging, self.compressed, self.pending) = (false, 0, None);
        self.delayed_until = Time::NEVER;
        if self.quick > 0 {
            self.quick -= 1;
            if self.quick == 0 {
                self.ato = rules.delay;
            }
        }
        reply
    }

    /// Hold an ACK of a segment out of order back (`__tcp_ack_snd_check`); not one of a segment that had arrived before,
    /// which begins quick-ACK mode (`tcp_enter_quickack_mode`).
    fn compresses(&mut self, reply: &Reply, rules: &AckRules) -> bool {
        if reply.duplicate {
            self.enter_quick_acks(rules.quick, rules);
            return false;
        }
        if rules.timing.sack_compression == 0.0 || self.quick > 0 || self.compressed >= COMPRESSED_MAX {
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
