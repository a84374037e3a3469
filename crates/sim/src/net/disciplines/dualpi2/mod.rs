//! Coupled `DualQ` with PI2 ([RFC 9332] appendix A): a queue for scalable and one for classic traffic, with coupled
//! signals. Page: `docs/models/dualpi2.md`.
//!
//! Names are those of the RFC's pseudocode. Parameters reach the form of Linux's `sch_dualpi2`, too; the page lists them.
//!
//! [RFC 9332]: https://www.rfc-editor.org/rfc/rfc9332

#[cfg(test)]
mod tests;

use congestion::Time;

use crate::kernel::rng::Draws;
use crate::measure::queue::Cause;
use crate::net::departures::Waiting;
use crate::net::disciplines::pi::{Pi, recur};
use crate::net::disciplines::{DisciplineParameters, Fault, Fifo, Mechanics, ParameterList, Server};
use crate::net::packet::Packet;
use crate::net::queue::{Buffer, Port, QueueDiscipline, Queued};

parameters! {
    /// Parameters of DualPI2.
    pub struct DualPi2Parameters {
        target: f64 = 0.015, [1e-6, 10.0], "s", "Target of the classic queue's delay";
        t_update: f64 = 0.015, [1e-4, 10.0], "s", "Time between two updates of the base probability p'";
        alpha: f64 = 0.15, [0.0, 1e6], "1/s", "Integral gain of p'";
        beta: f64 = 3.0, [0.0, 1e6], "1/s", "Proportional gain of p'";
        k: f64 = 2.0, [1.0, 100.0], "1", "Coupling factor: L4S packets are marked with k p', classic ones with the square of p'";
        min_th: f64 = 0.0008, [0.0, 10.0], "s", "Sojourn time from which the L4S queue marks on its own";
        range: f64 = 0.0004, [0.0, 10.0], "s", "Sojourn time in which its marks rise from none to all; 0: a step";
        th_len: u64 = 1, [0.0, 1e6], "packets", "L4S packets, with the one that leaves, up to which it does not mark on its own";
        classic_weight: f64 = 0.0625, [0.0, 1.0], "1", "Share of the classic queue while both have packets";
        min_backlog: u64 = 0, [0.0, 1e6], "packets", "Full-sized packets that must be left behind for p' to signal";
        drop_overload: bool = true, "Beyond saturation packets are dropped, ECN-capable or not; else the queue grows";
        random: bool = false, "Signals are drawn at random instead of spaced evenly";
    }
}

impl DisciplineParameters for DualPi2Parameters {
    const SOURCE: &'static str = "RFC 9332";
    const CONTROL: &'static str = "base probability p'";

    fn faults(&self, buffer: Option<Buffer>) -> Vec<Fault> {
        let mut faults = self.out_of_range();
        if let Some(Buffer::Packets(room)) = buffer
            && self.th_len >= room
        {
            let message = format!("expected less than the buffer of {room} packets, got {}", self.th_len);
            faults.push(Fault { parameter: "th_len", message });
        }
        faults
    }

    fn mechanics(&self, server: &Server) -> Mechanics {
        Mechanics { queue: Some(Box::new(self.queue(server))), ..Mechanics::default() }
    }
}

impl DualPi2Parameters {
    fn queue(&self, server: &Server) -> DualPi2 {
        let most = if self.drop_overload { 1.0 } else { 1.0 / self.k };
        let base = Pi::new(self.target, self.t_update, [self.alpha, self.beta], most);
        let mtu = f64::from(server.mtu());
        let idle_credit = mtu * (2.0 * self.classic_weight - 1.0);
        let draws = || Box::new([L, C].map(|_| Draws::new(&server.streams, server.station)));
        DualPi2 {
            queues: [Fifo::new(None), Fifo::new(None)],
            buffer: server.buffer,
            base,
            marking: *self,
            min_backlog: self.min_backlog * u64::from(server.mtu()),
            credit: idle_credit,
            idle_credit,
            count: [0.0; 2],
            taken: [0; 2],
            draws: self.random.then(draws),
        }
    }
}

/// The L4S and the classic queue.
const L: usize = 0;
const C: usize = 1;
/// Packet numbers of the classic queue begin here, so that the queues do not share random numbers.
const CLASSIC_DRAWS: u64 = 1 << 33;

/// See the module.
#[derive(Debug)]
struct DualPi2 {
    queues: [Fifo; 2],
    buffer: Option<Buffer>,
    base: Pi,
    marking: DualPi2Parameters,
    min_backlog: u64,
    /// Credit of the weighted round robin [bytes, weighted]: the L4S queue's turn while it is not positive; and what it
    /// is reset to when both queues are empty.
    credit: f64,
    idle_credit: f64,
    /// Signals that are due, per queue (`recur`).
    count: [f64; 2],
    /// Packets taken out of each queue: their numbers for random draws.
    taken: [u64; 2],
    draws: Option<Box<[Draws; 2]>>,
}

/// Appendix A.1, figure 3: ECT(1) and CE go to the L4S queue, the low bit of the ECN field.
#[inline]
fn classify(packet: &Packet) -> usize {
    if packet.codepoint() as u16 & 1 == 1 { L } else { C }
}

impl DualPi2 {
    #[inline]
    fn advance(&mut self, now: Time) {
        let head = |queue: usize| self.queues[queue].head().map(|head| head.packet.time);
        // The greater of the two delays: without classic traffic the L4S queue is the one that may overload.
        let oldest = match (head(L), head(C)) {
            (Some(l), Some(c)) => Some(l.min(c)),
            (l, c) => l.or(c),
        };
        self.base.advance(now, oldest);
    }

