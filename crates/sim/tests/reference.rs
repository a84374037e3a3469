//! What makes runs fast changes nothing: the same bytes as a plain future-event set without shortcuts.

use proptest::prelude::*;
use sim::RunOutput;
use sim::measure::output::Traces;
use sim::spec::{Discipline, EchoSpec, RateChanges, RtoRule, ServiceRate, Spec, Transport};

use crate::quic::quic;
use crate::support::{
    TAHOE, VCP, XCP, algorithm, dumbbell, flow, internet, mark, run, run_on_both_paths, suits,
};
use crate::worlds::{any_failures, any_path, dumbbells, fail, internets, lay_paths, rows};

fn any_algorithms() -> impl Strategy<Value = Vec<&'static str>> {
    let names = congestion::algorithms().iter().map(|known| known.name);
    let plain = names.filter(|name| !matches!(*name, "xcp" | "vcp")).collect::<Vec<_>>();
    prop::collection::vec(prop::sample::select(plain), 3)
}

/// Every discipline that a scenario can name and any sender can cross, with its defaults.
fn any_discipline() -> impl Strategy<Value = Discipline> {
    let names = Discipline::catalogue().into_iter().map(|entry| entry.name);
    let names: Vec<_> = names.filter(|name| !matches!(*name, "xcp" | "vcp")).collect();
    prop::sample::select(names).prop_map(|name| {
        serde_json::from_value(serde_json::json!({ "name": name })).expect("all have defaults")
    })
}

/// Options of ECN: switch and echo; half of them leave ECN off. Every sender of L4S has its feedback.
fn any_ecn() -> impl Strategy<Value = (bool, EchoSpec)> {
    let echo = prop::sample::select(vec![EchoSpec::Auto, EchoSpec::Dctcp, EchoSpec::Accurate]);
    prop_oneof![Just((false, EchoSpec::Auto)), (any::<bool>(), echo)]
}

/// Changes of a rate: gaps between them [s], parts of the station's own rate, and outages; every other one repeats.
fn any_changes() -> impl Strategy<Value = Vec<(f64, f64)>> {
    let part = prop_oneof![3 => 0.05..3.0f64, 1 => Just(0.0)];
    prop_oneof![Just(Vec::new()), prop::collection::vec((0.001..0.5f64, part), 1..6)]
}

/// The changes at every station whose discipline bears them, with a period if `repeats`.
fn change_rates(spec: &mut Spec, changes: &[(f64, f64)], repeats: bool) {
    if changes.is_empty() {
        return;
    }
    let times: Vec<f64> = changes
        .iter()
        .scan(0.0, |time, (gap, _)| {
            *time += gap;
            Some(*time)
        })
        .collect();
    let end = times.last().map_or(0.0, |last| last + 0.05);
    for station in &mut spec.stations {
        if matches!(station.discipline, Discipline::Xcp(_) | Discipline::Vcp(_)) {
            continue;
        }
        let (ServiceRate::PacketsPerSecond(own) | ServiceRate::BitsPerSecond(own)) = station.rate;
        let mut rates: Vec<f64> = changes.iter().map(|(_, part)| part * own).collect();
        if !repeats && rates.last() == Some(&0.0) {
            rates.push(own);
        }
        let times = times.iter().copied().chain(std::iter::once(end)).take(rates.len()).collect();
        station.rate_changes = Some(RateChanges { times, rates, period: repeats.then_some(end) });
    }
}

fn laboratories() -> impl Strategy<Value = Spec> {
    prop_oneof![dumbbells(), rows()]
}

