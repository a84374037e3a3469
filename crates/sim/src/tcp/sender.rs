//! Sending end of a connection, put together from its parts.
//!
//! Sequence numbers count segments. ACKs and the parts they go through are in `sender/on_ack.rs`, the choice of what
//! to send in `sender/transmit.rs`, the timers in `sender/timers.rs`.

mod on_ack;
mod pace;
mod quic;
mod segments;
mod spurious;
mod timers;
mod transmit;
mod window_use;

use congestion::{CongestionControl, CongestionEvent, Duration, Feedback, Flow, Needs, Rate, Time};

use crate::tcp::control::Control;
use crate::tcp::ecn::EcnSender;
use crate::tcp::linux::variation::Variation;
use crate::tcp::loss::{Evidence, LossDetection, View};
use crate::tcp::mechanism::Mechanism;
use crate::tcp::pacer::Pacer;
use crate::tcp::prr::Prr;
use crate::tcp::ranges::Pool;
use crate::tcp::rate::RateSampler;
use crate::tcp::recovery::{Recovery, RecoveryState};
use crate::tcp::round::Round;
use crate::tcp::rtt::RttEstimator;
use crate::tcp::segments::Segments;
use crate::tcp::send_time::SendTime;
use crate::tcp::sequence::SequenceSpace;
use crate::tcp::validation::Validation;
use pace::HostPacing;
use quic::Quic;
use spurious::Spurious;

/// Sending end with something to send.
#[derive(Debug)]
pub struct Sender {
    /// Sequence space.
    pub seq: SequenceSpace,
    /// Round-trip times and the retransmission timeout.
    pub rtt: RttEstimator,
    /// Expiry of the retransmission timer; [`Time::NEVER`] when off.
    pub rto_at: Time,
    send_time: SendTime,
    loss: LossDetection,
    recovery: Recovery,
    /// Pacing.
    pub pacer: Pacer,
    round: Round,
    options: Option<Box<Options>>,
    /// Explicit congestion notification.
    pub ecn: EcnSender,
    /// Congestion control in charge.
    pub control: Control,
    /// Counts since the connection began.
    pub counts: SegmentCounts,
    /// When the last segment left; [`Time::ZERO`] before the first.
    last_sent: Time,
}

/// Parts that not every sender has.
#[derive(Debug)]
struct Options {
    /// Delivery rates, where the controller asks for them.
    rate: Option<RateSampler>,
    /// Segments one by one, where the controller asks for them.
    segments: Option<Segments>,
    /// Reduction of the window, where there is a rule for it; where there is none, it never begins.
    prr: Prr,
    /// Use of the window, where there is a rule that remembers it.
    validation: Option<Validation>,
    /// Search for spurious retransmissions, where reductions are taken back.
    spurious: Option<Spurious>,
    /// Pacing by the host.
    pacing: Option<HostPacing>,
    /// Part of the timeout above SRTT, where it is Linux's.
    variation: Option<Variation>,
    /// State of QUIC, where losses are found by packet number.
    quic: Option<Quic>,
}

impl Options {
    /// The parts that a mechanism has for a controller with these needs and a window of `cwnd` segments to begin with.
    fn new(
        needs: Needs,
        cwnd: u32,
        variation: Option<Variation>,
        mechanism: &Mechanism,
    ) -> Option<Box<Self>> {
        let rate = needs.rate_samples.then(RateSampler::default);
        let segments = needs.segments.then(Segments::default);
        let prr = Prr::default();
        let validation = mechanism.validation.is_on().then(|| Validation::new(cwnd));
        let spurious = Spurious::new(mechanism.undo);
        let pacing = HostPacing::new(mechanism.pacing);
        let quic = (mechanism.loss.evidence == Evidence::PacketNumbers).then(Quic::default);
        let any = rate.is_some()
            || segments.is_some()
            || mechanism.prr.is_on()
            || validation.is_some()
            || spurious.is_some()
            || pacing.is_some()
            || variation.is_some()
            || quic.is_some();
        any.then(|| Box::new(Self { rate, segments, prr, validation, spurious, pacing, variation, quic }))
    }

