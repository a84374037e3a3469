//! CAKE's scheduler: deficit round robin over flows, whose quanta their host shares, with COBALT in each queue. Page:
//! `docs/models/cake.md`.
//!
//! The names of sets of flows are those of Linux's `sch_cake`.

mod hosts;
#[cfg(test)]
mod tests;

use self::hosts::Hosts;
use crate::kernel::rng::Draws;
use crate::measure::queue::Cause;
use crate::net::disciplines::cobalt::{CobaltParameters, Controller, State};
use crate::net::disciplines::codel::target_above_interval;
use crate::net::disciplines::flows::{FlowHash, FlowTable, List, host};
use crate::net::disciplines::{DisciplineParameters, Fault, Mechanics, ParameterList, Server};
use crate::net::packet::Packet;
use crate::net::queue::{Buffer, Port, QueueDiscipline, Queued};

parameters! {
    /// Parameters of CAKE.
    pub struct CakeParameters {
        target: f64 = 0.005, [1e-6, 10.0], "s", "Acceptable standing queue delay of a flow; raised to the time of 1.5 full-sized packets";
        interval: f64 = 0.1, [1e-6, 100.0], "s", "Time above the target before the first signal, and scale of the time between signals";
        ecn: bool = true, "ECN-capable packets are marked instead of dropped, except by BLUE";
        quantum: Option<u64> = None, [64.0, 1e6], "bytes", "Bytes that a host's flows may send in a round; none: by the rate, from 300 to a full-sized packet";
        hosts: bool = true, "Hosts that packets are bound for get equal shares (dual-dsthost); else flows do";
    }
}

/// Deficits are kept in units of 2^-16 bytes, so that a host's quantum can be divided among its flows.
const BYTE: u32 = 16;

impl DisciplineParameters for CakeParameters {
    const SOURCE: &'static str = "Linux sch_cake.c; Hoiland-Jorgensen, Taht, Morton 2018";
    const CONTROL: &'static str = "signals that set the spacing, of the flow with the most bytes";

    fn faults(&self, _buffer: Option<Buffer>) -> Vec<Fault> {
        let mut faults = self.out_of_range();
        faults.extend(target_above_interval(self.target, self.interval));
        faults
    }

    fn mechanics(&self, server: &Server) -> Mechanics {
        let &Self { target, interval, ecn, .. } = self;
        let cobalt = CobaltParameters { target, interval, ecn, ..CobaltParameters::default() };
        let quantum = self.quantum.unwrap_or_else(|| quantum(server));
        let queue = Cake {
            table: FlowTable::new(FlowHash::new(&server.streams, server.station, 0)),
            hosts: Hosts::default(),
            controller: cobalt.control(server),
            buffer: server.buffer,
            quantum: i64::try_from(quantum << BYTE).unwrap_or(i64::MAX),
            isolates_hosts: self.hosts,
            draws: Draws::new(&server.streams, server.station),
            taken: 0,
        };
        Mechanics { queue: Some(Box::new(queue)), ..Mechanics::default() }
    }
}

/// CAKE's quantum: what the link sends in 1/4096 s, at least 300 bytes and at most a full-sized packet, which CAKE takes as
/// 1514 with Ethernet's header. Were it more, a flow with one packet at a time would stay sparse at any rate.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within its bounds")]
fn quantum(server: &Server) -> u64 {
    let mtu = server.mtu();
    let rate = f64::from(mtu) / server.service().time(mtu).seconds();
    (rate / 4096.0).min(f64::from(mtu)).max(300.0) as u64
}

/// Set that a flow is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Set {
    /// On no list.
    #[default]
    None,
    /// New: it has not used up a quantum.
    Sparse,
    /// Empty, among the bulk flows until its turn, but not counted as one.
    SparseWait,
    /// It has used up a quantum.
    Bulk,
    /// Empty, its COBALT not at rest.
    Decaying,
}

#[derive(Clone, Copy, Debug, Default)]
struct CakeFlow {
    cobalt: State,
    host: u32,
    set: Set,
}

/// See the module.
#[derive(Debug)]
struct Cake {
    table: FlowTable<CakeFlow>,
    hosts: Hosts,
    controller: Controller,
    buffer: Option<Buffer>,
    quantum: i64,
    isolates_hosts: bool,
    draws: Draws,
    /// Packets taken out: their numbers among the draws.
    taken: u64,
}

impl Cake {
    fn admit(&mut self, arrival: Queued, port: &Port<'_>) {
        let (flow, known) = self.table.append(arrival, |_| false);
        if !known {
            let packet = &arrival.packet;
            let host = self.isolates_hosts.then(|| host(packet, port.headers.extent(packet)));
            self.table.flow_mut(flow).state.host = self.hosts.join(host.unwrap_or(u64::from(flow)));
        }
        let CakeFlow { host, set, .. } = self.table.flow(flow).state;
        match set {
            Set::None | Set::Decaying => {
                self.table.move_to(List::New, flow);
                self.table.flow_mut(flow).deficit = self.share(host);
                self.table.flow_mut(flow).state.set = Set::Sparse;
            }
            Set::SparseWait => self.becomes_bulk(flow),
            Set::Sparse | Set::Bulk => {}
        }
    }

