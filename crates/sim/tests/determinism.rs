//! Same scenario, same seed, same bytes; and the same traffic for every algorithm.

use std::collections::BTreeMap;

use sim::RunOutput;
use sim::spec::{Discipline, Spec};

use crate::support::{algorithm, checked, internet, run, run_on_both_paths, suits};

pub fn bytes(spec: &Spec, seed: u64, threads: usize) -> String {
    format!("{:?}", sim::run(&checked(spec), seed, threads, &mut |_| true).expect("the scenario runs"))
}

/// A network in eleven regions with named flows, losses and everything recorded.
pub fn world() -> Spec {
    let mut spec = internet(2.0);
    (spec.measure.transfers, spec.measure.packets) = (true, true);
    spec.algorithms = vec![algorithm("reno"), algorithm("ctcp")];
    for station in &mut spec.stations {
        station.loss = 1e-3;
    }
    if let Some(population) = &mut spec.population {
        population.algorithm_shares = vec![0.5, 0.5];
        population.think_mean = 0.5;
    }
    let mut long = crate::support::flow("long", 0.1);
    (long.receiver, long.interface) = (spec.sites.len() as u32 - 1, 1);
    spec.flows.push(long);
    spec
}

/// Links of the backbone fail, and routes lead around them.
#[test]
fn threads_change_nothing_where_links_fail() {
    let mut spec = world();
    crate::worlds::fail(&mut spec, &[(0, 0.5, 0.5), (3, 0.7, 0.2), (7, 0.0, 1.0), (20, 1.0, 0.3)]);
    let alone = run_on_both_paths(&spec, 7);
    let lost = |output: &RunOutput| output.queue_counts[0].drops();
    let (with, without) = (lost(&alone), lost(&run(&world(), 7)));
    assert!(with > without + 50, "{with} packets are lost at the first router, {without} without failures");
    for threads in [2, 4] {
        assert!(bytes(&spec, 7, threads) == bytes(&spec, 7, 1), "{threads} threads differ from one");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let spec = world();
    let alone = bytes(&spec, 7, 1);
    assert!(alone.len() > 100_000, "the run is not trivial");
    for threads in [1, 2, 4, 64] {
        assert!(bytes(&spec, 7, threads) == alone, "{threads} threads differ from one");
    }
}

/// Every discipline in one network, with senders of every kind of ECN and records of the queues.
pub fn every_discipline() -> Spec {
    let mut spec = world();
    let entries = Discipline::catalogue().into_iter().filter(|entry| !matches!(entry.name, "xcp" | "vcp"));
    let all: Vec<Discipline> = entries
        .map(|entry| {
            let mut value = serde_json::json!({ "name": entry.name });
            // Token buckets starve faster links unless they are told a rate.
            if entry.name == "policer" || entry.name == "shaper" {
                value["rate"] = serde_json::json!(1e8);
                value["burst"] = serde_json::json!(1_000_000);
            }
            serde_json::from_value(value).expect("the others have defaults")
        })
        .collect();
    let count = all.len();
    assert!(count >= 13, "{count} disciplines");
    let sizes = spec.packet;
    for (station, at) in spec.stations.iter_mut().zip(0..) {
        let discipline = all[at % count];
        if suits(&discipline, station, sizes) {
            station.discipline = discipline;
        }
    }
    let used = all.iter().filter(|kind| spec.stations.iter().any(|station| station.discipline == **kind));
    assert_eq!(used.count(), count, "every discipline stands somewhere");
    spec.algorithms = ["reno", "dctcp", "prague", "cubic"].map(algorithm).into();
    if let Some(population) = &mut spec.population {
        population.algorithm_shares = vec![0.25; 4];
        population.think_mean = 0.2;
    }
    spec.transport.ecn = true;
    spec.measure.queues = true;
    spec.measure.stations = (0..spec.stations.len() as u32).collect();
    spec
}

/// Bytes do not depend on threads, nor on the path, fast or plain.
#[test]
fn threads_change_nothing_where_every_discipline_is_in_one_world() {
    let spec = every_discipline();
    let alone = bytes(&spec, 7, 1);
    for threads in [2, 4, 64] {
        assert!(bytes(&spec, 7, threads) == alone, "{threads} threads differ from one");
    }
    let output = run_on_both_paths(&spec, 7);
    let (drops, marks) = output
        .queue_counts
        .iter()
        .fold((0, 0), |(drops, marks), counts| (drops + counts.drops(), marks + counts.marks()));
    assert!(drops > 1000 && marks > 100, "the run is not trivial: {drops} drops, {marks} marks");
}

/// The events on the critical path are those of one region at least and of all at most, also where the threads
/// swap regions (this run has more windows than they wait before they do).
#[test]
fn the_busiest_region_bounds_what_threads_can_gain() {
    let spec = world();
    for threads in [1, 3] {
        let output = sim::run(&checked(&spec), 7, threads, &mut |_| true).expect("the scenario runs");
        let limit = output.totals.events as f64 / output.critical_events as f64;
        assert!(1.0 < limit && limit < 11.0, "{limit} times as fast on many threads");
    }
    let output = run(&crate::support::two_flow_bench(0.1, "reno", 2.0), 7);
    assert_eq!(output.critical_events, output.totals.events);
}

#[test]
fn another_seed_is_another_run() {
    let spec = world();
    assert!(bytes(&spec, 7, 1) != bytes(&spec, 8, 1));
}

/// What a scenario says and does not say through the order of its text is all there is: a spec that went through JSON
/// runs the same.
#[test]
fn a_scenario_survives_json() {
    let spec = world();
    let text = serde_json::to_string(&spec).expect("a scenario is plain data");
    let copy = sim::parse(&text).expect("and valid").into_spec();
    assert_eq!(spec, copy);
    assert!(bytes(&copy, 7, 1) == bytes(&spec, 7, 1));
}

/// Common random numbers: the n-th transfer of a source is the same whatever algorithm carries it.
#[test]
fn algorithms_see_the_same_traffic() {
    let traffic = |name: &str| {
        let mut spec = internet(6.0);
        spec.algorithms = vec![algorithm(name)];
        spec.measure.transfers = true;
        if let Some(population) = &mut spec.population {
            population.think_mean = 0.5;
            population.files.mean = 150.0;
        }
        let output = run(&spec, 11);
        assert_eq!(output.totals.connection_failures, 0, "a failed connection uses up a transfer");
        let mut traffic: BTreeMap<u32, Vec<(u64, u16, u8)>> = BTreeMap::new();
        let mut durations = 0.0;
        for transfer in &output.transfers {
            traffic.entry(transfer.source).or_default().push((
                transfer.size,
                transfer.site,
                transfer.key.file,
            ));
            durations += transfer.duration;
        }
        (traffic, durations)
    };
    let (reno, reno_time) = traffic("reno");
    let (scalable, scalable_time) = traffic("scalable");
    assert!((reno_time - scalable_time).abs() > 0.0, "the algorithms do differ");
    let mut compared = 0;
    for (source, transfers) in &reno {
        for (a, b) in transfers.iter().zip(scalable.get(source).into_iter().flatten()) {
            assert_eq!(a, b, "source {source}");
            compared += 1;
        }
    }
    assert!(compared > 1000, "{compared} transfers compared");
}
