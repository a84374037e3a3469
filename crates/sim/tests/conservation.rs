//! Nothing is created, nothing disappears.

use proptest::prelude::*;
use sim::RunOutput;
use sim::spec::{PathSpec, Spec};

use crate::support::run;
use crate::worlds::{any_failures, any_path, dumbbells, fail, internets, lay_paths, rows};

/// Accounts that must balance at the end of every run, if all stations are watched.
fn audit(spec: &Spec, output: &RunOutput) {
    let totals = &output.totals;
    assert_eq!(totals.injected, totals.delivered + totals.dropped + output.in_flight, "packets");
    // A segment or SYN that the sender has let go may still be in its interface.
    assert!(totals.injected <= totals.data_sent + totals.syns);
    assert!(totals.acks <= totals.acks_sent, "{} ACKs arrived, {} were sent", totals.acks, totals.acks_sent);
    assert!(totals.retransmitted <= totals.data_sent);
    assert!(totals.acked <= totals.delivered);
    let pauses = spec.flows.iter().any(|flow| flow.bursts.is_some());
    assert!(pauses || totals.completed <= totals.connections, "bursts are transfers of their own");
    let present = output.queues.last().expect("at least one interval");
    let mut hops = 0;
    for (at, (station, &present)) in output.stations.iter().zip(present).enumerate() {
        assert_eq!(station.arrivals, station.drops + station.departures + present.packets, "station {at}");
        hops += station.departures;
    }
    assert_eq!(totals.hops, hops);
    let mut sums = sim::measure::counters::Counters::default();
    let sources: u64 = spec.sites.iter().map(|site| u64::from(site.sources)).sum();
    for sample in &output.series {
        sums.add(&sample.counters);
        assert_eq!(
            sample.thinking + sample.connecting + sample.sending,
            sources,
            "every source is somewhere"
        );
        assert_eq!(sample.phases.iter().sum::<u64>(), sample.sending);
        assert_eq!(sample.class_sending.iter().sum::<u64>(), sample.sending);
    }
    assert_eq!(&sums, totals, "intervals add up to the run");
    let by_flow: u64 = output.flows.iter().flatten().map(|sample| sample.acked).sum();
    let by_class: u64 = output.series.iter().flat_map(|sample| sample.class_acked).sum();
    assert_eq!(by_flow + by_class, totals.acked);
}

/// Audits a run, maybe over paths that vary and links that fail.
fn run_and_audit(mut spec: Spec, path: Option<&PathSpec>, failures: &[(usize, f64, f64)], seed: u64) {
    fail(&mut spec, failures);
    lay_paths(&mut spec, path);
    audit(&spec, &run(&spec, seed));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn rows_balance(
        spec in rows(),
        path in prop::option::of(any_path()),
        failures in any_failures(),
        seed in any::<u64>(),
    ) {
        run_and_audit(spec, path.as_ref(), &failures, seed);
    }

    #[test]
    fn dumbbells_balance(spec in dumbbells(), path in prop::option::of(any_path()), seed in any::<u64>()) {
        run_and_audit(spec, path.as_ref(), &[], seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    #[test]
    fn internets_balance(
        spec in internets(),
        path in prop::option::of(any_path()),
        failures in any_failures(),
        seed in any::<u64>(),
    ) {
        run_and_audit(spec, path.as_ref(), &failures, seed);
    }
}
