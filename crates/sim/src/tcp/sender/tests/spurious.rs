//! Retransmissions that were for nothing, and what is taken back of them.

use congestion::{CongestionEvent, Prior};

use super::{Policy, RTT, Script, at, mechanism, ms};
use crate::tcp::ecn::EcnOptions;
use crate::tcp::linux::undo::{UndoOptions, UndoRule};
use crate::tcp::loss::Evidence;
use crate::tcp::mechanism::Mechanism;
use crate::tcp::prr::PrrRule;
use crate::tcp::recovery::RecoveryState;
use CongestionEvent::{EcnEcho, EnterRecovery, ExitRecovery, Rto};

/// Window and threshold before the reduction of a first loss.
const PRIOR: Prior = Prior { cwnd: 10_000.0, ssthresh: Some(f64::INFINITY) };

fn undoing(frto: bool) -> Mechanism {
    let ecn = EcnOptions { classic: true, ..EcnOptions::default() };
    let linux = UndoOptions { rule: UndoRule::Linux, ..UndoOptions::default() };
    let undo = UndoOptions { frto, ..linux };
    Mechanism { undo, ecn, ..mechanism(Evidence::Rack) }
}

/// Ten segments, of which 0 was retransmitted at 100 ms when 1 to 3 were SACKed; the window goes from ten to five.
fn one_repair(mechanism: Mechanism) -> Script {
    let mut script = Script::ten(mechanism);
    script.policy().reduced = 5.0;
    for end in 2..=4 {
        script.ack(100, 0, Some((1, end)));
    }
    assert_eq!(script.send(), [0]);
    script
}

/// Ten segments whose timer expired at 502 ms, after a probe of segment 10 at 202 ms; segment 0 was retransmitted.
fn one_timeout(mechanism: Mechanism) -> Script {
    let mut script = Script::ten(mechanism);
    script.policy().reduced = 1.0;
    script.expire();
    assert_eq!(script.send(), [10], "a probe");
    script.expire();
    assert_eq!((script.now, script.send()), (at(502), vec![0]));
    script
}

fn events(script: &Script) -> Vec<CongestionEvent> {
    script.policy().events.clone()
}

/// RFC 3522 section 3.2, step 4: the echo tells the original from the retransmission. Linux, `tcp_try_undo_partial`.
#[test]
fn an_original_ends_a_recovery_that_was_for_nothing() {
    for (stamped, undone) in [(0, true), (99, true), (100, false)] {
        let mut script = one_repair(undoing(false));
        script.now = at(110);
        script.ack_of(4, None, at(stamped));
        let expected = if undone { vec![EnterRecovery, ExitRecovery] } else { vec![EnterRecovery] };
        assert_eq!((events(&script), script.cwnd()), (expected, if undone { 10 } else { 5 }));
        assert_eq!(script.policy().undone, if undone { vec![PRIOR] } else { vec![] });
        assert_eq!(script.sender.recovery_state() == RecoveryState::Open, undone);
    }
}

/// An ACK that advances nothing is no evidence, whatever it echoes.
#[test]
fn only_progress_is_evidence() {
    let mut script = one_repair(undoing(false));
    script.ack_of(0, Some((1, 5)), at(0));
    assert_eq!((events(&script), script.cwnd()), (vec![EnterRecovery], 5));
}

/// Linux, `tcp_try_undo_partial`: while another retransmission is out, a late original of one hole decides nothing.
#[test]
fn a_second_retransmission_is_waited_for() {
    let mut script = Script::ten(undoing(false));
    script.policy().reduced = 6.0;
    // 0 and 2 are lost.
    script.ack(100, 0, Some((1, 2)));
    script.ack(100, 0, Some((3, 6)));
    assert_eq!(script.send(), [0, 2]);
    script.now = at(110);
    script.ack_of(2, Some((3, 6)), at(0));
    assert_eq!((events(&script), script.cwnd()), (vec![EnterRecovery], 6));
    script.ack_of(6, None, at(0));
    assert_eq!((events(&script), script.cwnd()), (vec![EnterRecovery, ExitRecovery], 10));
}