    /// Note that a segment leaves, with `flight_size` segments outstanding before it.
    #[inline]
    fn on_sent(&mut self, segment: u32, now: Time, flight_size: u32) {
        if let Some(rate) = &mut self.rate {
            rate.on_sent(segment, now, flight_size);
        }
        self.prr.on_sent();
    }

    /// Bytes of memory held, its own included.
    fn memory(&self) -> usize {
        let beyond = self.rate.as_ref().map_or(0, |rate| rate.memory() - size_of_val(rate));
        size_of_val(self) + beyond + self.segments.as_ref().map_or(0, Segments::memory)
    }
}

/// Counts of data segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentCounts {
    /// Retransmissions.
    pub retransmitted: u32,
    /// Segments acknowledged or SACKed.
    pub delivered: u32,
}

impl Sender {
    /// Sender of `limit` segments that has sent nothing yet, after a handshake that took `rtt`.
    #[must_use]
    pub fn new(
        algorithm: Box<dyn CongestionControl>,
        limit: u32,
        rtt: Duration,
        mechanism: &Mechanism,
    ) -> Self {
        let (rtt, variation) = RttEstimator::of_handshake(rtt, &mechanism.rto);
        let needs = algorithm.needs();
        let mut sender = Self {
            seq: SequenceSpace::new(limit),
            rtt,
            rto_at: Time::NEVER,
            send_time: SendTime::default(),
            loss: LossDetection::new(mechanism.loss.evidence),
            recovery: Recovery::default(),
            pacer: Pacer::default(),
            round: Round::starting(0),
            options: None,
            ecn: EcnSender::new(&needs, &mechanism.ecn),
            control: Control::new(algorithm),
            counts: SegmentCounts::default(),
            last_sent: Time::ZERO,
        };
        sender.apply_decision(mechanism);
        sender.options = Options::new(needs, sender.control.cwnd, variation, mechanism);
        sender
    }

    /// Segments in the network as far as the sender can tell (RFC 6675 section 4, `SetPipe`).
    #[must_use]
    #[inline]
    pub fn pipe(&self) -> u32 {
        self.loss.pipe(&self.seq)
    }

    /// `true` if the sender has parts that not every one has.
    #[must_use]
    #[inline]
    pub fn has_options(&self) -> bool {
        self.options.is_some()
    }

    /// Data segments sent, retransmissions included.
    #[must_use]
    pub fn sent(&self) -> u64 {
        u64::from(self.seq.snd_nxt) + u64::from(self.counts.retransmitted)
    }

