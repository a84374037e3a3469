//! What makes runs fast changes nothing: the same bytes as a plain future-event set without shortcuts.

use proptest::prelude::*;
use sim::RunOutput;
use sim::scenario::spec::{DisciplineName, Recovery, Spec};

use crate::support::{algorithm, dumbbell, flow, internet, run, two_flow_bench};
use crate::worlds::{dumbbells, internets};

/// Everything but what may differ: how many steps the simulator took, and its memory.
fn bytes(mut output: RunOutput) -> String {
    output.totals.events = 0;
    output.critical_events = 0;
    output.memory.clear();
    for sample in &mut output.series {
        sample.counters.events = 0;
    }
    format!("{output:?}")
}

/// Panics unless both paths agree; returns how many events the fast one had.
fn agree(spec: &Spec, seed: u64) -> u64 {
    let fast = run(spec, seed);
    let events = fast.totals.events;
    let plain = sim::run_reference(spec, seed).expect("the scenario runs");
    assert!(bytes(fast) == bytes(plain), "the fast path differs: {}", serde_json::json!(spec));
    events
}

fn any_algorithms() -> impl Strategy<Value = Vec<&'static str>> {
    let names = congestion::algorithms().iter().map(|known| known.name);
    let plain = names.filter(|name| !matches!(*name, "xcp" | "vcp")).collect::<Vec<_>>();
    prop::collection::vec(prop::sample::select(plain), 3)
}

fn any_world() -> impl Strategy<Value = Spec> {
    let options = (any_algorithms(), prop::option::of(0u64..30), 0u8..12, any::<bool>());
    let changed = (dumbbells(), options).prop_map(|(mut spec, (names, mark_above, kind, tahoe))| {
        spec.algorithms = names.into_iter().map(algorithm).collect();
        if tahoe {
            spec.transport.recovery = Recovery::Tahoe;
        }
        for station in &mut spec.stations {
            match kind {
                0 => station.discipline.name = DisciplineName::Xcp,
                1 => station.discipline.name = DisciplineName::Vcp,
                _ => station.discipline.mark_above = mark_above,
            }
        }
        match kind {
            0 => spec.algorithms[1] = algorithm("xcp"),
            1 => spec.algorithms[1] = algorithm("vcp"),
            _ => {}
        }
        spec
    });
    prop_oneof![9 => dumbbells(), 10 => changed, 1 => internets()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn random_worlds_agree(spec in any_world(), seed in any::<u64>()) {
        agree(&spec, seed);
    }
}

#[test]
fn benches_agree() {
    agree(&two_flow_bench(0.042, "scalable:nist", 20.0), 1);
    let mut blue = flow("blue", 1.5);
    blue.algorithm = 1;
    let mut spec = dumbbell(10.0, 0.05, Some(100), vec![flow("red", 0.0), blue], 30.0);
    spec.algorithms = vec![algorithm("bbr3"), algorithm("cubic")];
    spec.stations[0].loss = 1e-4;
    agree(&spec, 1);
}

/// Eleven regions, which exchange packets at the ends of windows, under a load that fills their buffers.
#[test]
fn a_network_agrees() {
    let mut spec = internet(2.0);
    if let Some(population) = &mut spec.population {
        population.think_mean = 0.1;
    }
    assert!(agree(&spec, 1) > 200_000, "the run is not trivial");
}
