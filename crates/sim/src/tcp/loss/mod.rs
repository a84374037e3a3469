//! Loss detection: which segments are lost, and which of them are retransmitted next.
//!
//! Four kinds of evidence, one interface. [`LossDetection::on_ack`] says what an ACK delivers and what is lost by
//! it; [`LossDetection::pipe`] counts what is in flight; rules 1, 3 and 4 of RFC 6675's `NextSeg` are
//! [`LossDetection::next_lost`] and [`LossDetection::next_unsacked`], with rule 2, new data, left to the sender. What
//! a loss leads to is no matter of this module: see [`crate::tcp::recovery`].

mod dup_ack;
#[cfg(test)]
mod fixtures;
mod marks;
mod numbered;
mod packets;
mod rack;
mod rack_tlp;
mod reo_wnd;
mod sack;
mod tlp;
mod transmission;

use congestion::{Duration, Time};

use crate::net::packet::Packet;
use crate::tcp::ranges::{Pool, Ranges};
use crate::tcp::recovery::RecoveryState;
use crate::tcp::rtt::{RtoBounds, RttEstimator};
use crate::tcp::send_time::SendTime;
use crate::tcp::sequence::SequenceSpace;

use dup_ack::DupAck;
use marks::Marks;
use numbered::Numbered;
pub use packets::{Acked, Losses, SentPackets};
pub use rack::Rack;
use rack_tlp::RackTlp;
pub use reo_wnd::ReoWndRule;
use sack::Sack;
pub use transmission::{Transmission, TransmissionKind};

/// Evidence of loss, apart from the retransmission timer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evidence {
    /// Duplicate ACKs (RFC 5681 section 3.2, RFC 6582).
    DupAck,
    /// Duplicate ACKs at any time, also of segments that were retransmitted though they had arrived (Tahoe of 1988).
    AnyDupAck,
    /// SACKed segments above (RFC 6675).
    #[default]
    Sack,
    /// Time since transmission, compared with segments sent later that were delivered (RFC 8985).
    Rack,
    /// Packets and time since transmission, compared with the latest packet that was acknowledged (RFC 9002).
    PacketNumbers,
}

/// Options of loss detection.
#[derive(Clone, Copy, Debug, Default)]
pub struct LossOptions {
    /// Evidence by which losses are detected.
    pub evidence: Evidence,
    /// SACKed segments or duplicate ACKs that mean loss (`DupThresh`, RFC 6675; `kPacketThreshold`, RFC 9002) [segments].
    pub dup_thresh: u32,
    /// Width of RACK's reordering window.
    pub reo_wnd: ReoWndRule,
}

/// Loss detection of one sender.
#[derive(Debug)]
pub enum LossDetection {
    /// By duplicate ACKs (RFC 5681, RFC 6582).
    DupAck(DupAck),
    /// By SACKed segments (RFC 6675).
    Sack(Sack),
    /// By the order of transmission, with probes (RFC 8985, RFC 9002).
    Numbered(Box<Numbered>),
}

/// State of the sender that loss detection reads.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Sequence space, SND.UNA moved by the ACK at hand already.
    pub seq: &'a SequenceSpace,
    /// Round-trip times.
    pub rtt: &'a RttEstimator,
    /// Send times of what is outstanding.
    pub send_time: SendTime,
    /// Phase of loss recovery.
    pub state: RecoveryState,
    /// Options of loss detection.
    pub options: &'a LossOptions,
    /// Bounds of the retransmission timeout.
    pub rto: &'a RtoBounds,
    /// Current time.
    pub now: Time,
}

/// ACK that has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Ack<'a> {
    /// Packet that carried it.
    pub packet: &'a Packet,
    /// SND.UNA before it.
    pub prior_una: u32,
}

/// Consequences of an ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckOutcome {
    /// Segments newly acknowledged or SACKed.
    pub delivered: u32,
    /// Segments newly declared lost, and those deferred ([`LossDetection::defer_lost`]).
    pub lost: u32,
    /// Those newly declared lost include a retransmission, as RACK and Tahoe of 1988 find out.
    pub lost_retransmission: bool,
    /// Round-trip time of the segment sent last among those delivered, unless it is ambiguous. With RACK alone.
    pub last_rtt: Option<Duration>,
    /// The tail loss probe that was due is called off.
    pub probe_cancelled: bool,
    /// The tail loss probe has repaired a loss that is not counted in `lost` (RFC 8985 section 7.4.2).
    pub probe_repaired: bool,
}

/// Consequences of a timer of loss detection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimerOutcome {
    /// Segments newly declared lost, and those deferred, if the reordering timer has expired.
    pub lost: Option<u32>,
    /// A tail loss probe is to be sent now.
    pub probe_due: bool,
}