/// Segments taken for lost are in flight again: nothing more is retransmitted, and the controller hears of no loss.
#[test]
fn what_was_taken_for_lost_is_lost_no_more() {
    let mut script = Script::ten(undoing(false));
    script.policy().reduced = 1.0;
    script.ack(100, 0, Some((5, 8)));
    assert_eq!(script.heard().0.lost, 5000);
    assert_eq!(script.send(), [0]);
    script.now = at(110);
    script.ack_of(1, Some((5, 9)), at(0));
    assert_eq!(script.heard().0.lost, 0);
    assert_eq!(script.policy().undone, [PRIOR]);
    // In flight: 1 to 4, and 9.
    assert_eq!((script.sender.pipe(), script.send()), (5, vec![10, 11, 12, 13, 14]));
}

/// Linux, `tcp_try_undo_recovery`: at the end of a recovery the window comes back; what is lost beyond it is lost.
#[test]
fn losses_after_a_recovery_that_was_for_nothing_stand() {
    let mut script = one_repair(undoing(false));
    // New data leave in the recovery, and the first of them is lost.
    script.policy().cwnd = 12.0;
    script.sender.on_wakeup(script.now, &script.mechanism);
    let new = script.send();
    assert_eq!(new, [10, 11, 12, 13, 14]);
    script.now = at(200);
    script.ack_of(10, Some((11, 14)), at(0));
    assert_eq!(events(&script), [EnterRecovery, ExitRecovery, EnterRecovery]);
    assert_eq!(script.policy().undone, [PRIOR]);
    assert_eq!(script.heard().0.lost, 1000);
    assert_eq!(script.send_one(), Some(10));
}

/// RFC 3708 section 3 and Linux, `tcp_try_undo_dsack`: all retransmissions arrived in duplicate.
#[test]
fn duplicates_take_a_reduction_back_after_its_recovery() {
    let mut script = one_repair(undoing(false));
    script.now = at(200);
    script.ack_of(10, None, at(100));
    assert_eq!((events(&script), script.cwnd()), (vec![EnterRecovery, ExitRecovery], 5));
    script.dsack(10, at(99));
    assert_eq!(script.cwnd(), 5, "a duplicate of something else");
    script.dsack(10, at(100));
    assert_eq!((script.cwnd(), script.policy().undone.clone()), (10, vec![PRIOR]));
    script.policy().cwnd = 7.0;
    script.dsack(10, at(100));
    assert_eq!(script.policy().undone.len(), 1, "once");
    assert_eq!(events(&script), [EnterRecovery, ExitRecovery], "no recovery has ended by it");
}

/// Linux, `tcp_fastretrans_alert`: an echo of a mark says that there is congestion, and the window stays.
#[test]
fn a_mark_in_the_recovery_keeps_the_window() {
    let mut script = one_repair(undoing(false));
    script.now = at(110);
    script.marked(4, at(0));
    assert_eq!((script.cwnd(), script.policy().undone.len()), (5, 0));
    assert_eq!(events(&script), [EnterRecovery, ExitRecovery], "nothing is repaired any more");
}

/// A mark that is answered after the recovery begins a reduction of its own, which no duplicate takes back.
#[test]
fn a_mark_after_the_recovery_lets_the_reduction_stand() {
    let mut script = one_repair(Mechanism { prr: PrrRule::Linux, ..undoing(false) });
    script.now = at(200);
    script.ack_of(10, None, at(100));
    assert_eq!(script.send(), [10, 11, 12, 13, 14]);
    script.policy().reduced = 3.0;
    script.now = at(300);
    script.marked(11, at(200));
    assert_eq!(events(&script), [EnterRecovery, ExitRecovery, EcnEcho]);
    assert!(script.sender.is_reducing());
    script.dsack(11, at(100));
    assert!(script.sender.is_reducing(), "the reduction for the mark goes on");
    assert!(script.policy().undone.is_empty());
}

