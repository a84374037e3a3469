//! Stamps wrap after 70.4 s; nothing that a run says may hang on that.

use sim::spec::{RateChanges, Recovery, Spec};

use crate::support::{NEWRENO, RACK, SACK, algorithm, dumbbell, flow, mean, run};

/// One flow over 10 Mbit/s and 40 ms, whose router keeps what it has and sends nothing from 5 s on for so long.
fn outage(name: &str, recovery: Recovery, seconds: f64) -> Spec {
    let mut spec = dumbbell(10.0 / 12.0, 0.04, Some(100), vec![flow("red", 0.0)], 45.0 + seconds);
    spec.algorithms = vec![algorithm(name)];
    spec.transport.recovery = recovery;
    spec.stations[0].rate_changes = (seconds > 0.0).then(|| RateChanges {
        times: vec![5.0, 5.0 + seconds],
        rates: vec![0.0, 10_000.0 / 12.0],
        period: None,
    });
    spec
}

/// No round trip is shorter than the path, so no sample is; where an outage lasted a wrap less some milliseconds, segments
/// that had waited for its end were taken for young ones, and those sent again after 1, 3, 7 s for its duplicates.
#[test]
fn no_sample_is_below_the_propagation_delay() {
    for recovery in [SACK, RACK, NEWRENO] {
        for seconds in [36.0, 40.0, 70.33, 71.33, 73.33, 77.33, 100.0] {
            for name in ["reno", "vegas"] {
                let mut spec = outage(name, recovery, seconds);
                (spec.duration, spec.measure.packets) = (15.0 + seconds, true);
                let output = run(&spec, 1);
                let least = output.traces.senders.iter().map(|event| event.min_rtt.seconds());
                let least = least.fold(f64::INFINITY, f64::min);
                assert!(least > 0.04 - 1e-6, "{name}, {recovery:?}, {seconds} s: {least}");
            }
        }
    }
}

/// Vegas goes by the least round trip: it is after an outage of a wrap what it was without.
#[test]
fn vegas_fills_the_path_after_an_outage() {
    let used = |seconds: f64| {
        let spec = outage("vegas", SACK, seconds);
        let output = run(&spec, 1);
        let acked = output.series.iter().map(|sample| sample.counters.acked as f64);
        mean(&spec, acked, 15.0 + seconds, 45.0 + seconds) / (spec.measure.interval * 10_000.0 / 12.0)
    };
    let without = used(0.0);
    for seconds in [36.0, 40.0, 70.33, 100.0] {
        let with = used(seconds);
        println!("Vegas: {without:.4} of the link, {with:.4} after an outage of {seconds} s");
        assert!((with - without).abs() < 0.01, "{with} after {seconds} s, {without} without");
    }
}
