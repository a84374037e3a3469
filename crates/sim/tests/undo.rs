//! Spurious recoveries and timeouts: what they led to is taken back, and nothing else is.

use std::sync::{Arc, Mutex};

use congestion::{
    AckSample, CongestionControl, CongestionEvent, Decision, Duration, Flow, Phase, Prior, Time,
};
use proptest::prelude::*;
use sim::net::packet::{Kind, Packet, Report};
use sim::spec::{PrrRule, ReoWndRule, Transport, UndoRule};
use sim::tcp::recovery::RecoveryState;

use crate::delivery::fates;
use crate::scripts::{Script, linux};
use crate::support::RACK;
use crate::wire::{Fates, MS, Wire, control, transport};

fn undoing() -> Transport {
    Transport { undo: UndoRule::Linux, ecn: false, restart_window: 1.0, ..linux() }
}

fn script(segments: u32) -> Script {
    Script::with(&undoing(), segments, 100)
}

/// ACK of everything up to `last`, of a segment sent at `stamped`; `duplicate` says that it had arrived before.
fn ack(script: &mut Script, last: u32, stamped: Time, duplicate: bool) -> Vec<u32> {
    let kind = if duplicate { Kind::AckOfDuplicate } else { Kind::Ack };
    let packet = Packet { seq: last, kind, ..Packet::default() };
    script.take_in(packet.reporting(Report::arrival(0), false), stamped);
    script.send()
}

fn start() -> Time {
    Time::ZERO
}

/// The threshold is that of a loss at 10 segments; there was none before.
fn is_reduced(script: &Script) -> bool {
    let ssthresh = script.sender.control.algorithm.ssthresh().expect("CUBIC has a threshold");
    assert!(ssthresh == f64::INFINITY || (7000.0..7010.0).contains(&ssthresh), "{ssthresh}");
    ssthresh < f64::INFINITY
}

/// Segments 2, 3 and 4 arrive, and the first is sent again, though it is only late.
fn late_first(script: &mut Script) {
    script.wait(100);
    for last in 2..=4 {
        script.ack(0, Some((2, last)), last);
    }
    assert!(matches!(script.sender.recovery_state(), RecoveryState::FastRecovery { .. }));
    assert!(is_reduced(script));
}

/// RFC 3522 section 3.2: the echo is older than the retransmission; RFC 4015: the window is what it was. The ACK, of one
/// segment that was not SACKed, opens it as any other.
#[test]
fn a_late_original_takes_a_fast_retransmission_back() {
    for (rule, expected) in [(UndoRule::Linux, 11), (UndoRule::None, 9)] {
        let mut script = Script::with(&Transport { undo: rule, ..undoing() }, 100, 100);
        late_first(&mut script);
        script.wait(10);
        ack(&mut script, 4, start(), false);
        assert_eq!(script.cwnd(), expected, "{rule:?}");
        assert_eq!(script.sender.recovery_state() == RecoveryState::Open, rule == UndoRule::Linux);
        assert_eq!(
            script.sender.control.algorithm.ssthresh() == Some(f64::INFINITY),
            rule == UndoRule::Linux
        );
    }
}

/// The echo of the retransmission is no evidence.
#[test]
fn a_loss_that_was_one_stands() {
    let mut script = script(100);
    late_first(&mut script);
    let resent = script.now;
    script.wait(100);
    ack(&mut script, 12, resent, false);
    assert_eq!(script.cwnd(), 7);
    assert!(is_reduced(&script));
}

/// RFC 3708 section 3: the retransmission is reported to have arrived in duplicate, after recovery is over.
#[test]
fn a_duplicate_takes_the_reduction_back_later() {
    let mut script = script(100);
    late_first(&mut script);
    let resent = script.now;
    script.wait(100);
    // A window of ACKs was lost: one of the retransmission ends recovery.
    ack(&mut script, 12, resent, false);
    assert_eq!(script.cwnd(), 7);
    script.wait(1);
    ack(&mut script, 12, Time(resent.0 - MS), true);
    assert_eq!(script.cwnd(), 7, "not a duplicate of the retransmission");
    ack(&mut script, 12, resent, true);
    assert_eq!(script.cwnd(), 10);
    ack(&mut script, 12, resent, true);
    assert_eq!(script.cwnd(), 10, "once");
}

/// A delay of two seconds on a path without loss: the timer expires, and the first ACK of an original takes all of it back.
#[test]
fn a_delay_spike_costs_one_retransmission() {
    for (rule, retransmitted, cwnd) in [(UndoRule::Linux, 1, 20), (UndoRule::None, 11, 7)] {
        let mut script = Script::with(&Transport { undo: rule, ..undoing() }, 200, 100);
        script.wait(2);
        assert_eq!(script.expire(), [11], "a probe");
        assert_eq!(script.expire(), [1]);
        let resent = script.now;
        assert_eq!((script.cwnd(), script.counters.timeouts), (1, 1));
        script.now = resent + Duration(100 * MS);
        for last in 1..=10 {
            ack(&mut script, last, start(), false);
            script.wait(1);
        }
        assert_eq!((script.sender.counts.retransmitted, script.cwnd()), (retransmitted, cwnd), "{rule:?}");
    }
}

