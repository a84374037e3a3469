//! Fair queueing in whole runs: greedy flows get equal shares whatever they are and however far they go.

use serde_json::json;
use sim::spec::{Discipline, FlowSpec, Interface, ServiceRate, Spec};

use crate::support::{algorithm, dumbbell, flow, mean, run};

fn discipline(parameters: serde_json::Value) -> Discipline {
    serde_json::from_value(parameters).expect("a discipline")
}

/// Flows, each by its algorithm and round-trip time [s], on 50 Mbit/s for 60 s.
fn world(flows: &[(&str, f64)], discipline: Discipline) -> Spec {
    let named = (0u32..).zip(flows).map(|(at, &(name, _))| {
        let start = f64::from(at) * 0.1;
        FlowSpec { algorithm: at, interface: at, ..flow(&format!("{name}-{at}"), start) }
    });
    let mut spec = dumbbell(1.0, 0.02, Some(4000), named.collect(), 60.0);
    spec.interfaces = flows.iter().map(|&(_, rtt)| Interface { rate: None, delay: rtt / 4.0 }).collect();
    spec.algorithms = flows.iter().map(|&(name, _)| algorithm(name)).collect();
    for station in &mut spec.stations {
        station.rate = ServiceRate::BitsPerSecond(50e6);
        station.discipline = discipline;
    }
    spec
}

/// Rates from 20 s on [Mbit/s], and Jain's index of them.
fn shares(spec: &Spec) -> (Vec<f64>, f64) {
    let output = run(spec, 1);
    let acked = |at: usize| output.flows.iter().map(move |row| row[at].acked as f64);
    let bits = 8e-6 * f64::from(spec.packet.smss + spec.packet.header) / spec.measure.interval;
    let rate = |at| mean(spec, acked(at), 20.0, 60.0) * bits;
    let rates: Vec<f64> = (0..spec.flows.len()).map(rate).collect();
    let sum: f64 = rates.iter().sum();
    let jain = sum * sum / (rates.len() as f64 * rates.iter().map(|rate| rate * rate).sum::<f64>());
    (rates, jain)
}

/// RFC 8290 section 1.3: flows that keep their queues share equally, whatever they are and however far they go.
/// Drop-tail gives the same flows very different shares.
#[test]
fn greedy_flows_of_different_algorithms_and_round_trips_share_equally() {
    let flows = [("reno", 0.02), ("cubic", 0.04), ("bbr3", 0.08), ("ctcp", 0.04)];
    // No collisions, and targets that leave every flow a queue.
    let fair = [
        json!({ "name": "fq_codel", "flows": 0, "target": 0.1, "interval": 2.0 }),
        json!({ "name": "fq_pie", "flows": 0, "target": 0.1 }),
        json!({ "name": "cake", "target": 0.1, "interval": 2.0 }),
    ];
    for parameters in fair {
        let (rates, fair) = shares(&world(&flows, discipline(parameters.clone())));
        println!("{parameters}, {fair:.5}: {rates:.2?} Mbit/s");
        assert!(fair > 0.999, "{parameters}: {rates:?}");
    }
    let (rates, unfair) = shares(&world(&flows, Discipline::default()));
    println!("droptail, {unfair:.3}: {rates:.2?} Mbit/s");
    assert!(unfair < 0.9, "{rates:?}");
}

/// Two flows of CUBIC, 10 and 160 ms, as the test bed of heistp/l4s-tests measured them: 25.4 and 21.3 Mbit/s under
/// `fq_codel`, 30.3 and 17.2 under a queue of 1000 packets.
#[test]
fn near_flow_leaves_the_far_one_its_share() {
    let flows = [("cubic:linux", 0.01), ("cubic:linux", 0.16)];
    let (rates, fair) = shares(&world(&flows, discipline(json!({ "name": "fq_codel" }))));
    println!("fq_codel, {fair:.4}: {rates:.1?} Mbit/s, measured 25.4 and 21.3");
    assert!(fair > 0.98 && rates[0] > rates[1], "{rates:?}");
}
