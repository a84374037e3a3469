//! Delivery-rate samples (draft-ietf-ccwg-bbr, section 4.1.2; Linux, `tcp_rate_skb_delivered`), for controllers that ask
//! for them. A sample is of the segment sent last among those that an ACK delivers, repairs included.

use std::collections::VecDeque;

use congestion::{Duration, RateSample, Time};

/// Per-packet state of a segment in flight (P in the draft).
#[derive(Clone, Copy, Debug)]
struct SentSegment {
    segment: u32,
    send_time: Time,
    delivered: u64,
    delivered_time: Time,
    first_send_time: Time,
    app_limited: bool,
    acked: bool,
    /// Sent before, too.
    retransmitted: bool,
}

/// Delivery of segments, measured over the longer of the send and the ACK interval: per-connection state (C in the
/// draft).
#[derive(Clone, Debug, Default)]
pub struct RateSampler {
    sent: VecDeque<SentSegment>,
    /// Segments delivered so far.
    delivered: u64,
    delivered_time: Time,
    first_send_time: Time,
    /// Value of `delivered` up to which samples are application-limited.
    app_limited: u64,
    /// Segments retransmitted and not delivered yet, in order. Most are at its ends when they come and go.
    repairs: VecDeque<u32>,
}

/// Contribution of one ACK to a rate sample.
#[derive(Clone, Copy, Debug)]
pub struct RateAck {
    /// Segment that caused the ACK.
    pub segment: u32,
    /// Its SACK block, if it has one: the first segment and one past the last.
    pub sack_block: Option<(u32, u32)>,
    /// Segments newly delivered.
    pub delivered: u32,
    /// Oldest unacknowledged segment.
    pub snd_una: u32,
    /// Smallest round-trip time so far.
    pub min_rtt: Duration,
    /// Payload of a segment [bytes].
    pub smss: u32,
}

impl RateSampler {
    /// Note that a segment leaves at `now` while `flight_size` segments are not cumulatively acknowledged; those
    /// declared lost count, so a timeout ends no flight.
    pub fn on_sent(&mut self, segment: u32, now: Time, flight_size: u32) {
        if flight_size == 0 {
            self.delivered_time = now;
            self.first_send_time = now;
        }
        let record = SentSegment {
            segment,
            send_time: now,
            delivered: self.delivered,
            delivered_time: self.delivered_time,
            first_send_time: self.first_send_time,
            app_limited: self.app_limited > 0 && self.app_limited >= self.delivered,
            acked: false,
            retransmitted: false,
        };
        match self.sent.binary_search_by_key(&segment, |sent| sent.segment) {
            Ok(at) => {
                self.sent[at] = SentSegment { retransmitted: true, ..record };
                if let Err(place) = self.repairs.binary_search(&segment) {
                    self.repairs.insert(place, segment);
                }
            }
            Err(at) => self.sent.insert(at, record),
        }
    }

