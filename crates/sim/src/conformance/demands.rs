//! What is demanded, demand by demand.

use congestion::{CongestionEvent, Duration, Halve, Initial};

use super::bench::{Bench, RTT, SEGMENT, SMSS, whole};
use super::{Subject, Verdict};
use crate::kernel::rng::{Purpose, Sequence, Streams};

pub(super) const LOSS: CongestionEvent = CongestionEvent::EnterRecovery;
pub(super) const ECN: CongestionEvent = CongestionEvent::EcnEcho;

/// Congestion avoidance from 64 segments on, by RFC 5681.
const AVOIDING: Initial =
    Initial { smss: SMSS, window: 64.0, ssthresh: 64.0, restart_window: 2.0, halve: Halve::Flight, seed: 1 };

/// Slow start from 10 segments on.
const STARTING: Initial = Initial { window: 10.0, ssthresh: f64::INFINITY, ..AVOIDING };

/// Random, but possible, orders of events.
pub(super) fn events(subject: &Subject<'_>) -> Verdict {
    let streams = Streams::new(subject.seed);
    for flow in 0..8 {
        let mut draws = Sequence::new(&streams, Purpose::Controller, flow);
        let mut pick = |below: f64| draws.uniform() * below;
        let window = 1.0 + pick(64.0).floor();
        let initial = Initial {
            window,
            ssthresh: if pick(1.0) < 0.5 { f64::INFINITY } else { 1.0 + pick(1000.0) },
            restart_window: if pick(1.0) < 0.5 { 1.0 } else { window },
            halve: if pick(1.0) < 0.5 { Halve::Flight } else { Halve::Window },
            seed: subject.seed ^ u64::from(flow),
            ..AVOIDING
        };
        let mut bench = Bench::new(subject, &initial)?;
        let mut timed_out = false;
        for step in 0..subject.steps.div_ceil(8) {
            bench
                .random_event(&mut pick, &mut timed_out)
                .map_err(|found| format!("event {step} of flow {flow}: {found}"))?;
        }
    }
    Ok(())
}

impl Bench {
    fn random_event(&mut self, pick: &mut dyn FnMut(f64) -> f64, timed_out: &mut bool) -> Verdict {
        let event = pick(100.0);
        if event < 3.0 {
            *timed_out = true;
            return self.congestion(CongestionEvent::Rto);
        }
        if event < 5.0 {
            return self.congestion(CongestionEvent::EcnEcho);
        }
        if event < 7.0 {
            return self.pass(Duration::from_seconds(pick(30.0)));
        }
        if event < 12.0 {
            self.limited = !self.limited;
            return self.fill();
        }
        if event < 24.0 && self.flow.in_recovery {
            *timed_out = false;
            return self.congestion(CongestionEvent::ExitRecovery);
        }
        let lost = if event < 16.0 && !*timed_out { 1 + whole(pick(4.0)) } else { 0 };
        if lost > 0 && !self.flow.in_recovery {
            self.congestion(CongestionEvent::EnterRecovery)?;
        }
        let segments = if pick(1.0) < 0.7 { 1 + whole(pick(3.0)) } else { 1 + whole(pick(200.0)) };
        let marked = if pick(1.0) < 0.1 { whole(pick(3.0)) } else { 0 };
        if self.control.needs().feedback.is_some() {
            self.routers = pick(2.0) - 1.0;
        }
        self.ack(segments, lost, marked, Duration::from_seconds(0.001 + pick(0.3)))
    }
}

/// Additive decrease takes a few segments at a time, so no share of the window is demanded.
pub(super) fn backs_off(subject: &Subject<'_>, event: CongestionEvent) -> Verdict {
    let mut bench = Bench::new(subject, &AVOIDING)?;
    for _ in 0..5 {
        bench.round()?;
    }
    let before = bench.cwnd()?;
    let eighth = whole(before / SEGMENT / 8.0).max(1);
    bench.congestion(event)?;
    let (lost, marked) = if event == ECN { (0, eighth) } else { (eighth, 0) };
    bench.ack(1, lost, marked, RTT)?;
    if event == LOSS {
        bench.round()?;
        bench.congestion(CongestionEvent::ExitRecovery)?;
    }
    at_most(bench.cwnd()?, before - SEGMENT, before)
}

pub(super) fn timeout(subject: &Subject<'_>) -> Verdict {
    let mut bench = Bench::new(subject, &AVOIDING)?;
    for _ in 0..5 {
        bench.round()?;
    }
    let before = bench.cwnd()?;
    bench.congestion(CongestionEvent::Rto)?;
    at_most(bench.cwnd()?, 0.5 * before, before)
}

