//! Random Early Detection (Floyd and Jacobson, IEEE/ACM Transactions on Networking 1(4), 1993) and Adaptive RED (Floyd,
//! Gummadi, Shenker, 2001): drops on arrival with a probability that grows with the average queue. Page:
//! `docs/models/red.md`.
//!
//! Names are those of the papers; `gentle`, `wait` and the automatic settings are those of ns-2 and ns-3.

mod adaptive;
#[cfg(test)]
mod tests;

use congestion::{Duration, Time};

use self::adaptive::Adaptation;
use super::{DisciplineParameters, Fault, Mechanics, ParameterList, Server};
use crate::kernel::rng::Draws;
use crate::measure::queue::Cause;
use crate::net::arrival::{ArrivalRule, Backlog, Verdict};
use crate::net::queue::{Buffer, Port, Queued};

parameters! {
    /// Parameters of RED.
    pub struct RedParameters {
        min_th: Option<f64> = None, [0.0, 1e9], "packets",
            "Average queue from which packets are dropped; 5 unless set, with `adaptive` half of the queue at the target delay if that is more";
        max_th: Option<f64> = None, [1e-3, 1e9], "packets", "Average queue at which `max_p` is reached; three times `min_th` unless set";
        w_q: Option<f64> = None, [1e-9, 1.0], "1",
            "Weight of a packet in the average queue; 0.002 unless set, with `adaptive` 1 - exp(-1 / packets per second)";
        max_p: f64 = 0.02, [1e-6, 1.0], "1", "Drop probability at `max_th`; with `adaptive` at the start";
        gentle: bool = true, "Between `max_th` and twice `max_th` the probability rises to 1, instead of at once";
        wait: bool = true, "After a drop none follows for 1 / p packets";
        ecn: bool = false, "ECN-capable packets are marked instead of dropped";
        hard_drop: bool = true, "Where every packet is dropped, ECN-capable ones are too";
        byte_mode: bool = false, "Queue and probability are measured in bytes, as parts of a mean packet";
        mean_packet: Option<f64> = None, [1.0, 1e6], "bytes", "Size of a mean packet; the largest unless set";
        nonlinear: bool = false, "The probability rises as a parabola, to 1.5 `max_p` (Nonlinear RED)";
        adaptive: bool = false, "`max_p` follows the average queue (Adaptive RED), and what is not set is set by the rate";
        feng: bool = false, "`max_p` doubles where the average leaves the band upwards, and falls to a third downwards (Feng)";
        target_delay: f64 = 0.005, [1e-6, 10.0], "s", "Delay by which `adaptive` sets `min_th`";
        interval: f64 = 0.5, [1e-3, 100.0], "s", "Time between changes of `max_p` with `adaptive`";
        alpha: f64 = 0.01, [0.0, 1.0], "1", "Largest rise of `max_p` per interval; a quarter of it if that is less";
        beta: f64 = 0.9, [0.01, 1.0], "1", "Factor by which `max_p` falls per interval";
        top: f64 = 0.5, [1e-6, 1.0], "1", "Upper bound of `max_p` with `adaptive`";
        bottom: Option<f64> = None, [1e-9, 1.0], "1",
            "Lower bound of `max_p` with `adaptive`; unless set 0.01, or one in the packets of 100 ms if that is less";
    }
}

impl RedParameters {
    /// The thresholds as far as they are known without the rate.
    fn thresholds(&self) -> (f64, Option<f64>) {
        let min_th = self.min_th.unwrap_or(5.0);
        (min_th, self.max_th.or_else(|| (!self.adaptive || self.min_th.is_some()).then_some(3.0 * min_th)))
    }
}

impl DisciplineParameters for RedParameters {
    const SOURCE: &'static str = "Floyd, Jacobson, IEEE/ACM ToN 1(4), 1993; Floyd, Gummadi, Shenker 2001";
    const CONTROL: &'static str = "average queue (packets)";

