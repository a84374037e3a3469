//! Proportional Integral controller Enhanced ([RFC 8033]): drops on arrival with a probability that a controller of the
//! queue's latency sets. Page: `docs/models/pie.md`.
//!
//! Names are those of the RFC's pseudocode (appendices A and B). Latency is taken from time stamps, as in appendix A.
//!
//! [RFC 8033]: https://www.rfc-editor.org/rfc/rfc8033

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use congestion::{Duration, Time};

use super::{DisciplineParameters, Mechanics, Server};
use crate::kernel::rng::Draws;
use crate::measure::queue::Cause;
use crate::net::arrival::{ArrivalRule, Backlog, Verdict};
use crate::net::queue::{Buffer, Port, Queued};
use crate::net::transmitter::Transmitter;

parameters! {
    /// Parameters of PIE.
    pub struct PieParameters {
        target: f64 = 0.015, [1e-6, 10.0], "s", "Latency that the controller aims at (`QDELAY_REF`)";
        t_update: f64 = 0.015, [1e-6, 10.0], "s", "Time between updates of the drop probability (`T_UPDATE`)";
        alpha: f64 = 0.125, [1e-9, 1e6], "1/s", "Weight of the latency beyond the target, per update";
        beta: f64 = 1.25, [0.0, 1e6], "1/s", "Weight of the change of the latency, per update";
        max_burst: f64 = 0.15, [0.0, 100.0], "s", "Time for which a burst is let through after quiet (`MAX_BURST`)";
        ecn: bool = false, "ECN-capable packets are marked instead of dropped, up to `mark_ecnth` (section 5.1)";
        mark_ecnth: f64 = 0.1, [0.0, 1.0], "1", "Drop probability from which ECN-capable packets are dropped too";
        derandomize: bool = false, "Drops keep a distance from each other (section 5.4)";
        cap_drop_adjustment: bool = true, "Above 10 % the drop probability rises by at most 2 % per update (section 5.5)";
    }
}

impl PieParameters {
    /// Controller with these parameters, for packets of `mtu` bytes.
    pub fn control(&self, mtu: u32) -> Controller {
        Controller {
            target: self.target,
            half_target: Duration::from_seconds(self.target / 2.0),
            t_update: Duration::from_seconds(self.t_update),
            alpha: self.alpha,
            beta: self.beta,
            max_burst: Duration::from_seconds(self.max_burst),
            mark_ecnth: if self.ecn { self.mark_ecnth } else { 0.0 },
            derandomize: self.derandomize,
            cap_drop_adjustment: self.cap_drop_adjustment,
            couple_of_packets: 2 * u64::from(mtu),
        }
    }
}

impl DisciplineParameters for PieParameters {
    const SOURCE: &'static str = "RFC 8033";
    const CONTROL: &'static str = "drop probability";

    fn mechanics(&self, server: &Server) -> Mechanics {
        let rule = Pie {
            controller: self.control(server.mtu()),
            state: State::default(),
            waiting: VecDeque::new(),
            last_departure: Time::ZERO,
            transmitter: server.transmitter.clone(),
            buffer: server.buffer,
            arrivals: 0,
            draws: Draws::new(&server.streams, server.station),
        };
        Mechanics { rule: Some(Box::new(rule)), ..Mechanics::default() }
    }
}

/// PIE at a drop-tail queue. When packets will leave is known on their arrival, so what the controller learns as they
/// leave is made up for at the next arrival.
#[derive(Debug)]
struct Pie {
    controller: Controller,
    state: State,
    /// Packets that wait, or whose leaving has not been looked at.
    waiting: VecDeque<Sojourn>,
    last_departure: Time,
    transmitter: Transmitter,
    buffer: Option<Buffer>,
    /// Packets that have arrived: the number of a packet among the draws.
    arrivals: u64,
    draws: Draws,
}

/// Stay of a packet in the queue.
#[derive(Clone, Copy, Debug)]
struct Sojourn {
    /// It leaves the queue, and its service begins.
    leaves: Time,
    arrived: Time,
}

