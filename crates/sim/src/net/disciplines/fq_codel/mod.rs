//! Flow Queue CoDel ([RFC 8290]): deficit round robin over hashed queues with CoDel in each. Page:
//! `docs/models/fq-codel.md`.
//!
//! [RFC 8290]: https://www.rfc-editor.org/rfc/rfc8290

use crate::measure::queue::Cause;
use crate::net::disciplines::codel::{CodelParameters, Controller, Packets, State, target_above_interval};
use crate::net::disciplines::flows::{FlowHash, FlowTable, List};
use crate::net::disciplines::{DisciplineParameters, Fault, Mechanics, ParameterList, Server};
use crate::net::queue::{Buffer, Port, QueueDiscipline, Queued};

parameters! {
    /// Parameters of FQ-CoDel.
    pub struct FqCodelParameters {
        target: f64 = 0.005, [1e-6, 10.0], "s", "Acceptable standing queue delay of a flow (TARGET of CoDel)";
        interval: f64 = 0.1, [1e-6, 100.0], "s", "Time in which the delay has to come below the target once (INTERVAL of CoDel)";
        ecn: bool = true, "ECN-capable packets are marked instead of dropped";
        ce_threshold: Option<f64> = None, [0.0, 10.0], "s", "Sojourn time above which ECN-capable packets are marked, whatever the state; Linux's";
        flows: u64 = 1024, [0.0, 65536.0], "1", "Queues that flows are hashed into; 0: a queue of its own for every flow";
        quantum: Option<u64> = None, [64.0, 1e6], "bytes", "Bytes that a flow may send in a round; none: one full-sized packet";
        own_backlog: bool = false, "CoDel never drops while an MTU or less waits in the flow's own queue (ns-3), instead of in all (RFC 8289, Linux)";
        drop_batch: u64 = 64, [1.0, 1e6], "packets", "Packets dropped at most when the buffer overflows";
    }
}

impl DisciplineParameters for FqCodelParameters {
    const SOURCE: &'static str = "RFC 8290";
    const CONTROL: &'static str = "signals in the dropping state, of the flow with the most bytes";

    fn faults(&self, _buffer: Option<Buffer>) -> Vec<Fault> {
        let mut faults = self.out_of_range();
        faults.extend(target_above_interval(self.target, self.interval));
        faults
    }

    fn mechanics(&self, server: &Server) -> Mechanics {
        let &Self { target, interval, ecn, ce_threshold, .. } = self;
        let codel = CodelParameters { target, interval, ecn, ce_threshold };
        let mtu = server.mtu();
        let queue = FqCodel {
            table: FlowTable::new(FlowHash::new(&server.streams, server.station, self.flows)),
            controller: codel.control(mtu),
            buffer: server.buffer,
            quantum: self.quantum.map_or(i64::from(mtu), |bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
            own_backlog: self.own_backlog,
            drop_batch: u32::try_from(self.drop_batch).unwrap_or(u32::MAX),
        };
        Mechanics { queue: Some(Box::new(queue)), ..Mechanics::default() }
    }
}

/// See the module.
#[derive(Debug)]
struct FqCodel {
    table: FlowTable<State>,
    controller: Controller,
    buffer: Option<Buffer>,
    quantum: i64,
    own_backlog: bool,
    drop_batch: u32,
}

/// Queue of one flow. CoDel compares the backlog of the whole discipline with one MTU, as RFC 8289 section 4.4 and
/// Linux have it, or that of the queue, as ns-3 does it.
struct FlowQueue<'a> {
    table: &'a mut FlowTable<State>,
    flow: u32,
    own_backlog: bool,
}

impl Packets for FlowQueue<'_> {
    #[inline]
    fn pop(&mut self) -> Option<Queued> {
        self.table.pop(self.flow)
    }

    #[inline]
    fn backlog(&self) -> u64 {
        if self.own_backlog { self.table.flow(self.flow).bytes } else { self.table.bytes() }
    }
}

impl FqCodel {
    /// Section 4.1, overflow: packets are dropped from the head of the queue with the most bytes, up to half of its
    /// bytes or a batch, so that the search for it costs little per packet. As in Linux CoDel counts them as its own.
    #[cold]
    fn overflow(&mut self, port: &mut Port<'_>) {
        while self.table.is_beyond(self.buffer) {
            let Some(fattest) = self.table.fattest() else { return };
            let half = self.table.flow(fattest).bytes / 2;
            let (mut packets, mut bytes) = (0, 0);
            while let Some(head) = self.table.pop(fattest) {
                port.drop(&head, Cause::Overlimit);
                packets += 1;
                bytes += u64::from(head.bytes);
                if packets >= self.drop_batch || bytes >= half {
                    break;
                }
            }
            let count = &mut self.table.flow_mut(fattest).state.count;
            *count = count.saturating_add(packets);
        }
    }
}

impl QueueDiscipline for FqCodel {
    fn enqueue(&mut self, arrival: Queued, port: &mut Port<'_>) {
        let Self { table, controller, quantum, .. } = self;
        let (flow, _) = table.append(arrival, |state| state.is_forgettable(controller, port.now));
        // Section 4.1: a queue that is on neither list is appended to that of the new ones, with one quantum of credits.
        if matches!(table.list(flow), List::None | List::Resting) {
            table.flow_mut(flow).deficit = *quantum;
            table.move_to(List::New, flow);
        }
        if table.is_beyond(self.buffer) {
            self.overflow(port);
        }
    }

    /// A packet that finds nobody waiting does not touch the queues, as in Linux.
    fn pass(&mut self, arrival: Queued, _port: &mut Port<'_>) -> Option<Queued> {
        Some(arrival)
    }

    fn dequeue(&mut self, port: &mut Port<'_>) -> Option<Queued> {
        let Self { table, controller, quantum, own_backlog, .. } = self;
        let (now, own_backlog) = (port.now, *own_backlog);
        table.round_robin(
            *quantum,
            |state| state.is_forgettable(controller, now),
            |table, flow| {
                let mut state = table.flow(flow).state;
                let next = state.dequeue(controller, &mut FlowQueue { table, flow, own_backlog }, port);
                table.flow_mut(flow).state = state;
                next
            },
        )
    }

    fn empty_is_final(&self) -> bool {
        true
    }

    answers_of!(table);

    /// Drops of the flow with the most bytes since it entered the dropping state; 0 outside of it.
    fn control(&self) -> f64 {
        let fattest = self.table.fattest();
        fattest.map_or(0.0, |flow| f64::from(self.table.flow(flow).state.signals()))
    }
}

#[cfg(test)]
mod tests;
