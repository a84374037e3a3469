//! RACK and TLP in one (RFC 8985): the scoreboard tells RACK what is delivered, and TLP what is SACKed.

use congestion::Time;

use super::rack::Rack;
use super::reo_wnd::ReoWndRule;
use super::tlp::Tlp;
use super::{Ack, AckOutcome, TimerOutcome, Transmission, TransmissionKind, View, recycle};
use crate::tcp::ranges::{Pool, Ranges};
use crate::tcp::recovery::RecoveryState;
use crate::tcp::sequence::SequenceSpace;

/// State of loss detection by time.
#[derive(Clone, Debug, Default)]
pub struct RackTlp {
    pub(super) rack: Rack,
    pub(super) tlp: Tlp,
    /// SACKed segments above SND.UNA; none held while there are none.
    pub(super) scoreboard: Option<Box<Ranges>>,
    /// Segments declared lost and not yet reported to the controller.
    pub(super) deferred_lost: u32,
}

impl RackTlp {
    pub(super) fn on_ack(&mut self, ack: &Ack<'_>, view: &View<'_>, pool: &mut Pool) -> AckOutcome {
        if view.options.reo_wnd == ReoWndRule::Adaptive {
            // A probe is sent on suspicion only: its duplicate says nothing about the window (Linux, `tcp_dsack_seen`).
            let is_dsack = ack.packet.kind.is_dsack() && !self.tlp.is_retransmission_out();
            self.rack.reo_wnd.on_ack(is_dsack, view.seq.snd_una, view.seq.snd_nxt);
        }
        self.rack.last_rtt = None;
        let delivered = self.update(ack, view, pool);
        let lost = self.detect_loss(view);
        recycle(&mut self.scoreboard, pool);
        AckOutcome {
            delivered,
            lost,
            lost_retransmission: self.rack.has_lost_retransmission,
            last_rtt: self.rack.last_rtt,
            probe_cancelled: delivered > 0 && self.tlp.cancel(),
            // In recovery the controller knows of the loss already.
            probe_repaired: self.tlp.process_ack(ack) && view.state == RecoveryState::Open,
        }
    }

    /// Record an ACK; the number of segments newly delivered (section 6.2, steps 2 and 3).
    fn update(&mut self, ack: &Ack<'_>, view: &View<'_>, pool: &mut Pool) -> u32 {
        let mut delivered = 0;
        let (seg_ack, sent) = (ack.packet.seq, view.send_time.of(ack.packet.stamp, view.now));
        if seg_ack > ack.prior_una {
            let sacked = self.scoreboard.as_mut().map_or(0, |scoreboard| scoreboard.remove_below(seg_ack));
            delivered += seg_ack - ack.prior_una - sacked;
            self.rack.acknowledge(seg_ack, sent, view.now);
        }
        if let Some((start, end)) = ack.packet.sack_block()
            && end > view.seq.snd_una
        {
            let start = start.max(view.seq.snd_una);
            let scoreboard = self.scoreboard.get_or_insert_with(|| pool.pop().unwrap_or_default());
            let mut from = start;
            while let Some(segment) = scoreboard.first_hole(from, end) {
                self.rack.update(segment, sent, view.now);
                from = segment + 1;
            }
            delivered += scoreboard.insert(start, end, 0).0;
        }
        delivered
    }

    /// Find the segments that are lost; the number of those, and of those deferred (section 6.2, steps 4 and 5).
    fn detect_loss(&mut self, view: &View<'_>) -> u32 {
        let segs_sacked = self.scoreboard.as_ref().map_or(0, |scoreboard| scoreboard.count());
        let in_recovery = view.state != RecoveryState::Open;
        let at_dup_thresh = segs_sacked >= view.options.dup_thresh;
        let reo_wnd = self.rack.update_reo_wnd(in_recovery || at_dup_thresh, view.rtt);
        let lost = self.rack.detect_loss(view.now, reo_wnd);
        self.rack.delay_timer(view.rto.timer_margin());
        lost + std::mem::take(&mut self.deferred_lost)
    }

    /// Lowest lost segment. It takes the place of a probe that is due.
    pub(super) fn next_lost(&mut self) -> Option<u32> {
        let lost = self.rack.next_lost()?;
        self.tlp.cancel();
        Some(lost)
    }

    /// Last segment, if a probe is due (section 7.3).
    pub(super) fn next_unsacked(&mut self, seq: &SequenceSpace) -> Option<Transmission> {
        if !self.tlp.is_due() {
            return None;
        }
        if seq.flight_size() == 0 {
            self.tlp.cancel();
            return None;
        }
        Some(Transmission { segment: seq.snd_nxt - 1, kind: TransmissionKind::Probe })
    }

    /// Note that a segment leaves; true if the retransmission timer starts anew with it. Section 7.3: "After attempting
    /// to send a loss probe, regardless of whether a loss probe was sent, the sender MUST re-arm the RTO timer". In
    /// Linux it starts anew, too, when the oldest segment is retransmitted.
    /// <https://www.rfc-editor.org/rfc/rfc8985#section-7.3>
    pub(super) fn on_sent(&mut self, sent: Transmission, seq: &SequenceSpace, now: Time) -> bool {
        self.rack.on_sent(sent.segment, now);
        let is_probe = self.tlp.on_sent(seq.snd_nxt, sent.is_retransmission());
        is_probe || (sent.is_retransmission() && sent.segment == seq.snd_una)
    }

    pub(super) fn schedule_probe(&mut self, view: &View<'_>, rto_at: Time) {
        let none_sacked = self.scoreboard.as_ref().is_none_or(|scoreboard| scoreboard.is_empty());
        self.tlp.schedule(view.state == RecoveryState::Open && none_sacked, view, rto_at);
    }

    pub(super) fn deadline(&self) -> Time {
        self.rack.deadline().min(self.tlp.deadline())
    }

    pub(super) fn on_timer(&mut self, view: &View<'_>) -> TimerOutcome {
        let probe_due = self.tlp.on_timer(view.now);
        let lost = (self.rack.deadline() <= view.now).then(|| self.detect_loss(view));
        TimerOutcome { lost, probe_due }
    }

    pub(super) fn on_rto(&mut self, now: Time) {
        self.rack.mark_losses_on_rto(now);
        self.tlp.init();
        self.deferred_lost = 0;
    }
}
