//! Bad scenarios get an answer with a place, never a panic.

mod mistakes;

use proptest::prelude::*;
use serde_json::{Value, json};
use sim::Error;
use sim::spec::{
    Bursts, Files, Interface, Jumbo, Link, NextBurst, Patience, Population, RateChanges, Site, Spec, Startup,
    Station,
};

use crate::support::{dumbbell, flow, problems, run, station};

const DUMBBELL: &str = include_str!("data/dumbbell.json");

/// A dumbbell with a population and a named flow, so that every part of a scenario is there.
fn full() -> Spec {
    let mut spec = dumbbell(10.0, 0.05, Some(100), vec![flow("long", 0.0)], 2.0);
    spec.stations[0].rate_changes =
        Some(RateChanges { times: vec![1.0], rates: vec![5000.0], period: Some(1.5) });
    spec.flows[0].bursts = Some(Bursts { size: 20, next: NextBurst::After(0.1) });
    spec.sites[0].sources = 10;
    spec.sites[1].receivers = 10;
    spec.interfaces.push(Interface { rate: None, delay: 0.0125 });
    spec.population = Some(Population {
        think_mean: 1.0,
        files: Files { mean: 10.0, shape: 1.5, probability: [0.1, 0.0, 0.0], factor: [10.0, 100.0, 1000.0] },
        algorithm_shares: vec![1.0],
        fast_probability: 0.5,
        jumbo: Some(Jumbo { start: 0.5, end: 1.0, factor: 10.0, any_receiver: false }),
        patience: Some(Patience { probability: 0.1, min_time: 1.0, factor: 20.0 }),
        startup: Startup { connecting: 0.2, early: vec![[0.1, 0.5]] },
        receivers_in_other_regions: false,
    });
    spec
}

pub fn value() -> Value {
    serde_json::to_value(full()).expect("a scenario is plain data")
}

/// The example of the documentation is the dumbbell of these tests, and runs.
#[test]
fn the_example_is_a_valid_dumbbell() {
    let spec = sim::parse(DUMBBELL).expect("the example is valid").into_spec();
    assert_eq!(spec, dumbbell(10.0, 0.05, Some(500), vec![flow("flow", 0.0)], 5.0));
    assert!(run(&spec, 1).totals.acked > 30_000);
}

#[test]
fn the_full_scenario_is_valid() {
    assert_eq!(problems(&full()), []);
    assert!(run(&full(), 1).totals.completed > 0);
}

/// Every way of the ring passes a third of its 1,800 stations: walked for all pairs, they take ten billion steps.
#[test]
fn ways_of_a_large_ring_are_checked() {
    const COUNT: u32 = 1_800;
    let mut spec = full();
    let (hop, site, population) = (spec.stations[0].clone(), spec.sites[0].clone(), spec.population.as_mut());
    population.expect("the full scenario has one").receivers_in_other_regions = true;
    spec.regions = 3;
    spec.stations =
        (0..COUNT).map(|at| Station { name: format!("s{at}"), region: at % 3, ..hop.clone() }).collect();
    spec.links = (0..COUNT).map(|at| Link { from: at, to: (at + 1) % COUNT, delay: 1e-6 }).collect();
    spec.sites =
        (0..COUNT).map(|at| Site { station: at, sources: 1, receivers: 1, ..site.clone() }).collect();
    let number = |at: u32| i32::try_from(at).expect("few stations");
    spec.next_link = (0..COUNT)
        .map(|at| (0..COUNT).map(|site| if site == at { -1 } else { number(at) }).collect())
        .collect();
    assert_eq!(problems(&spec), []);
    // A way that does not close again is missed by all whose packets take it.
    spec.next_link[10][20] = -2;
    let missed = problems(&spec);
    let lost = (0..COUNT).filter(|at| !(11..=20).contains(at) && at % 3 != 20 % 3);
    assert_eq!(missed.len(), lost.count());
}

/// Each mistake is the first problem reported; others may follow from it.
#[test]
fn every_mistake_is_named_with_its_place() {
    let mut unclear = Vec::new();
    for (pointer, wrong, loc, message) in mistakes::all() {
        let mut value = value();
        *value.pointer_mut(pointer).expect(pointer) = wrong.clone();
        let answer = match sim::parse(&value.to_string()) {
            Err(Error::Scenario(problems)) => problems,
            other => panic!("{pointer} = {wrong}: {other:?}"),
        };
        let clear = |problem: &sim::Problem| problem.loc == loc && problem.message.contains(message);
        if !answer.first().is_some_and(clear) {
            unclear.push(format!("{pointer} = {wrong}: {answer:?}"));
        }
    }
    assert!(unclear.is_empty(), "{}", unclear.join("\n"));
}