fn any_world() -> impl Strategy<Value = Spec> {
    let marks = prop::option::of(0u64..30);
    let options = (any_algorithms(), marks, 0u8..12, any::<bool>(), any_discipline(), any_ecn());
    let changed = (laboratories(), options).prop_map(
        |(mut spec, (names, mark_above, kind, tahoe, discipline, ecn))| {
            spec.algorithms = names.into_iter().map(algorithm).collect();
            (spec.transport.ecn, spec.transport.echo) = ecn;
            if tahoe {
                spec.transport.recovery = TAHOE;
                spec.transport.rto_rule = RtoRule::Rfc6298;
            }
            let sizes = spec.packet;
            for station in &mut spec.stations {
                match kind {
                    0 => station.discipline = XCP,
                    1 => station.discipline = VCP,
                    2..=6 if suits(&discipline, station, sizes) => station.discipline = discipline,
                    _ => mark(station, mark_above),
                }
            }
            match kind {
                0 => spec.algorithms[1] = algorithm("xcp"),
                1 => spec.algorithms[1] = algorithm("vcp"),
                _ => {}
            }
            spec
        },
    );
    let worlds = prop_oneof![9 => laboratories(), 10 => changed, 1 => internets()];
    let paths = prop::option::of(any_path());
    (worlds, any::<bool>(), any_changes(), any::<bool>(), paths, any_failures()).prop_map(
        |(mut spec, queues, changes, repeats, path, failures)| {
            fail(&mut spec, &failures);
            change_rates(&mut spec, &changes, repeats);
            lay_paths(&mut spec, path.as_ref());
            (spec.measure.queues, spec.measure.packets) = (queues, queues);
            spec
        },
    )
}

/// Laboratories with a discipline at every station, and hosts so far away that its decisions may be deferred.
fn late_world() -> impl Strategy<Value = Spec> {
    let far = (laboratories(), any_algorithms(), any_discipline(), any_ecn(), any::<bool>());
    far.prop_map(|(mut spec, names, discipline, ecn, queues)| {
        spec.algorithms = names.into_iter().map(algorithm).collect();
        (spec.transport.ecn, spec.transport.echo) = ecn;
        (spec.interfaces[0].delay, spec.measure.queues) = (spec.interfaces[0].delay + 0.01, queues);
        spec.measure.packets = queues;
        let sizes = spec.packet;
        for station in &mut spec.stations {
            if suits(&discipline, station, sizes) {
                station.discipline = discipline;
            }
        }
        spec
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Where fates of segments are recorded every departure is an event of its own. The same counts of events come out
    /// where decisions are deferred, and all else.
    #[test]
    fn late_decisions_change_nothing(spec in late_world(), seed in any::<u64>()) {
        let mut timely = spec.clone();
        timely.measure.segments = true;
        let [late, timely] = [run(&spec, seed), run(&timely, seed)].map(|output| RunOutput {
            traces: Traces { segments: Vec::new(), ..output.traces },
            memory: Vec::new(),
            ..output
        });
        prop_assert!(format!("{late:?}") == format!("{timely:?}"), "they differ: {}", serde_json::json!(spec));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn random_worlds_agree(spec in any_world(), seed in any::<u64>()) {
        run_on_both_paths(&spec, seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// With all that the profile `quic` has: paced senders, reports of delays, windows that count while they are used.
    #[test]
    fn random_worlds_of_quic_agree(mut spec in any_world(), seed in any::<u64>()) {
        let Transport { ecn, echo, ack_cost, ack_every, .. } = spec.transport;
        spec.transport = Transport { ecn, echo, ack_cost, ack_every, ..quic(10.0) };
        run_on_both_paths(&spec, seed);
    }
}

#[test]
fn a_dumbbell_agrees() {
    let mut blue = flow("blue", 1.5);
    blue.algorithm = 1;
    let mut spec = dumbbell(10.0, 0.05, Some(100), vec![flow("red", 0.0), blue], 30.0);
    spec.algorithms = vec![algorithm("bbr3"), algorithm("cubic")];
    spec.stations[0].loss = 1e-4;
    run_on_both_paths(&spec, 1);
}

/// Eleven regions, which exchange packets at the ends of windows, under a load that fills their buffers.
#[test]
fn a_network_agrees() {
    let mut spec = internet(2.0);
    if let Some(population) = &mut spec.population {
        population.think_mean = 0.1;
    }
    assert!(run_on_both_paths(&spec, 1).totals.events > 200_000, "the run is not trivial");
}