impl LossDetection {
    /// Loss detection by the evidence that the mechanism takes.
    #[must_use]
    pub fn new(evidence: Evidence) -> Self {
        match evidence {
            Evidence::DupAck | Evidence::AnyDupAck => Self::DupAck(DupAck::default()),
            Evidence::Sack => Self::Sack(Sack::default()),
            Evidence::Rack => Self::Numbered(Box::new(Numbered::Rack(RackTlp::default()))),
            Evidence::PacketNumbers => Self::Numbered(Box::new(Numbered::Packets(SentPackets::default()))),
        }
    }

    /// Segments in the network as far as the sender can tell (RFC 6675 section 4, `SetPipe`).
    #[must_use]
    #[inline]
    pub fn pipe(&self, seq: &SequenceSpace) -> u32 {
        match self.by_marks() {
            Ok(marks) => marks.set_pipe(seq),
            Err(numbered) => numbered.in_flight(),
        }
    }

    /// Transmissions in flight of a segment that was not delivered; of all together they are the pipe. Duplicate ACKs say of
    /// none which one it is.
    #[must_use]
    pub fn copies_in_flight(&self, segment: u32, seq: &SequenceSpace) -> u32 {
        match self.by_marks() {
            Ok(marks) => marks.copies_in_flight(segment, seq),
            Err(numbered) => numbered.copies_in_flight(segment),
        }
    }

    /// Take in an ACK: what it delivers, and what is lost by it. Scoreboards are taken from `pool` and, once empty,
    /// given back.
    #[inline]
    pub fn on_ack(&mut self, ack: &Ack<'_>, view: &View<'_>, pool: &mut Pool) -> AckOutcome {
        match self {
            Self::DupAck(dup_ack) => dup_ack.on_ack(ack, view),
            Self::Sack(sack) => sack.on_ack(ack, view, pool),
            Self::Numbered(numbered) => {
                let rack_tlp = numbered.rack_tlp();
                rack_tlp.map_or(AckOutcome::default(), |rack_tlp| rack_tlp.on_ack(ack, view, pool))
            }
        }
    }

    /// Keep segments declared lost for the next outcome: the controller hears of them with the next ACK that delivers
    /// something.
    #[inline]
    pub fn defer_lost(&mut self, lost: u32) {
        match self.by_marks_mut() {
            Ok(marks) => marks.deferred_lost += lost,
            Err(numbered) => numbered.defer_lost(lost),
        }
    }

    /// Note that a segment leaves; true if the retransmission timer starts anew with it.
    #[inline]
    pub fn on_sent(&mut self, sent: Transmission, seq: &SequenceSpace, now: Time) -> bool {
        match self.by_marks_mut() {
            Ok(marks) => {
                marks.on_sent(sent);
                false
            }
            Err(numbered) => numbered.on_sent(sent, seq, now),
        }
    }

    /// Losses that are neither repaired nor being repaired.
    #[must_use]
    #[inline]
    pub fn has_lost(&mut self, seq: &SequenceSpace) -> bool {
        match self.by_marks_mut() {
            Ok(marks) => marks.has_lost(seq),
            Err(numbered) => numbered.has_lost(),
        }
    }

    /// Next lost segment to be retransmitted (RFC 6675 section 4, `NextSeg` rule 1).
    #[inline]
    pub fn next_lost(&mut self, seq: &SequenceSpace) -> Option<u32> {
        if let Ok(marks) = self.by_marks()
            && marks.first_not_retransmitted(seq) >= marks.lost_below
        {
            return None;
        }
        match self {
            Self::DupAck(dup_ack) => dup_ack.next_lost(seq),
            Self::Sack(sack) => sack.next_lost(seq),
            Self::Numbered(numbered) => numbered.next_lost(),
        }
    }

    /// Segment to be retransmitted though it is not lost, when there is no new data to send: RFC 6675's `NextSeg`
    /// rules 3 and 4, or a tail loss probe.
    #[inline]
    pub fn next_unsacked(&mut self, seq: &SequenceSpace, state: RecoveryState) -> Option<Transmission> {
        match self {
            Self::DupAck(_) => None,
            Self::Sack(sack) => sack.next_unsacked(seq, state),
            Self::Numbered(numbered) => numbered.next_unsacked(seq),
        }
    }

    /// Prepare for fast recovery.
    pub fn on_fast_recovery(&mut self, seq: &SequenceSpace) {
        match self {
            Self::DupAck(dup_ack) => dup_ack.on_fast_recovery(seq),
            Self::Sack(sack) => sack.on_fast_recovery(),
            Self::Numbered(numbered) => numbered.on_fast_recovery(),
        }
    }

    /// Take everything outstanding for lost, or what RACK does not spare: the retransmission timer expired.
    pub fn on_rto(&mut self, seq: &SequenceSpace, now: Time) {
        match self {
            Self::DupAck(dup_ack) => dup_ack.on_rto(seq),
            Self::Sack(sack) => sack.on_rto(seq),
            Self::Numbered(numbered) => numbered.on_rto(now),
        }
    }

