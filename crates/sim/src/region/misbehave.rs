//! Receiving ends of named flows that break the rules. From: `deliver`, `reply`. To: the same.

use congestion::Time;

use super::Region;
use crate::kernel::channels::Channels;
use crate::measure::packets::Cause;
use crate::net::packet::{Codepoint, Packet};
use crate::tcp::receiver::{COPIES, Conduct};

impl<C: Channels<Packet>> Region<C> {
    fn conduct(&self, slot: u32) -> Conduct {
        let flow = self.receivers.flow(slot);
        flow.map_or(Conduct::Honest, |flow| self.world.traffic.flows[flow as usize].conduct)
    }

    /// A data segment reaches a receiving end in a run in which some misbehave.
    #[cold]
    pub(super) fn misbehave(&mut self, packet: &Packet, now: Time) {
        let mut packet = *packet;
        match self.conduct(packet.slot) {
            Conduct::HidesMarks if packet.is_ce() => packet.set_codepoint(Codepoint::Ect0),
            Conduct::HidesLosses | Conduct::AcksAhead => {
                if let Some(receiver) = self.receivers.current(packet.slot, packet.generation) {
                    receiver.next = receiver.next.max(packet.seq);
                }
            }
            _ => {}
        }
        self.take_in(&packet, now);
    }

    /// Send what a receiving end sends after an ACK against the rules: the same again, or one for the next segment.
    #[cold]
    pub(super) fn send_more(&mut self, slot: u32, mut ack: Packet, way: u16, now: Time) {
        let count = match self.conduct(slot) {
            Conduct::RepeatsAcks => COPIES,
            Conduct::AcksAhead if !ack.kind.is_dsack() => {
                ack.seq += 1;
                1
            }
            _ => 0,
        };
        for _ in 0..count {
            self.recorder.counters.acks_sent += 1;
            if self.world.recording.packets {
                self.capture_at_receiver(slot, &ack, Cause::Ordinary, now);
            }
            self.send_back(ack, way, now);
        }
    }
}
