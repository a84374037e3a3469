//! PI2 (De Schepper, Bondarenko, Tsang, Briscoe, Conext 2016): a linear controller of the queue's delay whose output is
//! squared for Classic traffic. It is the Classic queue of [RFC 9332], appendix A, alone. Page: `docs/models/pi2.md`.
//!
//! Names are those of the RFC's pseudocode.
//!
//! [RFC 9332]: https://www.rfc-editor.org/rfc/rfc9332

#[cfg(test)]
mod tests;

use congestion::{Duration, Time};

use super::{DisciplineParameters, Fault, Fifo, Mechanics, Parameter, Server};
use crate::kernel::rng::Draws;
use crate::measure::queue::Cause;
use crate::net::packet::{Codepoint, Packet};
use crate::net::queue::{Buffer, Port, QueueDiscipline, Queued};

parameters! {
    /// Parameters of PI2.
    pub struct Pi2Parameters {
        target: f64 = 0.015, [1e-6, 10.0], "s", "Queue delay that the controller aims at";
        t_update: f64 = 0.016, [1e-6, 10.0], "s", "Time between updates of the probability (`Tupdate`)";
        alpha: f64 = 0.16, [1e-9, 1e6], "1/s", "Integral gain, per update";
        beta: f64 = 3.2, [0.0, 1e6], "1/s", "Proportional gain, per update";
        k: f64 = 2.0, [0.01, 100.0], "1", "Coupling factor: ECT(1) is marked with k p', Classic traffic with p' squared";
        ecn: bool = false, "ECN-capable packets are marked instead of dropped";
        recur: bool = true, "A counter decides instead of chance, as in figure 4 of RFC 9332";
    }
}

impl Pi2Parameters {
    /// Controller with these parameters.
    #[must_use]
    pub fn control(&self) -> Pi {
        Pi {
            target: self.target,
            t_update: Duration::from_seconds(self.t_update),
            alpha: self.alpha,
            beta: self.beta,
            ..Pi::default()
        }
    }
}

impl DisciplineParameters for Pi2Parameters {
    const SOURCE: &'static str = "De Schepper et al., Conext 2016; RFC 9332 appendix A";

    fn list() -> Vec<Parameter> {
        Self::list()
    }

    fn faults(&self, _buffer: Option<Buffer>) -> Vec<Fault> {
        self.out_of_range()
    }

    fn mechanics(&self, server: &Server) -> Mechanics {
        let queue = Pi2 {
            queue: Fifo::new(server.buffer),
            pi: self.control(),
            k: self.k,
            ecn: self.ecn,
            recur: self.recur,
            counts: [0.0; 2],
            departures: 0,
            draws: Draws::new(&server.streams, server.station),
        };
        Mechanics { rule: None, queue: Some(Box::new(queue)) }
    }
}

/// PI controller of a queue's delay; DualPI2's is the same. Updates are due at the multiples of `t_update`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pi {
    /// [s].
    target: f64,
    t_update: Duration,
    alpha: f64,
    beta: f64,
    /// Base probability, p'.
    pub p: f64,
    prevq: Duration,
    /// Time of the next update.
    update_at: Time,
}

impl Pi {
    /// Make up for the updates that are due by `now`, while `head` is the time of arrival of the first packet in the
    /// queue, if there is one. Between packets that stays as it is, so this is exact.
    pub fn advance(&mut self, head: Option<Time>, now: Time) {
        while self.update_at <= now {
            let before = (self.p.to_bits(), self.prevq);
            self.update(head.map_or(Duration::ZERO, |head| self.update_at.since(head)));
            self.update_at += self.t_update;
            if (self.p.to_bits(), self.prevq) == before && head.is_none() && self.update_at <= now {
                // The queue is empty and the probability at rest.
                self.update_at += self.t_update * (now.since(self.update_at) / self.t_update + 1);
            }
        }
    }

    /// RFC 9332, figure 6: "p' = p' + alpha * (curq - target) + beta * (curq - prevq)", clamped to [0, 1].
    /// <https://www.rfc-editor.org/rfc/rfc9332#appendix-A.1>
    pub fn update(&mut self, curq: Duration) {
        let change = self.beta * (curq.seconds() - self.prevq.seconds());
        self.p = (self.p + self.alpha * (curq.seconds() - self.target) + change).clamp(0.0, 1.0);
        self.prevq = curq;
    }
}

/// RFC 9332, figure 4: "Returns TRUE with a certain likelihood", without chance.
#[must_use]
pub fn recur(count: &mut f64, likelihood: f64) -> bool {
    *count += likelihood;
    let hit = *count > 1.0;
    if hit {
        *count -= 1.0;
    }
    hit
}

/// One queue under PI2.
#[derive(Debug)]
struct Pi2 {
    queue: Fifo,
    pi: Pi,
    k: f64,
    ecn: bool,
    recur: bool,
    /// Counters of Classic and of scalable traffic.
    counts: [f64; 2],
    /// Packets taken out: the number of a packet among the draws.
    departures: u64,
    draws: Draws,
}

impl Pi2 {
    /// `true` for one packet in 1 / `likelihood`; `class` is 0 for Classic traffic, 1 for scalable.
    fn hits(&mut self, class: usize, likelihood: f64) -> bool {
        if self.recur {
            return recur(&mut self.counts[class], likelihood);
        }
        likelihood > 0.0 && self.draws.uniform(self.departures, class) < likelihood
    }

    /// RFC 9332, figure 4: `true` if the packet goes on, marked or not. Classic traffic is dropped or marked with p' squared,
    /// scalable traffic marked with k p'; where that would be more than 1, both are dropped with p' squared (section 4.2).
    fn sends(&mut self, packet: &mut Queued, port: &mut Port<'_>) -> bool {
        let (p_cl, p_c) = (self.k * self.pi.p, self.pi.p * self.pi.p);
        let overload = p_cl >= 1.0;
        let scalable = self.ecn && matches!(packet.packet.codepoint(), Codepoint::Ect1 | Codepoint::Ce);
        if scalable && !overload {
            if self.hits(1, p_cl) {
                port.mark(packet, Cause::Early);
            }
            return true;
        }
        if self.hits(0, p_c) {
            let cause = if overload && self.ecn { Cause::Overload } else { Cause::Early };
            if overload || !self.ecn || !port.mark(packet, Cause::Early) {
                port.drop(packet, cause);
                return false;
            }
        } else if scalable {
            port.mark(packet, Cause::Overload);
        }
        true
    }

    fn advance(&mut self, now: Time) {
        self.pi.advance(self.queue.head().map(|head| head.packet.time), now);
    }
}

impl QueueDiscipline for Pi2 {
    fn enqueue(&mut self, arrival: Queued, port: &mut Port<'_>) {
        self.advance(port.now);
        if !self.queue.push(arrival) {
            port.drop(&arrival, Cause::Overlimit);
        }
    }

    fn dequeue(&mut self, port: &mut Port<'_>) -> Option<Queued> {
        self.advance(port.now);
        loop {
            let mut next = self.queue.pop()?;
            let sent = self.sends(&mut next, port);
            self.departures += 1;
            if sent {
                return Some(next);
            }
        }
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn bytes(&self) -> u64 {
        self.queue.bytes()
    }

    /// Base probability p' at the last packet that came or went; Classic traffic has its square.
    fn control(&self) -> f64 {
        self.pi.p
    }

    fn each(&self, see: &mut dyn FnMut(&Packet)) {
        self.queue.each(see);
    }

    fn memory(&self) -> usize {
        self.queue.memory()
    }
}