    /// Bytes of memory held, its own included.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of::<Self>()
            + self.sent.capacity() * size_of::<SentSegment>()
            + self.repairs.capacity() * size_of::<u32>()
    }

    /// Note that the application had nothing to send while `in_flight` segments were in the network.
    pub fn on_app_limited(&mut self, in_flight: u32) {
        self.app_limited = self.delivered + u64::from(in_flight.max(1));
    }

    /// Take the sample of an ACK that arrives at `now`, if it gives one. None over less than the smallest
    /// round trip: segments that had arrived before a hole was repaired are then acknowledged at once.
    pub fn on_ack(
        &mut self,
        ack: &RateAck,
        now: Time,
        is_delivered: impl Fn(u32) -> bool,
    ) -> Option<RateSample> {
        self.delivered += u64::from(ack.delivered);
        self.delivered_time = now;
        let index = self.find(ack.segment);
        let index = if self.repairs.is_empty() { index } else { self.sent_last(index, ack, is_delivered) };
        let sample = index.and_then(|at| {
            let sent = &mut self.sent[at];
            if sent.acked {
                return None;
            }
            sent.acked = true;
            self.first_send_time = sent.send_time;
            let send_interval = sent.send_time.since(sent.first_send_time);
            let ack_interval = now.since(sent.delivered_time);
            let interval = send_interval.max(ack_interval);
            (interval > Duration::ZERO && interval >= ack.min_rtt).then(|| RateSample {
                delivered: (self.delivered - sent.delivered) * u64::from(ack.smss),
                interval,
                app_limited: sent.app_limited,
                rtt: (!sent.retransmitted).then(|| now.since(sent.send_time)),
            })
        });
        while self.sent.front().is_some_and(|sent| sent.segment < ack.snd_una) {
            self.sent.pop_front();
        }
        sample
    }

    fn find(&self, segment: u32) -> Option<usize> {
        self.sent.binary_search_by_key(&segment, |sent| sent.segment).ok()
    }

    /// Place of the segment sent last among `found` and the repairs that are delivered now; the others give no sample.
    ///
    /// An ACK delivers nothing but what is below SND.UNA or in its SACK block: a flow may have thousands of repairs under way.
    #[cold]
    fn sent_last(
        &mut self,
        index: Option<usize>,
        ack: &RateAck,
        is_delivered: impl Fn(u32) -> bool,
    ) -> Option<usize> {
        let mut last = index.filter(|&at| !self.sent[at].acked);
        while let Some(&segment) = self.repairs.front()
            && segment < ack.snd_una
        {
            self.repairs.pop_front();
            last = self.later(last, segment);
        }
        let (start, end) = ack.sack_block.unwrap_or_default();
        let mut place = self.repairs.partition_point(|&segment| segment < start);
        while let Some(&segment) = self.repairs.get(place)
            && segment < end
        {
            if is_delivered(segment) {
                self.repairs.remove(place);
                last = self.later(last, segment);
            } else {
                place += 1;
            }
        }
        last
    }

    /// Place of the one sent last of `last` and a repair that is delivered; the other one gives no sample.
    fn later(&mut self, last: Option<usize>, segment: u32) -> Option<usize> {
        let Some(at) = self.find(segment) else { return last };
        let Some(other) = last.filter(|&last| last != at) else { return Some(at) };
        let key = |at: usize| (self.sent[at].send_time, at);
        let (last, earlier) = if key(at) > key(other) { (at, other) } else { (other, at) };
        self.sent[earlier].acked = true;
        Some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    fn ack(segment: u32, delivered: u32, min_rtt: u64) -> RateAck {
        RateAck {
            segment,
            sack_block: None,
            delivered,
            snd_una: segment + 1,
            min_rtt: Duration::from_millis(min_rtt),
            smss: 1000,
        }
    }

    /// Ten segments a millisecond apart and acknowledged a millisecond apart: 1000 segments per second.
    #[test]
    fn a_steady_flow_is_measured_at_its_rate() {
        let mut sampler = RateSampler::default();
        for segment in 0..10 {
            sampler.on_sent(segment, ms(u64::from(segment)), segment);
        }
        let mut last = None;
        for segment in 0..15 {
            let now = ms(10 + u64::from(segment));
            last = sampler.on_ack(&ack(segment, 1, 10), now, |_| false);
            sampler.on_sent(10 + segment, now, 9);
        }
        let sample = last.expect("every segment is new");
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let rate = sample.delivered as f64 / sample.interval.seconds();
        assert!((rate / 1e6 - 1.0).abs() < 1e-9, "measured {rate} bytes/s");
        assert!(!sample.app_limited);
    }

    /// The draft: `C.app_limited = (C.delivered + C.inflight) ? : 1`, and a sample is app-limited whose segment was sent
    /// before more than that had been delivered.
    #[test]
    fn samples_are_app_limited_until_what_was_in_flight_is_delivered() {
        let mut sampler = RateSampler::default();
        for segment in 0..3 {
            sampler.on_sent(segment, ms(u64::from(segment)), segment);
        }
        assert!(sampler.on_ack(&ack(0, 1, 10), ms(20), |_| false).is_some_and(|sample| !sample.app_limited));
        // One segment is delivered and two are in flight: the limit is three.
        sampler.on_app_limited(2);
        sampler.on_sent(3, ms(20), 2);
        sampler.on_ack(&ack(1, 1, 10), ms(21), |_| false);
        sampler.on_sent(4, ms(21), 2);
        sampler.on_ack(&ack(2, 1, 10), ms(22), |_| false);
        sampler.on_sent(5, ms(22), 2);
        sampler.on_ack(&ack(3, 1, 10), ms(43), |_| false);
        sampler.on_sent(6, ms(43), 2);
        let limited = [4, 5, 6].map(|segment| {
            let sample = sampler.on_ack(&ack(segment, 1, 10), ms(60 + u64::from(segment)), |_| false);
            sample.expect("over more than a round trip").app_limited
        });
        assert_eq!(limited, [true, true, false]);
    }

    /// The draft drops samples over less than the least round trip: "if (RS.interval < `C.min_rtt`) ... no
    /// reliable rate sample". A hundred segments acknowledged a moment after one was retransmitted are no rate.
    #[test]
    fn what_is_faster_than_a_round_trip_is_no_sample() {
        let mut sampler = RateSampler::default();
        for segment in 0..100 {
            sampler.on_sent(segment, ms(u64::from(segment)), segment);
        }
        // A timeout, after which nothing counts as in flight, though a hundred are outstanding.
        sampler.on_sent(0, ms(500), 100);
        sampler.on_sent(1, ms(500), 100);
        assert!(sampler.on_ack(&ack(0, 1, 40), ms(540), |_| false).is_some());
        // What both intervals begin with is at most as old as the ACK before.
        sampler.on_sent(100, ms(540), 0);
        assert!(sampler.on_ack(&ack(100, 99, 40), ms(541), |_| false).is_none());
    }

    /// Linux, `tcp_rate_skb_delivered`: "We favor the information from the most recently sent skb". Segment 0 is repaired
    /// after 1 to 9 were SACKed; its ACK covers them all, and gives a sample of the repair.
    #[test]
    fn repairs_give_samples() {
        let mut sampler = RateSampler::default();
        for segment in 0..10 {
            sampler.on_sent(segment, ms(u64::from(segment)), segment);
        }
        for segment in 1..10 {
            let sack_block = Some((segment, segment + 1));
            let sacked = RateAck { snd_una: 0, sack_block, ..ack(segment, 1, 10) };
            sampler.on_ack(&sacked, ms(10 + u64::from(segment)), |_| false);
        }
        sampler.on_sent(0, ms(19), 10);
        let sample = sampler.on_ack(&ack(9, 1, 10), ms(31), |segment| segment < 10).expect("of the repair");
        assert_eq!((sample.delivered, sample.interval, sample.rtt), (1000, Duration::from_millis(12), None));
    }

    /// Sample by the latest transmission: of two repairs, and of a repair and an original, that are delivered at once, the one sent last counts,
    /// and none of the others gives a sample later.
    #[test]
    fn the_repair_that_was_sent_last_gives_the_sample() {
        let rtt = |repaired: [u64; 2], new: u64| {
            let mut sampler = RateSampler::default();
            for segment in 0..10 {
                sampler.on_sent(segment, ms(u64::from(segment)), segment);
            }
            let [first, second] = repaired;
            let mut events = vec![(first, 0), (second, 1), (new, 10)];
            events.sort_unstable();
            for (at, segment) in events {
                sampler.on_sent(segment, ms(at), 10);
            }
            let sample = sampler.on_ack(&ack(10, 11, 10), ms(60), |_| true);
            let second = sampler.on_ack(&ack(10, 0, 10), ms(61), |_| true);
            assert!(second.is_none(), "each segment gives one sample");
            assert_eq!(sampler.sent.len(), 0, "what is acknowledged is forgotten");
            sample.expect("one of them").rtt
        };
        assert_eq!(rtt([40, 41], 45), Some(Duration::from_millis(15)), "the original, sent last");
        assert_eq!(rtt([40, 45], 41), None, "a repair");
        assert_eq!(rtt([45, 40], 41), None, "the other repair");
    }

    /// A repair that is still out gives no sample, and one that was sampled gives no second one.
    #[test]
    fn a_repair_that_is_out_gives_no_sample() {
        let mut sampler = RateSampler::default();
        for segment in 0..10 {
            sampler.on_sent(segment, ms(u64::from(segment)), segment);
        }
        sampler.on_sent(0, ms(20), 10);
        sampler.on_sent(1, ms(21), 10);
        let sacked = |segment| {
            let sack_block = Some((segment, segment + 1));
            RateAck { snd_una: 0, sack_block, ..ack(segment, 1, 5) }
        };
        let original = sampler.on_ack(&sacked(5), ms(25), |segment| segment == 5).expect("of segment 5");
        assert_eq!(original.rtt, Some(Duration::from_millis(20)));
        // The second repair arrives before the first one; when it left, nothing had been delivered yet.
        let repair = sampler.on_ack(&sacked(1), ms(31), |segment| segment != 0).expect("of segment 1");
        assert_eq!((repair.rtt, repair.interval), (None, Duration::from_millis(31)));
        assert!(sampler.on_ack(&sacked(5), ms(32), |segment| segment != 0).is_none(), "segment 5 once more");
        assert!(sampler.on_ack(&ack(0, 1, 5), ms(35), |_| true).is_some_and(|sample| sample.rtt.is_none()));
    }

    /// A thousand repairs under way cost an ACK nothing: it asks about those in its block alone.
    #[test]
    fn repairs_that_an_ack_does_not_deliver_are_not_looked_at() {
        let mut sampler = RateSampler::default();
        for segment in 0..1000 {
            sampler.on_sent(segment, ms(u64::from(segment)), segment);
        }
        for segment in 0..1000 {
            sampler.on_sent(segment, ms(1000 + u64::from(segment)), 1000);
        }
        let asked = std::cell::Cell::new(0);
        let sacked = RateAck { snd_una: 0, sack_block: Some((500, 502)), ..ack(501, 2, 10) };
        let sample = sampler.on_ack(&sacked, ms(2100), |segment| {
            asked.set(asked.get() + 1);
            (500..502).contains(&segment)
        });
        assert_eq!((sample.map(|sample| sample.delivered), asked.get()), (Some(2000), 2));
        assert_eq!(sampler.repairs.len(), 998);
    }
}
