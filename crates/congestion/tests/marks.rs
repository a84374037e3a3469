//! Answers of every algorithm to a mark, beside those to a loss: one table.

use std::fmt::Write as _;

use congestion::testing::{Path, SMSS, Transport, Verdict, create_with};
use congestion::{Algorithm, CongestionEvent, Duration, Ecn, Halve, Initial, algorithms};

const RTT: Duration = Duration::from_millis(4);

/// Algorithms with a parameter that changes the answer.
const VARIANTS: [(&str, &[(&str, f64)]); 4] = [
    ("reno", &[("beta_ecn", 0.8)]),
    ("cubic", &[("beta_ecn", 0.85)]),
    ("cubic:linux", &[("beta_ecn", 0.85)]),
    ("bbr3", &[("ecn", 1.0)]),
];

/// Part of a window of some 64 segments, in congestion avoidance by RFC 5681, that is left a round trip after `event`,
/// which an eighth of it has met.
fn kept(algorithm: &Algorithm, changes: &[(&str, f64)], event: CongestionEvent) -> Result<f64, String> {
    let initial = Initial {
        smss: SMSS,
        window: 64.0,
        ssthresh: 64.0,
        restart_window: 2.0,
        halve: Halve::Window,
        counts_whole_acks: false,
        seed: 1,
    };
    let path = Path { rtt: RTT, ..Path::default() };
    let mut transport = Transport::new(create_with(algorithm, &initial, changes), SMSS, path);
    transport.connect()?;
    for _ in 0..5 {
        transport.flight()?;
    }
    let before = transport.cwnd()?;
    transport.congestion(event)?;
    let (lost, marked) = if event == CongestionEvent::EcnEcho { (0, 8) } else { (8, 0) };
    for _ in 0..8 {
        transport.acknowledge(1, lost / 8, marked / 8, RTT)?;
    }
    Ok(transport.cwnd()? / before)
}

fn row(algorithm: &Algorithm, changes: &[(&str, f64)], table: &mut String) -> Verdict {
    let name =
        changes.iter().fold(algorithm.name.to_owned(), |name, (key, value)| format!("{name} {key}={value}"));
    let ecn = algorithm_ecn(algorithm, changes).name();
    let mark = kept(algorithm, changes, CongestionEvent::EcnEcho)?;
    let loss = kept(algorithm, changes, CongestionEvent::EnterRecovery)?;
    writeln!(table, "{name:30} {ecn:8} {mark:6.3} {loss:6.3}").expect("a string takes everything");
    Ok(())
}

fn algorithm_ecn(algorithm: &Algorithm, changes: &[(&str, f64)]) -> Ecn {
    create_with(algorithm, &Initial::ANY, changes).needs().ecn
}

/// RFC 3168 section 5: the response to a mark "MUST be essentially the same as the congestion control response to a
/// *single* dropped packet"; RFC 8311 allows others to experiments, RFC 8257, RFC 8511 and RFC 9331 among them.
#[test]
fn answers_to_a_mark_and_to_a_loss() -> Verdict {
    let mut table = format!("{:30} {:8} {:>6} {:>6}\n", "algorithm", "ecn", "mark", "loss");
    for algorithm in algorithms() {
        row(algorithm, &[], &mut table)?;
        for (_, changes) in VARIANTS.iter().filter(|(name, _)| *name == algorithm.name) {
            row(algorithm, changes, &mut table)?;
        }
    }
    insta::assert_snapshot!("marks", table);
    Ok(())
}

/// Whoever says that it answers marks as RFC 3168 has it keeps as much after a mark as after a loss.
#[test]
fn classic_answers_are_those_to_losses() -> Verdict {
    for algorithm in algorithms().iter().filter(|algorithm| algorithm.needs().ecn == Ecn::Classic) {
        let mark = kept(algorithm, &[], CongestionEvent::EcnEcho)?;
        let loss = kept(algorithm, &[], CongestionEvent::EnterRecovery)?;
        // After a mark the window grows with the eight ACKs, after a loss not.
        assert!(mark < 1.0 && (mark - loss).abs() < 0.12, "{}: {mark} and {loss}", algorithm.name);
    }
    Ok(())
}
