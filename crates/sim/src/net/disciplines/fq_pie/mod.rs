//! Flow Queue PIE: deficit round robin over hashed queues as in FQ-CoDel, with [PIE] in each. Page:
//! `docs/models/fq-pie.md`.
//!
//! [PIE]: https://www.rfc-editor.org/rfc/rfc8033

#[cfg(test)]
mod tests;

use crate::kernel::rng::Draws;
use crate::measure::queue::Cause;
use crate::net::departures::Waiting;
use crate::net::disciplines::flows::{FlowHash, FlowTable, List};
use crate::net::disciplines::pie::{Controller, PieParameters, State};
use crate::net::disciplines::{DisciplineParameters, Mechanics, Server};
use crate::net::queue::{Buffer, Port, QueueDiscipline, Queued};

parameters! {
    /// Parameters of FQ-PIE.
    pub struct FqPieParameters {
        target: f64 = 0.015, [1e-6, 10.0], "s", "Latency of a flow that the controller aims at (`QDELAY_REF`)";
        t_update: f64 = 0.015, [1e-6, 10.0], "s", "Time between updates of the drop probabilities (`T_UPDATE`)";
        alpha: f64 = 0.125, [1e-9, 1e6], "1/s", "Weight of the latency beyond the target, per update";
        beta: f64 = 1.25, [0.0, 1e6], "1/s", "Weight of the change of the latency, per update";
        max_burst: f64 = 0.15, [0.0, 100.0], "s", "Time for which a burst is let through after quiet (`MAX_BURST`)";
        ecn: bool = true, "ECN-capable packets are marked instead of dropped, up to `mark_ecnth`";
        mark_ecnth: f64 = 0.1, [0.0, 1.0], "1", "Drop probability from which ECN-capable packets are dropped too";
        derandomize: bool = false, "Drops keep a distance from each other (RFC 8033 section 5.4)";
        cap_drop_adjustment: bool = true, "Above 10 % a drop probability rises by at most 2 % per update";
        flows: u64 = 1024, [0.0, 65536.0], "1", "Queues that flows are hashed into; 0: a queue of its own for every flow";
        quantum: Option<u64> = None, [64.0, 1e6], "bytes", "Bytes that a flow may send in a round; none: one full-sized packet";
    }
}

impl FqPieParameters {
    fn pie(&self) -> PieParameters {
        PieParameters {
            target: self.target,
            t_update: self.t_update,
            alpha: self.alpha,
            beta: self.beta,
            max_burst: self.max_burst,
            ecn: self.ecn,
            mark_ecnth: self.mark_ecnth,
            derandomize: self.derandomize,
            cap_drop_adjustment: self.cap_drop_adjustment,
        }
    }
}

impl DisciplineParameters for FqPieParameters {
    const SOURCE: &'static str = "draft-tahiliani-tsvwg-fq-pie; Linux sch_fq_pie.c";
    const CONTROL: &'static str = "drop probability of the flow with the most bytes";

    fn mechanics(&self, server: &Server) -> Mechanics {
        let mtu = server.mtu();
        let queue = FqPie {
            table: FlowTable::new(FlowHash::new(&server.streams, server.station, self.flows)),
            controller: self.pie().control(mtu),
            buffer: server.buffer,
            quantum: self.quantum.map_or(i64::from(mtu), |bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
            draws: Draws::new(&server.streams, server.station),
            arrivals: 0,
        };
        Mechanics { queue: Some(Box::new(queue)), ..Mechanics::default() }
    }
}

/// See the module.
#[derive(Debug)]
struct FqPie {
    table: FlowTable<State>,
    controller: Controller,
    buffer: Option<Buffer>,
    quantum: i64,
    draws: Draws,
    /// Packets that have arrived: the number of a packet among the draws.
    arrivals: u64,
}

impl FqPie {
    fn has_room(&self, bytes: u32) -> bool {
        let waiting = Waiting { packets: self.table.len() as u64, bytes: self.table.bytes() };
        Buffer::has_room(self.buffer, waiting, bytes)
    }
}

impl QueueDiscipline for FqPie {
    /// PIE judges a packet by the state and the bytes of its own queue.
    fn enqueue(&mut self, arrival: Queued, port: &mut Port<'_>) {
        let mut arrival = arrival;
        self.arrivals += 1;
        let has_room = self.has_room(arrival.bytes);
        let Self { table, controller, draws, arrivals, .. } = self;
        if !has_room {
            if let Some(flow) = table.known_flow(&arrival.packet) {
                table.flow_mut(flow).state.overflows();
            }
            port.drop(&arrival, Cause::Overlimit);
            return;
        }
        let (flow, _) = table.flow_of(&arrival.packet, |state| state.is_forgettable(controller, port.now));
        let backlog = table.flow(flow).bytes;
        let state = &mut table.flow_mut(flow).state;
        state.advance(controller, port.now);
        let early = state.drop_early(controller, backlog, || draws.uniform(*arrivals, 0));
        if early && !state.marks(controller, &mut arrival, port) {
            port.drop(&arrival, Cause::Early);
            return;
        }
        table.push(flow, arrival);
        if matches!(table.list(flow), List::None | List::Resting) {
            table.flow_mut(flow).deficit = self.quantum;
            table.move_to(List::New, flow);
        }
    }

    /// A packet that finds nobody waiting does not touch the queues.
    fn pass(&mut self, arrival: Queued, _port: &mut Port<'_>) -> Option<Queued> {
        self.arrivals += 1;
        Some(arrival)
    }

    fn dequeue(&mut self, port: &mut Port<'_>) -> Option<Queued> {
        let Self { table, controller, quantum, .. } = self;
        let now = port.now;
        table.round_robin(
            *quantum,
            |state| state.is_forgettable(controller, now),
            |table, flow| {
                let next = table.pop(flow)?;
                let emptied = table.is_empty(flow);
                let state = &mut table.flow_mut(flow).state;
                state.advance(controller, now);
                state.departs(next.sojourn(now), emptied);
                Some(next)
            },
        )
    }

    fn empty_is_final(&self) -> bool {
        true
    }

    answers_of!(table);

    /// Drop probability of the flow with the most bytes.
    fn control(&self) -> f64 {
        self.table.fattest().map_or(0.0, |flow| self.table.flow(flow).state.drop_prob)
    }
}
