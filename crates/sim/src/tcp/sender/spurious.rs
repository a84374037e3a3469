//! Retransmissions that were for nothing: finding them, and taking back what they led to.

use congestion::{CongestionEvent, Prior, Time};

use super::Sender;
use crate::net::packet::Packet;
use crate::tcp::linux::frto::{Frto, FrtoAck};
use crate::tcp::linux::undo::{Undo, UndoOptions, UndoRule};
use crate::tcp::linux::window_use::remembered;
use crate::tcp::loss::Rack;
use crate::tcp::mechanism::Mechanism;
use crate::tcp::recovery::RecoveryState;

/// State of a sender that looks for spurious retransmissions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spurious {
    pub undo: Undo,
    pub frto: Frto,
}

/// ACK that has been taken in.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpuriousAck<'a> {
    pub packet: &'a Packet,
    /// SND.UNA has moved.
    pub advanced: bool,
    /// F-RTO: it is of data that were not retransmitted after the timeout.
    pub of_original: bool,
    /// It echoes a mark.
    pub congestion: bool,
}

impl Spurious {
    pub fn new(options: UndoOptions) -> Option<Self> {
        (options.rule != UndoRule::None).then(Self::default)
    }
}

impl Sender {
    /// Find out, while F-RTO runs, if an ACK that is to be taken in is of data that were outstanding at the timeout and
    /// not retransmitted. RFC 4138 appendix B: "in order to declare timeout spurious, the TCP sender must receive an
    /// acknowledgment for non-retransmitted segment between SND.UNA and `RecoveryPoint`".
    /// <https://www.rfc-editor.org/rfc/rfc5682#section-3.1>
    #[cold]
    pub(super) fn is_of_original(&self, packet: &Packet, prior_una: u32) -> bool {
        let RecoveryState::RtoRecovery { recovery_point } = self.recovery.state() else { return false };
        let runs = self.spurious().is_some_and(|spurious| spurious.frto.is_running());
        let Some(rack) = self.loss.rack() else { return false };
        let sacked = packet.sack_block().unwrap_or_default();
        runs && [(prior_una, packet.seq), sacked]
            .into_iter()
            .any(|(start, end)| rack.awaits_original(start.max(prior_una), end.min(recovery_point)))
    }

    /// Returns true if the ACK may show that the last reduction was spurious. While
    /// nothing is being repaired, only marks and reports of duplicates have one: the report that completes them is acted
    /// upon at once.
    #[inline]
    pub(super) fn concerns_undo(&self, repairs: bool, ack: &SpuriousAck<'_>) -> bool {
        let concerns = repairs || ack.congestion || ack.packet.kind.is_dsack();
        debug_assert!(concerns || !self.spurious().is_some_and(|spurious| spurious.undo.all_duplicate()));
        concerns
    }

    /// Take back the latest reduction if an ACK, which has been taken in, says that it answered no loss; `true` if
    /// segments taken for lost are not any more.
    #[cold]
    pub(super) fn undo_if_spurious(
        &mut self,
        ack: &SpuriousAck<'_>,
        now: Time,
        mechanism: &Mechanism,
    ) -> bool {
        let SpuriousAck { packet, advanced, of_original, congestion } = *ack;
        let (state, snd_una) = (self.recovery.state(), self.seq.snd_una);
        let sent = self.send_time.of(packet.stamp, now);
        let Some(Spurious { undo, .. }) = self.spurious_mut() else { return false };
        if packet.kind.is_dsack() {
            undo.on_duplicate(sent);
        }
        if congestion {
            undo.keep_window();
        }
        undo.has_progressed |= advanced;
        let duplicated = undo.all_duplicate();
        let late = undo.is_armed() && advanced && undo.is_of_original(sent);
        let (spurious, unmarks) = match state {
            // Linux, `tcp_try_undo_dsack`.
            RecoveryState::Open => (duplicated, false),
            // `tcp_try_undo_partial`, `tcp_try_undo_recovery`.
            RecoveryState::FastRecovery { recovery_point } => {
                let is_over = snd_una >= recovery_point;
                let hole_was_late =
                    late && (is_over || !self.loss.rack().is_some_and(Rack::is_retransmission_out));
                (duplicated || hole_was_late, late && !is_over)
            }
            // `tcp_try_undo_loss`.
            RecoveryState::RtoRecovery { .. } => (of_original || advanced && (late || duplicated), true),
        };
        if spurious {
            self.undo(unmarks, now, mechanism);
        } else {
            self.follow_frto(packet, advanced, mechanism);
        }
        spurious && unmarks
    }

