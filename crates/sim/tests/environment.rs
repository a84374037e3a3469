//! Environments simulate what runs do, whoever decides and wherever the simulation stops in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use congestion::Duration;
use proptest::prelude::*;
use sim::environment::{Batch, Environment, Simulation, algorithm as external};
use sim::policy::reward::Reward;
use sim::policy::{Decide, Policy, Settings, plugin};
use sim::spec::Spec;
use sim::{CheckedSpec, Plugins, RunOutput, Unwatched, Watch};

use crate::determinism::{every_discipline, world};
use crate::support::{algorithm, checked, dumbbell, flow};
use crate::worlds::dumbbells;

const REWARD: Reward = Reward::Orca { loss: 5.0, margin: 1.25 };

/// A watch that halts when it was asked that many times, and from then on.
struct Patience(AtomicU32);

impl Watch for Patience {
    fn halts(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

/// Everything but what the simulator says of itself.
fn bytes(output: RunOutput) -> String {
    format!("{:?}", RunOutput { memory: Vec::new(), critical_events: 0, ..output })
}

fn policy(decide: &str) -> Arc<Policy> {
    let settings = format!(
        r#"{{"observation": ["rtt_ratio", "loss_ratio", "rate"], "history": 2, "ecn": "classic",
            "action": {{"target": "window", "rule": {{"multiply": {{"step": 0.5}}}}, "least": 1, "most": 1000}},
            "decide": {decide}}}"#
    );
    Arc::new(Settings::parse(&settings).expect("good settings"))
}

/// A policy that keeps a little queue.
fn act(observation: &[f32]) -> f64 {
    if observation[3] > 1.3 || observation[4] > 0.05 { -0.4 } else { 0.3 }
}

/// Three flows, of which the first `agents` are controlled; the first of them ends early.
fn shared(agents: usize) -> Spec {
    let mut flows = vec![flow("a", 0.0), flow("b", 0.7), flow("c", 0.3)];
    flows[0].size = Some(300);
    let mut spec = dumbbell(2.0, 0.03, Some(40), flows, 5.0);
    for agent in 0..agents {
        spec.flows[agent].algorithm = spec.algorithms.len() as u32;
        spec.algorithms.push(algorithm(&external(agent)));
    }
    spec
}

fn checked_for(
    spec: Spec,
    policy: &Arc<Policy>,
    agents: usize,
    decide: Option<&Decide>,
) -> (CheckedSpec, Plugins) {
    let plugins = (0..agents).map(|agent| (external(agent), plugin(policy, decide.cloned()))).collect();
    (spec.checked_with(&plugins).expect("a good scenario"), plugins)
}

fn stopped_at_multiples(spec: &Spec, seed: u64, span: Duration) -> String {
    let spec = Arc::new(checked(spec));
    let mut simulation = Simulation::new(spec, seed, &Plugins::new()).expect("a good scenario");
    while simulation.now() < simulation.end() {
        simulation.advance(simulation.now() + span);
    }
    bytes(simulation.finish().expect("packets are conserved"))
}

fn in_one_go(spec: &Spec, seed: u64) -> String {
    bytes(sim::run(&checked(spec), seed, 1, &mut |_| true).expect("the scenario runs"))
}

