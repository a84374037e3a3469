//! Response functions: the mean window under a loss every 1/p segments, on a path without queues.

use congestion::testing::{Path, SMSS, Transport, avoiding, create_with};
use congestion::{Duration, algorithms};

/// Mean window over round trips of 100 ms, with the parameters of the name.
fn mean_window(algorithm: &str, spacing: u64) -> f64 {
    mean_window_at(algorithm, &[], spacing, 0.1)
}

/// Mean window over round trips [segments] when one segment in `spacing` is lost and repaired at once.
fn mean_window_at(algorithm: &str, changes: &[(&str, f64)], spacing: u64, rtt: f64) -> f64 {
    let algorithm = algorithms().iter().find(|known| known.name == algorithm).expect(algorithm);
    let controller = create_with(algorithm, &avoiding(10.0), changes);
    let path = Path { rtt: Duration::from_seconds(rtt), lose_every: Some(spacing), ..Path::default() };
    let mut transport = Transport::new(controller, SMSS, path);
    let (mut rounds, mut sum) = (0.0, 0.0);
    // The first losses are left out: they belong to the start.
    while transport.lost < 60 {
        if transport.lost >= 20 {
            rounds += 1.0;
            sum += transport.segments();
        }
        transport.round().expect(algorithm.name);
    }
    sum / rounds
}

fn assert_within(actual: f64, expected: f64, tolerance: f64) {
    assert!((actual / expected - 1.0).abs() < tolerance, "expected about {expected}, found {actual}");
}

/// RFC 3649 has it as w = 1.2/sqrt(p); for losses at equal distances sqrt(1.5/p).
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
        let window = mean_window("ctcp", spacing);
        assert_within(window, expected, 0.01);
    }
}

/// The response function of RFC 3649: 0.12/p^0.835 for windows above 38, Reno's below.
#[test]
fn hstcp_follows_its_table() {
    for (spacing, expected) in [(100, 12.0), (1_000, 38.0), (10_000, 263.0), (100_000, 1795.0)] {
        assert_within(mean_window("hstcp", spacing), expected, 0.065);
    }
}

/// RFC 9438 section 5.1, tables 1 (RTT 0.1 s) and 2 (RTT 0.01 s), for C = 0.4 and the other two C.
#[test]
fn cubic_follows_its_tables() {
    let c = [0.04, 0.4, 4.0];
    let tables = [
        (
            0.1,
            [
                (100, [12.0, 12.0, 12.0]),
                (1_000, [38.0, 38.0, 59.0]),
                (10_000, [120.0, 187.0, 333.0]),
                (100_000, [593.0, 1054.0, 1874.0]),
            ],
        ),
        (
            0.01,
            [
                (100, [12.0, 12.0, 12.0]),
                (1_000, [38.0, 38.0, 38.0]),
                (10_000, [120.0, 120.0, 120.0]),
                (100_000, [379.0, 379.0, 379.0]),
            ],
        ),
    ];
    for (rtt, rows) in tables {
        for (spacing, windows) in rows {
            for (c, expected) in c.into_iter().zip(windows) {
                let window = mean_window_at("cubic", &[("c", c)], spacing, rtt);
                assert_within(window, expected, 0.1);
            }
        }
    }
}

/// H-TCP increases by A(T) = 2 (1 - beta) x the integral of alpha in T seconds (draft-leith-tcp-htcp-06,
/// equation 1) and loses (1 - beta) of the window, which must be the same; 1/p segments are sent meanwhile.
#[test]
fn htcp_balances_gain_and_loss() {
    for rtt in [0.1, 0.01] {
        for (changes, beta) in [(&[][..], 0.8), (&[("beta_max", 0.5)][..], 0.5)] {
            for spacing in [1_000_u32, 10_000, 100_000] {
                let window = mean_window_at("htcp", changes, spacing.into(), rtt);
                let expected = htcp_window(f64::from(spacing), beta, rtt);
                assert_within(window, expected, 0.05);
            }
        }
    }
}

/// Mean window in equilibrium [segments], by integrating alpha until `spacing` segments are sent.
fn htcp_window(spacing: f64, beta: f64, rtt: f64) -> f64 {
    let step = 1e-4;
    let (mut t, mut gain, mut area) = (0.0, 0.0, 0.0);
    loop {
        let delta = t - 1.0;
        let increase = 1.0 + 10.0 * delta + 0.5 * delta * delta;
        let alpha = if delta > 0.0 { (rtt / 0.1 * increase).max(1.0) } else { 1.0 };
        t += step;
        gain += 2.0 * (1.0 - beta) * alpha * step / rtt;
        area += gain * step;
        // What is won back is what was lost: gain = (1 - beta) peak.
        let sent = (beta * gain / (1.0 - beta) * t + area) / rtt;
        if sent >= spacing {
            return sent * rtt / t;
        }
    }
}