    /// Return to the window before the latest reduction, and end the recovery; with `unmarks` nothing is lost any more.
    fn undo(&mut self, unmarks: bool, now: Time, mechanism: &Mechanism) {
        self.finish_reduction();
        if unmarks {
            self.loss.unmark_lost(now);
        }
        let prior = self.spurious_mut().and_then(|spurious| {
            spurious.frto = Frto::Off;
            spurious.undo.take()
        });
        if let Some(prior) = prior {
            let flow = self.flow(now, mechanism);
            self.control.algorithm.on_undo(&prior, &flow);
        }
        if self.recovery.reopen() {
            self.loss.on_recovery_exit();
            self.notify_congestion(CongestionEvent::ExitRecovery, now, mechanism);
        } else {
            self.apply_decision(mechanism);
        }
    }

    fn follow_frto(&mut self, packet: &Packet, advanced: bool, mechanism: &Mechanism) {
        let RecoveryState::RtoRecovery { recovery_point } = self.recovery.state() else { return };
        let ack = FrtoAck {
            advanced,
            is_full: self.seq.snd_una >= recovery_point,
            is_duplicate: !advanced || packet.sack_block().is_some(),
            snd_nxt: self.seq.snd_nxt,
            has_unsent: self.seq.has_unsent(mechanism.rwnd),
        };
        if let Some(spurious) = self.spurious_mut() {
            spurious.frto.on_ack(&ack);
        }
    }

    /// Note that fast recovery begins; to be called before the controller hears of it.
    pub(super) fn note_fast_recovery(&mut self, smss: u32) {
        if self.spurious().is_none() {
            return;
        }
        let prior = self.prior_window(smss);
        let out = self.loss.rack().and_then(Rack::retransmissions_out);
        if let Some(spurious) = self.spurious_mut() {
            spurious.undo.begin(prior, out);
        }
    }

    /// Note that the retransmission timer has expired and what is lost by that; to be called before the phase changes. Linux, `tcp_enter_loss`: a
    /// reduction counts once, so one within a recovery, or repeated without progress, goes with the earlier one.
    pub(super) fn note_timeout(&mut self, mechanism: &Mechanism) {
        if self.spurious().is_none() {
            return;
        }
        let state = self.recovery.state();
        let (prior, out) =
            (self.prior_window(mechanism.smss), self.loss.rack().and_then(Rack::retransmissions_out));
        let Some(Spurious { undo, frto }) = self.spurious_mut() else { return };
        let is_timeout = matches!(state, RecoveryState::RtoRecovery { .. });
        let is_new = state == RecoveryState::Open || is_timeout && undo.has_progressed;
        let is_repeated = is_timeout && !undo.has_progressed;
        if is_new {
            undo.begin(prior, out);
        }
        undo.has_progressed = false;
        *frto = Frto::begin(mechanism.undo.frto && (state == RecoveryState::Open || is_repeated));
    }

    /// Note that a retransmission leaves.
    #[inline]
    pub(super) fn note_retransmission(&mut self, now: Time) {
        if let Some(spurious) = self.spurious_mut() {
            spurious.undo.on_retransmission(now);
        }
    }

    /// Let the latest reduction stand: another one begins that is not taken back.
    pub(super) fn let_reduction_stand(&mut self) {
        if let Some(spurious) = self.spurious_mut() {
            spurious.undo.forget();
        }
    }

    /// Window before a reduction that begins now; none while one for a mark is under way. Linux,
    /// `tcp_current_ssthresh`: half the window and a quarter, in whole segments, if that is above the threshold.
    fn prior_window(&self, smss: u32) -> Option<Prior> {
        if self.is_reducing() {
            return None;
        }
        let window = self.control.cwnd;
        let three_quarters = f64::from(remembered(window)) * f64::from(smss);
        let ssthresh = self.control.algorithm.ssthresh().map(|ssthresh| ssthresh.max(three_quarters));
        Some(Prior { cwnd: self.control.algorithm.decision().cwnd, ssthresh })
    }

    #[inline]
    pub(super) fn spurious(&self) -> Option<&Spurious> {
        self.options.as_ref()?.spurious.as_ref()
    }

    #[inline]
    fn spurious_mut(&mut self) -> Option<&mut Spurious> {
        self.options.as_mut()?.spurious.as_mut()
    }
}