#[test]
fn stops_change_nothing_in_networks_of_many_regions() {
    for spec in [world(), every_discipline()] {
        assert!(stopped_at_multiples(&spec, 7, Duration(3_141_592_653)) == in_one_go(&spec, 7));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn stops_change_nothing_in_any_dumbbell(spec in dumbbells(), seed: u64, span in 1_000_000u64..100_000_000_000) {
        prop_assert!(stopped_at_multiples(&spec, seed, Duration(span)) == in_one_go(&spec, seed));
    }
}

#[test]
fn decisions_from_outside_are_those_from_inside() {
    for decide in
        [r#"{"every": {"seconds": 0.02}}"#, r#"{"round_trips": {"number": 1.5, "at_least": 0.001}}"#]
    {
        let policy = policy(decide);
        let inside: Decide = Arc::new(|_, _, observation| Some(act(observation)));
        let (spec, plugins) = checked_for(shared(1), &policy, 1, Some(&inside));
        let expected = sim::run_with(&spec, 5, 1, &plugins, &mut |_| true, Arc::new(Unwatched))
            .expect("the scenario runs");
        let mut environment = Environment::new(policy.clone(), 1);
        environment.reset(Arc::new(spec), 5, Plugins::new()).expect("a good scenario");
        let mut observation = vec![0.0; policy.width()];
        let mut steps = 0;
        while environment.is_running() {
            environment.observe(0, &mut observation);
            environment.step(&[act(&observation)]);
            steps += 1;
        }
        assert!(environment.is_terminated(0) && !environment.is_truncated() && steps > 10);
        let output = environment.finish().expect("an episode").expect("packets are conserved");
        assert!(bytes(output) == bytes(expected), "{decide}");
    }
}

#[test]
fn records_of_an_episode_add_up_to_the_flow() {
    let policy = policy(r#"{"every": {"seconds": 0.02}}"#);
    let (spec, _) = checked_for(shared(1), &policy, 1, None);
    let mut environment = Environment::new(policy, 1);
    environment.reset(Arc::new(spec), 5, Plugins::new()).expect("a good scenario");
    let mut delivered = environment.record(0).counts.delivered;
    let mut time = environment.record(0).time;
    while environment.is_running() {
        environment.step(&[0.1]);
        let record = environment.record(0);
        delivered += record.counts.delivered;
        assert!((record.time - record.elapsed - time).abs() < 1e-9, "no gap before {}", record.time);
        time = record.time;
    }
    // All but what the ACK delivers with which the first record begins.
    assert!((delivered - 299.0 * 1460.0).abs() < 1.0, "{delivered}");
}

#[test]
fn several_flows_decide_at_the_same_times_and_those_that_are_not_there_see_nothing() {
    let policy = policy(r#"{"every": {"seconds": 0.1}}"#);
    let (spec, _) = checked_for(shared(3), &policy, 3, None);
    let mut environment = Environment::new(policy, 3);
    environment.reset(Arc::new(spec), 5, Plugins::new()).expect("a good scenario");
    assert!((environment.record(0).time - 0.1).abs() < 1e-9);
    assert!(environment.record(1).elapsed.abs() < 1e-300, "it begins after 0.7 s");
    let mut ends = Vec::new();
    while environment.is_running() {
        environment.step(&[0.1, 0.1, 0.1]);
        let times: Vec<f64> = (0..3)
            .map(|agent| environment.record(agent))
            .filter(|it| it.elapsed > 0.0)
            .map(|it| it.time)
            .collect();
        assert!(times.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 1e-300), "{times:?}");
        if environment.is_terminated(0) {
            ends.extend(times);
        }
    }
    assert!(environment.is_truncated() && environment.is_terminated(0) && !environment.is_terminated(1));
    assert!((ends.last().expect("some") - 5.0).abs() < 1e-9);
}

#[test]
fn threads_change_no_step() {
    let policy = policy(r#"{"round_trips": {"number": 1.0, "at_least": 0.001}}"#);
    let (spec, _) = checked_for(shared(1), &policy, 1, None);
    let spec = Arc::new(spec);
    let mut batches = [1, 3].map(|threads| {
        let mut batch = Batch::new(&policy, REWARD, 1, 5);
        for index in 0..5 {
            let environment = batch.environment(index).expect("one of five");
            environment.reset(spec.clone(), index as u64, Plugins::new()).expect("a good scenario");
        }
        (threads, batch)
    });
    let active = [true, true, false, true, true];
    for step in 0..100 {
        let actions: Vec<f64> = (0..5).map(|at| f64::from((at * 7 + step * 3) % 11) / 5.0 - 1.0).collect();
        let [alone, together] =
            batches.each_mut().map(|(threads, batch)| batch.step(&actions, &active, *threads));
        assert_eq!(alone, together);
    }
    let (_, batch) = &mut batches[0];
    let time = |batch: &mut Batch, index| batch.environment(index).expect("one of five").record(0).time;
    assert!(time(batch, 2) < 0.2 && time(batch, 3) > 1.0, "one was left as it was");
}

#[test]
fn an_episode_without_its_flow_ends_at_once() {
    let policy = policy(r#"{"every": {"seconds": 0.02}}"#);
    let mut late = shared(1);
    late.flows[0].start = 4.9999;
    let (spec, _) = checked_for(late, &policy, 1, None);
    let mut environment = Environment::new(policy, 1);
    assert!(!environment.is_running());
    environment.reset(Arc::new(spec), 5, Plugins::new()).expect("a good scenario");
    assert!(environment.is_truncated() && !environment.is_running());
    assert!(environment.record(0).elapsed.abs() < 1e-300);
}

#[test]
fn an_episode_that_is_halted_is_over_and_the_next_one_is_as_ever() {
    let policy = policy(r#"{"every": {"seconds": 2.0}}"#);
    let (spec, _) = checked_for(shared(1), &policy, 1, None);
    let spec = Arc::new(spec);
    let reset = |environment: &mut Environment, patience: u32| {
        environment.watch(Arc::new(Patience(AtomicU32::new(patience))));
        environment.reset(spec.clone(), 5, Plugins::new()).expect("a good scenario");
    };
    let output = |environment: &mut Environment| environment.finish().map(|it| it.expect("conserved"));
    let mut environment = Environment::new(policy.clone(), 1);
    reset(&mut environment, u32::MAX);
    let expected = bytes(output(&mut environment).expect("an episode"));

    // In its first step, in a later one, and at its end.
    reset(&mut environment, 0);
    assert!(!environment.is_running() && output(&mut environment).is_none());
    reset(&mut environment, 20);
    assert!(environment.is_running());
    environment.step(&[0.1]);
    assert!(!environment.is_running() && output(&mut environment).is_none());
    reset(&mut environment, 20);
    assert!(environment.is_running() && output(&mut environment).is_none());

    reset(&mut environment, u32::MAX);
    assert!(bytes(output(&mut environment).expect("an episode")) == expected);
}
