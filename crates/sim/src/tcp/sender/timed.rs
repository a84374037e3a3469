//! The sender with loss detection by time and probes of lost tails: RACK-TLP, RFC 8985.
//! <https://www.rfc-editor.org/rfc/rfc8985>

use congestion::CongestionEvent;

use super::{Episode, Mechanism, Sender};
use crate::measure::counters::Counters;
use crate::net::packet::{Kind, Packet};
use crate::tcp::rack::Rack;
use crate::tcp::ranges::Pool;

/// What such a sender remembers beyond others.
#[derive(Clone, Debug)]
pub(super) struct Timed {
    pub rack: Rack,
    /// Lost segments of which the controller has not been told.
    pub untold: u32,
    /// When a probe is due if nothing is acknowledged before [ps]; `u64::MAX` if none is.
    probe_at: u64,
    /// The next segment to be sent is the probe.
    probing: bool,
    /// A probe is under way.
    probe: Option<Probe>,
}

/// A probe: a new segment, or the last one again.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// One past the last segment when it was sent.
    end: u32,
    again: bool,
}

impl Default for Timed {
    fn default() -> Self {
        Self { rack: Rack::default(), untold: 0, probe_at: u64::MAX, probing: false, probe: None }
    }
}

impl Timed {
    pub fn memory(&self) -> usize {
        size_of::<Self>() - size_of::<Rack>() + self.rack.memory()
    }

    /// When something is due [ps].
    pub fn deadline(&self) -> u64 {
        self.rack.wait_until.min(self.probe_at)
    }

    pub fn on_timeout(&mut self, now: u64) {
        self.rack.on_timeout(now);
        self.untold = 0;
        self.give_up_probe();
    }

    pub fn give_up_probe(&mut self) {
        (self.probe_at, self.probing, self.probe) = (u64::MAX, false, None);
    }
}

impl Sender {
    /// [`Sender::take`]: also when segments that the ACK newly reports were sent.
    pub(super) fn take_timed(
        &mut self,
        ack: &Packet,
        now: u64,
        pool: &mut Pool,
        counters: &mut Counters,
    ) -> u32 {
        let Some(timed) = &mut self.timed else { return 0 };
        let mut delivered = 0;
        let una = self.una;
        if ack.seq > una {
            let known = self.board.as_mut().map_or(0, |board| board.remove_below(ack.seq));
            delivered += ack.seq - una - known;
            timed.rack.acknowledge(ack.seq, ack.stamp, now);
            self.una = ack.seq;
        } else if ack.seq == una && self.next > una {
            counters.duplicate_acks += 1;
        }
        if let Some((start, end)) = ack.sack_block()
            && end > self.una
        {
            let start = start.max(self.una);
            let board = self.board.get_or_insert_with(|| pool.pop().unwrap_or_default());
            let mut from = start;
            while let Some(segment) = board.first_hole(from, end) {
                timed.rack.deliver(segment, ack.stamp, now);
                from = segment + 1;
            }
            delivered += board.insert(start, end, 0).0;
        }
        if delivered > 0 && timed.probing {
            (timed.probing, self.force) = (false, false);
        }
        delivered
    }

    /// [`Sender::detect_losses`]: by time, and of the tail by what became of a probe.
    pub(super) fn detect_timed(&mut self, now: u64, mechanism: &Mechanism) -> u32 {
        let sacked = self.board.as_ref().map_or(0, |board| board.count());
        let certain = self.episode != Episode::Open || sacked >= mechanism.dup_thresh;
        let Some(timed) = &mut self.timed else { return 0 };
        let patience = timed.rack.patience(certain, self.rtt.min, self.rtt.srtt);
        timed.rack.detect(now, patience) + std::mem::take(&mut timed.untold)
    }

