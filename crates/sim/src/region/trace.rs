//! Fates of single segments, where a scenario asks for them.

use congestion::Time;

use super::Region;
use crate::kernel::channels::Channels;
use crate::measure::output::{Fate, SegmentEvent};
use crate::measure::requests::Receipt;
use crate::net::packet::Packet;

impl<C: Channels<Packet>> Region<C> {
    /// The sender of a named flow sent or received something.
    #[cold]
    pub(super) fn trace(&mut self, slot: u32, fate: Fate, segment: u32, now: Time) {
        if !self.world.recording.segments {
            return;
        }
        let flow = self.sources[self.connections[slot].source].flow;
        self.recorder.traces.segments.push(SegmentEvent { time: now, flow, fate, segment });
    }

    /// A data segment of an application has arrived.
    #[cold]
    pub(super) fn note_receipt(&mut self, packet: &Packet, now: Time) {
        let Some(flow) = self.receivers.flow(packet.slot) else { return };
        if self.world.traffic.flows[flow as usize].application.is_some() {
            let (_, cycle) = self.receivers[packet.slot].transfer();
            self.recorder.traces.receipts.push(Receipt { time: now, flow, segment: packet.seq, cycle });
        }
    }

    /// A data segment was dropped or has arrived; its connection may have ended meanwhile.
    #[cold]
    pub(super) fn trace_data(&mut self, packet: &Packet, fate: Fate, now: Time) {
        if !self.world.recording.segments {
            return;
        }
        let Some(receiver) = self.receivers.current(packet.slot, packet.generation) else { return };
        let peer = receiver.host;
        if self.connections[peer.slot].generation == peer.generation {
            self.trace(peer.slot, fate, packet.seq, now);
        }
    }
}