    fn faults(&self, buffer: Option<Buffer>) -> Vec<Fault> {
        let mut faults = self.out_of_range();
        let (min_th, max_th) = self.thresholds();
        if let Some(max_th) = max_th.filter(|&max_th| max_th <= min_th) {
            let message = format!("expected more than min_th of {min_th} packets, got {max_th}");
            faults.push(Fault { parameter: "max_th", message });
        }
        if let Some(Buffer::Packets(room)) = buffer
            && min_th >= packets(room)
        {
            let message = format!("expected less than the buffer of {room} packets, got {min_th}");
            faults.push(Fault { parameter: "min_th", message });
        }
        if self.adaptive && self.max_th.is_some() && self.min_th.is_none() {
            let message = "expected min_th beside it with adaptive = true".into();
            faults.push(Fault { parameter: "max_th", message });
        }
        if self.adaptive && self.feng {
            let message = "expected false with adaptive = true, got true".into();
            faults.push(Fault { parameter: "feng", message });
        }
        if let Some(bottom) = self.bottom.filter(|&bottom| self.adaptive && bottom > self.top) {
            let message = format!("expected at most the top of {}, got {bottom}", self.top);
            faults.push(Fault { parameter: "bottom", message });
        }
        faults
    }

    fn mechanics(&self, server: &Server) -> Mechanics {
        Mechanics { rule: Some(Box::new(Red::new(self, server))), ..Mechanics::default() }
    }
}

#[expect(clippy::cast_precision_loss, reason = "queues are far below 2^53")]
fn packets(count: u64) -> f64 {
    count as f64
}

/// RED at a drop-tail queue.
#[derive(Debug)]
struct Red {
    min_th: f64,
    max_th: f64,
    w_q: f64,
    max_p: f64,
    parameters: RedParameters,
    /// Size of a mean packet [bytes], and time to send it.
    mean_packet: f64,
    packet_time: Duration,
    adaptation: Adaptation,
    /// Average queue [packets].
    avg: f64,
    /// Packets that passed since the last signal, or since the average came above `min_th`.
    count: f64,
    /// Packets that have arrived: the number of a packet among the draws.
    arrivals: u64,
    draws: Draws,
}

impl Red {
    fn new(p: &RedParameters, server: &Server) -> Self {
        let mean_packet = p.mean_packet.unwrap_or_else(|| f64::from(server.mtu()));
        let packet_time = server.service().time(whole_bytes(mean_packet));
        let rate = 1.0 / packet_time.seconds().max(1e-12);
        let fixed = if p.adaptive { (p.target_delay * rate / 2.0).max(5.0) } else { 5.0 };
        let weight = if p.adaptive { -libm::expm1(-1.0 / rate) } else { 0.002 };
        let min_th = p.min_th.unwrap_or(fixed);
        Self {
            min_th,
            max_th: p.max_th.unwrap_or(3.0 * min_th),
            w_q: p.w_q.unwrap_or(weight),
            max_p: p.max_p,
            parameters: *p,
            mean_packet,
            packet_time,
            adaptation: Adaptation::new(p, rate),
            avg: 0.0,
            count: 0.0,
            arrivals: 0,
            draws: Draws::new(&server.streams, server.station),
        }
    }

    /// Queue that a packet finds [mean packets].
    fn queue(&self, backlog: &Backlog) -> f64 {
        let waiting = backlog.waiting;
        if self.parameters.byte_mode {
            packets(waiting.bytes) / self.mean_packet
        } else {
            packets(waiting.packets)
        }
    }

    /// Section 4: the average as if "m small packets" had arrived at the empty queue in the idle time.
    fn decayed(&self, idle: Duration) -> f64 {
        match idle.0 / self.packet_time.0.max(1) {
            0 => self.avg,
            m => self.avg * libm::pow(1.0 - self.w_q, packets(m)),
        }
    }