/// Reduction for a loss that a probe has repaired (RFC 8985 section 7.4.2).
#[test]
fn a_loss_that_a_probe_repaired_is_not_taken_back() {
    let mut script = Script::new(Policy::new(10.0), undoing(false), 3);
    script.policy().reduced = 5.0;
    script.send();
    script.expire();
    assert_eq!(script.send(), [2]);
    let probed = script.now;
    script.ack_of(3, None, probed);
    script.sender.seq.limit = 4;
    script.send();
    script.ack(300, 4, None);
    assert_eq!((events(&script), script.cwnd()), (vec![EnterRecovery, ExitRecovery], 5));
    script.dsack(4, probed);
    assert_eq!((script.cwnd(), script.policy().undone.len()), (5, 0));
}

/// Linux, `tcp_try_undo_loss`: an original after a timeout, by its echo; the retransmission's is no evidence.
#[test]
fn an_original_takes_a_timeout_back() {
    for (stamped, undone) in [(0, true), (502, false)] {
        let mut script = one_timeout(undoing(false));
        script.now = at(600);
        script.ack_of(1, None, at(stamped));
        assert_eq!(events(&script), if undone { vec![Rto, ExitRecovery] } else { vec![Rto] });
        assert_eq!(script.cwnd(), if undone { 10 } else { 1 });
        let next = if undone { None } else { Some(1) };
        assert_eq!(script.send_one(), next, "ten are in flight, or none");
    }
}

/// Linux, `tcp_enter_loss`: a timeout in a recovery, or repeated without progress, belongs to the reduction before it.
#[test]
fn a_timeout_in_a_recovery_is_undone_with_it() {
    let mut script = one_repair(undoing(false));
    script.policy().reduced = 2.0;
    script.expire();
    assert_eq!(events(&script), [EnterRecovery, Rto]);
    script.ack_of(4, None, at(0));
    assert_eq!(script.policy().undone, [PRIOR]);
    let mut script = one_timeout(undoing(false));
    script.expire();
    script.ack_of(1, None, at(0));
    assert_eq!(
        (events(&script), script.policy().undone.clone()),
        (vec![Rto, Rto, ExitRecovery], vec![PRIOR])
    );
    // With progress in between, the next one is a reduction of its own.
    let mut script = one_timeout(undoing(false));
    script.policy().ssthresh = Some(4.0);
    script.now = at(600);
    script.ack_of(1, None, at(502));
    script.send();
    let first = script.now;
    script.expire();
    script.ack_of(2, None, at(first.0 / ms(1).0 - 1));
    assert_eq!(script.policy().undone, [Prior { cwnd: 1000.0, ssthresh: Some(4000.0) }]);
}

/// Linux, `tcp_current_ssthresh`: half the window and a quarter, each rounded down, or the threshold if that is higher.
#[test]
fn the_threshold_comes_back_at_three_quarters_of_the_window() {
    for (ssthresh, expected) in [(3.0, 7000.0), (9.0, 9000.0)] {
        let mut policy = Policy::new(11.0);
        (policy.ssthresh, policy.reduced) = (Some(ssthresh), 5.0);
        let mut script = Script::new(policy, undoing(false), 100);
        script.send();
        script.ack(100, 0, Some((1, 4)));
        script.send();
        script.ack_of(4, None, at(0));
        assert_eq!(script.policy().undone, [Prior { cwnd: 11_000.0, ssthresh: Some(expected) }]);
    }
}

