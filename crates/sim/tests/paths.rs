//! Paths whose conditions change, in whole runs.

use sim::measure::output::Fate;
use sim::net::paths::LeoParameters;
use sim::spec::{
    By, Changes, Interface, Model, PathSpec, ReoWndRule, ReorderingParameters, Spec, Transport, UndoRule,
    WhileOff,
};

use crate::scripts::linux;
use crate::support::{
    RACK, algorithm, checked, dumbbell, flow, internet, problems, results, run, run_on_both_paths,
};

fn changes(times: &[f64], values: &[f64]) -> Changes {
    Changes { times: times.to_vec(), values: values.to_vec(), period: None }
}

/// One Reno flow at 10 packets/ms, with room for all that it sends, over a round trip of 40 ms.
fn lab(path: PathSpec, duration: f64) -> Spec {
    let mut spec = dumbbell(10.0, 0.04, None, vec![flow("red", 0.0)], duration);
    spec.stations[0].path = Some(path);
    spec.transport.ack_cost = true;
    spec.transport.recovery = RACK;
    spec
}

#[test]
fn constants_are_the_constant_link() {
    let mut constant = lab(PathSpec::default(), 5.0);
    constant.stations[0].buffer = Some(sim::spec::Buffer::Packets(200));
    constant.stations[0].loss = 0.001;
    let mut scheduled = constant.clone();
    scheduled.stations[0].loss = 0.0;
    scheduled.stations[0].path = Some(PathSpec {
        loss: Some(changes(&[0.0, 2.0], &[0.001, 0.001])),
        on: Some(changes(&[0.0, 1.0], &[1.0, 1.0])),
        delay: Some(changes(&[1.0], &[0.0])),
        ..PathSpec::default()
    });
    assert!(results(&run(&constant, 3)) == results(&run_on_both_paths(&scheduled, 3)));
    // Half of the delay is the path's, in both directions.
    let mut split = constant.clone();
    split.interfaces = vec![Interface { rate: None, delay: 0.005 }];
    for station in &mut split.stations {
        station.path = Some(PathSpec { delay: Some(changes(&[0.0], &[0.01])), ..PathSpec::default() });
    }
    constant.stations[0].path = None;
    assert!(results(&run(&constant, 3)) == results(&run_on_both_paths(&split, 3)));
}

/// A round trip of 40, then 110, then 40 ms, as RFC 9743 section 7.3 asks: RTTs follow, and nothing is overtaken.
#[test]
fn a_step_of_the_delay_moves_round_trips_and_no_packet() {
    let delay = Some(changes(&[4.0, 8.0], &[0.07, 0.0]));
    let mut spec = lab(PathSpec { delay, ..PathSpec::default() }, 12.0);
    spec.transport.initial_ssthresh = Some(100.0);
    let output = run_on_both_paths(&spec, 1);
    let srtt = |time: f64| output.flows[(time / 0.2) as usize - 1][0].srtt;
    for (time, expected) in [(3.8, 0.04), (7.8, 0.11), (11.8, 0.04)] {
        assert!((srtt(time) / expected - 1.0).abs() < 0.05, "{time} s: {}", srtt(time));
    }
    assert_eq!((output.totals.retransmitted, output.totals.dropped), (0, 0));
}

/// While a link that waits is off nothing is lost; one that loses takes what is sent, and what is in the air.
#[test]
fn a_link_that_is_off_holds_packets_or_loses_them() {
    let on = Some(changes(&[2.0, 2.1], &[0.0, 1.0]));
    let waiting = lab(PathSpec { on: on.clone(), ..PathSpec::default() }, 4.0);
    let output = run_on_both_paths(&waiting, 1);
    assert_eq!(output.totals.dropped, 0);
    let mut losing = lab(PathSpec { on, while_off: WhileOff::Lose, ..PathSpec::default() }, 4.0);
    losing.measure.segments = true;
    let output = run_on_both_paths(&losing, 1);
    let counts = output.queue_counts[0].dropped.iter().sum::<u64>();
    assert!(output.totals.dropped > 0 && output.totals.dropped == counts, "{counts}");
    let lost: Vec<f64> = output
        .traces
        .segments
        .iter()
        .filter(|it| it.fate == Fate::Dropped)
        .map(|it| it.time.seconds())
        .collect();
    let arrivals = output.traces.segments.iter().filter(|it| it.fate == Fate::Received);
    // 20 ms behind the station: what was sent up to 20 ms before the link went off is lost, too.
    assert!(lost.iter().all(|time| (2.0..2.121).contains(time)), "{lost:?}");
    assert!(arrivals.map(|it| it.time.seconds()).all(|time| !(2.0001..2.1199).contains(&time)));
}

/// RFC 6298 section 5.5: "The host MUST set RTO <- RTO * 2 (\"back off the timer\")", up to a maximum (section 2.5).
#[test]
fn timeouts_double_to_their_maximum_in_an_outage() {
    let on = Some(changes(&[2.0, 62.0], &[0.0, 1.0]));
    let mut spec = lab(PathSpec { on, while_off: WhileOff::Lose, ..PathSpec::default() }, 80.0);
    (spec.transport.rto_min, spec.transport.rto_max) = (0.2, 8.0);
    spec.transport.initial_ssthresh = Some(50.0);
    spec.measure.segments = true;
    let output = run(&spec, 1);
    let again = output.traces.segments.iter().filter(|it| it.fate == Fate::SentAgain);
    let times: Vec<f64> =
        again.map(|it| it.time.seconds()).filter(|time| (2.0..62.0).contains(time)).collect();
    let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0.1).collect();
    assert!(gaps.len() >= 8, "{gaps:?}");
    for pair in gaps.windows(2) {
        let expected = (2.0 * pair[0]).min(8.0);
        assert!((pair[1] / expected - 1.0).abs() < 0.02, "{gaps:?}");
    }
    assert!((gaps.last().expect("some") - 8.0).abs() < 1e-6, "{gaps:?}");
    let after: u64 = output.flows[(70.0 / 0.2) as usize..].iter().map(|row| row[0].acked).sum();
    assert!(after > 1000, "it goes on: {after}");
}

