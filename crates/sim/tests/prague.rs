//! Prague on whole paths with a step of marks: short queues, shares whatever the round trip, windows below one segment.

use sim::net::disciplines::DualPi2Parameters;
use sim::spec::{Discipline, Interface, Spec};

use crate::support::{algorithm, dumbbell, flow, mark, mean, run};

/// Flows of an algorithm over a queue that marks above 4 packets, at `rate` packets/ms and `rtt` seconds.
fn step(name: &str, flows: usize, rate: f64, rtt: f64, duration: f64) -> Spec {
    let start = |index: usize| index as f64 * 0.017;
    let flows = (0..flows).map(|index| flow(&format!("flow-{index}"), start(index))).collect();
    let mut spec = dumbbell(rate, rtt, Some(1000), flows, duration);
    spec.algorithms = vec![algorithm(name)];
    mark(&mut spec.stations[0], Some(4));
    // Not in step with the round trips.
    spec.measure.interval = 0.0313;
    spec
}

/// Means over the second half of a run: queue [packets], and segments/ms of each flow.
fn halftime(spec: &Spec) -> (f64, Vec<f64>) {
    let output = run(spec, 1);
    assert_eq!((output.totals.dropped, output.totals.retransmitted), (0, 0));
    let over = |values: &mut dyn Iterator<Item = f64>| mean(spec, values, spec.duration / 2.0, spec.duration);
    let queue = over(&mut output.queues.iter().map(|row| row[0].packets as f64));
    let rate = |flow: usize| {
        let acked = over(&mut output.flows.iter().map(|row| row[flow].acked as f64));
        acked / spec.measure.interval / 1000.0
    };
    (queue, (0..spec.flows.len()).map(rate).collect())
}

fn jain(shares: &[f64]) -> f64 {
    let (sum, squares) = shares.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    sum * sum / (shares.len() as f64 * squares)
}

/// Draft section 1.1: "The Prague CC is capable of keeping queuing delay consistently low while fully utilizing available
/// capacity"; here 4 packets are 1 ms.
#[test]
fn queue_stays_at_the_threshold_and_the_link_busy() {
    for name in ["prague", "prague:linux"] {
        for flows in [1, 2, 5] {
            let (queue, shares) = halftime(&step(name, flows, 4.0, 0.02, 20.0));
            let used = shares.iter().sum::<f64>() / 4.0;
            println!(
                "{flows} of {name}: queue {queue:.2} packets, {used:.4} of the link, Jain {:.4}",
                jain(&shares)
            );
            assert!((2.0..6.5).contains(&queue), "{flows} of {name}: {queue} packets wait");
            assert!(used > 0.97, "{flows} of {name}: {used} of the link");
            assert!(jain(&shares) > 0.98, "{flows} of {name}: {shares:?}");
        }
    }
}

/// Draft section 2.4.4: round trips of 5 and 20 ms get about the same once the virtual RTT of 25 ms counts, where DCTCP
/// gives several times as much to the shorter one.
#[test]
fn shares_do_not_depend_on_short_round_trips() {
    let ratio = |name| {
        let mut spec = step(name, 2, 4.0, 0.02, 80.0);
        spec.interfaces.push(Interface { rate: None, delay: 0.005 / 4.0 });
        spec.flows[0].interface = 1;
        let (_, shares) = halftime(&spec);
        println!("{name}: {:.2} and {:.2} segments/ms at 5 and 20 ms", shares[0], shares[1]);
        shares[0] / shares[1]
    };
    let [prague, dctcp] = ["prague", "dctcp"].map(ratio);
    assert!((0.5..1.5).contains(&prague), "{prague}");
    assert!(dctcp > 2.0 && dctcp > 2.0 * prague, "{dctcp}");
}

/// RFC 9331 section 4.3: windows below one segment keep the queue short where there is not a segment per flow and round
/// trip; those of two segments cannot.
#[test]
fn many_flows_keep_the_queue_short_with_windows_below_one_segment() {
    let [fractional, linux, dctcp] = ["prague", "prague:linux", "dctcp"].map(|name| {
        let (queue, shares) = halftime(&step(name, 40, 0.8, 0.01, 40.0));
        let used = shares.iter().sum::<f64>() / 0.8;
        println!("40 of {name}: queue {queue:.1} packets, {used:.3} of the link, Jain {:.3}", jain(&shares));
        assert!(used > 0.85, "{name}: {used} of the link");
        assert!(jain(&shares) > 0.85, "{name}: {shares:?}");
        queue
    });
    // 40 flows with 2 segments each, less the 8 that are on their way.
    assert!(fractional < 20.0, "{fractional} packets wait");
    assert!(linux > 2.0 * fractional && dctcp > linux, "{fractional}, {linux} and {dctcp} packets wait");
}

/// Prague beside CUBIC with ECN over `DualPI2` at 50 Mbit/s, rates in Mbit/s. Published for Linux (heistp/l4s-tests, 2020):
/// 31.9 and 15.5 at 20 ms, 29.9 and 17.5 at 80 ms; RFC 9332 appendix C.2 derives about equal rates.
#[test]
fn shares_with_cubic_over_dualpi2_are_near_those_measured() {
    for (rtt, published) in [(0.02, 31.9 / 15.5), (0.08, 29.9 / 17.5)] {
        let mut spec = step("prague", 2, 50_000.0 / 12_000.0, rtt, 60.0);
        spec.algorithms.push(algorithm("cubic"));
        spec.flows[1].algorithm = 1;
        spec.transport.ecn = true;
        spec.stations[0].discipline = Discipline::DualPi2(DualPi2Parameters::default());
        let (_, shares) = halftime(&spec);
        let [prague, cubic] = [shares[0], shares[1]].map(|rate| rate * 1460.0 * 8.0 / 1000.0);
        println!(
            "{rtt} s: Prague {prague:.1} and CUBIC {cubic:.1} Mbit/s, ratio {:.2}; published {published:.2}",
            prague / cubic
        );
        assert!(prague + cubic > 47.0, "{prague} and {cubic} Mbit/s");
        assert!((prague / cubic / published - 1.0).abs() < 0.25, "{prague} and {cubic} Mbit/s");
    }
}
