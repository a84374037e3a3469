//! What every controller has to do, whoever wrote it, shown on a transport that is played by hand.
//!
//! The transport here is a window of segments without a network: it reports what a real one could report,
//! in an order a real one could report it in.

use congestion::{
    AckSample, CongestionControl, CongestionEvent, Duration, Feedback, Flow, Halve, Initial, Load,
    RateSample, RoundSample, Time,
};

use crate::kernel::rng::{Purpose, Sequence, Streams};

/// One demand on a controller.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Short name.
    pub name: &'static str,
    /// What is demanded, as a sentence.
    pub demand: &'static str,
    play: fn(&Subject<'_>) -> Verdict,
}

/// What was found instead of what was demanded.
type Verdict = Result<(), String>;

/// What is checked, and with which random numbers.
struct Subject<'a> {
    create: &'a dyn Fn(&Initial) -> Box<dyn CongestionControl>,
    seed: u64,
    steps: u32,
}

/// Every check, in the order in which they are best read.
#[must_use]
pub fn checks() -> &'static [Check] {
    CHECKS
}

impl Check {
    /// Demand it of the controllers that `create` makes; `seed` chooses the events of checks that play at
    /// random, and `steps` how many.
    ///
    /// # Errors
    /// What was found instead.
    pub fn run(
        &self,
        create: &dyn Fn(&Initial) -> Box<dyn CongestionControl>,
        seed: u64,
        steps: u32,
    ) -> Result<(), String> {
        (self.play)(&Subject { create, seed, steps })
    }
}

static CHECKS: &[Check] = &[
    Check {
        name: "events",
        demand: "after events in any order, cwnd is finite and at least one segment, pacing is above zero, \
                 and congestion never opens the window",
        play: events,
    },
    Check {
        name: "loss",
        demand: "loss takes at least one segment of a window of 64",
        play: |it| backs_off(it, LOSS),
    },
    Check {
        name: "ecn",
        demand: "a mark takes at least one segment of a window of 64",
        play: |it| backs_off(it, ECN),
    },
    Check {
        name: "timeout",
        demand: "a retransmission timeout takes at least half of the window",
        play: timeout,
    },
    Check { name: "silence", demand: "total silence leads to at most 4 segments", play: silence },
    Check {
        name: "application-limited",
        demand: "a window that is not used does not grow",
        play: application_limited,
    },
    Check {
        name: "idle",
        demand: "after a minute of idleness and a timeout, the window grows again",
        play: idle,
    },
    Check { name: "recovery", demand: "after a loss is repaired, the window grows again", play: recovery },
    Check {
        name: "independence",
        demand: "the same events give the same window, whatever other flows do",
        play: independence,
    },
];

const SMSS: u32 = 1460;
const SEGMENT: f64 = SMSS as f64;
const RTT: Duration = Duration::from_millis(40);
const LOSS: CongestionEvent = CongestionEvent::EnterRecovery;
const ECN: CongestionEvent = CongestionEvent::EcnEcho;

/// Congestion avoidance from 64 segments on, by RFC 5681.
const AVOIDING: Initial =
    Initial { smss: SMSS, window: 64.0, ssthresh: 64.0, restart_window: 2.0, halve: Halve::Flight, seed: 1 };

/// Slow start from 10 segments on.
const STARTING: Initial = Initial { window: 10.0, ssthresh: f64::INFINITY, ..AVOIDING };

/// A transport played by hand.
struct Bench {
    control: Box<dyn CongestionControl>,
    flow: Flow,
    /// Delivered and still to be delivered in the round in progress [bytes].
    delivered: u64,
    left: u64,
    lost: u64,
    marked: u64,
    samples: u32,
    /// The application offers enough to fill the window.
    limited: bool,
    /// What routers answer to the headers of the next ACK's segments, from -1 (give way) to 1 (take more).
    routers: f64,
}

impl Bench {
    fn new(subject: &Subject<'_>, initial: &Initial) -> Result<Self, String> {
        let mut bench = Self {
            control: (subject.create)(initial),
            flow: Flow { now: Time(1_000_000_000_000), smss: SMSS, ..Flow::default() },
            delivered: 0,
            left: 0,
            lost: 0,
            marked: 0,
            samples: 0,
            limited: true,
            routers: 1.0,
        };
        // The handshake has measured the round trip.
        (bench.flow.srtt, bench.flow.min_rtt) = (RTT, RTT);
        bench.fill()?;
        bench.left = bench.flow.flight_size;
        Ok(bench)
    }

    /// Send what the window allows.
    fn fill(&mut self) -> Verdict {
        let segments = whole(self.cwnd()? / SEGMENT).clamp(1, 1 << 20);
        let used = if self.limited { segments } else { segments.div_ceil(4) };
        self.flow.flight_size = used * u64::from(SMSS);
        self.flow.in_flight = self.flow.flight_size;
        self.flow.cwnd_limited = self.limited;
        Ok(())
    }

