//! Timers of the sending end, and the phases of recovery that losses and timers begin.

use congestion::{CongestionEvent, Ecn, Time};

use super::Sender;
use crate::measure::counters::Counters;
use crate::tcp::linux::enter_loss::EnterLoss;
use crate::tcp::loss::Rack;
use crate::tcp::mechanism::Mechanism;
use crate::tcp::prr::Reduction;
use crate::tcp::recovery::{LossResponse, RecoveryState, TimeoutRule};
use crate::tcp::round::Round;

impl Sender {
    /// Earliest expiry of the timers of this end; [`Time::NEVER`] if none is running.
    #[must_use]
    #[inline]
    pub fn deadline(&self) -> Time {
        self.loss.deadline().min(self.rto_at)
    }

    /// Serve the timers that have expired at `now`.
    pub fn on_timer(&mut self, now: Time, mechanism: &Mechanism, counters: &mut Counters) {
        if self.loss.packets().is_some() {
            return self.on_loss_detection_timeout(now, mechanism, counters);
        }
        if self.loss.deadline() <= now {
            self.on_loss_timer(now, mechanism, counters);
        }
        if self.rto_at <= now {
            self.on_rto(now, mechanism, counters);
        }
    }

    /// Reordering timer or probe timeout of RACK-TLP (RFC 8985 sections 6.2 and 7.3).
    fn on_loss_timer(&mut self, now: Time, mechanism: &Mechanism, counters: &mut Counters) {
        let prior_pipe = self.pipe();
        let (loss, view) = self.loss_and_view(now, mechanism);
        let outcome = loss.on_timer(&view);
        if outcome.probe_due {
            self.recovery.send_one_despite_cwnd = true;
            self.rto_at = now + self.rtt.rto();
        }
        self.tell_changes(now, mechanism);
        if let Some(lost) = outcome.lost {
            self.loss.defer_lost(lost);
            self.respond_to_loss(0, self.pipe() < prior_pipe, now, mechanism, counters);
        }
    }

    /// Retransmission timer. RFC 6298 sections 5.4 to 5.6: retransmit the earliest segment, back off, and "start the
    /// retransmission timer, such that it expires after RTO seconds (for the value of RTO after the doubling
    /// operation outlined in 5.5)".
    /// <https://www.rfc-editor.org/rfc/rfc6298#section-5>
    fn on_rto(&mut self, now: Time, mechanism: &Mechanism, counters: &mut Counters) {
        counters.timeouts += 1;
        self.rtt.back_off(&mechanism.rto);
        self.enter_rto_recovery(now, mechanism);
    }

    /// Begin the recovery that the mechanism has for losses, if there are any and none is being recovered from;
    /// `delivered` is what the ACK at hand delivers. `of_retransmission`: a retransmission is among what is lost.
    #[inline]
    pub(super) fn respond_to_loss(
        &mut self,
        delivered: u32,
        of_retransmission: bool,
        now: Time,
        mechanism: &Mechanism,
        counters: &mut Counters,
    ) {
        if self.recovery.begins_at_loss(of_retransmission, mechanism.response, mechanism.timeout_rule)
            && self.loss.has_lost(&self.seq)
        {
            self.begin_recovery(delivered, now, mechanism, counters);
        }
    }

    /// Tell of the end of a recovery, and begin another one if segments that were sent during it are lost. They may be
    /// in flight again already: Linux (`tcp_fastretrans_alert`, `tcp_time_to_recover`) asks for `lost_out`, which counts
    /// them until they are delivered. With RACK alone: RFC 6675 begins a recovery at a loss that is not repaired yet.
    #[cold]
    pub(super) fn on_recovery_exit(
        &mut self,
        delivered: u32,
        now: Time,
        mechanism: &Mechanism,
        counters: &mut Counters,
    ) {
        self.loss.on_recovery_exit();
        self.notify_congestion(CongestionEvent::ExitRecovery, now, mechanism);
        if self.loss.rack().is_some_and(Rack::is_repairing) {
            self.begin_recovery(delivered, now, mechanism, counters);
        }
    }

