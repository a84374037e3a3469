//! Transfers end. From: the last ACK, a source without patience, the stop of a named flow, or a SYN without answer.
//! To: `think`, and a message that frees the receiving end.

use congestion::Time;

use super::connections::{Connection, State};
use super::{NONE, Region};
use crate::kernel::channels::Channels;
use crate::measure::groups::{GroupKey, Transfer};
use crate::measure::packets::Cause;
use crate::net::packet::{Kind, Packet};
use crate::tcp::sender::Sender;

impl<C: Channels<Packet>> Region<C> {
    /// Everything that was offered is acknowledged: the transfer is complete, or its application pauses.
    pub(super) fn on_done(&mut self, slot: u32, now: Time) {
        if self.has_more(slot) {
            self.pause(slot, now);
        } else {
            self.complete(slot, now);
        }
    }

    /// Everything is acknowledged.
    pub(super) fn complete(&mut self, slot: u32, now: Time) {
        if !self.is_pausing(slot) {
            self.record_transfer(slot, now);
        }
        self.close(slot, now);
    }

    /// Record a transfer that is complete, or a burst of it.
    pub(super) fn record_transfer(&mut self, slot: u32, now: Time) {
        let connection = &self.connections[slot];
        let Some(sender) = &connection.sender else { return };
        let transfer = self.transfer(connection, sender, now);
        let counters = &mut self.recorder.counters;
        counters.completed += 1;
        counters.completed_size += transfer.size;
        counters.completed_sent += transfer.sent;
        let of_population = self.sources[connection.source].is_of_population();
        self.recorder.complete(transfer, of_population, now);
    }

    fn transfer(&self, connection: &Connection, sender: &Sender, now: Time) -> Transfer {
        let source = &self.sources[connection.source];
        let class = connection.class;
        let begun = self.flow_record(connection.source).map(|flow| flow.burst).unwrap_or_default();
        let started = begun.at.unwrap_or(connection.started);
        Transfer {
            source: source.id,
            site: connection.path.site,
            key: GroupKey {
                algorithm: source.algorithm,
                pair: class.pair,
                interface: class.interface,
                file: class.file,
            },
            size: u64::from(sender.seq.limit - begun.segments),
            sent: sender.sent() - begun.sent,
            start: started.seconds(),
            duration: now.since(started).seconds(),
        }
    }

    /// A source has lost patience.
    pub(super) fn abandon(&mut self, slot: u32, now: Time) {
        self.recorder.counters.aborted += 1;
        self.close(slot, now);
    }

    /// A named flow offers no more data.
    pub(super) fn stop(&mut self, source: u32, now: Time) {
        let slot = self.sources[source].slot;
        let Some(connection) = self.connections.get_mut(slot) else { return };
        let Some(sender) = &mut connection.sender else {
            if connection.state == State::Connecting {
                self.close(slot, now);
            }
            return;
        };
        sender.seq.truncate();
        connection.size = u64::from(sender.seq.limit);
        if sender.is_done() {
            self.complete(slot, now);
        }
    }

    /// The connection ends; its source thinks again.
    pub(super) fn close(&mut self, slot: u32, now: Time) {
        let source = self.connections[slot].source;
        if let Some(sender) = self.connections[slot].sender.take() {
            self.retire(source, sender);
        }
        self.connections.close(slot);
        let origin = &mut self.sources[source];
        origin.slot = NONE;
        origin.cycle += 1;
        let (id, of_population) = (origin.id, origin.is_of_population());
        self.release_receiver(slot, id, now);
        if of_population {
            self.think(source, now);
        }
    }

    /// A sender has done its work, which counts for its flow if that has a name.
    fn retire(&mut self, source: u32, mut sender: Sender) {
        sender.retire(&mut self.pool);
        if let Some(at) = self.flow_at(source) {
            let flow = &mut self.recorder.flows[at];
            flow.delivered += u64::from(sender.counts.delivered);
            flow.retransmitted += u64::from(sender.counts.retransmitted);
        }
    }

    /// Tell the receiving end, if there is one, that the connection has ended.
    fn release_receiver(&mut self, slot: u32, source: u32, now: Time) {
        let connection = &self.connections[slot];
        let (peer, site) = (connection.peer, connection.path.site);
        if peer.slot == NONE {
            return;
        }
        let release = Packet {
            slot: peer.slot,
            seq: source,
            generation: peer.generation,
            site,
            kind: Kind::Release,
            ..Packet::default()
        };
        self.capture_at_sender(slot, &release, Cause::Ordinary, now);
        let region = usize::from(self.world.sites[usize::from(site)].region);
        let exit = self.world.exits.releases[usize::from(self.index)][region];
        self.leave(usize::from(exit), release, now);
    }
}
