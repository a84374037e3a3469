//! Controlled Delay ([RFC 8289]). Page: `docs/models/codel.md`.
//!
//! Names are those of the RFC's pseudocode (section 5). Where Linux's `sch_codel` differs, the text says so.
//!
//! [RFC 8289]: https://www.rfc-editor.org/rfc/rfc8289

use congestion::{Duration, Time};

use super::{DisciplineParameters, Fault, Fifo, Mechanics, Parameter, Server};
use crate::measure::queue::Cause;
use crate::net::packet::{Codepoint, Packet};
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
    #[must_use]
    pub fn problems(&self) -> Vec<Fault> {
        let mut faults = self.out_of_range();
        faults.extend(target_above_interval(self.target, self.interval));
        faults
    }

    /// State machine with these parameters.
    #[must_use]
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
#[must_use]
pub fn target_above_interval(target: f64, interval: f64) -> Option<Fault> {
    let message = format!("expected less than the interval of {interval} s, got {target} s");
    (target >= interval).then_some(Fault { parameter: "target", message })
}

impl DisciplineParameters for CodelParameters {
    const SOURCE: &'static str = "RFC 8289";

    fn list() -> Vec<Parameter> {
        Self::list()
    }

    fn faults(&self, _buffer: Option<Buffer>) -> Vec<Fault> {
        self.problems()
    }

