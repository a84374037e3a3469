//! Datagrams of applications: sent at once, and never again. From: `applications`. To: `forward`, and at the receiving host
//! the record of what has come.

use congestion::Time;

use super::connections::{Connection, Peer, State};
use super::{NONE, Region};
use crate::kernel::channels::Channels;
use crate::measure::requests::{self, Receipt};
use crate::net::packet::{self, Kind, Packet};

impl<C: Channels<Packet>> Region<C> {
    /// The data of a request go out, as fast as the interface takes them.
    pub(super) fn send_datagrams(&mut self, application: u32, number: usize, now: Time) {
        let state = &mut self.sources.applications[application as usize];
        let request = &mut self.recorder.traces.requests[number];
        let (source, line) = (state.first, &mut state.lines[0]);
        line.offered = line.offered.saturating_add(request.size);
        request.end = line.offered;
        let flow = self.sources[source].flow;
        request.connection = Some(requests::Connection { flow, cycle: 0 });
        if self.sources[source].slot == NONE {
            let offer = self.offer(source, now);
            // The far end has no connection, so the flow stands for it.
            let peer = Peer { slot: flow, generation: 0 };
            let place = Connection { state: State::Datagrams, peer, ..self.connection(source, &offer) };
            self.sources[source].slot = self.connections.open(Connection { traced: false, ..place });
        }
        self.send(self.sources[source].slot, now);
    }

    /// The next datagram goes to the interface, if there is one.
    #[cold]
    pub(super) fn send_datagram(&mut self, slot: u32, now: Time) -> bool {
        let connection = &self.connections[slot];
        if connection.state != State::Datagrams {
            return false;
        }
        let Some(application) = self.application_of(connection.source) else { return false };
        let state = &mut self.sources.applications[application as usize];
        if state.datagrams == state.lines[0].offered {
            return false;
        }
        let seq = state.datagrams;
        state.datagrams += 1;
        self.recorder.counters.data_sent += 1;
        let datagram = Packet {
            time: now,
            slot,
            seq,
            stamp: packet::stamp(now),
            extent: connection.path.host,
            span: 0,
            generation: connection.generation,
            site: connection.path.site,
            interface: connection.class.interface,
            kind: Kind::Datagram,
        };
        self.transmit(slot, datagram, now);
        true
    }

    /// A datagram reaches its host.
    #[cold]
    pub(super) fn on_datagram(&mut self, datagram: &Packet, now: Time) {
        let (flow, segment) = (datagram.slot, datagram.seq);
        self.recorder.traces.receipts.push(Receipt { time: now, flow, segment, cycle: 0 });
        self.receivers.count_datagram(flow);
    }
}
