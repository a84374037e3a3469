//! Applications that pause: named flows whose data come burst by burst over one connection. From: the ACK of all that
//! was offered, or a timer. To: `send`.

use congestion::Time;

use super::Region;
use super::recorder::{BurstBegun, FlowRecord};
use crate::kernel::channels::Channels;
use crate::kernel::timers::TimerKind;
use crate::net::packet::Packet;
use crate::world::Bursts;

impl<C: Channels<Packet>> Region<C> {
    /// Place of a named flow among those of the region, by its source; they are its last sources, in the same order.
    pub(super) fn flow_at(&self, source: u32) -> Option<usize> {
        (source as usize).checked_sub(self.sources.len() - self.recorder.flows.len())
    }

    pub(super) fn flow_record(&self, source: u32) -> Option<&FlowRecord> {
        Some(&self.recorder.flows[self.flow_at(source)?])
    }

    fn bursts(&self, source: u32) -> Option<Bursts> {
        let flow = self.flow_record(source)?.flow;
        self.world.traffic.flows[flow as usize].bursts
    }

    /// Segments that the application of a source offers at first, of `size` in all.
    pub(super) fn first_burst(&self, source: u32, size: u32) -> u32 {
        let Some(record) = self.flow_record(source) else { return size };
        let flow = &self.world.traffic.flows[record.flow as usize];
        match (flow.application, flow.bursts) {
            (Some(_), _) => self.offered(source).unwrap_or(size),
            (None, Some(bursts)) => bursts.size.min(size),
            (None, None) => size,
        }
    }

    /// Set the timer of the second burst, where bursts wait for no ACK.
    pub(super) fn begin_bursts(&mut self, slot: u32, now: Time) {
        let connection = &self.connections[slot];
        if let Some(bursts) = self.bursts(connection.source).filter(|bursts| !bursts.waits) {
            let generation = connection.generation;
            self.events.set_timer(now + bursts.gap, TimerKind::Burst, slot, generation);
        }
    }

    /// The application has more to offer than the sender knows of.
    pub(super) fn has_more(&self, slot: u32) -> bool {
        let connection = &self.connections[slot];
        let limit = connection.sender.as_ref().map_or(u32::MAX, |sender| sender.seq.limit);
        limit < u32::MAX && u64::from(limit) < connection.size
    }

    /// A burst is acknowledged, and another will come.
    pub(super) fn pause(&mut self, slot: u32, now: Time) {
        let connection = &self.connections[slot];
        let (source, generation) = (connection.source, connection.generation);
        if let Some(application) = self.application_of(source) {
            return self.settle(application, slot, now);
        }
        // ACKs of repairs that were not needed may come in a pause, too.
        if let Some(bursts) = self.bursts(source).filter(|bursts| bursts.waits)
            && !self.is_pausing(slot)
        {
            self.record_transfer(slot, now);
            self.begin_burst(slot, now);
            self.events.set_timer(now + bursts.gap, TimerKind::Burst, slot, generation);
        }
        self.schedule_wakeup(slot, now);
        self.send(slot, now);
    }

    /// All of a burst is acknowledged, and the next one is not offered yet.
    pub(super) fn is_pausing(&self, slot: u32) -> bool {
        let connection = &self.connections[slot];
        let offered = connection.sender.as_ref().map(|sender| sender.seq.limit);
        let begun = self.flow_record(connection.source).map(|flow| flow.burst);
        begun.is_some_and(|burst| burst.at.is_some() && Some(burst.segments) == offered)
    }

    /// Note that what is offered from now on is a burst of its own.
    fn begin_burst(&mut self, slot: u32, now: Time) {
        let connection = &self.connections[slot];
        let Some(sender) = &connection.sender else { return };
        let burst = BurstBegun { at: Some(now), segments: sender.seq.snd_nxt, sent: sender.sent() };
        if let Some(at) = self.flow_at(connection.source) {
            self.recorder.flows[at].burst = burst;
        }
    }

    /// The application offers its next burst.
    pub(super) fn offer_burst(&mut self, slot: u32, now: Time) {
        let (source, generation) = (self.connections[slot].source, self.connections[slot].generation);
        let Some(bursts) = self.bursts(source) else { return };
        let connection = &mut self.connections[slot];
        let size = u32::try_from(connection.size).unwrap_or(u32::MAX);
        let Some(sender) = &mut connection.sender else { return };
        sender.seq.limit = sender.seq.limit.saturating_add(bursts.size).min(size);
        let ends = sender.seq.limit == size;
        if bursts.waits {
            self.begin_burst(slot, now);
        } else if !ends {
            self.events.set_timer(now + bursts.gap, TimerKind::Burst, slot, generation);
        }
        self.send(slot, now);
    }
}
