//! Copa on whole paths, against what its authors derive and claim (Arun and Balakrishnan, NSDI 2018).

use sim::spec::Spec;

use crate::support::{algorithm, dumbbell, flow, mean, run};

/// Paths of 21 segments/ms: round-trip time [s] and buffer [segments]; the second is the bench of the two flows.
const PATHS: [(f64, u64); 2] = [(0.042, 882), (0.162, 680)];

const CAPACITY: f64 = 21_000.0;

fn path(name: &str, (rtt, buffer): (f64, u64), loss: f64) -> Spec {
    let mut spec = dumbbell(21.0, rtt, Some(buffer), vec![flow("red", 0.0)], 40.0);
    spec.algorithms = vec![algorithm(name)];
    spec.stations[0].loss = loss;
    // Not in step with the round trips.
    spec.measure.interval = 0.031;
    spec
}

/// Part of the path that a flow alone uses from 20 to 40 s, and the queue meanwhile.
fn alone(name: &str, at: (f64, u64), loss: f64) -> (f64, Vec<u64>) {
    let spec = path(name, at, loss);
    let output = run(&spec, 1);
    let acked = output.flows.iter().map(|row| row[0].acked as f64 / spec.measure.interval);
    let use_ = mean(&spec, acked, 20.0, 40.0) / CAPACITY;
    let queue = output.queues.iter().map(|row| row[0].packets).skip(output.queues.len() / 2).collect();
    (use_, queue)
}

/// Section 3: the queue oscillates between 0 and 2.5 / delta = 5 packets; here one more is in service and one on
/// its heels.
#[test]
fn queue_oscillates_as_derived() {
    for at in PATHS {
        for name in ["copa", "copa:default-mode"] {
            let (used, queue) = alone(name, at, 0.0);
            assert!(used > 0.995, "{name} uses {used}");
            let (least, most) = (queue.iter().min(), queue.iter().max());
            assert!(least <= Some(&2) && most >= Some(&4) && most <= Some(&7), "{name}: {least:?} {most:?}");
        }
    }
}

/// Section 5: random losses are no congestion. Reno keeps less than a tenth of this path.
#[test]
fn random_losses_do_not_matter() {
    for at in PATHS {
        let (used, _) = alone("copa:default-mode", at, 1e-3);
        assert!(used > 0.9, "Copa uses {used}");
        let (reno, _) = alone("reno", at, 1e-3);
        assert!(reno < 0.1, "Reno uses {reno}");
    }
}
