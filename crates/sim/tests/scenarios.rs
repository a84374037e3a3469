//! Bad scenarios get an answer with a place, never a panic.

use proptest::prelude::*;
use serde_json::{Value, json};
use sim::Error;
use sim::spec::{Files, Interface, Jumbo, Marking, Patience, Population, Spec, Startup};

use crate::support::{dumbbell, flow, problems, run, station};

const DUMBBELL: &str = include_str!("data/dumbbell.json");

/// A dumbbell with a population and a named flow, so that every part of a scenario is there.
fn full() -> Spec {
    let mut spec = dumbbell(10.0, 0.05, Some(100), vec![flow("long", 0.0)], 2.0);
    spec.sites[0].sources = 10;
    spec.sites[1].receivers = 10;
    spec.interfaces.push(Interface { rate: None, delay: 0.0125 });
    spec.population = Some(Population {
        think_mean: 1.0,
        files: Files { mean: 10.0, shape: 1.5, probability: [0.1, 0.0, 0.0], factor: [10.0, 100.0, 1000.0] },
        algorithm_shares: vec![1.0],
        fast_probability: 0.5,
        jumbo: Some(Jumbo { start: 0.5, end: 1.0, factor: 10.0 }),
        patience: Some(Patience { probability: 0.1, min_time: 1.0, factor: 20.0 }),
        startup: Startup { connecting: 0.2, early: vec![[0.1, 0.5]] },
        receivers_in_other_regions: false,
    });
    spec
}

