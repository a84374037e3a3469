//! Every algorithm through the same story, one line per round trip, windows in whole segments.
//!
//! The path holds 60 segments without a queue and has a base RTT of 100 ms; a larger window waits in the
//! queue. Losses, marks and timeouts happen where the story says so.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use congestion::{
    AckSample, Algorithm, CongestionControl, CongestionEvent, Duration, Feedback, Flow, Halve, Initial, Load,
    Phase, RateSample, RoundSample, algorithms, factory,
};

const SMSS: u32 = 1000;
const PIPE: f64 = 60.0;
const BASE_RTT: f64 = 0.1;

/// What happens for some rounds.
#[derive(Clone, Copy)]
enum Act {
    /// The window is used and everything arrives.
    Send(u32),
    /// The application offers less than the window.
    Idle(u32),
    /// A segment is lost and repaired within a round.
    Loss,
    /// The timer expires; that many rounds of repair follow.
    Timeout(u32),
    /// A mark arrives.
    Mark,
}

const STORY: [Act; 13] = [
    Act::Send(40),
    Act::Loss,
    Act::Send(8),
    Act::Mark,
    Act::Send(6),
    Act::Idle(3),
    Act::Send(2),
    Act::Timeout(3),
    Act::Send(8),
    Act::Timeout(0),
    Act::Timeout(2),
    Act::Loss,
    Act::Send(4),
];

struct Teller {
    controller: Box<dyn CongestionControl>,
    flow: Flow,
    round: u32,
    text: String,
}