/// RFC 5682 section 3.1: two new segments follow the ACK of the retransmission; a SACK of them proves the loss.
#[test]
fn f_rto_sends_new_data_and_then_repairs() {
    for (with, expected) in [(true, vec![12, 13]), (false, vec![2, 3])] {
        let mut script = Script::with(&Transport { frto: with, ..undoing() }, 100, 100);
        assert_eq!(script.expire(), [11]);
        assert_eq!(script.expire(), [1]);
        let resent = script.now;
        script.wait(100);
        assert_eq!(ack(&mut script, 1, resent, false), expected);
        if with {
            script.wait(100);
            assert_eq!(script.ack(1, Some((12, 12)), 12), [2]);
            assert!(script.cwnd() <= 2);
        }
    }
}

/// RFC 5682 section 3.1, step 3b, as Linux has it: a SACK of data that were not retransmitted.
#[test]
fn f_rto_takes_a_timeout_back_by_a_sack_of_an_original() {
    let mut script = Script::with(&Transport { frto: true, ..undoing() }, 100, 100);
    script.expire();
    script.expire();
    assert_eq!(script.cwnd(), 1);
    script.wait(50);
    script.ack(0, Some((5, 5)), 5);
    assert_eq!(script.cwnd(), 10);
    assert_eq!(script.sender.recovery_state(), RecoveryState::Open);
}

/// RFC 3168: a mark says that there is congestion. Linux, `tcp_fastretrans_alert`.
#[test]
fn an_echo_of_a_mark_keeps_the_window_down() {
    let mut script = Script::with(&Transport { ecn: true, ..undoing() }, 100, 100);
    late_first(&mut script);
    script.wait(10);
    let echo = Packet { seq: 4, kind: Kind::Ack, ..Packet::default() };
    script.take_in(echo.reporting(Report::arrival(0), true), start());
    assert!(is_reduced(&script));
    assert!(script.cwnd() <= 7);
}

/// Controller that checks what it is told of undone reductions, and counts them.
#[derive(Debug)]
struct Guard {
    inner: Box<dyn CongestionControl>,
    /// Windows before reductions, none of them twice.
    priors: Vec<f64>,
    undone: Arc<Mutex<u32>>,
}

impl Guard {
    fn cwnd(&self) -> f64 {
        self.inner.decision().cwnd
    }
}

impl CongestionControl for Guard {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        self.inner.on_ack(ack, flow);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        if event != CongestionEvent::ExitRecovery {
            self.priors.push(self.cwnd());
        }
        self.inner.on_congestion(event, flow);
    }

    fn on_undo(&mut self, prior: &Prior, flow: &Flow) {
        let known = self.priors.iter().position(|&cwnd| cwnd.to_bits() == prior.cwnd.to_bits());
        self.priors.remove(known.expect("a window before a reduction that was not undone"));
        let most = self.cwnd().max(prior.cwnd);
        self.inner.on_undo(prior, flow);
        assert!(self.cwnd() <= most, "{} above {most}", self.cwnd());
        *self.undone.lock().expect("no test panics with it") += 1;
    }

    fn ssthresh(&self) -> Option<f64> {
        self.inner.ssthresh()
    }

    fn decision(&self) -> Decision {
        self.inner.decision()
    }

    fn phase(&self) -> Phase {
        self.inner.phase()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// Whatever the channel does, an undone reduction leads to the window before it, or to the larger one that is in
    /// force; and everything is delivered once, in order.
    #[test]
    fn undo_never_raises_a_window_above_what_it_was(
        limit in 1u32..200,
        (frto, adaptive, reduces, name) in (any::<bool>(), any::<bool>(), any::<bool>(), 0usize..4),
        data in fates(),
        acks in fates(),
    ) {
        let transport = Transport {
            undo: UndoRule::Linux,
            frto,
            reo_wnd: if adaptive { ReoWndRule::Adaptive } else { ReoWndRule::Fixed },
            prr: if reduces { PrrRule::Linux } else { PrrRule::None },
            ..transport(RACK, 10.0)
        };
        let inner = control(["reno", "cubic", "cubic:linux", "scalable"][name], &transport);
        let guard = Guard { inner, priors: Vec::new(), undone: Arc::default() };
        let mut wire = Wire::controlled(Box::new(guard), limit, &transport, data, acks);
        prop_assert!(wire.run(200_000), "not done: {:?}", wire.sender);
        prop_assert_eq!(wire.receiver.next, limit);
        prop_assert_eq!(wire.sender.counts.delivered, limit);
    }
}

/// The property above is about something: a channel that delays ten segments of a hundred, for longer than the timeout.
#[test]
fn delays_are_undone() {
    let transport = Transport { undo: UndoRule::Linux, frto: true, ..transport(RACK, 10.0) };
    let undone = Arc::default();
    let inner = control("reno", &transport);
    let guard = Guard { inner, priors: Vec::new(), undone: Arc::clone(&undone) };
    let data = Fates::new([vec![Some(50); 20], vec![Some(3000); 100]].concat(), 50);
    let mut wire = Wire::controlled(Box::new(guard), 200, &transport, data, Fates::new(Vec::new(), 50));
    assert!(wire.run(200_000));
    assert!(*undone.lock().expect("no test panics with it") > 0);
}