fn value() -> Value {
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

/// Where (JSON pointer), what instead, and where and how the answer names it.
#[expect(clippy::too_many_lines, reason = "a table")]
fn bad() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    vec![
        ("/version", json!(2), "version", "expected 1, got 2"),
        ("/duration", json!(0.0), "duration", "expected more than 0 s, got 0"),
        ("/duration", json!(-3.0), "duration", "expected more than 0 s, got -3"),
        ("/duration", json!(1.5e6), "duration", "expected at most 1000000 s"),
        ("/regions", json!(0), "regions", "expected 1 to 65534, got 0"),
        ("/stations", json!([]), "stations", "expected at least one station"),
        (
            "/stations/0/region",
            json!(1),
            "stations[0].region",
            "expected the index of one of 1 regions, got 1",
        ),
        ("/stations/0/rate", json!({"packets_per_second": 0.0}), "stations[0].rate", "packets/s, got 0"),
        ("/stations/1/rate", json!({"bits_per_second": -1e6}), "stations[1].rate", "bit/s, got -1000000"),
        (
            "/stations/0/buffer",
            json!({"packets": 0}),
            "stations[0].buffer",
            "expected room for at least one packet",
        ),
        (
            "/stations/0/buffer",
            json!({"bytes": 0}),
            "stations[0].buffer",
            "expected room for at least one packet",
        ),
        ("/stations/1/loss", json!(1.5), "stations[1].loss", "expected a probability from 0 to 1, got 1.5"),
        ("/stations/1/loss", json!(-0.1), "stations[1].loss", "expected a probability from 0 to 1, got -0.1"),
        ("/packet/smss", json!(u32::MAX), "packet.smss", "expected 1 to 1000000 bytes, got 4294967295"),
        ("/packet/smss", json!(0), "packet.smss", "expected 1 to 1000000 bytes, got 0"),
        ("/next_link", json!([[-1, -1]]), "next_link", "expected 2 rows of 2 sites"),
        (
            "/next_link/0/1",
            json!(7),
            "next_link[0][1]",
            "expected a link that leaves station 0, -1 or -2, got 7",
        ),
        ("/next_link/0/1", json!(-3), "next_link[0][1]", "got -3"),
        ("/next_link/0/1", json!(-2), "next_link[0][1]", "expected a route from forward to back, got none"),
        (
            "/links",
            json!([{"from": 0, "to": 9, "delay": 0.1}]),
            "links[0].to",
            "index of one of 2 stations, got 9",
        ),
        (
            "/links",
            json!([{"from": 0, "to": 1, "delay": -0.1}]),
            "links[0].delay",
            "expected 0 to 3600 s, got -0.1",
        ),
        ("/sites/0/station", json!(2), "sites[0].station", "index of one of 2 stations, got 2"),
        ("/sites/1/class", json!(3), "sites[1].class", "index of one of 3 classes, got 3"),
        ("/sites/1/receivers", json!(3_000_000_000_u32), "sites", "expected at most 2^31 hosts"),
        (
            "/sites/1/receivers",
            json!(0),
            "sites",
            "expected a receiver that every source may send to, got none",
        ),
        ("/interfaces", json!([]), "interfaces", "expected 1 to 256, got 0"),
        ("/interfaces/0/delay", json!(-1.0), "interfaces[0].delay", "expected 0 to 3600 s, got -1"),
        (
            "/interfaces/0/rate",
            json!({"packets_per_second": -1.0}),
            "interfaces[0].rate",
            "packets/s, got -1",
        ),
        ("/algorithms/0/name", json!("renno"), "algorithms[0]", "reno"),
        ("/algorithms/0/params", json!({"alpha": 1.0}), "algorithms[0]", "alpha"),
        ("/transport/rto_min", json!(0.0), "transport.rto_min", "expected more than 0"),
        ("/transport/rto_min", json!(61.0), "transport.rto_min", "expected at most rto_max"),
        ("/transport/ack_every", json!(0), "transport.ack_every", "expected 1 or more, got 0"),
        (
            "/transport/ack_loss",
            json!(2.0),
            "transport.ack_loss",
            "expected a probability from 0 to 1, got 2",
        ),
        ("/transport/ack_delay", json!(-1.0), "transport.ack_delay", "expected 0 to 3600 s"),
        ("/transport/dup_thresh", json!(0), "transport.dup_thresh", "expected 1 or more, got 0"),
        ("/transport/syn_tries", json!(17), "transport.syn_tries", "expected at most 16, got 17"),
        (
            "/transport/receive_window",
            json!(0),
            "transport.receive_window",
            "expected 1 segment or more, got 0",
        ),
        (
            "/transport/initial_window",
            json!(0.0),
            "transport.initial_window",
            "expected 1 to 100000 segments",
        ),
        (
            "/transport/initial_ssthresh",
            json!(-5.0),
            "transport.initial_ssthresh",
            "expected more than 0 segments",
        ),
        ("/population/think_mean", json!(0.0), "population.think_mean", "expected more than 0 s, got 0"),
        ("/population/files/shape", json!(1.0), "population.files.shape", "expected more than 1, got 1"),
        (
            "/population/files/mean",
            json!(-1.0),
            "population.files.mean",
            "expected more than 0 segments, got -1",
        ),
        ("/population/files/probability", json!([0.6, 0.6, 0.0]), "population.files.probability", "got 1.2"),
        ("/population/files/factor/1", json!(0.0), "population.files.factor[1]", "expected more than 0"),
        (
            "/population/algorithm_shares",
            json!([0.5, 0.5]),
            "population.algorithm_shares",
            "each of 1 algorithms, got 2",
        ),
        ("/population/algorithm_shares", json!([0.9]), "population.algorithm_shares", "sum to 1"),
        (
            "/population/fast_probability",
            json!(1.01),
            "population.fast_probability",
            "expected a probability from 0 to 1",
        ),
        ("/population/jumbo/end", json!(0.1), "population.jumbo", "expected start before end"),
        (
            "/population/patience/probability",
            json!(-1.0),
            "population.patience.probability",
            "from 0 to 1, got -1",
        ),
        ("/population/startup/connecting", json!(0.95), "population.startup", "summing to at most 1"),
        ("/flows/0/source", json!(2), "flows[0].source", "index of one of 2 sites, got 2"),
        ("/flows/0/algorithm", json!(1), "flows[0].algorithm", "index of one of 1 algorithms, got 1"),
        ("/flows/0/interface", json!(2), "flows[0].interface", "index of one of 2 interfaces, got 2"),
        ("/flows/0/start", json!(-1.0), "flows[0].start", "expected 0 s or more, got -1"),
        ("/flows/0/size", json!(0), "flows[0].size", "expected 1 segment or more, got 0"),
        ("/flows/0/stop", json!(0.0), "flows[0].stop", "expected later than the start, got 0 s"),
        ("/measure/interval", json!(0.0), "measure.interval", "expected more than 0 s, got 0"),
        ("/measure/interval", json!(1e-9), "measure.interval", "expected at most 10 million intervals"),
        ("/measure/stations", json!([2]), "measure.stations[0]", "index of one of 2 stations, got 2"),
        // What serde finds: it names line and column, and the keys or variants it knows.
        ("/duration", json!("long"), "scenario", "expected f64"),
        (
            "/transport/recovery",
            json!("vegas"),
            "scenario",
            "unknown variant `vegas`, expected one of `sack`, `rack`, `newreno`, `tahoe`, `tahoe-1988`",
        ),
        ("/stations/0/rate", json!({"mbps": 1}), "scenario", "unknown variant `mbps`"),
        ("/stations/0/discipline", json!({"name": "red"}), "scenario", "unknown variant `red`"),
        ("/flows/0/size", json!(-1), "scenario", "expected u64"),
    ]
}

