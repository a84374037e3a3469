//! Loss recovery: the phase of a sender, and when it may change.
//!
//! State that lasts for one recovery belongs into the variant of its phase; state that outlives it, into [`Recovery`].

/// Response to a loss that is detected before the retransmission timer expires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossResponse {
    /// Fast recovery (RFC 6675, RFC 8985), with the timer reset by each ACK of new data (RFC 6298 section 5.3).
    #[default]
    FastRecovery,
    /// Fast recovery whose timer the first partial ACK resets, and no further one (RFC 6582 section 3.2, step 3).
    ImpatientRecovery,
    /// No fast recovery: slow start from the oldest segment, as after a timeout (K. Fall, S. Floyd,
    /// *Simulation-based Comparisons of Tahoe, Reno, and SACK TCP*, CCR 26(3), 1996, section 2.1).
    Tahoe,
}

/// Window and threshold at a retransmission timeout, and growth after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeoutRule {
    /// The restart window; the threshold goes down, in a recovery once more (RFC 5681 sections 3.1 and 4.3). An ACK opens
    /// the window by a segment at most until all is repaired (RFC 3465 section 2.3).
    #[default]
    Rfc5681,
    /// One segment more than is in flight, and one reduction per episode (Linux, `tcp_enter_loss`). An ACK opens the window
    /// by all that it delivers (`tcp_slow_start`). A retransmission that is lost begins fast recovery, and so does any loss
    /// that RACK's timer finds (`tcp_fastretrans_alert`, `tcp_rack_reo_timeout`).
    Linux,
}

/// Phase of a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryState {
    /// No loss to recover from.
    Open,
    /// Fast recovery (RFC 6582 section 3.2, RFC 6675 section 5).
    FastRecovery {
        /// SND.NXT when it began, one past RecoveryPoint: acknowledged, it ends the phase.
        recovery_point: u32,
    },
    /// Slow start after a retransmission timeout, or after any loss in Tahoe.
    RtoRecovery {
        /// SND.NXT when it began, one past RecoveryPoint: acknowledged, it ends the phase.
        recovery_point: u32,
    },
}

impl RecoveryState {
    /// Transitions that the RFCs and Linux know. RFC 6675 section 5.1: "A new recovery phase (as described in Section 5)
    /// MUST NOT be initiated until HighACK is greater than or equal to the new value of RecoveryPoint." In Linux one
    /// begins before where a retransmission is lost ([`TimeoutRule::Linux`]).
    /// <https://www.rfc-editor.org/rfc/rfc6675#section-5.1>
    fn may_become(self, next: Self) -> bool {
        match next {
            Self::Open => self != Self::Open,
            Self::FastRecovery { .. } => !matches!(self, Self::FastRecovery { .. }),
            Self::RtoRecovery { .. } => true,
        }
    }
}

/// Progress of loss recovery.
#[derive(Clone, Copy, Debug)]
pub struct Recovery {
    state: RecoveryState,
    /// The next segment leaves even if the pipe fills the window: the first retransmission of a recovery, or a
    /// tail loss probe.
    pub send_one_despite_cwnd: bool,
    /// Congestion was indicated since the connection began, by a loss or an echoed mark.
    pub congestion_seen: bool,
    /// A partial ACK has come since fast recovery began.
    has_partial_ack: bool,
}

impl Default for Recovery {
    fn default() -> Self {
        Self {
            state: RecoveryState::Open,
            send_one_despite_cwnd: false,
            congestion_seen: false,
            has_partial_ack: false,
        }
    }
}

impl Recovery {
    /// Current phase.
    #[must_use]
    #[inline]
    pub fn state(&self) -> RecoveryState {
        self.state
    }

    /// Returns true if no recovery is under way.
    #[must_use]
    #[inline]
    pub fn is_open(&self) -> bool {
        self.state == RecoveryState::Open
    }

    /// Phase after a timeout, or after any loss in Tahoe.
    #[must_use]
    #[inline]
    pub fn is_rto_recovery(&self) -> bool {
        matches!(self.state, RecoveryState::RtoRecovery { .. })
    }

    /// Returns true if a loss begins a recovery now. That of a retransmission does after a timeout, too, in Linux and in
    /// Tahoe of 1988.
    #[must_use]
    #[inline]
    pub fn begins_at_loss(
        &self,
        of_retransmission: bool,
        response: LossResponse,
        timeout: TimeoutRule,
    ) -> bool {
        let gives_way = || timeout == TimeoutRule::Linux || response == LossResponse::Tahoe;
        self.is_open() || of_retransmission && self.is_rto_recovery() && gives_way()
    }

    /// Begin fast recovery. RFC 6675 section 5, step 4.1: "RecoveryPoint = HighData", and step 4.3: "Retransmit the
    /// first data segment presumed dropped", whatever the window.
    /// <https://www.rfc-editor.org/rfc/rfc6675#section-5>
    pub fn enter_fast_recovery(&mut self, snd_nxt: u32) {
        self.transition_to(RecoveryState::FastRecovery { recovery_point: snd_nxt });
        self.has_partial_ack = false;
        self.congestion_seen = true;
        self.send_one_despite_cwnd = true;
    }