/// Parameters as the state machine needs them; queues under one scheduler share them.
#[derive(Clone, Copy, Debug)]
pub struct Controller {
    /// [s].
    target: f64,
    half_target: Duration,
    t_update: Duration,
    alpha: f64,
    beta: f64,
    max_burst: Duration,
    /// Zero without ECN.
    mark_ecnth: f64,
    derandomize: bool,
    cap_drop_adjustment: bool,
    /// Bytes in a queue below which no packet is dropped.
    couple_of_packets: u64,
}

/// State of one queue. Updates are due at the multiples of `t_update`.
#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    /// Probability of a drop.
    pub drop_prob: f64,
    /// Latency: the sojourn time of the last packet that left; zero while the queue is empty.
    current_qdelay: Duration,
    /// Latency at the last update.
    qdelay_old: Duration,
    burst_allowance: Duration,
    /// Drop probabilities of the packets since the last drop, added up.
    accu_prob: f64,
    /// Time of the next update.
    update_at: Time,
}

impl Controller {
    /// Section 4.2: the gains by the current drop probability, so that the loop is as stable on an idle link as under load.
    fn auto_tune(drop_prob: f64) -> f64 {
        match drop_prob {
            p if p < 1e-6 => 1.0 / 2048.0,
            p if p < 1e-5 => 1.0 / 512.0,
            p if p < 1e-4 => 1.0 / 128.0,
            p if p < 1e-3 => 1.0 / 32.0,
            p if p < 1e-2 => 1.0 / 8.0,
            p if p < 1e-1 => 1.0 / 2.0,
            _ => 1.0,
        }
    }
}

impl State {
    /// Make up for the updates that are due by `now`. Between packets the latency stays as it is, so this is exact.
    pub fn advance(&mut self, c: &Controller, now: Time) {
        while self.update_at <= now {
            let before = (self.drop_prob.to_bits(), self.qdelay_old);
            self.calculate_drop_prob(c);
            self.update_at += c.t_update;
            if (self.drop_prob.to_bits(), self.qdelay_old) == before && self.update_at <= now {
                // Nothing but the burst allowance will change until now.
                let updates = now.since(self.update_at) / c.t_update + 1;
                self.burst_allowance = self.burst_allowance - c.t_update * updates;
                self.update_at += c.t_update * updates;
            }
        }
    }

    /// `true` if an empty queue with this state behaves like a new one by `now`.
    pub fn is_forgettable(&self, c: &Controller, now: Time) -> bool {
        let mut state = *self;
        state.advance(c, now);
        state.drop_prob == 0.0 && state.current_qdelay == Duration::ZERO && state.qdelay_old == Duration::ZERO
    }

    /// Section 4.2: "The PIE algorithm periodically adjusts the drop probability every `T_UPDATE` interval".
    /// <https://www.rfc-editor.org/rfc/rfc8033#section-4.2>
    fn calculate_drop_prob(&mut self, c: &Controller) {
        let (qdelay, old) = (self.current_qdelay.seconds(), self.qdelay_old.seconds());
        let mut p = c.alpha * (qdelay - c.target) + c.beta * (qdelay - old);
        p *= Controller::auto_tune(self.drop_prob);
        // Section 5.5: "PIE can cap the maximum drop probability increase in each step."
        if c.cap_drop_adjustment && self.drop_prob >= 0.1 {
            p = p.min(0.02);
        }
        self.drop_prob += p;
        if self.current_qdelay == Duration::ZERO && self.qdelay_old == Duration::ZERO {
            self.drop_prob *= 0.98;
        }
        self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
        self.qdelay_old = self.current_qdelay;
        self.burst_allowance = self.burst_allowance - c.t_update;
    }

