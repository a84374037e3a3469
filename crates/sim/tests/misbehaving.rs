//! Receivers that break the rules: S. Savage, N. Cardwell, D. Wetherall, T. Anderson, "TCP Congestion Control with a
//! Misbehaving Receiver", CCR 29(5), 1999. Every run asserts that packets are conserved.

use sim::RunOutput;
use sim::net::disciplines::DropTailParameters;
use sim::spec::{Bursts, Conduct, Discipline, FlowSpec, MarkAbove, NextBurst, Recovery, Spec};

use crate::determinism::{bytes, world};
use crate::support::{dumbbell, flow, run};

/// Two Reno flows over 1 packet/ms, 50 ms, a buffer of a bandwidth-delay product; the receiver of the first misbehaves. The receive window is
/// all that limits a sender that never hears of a loss.
fn two(conduct: Conduct) -> Spec {
    let flows = vec![FlowSpec { conduct, ..flow("liar", 0.0) }, flow("honest", 0.3)];
    let mut spec = dumbbell(1.0, 0.05, Some(50), flows, 40.0);
    spec.transport.receive_window = Some(300);
    spec
}

/// Segments acknowledged and sent again, flow by flow.
fn sums(output: &RunOutput) -> [(u64, u64); 2] {
    [0, 1].map(|at| {
        let rows = output.flows.iter().map(|row| &row[at]);
        rows.fold((0, 0), |sum, row| (sum.0 + row.acked, sum.1 + row.retransmitted))
    })
}

/// Section 2.3: a receiver that conceals losses lets its sender send without regard to congestion, and others lose.
#[test]
fn losses_that_are_hidden_leave_others_next_to_nothing() {
    let [(fair, _), (other, _)] = sums(&run(&two(Conduct::Honest), 1));
    assert!(fair.abs_diff(other) < fair / 4, "{fair} {other}");
    for conduct in [Conduct::HidesLosses, Conduct::AcksAhead] {
        let [(gain, repaired), (rest, _)] = sums(&run(&two(conduct), 1));
        assert!(gain > 3 * fair / 2 && rest < other / 4, "{gain} {rest}");
        assert_eq!(repaired, 0, "its sender learns of no loss");
    }
}

/// Section 2.3: "the receiver can emulate a shorter round-trip time by sending ACKs optimistically for data it has not yet
/// received". One segment ahead is a window of eleven segments for ten, whatever TCP's recovery.
#[test]
fn an_ack_ahead_is_worth_one_segment_of_window() {
    for recovery in [Recovery::Sack, Recovery::Rack, Recovery::Newreno] {
        let [honest, ahead] = [Conduct::Honest, Conduct::AcksAhead].map(|conduct| {
            let mut spec = alone(conduct);
            (spec.transport.recovery, spec.transport.receive_window) = (recovery, Some(10));
            acked(&spec)
        });
        assert!((ahead / honest - 1.1).abs() < 0.005, "{honest} {ahead}");
    }
}

/// RFC 9293 section 3.10.7.4: "If the ACK acks something not yet sent (SEG.ACK > SND.NXT), then send an ACK, drop the segment,
/// and return." Segments that are alone leave nothing to acknowledge ahead.
#[test]
fn what_was_not_sent_cannot_be_acknowledged() {
    let [honest, ahead] = [Conduct::Honest, Conduct::AcksAhead].map(|conduct| {
        let mut spec = alone(conduct);
        spec.flows[0].bursts = Some(Bursts { size: 1, next: NextBurst::After(0.1) });
        acked(&spec)
    });
    assert!(honest > 50.0 && (honest - ahead).abs() < 0.5, "{honest} {ahead}");
}

/// One flow over a path without a queue.
fn alone(conduct: Conduct) -> Spec {
    dumbbell(10.0, 0.05, None, vec![FlowSpec { conduct, ..flow("liar", 0.0) }], 10.0)
}

fn acked(spec: &Spec) -> f64 {
    run(spec, 1).flows.iter().map(|row| row[0].acked as f64).sum()
}

#[test]
fn the_number_of_threads_changes_nothing_with_receivers_that_misbehave() {
    for conduct in [Conduct::HidesLosses, Conduct::RepeatsAcks, Conduct::AcksAhead] {
        let mut spec = world();
        spec.flows[0].conduct = conduct;
        spec.transport.receive_window = Some(300);
        let alone = bytes(&spec, 7, 1);
        assert!(alone != bytes(&world(), 7, 1), "the run is another one");
        assert!([2, 4].iter().all(|&threads| bytes(&spec, 7, threads) == alone));
    }
}

/// Three duplicate ACKs are a loss for NewReno (RFC 5681 section 3.2), which repairs what has arrived and slows down. With
/// SACK an ACK without news of a segment says nothing (RFC 6675 section 2).
#[test]
fn repeated_acks_mean_losses_to_newreno_and_nothing_to_sack() {
    let outcome = |recovery, conduct| {
        let mut spec = two(conduct);
        spec.transport.recovery = recovery;
        let output = run(&spec, 1);
        (sums(&output), output.totals.acks_sent)
    };
    let (fair, sent) = outcome(Recovery::Sack, Conduct::Honest);
    let (sack, more) = outcome(Recovery::Sack, Conduct::RepeatsAcks);
    let (newreno, _) = outcome(Recovery::Newreno, Conduct::RepeatsAcks);
    assert_eq!(fair, sack);
    assert!(more > 2 * sent, "{sent} {more}");
    assert!(newreno[0].0 < fair[0].0 / 2 && newreno[0].1 > 4 * fair[0].1, "{fair:?} {newreno:?}");
}

/// RFC 3168 section 6.1.3 trusts receivers with the echo; without it a sender grows until packets are dropped.
#[test]
fn marks_that_are_hidden_do_not_reach_the_sender() {
    let [honest, hides] = [Conduct::Honest, Conduct::HidesMarks].map(|conduct| {
        let mut spec = two(conduct);
        spec.transport.ecn = true;
        spec.stations[0].discipline =
            Discipline::Droptail(DropTailParameters { mark_above: MarkAbove(Some(10)) });
        let output = run(&spec, 1);
        let marked: u64 = output.flows.iter().map(|row| row[0].ce_marked).sum();
        (sums(&output), marked)
    });
    assert!(honest.1 > 0 && hides.1 > 0, "the receiver sees marks");
    assert!(hides.0[0].0 > 3 * honest.0[0].0 / 2 && hides.0[1].0 < honest.0[1].0 / 2, "{honest:?} {hides:?}");
}
