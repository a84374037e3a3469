//! Demand by demand, as scripts by ACK.

use super::Subject;
use super::draws::Draws;
use crate::control::{AckSample, CongestionEvent, Halve, Initial, Prior, RoundSample};
use crate::testing::{Path, Transport, Verdict};
use crate::units::{Duration, Time};

const SMSS: u32 = 1460;
pub(super) const SEGMENT: f64 = SMSS as f64;
const RTT: Duration = Duration::from_millis(40);

pub(super) const LOSS: CongestionEvent = CongestionEvent::EnterRecovery;
pub(super) const ECN: CongestionEvent = CongestionEvent::EcnEcho;

/// Congestion avoidance from 64 segments on, by RFC 5681.
const AVOIDING: Initial = Initial {
    smss: SMSS,
    window: 64.0,
    ssthresh: 64.0,
    restart_window: 2.0,
    halve: Halve::Flight,
    counts_whole_acks: false,
    seed: 1,
};

/// Slow start from 10 segments on.
const STARTING: Initial = Initial { window: 10.0, ssthresh: f64::INFINITY, ..AVOIDING };

/// Flow whose handshake has ended a second after the start, with windows and ACKs by script alone.
fn connected(subject: &Subject<'_>, initial: &Initial) -> Result<Transport, String> {
    let path = Path { rtt: RTT, ..Path::default() };
    let mut transport = Transport::new((subject.create)(initial), SMSS, path);
    transport.flow.now = Time::ZERO + Duration::from_millis(1000);
    transport.connect()?;
    Ok(transport)
}

/// Random, but possible, orders of events.
pub(super) fn events(subject: &Subject<'_>) -> Verdict {
    for flow in 0..8 {
        let mut draws = Draws::new(subject.seed, flow);
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
        let mut transport = connected(subject, &initial)?;
        let mut timed_out = false;
        for step in 0..subject.steps.div_ceil(8) {
            random_event(&mut transport, &mut pick, &mut timed_out)
                .map_err(|problem| format!("event {step} of flow {flow}: {problem}"))?;
        }
    }
    Ok(())
}

fn random_event(
    transport: &mut Transport,
    pick: &mut dyn FnMut(f64) -> f64,
    timed_out: &mut bool,
) -> Verdict {
    let event = pick(100.0);
    if event < 3.0 {
        *timed_out = true;
        return transport.timeout();
    }
    if event < 5.0 {
        return transport.congestion(CongestionEvent::EcnEcho);
    }
    if event < 7.0 {
        return transport.pass(Duration::from_seconds(pick(30.0)));
    }
    if event < 12.0 {
        transport.app_limited = !transport.app_limited;
        return transport.fill();
    }
    if event < 13.0 {
        // Karn: that of a retransmission is ambiguous, and a round trip may have no other.
        let delivered = u64::from(SMSS);
        let round = RoundSample { min_rtt: None, rtt_count: 0, delivered, lost: 0, ce_marked: 0 };
        let round = (event > 12.5).then_some(round);
        return transport.report_ack(&AckSample { delivered, round, ..AckSample::default() });
    }
    if event < 24.0 && transport.flow.in_recovery {
        *timed_out = false;
        if event > 22.0 {
            let prior =
                Prior { cwnd: transport.cwnd()? + SEGMENT, ssthresh: transport.controller.ssthresh() };
            transport.controller.on_undo(&prior, &transport.flow);
            transport.cwnd()?;
        }
        return transport.congestion(CongestionEvent::ExitRecovery);
    }
    let lost = if event < 16.0 && !*timed_out { 1 + whole(pick(4.0)) } else { 0 };
    if lost > 0 && !transport.flow.in_recovery {
        transport.congestion(CongestionEvent::EnterRecovery)?;
    }
    let segments = if pick(1.0) < 0.7 { 1 + whole(pick(3.0)) } else { 1 + whole(pick(200.0)) };
    let marked = if pick(1.0) < 0.1 { whole(pick(3.0)) } else { 0 };
    if transport.controller.needs().feedback.is_some() {
        transport.routers = pick(2.0) - 1.0;
    }
    transport.acknowledge(segments, lost, marked, Duration::from_seconds(0.001 + pick(0.3)))
}

/// Additive decrease takes a few segments at a time, so no share of the window is demanded.
pub(super) fn backs_off(subject: &Subject<'_>, event: CongestionEvent) -> Verdict {
    let mut transport = connected(subject, &AVOIDING)?;
    for _ in 0..5 {
        transport.flight()?;
    }
    let before = transport.cwnd()?;
    let eighth = whole(before / SEGMENT / 8.0).max(1);
    transport.congestion(event)?;
    let (lost, marked) = if event == ECN { (0, eighth) } else { (eighth, 0) };
    transport.acknowledge(1, lost, marked, RTT)?;
    if event == LOSS {
        transport.flight()?;
        transport.congestion(CongestionEvent::ExitRecovery)?;
    }
    at_most(transport.cwnd()?, before - SEGMENT, before)
}

