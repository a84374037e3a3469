//! Sender of QUIC (RFC 9002): what its ACKs and its timer lead to. Which packets are lost is a matter of `loss/packets.rs`.
//! <https://www.rfc-editor.org/rfc/rfc9002>

use congestion::{CongestionEvent, Duration, Ecn, Feedback, Time};

use super::Sender;
use super::on_ack::AckFacts;
use crate::measure::counters::Counters;
use crate::net::packet::{self, Packet};
use crate::tcp::ack_delay::AckDelay;
use crate::tcp::loss::{Ack, Acked, Losses};
use crate::tcp::mechanism::Mechanism;
use crate::tcp::ranges::Pool;

/// Probes that a timeout sends. RFC 9002 section 6.2.4: "Sending two packets on PTO expiration increases resilience to
/// packet drops, thus reducing the probability of consecutive PTO events."
const PROBES: u32 = 2;

/// `kMinimumWindow` [segments].
const MINIMUM_WINDOW: f64 = 2.0;

/// State of a sender of QUIC.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quic {
    latest_rtt: Duration,
    /// First packet number of the present or latest recovery period; losses and marks of those before lead to nothing.
    recovery_start: u64,
}

impl Sender {
    /// Take in an ACK that arrives at `now` (appendix A.7, `OnAckReceived`).
    #[cold]
    pub(super) fn on_ack_of_quic(
        &mut self,
        packet: &Packet,
        feedback: &Feedback,
        now: Time,
        mechanism: &Mechanism,
        pool: &mut Pool,
        counters: &mut Counters,
    ) {
        let prior = self.prior();
        counters.duplicate_acks += u64::from(packet.seq == prior.una && prior.flight_size > 0);
        self.seq.acknowledge(packet.seq);
        let sent = sent_at(packet.stamp, now);
        let (detection, view) = self.loss_and_view(now, mechanism);
        let Some(packets) = detection.packets() else { return };
        let ack = Ack { packet, prior_una: prior.una };
        let Acked { delivered, newest, rtt } = packets.on_ack(&ack, sent, &view, pool);
        self.control.ran_dry |= self.seq.snd_una > prior.una && self.seq.is_complete();
        let delay = AckDelay::of(packet);
        if let Some(latest_rtt) = rtt {
            self.rtt.sample_less_delay(latest_rtt, delay.held, &mechanism.rto);
            self.quic_mut().latest_rtt = latest_rtt;
        }
        let mut echoed = self.ecn.on_ack(packet, prior.una, delivered);
        if self.follows_segments() {
            self.tell_segments(&prior.delivered_by(packet, sent, delivered, echoed.marked), now, mechanism);
        }
        if let Some(number) = newest {
            self.exit_recovery_period(number, now, mechanism);
            if echoed.congestion {
                self.on_mark(number, now, mechanism);
            }
            self.rtt.end_back_off(&mechanism.rto);
            self.cancel_probes();
        }
        let lost = self.detect_lost_packets(now, mechanism, counters);
        echoed.holds_window = newest.is_none_or(|number| self.is_of_before_recovery_period(number));
        self.counts.delivered += delivered;
        counters.acked += u64::from(delivered);
        if delivered > 0 {
            let forward = delay.forward;
            let facts =
                AckFacts { packet, feedback, rtt, forward, prior, delivered, lost, echoed, reduces: false };
            self.notify_controller(&facts, now, mechanism, counters);
        } else {
            self.loss.defer_lost(lost);
        }
        self.set_loss_detection_timer(now);
    }

    /// End the recovery period, if the packet that is acknowledged left in it. Section 7.3.2: "A recovery period ends and
    /// the sender enters congestion avoidance when a packet sent during the recovery period is acknowledged."
    /// <https://www.rfc-editor.org/rfc/rfc9002#section-7.3.2>
    fn exit_recovery_period(&mut self, number: u64, now: Time, mechanism: &Mechanism) {
        if number >= self.quic_mut().recovery_start && self.recovery.reopen() {
            self.notify_congestion(CongestionEvent::ExitRecovery, now, mechanism);
        }
    }

    /// Answer a mark that the ACK of a packet reports, unless that packet left before the latest recovery period. Section
    /// 7.1: "QUIC treats a Congestion Experienced (CE) codepoint in the IP header as a signal of congestion."
    /// <https://www.rfc-editor.org/rfc/rfc9002#section-7.1>
    fn on_mark(&mut self, number: u64, now: Time, mechanism: &Mechanism) {
        if number >= self.quic_mut().recovery_start {
            self.begin_recovery_period();
            self.recovery.congestion_seen = true;
            self.notify_congestion(CongestionEvent::EcnEcho, now, mechanism);
        }
    }

    /// Returns true if the acknowledgment of a packet opens no window (appendix B.5, `InCongestionRecovery`). It is asked
    /// after marks and losses of the same ACK, which come first (appendix A.7). Senders with an exact response to marks grow
    /// meanwhile.
    /// <https://www.rfc-editor.org/rfc/rfc9002#appendix-B.5>
    fn is_of_before_recovery_period(&mut self, number: u64) -> bool {
        let is_exact = matches!(self.ecn.agreed(), Ecn::Dctcp | Ecn::L4s);
        number < self.quic_mut().recovery_start && !is_exact
    }

