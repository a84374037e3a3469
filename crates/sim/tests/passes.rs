//! Regions that split into passes: the same bytes as without, at every load, and on any number of threads.

use proptest::prelude::*;
use sim::spec::{Buffer, ServiceRate, Spec};

use crate::support::{
    NEWRENO, RACK, SACK, algorithm, checked, flow, internet, results, run, run_on_both_paths,
};

/// Small networks of plain stations with free ACKs, in eleven regions.
fn networks() -> impl Strategy<Value = Spec> {
    let load = (0.02..2.0f64, 2.0..100.0f64, 1u64..50);
    let rates = (0.5..20.0f64, 1.0..100.0f64, any::<bool>());
    let recovery = prop::sample::select(vec![SACK, RACK, NEWRENO]);
    let options = (recovery, 1u32..4, any::<bool>());
    let timing = prop::array::uniform3(prop::bool::weighted(0.3));
    let flows = prop::collection::vec(
        (0usize..100, 0usize..100, 0.0..0.2f64, prop::option::of(1u64..200), any::<bool>()),
        0..4,
    );
    (load, rates, options, timing, flows).prop_map(|(load, rates, options, timing, flows)| {
        let ((think, mean, room), (slow, fast, by_bits)) = (load, rates);
        let (recovery, ack_every, at_once) = options;
        let mut spec = internet(0.4);
        for station in &mut spec.stations {
            if let Some(Buffer::Packets(packets)) = &mut station.buffer {
                *packets = (*packets / 50 * room).max(1);
            }
        }
        spec.transport.recovery = recovery;
        spec.transport.ack_every = ack_every;
        let [compression, jitter, host_jitter] = timing;
        spec.transport.sack_compression = if compression { 0.001 } else { 0.0 };
        spec.transport.ack_jitter = if jitter { 0.003 } else { 0.0 };
        spec.transport.host_jitter = if host_jitter { 0.002 } else { 0.0 };
        (spec.transport.ack_delay, spec.transport.syn_timeout, spec.transport.rto_min) = (0.02, 0.1, 0.1);
        for (interface, rate) in spec.interfaces.iter_mut().zip([slow, fast]) {
            interface.rate = Some(if by_bits {
                ServiceRate::BitsPerSecond(rate * 12e6)
            } else {
                ServiceRate::PacketsPerSecond(rate * 1e3)
            });
        }
        if let Some(population) = &mut spec.population {
            (population.think_mean, population.files.mean) = (think, mean);
            if at_once {
                // Everybody connects at once: many packets meet at the same picosecond.
                (population.startup.connecting, population.startup.early) = (1.0, Vec::new());
            }
        }
        spec.algorithms.push(algorithm("cubic"));
        if let Some(population) = &mut spec.population {
            population.algorithm_shares = vec![0.5, 0.5];
        }
        let sites = spec.sites.len();
        let region = |spec: &Spec, site: usize| spec.stations[spec.sites[site].station as usize].region;
        for (at, (from, to, start, size, fast)) in (0..).zip(flows) {
            let mut named = flow(&format!("flow {at}"), start);
            let from = from % sites;
            let other =
                (to..to + sites).map(|to| to % sites).find(|&to| region(&spec, to) != region(&spec, from));
            (named.source, named.receiver) = (from as u32, other.expect("there are regions") as u32);
            (named.size, named.interface, named.stop) = (size, u32::from(fast), Some(start + 0.15));
            spec.flows.push(named);
        }
        spec.measure.stations = (0..spec.stations.len() as u32).collect();
        spec
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, ..ProptestConfig::default() })]

    #[test]
    fn random_networks_agree(spec in networks(), seed in any::<u64>()) {
        let output = run_on_both_paths(&spec, seed);
        let events = |spec: &Spec| run(spec, seed).totals.events;
        let mut whole = spec.clone();
        whole.measure.packets = true;
        prop_assert_eq!(output.totals.events, events(&whole), "passes count the events that one loop counts");
        for threads in [2, 4] {
            let parallel = sim::run(&checked(&spec), seed, threads, &mut |_| true).expect("it runs");
            prop_assert!(results(&parallel) == results(&output), "{threads} threads: {}", serde_json::json!(spec));
        }
    }
}

/// A load that fills buffers, and as many packets at one picosecond as there are sources.
#[test]
fn everybody_at_once_agrees() {
    let mut spec = internet(1.5);
    if let Some(population) = &mut spec.population {
        population.think_mean = 0.05;
        (population.startup.connecting, population.startup.early) = (1.0, Vec::new());
    }
    let output = run_on_both_paths(&spec, 3);
    assert!(output.totals.dropped > 100 && output.totals.timeouts > 10, "{:?}", output.totals);
}
