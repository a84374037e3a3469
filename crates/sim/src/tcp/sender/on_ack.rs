//! Arrival of an ACK: what it means to each part, in order.

use congestion::{AckSample, CongestionEvent, Duration, Feedback, Phase, RateSample, RoundSample, Time};

use super::Sender;
use super::spurious::SpuriousAck;
use crate::measure::counters::Counters;
use crate::net::packet::{self, Packet};
use crate::tcp::ecn::Echoed;
use crate::tcp::loss::{Ack, AckOutcome};
use crate::tcp::mechanism::Mechanism;
use crate::tcp::ranges::Pool;
use crate::tcp::rate::RateAck;
use crate::tcp::round::RoundAck;
use crate::tcp::rtt::RtoBounds;
use crate::tcp::segments::Delivered;
use crate::tcp::sequence::SequenceSpace;

/// Facts about one ACK that its notification of the controller needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct AckFacts<'a> {
    pub packet: &'a Packet,
    pub feedback: &'a Feedback,
    /// Round trip of the segment that it echoes, where that is known.
    pub rtt: Option<Duration>,
    /// One-way delay of that segment, where that is known.
    pub forward: Option<Duration>,
    pub prior: Prior,
    pub delivered: u32,
    pub lost: u32,
    pub echoed: Echoed,
    /// A reduction of the window is under way.
    pub reduces: bool,
}

/// Sender before an ACK.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prior {
    /// Segments in flight.
    pub pipe: u32,
    /// Segments outstanding.
    pub flight_size: u32,
    pub una: u32,
}

/// One-way delay of the segment that an ACK echoes, where it reports the arrival.
#[inline]
fn forward_delay(ack: &Packet) -> Option<Duration> {
    ack.arrival().map(|arrival| packet::between(ack.stamp, arrival))
}

impl Prior {
    /// Segments that an ACK delivers, so many of them and so many of these marked.
    #[cold]
    pub fn delivered_by(&self, ack: &Packet, echoed: Time, delivered: u32, ce_marked: u32) -> Delivered {
        Delivered {
            prior_una: self.una,
            snd_una: ack.seq.max(self.una),
            sack_block: ack.sack_block(),
            echoed,
            delivered,
            prior_pipe: self.pipe,
            ce_marked,
        }
    }
}

impl Sender {
    /// Take in an ACK that arrives at `now`; `feedback` is its congestion header.
    pub fn on_ack(
        &mut self,
        packet: &Packet,
        feedback: &Feedback,
        now: Time,
        mechanism: &Mechanism,
        pool: &mut Pool,
        counters: &mut Counters,
    ) {
        let options = self.options.as_deref();
        if options.is_some_and(|options| options.quic.is_some()) {
            return self.on_ack_of_quic(packet, feedback, now, mechanism, pool, counters);
        }
        let undoes = options.is_some_and(|options| options.spurious.is_some());
        let prior = self.prior();
        counters.duplicate_acks += u64::from(packet.seq == prior.una && prior.flight_size > 0);
        self.seq.acknowledge(packet.seq);
        let rtt = self.sample_rtt(packet, now, &mechanism.rto);
        let advanced = self.seq.snd_una > prior.una;
        let repairs = undoes && !self.recovery.is_open();
        let of_original = repairs && self.is_of_original(packet, prior.una);
        let (detection, view) = self.loss_and_view(now, mechanism);
        let mut outcome = detection.on_ack(&Ack { packet, prior_una: prior.una }, &view, pool);
        let echoed = self.ecn.on_ack(packet, prior.una, outcome.delivered);
        if undoes {
            let ack = SpuriousAck { packet, advanced, of_original, congestion: echoed.congestion };
            if self.concerns_undo(repairs, &ack) && self.undo_if_spurious(&ack, now, mechanism) {
                outcome.lost = 0;
            }
        }
        if self.follows_segments() {
            let sent = self.send_time.of(packet.stamp, now);
            let told = prior.delivered_by(packet, sent, outcome.delivered, echoed.marked);
            self.tell_segments(&told, now, mechanism);
        }
        let lost = outcome.lost + self.on_probe_outcome(&outcome, now, mechanism, counters);
        self.respond_to_loss(outcome.delivered, outcome.lost_retransmission, now, mechanism, counters);
        if advanced {
            self.on_advance(now, mechanism);
        }
        let delivered = outcome.delivered;
        self.counts.delivered += delivered;
        counters.acked += u64::from(delivered);
        if echoed.congestion {
            self.on_ecn_echo(delivered, now, mechanism);
        }
        let reduces = self.is_reducing() && self.reduce_window(delivered, advanced && lost == 0);
        if delivered > 0 {
            let rtt = self.rtt.last_sample(outcome.last_rtt, &mechanism.rto).or(rtt);
            let forward = rtt.and(forward_delay(packet));
            let facts = AckFacts { packet, feedback, rtt, forward, prior, delivered, lost, echoed, reduces };
            self.notify_controller(&facts, now, mechanism, counters);
        } else {
            self.loss.defer_lost(lost);
        }
        self.end_what_is_over(reduces, delivered, now, mechanism, counters);
        if delivered > 0 {
            self.schedule_probe(now, mechanism);
        }
    }

