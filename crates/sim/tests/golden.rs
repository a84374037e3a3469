//! Whole-run totals of small worlds, stored. They change only when results change, and then the version of results
//! changes too (`RESULT_VERSION`).

use std::fmt::Write as _;

use sim::RunOutput;
use sim::scenario::spec::Recovery;

use crate::support::{algorithm, dumbbell, flow, internet, run, two_flow_bench};

/// Counts of what happened in the network; `events` counts the simulator's own steps.
fn totals(output: &RunOutput) -> String {
    let mut text = format!("result version {}\n", sim::RESULT_VERSION);
    let counters = sim::measure::counters::Counters::NAMES.iter().zip(output.totals.values());
    for (name, value) in counters.filter(|(name, _)| **name != "events") {
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
    insta::assert_snapshot!(totals(&run(&spec, 1)));
}

#[test]
fn dumbbell_newreno_delayed_acks_through_the_queues() {
    let mut spec = dumbbell(5.0, 0.08, Some(60), vec![flow("red", 0.0), flow("blue", 0.9)], 30.0);
    (spec.flows[1].source, spec.flows[1].receiver) = (1, 0);
    spec.transport.recovery = Recovery::Newreno;
    spec.transport.ack_every = 2;
    spec.transport.ack_cost = true;
    spec.stations[1].loss = 1e-3;
    insta::assert_snapshot!(totals(&run(&spec, 1)));
}

#[test]
fn bench_scalable() {
    insta::assert_snapshot!(totals(&run(&two_flow_bench(0.042, "scalable:nist", 20.0), 1)));
}

#[test]
fn internet_small() {
    let mut spec = internet(3.0);
    if let Some(population) = &mut spec.population {
        population.think_mean = 0.3;
    }
    insta::assert_snapshot!(totals(&run(&spec, 1)));
}
