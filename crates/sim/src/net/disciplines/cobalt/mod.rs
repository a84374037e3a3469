//! COBALT, the queue management of CAKE: `CoDel` whose rate of signals decays instead of being forgotten, and BLUE against
//! flows that do not respond. Page: `docs/models/cake.md`.

#[cfg(test)]
mod tests;

use congestion::{Duration, Time};

use crate::kernel::rng::Draws;
use crate::measure::queue::Cause;
use crate::net::disciplines::codel::target_above_interval;
use crate::net::disciplines::{DisciplineParameters, Fault, Fifo, Mechanics, ParameterList, Server};
use crate::net::queue::{Buffer, Port, QueueDiscipline, Queued};

parameters! {
    /// Parameters of COBALT.
    pub struct CobaltParameters {
        target: f64 = 0.005, [1e-6, 10.0], "s", "Acceptable standing queue delay; raised to the time of 1.5 full-sized packets";
        interval: f64 = 0.1, [1e-6, 100.0], "s", "Time above the target before the first signal, and scale of the time between signals";
        ecn: bool = true, "ECN-capable packets are marked instead of dropped, except by BLUE";
        increment: f64 = 1.0 / 256.0, [0.0, 1.0], "1", "Step of BLUE's drop probability when the buffer overflows";
        decrement: f64 = 1.0 / 4096.0, [0.0, 1.0], "1", "Step of it down when the queue is empty";
        blue_threshold: Option<f64> = None, [0.0, 100.0], "s", "Sojourn time above which BLUE's drop probability rises, too; ns-3's";
    }
}

impl CobaltParameters {
    /// State machine with these parameters at a server. CAKE raises the target where a packet takes long.
    pub fn control(&self, server: &Server) -> Controller {
        let mtu_time = server.service().time(server.mtu());
        let target = Duration::from_seconds(self.target).max(Duration(mtu_time.0 / 2 * 3));
        let raised = target - Duration::from_seconds(self.target);
        Controller {
            target,
            interval: (Duration::from_seconds(self.interval) + raised).max(target * 2),
            least: mtu_time * 4,
            ecn: self.ecn,
            increment: self.increment,
            decrement: self.decrement,
            blue_threshold: self.blue_threshold.map_or(Duration::MAX, Duration::from_seconds),
        }
    }
}

impl DisciplineParameters for CobaltParameters {
    const SOURCE: &'static str = "Linux sch_cake.c; Hoiland-Jorgensen, Taht, Morton 2018";
    const CONTROL: &'static str = "signals that set the spacing";

    fn faults(&self, _buffer: Option<Buffer>) -> Vec<Fault> {
        let mut faults = self.out_of_range();
        faults.extend(target_above_interval(self.target, self.interval));
        faults
    }

    fn mechanics(&self, server: &Server) -> Mechanics {
        let queue = Cobalt {
            queue: Fifo::new(None),
            buffer: server.buffer,
            controller: self.control(server),
            state: State::default(),
            draws: Draws::new(&server.streams, server.station),
            taken: 0,
        };
        Mechanics { queue: Some(Box::new(queue)), ..Mechanics::default() }
    }
}

/// Parameters as the state machine needs them; queues under one scheduler share them.
#[derive(Clone, Copy, Debug)]
pub struct Controller {
    target: Duration,
    interval: Duration,
    /// Time of four full-sized packets: a shorter delay is none.
    least: Duration,
    ecn: bool,
    increment: f64,
    decrement: f64,
    blue_threshold: Duration,
}

/// State of one queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    /// Time of the next signal; without signals the end of the time in which a delay would be followed by one.
    drop_next: Time,
    /// BLUE's drop probability moved last.
    blue_timer: Time,
    /// BLUE's drop probability.
    pub p_drop: f64,
    /// Signals, which set their spacing; they decay one by one.
    pub count: u32,
    dropping: bool,
}

impl Controller {
    fn control_law(&self, t: Time, count: u32) -> Time {
        t + Duration::from_seconds(self.interval.seconds() / f64::from(count.max(1)).sqrt())
    }
}

impl State {
    /// `true` if nothing of the state matters any more.
    pub fn is_at_rest(&self, now: Time) -> bool {
        self.p_drop == 0.0 && self.count == 0 && now >= self.drop_next
    }