    /// End a reduction and a recovery, if everything is acknowledged that was outstanding when they began.
    #[inline]
    fn end_what_is_over(
        &mut self,
        reduces: bool,
        delivered: u32,
        now: Time,
        mechanism: &Mechanism,
        counters: &mut Counters,
    ) {
        if reduces {
            self.end_reduction_if_over(mechanism);
        }
        if self.recovery.exit_if_over(self.seq.snd_una) {
            self.on_recovery_exit(delivered, now, mechanism, counters);
        }
    }

    /// An ACK has moved SND.UNA.
    #[inline]
    fn on_advance(&mut self, now: Time, mechanism: &Mechanism) {
        self.send_time.on_ack(&self.seq, now);
        self.control.ran_dry |= self.seq.is_complete();
        if self.recovery.resets_timer(self.seq.snd_una, mechanism.response) {
            self.restart_rto_timer(now);
        }
    }

    #[inline]
    pub(super) fn prior(&self) -> Prior {
        Prior { pipe: self.pipe(), flight_size: self.seq.flight_size(), una: self.seq.snd_una }
    }

    /// RFC 6298 section 5.2: "When all outstanding data has been acknowledged, turn off the retransmission timer", and
    /// 5.3: "When an ACK is received that acknowledges new data, restart the retransmission timer so that it will
    /// expire after RTO seconds".
    /// <https://www.rfc-editor.org/rfc/rfc6298#section-5>
    #[inline]
    fn restart_rto_timer(&mut self, now: Time) {
        self.rto_at = if self.seq.flight_size() == 0 { Time::NEVER } else { now + self.rtt.rto() };
    }

    /// Round trip of the segment that an ACK echoes, taken into the estimate and the timeout. That of a segment that had
    /// arrived before is none: RFC 7323 section 4.1 takes a sample "only if the segment advances the left edge of the send
    /// window", and how long ago such a segment left, nobody knows.
    /// <https://www.rfc-editor.org/rfc/rfc7323#section-4.1>
    #[inline]
    fn sample_rtt(&mut self, packet: &Packet, now: Time, bounds: &RtoBounds) -> Option<Duration> {
        let Self { seq, rtt, options, send_time, .. } = self;
        let variation = options.as_mut().and_then(|options| options.variation.as_mut());
        let sample = send_time.round_trip(packet.stamp, now).filter(|_| !packet.kind.is_dsack())?;
        rtt.sample(sample, variation, seq, bounds);
        Some(sample)
    }

