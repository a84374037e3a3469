//! Choice of the next segment.

use congestion::Time;

use super::Sender;
use crate::tcp::loss::{Transmission, TransmissionKind};
use crate::tcp::mechanism::Mechanism;

impl Sender {
    /// Next segment to put on the network now, if the window allows one. RFC 6675 section 5, step C: "If cwnd - pipe >= 1
    /// SMSS, the sender SHOULD transmit one or more segments".
    /// <https://www.rfc-editor.org/rfc/rfc6675#section-5>
    pub fn next_segment(&mut self, mechanism: &Mechanism, now: Time) -> Option<Transmission> {
        let pipe = self.pipe();
        if !self.recovery.send_one_despite_cwnd && pipe >= self.control.cwnd {
            if mechanism.validation.is_on() {
                self.validate_full(mechanism, now);
            }
            return None;
        }
        if mechanism.pacing.tso && self.defers_burst(pipe, mechanism, now) {
            return None;
        }
        self.recovery.send_one_despite_cwnd = false;
        let flight_size = self.seq.flight_size();
        if flight_size == 0 && mechanism.validation.is_on() {
            self.validate_restart(now, mechanism);
        }
        let sent = self.next_seg(mechanism, now)?;
        self.counts.retransmitted += u64::from(sent.is_retransmission());
        if let Some(options) = &mut self.options {
            options.on_sent(sent, now, flight_size);
        }
        let restarts_rto = self.loss.on_sent(sent, &self.seq, now);
        // RFC 6298 section 5.1: "Every time a packet containing data is sent (including a retransmission), if the timer
        // is not running, start it running".
        if restarts_rto || self.rto_at == Time::NEVER {
            self.rto_at = now + self.rtt.rto();
        }
        self.pacer.on_sent(now);
        if mechanism.pacing.is_on() {
            self.pace_burst(pipe, now, mechanism);
        }
        if mechanism.validation.is_on() {
            self.validate_sent(sent.kind, pipe + 1, now);
        }
        match sent.kind {
            TransmissionKind::New => self.schedule_probe(now, mechanism),
            TransmissionKind::Retransmission => self.round.on_retransmission(sent.segment),
            TransmissionKind::Rescue => {}
        }
        Some(sent)
    }

    /// Segment to send, lost ones first. RFC 6675 section 4: "`NextSeg` () MUST return the sequence number range of the
    /// next segment that is to be transmitted"; rule 5 is that there is none.
    /// <https://www.rfc-editor.org/rfc/rfc6675#section-4>
    fn next_seg(&mut self, mechanism: &Mechanism, now: Time) -> Option<Transmission> {
        let new_first = self.spurious().is_some_and(|spurious| spurious.frto.sends_new())
            && self.seq.has_unsent(mechanism.rwnd);
        if !new_first && let Some(segment) = self.loss.next_lost(&self.seq) {
            return Some(Transmission { segment, kind: TransmissionKind::Retransmission });
        }
        // Rule 2: "there exists available unsent data and the receiver's advertised window allows".
        if self.seq.has_unsent(mechanism.rwnd) {
            return Some(Transmission { segment: self.seq.take_new(), kind: TransmissionKind::New });
        }
        if let Some(options) = &mut self.options
            && let Some(rate) = &mut options.rate
            && self.seq.snd_nxt >= self.seq.limit
        {
            rate.on_app_limited(self.seq.flight_size());
        }
        if mechanism.validation.is_on() && self.seq.snd_nxt >= self.seq.limit {
            self.validate_app_limited(now, mechanism);
        }
        self.loss.next_unsacked(&self.seq, self.recovery.state())
    }

    /// Schedule a tail loss probe where there is need for one (RFC 8985 section 7.2).
    #[inline]
    pub(super) fn schedule_probe(&mut self, now: Time, mechanism: &Mechanism) {
        let rto_at = self.rto_at;
        let (loss, view) = self.loss_and_view(now, mechanism);
        loss.schedule_probe(&view, rto_at);
    }
}
