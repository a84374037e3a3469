//! Datagrams of applications: sent once, and never again. From: `applications`. To: `forward`, and at the receiving host
//! the record of what has come. Reports on those of calls go back as ACKs do.

use congestion::{Duration, Time};

use super::connections::{Connection, Peer, State};
use super::{NONE, Region, nada, receivers};
use crate::kernel::channels::Channels;
use crate::kernel::timers::TimerKind;
use crate::measure::requests::{self, Receipt};
use crate::net::packet::{self, Codepoint, Kind, Packet};
use crate::world::{Behaviour, Call};

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
        let waiting = state.lines[0].offered - state.datagrams;
        if waiting == 0 {
            return false;
        }
        let mut codepoint = Codepoint::NotEct;
        if let Behaviour::Call(call) = &self.world.traffic.applications[application as usize].behaviour {
            if state.nada.next > now {
                let (at, generation) = (state.nada.next, connection.generation);
                if !std::mem::replace(&mut self.connections[slot].pacing, true) {
                    self.events.set_timer(at, TimerKind::Pace, slot, generation);
                }
                return false;
            }
            state.nada.next = now + Duration::from_seconds(1.0 / state.nada.pace(call, waiting));
            if self.world.mechanism.ecn.classic {
                codepoint = Codepoint::Ect0;
            }
        }
        let seq = state.datagrams;
        state.datagrams += 1;
        self.recorder.counters.data_sent += 1;
        let datagram = connection.path.packet(Kind::Datagram, slot, seq, now);
        let (generation, interface) = (connection.generation, connection.class.interface);
        let datagram = Packet { generation, interface, ..datagram };
        self.transmit(slot, datagram.with_flags(codepoint, false), now);
        true
    }

    /// A datagram reaches its host.
    #[cold]
    pub(super) fn on_datagram(&mut self, datagram: &Packet, now: Time) {
        let (flow, segment) = (datagram.slot, datagram.seq);
        self.recorder.traces.receipts.push(Receipt { time: now, flow, segment, cycle: 0 });
        self.receivers.count_datagram(flow, datagram.is_ce());
        self.recorder.counters.acked += 1;
        if self.call_of(flow).is_some() {
            self.report(datagram, now);
        }
    }

    /// The call whose rate adapts that a flow is of, with its number.
    fn call_of(&self, flow: u32) -> Option<(u32, Call)> {
        let traffic = &self.world.traffic;
        let application = traffic.flows[flow as usize].application?;
        match traffic.applications[application as usize].behaviour {
            Behaviour::Call(call) => Some((application, call)),
            _ => None,
        }
    }

    /// The receiving end of a call whose rate adapts takes a datagram in, and reports if that is due.
    fn report(&mut self, datagram: &Packet, now: Time) {
        let flow = datagram.slot;
        if !self.receivers.calls.contains_key(&flow) {
            let site = self.world.site_of_source(self.world.numbering.sources() + flow);
            let way = self.way_back(datagram, site);
            let (slot, interface) = (flow, datagram.interface);
            let peer = receivers::Peer { slot, site, way, interface, ..Default::default() };
            self.receivers.calls.insert(flow, (nada::Receiver::new(now), peer));
        }
        let Some((receiver, peer)) = self.receivers.calls.get_mut(&flow) else { return };
        let delay = packet::since(now, datagram.stamp).seconds();
        if let Some(report) = receiver.take(datagram.seq, delay, datagram.is_ce(), now) {
            let packet = Packet {
                extent: report.rate.to_bits(),
                span: report.clear.into(),
                ..peer.packet(Kind::Report, report.signal.to_bits(), datagram.stamp)
            };
            let way = peer.way;
            self.send_back(packet, way, now);
        }
    }

    /// A report reaches the sender, whose rate it changes.
    #[cold]
    pub(super) fn on_report(&mut self, packet: &Packet, now: Time) {
        let Some((application, call)) = self.call_of(packet.slot) else { return };
        let (signal, rate) = (f32::from_bits(packet.seq), f32::from_bits(packet.extent));
        let report = nada::Report { signal, rate, clear: packet.span > 0 };
        let rtt = packet::since(now, packet.stamp).seconds();
        self.sources.applications[application as usize].nada.take(&call, &report, rtt, now);
    }
}