    /// Call off a probe that is not needed, or tell the controller of the loss that one has repaired, as a whole
    /// recovery; the number of segments lost. RFC 8985 section 7.4.2: "Invoke congestion control to react to the loss
    /// event the probe has repaired".
    /// <https://www.rfc-editor.org/rfc/rfc8985#section-7.4.2>
    #[inline]
    fn on_probe_outcome(
        &mut self,
        outcome: &AckOutcome,
        now: Time,
        mechanism: &Mechanism,
        counters: &mut Counters,
    ) -> u32 {
        if outcome.probe_cancelled {
            self.recovery.send_one_despite_cwnd = false;
        }
        if outcome.probe_repaired {
            counters.recoveries += 1;
            self.recovery.congestion_seen = true;
            self.ecn.on_loss(&self.seq);
            self.let_reduction_stand();
            self.forget_flights();
            let flow = self.flow(now, mechanism);
            self.control.algorithm.on_congestion(CongestionEvent::EnterRecovery, &flow);
            self.control.algorithm.on_congestion(CongestionEvent::ExitRecovery, &flow);
            self.apply_decision(mechanism);
        }
        u32::from(outcome.probe_repaired)
    }

    /// ECN-Echo: the controller hears of it once per window of data, and not in recovery. The reduction of the window
    /// before is over then: the next one begins at the window that it led to.
    fn on_ecn_echo(&mut self, delivered: u32, now: Time, mechanism: &Mechanism) {
        if self.recovery.is_open() && self.ecn.begin_window(&self.seq) {
            self.recovery.congestion_seen = true;
            self.let_reduction_stand();
            self.end_reduction(mechanism);
            let prior_cwnd = self.control.cwnd;
            self.notify_congestion(CongestionEvent::EcnEcho, now, mechanism);
            self.begin_reduction(prior_cwnd, delivered, mechanism);
        }
    }

    /// Take an ACK into the reduction of the window that is under way: true.
    #[cold]
    fn reduce_window(&mut self, delivered: u32, safe_ack: bool) -> bool {
        if delivered > 0 {
            let inflight = self.pipe();
            if let Some(prr) = self.prr_mut() {
                prr.on_ack(delivered, inflight, safe_ack);
            }
        }
        true
    }

    /// Return to the controller's window if everything is acknowledged that was outstanding when the reduction began.
    #[cold]
    fn end_reduction_if_over(&mut self, mechanism: &Mechanism) {
        let snd_una = self.seq.snd_una;
        if self.prr_mut().is_some_and(|prr| prr.is_over(snd_una)) {
            self.end_reduction(mechanism);
        }
    }

    /// End the reduction of the window that is under way, if there is one, at the controller's window.
    fn end_reduction(&mut self, mechanism: &Mechanism) {
        if self.is_reducing() {
            self.finish_reduction();
            self.apply_decision(mechanism);
        }
    }

    /// Tell the controller of an ACK that delivers something, and put its decision in force.
    #[expect(clippy::inline_always, reason = "senders of QUIC call it, too")]
    #[inline(always)]
    pub(super) fn notify_controller(
        &mut self,
        ack: &AckFacts<'_>,
        now: Time,
        mechanism: &Mechanism,
        counters: &mut Counters,
    ) {
        let smss = u64::from(mechanism.smss);
        let sample = AckSample {
            delivered: u64::from(ack.delivered) * smss,
            lost: u64::from(ack.lost) * smss,
            ce_marked: u64::from(ack.echoed.marked) * smss,
            rtt: ack.rtt,
            forward_delay: ack.forward,
            rate: self.rate_sample(ack, now, mechanism),
            round: self.round_sample(ack, mechanism.smss),
            feedback: *ack.feedback,
        };
        let mut flow = self.flow(now, mechanism);
        let advanced = self.seq.snd_una > ack.prior.una;
        // Slow start after a timeout goes by what is acknowledged, not by what is SACKed meanwhile: while the
        // oldest segment is missing, nothing says that the network takes more (RFC 5681 section 3.1).
        let after_timeout = self.recovery.is_rto_recovery();
        // An ACK with ECE does not open the window (RFC 3168 section 6.1.2). After a timeout it tells of what has been
        // answered, and goes on doing so: CWR travels with new data, and all that is sent are repairs. As in Linux,
        // whose `tcp_may_raise_cwnd` asks for progress alone.
        flow.app_limited = mechanism.cwnd_validation && !self.is_cwnd_limited(ack, now, mechanism);
        flow.cwnd_limited = (!after_timeout || advanced)
            && !flow.app_limited
            && (!ack.echoed.holds_window || after_timeout)
            && !ack.reduces
            && mechanism.growth.is_opened_by(advanced);
        self.control.algorithm.on_ack(&sample, &flow);
        let before = self.control.cwnd_bytes;
        self.apply_decision(mechanism);
        self.cap_window(mechanism);
        counters.cwnd_increases += u64::from(self.control.cwnd_bytes > before);
    }

