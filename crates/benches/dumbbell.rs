//! Whole runs of a dumbbell: packets per second of wall time with few and with many flows.

use criterion::{Criterion, Throughput};
use sim::spec::{FlowSpec, Spec};

const SECONDS: f64 = 5.0;

/// The example scenario with this many flows, started one after the other, and 500 segments of buffer.
fn scenario(flows: u32) -> Spec {
    let mut spec = sim::parse(include_str!("../sim/tests/data/dumbbell.json"))
        .expect("the example is valid")
        .into_spec();
    spec.duration = SECONDS;
    let flow = spec.flows[0].clone();
    spec.flows = (0..flows)
        .map(|at| FlowSpec { name: format!("flow {at}"), start: 0.01 * f64::from(at), ..flow.clone() })
        .collect();
    spec
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(2))
        .configure_from_args();
    let mut group = criterion.benchmark_group("dumbbell");
    for flows in [2, 100] {
        let spec = scenario(flows).checked().expect("the scenario is valid");
        let run = || sim::run(&spec, 1, 1, &mut |_| true).expect("the scenario runs");
        group.throughput(Throughput::Elements(run().totals.injected));
        group.bench_function(format!("{flows} flows"), |bencher| bencher.iter(run));
    }
    group.finish();
    criterion.final_summary();
}