pub(super) fn timeout(subject: &Subject<'_>) -> Verdict {
    let mut transport = connected(subject, &AVOIDING)?;
    for _ in 0..5 {
        transport.flight()?;
    }
    let before = transport.cwnd()?;
    transport.timeout()?;
    at_most(transport.cwnd()?, 0.5 * before, before)
}

/// RFC 5681, section 3.1: "after retransmitting the dropped segment the TCP sender uses the slow start
/// algorithm to increase the window from 1 full-sized segment". What was outstanding may take as many round
/// trips to be repaired as the window allows: one that waits for that repairs a segment per round trip. VCP
/// grows by the clock, a sixteenth in five of these round trips, and needs 58.
pub(super) fn after_timeout(subject: &Subject<'_>) -> Verdict {
    let mut transport = connected(subject, &AVOIDING)?;
    for _ in 0..5 {
        transport.flight()?;
    }
    transport.timeout()?;
    let after = transport.cwnd()?;
    for _ in 0..100 {
        if transport.cwnd()? >= 4.0 * SEGMENT {
            return Ok(());
        }
        transport.flight()?;
    }
    Err(format!(
        "cwnd was {:.2} segments after a timeout, and 100 round trips later, none of which ended recovery, {:.2}",
        after / SEGMENT,
        transport.cwnd()? / SEGMENT
    ))
}

pub(super) fn silence(subject: &Subject<'_>) -> Verdict {
    let mut transport = connected(subject, &AVOIDING)?;
    let before = transport.cwnd()?;
    for _ in 0..16 {
        transport.timeout()?;
    }
    at_most(transport.cwnd()?, 4.0 * SEGMENT, before)
}

pub(super) fn application_limited(subject: &Subject<'_>) -> Verdict {
    for initial in [AVOIDING, STARTING] {
        let mut transport = connected(subject, &initial)?;
        transport.app_limited = true;
        transport.fill()?;
        let before = transport.cwnd()?;
        for _ in 0..20 {
            transport.flight()?;
        }
        at_most(transport.cwnd()?, before, before)?;
    }
    Ok(())
}

pub(super) fn idle(subject: &Subject<'_>) -> Verdict {
    for timed_out in [false, true] {
        let mut transport = connected(subject, &AVOIDING)?;
        transport.flight()?;
        transport.pass(Duration::from_millis(60_000))?;
        if timed_out {
            transport.timeout()?;
            transport.flight()?;
            transport.congestion(CongestionEvent::ExitRecovery)?;
        }
        grows(&mut transport)?;
    }
    Ok(())
}

pub(super) fn recovery(subject: &Subject<'_>) -> Verdict {
    let mut transport = connected(subject, &AVOIDING)?;
    transport.congestion(LOSS)?;
    transport.acknowledge(1, 1, 0, RTT)?;
    transport.flight()?;
    transport.congestion(CongestionEvent::ExitRecovery)?;
    grows(&mut transport)
}

/// The window opens by a segment within 200 round trips without queueing.
fn grows(transport: &mut Transport) -> Verdict {
    let before = transport.cwnd()?;
    for _ in 0..200 {
        transport.flight()?;
        if transport.cwnd()? >= before + SEGMENT {
            return Ok(());
        }
    }
    Err(format!(
        "cwnd was {:.2} segments, and 200 round trips later {:.2}",
        before / SEGMENT,
        transport.cwnd()? / SEGMENT
    ))
}

pub(super) fn independence(subject: &Subject<'_>) -> Verdict {
    let mut pair = [connected(subject, &STARTING)?, connected(subject, &STARTING)?];
    let mut other = connected(subject, &Initial { seed: 2, ..AVOIDING })?;
    for turn in 0..20 {
        for (here, transport) in pair.iter_mut().enumerate() {
            // Shorter than in any other demand: a memory of the shortest round trip that flows share shows.
            transport.path.rtt = Duration::from_seconds(1e-4);
            if turn % 8 == 7 {
                transport.congestion(LOSS)?;
                transport.flight()?;
                transport.congestion(CongestionEvent::ExitRecovery)?;
            }
            transport.flight()?;
            if here == 0 {
                for seconds in [1e-5, 1.0] {
                    other.path.rtt = Duration::from_seconds(seconds);
                    other.flight()?;
                }
                other.timeout()?;
                other.flight()?;
                other.congestion(CongestionEvent::ExitRecovery)?;
            }
        }
        let [first, second] = [pair[0].cwnd()?, pair[1].cwnd()?];
        if first.to_bits() != second.to_bits() {
            return Err(format!(
                "two flows with the same events have windows of {first} and {second} bytes; keep all state in the \
                 object, and seed random numbers with the initial seed"
            ));
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

/// Positive number without its fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
fn whole(number: f64) -> u64 {
    number as u64
}
