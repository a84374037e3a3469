//! Windows below one segment (RFC 9331 section 4.3).

use std::collections::BTreeMap;
use std::sync::Arc;

use congestion::{AckSample, CongestionControl, CongestionEvent, Decision, Ecn, Flow, Needs, Phase, Rate};
use sim::{Plugin, Plugins, RunOutput};

use crate::support::{algorithm, dumbbell, flow, mark, mean, run_on_both_paths};

/// Window that never changes.
#[derive(Debug)]
struct Fixed {
    decision: Decision,
    ecn: Ecn,
}

impl CongestionControl for Fixed {
    fn on_ack(&mut self, _ack: &AckSample, _flow: &Flow) {}

    fn on_congestion(&mut self, _event: CongestionEvent, _flow: &Flow) {}

    fn decision(&self) -> Decision {
        self.decision
    }

    fn phase(&self) -> Phase {
        Phase::Standard
    }

    fn needs(&self) -> Needs {
        Needs { ecn: self.ecn, ..Needs::default() }
    }
}

/// Ten seconds of one flow over an idle path of 40 ms, with a window in segments.
fn run_fixed(window: f64, pacing_rate: Option<Rate>, ecn: Ecn) -> RunOutput {
    let mut spec = dumbbell(100.0, 0.04, None, vec![flow("red", 0.0)], 10.0);
    spec.algorithms = vec![algorithm("fixed")];
    let construct: sim::Constructor = Arc::new(move |_| {
        Ok(Box::new(move |initial| {
            let cwnd = window * f64::from(initial.smss);
            Box::new(Fixed { decision: Decision { cwnd, pacing_rate }, ecn })
        }))
    });
    let plugins: Plugins = BTreeMap::from([("fixed".into(), Plugin { construct, needs: None })]);
    let checked = spec.checked_with(&plugins).expect("a valid scenario");
    sim::run_with(&checked, 1, 1, &plugins, &mut |_| true, Arc::new(sim::Unwatched)).expect("it runs")
}

/// One segment leaves per smss / cwnd round trips; 10 s are 250 of them.
#[test]
fn a_part_of_a_segment_is_one_segment_in_so_many_round_trips() {
    for (parts, expected) in [(1.0, 250), (2.0, 125), (4.0, 62), (10.0, 25), (1024.0, 1)] {
        let output = run_fixed(1.0 / parts, None, Ecn::L4s);
        let sent = output.totals.data_sent;
        println!("window 1/{parts}: {sent} segments in 250 round trips");
        assert!(sent.abs_diff(expected) <= 1, "window 1/{parts}: {sent} segments");
        assert!(output.totals.timeouts == 0 && output.totals.retransmitted == 0);
    }
}

/// The slower of the window and the controller's pacing rate counts.
#[test]
fn pacing_slows_a_fractional_window_further() {
    let rate = |per_second: f64| Some(Rate(per_second * 1460.0));
    let sent = |pacing_rate| run_fixed(0.5, pacing_rate, Ecn::L4s).totals.data_sent;
    assert!(sent(rate(5.0)).abs_diff(50) <= 1 && sent(rate(500.0)).abs_diff(125) <= 1);
}

/// Only controllers of L4S have fractional windows; to others the least window is one segment.
#[test]
fn other_controllers_have_one_segment_at_least() {
    for ecn in [Ecn::None, Ecn::Classic, Ecn::Dctcp] {
        let sent = run_fixed(0.25, None, ecn).totals.data_sent;
        assert!(sent.abs_diff(250) <= 1, "{ecn:?}: {sent}");
    }
}

/// Forty flows of Prague share a path of four packets: with windows of parts of a segment the queue stays at the
/// threshold, where two segments each (Linux) are a queue of 76.
#[test]
fn prague_keeps_a_queue_short_with_less_than_a_segment_each() {
    let queue = |name: &str| {
        let flows = (0..40).map(|at| flow(&format!("flow {at}"), 0.01 * f64::from(at))).collect();
        let mut spec = dumbbell(1.0, 0.004, Some(1000), flows, 60.0);
        spec.algorithms = vec![algorithm(name)];
        spec.transport.initial_ssthresh = Some(2.0);
        mark(&mut spec.stations[0], Some(5));
        let output = run_on_both_paths(&spec, 1);
        assert_eq!(output.totals.dropped, 0);
        let acked = mean(&spec, output.series.iter().map(|sample| sample.counters.acked as f64), 20.0, 60.0);
        assert!(acked > 0.95 * 200.0, "{name}: {acked} of 200 packets in 0.2 s");
        mean(&spec, output.queues.iter().map(|row| row[0].packets as f64), 20.0, 60.0)
    };
    let (fractions, segments) = (queue("prague"), queue("prague:linux"));
    println!(
        "40 flows on 4 packets: mean queue {fractions:.1} with fractions, {segments:.1} with two segments each"
    );
    assert!(fractions < 15.0 && segments > 60.0, "{fractions} and {segments} packets");
}
