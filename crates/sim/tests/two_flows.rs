//! The two-flow bench of SP 500-282 section 5.4, RTT 162 ms, against the figures printed for it.

use crate::support::{mean, run, two_flow_bench};

fn cwnd(spec: &sim::scenario::spec::Spec, output: &sim::RunOutput, flow: usize, from: f64, to: f64) -> f64 {
    mean(spec, output.flows.iter().map(|row| row[flow].cwnd), from, to)
}

fn rate(spec: &sim::scenario::spec::Spec, output: &sim::RunOutput, flow: usize, from: f64, to: f64) -> f64 {
    mean(spec, output.flows.iter().map(|row| row[flow].acked as f64 / spec.measure.interval), from, to)
}

/// Published: Reno alone has a mean window of 2745 packets.
#[test]
fn reno_alone_averages_the_published_window() {
    let spec = two_flow_bench(0.162, "reno", 250.0);
    let output = run(&spec, 1);
    let red = cwnd(&spec, &output, 0, 50.0, 250.0);
    println!("Reno alone, 50 to 250 s: published 2745, measured {red:.0}");
    assert!((red / 2745.0 - 1.0).abs() < 0.03, "published 2745, measured {red:.0}");
}

/// Published: the second Scalable flow gets about 2 % of the capacity.
#[test]
fn the_late_scalable_flow_starves() {
    let spec = two_flow_bench(0.162, "scalable:nist", 1000.0);
    let output = run(&spec, 1);
    let share = rate(&spec, &output, 1, 300.0, 1000.0) / 21_000.0;
    println!("Scalable, late flow, 300 to 1000 s: published 0.02, measured {share:.3}");
    assert!((0.01..0.03).contains(&share), "published about 0.02, measured {share:.3}");
}

#[test]
#[ignore = "trace for people"]
fn trace() {
    for step in 0..14 {
        let mut spec = two_flow_bench(0.162, "scalable:nist", 700.0);
        spec.flows[1].start = 250.0 + 0.2 * step as f64;
        let output = run(&spec, 1);
        let at = (5.0 * spec.flows[1].start) as usize - 1;
        println!(
            "step {step} queue {} red {:.0} share {:.3} both {:.0}",
            output.queues[at][0],
            output.flows[at][0].cwnd,
            rate(&spec, &output, 1, 300.0, 700.0) / 21_000.0,
            rate(&spec, &output, 1, 300.0, 700.0) + rate(&spec, &output, 0, 300.0, 700.0)
        );
    }
    for (iw, b) in [(2.0, 680), (5.0, 680), (10.0, 680), (3.0, 680), (2.0, 1360)] {
        let mut spec = two_flow_bench(0.162, "reno", 250.0);
        spec.transport.initial_window = iw;
        spec.stations[0].buffer = Some(sim::scenario::spec::Buffer::Packets(b));
        let output = run(&spec, 1);
        println!(
            "iw {iw} buffer {b}: {:.1} {:.1}",
            cwnd(&spec, &output, 0, 50.0, 250.0),
            cwnd(&spec, &output, 0, 0.0, 250.0)
        );
    }
}