    /// Appendix A, enque and `drop_early`: `true` if the packet that arrives at `backlog` bytes is to be dropped. A number
    /// in [0, 1) is asked for where chance decides.
    pub fn drop_early(&mut self, c: &Controller, backlog: u64, random: impl FnOnce() -> f64) -> bool {
        let low = |qdelay| qdelay < c.half_target;
        if self.drop_prob == 0.0 && low(self.current_qdelay) && low(self.qdelay_old) {
            self.burst_allowance = c.max_burst;
        }
        if self.burst_allowance > Duration::ZERO {
            return false;
        }
        // Section 4.1: "To ensure that PIE is work conserving, we bypass the random drop".
        if (low(self.qdelay_old) && self.drop_prob < 0.2) || backlog <= c.couple_of_packets {
            return false;
        }
        if c.derandomize {
            return self.derandomized(random);
        }
        self.drop_prob > 0.0 && random() < self.drop_prob
    }

    /// Section 5.4: "if PIE->accu_prob_ is less than a low threshold, e.g., 0.85, the arriving packet is enqueued; on
    /// the other hand, if PIE->accu_prob_ is more than a high threshold, e.g., 8.5, [...] the arrival packet is forced to
    /// be dropped." <https://www.rfc-editor.org/rfc/rfc8033#section-5.4>
    fn derandomized(&mut self, random: impl FnOnce() -> f64) -> bool {
        if self.drop_prob == 0.0 {
            self.accu_prob = 0.0;
        }
        self.accu_prob += self.drop_prob;
        let drop = match self.accu_prob {
            low if low < 0.85 => false,
            high if high >= 8.5 => true,
            _ => random() < self.drop_prob,
        };
        if drop {
            self.accu_prob = 0.0;
        }
        drop
    }

    /// An arrival found no room.
    pub fn overflows(&mut self) {
        self.accu_prob = 0.0;
    }

    /// Section 5.1: the packet that would be dropped is marked instead "if `PIE->drop_prob_ < mark_ecnth &&
    /// ecn_capable_packet == TRUE`". `true` if it was.
    pub fn marks(&self, c: &Controller, packet: &mut Queued, port: &mut Port<'_>) -> bool {
        self.drop_prob < c.mark_ecnth && port.mark(packet, Cause::Early)
    }

    /// A packet leaves after `sojourn`; `emptied` if it was the last.
    pub fn departs(&mut self, sojourn: Duration, emptied: bool) {
        self.current_qdelay = if emptied { Duration::ZERO } else { sojourn };
    }
}

impl Pie {
    /// Let the packets leave, and the updates happen, that are due by `now`.
    fn catch_up(&mut self, now: Time) {
        while let Some(&packet) = self.waiting.front().filter(|packet| packet.leaves <= now) {
            self.waiting.pop_front();
            self.state.advance(&self.controller, packet.leaves);
            let emptied = self.waiting.front().is_none_or(|next| next.arrived >= packet.leaves);
            self.state.departs(packet.leaves.since(packet.arrived), emptied);
        }
        self.state.advance(&self.controller, now);
    }

    /// A packet enters.
    fn enters(&mut self, bytes: u32, now: Time) {
        if self.last_departure <= now {
            self.state.departs(Duration::ZERO, true);
        } else {
            self.waiting.push_back(Sojourn { leaves: self.last_departure, arrived: now });
        }
        self.last_departure = self.transmitter.finish(self.last_departure.max(now), bytes);
    }
}

impl ArrivalRule for Pie {
    fn on_arrival(&mut self, arrival: &mut Queued, backlog: &Backlog, port: &mut Port<'_>) -> Verdict {
        self.catch_up(port.now);
        let has_room =
            backlog.idle_since.is_some() || Buffer::has_room(self.buffer, backlog.waiting, arrival.bytes);
        let number = self.arrivals;
        self.arrivals += 1;
        if !has_room {
            self.state.overflows();
            return Verdict::Pass;
        }
        let Self { controller, state, draws, .. } = self;
        if state.drop_early(controller, backlog.waiting.bytes, || draws.uniform(number, 0))
            && !state.marks(controller, arrival, port)
        {
            return Verdict::Drop(Cause::Early);
        }
        self.enters(arrival.bytes, port.now);
        Verdict::Pass
    }

    /// Drop probability at the last arrival.
    fn control(&self) -> f64 {
        self.state.drop_prob
    }

    fn memory(&self) -> usize {
        self.waiting.capacity() * size_of::<Sojourn>()
    }
}