    fn begin_recovery_period(&mut self) {
        if let Some(packets) = self.loss.packets() {
            let recovery_start = packets.next_number();
            self.quic_mut().recovery_start = recovery_start;
        }
    }

    /// Find lost packets and answer their loss; the number of those to tell the controller of. Appendix B.8, `OnPacketsLost`:
    /// a recovery period begins unless the latest of them left before the present one, and persistent congestion leaves the
    /// least window, with the threshold that the loss has led to.
    /// <https://www.rfc-editor.org/rfc/rfc9002#appendix-B.8>
    fn detect_lost_packets(&mut self, now: Time, mechanism: &Mechanism, counters: &mut Counters) -> u32 {
        let Quic { latest_rtt, recovery_start } = *self.quic_mut();
        let (detection, view) = self.loss_and_view(now, mechanism);
        let losses = detection.packets().map(|packets| packets.detect_loss(latest_rtt, &view));
        let Losses { count, latest, persistent } = losses.unwrap_or_default();
        self.tell_changes(now, mechanism);
        if latest.is_some_and(|latest| latest >= recovery_start) {
            counters.recoveries += 1;
            self.begin_recovery_period();
            self.recovery.enter_fast_recovery(self.seq.snd_nxt);
            self.notify_congestion(CongestionEvent::EnterRecovery, now, mechanism);
        }
        if persistent {
            counters.timeouts += 1;
            self.on_persistent_congestion(now, mechanism);
        }
        count
    }

    /// Section 7.6.2: "the sender's congestion window MUST be reduced to the minimum congestion window (`kMinimumWindow`)";
    /// section 5.2: "Endpoints SHOULD set the `min_rtt` to the newest RTT sample after persistent congestion is established."
    /// <https://www.rfc-editor.org/rfc/rfc9002#section-7.6.2>
    fn on_persistent_congestion(&mut self, now: Time, mechanism: &Mechanism) {
        let ssthresh = self.control.algorithm.ssthresh();
        self.notify_congestion(CongestionEvent::Rto, now, mechanism);
        if let Some(ssthresh) = ssthresh {
            let window = MINIMUM_WINDOW * f64::from(mechanism.smss);
            self.control.algorithm.override_window(window, ssthresh);
        }
        self.recovery.reopen();
        self.notify_congestion(CongestionEvent::ExitRecovery, now, mechanism);
        let quic = self.quic_mut();
        quic.recovery_start = 0;
        self.rtt.min_rtt = self.quic_mut().latest_rtt;
    }

    /// Serve the loss detection timer (appendix A.9, `OnLossDetectionTimeout`). Section 6.2.1: "When a PTO timer expires, the
    /// PTO backoff MUST be increased, resulting in the PTO period being set to twice its current value." Section 6.2: it
    /// "does not indicate packet loss and MUST NOT cause prior unacknowledged packets to be marked as lost".
    /// <https://www.rfc-editor.org/rfc/rfc9002#appendix-A.9>
    pub(super) fn on_loss_detection_timeout(
        &mut self,
        now: Time,
        mechanism: &Mechanism,
        counters: &mut Counters,
    ) {
        if self.loss.deadline() <= now {
            let lost = self.detect_lost_packets(now, mechanism, counters);
            self.loss.defer_lost(lost);
            self.set_loss_detection_timer(now);
        } else {
            self.rtt.back_off(&mechanism.rto);
            self.rto_at = now + self.rtt.rto();
            self.recovery.send_one_despite_cwnd = true;
            if let Some(packets) = self.loss.packets() {
                packets.set_probes(PROBES);
            }
        }
    }

    /// Note that a packet has left. A second probe may follow it whatever the window. Section 6.2.1: "The PTO timer MUST NOT be
    /// set if a timer is set for time threshold loss detection".
    pub(super) fn on_packet_sent(&mut self) {
        if let Some(packets) = self.loss.packets() {
            self.recovery.send_one_despite_cwnd |= packets.probes() > 0;
        }
        if self.loss.deadline() < Time::NEVER {
            self.rto_at = Time::NEVER;
        }
    }

    /// Set the probe timeout (appendix A.8, `SetLossDetectionTimer`): from the latest packet sent, where no timer for the time
    /// threshold runs. Once all is delivered, nothing is probed for.
    /// <https://www.rfc-editor.org/rfc/rfc9002#appendix-A.8>
    fn set_loss_detection_timer(&mut self, now: Time) {
        let is_off = self.seq.flight_size() == 0 || self.loss.deadline() < Time::NEVER;
        self.rto_at = if is_off { Time::NEVER } else { (self.last_sent + self.rtt.rto()).max(now) };
    }

    /// Call off probes that are not needed.
    fn cancel_probes(&mut self) {
        if let Some(packets) = self.loss.packets()
            && packets.probes() > 0
        {
            packets.set_probes(0);
            self.recovery.send_one_despite_cwnd = false;
        }
    }

    fn quic_mut(&mut self) -> &mut Quic {
        self.options.as_mut().and_then(|options| options.quic.as_mut()).expect("only QUIC asks")
    }
}

/// Time at which the latest packet left that has a stamp. One that took 70 s or more is taken for a later one.
fn sent_at(stamp: u32, now: Time) -> Time {
    Time(packet::to_grain(now).0.saturating_sub(packet::since(now, stamp).0))
}