impl Teller {
    fn tell(algorithm: &Algorithm, initial: &Initial, story: &[Act]) -> String {
        let create = factory(algorithm.name, &BTreeMap::new()).expect(algorithm.name);
        let flow = Flow { smss: SMSS, ..Flow::default() };
        let text = String::from("round  cwnd  phase\n");
        let mut teller = Self { controller: create(initial), flow, round: 0, text };
        teller.line("start");
        for &act in story {
            teller.act(act);
        }
        teller.text
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Send(rounds) => (0..rounds).for_each(|_| self.pass(true, "")),
            Act::Idle(rounds) => (0..rounds).for_each(|_| self.pass(false, "application-limited")),
            Act::Loss => {
                self.congestion(CongestionEvent::EnterRecovery);
                self.pass(true, "repairing");
                self.congestion(CongestionEvent::ExitRecovery);
            }
            Act::Timeout(rounds) => {
                self.congestion(CongestionEvent::Rto);
                (0..rounds).for_each(|_| self.pass(true, "repairing"));
                if rounds > 0 {
                    self.congestion(CongestionEvent::ExitRecovery);
                }
            }
            Act::Mark => self.congestion(CongestionEvent::EcnEcho),
        }
    }

    /// One round trip: an ACK for every whole segment of the window.
    fn pass(&mut self, cwnd_limited: bool, what: &str) {
        let window = self.segments().min(self.paced());
        let rtt = Duration::from_seconds(BASE_RTT * (f64::from(window) / PIPE).max(1.0));
        let delivered = u64::from(SMSS);
        let round = RoundSample {
            min_rtt: Some(rtt),
            rtt_count: window,
            delivered: u64::from(window) * delivered,
            lost: 0,
            ce_marked: 0,
        };
        self.flow.srtt = rtt;
        self.flow.min_rtt = if self.round == 0 { rtt } else { self.flow.min_rtt.min(rtt) };
        self.fly(window);
        self.flow.cwnd_limited = cwnd_limited;
        // For controllers that measure rates the ACKs come one after the other, for the others all at once.
        let spread = self.controller.needs().rate_samples;
        let (start, gap) = (self.flow.now, Duration(rtt.0 / u64::from(window)));
        self.flow.now += rtt;
        let end = self.flow.now;
        // The way back is free of queues.
        let forward_delay = Some(rtt - Duration::from_seconds(BASE_RTT / 2.0));
        let rate = Some(RateSample { delivered: round.delivered, interval: rtt, app_limited: !cwnd_limited });
        let rtt = (!self.flow.in_recovery).then_some(rtt);
        let feedback = self.routers(window);
        for index in 0..window {
            if spread {
                self.flow.now =
                    if index + 1 < window { start + Duration(gap.0 * u64::from(index + 1)) } else { end };
            }
            let round = (index == 0).then_some(round);
            let ack =
                AckSample { delivered, rtt, forward_delay, rate, round, feedback, ..AckSample::default() };
            self.controller.on_ack(&ack, &self.flow);
        }
        self.round += 1;
        self.line(what);
    }

    /// What routers of the flow's kind write into every header of a round of `window` segments: XCP's
    /// aggregate feedback in equal parts, without shuffling, or VCP's load, measured once per round.
    fn routers(&mut self, window: u32) -> Feedback {
        let mut header = Feedback::None;
        self.controller.on_send(&mut header, &self.flow);
        let window = f64::from(window);
        match header {
            Feedback::None => {}
            Feedback::Xcp { ref mut feedback, .. } => {
                let spare = (PIPE - window).max(0.0);
                let queue = (window - PIPE).max(0.0);
                *feedback = (0.4 * spare - 0.226 * queue) / window * f64::from(SMSS);
            }
            Feedback::Vcp(ref mut load) => {
                let offered = (window.min(PIPE) + 0.5 * (window - PIPE).max(0.0)) / (0.98 * PIPE);
                *load = match offered {
                    low if low < 0.8 => Load::Low,
                    high if high < 1.0 => Load::High,
                    _ => Load::Over,
                };
            }
        }
        header
    }

    fn congestion(&mut self, event: CongestionEvent) {
        self.flow.in_recovery = match event {
            CongestionEvent::EnterRecovery | CongestionEvent::Rto => true,
            CongestionEvent::ExitRecovery => false,
            CongestionEvent::EcnEcho => self.flow.in_recovery,
        };
        self.fly(self.segments());
        self.controller.on_congestion(event, &self.flow);
        self.line(&format!("{event:?}"));
    }

    /// That many segments are on their way.
    fn fly(&mut self, segments: u32) {
        self.flow.flight_size = u64::from(segments) * u64::from(SMSS);
        self.flow.in_flight = self.flow.flight_size;
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole segments of a small positive window"
    )]
    fn segments(&self) -> u32 {
        (self.controller.decision().cwnd / f64::from(SMSS)) as u32
    }

    /// Segments that pacing lets out in a round trip.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float to integer casts saturate, and a rate is positive"
    )]
    fn paced(&self) -> u32 {
        match self.controller.decision().pacing_rate {
            Some(rate) if self.round > 0 => {
                ((rate.0 * self.flow.srtt.seconds() / f64::from(SMSS)) as u32).max(1)
            }
            _ => u32::MAX,
        }
    }

    fn line(&mut self, what: &str) {
        let phase = match self.controller.phase() {
            Phase::SlowStart => "slow start",
            Phase::Standard => "standard",
            Phase::Alternate => "alternate",
        };
        let line = format!("{:5}  {:4}  {phase:10}  {what}", self.round, self.segments());
        writeln!(self.text, "{}", line.trim_end()).expect("a string takes everything");
    }
}

/// As in the `MesoNet` study: the window is halved, and the initial window follows a timeout.
#[test]
fn story_as_in_mesonet() {
    let initial = Initial {
        smss: SMSS,
        window: 2.0,
        ssthresh: 48.0,
        restart_window: 2.0,
        halve: Halve::Window,
        seed: 1,
    };
    for algorithm in algorithms() {
        let name = format!("mesonet-{}", algorithm.name.replace(':', "-"));
        insta::assert_snapshot!(name, Teller::tell(algorithm, &initial, &STORY));
    }
}

/// As in the RFCs: the flight is halved, and one segment follows a timeout.
#[test]
fn story_as_in_the_rfcs() {
    let initial = Initial {
        smss: SMSS,
        window: 10.0,
        ssthresh: f64::INFINITY,
        restart_window: 1.0,
        halve: Halve::Flight,
        seed: 1,
    };
    let mut story = STORY;
    story[0] = Act::Send(4);
    for algorithm in algorithms() {
        let name = format!("rfc-{}", algorithm.name.replace(':', "-"));
        insta::assert_snapshot!(name, Teller::tell(algorithm, &initial, &story));
    }
}