    /// The buffer overflowed and this queue has lost a packet.
    pub fn queue_full(&mut self, c: &Controller, now: Time) {
        if now.since(self.blue_timer) > c.target {
            self.p_drop = (self.p_drop + c.increment).min(1.0);
            self.blue_timer = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// It was this queue's turn and it had no packet.
    pub fn queue_empty(&mut self, c: &Controller, now: Time) {
        if self.p_drop > 0.0 && now.since(self.blue_timer) > c.target {
            self.p_drop = (self.p_drop - c.decrement).max(0.0);
            self.blue_timer = now;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.decay(c);
        }
    }

    fn decay(&mut self, c: &Controller) {
        self.count -= 1;
        self.drop_next = c.control_law(self.drop_next, self.count);
    }

    /// A packet has been taken out: mark it, or find the cause for which it is dropped. The `last` one of a queue is
    /// not dropped. `random` is asked for where BLUE is at work.
    pub fn signal(
        &mut self,
        c: &Controller,
        packet: &mut Queued,
        last: bool,
        port: &mut Port<'_>,
        random: impl FnOnce() -> f64,
    ) -> Option<Cause> {
        let now = port.now;
        let sojourn = packet.sojourn(now);
        let over_target = sojourn > c.target && sojourn > c.least;
        let next_due = self.count > 0 && now >= self.drop_next;
        let mut overdue = now > self.drop_next;
        if over_target {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = c.control_law(now, self.count);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        let codel = next_due && self.dropping;
        if codel {
            self.count = self.count.saturating_add(1);
            self.drop_next = c.control_law(self.drop_next, self.count);
            overdue = now > self.drop_next;
        } else if next_due {
            while self.count > 0 && now >= self.drop_next {
                self.decay(c);
            }
            overdue = now > self.drop_next;
        }
        if sojourn > c.blue_threshold && now.since(self.blue_timer) > c.target {
            self.p_drop = (self.p_drop + c.increment).min(1.0);
            self.blue_timer = now;
        }
        // BLUE is for those who ignore signals, so it drops whatever the codepoint.
        let blue = self.p_drop > 0.0 && random() < self.p_drop;
        let marked = codel && (last || !blue) && c.ecn && port.mark(packet, Cause::Early);
        let cause = match (blue, codel && !marked) {
            (true, _) => Some(Cause::Overload),
            (false, true) => Some(Cause::Early),
            (false, false) => None,
        };
        if self.count == 0 {
            self.drop_next = now + c.interval;
        } else if overdue && cause.is_none() {
            self.drop_next = now;
        }
        cause.filter(|_| !last)
    }
}

/// One queue under COBALT.
#[derive(Debug)]
struct Cobalt {
    queue: Fifo,
    buffer: Option<Buffer>,
    controller: Controller,
    state: State,
    draws: Draws,
    /// Packets taken out: their numbers among the draws.
    taken: u64,
}

impl Cobalt {
    fn signal(&mut self, packet: &mut Queued, port: &mut Port<'_>) -> Option<Cause> {
        let Self { queue, controller, state, draws, taken, .. } = self;
        *taken += 1;
        state.signal(controller, packet, queue.is_empty(), port, || draws.uniform(*taken, 0))
    }
}

impl QueueDiscipline for Cobalt {
    /// An overflow takes the packet at the head, as CAKE does with its longest queue.
    fn enqueue(&mut self, arrival: Queued, port: &mut Port<'_>) {
        self.queue.append(arrival);
        let Some(buffer) = self.buffer else { return };
        while !buffer.holds(self.queue.len() as u64, self.queue.bytes()) {
            let Some(head) = self.queue.pop() else { return };
            self.state.queue_full(&self.controller, port.now);
            port.drop(&head, Cause::Overlimit);
        }
    }

    fn pass(&mut self, arrival: Queued, port: &mut Port<'_>) -> Option<Queued> {
        let mut arrival = arrival;
        self.signal(&mut arrival, port);
        Some(arrival)
    }

    fn dequeue(&mut self, port: &mut Port<'_>) -> Option<Queued> {
        loop {
            let Some(mut next) = self.queue.pop() else {
                self.state.queue_empty(&self.controller, port.now);
                return None;
            };
            match self.signal(&mut next, port) {
                None => return Some(next),
                Some(cause) => port.drop(&next, cause),
            }
        }
    }

    answers_of!(queue);

    /// Signals that set the spacing.
    fn control(&self) -> f64 {
        f64::from(self.state.count)
    }
}