/// Share of the link that a CUBIC flow of Linux gets after ten seconds, and segments sent again.
fn reordered(by: By, probability: f64, reo_wnd: ReoWndRule, undo: UndoRule) -> (f64, u64) {
    let reordering = Some(ReorderingParameters { probability, by });
    let mut spec = lab(PathSpec { reordering, ..PathSpec::default() }, 20.0);
    spec.stations[0].buffer = Some(sim::spec::Buffer::Packets(400));
    spec.algorithms = vec![algorithm("cubic")];
    spec.transport = Transport { reo_wnd, undo, ecn: false, ack_cost: true, ..linux() };
    let output = run_on_both_paths(&spec, 1);
    let acked: u64 = output.flows[50..].iter().map(|row| row[0].acked).sum();
    (acked as f64 / 100_000.0, output.totals.retransmitted - output.totals.dropped)
}

/// RFC 8985 section 6.2, step 4: the reordering window grows by a quarter of the shortest RTT with each round trip that has a
/// D-SACK, so a path that reorders deeply costs few needless retransmissions. Here packets are late by up to three quarters.
#[test]
fn an_adaptive_window_of_rack_bears_what_a_fixed_one_does_not() {
    let by = By::Delay(0.03);
    let (fixed, often) = reordered(by, 0.01, ReoWndRule::Fixed, UndoRule::None);
    let (adaptive, _) = reordered(by, 0.01, ReoWndRule::Adaptive, UndoRule::None);
    assert!(fixed < 0.3 && adaptive > 2.0 * fixed, "{adaptive}, with a fixed window {fixed}");
    // Where D-SACKs undo reductions, the fixed window costs retransmissions only.
    let (undone, again) = reordered(by, 0.01, ReoWndRule::Fixed, UndoRule::Linux);
    let (both, fewer) = reordered(by, 0.01, ReoWndRule::Adaptive, UndoRule::Linux);
    assert!(undone > 0.9 && both > 0.9, "{undone} and {both} with undo, {often}");
    assert!(fewer * 3 < again, "{fewer} needless retransmissions, with a fixed window {again}");
}

/// Three later packets are less than a quarter of a round trip: once reordering was seen, RACK waits for them.
#[test]
fn a_small_depth_costs_nothing() {
    let (utilization, again) = reordered(By::Depth(3), 0.1, ReoWndRule::Adaptive, UndoRule::Linux);
    assert!(utilization > 0.95 && again < 100, "{utilization}, {again} needless retransmissions");
}

#[test]
fn thinned_acks_are_fewer_and_flows_go_on() {
    let acks = |thin_acks| {
        let mut spec = lab(PathSpec::default(), 5.0);
        spec.stations[1].path = Some(PathSpec { thin_acks, ..PathSpec::default() });
        (spec.transport.ack_every, spec.transport.initial_window) = (1, 10.0);
        let output = run_on_both_paths(&spec, 1);
        (output.totals.acks as f64 / output.totals.acks_sent as f64, output.totals.acked)
    };
    let ((all, acked), (some, fewer)) = (acks(0), acks(4));
    assert!(all > 0.98 && (some - 0.25).abs() < 0.02, "{some} of the ACKs arrive");
    assert!(fewer as f64 > 0.5 * acked as f64, "{fewer} segments, {acked} with all ACKs");
}

#[test]
fn wrong_conditions_are_named() {
    let mut spec = lab(PathSpec::default(), 1.0);
    spec.stations[0].path = Some(PathSpec {
        delay: Some(changes(&[2.0, 1.0], &[0.01, 0.02])),
        loss: Some(changes(&[1.0], &[1.5])),
        on: Some(changes(&[0.5], &[0.0])),
        model: serde_json::from_value::<Model>(
            serde_json::json!({ "kind": "gilbert_elliott", "burst": 0.0, "gap": 1.0, "loss": 1.0 }),
        )
        .ok(),
        reordering: Some(ReorderingParameters { probability: 2.0, by: By::Depth(0) }),
        ..PathSpec::default()
    });
    let places: Vec<String> = problems(&spec).into_iter().map(|problem| problem.loc).collect();
    for place in [
        "delay.times",
        "loss.values[0]",
        "on",
        "model.burst",
        "reordering.probability",
        "reordering.by.depth",
    ] {
        assert!(places.contains(&format!("stations[0].path.{place}")), "{place}: {places:?}");
    }
}

/// Links of a network of eleven regions: packets reach other regions late, never early, and the same on any number of threads.
#[test]
fn paths_of_a_network_are_the_same_on_any_number_of_threads() {
    let mut spec = internet(1.0);
    let leo = LeoParameters {
        period: 0.3,
        delay: [0.001, 0.02],
        interruption: [0.01, 0.05],
        variation: 0.3,
        loss: 0.01,
        handover_loss: 0.5,
        jitter: 0.002,
    };
    for station in spec.stations.iter_mut().step_by(3) {
        station.path = Some(PathSpec { model: Some(Model::Leo(leo)), ..PathSpec::default() });
    }
    let alone = run_on_both_paths(&spec, 5);
    let checked = checked(&spec);
    let together = sim::run(&checked, 5, 3, &mut |_| true).expect("the scenario runs");
    assert!(alone.totals.dropped > 0 && results(&alone) == results(&together));
}