    /// A lost tail that only the probe has repaired is a loss, though none is left to be repaired: the controller
    /// hears of a whole episode (section 7.4.2). `una` is what was acknowledged before this ACK.
    pub(super) fn hear_of_probe(
        &mut self,
        ack: &Packet,
        una: u32,
        now: u64,
        mechanism: &Mechanism,
        counters: &mut Counters,
    ) -> u32 {
        let Some(timed) = &mut self.timed else { return 0 };
        let Some(probe) = timed.probe.filter(|probe| ack.seq >= probe.end) else { return 0 };
        // Both it and the original have arrived: reported as a duplicate, or acknowledged in duplicate.
        let twice = ack.kind == Kind::AckOfDuplicate || (ack.seq == una && ack.sack_block().is_none());
        if probe.again && !twice && ack.seq == probe.end {
            return 0; // One of them has arrived; whether the other did, the next ACK will tell.
        }
        timed.probe = None;
        if !probe.again || twice || self.episode != Episode::Open {
            return 0;
        }
        counters.recoveries += 1;
        self.lossless = false;
        for event in [CongestionEvent::EnterRecovery, CongestionEvent::ExitRecovery] {
            let flow = self.flow(now, mechanism);
            self.control.on_congestion(event, &flow);
        }
        self.obey(mechanism);
        1
    }

    /// [`Sender::choose`]: the lowest lost segment, new data, or what a probe is for.
    pub(super) fn choose_timed(&mut self, now: u64, mechanism: &Mechanism) -> Option<(u32, bool)> {
        let timed = self.timed.as_mut()?;
        let probing = std::mem::take(&mut timed.probing);
        if let Some(segment) = timed.rack.next_lost() {
            if segment == self.una {
                // Linux's timer starts anew whenever the oldest segment is sent again.
                self.rto_at = now + self.rtt.timeout();
            }
            self.note_repair(segment);
            return Some((segment, true));
        }
        let new = self.new_segment(mechanism).map(|segment| (segment, false));
        if !probing {
            return new;
        }
        let chosen = new.or_else(|| (self.una < self.next).then(|| (self.next - 1, true)))?;
        if chosen.1 {
            self.note_repair(chosen.0);
        }
        self.rto_at = now + self.rtt.timeout();
        let probe = Probe { end: self.next, again: chosen.1 };
        if let Some(timed) = &mut self.timed {
            timed.probe = Some(probe);
        }
        Some(chosen)
    }

    /// A segment has been chosen and leaves.
    pub(super) fn on_sent(&mut self, (segment, again): (u32, bool), now: u64, mechanism: &Mechanism) {
        if let Some(timed) = &mut self.timed {
            timed.rack.on_send(segment, now);
        }
        if !again {
            self.arm_probe(now, mechanism);
        }
    }

    /// Section 7.2: a probe is due after two round trips without an ACK, later if the receiver may hold back the
    /// ACK of a lone segment, and not after the retransmission timeout, whose place it takes then. None while
    /// losses or reports of gaps are to be dealt with, or after another.
    pub(super) fn arm_probe(&mut self, now: u64, mechanism: &Mechanism) {
        let quiet = self.episode == Episode::Open && self.board.as_ref().is_none_or(|board| board.is_empty());
        let outstanding = self.next - self.una;
        let Some(timed) = &mut self.timed else { return };
        timed.probe_at = if quiet && outstanding > 0 && timed.probe.is_none() && !timed.probing {
            // Linux's worst case for a delayed ACK is its least timeout (`tcp_schedule_loss_probe`).
            let held_back = if outstanding == 1 { mechanism.rto.min } else { 0 };
            (now + 2 * self.rtt.srtt + held_back).min(self.rto_at)
        } else {
            u64::MAX
        };
    }

    /// What may have been late is lost, or a probe is due.
    pub(super) fn on_timed(&mut self, now: u64, mechanism: &Mechanism, counters: &mut Counters) {
        let Some(timed) = &mut self.timed else { return };
        if timed.probe_at <= now {
            timed.probe_at = u64::MAX;
            timed.probing = true;
            self.force = true;
            self.rto_at = now + self.rtt.timeout();
        }
        if timed.rack.wait_until <= now {
            let lost = self.detect_timed(now, mechanism);
            self.remember_untold(lost);
            if self.episode == Episode::Open && self.has_losses() {
                counters.recoveries += 1;
                self.enter_recovery(now, mechanism);
            }
        }
    }
}