    fn mechanics(&self, server: &Server) -> Mechanics {
        let queue = Codel {
            queue: Fifo::new(server.buffer),
            controller: self.control(server.mtu()),
            state: State::default(),
        };
        Mechanics { rule: None, queue: Some(Box::new(queue)) }
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
    #[must_use]
    pub fn signals(&self) -> u32 {
        if self.dropping { self.count } else { 0 }
    }

    /// `true` if an empty queue with this state behaves like a new one: its last dropping state is too long ago to be
    /// resumed.
    #[must_use]
    pub fn is_forgettable(&self, c: &Controller, now: Time) -> bool {
        self.count == 0 || now.since(self.drop_next) >= c.interval * 16
    }

    /// Section 5.5, dodequeue: the next packet, and whether the delay has been too long for an interval.
    fn dodequeue(&mut self, c: &Controller, queue: &mut impl Packets, now: Time) -> Option<(Queued, bool)> {
        let Some(packet) = queue.pop() else {
            self.first_above_time = Time::ZERO;
            return None;
        };
        if packet.sojourn(now) < c.target || queue.backlog() <= c.mtu {
            // Went below - stay below for at least interval.
            self.first_above_time = Time::ZERO;
            return Some((packet, false));
        }
        if self.first_above_time == Time::ZERO {
            self.first_above_time = now + c.interval;
            return Some((packet, false));
        }
        Some((packet, now >= self.first_above_time))
    }

    /// Section 5.5, dequeue: the next packet to send. Marks take the place of drops where packets are ECN-capable.
    /// <https://www.rfc-editor.org/rfc/rfc8289#section-5.5>
    pub fn dequeue(
        &mut self,
        c: &Controller,
        queue: &mut impl Packets,
        port: &mut Port<'_>,
    ) -> Option<Queued> {
        let now = port.now;
        let Some((mut packet, mut ok_to_drop)) = self.dodequeue(c, queue, now) else {
            self.dropping = false;
            return None;
        };
        if self.dropping {
            // "The sojourn time is below the target - leave the dropping state."
            self.dropping &= ok_to_drop;
            while self.dropping && now >= self.drop_next {
                self.count = self.count.saturating_add(1);
                if c.ecn && port.mark(&mut packet, Cause::Early) {
                    // A mark is the signal: the packet goes on its way, so the loop ends.
                    self.drop_next = c.control_law(self.drop_next, self.count);
                    break;
                }
                port.drop(&packet, Cause::Early);
                let Some(next) = self.dodequeue(c, queue, now) else {
                    self.dropping = false;
                    return None;
                };
                (packet, ok_to_drop) = next;
                if ok_to_drop {
                    self.drop_next = c.control_law(self.drop_next, self.count);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok_to_drop {
            if !(c.ecn && port.mark(&mut packet, Cause::Early)) {
                port.drop(&packet, Cause::Early);
                let Some(next) = self.dodequeue(c, queue, now) else {
                    self.enter_dropping(c, now);
                    return None;
                };
                (packet, _) = next;
            }
            self.enter_dropping(c, now);
        }
        if packet.sojourn(now) > c.ce_threshold && packet.packet.codepoint() != Codepoint::Ce {
            port.mark(&mut packet, Cause::Step);
        }
        Some(packet)
    }

    /// Section 5.5: "If min went above target close to when it last went below, assume that the drop rate that controlled
    /// the queue on the last cycle is a good starting point to control it now".
    fn enter_dropping(&mut self, c: &Controller, now: Time) {
        self.dropping = true;
        let delta = self.count.saturating_sub(self.lastcount);
        let recent = now.since(self.drop_next) < c.interval * 16;
        self.count = if delta > 1 && recent { delta } else { 1 };
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

    fn dequeue(&mut self, port: &mut Port<'_>) -> Option<Queued> {
        self.state.dequeue(&self.controller, &mut self.queue, port)
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn bytes(&self) -> u64 {
        self.queue.bytes()
    }

    fn control(&self) -> f64 {
        f64::from(self.state.signals())
    }

    fn each(&self, see: &mut dyn FnMut(&Packet)) {
        self.queue.each(see);
    }

    fn memory(&self) -> usize {
        self.queue.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::disciplines::testing::Desk;

    fn ms(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    fn desk(parameters: CodelParameters, room: u64, arrivals: u32, codepoint: Codepoint) -> Desk {
        let mut desk = Desk::new(parameters.mechanics(&Desk::server(room)));
        (0..arrivals).for_each(|seq| desk.enqueue(Desk::data(seq, codepoint), Time::ZERO));
        desk
    }

    /// RFC 8289 section 5.6: once in the dropping state, the n-th gap is interval / sqrt(n).
    #[test]
    fn drops_of_a_queue_that_stays_bad_come_ever_closer() {
        let mut desk = desk(CodelParameters::default(), 100_000, 100_000, Codepoint::NotEct);
        let mut times: Vec<f64> = Vec::new();
        for tenth in 0..8000 {
            let now = ms(1000) + Duration(tenth * 100_000_000);
            let before = desk.dropped.len();
            desk.dequeue(now);
            times.extend((before..desk.dropped.len()).map(|_| now.since(ms(1000)).seconds() * 1e3));
        }
        let first = times[0];
        assert!((first - 100.0).abs() < 0.11, "an interval after the first look: {first} ms");
        let expected = [0.0, 100.0, 170.71, 228.45, 278.45, 323.17, 363.99, 401.79, 437.14, 470.48, 502.10];
        for (time, expected) in times.iter().zip(expected) {
            assert!((time - first - expected).abs() < 0.21, "{} ms, expected {expected}", time - first);
        }
        assert!(times.len() > expected.len());
    }

    /// ns-3's `codel-queue-disc-test-suite`: what leaves at twice the target, then at two intervals after that.
    #[test]
    fn first_drop_comes_an_interval_after_the_delay_went_above_the_target() {
        let mut desk = desk(CodelParameters::default(), 500, 20, Codepoint::NotEct);
        assert_eq!(desk.dequeue(ms(10)).map(|queued| queued.packet.seq), Some(0));
        assert_eq!(desk.dequeue(ms(210)).map(|queued| queued.packet.seq), Some(2));
        assert_eq!((desk.drops(Cause::Early), desk.queue().len()), (1, 17));
        assert_eq!(desk.dequeue(ms(210)).map(|queued| queued.packet.seq), Some(3));
        assert_eq!(desk.drops(Cause::Early), 1);
        // From 310 ms on one every 100 ms / sqrt(n): at 310 and 380.7, and the next is due at 438.4 ms.
        desk.dequeue(ms(420));
        assert_eq!((desk.drops(Cause::Early), desk.queue().control()), (3, 3.0));
    }

    /// RFC 8289 section 5.4 with ECN: where a packet would be dropped an ECN-capable one is marked.
    #[test]
    fn ecn_capable_packets_are_marked_at_the_same_times() {
        let parameters = CodelParameters { ecn: true, ..CodelParameters::default() };
        let mut desk = desk(parameters, 500, 20, Codepoint::Ect0);
        let marked = |queued: Option<Queued>| queued.expect("a packet").packet.is_ce();
        let times = [10, 210, 210, 420, 420, 420];
        let marks: Vec<bool> = times.map(|time| marked(desk.dequeue(ms(time)))).into();
        assert_eq!(marks, [false, true, false, true, true, false]);
        assert_eq!((desk.marks(Cause::Early), desk.dropped.len()), (3, 0));
    }

    /// Linux's `ce_threshold`, as ns-3's suite has it: 2 ms.
    #[test]
    fn sojourn_above_the_ce_threshold_is_marked_at_once() {
        let parameters =
            CodelParameters { ecn: true, ce_threshold: Some(2e-3), ..CodelParameters::default() };
        let mut desk = desk(parameters, 500, 20, Codepoint::Ect1);
        for time in [1, 3, 10, 210] {
            desk.dequeue(ms(time));
        }
        assert_eq!((desk.marks(Cause::Step), desk.marks(Cause::Early)), (2, 1));
    }

    #[test]
    fn never_acts_on_the_last_packet() {
        let mut desk = desk(CodelParameters::default(), 500, 2, Codepoint::NotEct);
        desk.dequeue(ms(500));
        desk.enqueue(Desk::data(2, Codepoint::NotEct), ms(500));
        desk.dequeue(ms(1000));
        desk.dequeue(ms(1500));
        assert_eq!(desk.dropped.len(), 0, "the backlog is at most one MTU");
    }

    /// RFC 8289 section 5.5: a new dropping state soon after the last one begins at its rate.
    #[test]
    fn dropping_resumes_at_the_rate_that_controlled_the_queue() {
        let mut desk = desk(CodelParameters::default(), 10_000, 5_000, Codepoint::NotEct);
        for time in 1000..1600 {
            desk.dequeue(ms(time));
        }
        let count = desk.queue().control();
        assert!(count >= 10.0, "{count}");
        // Fresh packets end the dropping state; then the delay rises again.
        while desk.dequeue(ms(1600)).is_some() {}
        (0..400).for_each(|seq| desk.enqueue(Desk::data(seq, Codepoint::NotEct), ms(1600)));
        for time in 1610..1715 {
            desk.dequeue(ms(time));
        }
        let resumed = desk.queue().control();
        assert_eq!(resumed.to_string(), (count - 1.0).to_string(), "count - lastcount, which was 1");
    }

    #[test]
    fn arrivals_beyond_the_room_are_dropped() {
        let desk = desk(CodelParameters::default(), 500, 503, Codepoint::Ect0);
        assert_eq!((desk.drops(Cause::Overlimit), desk.queue().len()), (3, 500));
    }

    #[test]
    fn a_target_above_the_interval_is_a_fault() {
        let wrong = CodelParameters { target: 0.2, interval: 0.1, ..CodelParameters::default() };
        assert_eq!(wrong.faults(None)[0].message, "expected less than the interval of 0.1 s, got 0.2 s");
        assert!(CodelParameters::default().faults(None).is_empty());
    }
}
