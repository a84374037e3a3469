//! Packets of named flows at their hosts, and the states of their senders, where a scenario asks for them.

use congestion::Time;

use super::Region;
use crate::kernel::channels::Channels;
use crate::measure::packets::{Cause, Host, PacketEvent, PacketKind, SenderEvent};
use crate::net::packet::{Kind, Packet};
use crate::tcp::loss::TransmissionKind;
use crate::tcp::recovery::RecoveryState;

impl<C: Channels<Packet>> Region<C> {
    /// The sender of a connection in `slot` sends or receives a packet.
    #[cold]
    pub(super) fn capture_at_sender(&mut self, slot: u32, packet: &Packet, cause: Cause, now: Time) {
        if self.world.recording.packets && self.connections[slot].traced {
            let flow = self.sources[self.connections[slot].source].flow;
            self.capture(flow, Host::Sender, packet, cause, now);
        }
    }

    /// The receiving end in `slot` sends or receives a packet.
    #[cold]
    pub(super) fn capture_at_receiver(&mut self, slot: u32, packet: &Packet, cause: Cause, now: Time) {
        if !self.world.recording.packets {
            return;
        }
        if let Some(flow) = self.receivers.flow(slot) {
            self.capture(flow, Host::Receiver, packet, cause, now);
        }
    }

    /// A segment leaves the sender of a connection that is in `slot`.
    #[cold]
    pub(super) fn capture_segment(&mut self, slot: u32, data: &Packet, kind: TransmissionKind, now: Time) {
        let cause = match kind {
            TransmissionKind::New => Cause::Ordinary,
            TransmissionKind::Retransmission => Cause::Retransmission,
            TransmissionKind::Rescue | TransmissionKind::Probe => Cause::Probe,
        };
        self.capture_at_sender(slot, data, cause, now);
    }

    fn capture(&mut self, flow: u32, host: Host, packet: &Packet, cause: Cause, now: Time) {
        let (kind, flags, block) = match packet.kind {
            Kind::Syn => (PacketKind::Syn, 0, None),
            Kind::SynAck => (PacketKind::SynAck, 0, None),
            Kind::Data | Kind::DataWithHeader | Kind::Datagram => {
                (PacketKind::Data, u8::from(packet.is_cwr()) * CWR, None)
            }
            Kind::Ack | Kind::AckWithHeader | Kind::AckOfDuplicate | Kind::Report => {
                (PacketKind::Ack, u8::from(packet.echoes_ce()), packet.sack_block())
            }
            Kind::EctAck | Kind::EctAckOfDuplicate => (PacketKind::Ack, packet.ace(), packet.sack_block()),
            Kind::Release => (PacketKind::Fin, 0, None),
        };
        let cause = if packet.kind.is_dsack() { Cause::Duplicate } else { cause };
        let segment = if matches!(kind, PacketKind::Data | PacketKind::Ack) { packet.seq } else { 0 };
        self.recorder.traces.packets.push(PacketEvent {
            time: now,
            flow,
            host,
            kind,
            segment,
            stamp: packet.stamp,
            block: block.unwrap_or_default(),
            codepoint: packet.codepoint() as u8,
            flags,
            cause,
        });
    }

    /// The ends of a connection agree on ECN: its SYN-ACK, recorded last, says on which echo.
    pub(super) fn capture_agreement(&mut self, slot: u32) {
        let Some(sender) = &self.connections[slot].sender else { return };
        if let Some(syn_ack) = self.recorder.traces.packets.last_mut() {
            syn_ack.flags = sender.ecn.echo() as u8;
        }
    }

    /// The sender of a connection has done what an ACK, a timer or its interface made it do.
    #[cold]
    pub(super) fn capture_state(&mut self, slot: u32, now: Time) {
        let connection = &self.connections[slot];
        let Some(sender) = connection.sender.as_ref().filter(|_| self.world.recording.packets) else {
            return;
        };
        let smss = f64::from(self.world.mechanism.smss);
        let mut ssthresh = f64::INFINITY;
        sender.control.algorithm.state(&mut |name, value| {
            if name == "ssthresh" {
                ssthresh = value / smss;
            }
        });
        self.recorder.traces.senders.push(SenderEvent {
            time: now,
            flow: self.sources[connection.source].flow,
            in_flight: sender.pipe(),
            cwnd: sender.control.cwnd_bytes / smss,
            ssthresh,
            srtt: sender.rtt.srtt,
            rttvar: sender.rtt.rttvar(),
            min_rtt: sender.rtt.min_rtt,
            rto: sender.rtt.rto(),
            pacing_interval: sender.pacer.interval(),
            phase: sender.control.algorithm.phase() as i8,
            recovery: match sender.recovery_state() {
                RecoveryState::Open => 0,
                RecoveryState::FastRecovery { .. } => 1,
                RecoveryState::RtoRecovery { .. } => 2,
            },
        });
    }
}

/// Flag CWR of the TCP header among AE, CWR and ECE.
const CWR: u8 = 2;
