//! Controlled Delay ([RFC 8289]). Page: `docs/models/codel.md`.
//!
//! Names are those of the RFC's pseudocode (section 5). Where Linux's `sch_codel` differs, the text says so.
//!
//! [RFC 8289]: https://www.rfc-editor.org/rfc/rfc8289

use congestion::{Duration, Time};

use super::{DisciplineParameters, Fault, Fifo, Mechanics, ParameterList, Server};
use crate::measure::queue::Cause;
use crate::net::packet::Codepoint;
use crate::net::queue::{Buffer, Port, QueueDiscipline, Queued};

parameters! {
    /// Parameters of CoDel.
    pub struct CodelParameters {
        target: f64 = 0.005, [1e-6, 10.0], "s", "Acceptable standing queue delay (TARGET)";
        interval: f64 = 0.1, [1e-6, 100.0], "s", "Time in which the delay has to come below the target once (INTERVAL)";
        ecn: bool = false, "ECN-capable packets are marked instead of dropped";
        ce_threshold: Option<f64> = None, [0.0, 10.0], "s", "Sojourn time above which ECN-capable packets are marked, whatever the state; Linux's";
    }
}

impl CodelParameters {
    /// Faults of the values, apart from the buffer.
    pub fn problems(&self) -> Vec<Fault> {
        let mut faults = self.out_of_range();
        faults.extend(target_above_interval(self.target, self.interval));
        faults
    }

    /// State machine with these parameters.
    pub fn control(&self, mtu: u32) -> Controller {
        Controller {
            target: Duration::from_seconds(self.target),
            interval: Duration::from_seconds(self.interval),
            ecn: self.ecn,
            ce_threshold: self.ce_threshold.map_or(Duration::MAX, Duration::from_seconds),
            mtu: u64::from(mtu),
        }
    }
}

/// Fault of a target that is not below the interval.
pub fn target_above_interval(target: f64, interval: f64) -> Option<Fault> {
    let message = format!("expected less than the interval of {interval} s, got {target} s");
    (target >= interval).then_some(Fault { parameter: "target", message })
}

impl DisciplineParameters for CodelParameters {
    const SOURCE: &'static str = "RFC 8289";
    const CONTROL: &'static str = "signals in the dropping state";

    fn faults(&self, _buffer: Option<Buffer>) -> Vec<Fault> {
        self.problems()
    }

    fn mechanics(&self, server: &Server) -> Mechanics {
        let queue = Codel {
            queue: Fifo::new(server.buffer),
            controller: self.control(server.mtu()),
            state: State::default(),
        };
        Mechanics { queue: Some(Box::new(queue)), ..Mechanics::default() }
    }
}

/// One queue under CoDel.
#[derive(Debug)]
struct Codel {
    queue: Fifo,
    controller: Controller,
    state: State,
}

/// Parameters as the state machine needs them; queues under one scheduler share them.
#[derive(Clone, Copy, Debug)]
pub struct Controller {
    target: Duration,
    interval: Duration,
    ecn: bool,
    ce_threshold: Duration,
    mtu: u64,
}

/// State of one queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    /// Time to declare the delay too long, if it stays above the target; [`Time::ZERO`] if it is below.
    first_above_time: Time,
    /// Time of the next drop while dropping.
    drop_next: Time,
    /// Drops since the dropping state was entered; it sets their spacing.
    pub count: u32,
    /// `count` when the dropping state was last entered.
    lastcount: u32,
    dropping: bool,
}

/// Queue that the state machine takes packets out of.
pub trait Packets {
    /// The next packet.
    fn pop(&mut self) -> Option<Queued>;

    /// Bytes that wait, as the comparison with one MTU counts them.
    fn backlog(&self) -> u64;
}

impl Packets for Fifo {
    fn pop(&mut self) -> Option<Queued> {
        Self::pop(self)
    }

    fn backlog(&self) -> u64 {
        self.bytes()
    }
}

impl Controller {
    /// Section 5.6, control law: "the next drop time is decreased in inverse proportion to the square root of the
    /// number of drops since the dropping state was entered".
    fn control_law(&self, t: Time, count: u32) -> Time {
        t + Duration::from_seconds(self.interval.seconds() / f64::from(count).sqrt())
    }
}

impl State {
    /// Drops or marks in the present dropping state; 0 outside of it.
    pub fn signals(&self) -> u32 {
        if self.dropping { self.count } else { 0 }
    }

    /// `true` if an empty queue with this state behaves like a new one: its last dropping state is too long ago to be
    /// resumed.
    pub fn is_forgettable(&self, c: &Controller, now: Time) -> bool {
        !self.may_resume(c, now)
    }

    /// `true` if there was a dropping state, less than 16 intervals ago. What FQ-CoDel drops where there is no room is
    /// counted without one.
    fn may_resume(&self, c: &Controller, now: Time) -> bool {
        self.lastcount > 0 && now.since(self.drop_next) < c.interval * 16
    }

