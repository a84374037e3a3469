//! Scripts by round trip.

use super::routers;
use super::transport::{Transport, Verdict};
use crate::control::{AckSample, CongestionControl, CongestionEvent, RateSample, RoundSample};
use crate::units::Duration;

impl<C: CongestionControl + ?Sized> Transport<C> {
    /// Plays a round trip: an ACK for every whole segment that window and pacing let out. The RTT is the same
    /// for all of them, and the first ACK already brings the summary of the round.
    ///
    /// # Errors
    /// A decision makes no sense.
    pub fn round(&mut self) -> Verdict {
        self.cwnd()?;
        let window = self.whole_window().min(self.paced());
        let rtt = self.path.rtt_of(window);
        let known = self.flow.min_rtt != Duration::ZERO;
        self.flow.srtt = rtt;
        self.flow.min_rtt = if known { self.flow.min_rtt.min(rtt) } else { rtt };
        self.flow.app_limited = self.app_limited;
        self.flow.cwnd_limited = !self.app_limited;
        self.set_flight(window.into());
        let ack = self.ack_of_round(window, rtt);
        let start = self.flow.now;
        let gap = rtt / u64::from(window);
        for index in 0..window {
            let is_last = index + 1 == window;
            let at = start + if is_last || self.path.compressed { rtt } else { gap * u64::from(index + 1) };
            self.pass(at.since(self.flow.now))?;
            self.report_ack(&AckSample { round: ack.round.filter(|_| index == 0), ..ack })?;
            self.arrived += 1;
            if self.path.lose_every.is_some_and(|spacing| self.arrived.is_multiple_of(spacing)) {
                self.lost += 1;
                self.report(CongestionEvent::EnterRecovery)?;
                self.report(CongestionEvent::ExitRecovery)?;
            }
        }
        self.fill()
    }

    /// Plays a round trip in which a lost segment is repaired.
    ///
    /// # Errors
    /// A decision makes no sense, or the loss has opened the window.
    pub fn lose(&mut self) -> Verdict {
        self.congestion(CongestionEvent::EnterRecovery)?;
        self.lost += 1;
        self.round()?;
        self.congestion(CongestionEvent::ExitRecovery)
    }

    /// ACK of one segment of a round of `window` of them; while losses are repaired it has no unambiguous RTT.
    fn ack_of_round(&mut self, window: u32, rtt: Duration) -> AckSample {
        let delivered = u64::from(window) * u64::from(self.flow.smss);
        let mut feedback = routers::stamp(&mut *self.controller, &self.flow);
        routers::pass_bottleneck(&mut feedback, window.into(), self.path.bdp(), self.smss());
        let app_limited = self.app_limited;
        AckSample {
            delivered: self.flow.smss.into(),
            rtt: (!self.flow.in_recovery).then_some(rtt),
            // The way back is free of queues.
            forward_delay: Some(rtt - self.path.rtt / 2),
            rate: Some(RateSample { delivered, interval: rtt, app_limited, rtt: Some(rtt) }),
            round: Some(RoundSample {
                min_rtt: Some(rtt),
                rtt_count: window,
                delivered,
                lost: 0,
                ce_marked: 0,
            }),
            feedback,
            ..AckSample::default()
        }
    }

    /// Window [whole segments].
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
    pub fn whole_window(&self) -> u32 {
        self.segments() as u32
    }

    /// Segments that pacing lets out in a round trip, once one is known.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
    fn paced(&self) -> u32 {
        match self.controller.decision().pacing_rate {
            Some(rate) if self.flow.srtt != Duration::ZERO => {
                ((rate.0 * self.flow.srtt.seconds() / self.smss()) as u32).max(1)
            }
            _ => u32::MAX,
        }
    }
}
