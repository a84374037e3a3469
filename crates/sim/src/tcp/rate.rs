//! Delivery-rate samples (draft-ietf-ccwg-bbr, section 4.1.2), for controllers that ask for them.

use std::collections::VecDeque;

use congestion::{Duration, RateSample};

/// What is remembered of every segment in flight.
#[derive(Clone, Copy, Debug)]
struct Sent {
    segment: u32,
    at: u64,
    delivered: u64,
    delivered_at: u64,
    first_sent_at: u64,
    app_limited: bool,
    acked: bool,
}

/// Measures how fast segments are delivered, over the longer of the send and the ACK interval.
#[derive(Clone, Debug, Default)]
pub struct RateSampler {
    sent: VecDeque<Sent>,
    delivered: u64,
    delivered_at: u64,
    first_sent_at: u64,
    app_limited_until: u64,
}

impl RateSampler {
    /// A segment leaves at `now` [ps] while `outstanding` segments wait to be acknowledged, lost ones included:
    /// what a timeout declares lost ends no flight.
    pub fn on_send(&mut self, segment: u32, now: u64, outstanding: u32) {
        if outstanding == 0 {
            self.delivered_at = now;
            self.first_sent_at = now;
        }
        let record = Sent {
            segment,
            at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            app_limited: self.app_limited_until > self.delivered,
            acked: false,
        };
        match self.sent.binary_search_by_key(&segment, |sent| sent.segment) {
            Ok(at) => self.sent[at] = record,
            Err(at) => self.sent.insert(at, record),
        }
    }

    /// Bytes of memory held, its own included.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of::<Self>() + self.sent.capacity() * size_of::<Sent>()
    }

    /// The application had nothing to send while `in_flight` segments were in the network.
    pub fn on_app_limited(&mut self, in_flight: u32) {
        self.app_limited_until = self.delivered + u64::from(in_flight.max(1));
    }

    /// `segment` caused an ACK at `now` that newly delivered `count` segments; everything below `una` is done.
    /// A sample over less than `min_rtt` [ps] is none: segments that had arrived before a hole was repaired are
    /// then acknowledged at once.
    pub fn on_ack(
        &mut self,
        segment: u32,
        count: u32,
        una: u32,
        now: u64,
        min_rtt: u64,
        smss: u32,
    ) -> Option<RateSample> {
        self.delivered += u64::from(count);
        self.delivered_at = now;
        let sample = self.sent.binary_search_by_key(&segment, |sent| sent.segment).ok().and_then(|at| {
            let sent = &mut self.sent[at];
            if sent.acked {
                return None;
            }
            sent.acked = true;
            self.first_sent_at = sent.at;
            let interval = (sent.at - sent.first_sent_at).max(now - sent.delivered_at);
            (interval > 0 && interval >= min_rtt).then(|| RateSample {
                delivered: (self.delivered - sent.delivered) * u64::from(smss),
                interval: Duration(interval),
                app_limited: sent.app_limited,
            })
        });
        while self.sent.front().is_some_and(|sent| sent.segment < una) {
            self.sent.pop_front();
        }
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten segments a millisecond apart and acknowledged a millisecond apart: 1000 segments per second.
    #[test]
    fn a_steady_flow_is_measured_at_its_rate() {
        const MS: u64 = 1_000_000_000;
        let mut sampler = RateSampler::default();
        for segment in 0..10 {
            sampler.on_send(segment, u64::from(segment) * MS, segment);
        }
        let mut last = None;
        for segment in 0..15 {
            let now = (10 + u64::from(segment)) * MS;
            last = sampler.on_ack(segment, 1, segment + 1, now, 10 * MS, 1000);
            sampler.on_send(10 + segment, now, 9);
        }
        let sample = last.expect("every segment is new");
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let rate = sample.delivered as f64 / sample.interval.seconds();
        assert!((rate / 1e6 - 1.0).abs() < 1e-9, "measured {rate} bytes/s");
        assert!(!sample.app_limited);
    }

    /// The draft drops samples over less than the least round trip: "if (RS.interval < `C.min_rtt`) ... no
    /// reliable rate sample". A hundred segments acknowledged a moment after one was sent again are no rate.
    #[test]
    fn what_is_faster_than_a_round_trip_is_no_sample() {
        const MS: u64 = 1_000_000_000;
        let mut sampler = RateSampler::default();
        for segment in 0..100 {
            sampler.on_send(segment, u64::from(segment) * MS, segment);
        }
        // A timeout, after which nothing counts as in flight, though a hundred are outstanding.
        sampler.on_send(0, 500 * MS, 100);
        sampler.on_send(1, 500 * MS, 100);
        assert!(sampler.on_ack(0, 1, 1, 540 * MS, 40 * MS, 1000).is_some());
        // What both intervals begin with is at most as old as the ACK before.
        sampler.on_send(100, 540 * MS, 0);
        assert!(sampler.on_ack(100, 99, 101, 541 * MS, 40 * MS, 1000).is_none());
    }
}
