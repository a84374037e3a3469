//! Kinds of loss detection that number transmissions: RACK-TLP, and that of QUIC.

use congestion::Time;

use super::packets::SentPackets;
use super::rack::Rack;
use super::rack_tlp::RackTlp;
use super::{Transmission, TransmissionKind};
use crate::tcp::ranges::Ranges;
use crate::tcp::sequence::SequenceSpace;

/// Loss detection in the order of transmission.
#[derive(Debug)]
pub enum Numbered {
    /// By time (RFC 8985).
    Rack(RackTlp),
    /// By packets and time (RFC 9002). ACKs and timers are between it and the sender (`sender/quic.rs`).
    Packets(SentPackets),
}

impl Numbered {
    #[inline]
    pub(super) fn in_flight(&self) -> u32 {
        match self {
            Self::Rack(rack_tlp) => rack_tlp.rack.in_flight(),
            Self::Packets(packets) => packets.in_flight(),
        }
    }

    pub(super) fn copies_in_flight(&self, segment: u32) -> u32 {
        match self {
            Self::Rack(rack_tlp) => u32::from(rack_tlp.rack.has_in_flight(segment)),
            Self::Packets(packets) => packets.copies_in_flight(segment),
        }
    }

    #[inline]
    pub(super) fn defer_lost(&mut self, lost: u32) {
        match self {
            Self::Rack(rack_tlp) => rack_tlp.deferred_lost += lost,
            Self::Packets(packets) => packets.deferred_lost += lost,
        }
    }

    #[inline]
    pub(super) fn on_sent(&mut self, sent: Transmission, seq: &SequenceSpace, now: Time) -> bool {
        match self {
            Self::Rack(rack_tlp) => rack_tlp.on_sent(sent, seq, now),
            Self::Packets(packets) => {
                packets.on_sent(sent.segment, now);
                true
            }
        }
    }

    #[inline]
    pub(super) fn has_lost(&mut self) -> bool {
        match self {
            Self::Rack(rack_tlp) => rack_tlp.rack.next_lost().is_some(),
            Self::Packets(packets) => packets.next_lost().is_some(),
        }
    }

    #[inline]
    pub(super) fn next_lost(&mut self) -> Option<u32> {
        match self {
            Self::Rack(rack_tlp) => rack_tlp.next_lost(),
            Self::Packets(packets) => packets.next_lost(),
        }
    }

    #[inline]
    pub(super) fn next_unsacked(&mut self, seq: &SequenceSpace) -> Option<Transmission> {
        match self {
            Self::Rack(rack_tlp) => rack_tlp.next_unsacked(seq),
            Self::Packets(packets) => {
                packets.probe().map(|segment| Transmission { segment, kind: TransmissionKind::Probe })
            }
        }
    }

    pub(super) fn on_fast_recovery(&mut self) {
        if let Self::Rack(rack_tlp) = self {
            rack_tlp.tlp.init();
        }
    }

    pub(super) fn on_rto(&mut self, now: Time) {
        if let Self::Rack(rack_tlp) = self {
            rack_tlp.on_rto(now);
        }
    }

    pub(super) fn on_recovery_exit(&mut self) {
        if let Self::Rack(rack_tlp) = self {
            rack_tlp.rack.reo_wnd.on_recovery_exit();
        }
    }

    #[inline]
    pub(super) fn rack(&self) -> Option<&Rack> {
        if let Self::Rack(rack_tlp) = self { Some(&rack_tlp.rack) } else { None }
    }

    #[inline]
    pub(super) fn rack_tlp(&mut self) -> Option<&mut RackTlp> {
        if let Self::Rack(rack_tlp) = self { Some(rack_tlp) } else { None }
    }

    #[inline]
    pub(super) fn packets(&mut self) -> Option<&mut SentPackets> {
        if let Self::Packets(packets) = self { Some(packets) } else { None }
    }

    #[inline]
    pub(super) fn deadline(&self) -> Time {
        match self {
            Self::Rack(rack_tlp) => rack_tlp.deadline(),
            Self::Packets(packets) => packets.deadline(),
        }
    }

    pub(super) fn memory(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Rack(rack_tlp) => rack_tlp.rack.memory(),
                Self::Packets(packets) => packets.memory(),
            }
    }

    #[inline]
    pub(super) fn scoreboard(&self) -> Option<&Ranges> {
        match self {
            Self::Rack(rack_tlp) => rack_tlp.scoreboard.as_deref(),
            Self::Packets(packets) => packets.scoreboard.as_deref(),
        }
    }

    pub(super) fn scoreboard_mut(&mut self) -> &mut Option<Box<Ranges>> {
        match self {
            Self::Rack(rack_tlp) => &mut rack_tlp.scoreboard,
            Self::Packets(packets) => &mut packets.scoreboard,
        }
    }
}