    /// The window, once the decision as a whole makes sense.
    fn cwnd(&self) -> Result<f64, String> {
        let decision = self.control.decision();
        if !decision.cwnd.is_finite() || decision.cwnd < SEGMENT {
            return Err(format!("expected a cwnd of at least {SMSS} bytes, got {}", decision.cwnd));
        }
        match decision.pacing_rate {
            Some(rate) if !(rate.0.is_finite() && rate.0 > 0.0) => {
                Err(format!("expected a pacing rate above 0 bytes/s, got {}", rate.0))
            }
            _ => Ok(decision.cwnd),
        }
    }

    fn pass(&mut self, span: Duration) -> Verdict {
        let end = self.flow.now + span;
        for _ in 0..10_000 {
            let Some(at) = self.control.wakeup().filter(|&at| at <= end) else {
                self.flow.now = end;
                return Ok(());
            };
            self.flow.now = self.flow.now.max(at);
            self.control.on_wakeup(&self.flow);
            if self.control.wakeup().is_some_and(|next| next <= self.flow.now) {
                return Err("expected a wake-up in the future, got one that has passed".into());
            }
            self.fill()?;
        }
        Err(format!("expected fewer than 10000 wake-ups in {} s", span.seconds()))
    }

    /// One ACK of some segments, at most the flight.
    fn ack(&mut self, segments: u64, lost: u64, marked: u64, rtt: Duration) -> Verdict {
        let smss = u64::from(SMSS);
        let delivered = (segments * smss).min(self.flow.flight_size);
        self.pass(Duration(rtt.0 * delivered / self.flow.flight_size.max(1)))?;
        self.flow.srtt = Duration((7 * self.flow.srtt.0 + rtt.0) / 8);
        self.flow.min_rtt = self.flow.min_rtt.min(rtt);
        self.delivered += delivered;
        self.lost += lost * smss;
        self.marked += marked * smss;
        self.samples += 1;
        self.left = self.left.saturating_sub(delivered);
        let round = (self.left == 0).then_some(RoundSample {
            min_rtt: Some(rtt),
            rtt_count: self.samples,
            delivered: self.delivered,
            lost: self.lost,
            ce_marked: self.marked,
        });
        let feedback = self.answer(delivered);
        let ack = AckSample {
            delivered,
            lost: lost * smss,
            ce_marked: marked * smss,
            rtt: Some(rtt),
            forward_delay: Some(Duration(rtt.0 / 2)),
            rate: Some(RateSample {
                delivered: self.flow.flight_size.max(1),
                interval: rtt,
                app_limited: !self.limited,
            }),
            round,
            feedback,
        };
        self.control.on_ack(&ack, &self.flow);
        self.fill()?;
        if round.is_some() {
            (self.delivered, self.lost, self.marked, self.samples) = (0, 0, 0, 0);
            self.left = self.flow.flight_size;
        }
        Ok(())
    }

    /// The headers that come back with an ACK of so many bytes: XCP's routers grant a segment per flight and
    /// take as much as that times the flight's segments, VCP's say how loaded they are.
    fn answer(&mut self, delivered: u64) -> Feedback {
        let mut header = Feedback::None;
        self.control.on_send(&mut header, &self.flow);
        match &mut header {
            Feedback::Xcp { feedback, .. } => {
                let flights = float(delivered) / float(self.flow.flight_size.max(1));
                let most = if self.routers > 0.0 { SEGMENT } else { float(self.flow.flight_size) };
                *feedback = self.routers * flights * most;
            }
            Feedback::Vcp(load) if self.routers < -0.3 => *load = Load::Over,
            Feedback::Vcp(load) if self.routers < 0.3 => *load = Load::High,
            Feedback::None | Feedback::Vcp(_) => {}
        }
        header
    }

    /// A flight, acknowledged segment by segment.
    fn round(&mut self) -> Verdict {
        let segments = self.flow.flight_size / u64::from(SMSS);
        // A window of thousands of segments is acknowledged in larger parts.
        let part = segments.div_ceil(256);
        for _ in 0..segments.div_ceil(part) {
            self.ack(part, 0, 0, RTT)?;
        }
        Ok(())
    }

