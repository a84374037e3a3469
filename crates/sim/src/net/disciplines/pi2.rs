//! PI2 (De Schepper, Bondarenko, Tsang, Briscoe, Conext 2016): a linear controller of the queue's delay whose output is
//! squared for Classic traffic. It is the Classic queue of [RFC 9332], appendix A, alone. Page: `docs/models/pi2.md`.
//!
//! Names are those of the RFC's pseudocode.
//!
//! [RFC 9332]: https://www.rfc-editor.org/rfc/rfc9332

#[cfg(test)]
mod tests;

use congestion::Time;

use super::pi::{Pi, recur};
use super::{DisciplineParameters, Fifo, Mechanics, Server};
use crate::kernel::rng::Draws;
use crate::measure::queue::Cause;
use crate::net::packet::Codepoint;
use crate::net::queue::{Port, QueueDiscipline, Queued};

parameters! {
    /// Parameters of PI2.
    pub struct Pi2Parameters {
        target: f64 = 0.015, [1e-6, 10.0], "s", "Queue delay that the controller aims at";
        t_update: f64 = 0.015, [1e-4, 10.0], "s", "Time between two updates of the base probability p'";
        alpha: f64 = 0.15, [0.0, 1e6], "1/s", "Integral gain of p'";
        beta: f64 = 3.0, [0.0, 1e6], "1/s", "Proportional gain of p'";
        k: f64 = 2.0, [0.01, 100.0], "1", "Coupling factor: ECT(1) is marked with k p', Classic traffic with p' squared";
        ecn: bool = false, "ECN-capable packets are marked instead of dropped";
        random: bool = false, "Signals are drawn at random instead of spaced evenly";
    }
}

impl Pi2Parameters {
    /// Controller with these parameters.
    fn control(&self) -> Pi {
        Pi::new(self.target, self.t_update, [self.alpha, self.beta], 1.0)
    }
}

impl DisciplineParameters for Pi2Parameters {
    const SOURCE: &'static str = "De Schepper et al., Conext 2016; RFC 9332 appendix A";
    const CONTROL: &'static str = "base probability p'";

    fn mechanics(&self, server: &Server) -> Mechanics {
        let queue = Pi2 {
            queue: Fifo::new(server.buffer),
            pi: self.control(),
            k: self.k,
            ecn: self.ecn,
            random: self.random,
            counts: [0.0; 2],
            departures: 0,
            draws: Draws::new(&server.streams, server.station),
        };
        Mechanics { queue: Some(Box::new(queue)), ..Mechanics::default() }
    }
}

/// One queue under PI2.
#[derive(Debug)]
struct Pi2 {
    queue: Fifo,
    pi: Pi,
    k: f64,
    ecn: bool,
    random: bool,
    /// Counters of Classic and of scalable traffic.
    counts: [f64; 2],
    /// Packets taken out: the number of a packet among the draws.
    departures: u64,
    draws: Draws,
}

impl Pi2 {
    /// `true` for one packet in 1 / `likelihood`; `class` is 0 for Classic traffic, 1 for scalable.
    fn hits(&mut self, class: usize, likelihood: f64) -> bool {
        if !self.random {
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
        self.pi.advance(now, self.queue.head().map(|head| head.packet.time));
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

    answers_of!(queue);

    /// Base probability p' at the last packet that came or went; Classic traffic has its square.
    fn control(&self) -> f64 {
        self.pi.p
    }
}