    /// Note that recovery is over.
    pub fn on_recovery_exit(&mut self) {
        match self {
            Self::DupAck(dup_ack) => dup_ack.on_recovery_exit(),
            Self::Sack(_) => {}
            Self::Numbered(numbered) => numbered.on_recovery_exit(),
        }
    }

    /// Detection by time, which alone tells transmissions of a segment apart.
    #[must_use]
    pub fn rack(&self) -> Option<&Rack> {
        match self {
            Self::Numbered(numbered) => numbered.rack(),
            Self::DupAck(_) | Self::Sack(_) => None,
        }
    }

    /// Detection by packet number.
    pub fn packets(&mut self) -> Option<&mut SentPackets> {
        match self {
            Self::Numbered(numbered) => numbered.packets(),
            Self::DupAck(_) | Self::Sack(_) => None,
        }
    }

    fn rack_tlp(&mut self) -> Option<&mut RackTlp> {
        match self {
            Self::Numbered(numbered) => numbered.rack_tlp(),
            Self::DupAck(_) | Self::Sack(_) => None,
        }
    }

    /// Take lost segments for in flight again, sent at `now`: they were not lost.
    pub fn unmark_lost(&mut self, now: Time) {
        if let Some(rack_tlp) = self.rack_tlp() {
            rack_tlp.rack.unmark_lost(now);
            rack_tlp.deferred_lost = 0;
        }
    }

    /// Schedule a tail loss probe, if one is called for; `rto_at` is when the retransmission timer expires.
    #[inline]
    pub fn schedule_probe(&mut self, view: &View<'_>, rto_at: Time) {
        if let Some(rack_tlp) = self.rack_tlp() {
            rack_tlp.schedule_probe(view, rto_at);
        }
    }

    /// Deadline of loss detection's own timers.
    #[must_use]
    #[inline]
    pub fn deadline(&self) -> Time {
        match self {
            Self::DupAck(_) | Self::Sack(_) => Time::NEVER,
            Self::Numbered(numbered) => numbered.deadline(),
        }
    }

    /// Serve the timers that have expired.
    pub fn on_timer(&mut self, view: &View<'_>) -> TimerOutcome {
        self.rack_tlp().map_or(TimerOutcome::default(), |rack_tlp| rack_tlp.on_timer(view))
    }

    /// Bytes of memory held beyond its own.
    #[must_use]
    pub fn memory(&self) -> usize {
        let scoreboard = self.scoreboard().map_or(0, Ranges::memory);
        match self {
            Self::DupAck(_) | Self::Sack(_) => scoreboard,
            Self::Numbered(numbered) => scoreboard + numbered.memory(),
        }
    }

    /// Empty the scoreboard and give it back to `pool`: the connection ends.
    pub fn retire(&mut self, pool: &mut Pool) {
        if let Some(mut scoreboard) = self.scoreboard_mut().and_then(Option::take) {
            scoreboard.clear();
            pool.push(scoreboard);
        }
    }

    /// Marks of a detection that has them, or the other one.
    #[inline]
    fn by_marks(&self) -> Result<&Marks, &Numbered> {
        match self {
            Self::DupAck(dup_ack) => Ok(&dup_ack.marks),
            Self::Sack(sack) => Ok(&sack.marks),
            Self::Numbered(numbered) => Err(numbered),
        }
    }

    #[inline]
    fn by_marks_mut(&mut self) -> Result<&mut Marks, &mut Numbered> {
        match self {
            Self::DupAck(dup_ack) => Ok(&mut dup_ack.marks),
            Self::Sack(sack) => Ok(&mut sack.marks),
            Self::Numbered(numbered) => Err(numbered),
        }
    }

    /// SACKed segments above SND.UNA; none where there is no SACK.
    #[must_use]
    #[inline]
    pub fn scoreboard(&self) -> Option<&Ranges> {
        match self {
            Self::DupAck(_) => None,
            Self::Sack(sack) => sack.scoreboard.as_deref(),
            Self::Numbered(numbered) => numbered.scoreboard(),
        }
    }

    fn scoreboard_mut(&mut self) -> Option<&mut Option<Box<Ranges>>> {
        match self {
            Self::DupAck(_) => None,
            Self::Sack(sack) => Some(&mut sack.scoreboard),
            Self::Numbered(numbered) => Some(numbered.scoreboard_mut()),
        }
    }
}

/// Give a scoreboard back to the pool, if it is empty.
#[inline]
fn recycle(scoreboard: &mut Option<Box<Ranges>>, pool: &mut Pool) {
    if scoreboard.as_ref().is_some_and(|scoreboard| scoreboard.is_empty()) {
        pool.extend(scoreboard.take());
    }
}

#[cfg(test)]
mod tests;
