//! Every algorithm through the same story, one line per round trip, windows in whole segments.
//!
//! The path holds 60 segments without a queue and has a base RTT of 100 ms; a larger window waits in the
//! queue. Losses, marks and timeouts happen where the story says so.

use std::fmt::Write as _;

use congestion::testing::{Path, SMSS, Transport, Verdict, create};
use congestion::{Algorithm, CongestionEvent, Duration, Halve, Initial, Phase, algorithms};

/// Event, or some rounds without one.
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
    transport: Transport,
    round: u32,
    text: String,
}

impl Teller {
    fn tell(algorithm: &Algorithm, initial: &Initial, story: &[Act]) -> String {
        let controller = create(algorithm, initial);
        // For controllers that measure rates the ACKs come one after the other, for the others all at once.
        let compressed = !controller.needs().rate_samples;
        let path = Path { rate: 600.0, rtt: Duration::from_millis(100), compressed, ..Path::default() };
        let text = String::from("round  cwnd  phase\n");
        let mut teller = Self { transport: Transport::new(controller, SMSS, path), round: 0, text };
        teller.line("start");
        for &act in story {
            teller.act(act).expect(algorithm.name);
        }
        teller.text
    }

    fn act(&mut self, act: Act) -> Verdict {
        match act {
            Act::Send(rounds) => self.pass(rounds, ""),
            Act::Idle(rounds) => {
                self.transport.app_limited = true;
                self.pass(rounds, "application-limited")?;
                self.transport.app_limited = false;
                Ok(())
            }
            Act::Loss => {
                self.congestion(CongestionEvent::EnterRecovery)?;
                self.pass(1, "repairing")?;
                self.congestion(CongestionEvent::ExitRecovery)
            }
            Act::Timeout(rounds) => {
                self.congestion(CongestionEvent::Rto)?;
                self.pass(rounds, "repairing")?;
                if rounds > 0 { self.congestion(CongestionEvent::ExitRecovery) } else { Ok(()) }
            }
            Act::Mark => self.congestion(CongestionEvent::EcnEcho),
        }
    }

    fn pass(&mut self, rounds: u32, what: &str) -> Verdict {
        for _ in 0..rounds {
            self.transport.round()?;
            self.round += 1;
            self.line(what);
        }
        Ok(())
    }

    fn congestion(&mut self, event: CongestionEvent) -> Verdict {
        self.transport.congestion(event)?;
        self.line(&format!("{event:?}"));
        Ok(())
    }

    fn line(&mut self, what: &str) {
        let phase = match self.transport.controller.phase() {
            Phase::SlowStart => "slow start",
            Phase::Standard => "standard",
            Phase::Alternate => "alternate",
        };
        let line = format!("{:5}  {:4}  {phase:10}  {what}", self.round, self.transport.whole_window());
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
        counts_whole_acks: false,
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
        counts_whole_acks: false,
        seed: 1,
    };
    let mut story = STORY;
    story[0] = Act::Send(4);
    for algorithm in algorithms() {
        let name = format!("rfc-{}", algorithm.name.replace(':', "-"));
        insta::assert_snapshot!(name, Teller::tell(algorithm, &initial, &story));
    }
}