    /// The delay is below the target, or nobody waits: the dropping state ends, if it was one.
    fn went_below(&mut self) {
        self.first_above_time = Time::ZERO;
        self.dropping = false;
    }

    /// Section 5.5, dodequeue: the next packet, and whether the delay has been too long for an interval.
    fn dodequeue(&mut self, c: &Controller, queue: &mut impl Packets, now: Time) -> Option<(Queued, bool)> {
        let Some(packet) = queue.pop() else {
            self.first_above_time = Time::ZERO;
            return None;
        };
        let ok_to_drop = self.is_ok_to_drop(c, &packet, queue, now);
        Some((packet, ok_to_drop))
    }

    /// The part of dodequeue that looks at a packet which has just been taken out.
    #[inline]
    fn is_ok_to_drop(&mut self, c: &Controller, packet: &Queued, queue: &impl Packets, now: Time) -> bool {
        if packet.sojourn(now) < c.target || queue.backlog() <= c.mtu {
            // Went below - stay below for at least interval.
            self.first_above_time = Time::ZERO;
            return false;
        }
        if self.first_above_time == Time::ZERO {
            self.first_above_time = now + c.interval;
            return false;
        }
        now >= self.first_above_time
    }

    /// Section 5.5, dequeue: the next packet to send. Marks take the place of drops where packets are ECN-capable.
    /// <https://www.rfc-editor.org/rfc/rfc8289#section-5.5>
    #[inline]
    pub fn dequeue(
        &mut self,
        c: &Controller,
        queue: &mut impl Packets,
        port: &mut Port<'_>,
    ) -> Option<Queued> {
        let Some(mut packet) = queue.pop() else {
            self.went_below();
            return None;
        };
        let ok_to_drop = self.is_ok_to_drop(c, &packet, queue, port.now);
        // "The sojourn time is below the target - leave the dropping state."
        self.dropping &= ok_to_drop;
        let due = if self.dropping { port.now >= self.drop_next } else { ok_to_drop };
        if due {
            packet = self.signal(c, packet, queue, port)?;
        }
        if packet.sojourn(port.now) > c.ce_threshold && packet.packet.codepoint() != Codepoint::Ce {
            port.mark(&mut packet, Cause::Step);
        }
        Some(packet)
    }

    /// The part of dequeue that drops or marks, where that is due: the next packet to send.
    #[inline(never)]
    fn signal(
        &mut self,
        c: &Controller,
        mut packet: Queued,
        queue: &mut impl Packets,
        port: &mut Port<'_>,
    ) -> Option<Queued> {
        let now = port.now;
        if !self.dropping {
            if !(c.ecn && port.mark(&mut packet, Cause::Early)) {
                port.drop(&packet, Cause::Early);
                let Some(next) = self.dodequeue(c, queue, now) else {
                    self.enter_dropping(c, now);
                    return None;
                };
                (packet, _) = next;
            }
            self.enter_dropping(c, now);
            return Some(packet);
        }
        while self.dropping && now >= self.drop_next {
            self.count = self.count.saturating_add(1);
            if c.ecn && port.mark(&mut packet, Cause::Early) {
                // A mark is the signal: the packet goes on its way, so the loop ends.
                self.drop_next = c.control_law(self.drop_next, self.count);
                break;
            }
            port.drop(&packet, Cause::Early);
            let Some((next, ok_to_drop)) = self.dodequeue(c, queue, now) else {
                self.dropping = false;
                return None;
            };
            packet = next;
            if ok_to_drop {
                self.drop_next = c.control_law(self.drop_next, self.count);
            } else {
                self.dropping = false;
            }
        }
        Some(packet)
    }

    /// Section 5.5: "If min went above target close to when it last went below, assume that the drop rate that controlled
    /// the queue on the last cycle is a good starting point to control it now".
    fn enter_dropping(&mut self, c: &Controller, now: Time) {
        self.dropping = true;
        let delta = self.count.saturating_sub(self.lastcount);
        self.count = if delta > 1 && self.may_resume(c, now) { delta } else { 1 };
        self.drop_next = c.control_law(now, self.count);
        self.lastcount = self.count;
    }
}

impl QueueDiscipline for Codel {
    fn enqueue(&mut self, arrival: Queued, port: &mut Port<'_>) {
        if !self.queue.push(arrival) {
            port.drop(&arrival, Cause::Overlimit);
        }
    }

    /// A packet that finds nobody waiting is below the target.
    fn pass(&mut self, arrival: Queued, port: &mut Port<'_>) -> Option<Queued> {
        if !self.queue.has_room(arrival.bytes) {
            port.drop(&arrival, Cause::Overlimit);
            return None;
        }
        self.state.went_below();
        Some(arrival)
    }

    fn dequeue(&mut self, port: &mut Port<'_>) -> Option<Queued> {
        self.state.dequeue(&self.controller, &mut self.queue, port)
    }

    fn empty_is_final(&self) -> bool {
        true
    }

    answers_of!(queue);

    fn control(&self) -> f64 {
        f64::from(self.state.signals())
    }
}

#[cfg(test)]
mod tests;
