//! Calls to a controller that asked for segments one by one.

use congestion::Time;

use super::Sender;
use crate::tcp::loss::Transmission;
use crate::tcp::mechanism::Mechanism;
use crate::tcp::segments::{Change, Delivered, Leaving, Segments};

impl Sender {
    /// Returns true if the controller has asked for segments.
    #[inline]
    pub(super) fn follows_segments(&self) -> bool {
        self.options.as_ref().is_some_and(|options| options.segments.is_some())
    }

    #[inline]
    fn segments_mut(&mut self) -> Option<&mut Segments> {
        self.options.as_mut()?.segments.as_mut()
    }

    /// Tell of a segment that has left, and let the next one wait for its departure.
    #[cold]
    pub(super) fn tell_sent(&mut self, sent: Transmission, mechanism: &Mechanism, now: Time) {
        let pipe = self.pipe();
        let leaving = Leaving {
            number: sent.segment,
            now,
            pipe,
            app_limited: self.seq.snd_nxt >= self.seq.limit && pipe < self.control.cwnd,
            smss: mechanism.smss,
        };
        let Some(segments) = self.segments_mut() else { return };
        let segment = segments.on_sent(&leaving);
        let flow = self.flow(now, mechanism);
        let algorithm = &mut self.control.algorithm;
        algorithm.on_segment_sent(&segment, &flow);
        if let Some(departure) = algorithm.departure() {
            self.pacer.wait_until(departure);
        }
        self.apply_decision(mechanism);
    }

    /// Tell of what an ACK delivers, which has been taken in, and then of what is lost by it.
    #[cold]
    pub(super) fn tell_segments(&mut self, ack: &Delivered, now: Time, mechanism: &Mechanism) {
        let Some(segments) = self.segments_mut() else { return };
        if ack.delivered > 0 {
            let delivery = segments.on_ack(ack, now, mechanism.smss);
            let flow = self.flow(now, mechanism);
            self.control.algorithm.on_delivery(&delivery, &flow);
        }
        self.tell_changes(now, mechanism);
    }

    /// Tell of the segments that are lost since the last call, or in flight again, if the controller has asked for them.
    #[cold]
    pub(super) fn tell_changes(&mut self, now: Time, mechanism: &Mechanism) {
        if !self.follows_segments() {
            return;
        }
        let (flow, pipe, mut at) = (self.flow(now, mechanism), self.pipe(), 0);
        loop {
            let Self { options, loss, seq, control, .. } = self;
            let segments = options.as_mut().and_then(|options| options.segments.as_mut());
            let change = segments.and_then(|segments| {
                segments.next_change(&mut at, pipe, |number| loss.copies_in_flight(number, seq))
            });
            match change {
                Some(Change::Lost(segment, starts_run)) => {
                    control.algorithm.on_segment_lost(&segment, starts_run, &flow);
                }
                Some(Change::Restored(segment)) => control.algorithm.on_segment_sent(&segment, &flow),
                None => break,
            }
        }
        self.apply_decision(mechanism);
    }
}