    fn congestion(&mut self, event: CongestionEvent) -> Verdict {
        let before = self.cwnd()?;
        match event {
            CongestionEvent::EnterRecovery => self.flow.in_recovery = true,
            CongestionEvent::Rto => {
                // RFC 6298: the timer waits at least a second, and nothing counts as in flight any more.
                self.pass(Duration::from_millis(1000))?;
                self.flow.in_recovery = true;
                self.flow.in_flight = 0;
            }
            CongestionEvent::ExitRecovery => self.flow.in_recovery = false,
            CongestionEvent::EcnEcho => {}
        }
        self.flow.cwnd_limited = true;
        self.control.on_congestion(event, &self.flow);
        let after = self.cwnd()?;
        if event != CongestionEvent::ExitRecovery && after > before {
            return Err(format!("{event:?} opened the window from {before} to {after} bytes"));
        }
        self.fill()
    }
}

/// Random, but possible, orders of events.
fn events(subject: &Subject<'_>) -> Verdict {
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
        if self.control.wants_feedback().is_some() {
            self.routers = pick(2.0) - 1.0;
        }
        self.ack(segments, lost, marked, Duration::from_seconds(0.001 + pick(0.3)))
    }
}

/// Additive decrease takes a few segments at a time, so no share of the window is demanded.
fn backs_off(subject: &Subject<'_>, event: CongestionEvent) -> Verdict {
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

fn timeout(subject: &Subject<'_>) -> Verdict {
    let mut bench = Bench::new(subject, &AVOIDING)?;
    for _ in 0..5 {
        bench.round()?;
    }
    let before = bench.cwnd()?;
    bench.congestion(CongestionEvent::Rto)?;
    at_most(bench.cwnd()?, 0.5 * before, before)
}

fn silence(subject: &Subject<'_>) -> Verdict {
    let mut bench = Bench::new(subject, &AVOIDING)?;
    let before = bench.cwnd()?;
    for _ in 0..16 {
        bench.congestion(CongestionEvent::Rto)?;
    }
    at_most(bench.cwnd()?, 4.0 * SEGMENT, before)
}

fn application_limited(subject: &Subject<'_>) -> Verdict {
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

fn idle(subject: &Subject<'_>) -> Verdict {
    let mut bench = Bench::new(subject, &AVOIDING)?;
    bench.round()?;
    bench.pass(Duration::from_millis(60_000))?;
    bench.congestion(CongestionEvent::Rto)?;
    bench.round()?;
    bench.congestion(CongestionEvent::ExitRecovery)?;
    grows(&mut bench)
}

fn recovery(subject: &Subject<'_>) -> Verdict {
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

fn independence(subject: &Subject<'_>) -> Verdict {
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

/// A positive number without its fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
fn whole(number: f64) -> u64 {
    number as u64
}

#[expect(clippy::cast_precision_loss, reason = "a window has far fewer than 2^53 bytes")]
fn float(bytes: u64) -> f64 {
    bytes as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use congestion::{Decision, Phase};

    #[test]
    fn algorithms_of_every_kind_conform() {
        for name in
            ["reno", "aiad", "scalable", "cubic", "htcp", "ctcp", "fast", "vegas", "hcc", "xcp", "vcp"]
        {
            let create = congestion::factory(name, &std::collections::BTreeMap::new());
            let create = create.expect("a built-in algorithm");
            for check in checks() {
                assert_eq!(check.run(&*create, 1, 4000), Ok(()), "{name}: {}", check.name);
            }
        }
    }

    /// A window that only what is named here changes.
    #[derive(Debug)]
    struct Stub(f64, fn(f64, Option<CongestionEvent>) -> f64);

    impl CongestionControl for Stub {
        fn on_ack(&mut self, _: &AckSample, _: &Flow) {
            self.0 = (self.1)(self.0, None);
        }
        fn on_congestion(&mut self, event: CongestionEvent, _: &Flow) {
            self.0 = (self.1)(self.0, Some(event));
        }
        fn decision(&self) -> Decision {
            Decision { cwnd: self.0, pacing_rate: None }
        }
        fn phase(&self) -> Phase {
            Phase::Standard
        }
    }

    fn failed(rule: fn(f64, Option<CongestionEvent>) -> f64) -> Vec<&'static str> {
        let create = move |initial: &Initial| -> Box<dyn CongestionControl> {
            Box::new(Stub(initial.window * SEGMENT, rule))
        };
        checks().iter().filter(|check| check.run(&create, 1, 800).is_err()).map(|check| check.name).collect()
    }

    #[test]
    fn what_does_nothing_fails_to_react_and_to_grow() {
        let names = ["loss", "ecn", "timeout", "silence", "idle", "recovery"];
        assert_eq!(failed(|cwnd, _| cwnd), names);
    }

    #[test]
    fn what_only_grows_or_makes_no_sense_fails_everything() {
        assert_eq!(failed(|cwnd, _| cwnd + 1.0).len(), checks().len());
        assert_eq!(failed(|_, _| f64::NAN).len(), checks().len());
        assert_eq!(failed(|_, _| 0.0).len(), checks().len());
    }
}
