//! What happens to single segments, where a scenario asks for it.

use super::Region;
use crate::kernel::channels::Channels;
use crate::measure::output::{Fate, SegmentEvent};
use crate::net::packet::Packet;

impl<C: Channels> Region<C> {
    /// The sender of a named flow did or heard something.
    #[cold]
    pub(crate) fn trace(&mut self, slot: u32, fate: Fate, segment: u32, now: u64) {
        let flow = self.sources[self.connections[slot as usize].source as usize].flow;
        self.segments.push(SegmentEvent { time: now, flow, fate, segment });
    }

    /// A data segment was dropped or has arrived; its connection may have ended meanwhile.
    #[cold]
    pub(crate) fn trace_data(&mut self, packet: &Packet, fate: Fate, now: u64) {
        let entry = &self.receivers[packet.slot as usize];
        let Some(receiver) = entry.state.as_ref().filter(|_| entry.generation == packet.generation) else {
            return;
        };
        let (slot, generation) = (receiver.sender, receiver.generation);
        if self.connections[slot as usize].generation == generation {
            self.trace(slot, fate, packet.seq, now);
        }
    }
}
