//! The two-flow bench, RTT 162 ms, against the figures published for it: windows and shares of "red", which
//! starts at 0 s, and "blue", which joins at 250 s.
//!
//! Source: Mills et al., the methodology paper of the study, figures 3, 17 to 23; bench: NIST SP 500-282, section 5.4.
//! Each test asserts what is measured now, tightly, and prints the published figure beside it;
//! `docs/validation.md` holds the table and says where they differ.

use sim::spec::Spec;

use crate::support::{mean, run, two_flow_bench};

const CAPACITY: f64 = 21_000.0;
/// What fits between sender and receiver without a queue [segments].
const PIPE: f64 = 3402.0;

struct Figures {
    /// Mean window of red alone, from 0 and from 50 to 250 s [segments].
    alone: f64,
    alone_late: f64,
    /// Mean windows of both from 250 to 1000 s [segments].
    red: f64,
    blue: f64,
    /// Parts of the capacity from 250 to 1000 s.
    blue_share: f64,
    total: f64,
    /// Part of the capacity that red uses alone, 0 to 250 s.
    alone_share: f64,
}

fn measure(algorithm: &str) -> Figures {
    let spec = two_flow_bench(0.162, algorithm, 1000.0);
    let output = run(&spec, 1);
    let window = |flow: usize, from, to| mean(&spec, output.flows.iter().map(|row| row[flow].cwnd), from, to);
    let rate = |flow, from, to| share(&spec, &output, flow, from, to);
    Figures {
        alone: window(0, 0.0, 250.0),
        alone_late: window(0, 50.0, 250.0),
        red: window(0, 250.0, 1000.0),
        blue: window(1, 250.0, 1000.0),
        blue_share: rate(1, 250.0, 1000.0),
        total: rate(0, 250.0, 1000.0) + rate(1, 250.0, 1000.0),
        alone_share: rate(0, 0.0, 250.0),
    }
}

fn share(spec: &Spec, output: &sim::RunOutput, flow: usize, from: f64, to: f64) -> f64 {
    mean(spec, output.flows.iter().map(|row| row[flow].acked as f64 / spec.measure.interval), from, to)
        / CAPACITY
}

fn near(what: &str, published: &str, measured: f64, stored: f64) {
    println!("{what}: published {published}, measured {measured:.4}");
    assert!(
        (measured / stored - 1.0).abs() < 2e-3,
        "{what}: was {stored}, is {measured} (published {published})"
    );
}

#[test]
fn reno() {
    let f = measure("reno");
    near("Reno, red alone, mean window 0 to 250 s", "2745", f.alone, 2452.0);
    near("Reno, red alone, mean window 50 to 250 s", "2745", f.alone_late, 2616.0);
    near("Reno, red alone, part of capacity", "0.80", f.alone_share, 0.7189);
    near("Reno, both, part of capacity", "0.89", f.total, 0.868);
    near("Reno, both, mean windows together", "3028 (0.89 of the pipe)", f.red + f.blue, 3071.0);
}

#[test]
fn ctcp() {
    let f = measure("ctcp:nist");
    near("CTCP, red alone, part of capacity", "about Reno's 0.80", f.alone_share, 0.97);
    near("CTCP, both, part of capacity", "full", f.total, 0.988);
    near(
        "CTCP, both, mean windows together, over the pipe",
        "a few segments more",
        f.red + f.blue - PIPE,
        121.0,
    );
    near("CTCP, blue's share", "not printed", f.blue_share, 0.4638);
}

#[test]
fn scalable() {
    let f = measure("scalable:nist");
    near("Scalable, red alone, mean window 0 to 250 s over the pipe", "340", f.alone - PIPE, 340.34);
    near("Scalable, both, part of capacity", "full", f.total, 1.0);
    near("Scalable, blue's share of capacity", "0.02", f.blue_share, 0.04844);
}