    #[cold]
    fn begin_recovery(&mut self, delivered: u32, now: Time, mechanism: &Mechanism, counters: &mut Counters) {
        counters.recoveries += 1;
        match mechanism.response {
            LossResponse::FastRecovery | LossResponse::ImpatientRecovery => {
                self.enter_fast_recovery(delivered, now, mechanism);
            }
            LossResponse::Tahoe => self.enter_rto_recovery(now, mechanism),
        }
    }

    fn enter_fast_recovery(&mut self, delivered: u32, now: Time, mechanism: &Mechanism) {
        self.recovery.enter_fast_recovery(self.seq.snd_nxt);
        let is_answered = self.ecn.on_loss(&self.seq) && !self.is_led();
        self.loss.on_fast_recovery(&self.seq);
        if mechanism.rto.restarts_in_recovery() {
            self.rto_at = now + self.rtt.rto();
        }
        self.note_fast_recovery(mechanism.smss);
        let (snd_nxt, agreed) = (self.seq.snd_nxt, self.ecn.agreed());
        // DCTCP halves its window nevertheless (`dctcp_react_to_loss`).
        let goes_on = agreed != Ecn::Dctcp
            && (self.prr_mut().is_some_and(|prr| prr.goes_on(mechanism.prr, snd_nxt)) || is_answered);
        if goes_on {
            return;
        }
        self.finish_reduction();
        let prior_cwnd = self.control.cwnd;
        self.notify_congestion(CongestionEvent::EnterRecovery, now, mechanism);
        self.begin_reduction(prior_cwnd, delivered, mechanism);
    }

    /// The controller leads through recoveries itself, or sets the rate.
    fn is_led(&self) -> bool {
        let algorithm = &self.control.algorithm;
        algorithm.needs().owns_recovery || algorithm.decision().pacing_rate.is_some()
    }

    /// Begin to reduce the window from `prior_cwnd` to the controller's, if there is a rule for it; `delivered` is what
    /// the ACK at hand delivers. RFC 9937 section 6: "`RecoverFS` = snd.nxt - snd.una", less what was SACKed before, with
    /// what the ACK acknowledges.
    /// <https://www.rfc-editor.org/rfc/rfc9937#section-6>
    pub(super) fn begin_reduction(&mut self, prior_cwnd: u32, delivered: u32, mechanism: &Mechanism) {
        if !mechanism.prr.is_on() || self.is_led() {
            return;
        }
        let seq = &self.seq;
        let sacked = self.loss.scoreboard().map_or(0, |s| s.count_within(seq.snd_una, seq.snd_nxt));
        let reduction = Reduction {
            prior_cwnd,
            flight: seq.flight_size() - sacked + delivered,
            ssthresh: self.control.cwnd,
            pipe: self.pipe(),
            snd_nxt: seq.snd_nxt,
            is_mark: self.recovery.is_open(),
        };
        if let Some(prr) = self.prr_mut() {
            prr.begin(mechanism.prr, &reduction);
            self.apply_decision(mechanism);
        }
    }

    /// Begin anew at the oldest segment, in slow start: after a timeout, and in Tahoe after any loss.
    pub(super) fn enter_rto_recovery(&mut self, now: Time, mechanism: &Mechanism) {
        self.rto_at = now + self.rtt.rto();
        self.loss.on_rto(&self.seq, now);
        self.tell_changes(now, mechanism);
        self.note_timeout(mechanism);
        let reduced =
            self.is_reducing() || matches!(self.recovery.state(), RecoveryState::FastRecovery { .. });
        let is_linux = mechanism.timeout_rule == TimeoutRule::Linux;
        let enter_loss = is_linux.then(|| EnterLoss::begin(&self.control, reduced));
        self.finish_reduction();
        self.recovery.enter_rto_recovery(self.seq.snd_nxt);
        self.ecn.on_loss(&self.seq);
        self.round = Round::starting(self.seq.snd_nxt);
        self.notify_congestion(CongestionEvent::Rto, now, mechanism);
        let pipe = self.pipe();
        if enter_loss.is_some_and(|form| form.finish(&mut self.control, pipe, mechanism.smss)) {
            self.apply_decision(mechanism);
        }
    }
}