    /// Quantum of a flow: its host's, divided among the host's bulk flows.
    fn share(&self, host: u32) -> i64 {
        self.quantum / i64::from(self.hosts.bulk(host).max(1))
    }

    fn becomes_bulk(&mut self, flow: u32) {
        let state = &mut self.table.flow_mut(flow).state;
        state.set = Set::Bulk;
        self.hosts.add_bulk(state.host);
    }

    /// The buffer overflowed: the longest queue loses the packet at its head.
    #[cold]
    fn overflow(&mut self, port: &mut Port<'_>) {
        while self.table.is_beyond(self.buffer) {
            let Some(fattest) = self.table.fattest() else { return };
            let Some(head) = self.table.pop(fattest) else { return };
            self.table.flow_mut(fattest).state.cobalt.queue_full(&self.controller, port.now);
            port.drop(&head, Cause::Overlimit);
        }
    }

    /// The first flow in turn. A look at a decaying one comes first, once per packet.
    fn first(&self, polled: bool) -> Option<u32> {
        let decaying = self.table.first(List::Resting);
        let lists = || self.table.first(List::New).or_else(|| self.table.first(List::Old));
        if polled { lists().or(decaying) } else { decaying.or_else(lists) }
    }

    /// The flow has used its quantum up: it gets another, behind the others.
    fn renew(&mut self, flow: u32) {
        let CakeFlow { host, set, .. } = self.table.flow(flow).state;
        if set == Set::Sparse {
            if self.table.is_empty(flow) {
                self.table.flow_mut(flow).state.set = Set::SparseWait;
            } else {
                self.becomes_bulk(flow);
            }
        }
        self.table.flow_mut(flow).deficit += self.share(host);
        self.table.move_to(List::Old, flow);
    }

    /// Take the next packet of a flow that COBALT lets go.
    fn take(&mut self, flow: u32, port: &mut Port<'_>) -> Option<Queued> {
        while let Some(mut next) = self.table.pop(flow) {
            self.taken += 1;
            let last = self.table.is_empty(flow);
            let (draws, taken) = (&mut self.draws, self.taken);
            let cobalt = &mut self.table.flow_mut(flow).state.cobalt;
            match cobalt.signal(&self.controller, &mut next, last, port, || draws.uniform(taken, 0)) {
                None => return Some(next),
                Some(cause) => port.drop(&next, cause),
            }
        }
        None
    }

    /// The flow had no packet: it decays, or is forgotten.
    fn retire(&mut self, flow: u32, port: &Port<'_>) {
        let state = &mut self.table.flow_mut(flow).state;
        state.cobalt.queue_empty(&self.controller, port.now);
        let (host, was_bulk) = (state.host, state.set == Set::Bulk);
        state.set = Set::Decaying;
        let at_rest = state.cobalt.is_at_rest(port.now);
        if was_bulk {
            self.hosts.remove_bulk(host);
        }
        if at_rest {
            self.table.forget(flow);
            self.hosts.leave(host);
        } else {
            self.table.move_to(List::Resting, flow);
        }
    }
}

impl QueueDiscipline for Cake {
    fn enqueue(&mut self, arrival: Queued, port: &mut Port<'_>) {
        self.admit(arrival, port);
        if self.table.is_beyond(self.buffer) {
            self.overflow(port);
        }
    }

    fn pass(&mut self, arrival: Queued, port: &mut Port<'_>) -> Option<Queued> {
        self.admit(arrival, port);
        self.dequeue(port)
    }

    fn dequeue(&mut self, port: &mut Port<'_>) -> Option<Queued> {
        let mut polled = false;
        while self.table.len() > 0 {
            let flow = self.first(polled)?;
            polled = true;
            if self.table.flow(flow).deficit <= 0 {
                self.renew(flow);
                continue;
            }
            match self.take(flow, port) {
                Some(next) => {
                    self.table.flow_mut(flow).deficit -= i64::from(next.bytes) << BYTE;
                    return Some(next);
                }
                None => self.retire(flow, port),
            }
        }
        None
    }

    fn empty_is_final(&self) -> bool {
        true
    }

    fn len(&self) -> usize {
        self.table.len()
    }

    fn bytes(&self) -> u64 {
        self.table.bytes()
    }

    /// Signals that set the spacing, of the flow with the most bytes.
    fn control(&self) -> f64 {
        self.table.fattest().map_or(0.0, |flow| f64::from(self.table.flow(flow).state.cobalt.count))
    }

    fn each(&self, see: &mut dyn FnMut(&Packet)) {
        self.table.each(see);
    }

    fn memory(&self) -> usize {
        self.table.memory() + self.hosts.memory()
    }
}