    /// Acknowledgement of the whole transfer.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.seq.is_complete()
    }

    /// Congestion so far: a loss, or an echoed mark. A flow in slow start that has seen none is in its first one.
    #[must_use]
    pub fn has_seen_congestion(&self) -> bool {
        self.recovery.congestion_seen
    }

    /// Phase of loss recovery.
    #[must_use]
    pub fn recovery_state(&self) -> RecoveryState {
        self.recovery.state()
    }

    /// Bytes of memory held beyond its own: controller, loss detection, delivery rates, ECN.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of_val(&*self.control.algorithm)
            + self.loss.memory()
            + self.options.as_ref().map_or(0, |options| options.memory())
            + self.ecn.memory()
    }

    /// Congestion header of the segment just chosen.
    #[cold]
    pub fn stamp(&mut self, mechanism: &Mechanism, now: Time) -> Feedback {
        let mut header = Feedback::None;
        let flow = self.flow(now, mechanism);
        self.control.algorithm.on_send(&mut header, &flow);
        header
    }

    /// Call the controller at the time for which it asked.
    pub fn on_wakeup(&mut self, now: Time, mechanism: &Mechanism) {
        let flow = self.flow(now, mechanism);
        self.control.algorithm.on_wakeup(&flow);
        self.apply_decision(mechanism);
    }

    /// Give back to `pool` what was borrowed: the connection ends.
    pub fn retire(&mut self, pool: &mut Pool) {
        self.loss.retire(pool);
    }

    /// A reduction of the window is under way.
    #[inline]
    fn is_reducing(&self) -> bool {
        self.options.as_ref().is_some_and(|options| options.prr.is_active())
    }

    /// Reduction of the window, which may not be under way.
    #[inline]
    fn prr_mut(&mut self) -> Option<&mut Prr> {
        Some(&mut self.options.as_mut()?.prr)
    }

    /// End the reduction of the window that is under way, if there is one.
    fn finish_reduction(&mut self) {
        if let Some(prr) = self.prr_mut() {
            prr.finish();
        }
    }

    /// Tell the controller of an episode of congestion, and put its decision in force.
    fn notify_congestion(&mut self, event: CongestionEvent, now: Time, mechanism: &Mechanism) {
        let flow = self.flow(now, mechanism);
        self.control.algorithm.on_congestion(event, &flow);
        self.apply_decision(mechanism);
        if event != CongestionEvent::ExitRecovery {
            self.forget_flights();
        }
    }

    /// Put the controller's decision in force.
    #[inline]
    fn apply_decision(&mut self, mechanism: &Mechanism) {
        let was_fractional = self.control.is_fractional;
        let pacing_rate = self.control.apply_decision(mechanism.smss);
        if let Some(prr) = self.prr_mut()
            && prr.is_active()
        {
            let cwnd = prr.cwnd();
            self.control.replace_window(cwnd, mechanism.smss);
        }
        if was_fractional || self.control.is_fractional {
            self.space_segments(pacing_rate, mechanism);
        } else {
            self.pacer.set_rate(pacing_rate, mechanism.smss);
        }
    }

    /// Send one segment per `smss / cwnd` round trips, if the window is below one segment, and return to the rate of the
    /// controller at once, if it is not any more.
    ///
    /// A sender of L4S should stay responsive where round trips are short, preferably with windows below one segment
    /// (RFC 9331 section 4.3).
    /// <https://www.rfc-editor.org/rfc/rfc9331#section-4.3>
    #[cold]
    fn space_segments(&mut self, pacing_rate: Option<Rate>, mechanism: &Mechanism) {
        let smss = f64::from(mechanism.smss);
        let paced = pacing_rate.map_or(0.0, |rate| smss / rate.0);
        let round_trips = if self.control.is_fractional { smss / self.control.cwnd_bytes } else { 0.0 };
        let interval = (round_trips * self.rtt.srtt.seconds()).max(paced);
        self.pacer.space(Duration::from_seconds(interval));
    }

    /// `true` if the window is below one segment and the one segment is under way: its ACK decides when the next leaves.
    #[must_use]
    #[inline]
    pub fn awaits_ack(&self) -> bool {
        self.control.is_fractional && !self.recovery.send_one_despite_cwnd && self.pipe() > 0
    }

    /// Facts for the controller.
    fn flow(&self, now: Time, mechanism: &Mechanism) -> Flow {
        let smss = u64::from(mechanism.smss);
        let min_rtt = self.rtt.min_rtt;
        Flow {
            now,
            smss: mechanism.smss,
            in_flight: u64::from(self.pipe()) * smss,
            flight_size: u64::from(self.seq.flight_size()) * smss,
            srtt: self.rtt.srtt,
            min_rtt: if min_rtt == Duration::MAX { Duration::ZERO } else { min_rtt },
            ecn: self.ecn.agreed(),
            in_recovery: !self.recovery.is_open(),
            cwnd_limited: true,
            app_limited: false,
            next_send_time: self.pacer.next_send_time(),
        }
    }

    /// Loss detection, and the state of the sender that it reads.
    #[inline]
    fn loss_and_view<'a>(
        &'a mut self,
        now: Time,
        mechanism: &'a Mechanism,
    ) -> (&'a mut LossDetection, View<'a>) {
        let state = self.recovery.state();
        let Mechanism { loss: options, rto, .. } = mechanism;
        let (seq, rtt, send_time) = (&self.seq, &self.rtt, self.send_time);
        (&mut self.loss, View { seq, rtt, send_time, state, options, rto, now })
    }
}

#[cfg(test)]
mod tests;
