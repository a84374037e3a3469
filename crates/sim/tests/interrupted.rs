//! Runs that end before their time: by their caller, by their watch, or because a controller never sleeps.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use congestion::{AckSample, CongestionControl, CongestionEvent, Decision, Flow, Phase, Time};
use sim::spec::Spec;
use sim::{Error, Plugin, Plugins, RunOutput, Watch};

use crate::support::{algorithm, checked, dumbbell, flow, internet};

/// Watch that halts the run when it was asked so often.
struct After(AtomicU32);

impl Watch for After {
    fn halts(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

fn halted(spec: &Spec, threads: usize, looks: u32) -> RunOutput {
    let watch = Arc::new(After(AtomicU32::new(looks)));
    sim::run_with(&checked(spec), 1, threads, &Plugins::new(), &mut |_| true, watch).expect("it runs")
}

fn two_flows(duration: f64) -> Spec {
    dumbbell(10.0, 0.04, Some(100), vec![flow("red", 0.0), flow("blue", 0.5)], duration)
}

/// Everything that a run of that length would have measured: memory and events apart, which the end has no part in.
fn measured(output: RunOutput) -> String {
    let output = RunOutput { stopped: None, memory: Vec::new(), critical_events: 0, ..output };
    format!("{output:?}")
}

#[test]
fn a_stopped_run_has_what_a_run_of_that_length_has() {
    let spec = internet(2.0);
    for threads in [1, 3] {
        let output = sim::run(&checked(&spec), 1, threads, &mut |at| at < 1.234).expect("it runs");
        let reached = output.stopped.expect("it was stopped");
        assert!((1.234..1.3).contains(&reached), "{reached}");
        assert!(output.totals.injected > 1000, "{:?}", output.totals);
        let shorter = Spec { duration: reached, ..spec.clone() };
        let whole = sim::run(&checked(&shorter), 1, 1, &mut |_| true).expect("it runs");
        assert_eq!(whole.stopped, None);
        assert_eq!(measured(output), measured(whole), "{threads} threads");
    }
}

#[test]
fn a_run_that_is_halted_between_two_events_has_what_a_run_of_that_length_has() {
    for looks in [0, 1, 7, 40] {
        let output = halted(&two_flows(20.0), 1, looks);
        let reached = output.stopped.expect("it was halted");
        assert!(reached < 20.0);
        let whole = sim::run(&checked(&two_flows(reached)), 1, 1, &mut |_| true).expect("it runs");
        assert_eq!(measured(output), measured(whole), "{looks} looks, {reached} s");
    }
}

#[test]
fn packets_are_conserved_where_regions_are_halted_within_a_window() {
    // The run itself is an error where they are not.
    for threads in [1, 3] {
        for looks in [0, 1, 4] {
            let spec = internet(2.0);
            let output = halted(&spec, threads, looks);
            let reached = output.stopped.expect("it was halted");
            assert!(reached < 2.0, "{reached}");
            assert_eq!(output.series.len(), (reached / spec.measure.interval).ceil() as usize);
        }
    }
}

#[test]
fn a_run_that_nobody_halts_is_whole() {
    let output = halted(&two_flows(5.0), 1, u32::MAX);
    assert_eq!(output.stopped, None);
    let plain = sim::run(&checked(&two_flows(5.0)), 1, 1, &mut |_| true).expect("it runs");
    assert_eq!(format!("{output:?}"), format!("{plain:?}"));
}

/// A constant window, and wake-ups that are always due: by so many picoseconds before the last call.
#[derive(Debug)]
struct Sleepless {
    before: u64,
    now: Time,
}

impl CongestionControl for Sleepless {
    fn on_ack(&mut self, _: &AckSample, flow: &Flow) {
        self.now = flow.now;
    }
    fn on_congestion(&mut self, _: CongestionEvent, _: &Flow) {}
    fn decision(&self) -> Decision {
        Decision { cwnd: 20_000.0, pacing_rate: None }
    }
    fn phase(&self) -> Phase {
        Phase::Standard
    }
    fn wakeup(&self) -> Option<Time> {
        Some(Time(self.now.0.saturating_sub(self.before)))
    }
    fn on_wakeup(&mut self, flow: &Flow) {
        self.now = flow.now;
    }
}

#[test]
fn a_wake_up_that_is_always_due_is_an_error_that_names_source_and_time() {
    for before in [0, 1, u64::MAX] {
        let construct: sim::Constructor = Arc::new(move |_| {
            Ok(Box::new(move |_| {
                Box::new(Sleepless { before, now: Time::ZERO }) as Box<dyn CongestionControl>
            }))
        });
        let plugins: Plugins = BTreeMap::from([("sleepless".into(), Plugin { construct, needs: None })]);
        let mut spec = two_flows(5.0);
        spec.algorithms.push(algorithm("sleepless"));
        spec.flows[1].algorithm = 1;
        let checked = spec.checked_with(&plugins).expect("a valid scenario");
        let ended = sim::run_with(&checked, 1, 1, &plugins, &mut |_| true, Arc::new(sim::Unwatched));
        let Err(Error::Sleepless { source_index, at }) = ended else { panic!("{before}: {ended:?}") };
        assert_eq!(source_index, 1);
        assert!((0.5..0.6).contains(&at), "{at}");
    }
}