#[test]
fn unknown_keys_are_errors() {
    for pointer in [
        "",
        "/packet",
        "/transport",
        "/stations/0",
        "/stations/0/discipline",
        "/population",
        "/population/files",
        "/flows/0",
        "/measure",
    ] {
        let mut value = value();
        value.pointer_mut(pointer).expect(pointer)["colour"] = json!("red");
        let error = sim::parse(&value.to_string()).expect_err("an unknown key");
        assert!(error.to_string().contains("unknown field `colour`"), "{pointer}: {error}");
    }
}

/// The engine has no defaults of the transport, so that a profile has one home; `null` has to be written, too.
#[test]
fn every_option_of_the_transport_has_to_be_given() {
    let whole: Value = serde_json::from_str(include_str!("data/dumbbell.json")).expect("it is JSON");
    let options = whole["transport"].as_object().expect("a table");
    assert_eq!(options.len(), 18);
    for name in options.keys() {
        let mut value = whole.clone();
        value["transport"].as_object_mut().expect("a table").remove(name);
        let error = sim::parse(&value.to_string()).expect_err("a missing key");
        assert!(error.to_string().contains(&format!("missing field `{name}`")), "{name}: {error}");
    }
    for name in ["packet", "transport"] {
        let mut value = whole.clone();
        value.as_object_mut().expect("a table").remove(name);
        let error = sim::parse(&value.to_string()).expect_err("a missing table");
        assert!(error.to_string().contains(&format!("missing field `{name}`")), "{name}: {error}");
    }
}

/// Parameters stand beside the name that they belong to, as files of campaigns have them.
#[test]
fn recoveries_and_disciplines_keep_their_written_form() {
    for name in ["sack", "rack", "newreno", "newreno-steady", "tahoe", "tahoe-1988"] {
        let mut value = value();
        (value["transport"]["recovery"], value["transport"]["dup_thresh"]) = (json!(name), json!(7));
        let spec = sim::parse(&value.to_string()).expect("valid").into_spec();
        assert_eq!(spec.transport.dup_thresh, 7, "{name}");
        assert_eq!(serde_json::to_value(&spec).expect("plain data"), value, "{name}");
    }
    for name in ["droptail", "xcp", "vcp"] {
        for marks in [json!(null), json!(0), json!(65)] {
            let mut value = value();
            value["stations"][1]["discipline"] = json!({ "name": name, "mark_above": marks });
            let spec = sim::parse(&value.to_string()).expect("valid").into_spec();
            assert_eq!(serde_json::to_value(&spec).expect("plain data"), value, "{name}");
        }
        let mut value = value();
        value["stations"][1]["discipline"] = json!({ "name": name });
        let spec = sim::parse(&value.to_string()).expect("valid").into_spec();
        value["stations"][1]["discipline"]["mark_above"] = json!(null);
        assert_eq!(serde_json::to_value(&spec).expect("plain data"), value, "{name}");
    }
}

#[test]
fn all_problems_are_reported_at_once() {
    let mut spec = full();
    spec.duration = -1.0;
    spec.stations[0].loss = 2.0;
    spec.transport.ack_every = 0;
    spec.algorithms[0].name = "nagle".into();
    let problems = problems(&spec);
    let places: Vec<&str> = problems.iter().map(|problem| problem.loc.as_str()).collect();
    assert_eq!(places, ["duration", "stations[0].loss", "transport.ack_every", "algorithms[0]"]);
    let error = spec.checked().expect_err("no proof");
    assert_eq!(error.to_string().lines().count(), 4);
}

