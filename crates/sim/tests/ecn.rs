//! Marks instead of losses: RFC 8257's step marking, and its echo.

use crate::support::{algorithm, dumbbell, flow, mean, run};

/// RFC 8257: with a marking threshold of K packets the queue of long DCTCP flows stays near K, nothing is
/// lost, and the link stays busy.
#[test]
fn dctcp_keeps_the_queue_at_the_threshold() {
    let mut spec = dumbbell(100.0, 0.01, Some(2000), vec![flow("red", 0.0), flow("blue", 0.3)], 20.0);
    spec.algorithms = vec![algorithm("dctcp")];
    spec.transport.initial_ssthresh = Some(200.0);
    spec.stations[0].discipline.mark_above = Some(65);
    spec.measure.interval = 0.01;
    let output = run(&spec, 1);
    assert_eq!(output.totals.dropped, 0);
    let queue = mean(&spec, output.queues.iter().map(|row| row[0] as f64), 5.0, 20.0);
    let acked = mean(&spec, output.series.iter().map(|sample| sample.counters.acked as f64), 5.0, 20.0);
    println!("DCTCP, K 65: mean queue {queue:.1} packets, {:.4} of the link", acked / 1000.0);
    assert!((30.0..100.0).contains(&queue), "mean queue {queue}");
    assert!(acked / 1000.0 > 0.99, "{}", acked / 1000.0);
}

/// RFC 3168: what is not ECN-capable is not marked; Reno fills the same queue until it overflows.
#[test]
fn flows_without_ecn_are_not_marked() {
    let run = |mark_above| {
        let mut spec = dumbbell(100.0, 0.01, Some(200), vec![flow("red", 0.0)], 5.0);
        spec.stations[0].discipline.mark_above = mark_above;
        run(&spec, 1)
    };
    let (marking, plain) = (run(Some(65)), run(None));
    assert!(marking.totals.dropped > 0);
    assert_eq!(marking.totals, plain.totals);
}
