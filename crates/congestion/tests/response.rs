//! Response functions: the mean window under a loss every 1/p segments, on a path without queues.

use std::collections::BTreeMap;

use congestion::{AckSample, CongestionEvent, Duration, Flow, Halve, Initial, RoundSample, factory};

const SMSS: u32 = 1000;

/// Mean window over round trips [segments] when one segment in `spacing` is lost and repaired at once.
fn mean_window(algorithm: &str, spacing: u64) -> f64 {
    let create = factory(algorithm, &BTreeMap::new()).expect(algorithm);
    let window = 10.0;
    let halve = Halve::Window;
    let mut controller =
        create(&Initial { smss: SMSS, window, ssthresh: window, restart_window: 1.0, halve, seed: 1 });
    let rtt = Duration::from_millis(100);
    let flow = Flow { smss: SMSS, srtt: rtt, min_rtt: rtt, cwnd_limited: true, ..Flow::default() };
    let round = RoundSample { min_rtt: Some(rtt), rtt_count: 1, delivered: 0, lost: 0, ce_marked: 0 };
    let ack = AckSample { delivered: u64::from(SMSS), rtt: Some(rtt), ..AckSample::default() };
    let (mut losses, mut since_loss) = (0, 0);
    let (mut rounds, mut sum) = (0.0, 0.0);
    // The first losses are left out: they belong to the start.
    while losses < 60 {
        let cwnd = controller.decision().cwnd / f64::from(SMSS);
        if losses >= 20 {
            rounds += 1.0;
            sum += cwnd;
        }
        let mut sent = 0.0;
        while sent + 1.0 <= cwnd {
            let round = (sent == 0.0).then_some(round);
            controller.on_ack(&AckSample { round, ..ack }, &flow);
            sent += 1.0;
            since_loss += 1;
            if since_loss == spacing {
                controller.on_congestion(CongestionEvent::EnterRecovery, &flow);
                controller.on_congestion(CongestionEvent::ExitRecovery, &flow);
                losses += 1;
                since_loss = 0;
            }
        }
    }
    sum / rounds
}

fn assert_within(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() < tolerance, "expected about {expected}, found {found}");
}

/// RFC 3649 section 3 quotes it: w = 1.2/sqrt(p); for losses at equal distances sqrt(1.5/p).
#[test]
fn reno_follows_the_square_root() {
    for spacing in [1_000_u32, 10_000] {
        let expected = (1.5 * f64::from(spacing)).sqrt();
        assert_within(mean_window("reno", spacing.into()), expected, 0.03);
    }
}

/// Gains of 1 % per round and losses of an eighth balance at a peak of a/(b p) = 0.08/p; the mean over
/// rounds is (b / ln(1/(1-b))) of the peak, 0.936.
#[test]
fn scalable_is_inverse() {
    for spacing in [1_000_u32, 10_000] {
        let expected = 0.08 * 0.936 * f64::from(spacing);
        assert_within(mean_window("scalable", spacing.into()), expected, 0.03);
    }
}

/// draft-sridharan-tcpm-ctcp-02, table 1: windows at drop rates of 1e-3, 1e-4 and 1e-5.
#[test]
fn ctcp_follows_table_1() {
    for (spacing, expected) in [(1_000, 64.0), (10_000, 404.0), (100_000, 2552.0)] {
        let found = mean_window("ctcp", spacing);
        assert_within(found, expected, 0.01);
    }
}
