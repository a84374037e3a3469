//! Applications that pause: bursts over one connection.

use sim::spec::{Bursts, FlowSpec, NextBurst, Spec};
use sim::{RunOutput, measure::groups::Transfer};

use crate::support::{dumbbell, flow, run};

/// One flow of bursts of ten segments without any loss: 10 packets/ms, 50 ms, initial window 2.
fn bursts(size: Option<u64>, next: NextBurst, duration: f64) -> Spec {
    let bursts = Some(Bursts { size: 10, next });
    let mut spec = dumbbell(10.0, 0.05, None, vec![FlowSpec { size, bursts, ..flow("app", 0.0) }], duration);
    spec.measure.transfers = true;
    spec
}

fn acked(output: &RunOutput) -> Vec<u64> {
    output.flows.iter().map(|row| row[0].acked).collect()
}

/// Each burst is a transfer of its own: ten segments in two and a half round trips at first (2, 4 and 4 segments), and in
/// less and less time as the window grows.
#[test]
fn the_next_burst_waits_for_the_last_one() {
    let output = run(&bursts(Some(25), NextBurst::After(0.5), 5.0), 1);
    assert_eq!((output.totals.connections, output.totals.completed), (1, 3));
    assert_eq!((output.totals.completed_size, output.totals.completed_sent), (25, 25));
    let sizes: Vec<_> = output.transfers.iter().map(|transfer| transfer.size).collect();
    assert_eq!(sizes, [10, 10, 5]);
    for pair in output.transfers.windows(2) {
        let pause = pair[1].start - (pair[0].start + pair[0].duration);
        assert!((pause - 0.5).abs() < 1e-9, "{pause}");
    }
    let round_trips = |transfer: &Transfer| (transfer.duration / 0.05).floor();
    assert_eq!(output.transfers.iter().map(round_trips).collect::<Vec<_>>(), [3.0, 1.0, 1.0]);
}

/// A hundred segments a second, whatever the window.
#[test]
fn bursts_that_wait_for_nothing_keep_their_rate() {
    let mut spec = bursts(None, NextBurst::Every(0.1), 10.0);
    spec.measure.interval = 0.1;
    let output = run(&spec, 1);
    let acked = acked(&output);
    // Offered from 0.05 s on, the end of the handshake, and acknowledged a round trip later.
    assert_eq!(acked.iter().sum::<u64>(), 990);
    let rates = acked.iter().skip(20).take(70).map(|&segments| segments as f64 / spec.measure.interval);
    assert!(rates.clone().all(|rate| (rate - 100.0).abs() < 1e-9), "{:?}", rates.collect::<Vec<_>>());
    assert!(output.transfers.is_empty(), "it goes on");
}

#[test]
fn a_flow_that_stops_in_a_pause_is_complete() {
    let mut spec = bursts(None, NextBurst::After(1.0), 10.0);
    spec.flows[0].stop = Some(2.0);
    let output = run(&spec, 1);
    assert_eq!((output.totals.completed, output.totals.completed_size), (2, 20));
    assert_eq!(output.transfers.len(), 2, "none of nothing at the stop");
    assert_eq!(output.totals.connections, 1);
}

/// Losses, and bursts that come while others are repaired: everything arrives.
#[test]
fn bursts_survive_losses() {
    for next in [NextBurst::After(0.02), NextBurst::Every(0.003)] {
        let mut spec = bursts(Some(5000), next, 400.0);
        spec.stations[0].loss = 0.05;
        let output = run(&spec, 3);
        assert_eq!((output.totals.completed_size, acked(&output).iter().sum::<u64>()), (5000, 5000));
    }
}
