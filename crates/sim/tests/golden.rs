//! Whole-run totals of small worlds, stored. They change only when results change, and then the version of results
//! changes too (`RESULT_VERSION`). Every world runs on the reference path as well.

use std::fmt::Write as _;

use sim::RunOutput;
use sim::measure::counters::Counters;
use sim::spec::{RtoRule, Transport};

use crate::quic::quic;
use crate::support::{NEWRENO, RACK, algorithm, dumbbell, flow, internet, run_on_both_paths, two_flow_bench};

/// Counts of what happened in the network; `events` counts the simulator's own steps.
fn counts(output: &RunOutput) -> impl Iterator<Item = (&'static str, u64)> {
    Counters::NAMES.iter().copied().zip(output.totals.values()).filter(|(name, _)| *name != "events")
}

fn totals(output: &RunOutput) -> String {
    let mut text = format!("result version {}\n", sim::RESULT_VERSION);
    for (name, value) in counts(output) {
        let _ = writeln!(text, "{name} {value}");
    }
    let _ = write!(text, "in_flight {}", output.in_flight);
    text
}

#[test]
fn dumbbell_reno_and_ctcp() {
    let mut blue = flow("blue", 1.5);
    blue.algorithm = 1;
    let mut spec = dumbbell(10.0, 0.05, Some(100), vec![flow("red", 0.0), blue], 30.0);
    spec.algorithms = vec![algorithm("reno"), algorithm("ctcp")];
    spec.stations[0].loss = 1e-4;
    insta::assert_snapshot!(totals(&run_on_both_paths(&spec, 1)));
}

#[test]
fn dumbbell_newreno_delayed_acks_through_the_queues() {
    let mut spec = dumbbell(5.0, 0.08, Some(60), vec![flow("red", 0.0), flow("blue", 0.9)], 30.0);
    (spec.flows[1].source, spec.flows[1].receiver) = (1, 0);
    spec.transport.recovery = NEWRENO;
    spec.transport.ack_every = 2;
    spec.transport.ack_cost = true;
    spec.stations[1].loss = 1e-3;
    insta::assert_snapshot!(totals(&run_on_both_paths(&spec, 1)));
}

/// Paced flows over a shallow buffer, whose repairs are lost, too.
#[test]
fn dumbbell_rack_in_a_shallow_buffer() {
    let mut blue = flow("blue", 0.5);
    (blue.algorithm, blue.size) = (1, Some(300));
    let mut spec = dumbbell(10.0, 0.04, Some(80), vec![flow("red", 0.0), blue, flow("green", 1.0)], 20.0);
    spec.algorithms = vec![algorithm("bbr3"), algorithm("cubic")];
    spec.transport.recovery = RACK;
    (spec.transport.rto_min, spec.transport.rto_rule) = (0.2, RtoRule::Linux);
    insta::assert_snapshot!(totals(&run_on_both_paths(&spec, 1)));
}

/// Flows of QUIC over a shallow buffer, with losses of data and ACKs.
#[test]
fn dumbbell_quic_in_a_shallow_buffer() {
    let mut blue = flow("blue", 0.5);
    (blue.algorithm, blue.size) = (1, Some(300));
    let mut spec = dumbbell(10.0, 0.04, Some(80), vec![flow("red", 0.0), blue, flow("green", 1.0)], 20.0);
    spec.algorithms = vec![algorithm("bbr3"), algorithm("cubic")];
    spec.transport = Transport { ack_cost: true, ..quic(10.0) };
    (spec.stations[0].loss, spec.stations[1].loss) = (1e-3, 1e-2);
    insta::assert_snapshot!(totals(&run_on_both_paths(&spec, 1)));
}

#[test]
fn bench_scalable() {
    insta::assert_snapshot!(totals(&run_on_both_paths(&two_flow_bench(0.042, "scalable:nist", 20.0), 1)));
}

#[test]
fn internet_small() {
    let mut spec = internet(3.0);
    if let Some(population) = &mut spec.population {
        population.think_mean = 0.3;
    }
    insta::assert_snapshot!(totals(&run_on_both_paths(&spec, 1)));
}

/// What Python must get too: `tests/unit/engine/test_core.py` compares the same file with the same run.
#[test]
fn dumbbell_of_the_data_folder() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let spec = sim::parse(include_str!("data/dumbbell.json")).expect("it parses").into_spec();
    let output = run_on_both_paths(&spec, 1);
    let mut totals: std::collections::BTreeMap<&str, u64> = counts(&output).collect();
    totals.insert("in_flight", output.in_flight);
    let acked: Vec<u64> = output.flows.iter().map(|row| row.iter().map(|flow| flow.acked).sum()).collect();
    let cwnd: Vec<String> =
        output.flows.last().map_or(Vec::new(), |row| row.iter().map(|flow| hex(flow.cwnd)).collect());
    let summary = serde_json::json!({ "totals": totals, "acked": acked, "cwnd": cwnd });
    let path = format!("{folder}/dumbbell.totals.json");
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(&path, format!("{summary:#}\n")).expect("the folder can be written");
    }
    let stored = std::fs::read_to_string(&path).expect("the file is in the repository");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&stored).expect("it is JSON"), summary);
}

/// A positive number as Python's `float.hex` writes it.
fn hex(value: f64) -> String {
    let bits = value.to_bits();
    let exponent = i64::try_from(bits >> 52 & 0x7ff).unwrap_or(0) - 1023;
    format!("0x1.{:013x}p{exponent:+}", bits & ((1 << 52) - 1))
}