/// Linux, `tcp_enter_recovery`: a loss while the window goes down for a mark reduces nothing, so the controller does not
/// hear of it, and gives no window to return to.
#[test]
fn a_loss_within_the_reduction_of_a_mark_is_not_taken_back() {
    let mut script = Script::ten(Mechanism { prr: PrrRule::Linux, ..undoing(false) });
    script.policy().reduced = 5.0;
    script.now = at(100);
    script.marked(1, at(0));
    assert_eq!(events(&script), [EcnEcho]);
    script.ack(101, 1, Some((2, 5)));
    assert_eq!((events(&script), script.counters.recoveries), (vec![EcnEcho], 1));
    script.send();
    script.ack_of(5, None, at(0));
    assert_eq!((events(&script), script.policy().undone.len()), (vec![EcnEcho, ExitRecovery], 0));
}

/// RFC 5682 section 3.1, step 2b: after the first ACK new data leave; step 3a: a duplicate ACK proves the loss.
#[test]
fn f_rto_decides_by_the_ack_after_new_data() {
    for (sacked, stamped) in [(Some((11, 12)), 600), (None, 600)] {
        let mut script = one_timeout(undoing(true));
        script.policy().cwnd = 2.0;
        script.now = at(600);
        script.ack_of(1, None, at(502));
        assert_eq!(script.send(), [11, 12], "new data, though 1 to 9 count as lost");
        script.now = at(700);
        script.ack_of(1, sacked, at(stamped));
        script.policy().cwnd = 3.0;
        script.sender.on_wakeup(script.now, &script.mechanism);
        assert_eq!((script.send_one(), events(&script)), (Some(1), vec![Rto]));
    }
    // Without F-RTO the oldest is repaired.
    let mut script = one_timeout(undoing(false));
    script.now = at(600);
    script.ack_of(1, None, at(502));
    assert_eq!(script.send(), [1]);
}

/// RFC 5682 section 3.1, step 3b, and RFC 4138 appendix B: an ACK or a SACK of what was not sent again.
#[test]
fn f_rto_takes_a_timeout_back_by_an_original() {
    for (seg_ack, sacked, undone) in [
        (0, Some((5, 6)), true),
        (2, None, true),
        // Of the retransmission, and of a segment that left after the timeout.
        (1, None, false),
    ] {
        let mut script = one_timeout(undoing(true));
        script.now = at(600);
        // The echo is the retransmission's, so that only the segment is evidence.
        script.ack_of(seg_ack, sacked, at(502));
        assert_eq!(script.policy().undone.len(), usize::from(undone), "{seg_ack} {sacked:?}");
    }
    let mut script = one_timeout(undoing(false));
    script.now = at(600);
    script.ack_of(2, None, at(502));
    assert_eq!(script.policy().undone.len(), 0, "without F-RTO");
}

/// RFC 5682 section 3.1, step 1: not for a timeout within another recovery; one that is repeated begins anew.
#[test]
fn f_rto_is_for_timeouts_that_nothing_came_before() {
    let after = |script: &mut Script| {
        let resent = script.now;
        script.now += RTT;
        script.ack_of(script.sender.seq.snd_una + 1, None, resent);
        script.send_one()
    };
    let mut script = one_repair(undoing(true));
    script.expire();
    script.send_one();
    assert!(after(&mut script).is_some_and(|segment| segment < 10), "in fast recovery before");
    let mut script = one_timeout(undoing(true));
    script.expire();
    script.send();
    assert_eq!(after(&mut script), Some(11), "repeated");
    let mut script = one_timeout(undoing(true));
    assert_eq!(after(&mut script), Some(11));
    script.expire();
    script.send();
    assert!(after(&mut script).is_some_and(|segment| segment < 10), "with progress, in a recovery");
}

/// RFC 5682 section 3.1, step 2a: all that was outstanding is acknowledged, and new data are nothing special.
#[test]
fn f_rto_ends_with_everything_acknowledged() {
    let mut script = one_timeout(undoing(true));
    script.now = at(600);
    script.ack_of(11, None, at(502));
    assert_eq!(script.sender.recovery_state(), RecoveryState::Open);
    assert_eq!(script.send_one(), Some(11));
}