/// Values that are positive and finite but beyond what integer time and sizes can hold: a run or a problem, no panic.
#[test]
fn values_beyond_the_machine_are_no_panic() {
    let mut panics = Vec::new();
    for (pointer, wrong) in [
        ("/packet/smss", json!(u32::MAX)),
        ("/stations/0/rate", json!({"packets_per_second": 1e-12})),
        ("/stations/0/rate", json!({"bits_per_second": 1e-12})),
        ("/links", json!([{"from": 0, "to": 1, "delay": 1e12}])),
        ("/interfaces/0/delay", json!(1e12)),
        ("/interfaces/0/rate", json!({"packets_per_second": 1e-12})),
        ("/transport/rto_max", json!(1e12)),
        ("/transport/rto_initial", json!(1e12)),
        ("/transport/syn_timeout", json!(1e12)),
        ("/population/think_mean", json!(1e12)),
        ("/population/files/mean", json!(1e12)),
    ] {
        let mut value = value();
        *value.pointer_mut(pointer).expect(pointer) = wrong.clone();
        let text = value.to_string();
        let outcome = std::panic::catch_unwind(|| sim::parse(&text).map(|spec| run(spec.spec(), 1)));
        if outcome.is_err() {
            panics.push(format!("{pointer} = {wrong}"));
        }
    }
    assert!(panics.is_empty(), "{}", panics.join("\n"));
}

/// A region has memory of its own, and a way to every other.
#[test]
fn regions_are_bounded() {
    for regions in [4097, 65_534, 100_000] {
        let mut spec = full();
        spec.regions = regions;
        let problems = problems(&spec);
        assert!(problems.iter().any(|problem| problem.loc == "regions"), "{problems:?}");
    }
}

/// Delay lines out of a region have numbers of 16 bits; without the bound, later ones would be others.
#[test]
fn links_out_of_a_region_are_bounded() {
    let mut spec = full();
    spec.links = vec![Link { from: 0, to: 0, delay: 0.01 }; 70_000];
    let refusals = problems(&spec);
    assert_eq!((refusals.len(), refusals[0].loc.as_str()), (1, "links"), "{refusals:?}");
    assert!(
        refusals[0].message.starts_with("expected at most 65535 links with a delay from region"),
        "{refusals:?}"
    );
}

/// Stations of a region have numbers of 16 bits, and so have the algorithms.
#[test]
fn stations_and_algorithms_are_bounded() {
    let mut spec = full();
    spec.stations.extend((0..66_000).map(|at| station(&format!("spare {at}"), 1.0, None)));
    spec.next_link.resize(spec.stations.len(), vec![-2; spec.sites.len()]);
    let refusals = problems(&spec);
    assert_eq!((refusals.len(), refusals[0].loc.as_str()), (1, "stations"), "{refusals:?}");
    assert!(refusals[0].message.starts_with("expected fewer than 65535 stations"), "{refusals:?}");
    let mut spec = dumbbell(10.0, 0.05, Some(100), vec![flow("long", 0.0)], 2.0);
    spec.algorithms = vec![spec.algorithms[0].clone(); 65_536];
    let refusals = problems(&spec);
    assert_eq!((refusals.len(), refusals[0].loc.as_str()), (1, "algorithms"), "{refusals:?}");
    assert_eq!(refusals[0].message, "expected at most 65535, got 65536");
}

/// All places of a JSON value, by pointer.
pub fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{at}/{index}"), all);
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                places(item, &format!("{at}/{name}"), all);
            }
        }
        _ => {}
    }
}

pub fn replacement() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[-1]])),
        Just(json!("reno")),
        Just(json!(true)),
        any::<i64>().prop_map(|number| json!(number)),
        (-3i64..300).prop_map(|number| json!(number)),
        any::<f64>().prop_map(|number| json!(number)),
        (-2.0..5.0f64).prop_map(|number| json!(number)),
        Just(json!(1e300)),
        Just(json!(-1e300)),
        Just(json!(5e-324)),
        Just(json!(u32::MAX)),
        Just(json!(u64::MAX)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    /// Scenarios with some values replaced by others.
    #[test]
    fn parse_never_panics_on_other_values(changes in prop::collection::vec((any::<prop::sample::Index>(), replacement()), 1..4)) {
        let mut value = value();
        for (index, other) in changes {
            let mut all = Vec::new();
            places(&value, "", &mut all);
            if let Some(place) = value.pointer_mut(index.get(&all[..]).as_str()) {
                *place = other;
            }
        }
        if let Err(error) = sim::parse(&value.to_string()) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    /// Text that is cut, doubled or sprinkled with other characters.
    #[test]
    fn parse_never_panics_on_broken_text(
        from in any::<prop::sample::Index>(),
        length in 0usize..40,
        other in "[\\[\\]{}:,\"0-9eE.+-]{0,4}",
    ) {
        let from = from.index(DUMBBELL.len());
        let end = (from + length).min(DUMBBELL.len());
        let text = format!("{}{other}{}", &DUMBBELL[..from], &DUMBBELL[end..]);
        let _ = sim::parse(&text);
    }
}