    /// Section 4: "`avg <- (1 - w_q) avg + w_q q`" at every arrival, and the changes of `max_p` that are due.
    fn average(&mut self, queue: f64, idle_since: Option<Time>, now: Time) {
        while let Some(at) = self.adaptation.due(now) {
            let idle = idle_since.map_or(Duration::ZERO, |since| at.since(since));
            let avg = self.decayed(idle);
            let before = self.max_p;
            self.max_p = self.adaptation.adapted(before, avg, self.min_th, self.max_th);
            if self.max_p.to_bits() != before.to_bits() {
                continue;
            }
            // Nothing changes while the average stays, nor once it has fallen below the band and max_p to its bottom.
            match idle_since {
                Some(since) if at < since => self.adaptation.skip_to(since),
                Some(_) if avg >= self.min_th => {}
                _ => self.adaptation.skip_to(now),
            }
        }
        let idle = idle_since.map_or(Duration::ZERO, |since| now.since(since));
        self.avg = self.decayed(idle) * (1.0 - self.w_q) + self.w_q * queue;
        self.max_p = self.adaptation.crossed(self.max_p, self.avg, self.min_th, self.max_th);
    }

    /// Section 4, and `gentle`: the drop probability of the average queue, before drops are spaced.
    fn raw(&self) -> f64 {
        if self.avg >= self.max_th {
            return (self.max_p + (1.0 - self.max_p) * (self.avg - self.max_th) / self.max_th).min(1.0);
        }
        let x = (self.avg - self.min_th) / (self.max_th - self.min_th);
        (self.max_p * if self.parameters.nonlinear { 1.5 * x * x } else { x }).min(1.0)
    }

    /// Section 7: uniform gaps between drops instead of geometric ones, "`p_a` <- `p_b` / (1 - count `p_b`)"; and `wait`,
    /// after ns-2.
    fn spaced(&self, p: f64, bytes: u32) -> f64 {
        let part = self.count * p;
        let p = match part {
            part if !self.parameters.wait && part < 1.0 => p / (1.0 - part),
            part if self.parameters.wait && part < 1.0 => 0.0,
            part if self.parameters.wait && part < 2.0 => p / (2.0 - part),
            _ => 1.0,
        };
        if self.parameters.byte_mode && p < 1.0 { p * f64::from(bytes) / self.mean_packet } else { p }
    }

    /// Cause to signal the arriving packet, if there is one.
    fn signal(&mut self, queue: f64, bytes: u32) -> Option<Cause> {
        // A packet behind at most one other is let through, as in ns-2 and ns-3.
        if self.avg < self.min_th || queue <= 1.0 {
            self.count = 0.0;
            return None;
        }
        let beyond = self.max_th * if self.parameters.gentle { 2.0 } else { 1.0 };
        let cause = if self.avg >= beyond {
            Some(Cause::Overload)
        } else {
            let p = self.spaced(self.raw(), bytes);
            let hit = p >= 1.0 || (p > 0.0 && self.draws.uniform(self.arrivals, 0) < p);
            hit.then_some(Cause::Early)
        };
        let part = if self.parameters.byte_mode { f64::from(bytes) / self.mean_packet } else { 1.0 };
        self.count = if cause.is_some() { 0.0 } else { self.count + part };
        cause
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a packet has 1 to 10^6 bytes")]
fn whole_bytes(bytes: f64) -> u32 {
    libm::round(bytes) as u32
}

impl ArrivalRule for Red {
    fn on_arrival(&mut self, arrival: &mut Queued, backlog: &Backlog, port: &mut Port<'_>) -> Verdict {
        let queue = self.queue(backlog);
        self.average(queue, backlog.idle_since, port.now);
        let cause = self.signal(queue, arrival.bytes);
        self.arrivals += 1;
        let Some(cause) = cause else { return Verdict::Pass };
        // RFC 3168 section 7: above the upper threshold packets are dropped, ECN-capable or not.
        let may_mark = self.parameters.ecn && (cause == Cause::Early || !self.parameters.hard_drop);
        if may_mark && port.mark(arrival, cause) { Verdict::Pass } else { Verdict::Drop(cause) }
    }

    /// Average queue at the last arrival [packets].
    fn control(&self) -> f64 {
        self.avg
    }
}
