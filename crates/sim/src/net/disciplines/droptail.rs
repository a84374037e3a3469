//! First in, first out; arrivals beyond the buffer are dropped.

use serde::{Deserialize, Serialize};

use super::step::MarkAbove;
use super::{DisciplineParameters, Fault, Fifo, Mechanics, Parameter, Server};
use crate::measure::queue::Cause;
use crate::net::queue::{Buffer, Port, QueueDiscipline, Queued};

parameters! {
    /// Parameters of drop-tail.
    pub struct DropTailParameters {
        mark_above: MarkAbove = MarkAbove(None), [0.0, MarkAbove::MAX], "packets",
            "Packets that may wait before ECN-capable arrivals are marked, as with `step`; none marks nothing";
    }
}

impl DisciplineParameters for DropTailParameters {
    const SOURCE: &'static str = "RFC 7567 section 2";

    fn list() -> Vec<Parameter> {
        Self::list()
    }

    fn faults(&self, _buffer: Option<Buffer>) -> Vec<Fault> {
        self.out_of_range()
    }

    fn mechanics(&self, _server: &Server) -> Mechanics {
        Mechanics { rule: self.mark_above.rule(), queue: None }
    }
}

/// Parameters of drop-tail with a real queue.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct QueuedDropTailParameters {
    /// Threshold of marks, if there are any.
    #[serde(default)]
    pub mark_above: MarkAbove,
}

impl DisciplineParameters for QueuedDropTailParameters {
    const SOURCE: &'static str = "RFC 7567 section 2";
    const INTERNAL: bool = true;

    fn mechanics(&self, server: &Server) -> Mechanics {
        let queue = DropTail(Fifo::new(server.buffer));
        Mechanics { rule: self.mark_above.rule(), queue: Some(Box::new(queue)) }
    }
}

/// Drop-tail with a real queue.
#[derive(Debug)]
pub struct DropTail(Fifo);

impl QueueDiscipline for DropTail {
    fn enqueue(&mut self, arrival: Queued, port: &mut Port<'_>) {
        if !self.0.push(arrival) {
            port.drop(&arrival, Cause::Overlimit);
        }
    }

    fn pass(&mut self, arrival: Queued, _port: &mut Port<'_>) -> Option<Queued> {
        Some(arrival)
    }

    fn dequeue(&mut self, _port: &mut Port<'_>) -> Option<Queued> {
        self.0.pop()
    }

    fn empty_is_final(&self) -> bool {
        true
    }

    answers_of!(0);
}