    /// Weighted round robin (appendix A.1 leaves the scheduler open; Linux's): the queue whose turn it is, and what a
    /// byte of it adds to the credit. Nothing moves while one queue is empty.
    #[inline]
    fn schedule(&mut self) -> Option<(usize, f64)> {
        let weight = self.marking.classic_weight;
        match self.queues.each_ref().map(|queue| !queue.is_empty()) {
            [true, true] if self.credit <= 0.0 => Some((L, weight)),
            [true, true] => Some((C, weight - 1.0)),
            [true, false] => Some((L, 0.0)),
            [false, true] => Some((C, 0.0)),
            [false, false] => {
                self.credit = self.idle_credit;
                None
            }
        }
    }

    /// Appendix A.1, figure 5: likelihood of a mark of the L4S queue's own, for a packet that leaves `behind` others.
    #[inline]
    fn laqm(&self, packet: &Queued, behind: usize, now: Time) -> f64 {
        if (behind as u64) < self.marking.th_len {
            return 0.0;
        }
        let above = packet.sojourn(now).seconds() - self.marking.min_th;
        if self.marking.range > 0.0 {
            (above / self.marking.range).clamp(0.0, 1.0)
        } else {
            f64::from(u8::from(above > 0.0))
        }
    }

    fn draw(&mut self, queue: usize, purpose: usize) -> Option<f64> {
        let number = self.taken[queue] + if queue == C { CLASSIC_DRAWS } else { 0 };
        self.draws.as_mut().map(|draws| draws[queue].uniform(number, purpose))
    }

    /// Linear: a signal with `likelihood`.
    #[inline]
    fn linear(&mut self, queue: usize, likelihood: f64) -> bool {
        if self.draws.is_none() {
            return recur(&mut self.count[queue], likelihood);
        }
        likelihood >= 1.0 || (likelihood > 0.0 && self.draw(queue, 0).is_some_and(|draw| draw < likelihood))
    }

    /// Squared: a signal with `p_C` = p'^2; at random, where two draws are both below p'.
    #[inline]
    fn squared(&mut self, queue: usize) -> bool {
        let p = self.base.p;
        if self.draws.is_none() {
            return recur(&mut self.count[queue], p * p);
        }
        p > 0.0 && (0..2).all(|purpose| self.draw(queue, purpose).is_some_and(|draw| draw < p))
    }

    /// Figures 4 and 7: mark a packet that leaves its queue, or find the cause for which it is dropped.
    fn signal(&mut self, queue: usize, packet: &mut Queued, port: &mut Port<'_>) -> Option<Cause> {
        let coupled = self.bytes() >= self.min_backlog;
        let p_cl = if coupled { (self.marking.k * self.base.p).min(1.0) } else { 0.0 };
        // p_CL saturates where p_C reaches p_Cmax = 1/k^2: one condition for both queues.
        let overload = self.marking.drop_overload && p_cl >= 1.0;
        let cause = if queue == C {
            let signal = coupled && self.squared(C);
            match overload {
                _ if !signal => None,
                true => Some(Cause::Overload),
                false => (!port.mark(packet, Cause::Early)).then_some(Cause::Early),
            }
        } else if overload && self.squared(L) {
            Some(Cause::Overload)
        } else {
            let own = self.laqm(packet, self.queues[L].len(), port.now);
            if self.linear(L, own.max(p_cl)) {
                port.mark(packet, if own > p_cl { Cause::Step } else { Cause::Early });
            }
            None
        };
        self.taken[queue] += 1;
        cause
    }
}

impl QueueDiscipline for DualPi2 {
    /// Figure 3; both queues share the buffer.
    fn enqueue(&mut self, arrival: Queued, port: &mut Port<'_>) {
        self.advance(port.now);
        let waiting = Waiting { packets: self.len() as u64, bytes: self.bytes() };
        if Buffer::has_room(self.buffer, waiting, arrival.bytes) {
            self.queues[classify(&arrival.packet)].append(arrival);
        } else {
            port.drop(&arrival, Cause::Overlimit);
        }
    }

    fn pass(&mut self, arrival: Queued, port: &mut Port<'_>) -> Option<Queued> {
        self.advance(port.now);
        let mut arrival = arrival;
        match self.signal(classify(&arrival.packet), &mut arrival, port) {
            None => Some(arrival),
            Some(cause) => {
                port.drop(&arrival, cause);
                None
            }
        }
    }

    /// Figure 4: packets that are dropped do not count as served.
    fn dequeue(&mut self, port: &mut Port<'_>) -> Option<Queued> {
        self.advance(port.now);
        loop {
            let (queue, change) = self.schedule()?;
            let mut next = self.queues[queue].pop()?;
            match self.signal(queue, &mut next, port) {
                None => {
                    self.credit += change * f64::from(next.bytes);
                    return Some(next);
                }
                Some(cause) => port.drop(&next, cause),
            }
        }
    }

    fn len(&self) -> usize {
        self.queues[L].len() + self.queues[C].len()
    }

    fn bytes(&self) -> u64 {
        self.queues[L].bytes() + self.queues[C].bytes()
    }

    /// Base probability p' at the last arrival or departure.
    fn control(&self) -> f64 {
        self.base.p
    }

    fn each(&self, see: &mut dyn FnMut(&Packet)) {
        self.queues.iter().for_each(|queue| queue.each(see));
    }

    fn memory(&self) -> usize {
        let draws = if self.draws.is_some() { size_of::<[Draws; 2]>() } else { 0 };
        draws + self.queues.iter().map(Fifo::memory).sum::<usize>()
    }
}
