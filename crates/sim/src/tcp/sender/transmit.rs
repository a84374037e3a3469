//! Choice of the next segment.

use congestion::Time;

use super::Sender;
use crate::tcp::loss::{Transmission, TransmissionKind};
use crate::tcp::mechanism::Mechanism;

/// Segments before one leaves.
#[derive(Clone, Copy, Debug)]
struct Before {
    /// In flight.
    pipe: u32,
    /// Outstanding.
    flight_size: u32,
}

impl Sender {
    /// `true` if the window lets a segment go, or one may go despite it.
    #[must_use]
    #[inline]
    pub fn has_window(&self) -> bool {
        self.window_allows(self.pipe())
    }

    #[inline]
    fn window_allows(&self, pipe: u32) -> bool {
        self.recovery.send_one_despite_cwnd || pipe < self.control.cwnd
    }

    /// Next segment to put on the network now, if the window allows one. RFC 6675 section 5, step C: "If cwnd - pipe >= 1
    /// SMSS, the sender SHOULD transmit one or more segments".
    /// <https://www.rfc-editor.org/rfc/rfc6675#section-5>
    pub fn next_segment(&mut self, mechanism: &Mechanism, now: Time) -> Option<Transmission> {
        let pipe = self.pipe();
        if !self.window_allows(pipe) {
            if self.needs_cwnd_full_mark(now) {
                self.note_full_window(mechanism, now);
            }
            return None;
        }
        let flight_size = self.seq.flight_size();
        if flight_size == 0 {
            self.restart(now, mechanism);
        }
        self.recovery.send_one_despite_cwnd = false;
        let sent = self.next_seg(mechanism, now)?;
        self.counts.retransmitted += u32::from(sent.is_retransmission());
        let restarts_rto = self.loss.on_sent(sent, &self.seq, now);
        // RFC 6298 section 5.1: "Every time a packet containing data is sent (including a retransmission), if the timer
        // is not running, start it running".
        if restarts_rto || self.rto_at == Time::NEVER {
            self.rto_at = now + self.rtt.rto();
        }
        if flight_size == 0 {
            self.send_time.on_first_sent(self.seq.snd_nxt, now);
        }
        self.pacer.on_sent(now);
        self.last_sent = now;
        if self.options.is_some() {
            self.note_sent(sent, Before { pipe, flight_size }, mechanism, now);
        }
        match sent.kind {
            TransmissionKind::New => self.schedule_probe(now, mechanism),
            TransmissionKind::Retransmission | TransmissionKind::Probe => {
                self.round.on_retransmission(sent.segment);
                self.note_retransmission(now);
            }
            TransmissionKind::Rescue => self.note_retransmission(now),
        }
        Some(sent)
    }

    /// Segment to send, lost ones first. RFC 6675 section 4: "`NextSeg` () MUST return the sequence number range of the
    /// next segment that is to be transmitted"; rule 5 is that there is none.
    /// <https://www.rfc-editor.org/rfc/rfc6675#section-4>
    fn next_seg(&mut self, mechanism: &Mechanism, now: Time) -> Option<Transmission> {
        let new_first = self.recovery.is_rto_recovery() && self.prefers_new(mechanism);
        if !new_first && let Some(segment) = self.loss.next_lost(&self.seq) {
            return Some(Transmission { segment, kind: TransmissionKind::Retransmission });
        }
        // Rule 2: "there exists available unsent data and the receiver's advertised window allows".
        if self.seq.has_unsent(mechanism.rwnd) {
            return Some(Transmission { segment: self.seq.take_new(), kind: TransmissionKind::New });
        }
        if self.options.is_some() && self.seq.snd_nxt >= self.seq.limit {
            self.note_app_limited(now, mechanism);
        }
        self.loss.next_unsacked(&self.seq, self.recovery.state())
    }

    /// Begin to send again after nothing was in flight: the controller hears of it, and the window may go down.
    #[cold]
    fn restart(&mut self, now: Time, mechanism: &Mechanism) {
        if self.last_sent == Time::ZERO || !self.seq.has_unsent(mechanism.rwnd) {
            return;
        }
        let idle = now.since(self.last_sent);
        let mut flow = self.flow(now, mechanism);
        flow.cwnd_limited = !std::mem::take(&mut self.control.ran_dry);
        self.control.algorithm.on_restart(idle, &flow);
        self.apply_decision(mechanism);
        self.lower_idle_window(idle, now, mechanism);
    }

    /// Hooks of parts that not every sender has, after a segment has left.
    #[inline]
    fn note_sent(&mut self, sent: Transmission, before: Before, mechanism: &Mechanism, now: Time) {
        let Before { pipe, flight_size } = before;
        let Some(options) = &mut self.options else { return };
        options.on_sent(sent.segment, now, flight_size);
        let is_paced = options.pacing.is_some();
        let (is_quic, follows_segments) = (options.quic.is_some(), options.segments.is_some());
        if sent.kind == TransmissionKind::New {
            self.note_window_use(pipe + 1, now);
        }
        if is_paced {
            self.pace_by_host(now, mechanism);
        }
        if is_quic {
            self.on_packet_sent();
        }
        if follows_segments {
            self.tell_sent(sent, mechanism, now);
        }
    }

    /// Hooks of parts that not every sender has, where the application has nothing more to send.
    #[inline(never)]
    fn note_app_limited(&mut self, now: Time, mechanism: &Mechanism) {
        let pipe = self.pipe();
        if let Some(options) = &mut self.options
            && let Some(rate) = &mut options.rate
        {
            rate.on_app_limited(pipe);
        }
        self.lower_unused_window(now, mechanism);
    }

    /// `true` if F-RTO wants new data before what is lost.
    #[cold]
    fn prefers_new(&self, mechanism: &Mechanism) -> bool {
        self.spurious().is_some_and(|spurious| spurious.frto.sends_new())
            && self.seq.has_unsent(mechanism.rwnd)
    }

    /// Schedule a tail loss probe where there is need for one (RFC 8985 section 7.2).
    #[inline]
    pub(super) fn schedule_probe(&mut self, now: Time, mechanism: &Mechanism) {
        let rto_at = self.rto_at;
        let (loss, view) = self.loss_and_view(now, mechanism);
        loss.schedule_probe(&view, rto_at);
    }
}