/// RFC 5681, section 3.1: "after retransmitting the dropped segment the TCP sender uses the slow start
/// algorithm to increase the window from 1 full-sized segment". What was outstanding may take as many round
/// trips to be repaired as the window allows: one that waits for that repairs a segment per round trip. VCP
/// grows by the clock, a sixteenth in five of these round trips, and needs 58.
pub(super) fn after_timeout(subject: &Subject<'_>) -> Verdict {
    let mut bench = Bench::new(subject, &AVOIDING)?;
    for _ in 0..5 {
        bench.round()?;
    }
    bench.congestion(CongestionEvent::Rto)?;
    let after = bench.cwnd()?;
    for _ in 0..100 {
        if bench.cwnd()? >= 4.0 * SEGMENT {
            return Ok(());
        }
        bench.round()?;
    }
    Err(format!(
        "cwnd was {:.2} segments after a timeout, and 100 round trips later, none of which ended recovery, {:.2}",
        after / SEGMENT,
        bench.cwnd()? / SEGMENT
    ))
}

pub(super) fn silence(subject: &Subject<'_>) -> Verdict {
    let mut bench = Bench::new(subject, &AVOIDING)?;
    let before = bench.cwnd()?;
    for _ in 0..16 {
        bench.congestion(CongestionEvent::Rto)?;
    }
    at_most(bench.cwnd()?, 4.0 * SEGMENT, before)
}

pub(super) fn application_limited(subject: &Subject<'_>) -> Verdict {
    for initial in [AVOIDING, STARTING] {
        let mut bench = Bench::new(subject, &initial)?;
        bench.limited = false;
        bench.fill()?;
        let before = bench.cwnd()?;
        for _ in 0..20 {
            bench.round()?;
        }
        at_most(bench.cwnd()?, before, before)?;
    }
    Ok(())
}

pub(super) fn idle(subject: &Subject<'_>) -> Verdict {
    for timed_out in [false, true] {
        let mut bench = Bench::new(subject, &AVOIDING)?;
        bench.round()?;
        bench.pass(Duration::from_millis(60_000))?;
        if timed_out {
            bench.congestion(CongestionEvent::Rto)?;
            bench.round()?;
            bench.congestion(CongestionEvent::ExitRecovery)?;
        }
        grows(&mut bench)?;
    }
    Ok(())
}

pub(super) fn recovery(subject: &Subject<'_>) -> Verdict {
    let mut bench = Bench::new(subject, &AVOIDING)?;
    bench.congestion(LOSS)?;
    bench.ack(1, 1, 0, RTT)?;
    bench.round()?;
    bench.congestion(CongestionEvent::ExitRecovery)?;
    grows(&mut bench)
}

/// The window opens by a segment within 200 round trips without queueing.
fn grows(bench: &mut Bench) -> Verdict {
    let before = bench.cwnd()?;
    for _ in 0..200 {
        bench.round()?;
        if bench.cwnd()? >= before + SEGMENT {
            return Ok(());
        }
    }
    Err(format!(
        "cwnd was {:.2} segments, and 200 round trips later {:.2}",
        before / SEGMENT,
        bench.cwnd()? / SEGMENT
    ))
}

pub(super) fn independence(subject: &Subject<'_>) -> Verdict {
    let mut pair = [Bench::new(subject, &STARTING)?, Bench::new(subject, &STARTING)?];
    let mut other = Bench::new(subject, &Initial { seed: 2, ..AVOIDING })?;
    for turn in 0..20 {
        for (here, bench) in pair.iter_mut().enumerate() {
            if turn % 8 == 7 {
                bench.congestion(LOSS)?;
                bench.round()?;
                bench.congestion(CongestionEvent::ExitRecovery)?;
            }
            bench.round()?;
            if here == 0 {
                other.congestion(CongestionEvent::Rto)?;
                other.round()?;
                other.congestion(CongestionEvent::ExitRecovery)?;
            }
        }
        let [one, two] = [pair[0].cwnd()?, pair[1].cwnd()?];
        if one.to_bits() != two.to_bits() {
            return Err(format!("two flows with the same events have windows of {one} and {two} bytes"));
        }
    }
    Ok(())
}

fn at_most(cwnd: f64, most: f64, before: f64) -> Verdict {
    // Sums of many small steps may be off by their rounding.
    if cwnd <= most * (1.0 + 1e-9) {
        return Ok(());
    }
    let [cwnd, most, before] = [cwnd, most, before].map(|bytes| bytes / SEGMENT);
    Err(format!("cwnd was {before:.2} segments and should be at most {most:.2}, got {cwnd:.2}"))
}