    /// Begin anew at the oldest segment. RFC 6675 section 5.1: "If an RTO occurs during loss recovery as specified in
    /// this document, RecoveryPoint MUST be set to HighData." The oldest segment leaves even if segments that RACK
    /// spares fill the window.
    /// <https://www.rfc-editor.org/rfc/rfc6675#section-5.1>
    pub fn enter_rto_recovery(&mut self, snd_nxt: u32) {
        self.transition_to(RecoveryState::RtoRecovery { recovery_point: snd_nxt });
        self.congestion_seen = true;
        self.send_one_despite_cwnd = true;
    }

    /// Reset of the retransmission timer by an ACK that moves SND.UNA to `snd_una`. RFC 6582 section 3.2, step 3: "For the
    /// first partial ACK that arrives during fast recovery, also reset the retransmit timer." Further ones let it go on,
    /// so that it ends a recovery with more holes than it has round trips: the variant that RFC 3782 section 4 calls
    /// Impatient.
    /// <https://www.rfc-editor.org/rfc/rfc3782#section-4>
    #[inline]
    pub fn resets_timer(&mut self, snd_una: u32, response: LossResponse) -> bool {
        match self.state {
            RecoveryState::FastRecovery { recovery_point }
                if response == LossResponse::ImpatientRecovery && snd_una < recovery_point =>
            {
                !std::mem::replace(&mut self.has_partial_ack, true)
            }
            _ => true,
        }
    }

    /// End the phase if `snd_una` has reached its recovery point; true if it has. RFC 6675 section 5, step A: "An
    /// incoming cumulative ACK for a sequence number greater than RecoveryPoint signals the end of loss recovery".
    /// <https://www.rfc-editor.org/rfc/rfc6675#section-5>
    #[inline]
    pub fn exit_if_over(&mut self, snd_una: u32) -> bool {
        match self.state {
            RecoveryState::FastRecovery { recovery_point }
            | RecoveryState::RtoRecovery { recovery_point }
                if snd_una >= recovery_point =>
            {
                self.transition_to(RecoveryState::Open);
                true
            }
            _ => false,
        }
    }

    /// End the phase at once, as nothing was lost; true if there was one.
    pub fn reopen(&mut self) -> bool {
        self.send_one_despite_cwnd = false;
        let was_repairing = !self.is_open();
        if was_repairing {
            self.transition_to(RecoveryState::Open);
        }
        was_repairing
    }

    fn transition_to(&mut self, next: RecoveryState) {
        debug_assert!(self.state.may_become(next), "{:?} does not become {next:?}", self.state);
        self.state = next;
    }
}

#[cfg(test)]
mod tests {
    use super::RecoveryState::{FastRecovery, Open, RtoRecovery};
    use super::*;

    #[test]
    fn recovery_ends_when_its_point_is_acknowledged() {
        let mut recovery = Recovery::default();
        recovery.enter_fast_recovery(20);
        assert!(!recovery.exit_if_over(19));
        assert_eq!(recovery.state(), FastRecovery { recovery_point: 20 });
        assert!(recovery.exit_if_over(20));
        assert!(recovery.is_open() && !recovery.exit_if_over(20));
    }

    /// RFC 6582 section 3.2, step 3: the first partial ACK resets the timer, no further one does, and an ACK of all that was
    /// outstanding does again. Slow-but-Steady (RFC 3782 section 4) resets it with each.
    #[test]
    fn only_the_first_partial_ack_resets_the_timer() {
        for (response, further) in
            [(LossResponse::ImpatientRecovery, false), (LossResponse::FastRecovery, true)]
        {
            let mut recovery = Recovery::default();
            for point in [10, 20] {
                assert!(recovery.resets_timer(point - 8, response), "no recovery");
                recovery.enter_fast_recovery(point);
                let resets = [6, 5, 2, 0].map(|left| recovery.resets_timer(point - left, response));
                assert_eq!(resets, [true, further, further, true], "{response:?}");
                assert!(recovery.exit_if_over(point));
            }
            recovery.enter_rto_recovery(30);
            assert!([22, 24].map(|una| recovery.resets_timer(una, response)) == [true; 2], "after a timeout");
        }
    }

    /// RFC 6675 section 5.1: a timeout ends fast recovery and sets a new RecoveryPoint.
    #[test]
    fn a_timeout_replaces_fast_recovery() {
        let mut recovery = Recovery::default();
        recovery.enter_fast_recovery(20);
        recovery.enter_rto_recovery(25);
        assert_eq!(recovery.state(), RtoRecovery { recovery_point: 25 });
        assert!(!recovery.exit_if_over(20) && recovery.exit_if_over(25));
    }

    /// RFC 6675 section 5.1, and Linux, `tcp_fastretrans_alert`: `FLAG_LOST_RETRANS` leads from a timeout to fast recovery.
    #[test]
    fn transitions_that_nobody_knows_are_none() {
        let (fast, rto) = (FastRecovery { recovery_point: 1 }, RtoRecovery { recovery_point: 2 });
        let legal = |from: RecoveryState| [Open, fast, rto].map(|next| from.may_become(next));
        assert_eq!(legal(Open), [false, true, true]);
        assert_eq!(legal(fast), [true, false, true]);
        assert_eq!(legal(rto), [true, true, true]);
    }
}