/// Each mistake is the first problem reported; others may follow from it.
#[test]
fn every_mistake_is_named_with_its_place() {
    let mut unclear = Vec::new();
    for (pointer, wrong, loc, message) in bad() {
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
    let whole = value();
    let options = whole["transport"].as_object().expect("a table");
    assert_eq!(options.len(), 19);
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
    for name in ["sack", "rack", "newreno", "tahoe", "tahoe-1988"] {
        let mut value = value();
        (value["transport"]["recovery"], value["transport"]["dup_thresh"]) = (json!(name), json!(7));
        let spec = sim::parse(&value.to_string()).expect("valid").into_spec();
        assert_eq!(spec.transport.recovery.dup_thresh(), 7, "{name}");
        assert_eq!(serde_json::to_value(&spec).expect("plain data"), value, "{name}");
    }
    for name in ["droptail", "droptail_queued", "xcp", "vcp"] {
        for marks in [json!(null), json!(0), json!(65)] {
            let mut value = value();
            value["stations"][0]["discipline"] = json!({ "name": name, "mark_above": marks });
            let spec = sim::parse(&value.to_string()).expect("valid").into_spec();
            assert_eq!(serde_json::to_value(&spec).expect("plain data"), value, "{name}");
        }
        let mut value = value();
        value["stations"][0]["discipline"] = json!({ "name": name });
        let spec = sim::parse(&value.to_string()).expect("valid").into_spec();
        assert_eq!(spec.stations[0].discipline.marking(), Marking::Never, "{name}");
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

/// A region has a number of 16 bits, and memory of its own.
#[test]
fn regions_are_bounded() {
    let mut spec = full();
    spec.regions = 100_000;
    let problems = problems(&spec);
    assert!(problems.iter().any(|problem| problem.loc == "regions"), "{problems:?}");
}

/// Stations of a region have numbers of 16 bits, and so have the algorithms.
#[test]
fn stations_and_algorithms_are_bounded() {
    let mut spec = full();
    spec.stations.extend((0..66_000).map(|at| station(&format!("spare {at}"), 1.0, None)));
    spec.next_link.resize(spec.stations.len(), vec![-2; spec.sites.len()]);
    let found = problems(&spec);
    assert_eq!((found.len(), found[0].loc.as_str()), (1, "stations"), "{found:?}");
    assert!(found[0].message.starts_with("expected fewer than 65535 stations"), "{found:?}");
    let mut spec = dumbbell(10.0, 0.05, Some(100), vec![flow("long", 0.0)], 2.0);
    spec.algorithms = vec![spec.algorithms[0].clone(); 65_536];
    let found = problems(&spec);
    assert_eq!((found.len(), found[0].loc.as_str()), (1, "algorithms"), "{found:?}");
    assert_eq!(found[0].message, "expected at most 65535, got 65536");
}

/// All places of a JSON value, by pointer.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
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

fn replacement() -> impl Strategy<Value = Value> {
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