    /// Summary of the round trip that an ACK ends, if it ends one.
    #[expect(clippy::inline_always, reason = "senders of QUIC have a copy of its caller")]
    #[inline(always)]
    fn round_sample(&mut self, ack: &AckFacts<'_>, smss: u32) -> Option<RoundSample> {
        let SequenceSpace { snd_una, snd_nxt, .. } = self.seq;
        let scoreboard = self.loss.scoreboard();
        let is_sacked =
            |segment| scoreboard.is_some_and(|sacked| sacked.count_within(segment, segment + 1) > 0);
        let is_delivered = |segment| segment < snd_una || is_sacked(segment);
        self.round.on_ack(&RoundAck {
            delivered: ack.delivered,
            lost: ack.lost,
            ce_marked: ack.echoed.marked,
            smss,
            rtt: ack.rtt,
            high_delivered: scoreboard.map_or(snd_una, |sacked| sacked.end().max(snd_una)),
            retransmission_delivered: self.round.first_retransmitted().is_some_and(is_delivered),
            snd_nxt,
        })
    }

    /// Delivery rate over the flight that an ACK acknowledges, where it is measured.
    #[expect(clippy::inline_always, reason = "senders of QUIC have a copy of its caller")]
    #[inline(always)]
    fn rate_sample(&mut self, ack: &AckFacts<'_>, now: Time, mechanism: &Mechanism) -> Option<RateSample> {
        let rate = self.options.as_mut()?.rate.as_mut()?;
        let sack_block = ack.packet.sack_block();
        let ack = RateAck {
            segment: sack_block.map_or(ack.packet.seq, |(_, end)| end).saturating_sub(1),
            sack_block,
            delivered: ack.delivered,
            snd_una: self.seq.snd_una,
            min_rtt: self.rtt.min_rtt,
            smss: mechanism.smss,
        };
        let (snd_una, scoreboard) = (self.seq.snd_una, self.loss.scoreboard());
        rate.on_ack(&ack, now, |segment| {
            segment < snd_una
                || scoreboard.is_some_and(|sacked| sacked.count_within(segment, segment + 1) > 0)
        })
    }

    /// Limitation of the last flight by the window rather than by the application (RFC 7661; Linux's rule).
    #[expect(clippy::inline_always, reason = "senders of QUIC have a copy of its caller")]
    #[inline(always)]
    fn is_cwnd_limited(&mut self, ack: &AckFacts<'_>, now: Time, mechanism: &Mechanism) -> bool {
        if let Some(limited) = self.is_limited_by_use(&ack.prior, now, mechanism) {
            return limited;
        }
        let prior_pipe = ack.prior.pipe;
        match self.control.algorithm.phase() {
            Phase::SlowStart => 2 * u64::from(prior_pipe) > u64::from(self.control.cwnd),
            Phase::Standard | Phase::Alternate => prior_pipe + 1 >= self.control.cwnd,
        }
    }
}
