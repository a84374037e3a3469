//! Sender's side of the transport, and scripts by ACK.

use super::bottleneck::Bottleneck;
use super::path::Path;
use super::routers;
use crate::control::{AckSample, CongestionControl, CongestionEvent, Ecn, Flow, RateSample, RoundSample};
use crate::units::{Duration, Time};
use crate::window::to_float;

/// Answer to a step of a script: nothing, or a description of a decision that makes no sense.
pub type Verdict = Result<(), String>;

/// Round trip of which nothing has been sample.
pub(super) const EMPTY_ROUND: RoundSample =
    RoundSample { min_rtt: None, rtt_count: 0, delivered: 0, lost: 0, ce_marked: 0 };

/// Most wake-ups that [`Transport::pass`] allows.
const WAKE_UPS: u32 = 10_000;

/// Wait of a retransmission timer: RFC 6298 section 2.4, "SHOULD be rounded up to 1 second".
pub(super) const RTO: Duration = Duration::from_millis(1000);

/// One flow of a controller, driven by a script; see the [module](super).
#[derive(Debug)]
pub struct Transport<C: CongestionControl + ?Sized = dyn CongestionControl> {
    /// Controller under test.
    pub controller: Box<C>,
    /// Facts for the controller; a script may change them.
    pub flow: Flow,
    /// Path of the segments; a script may change it.
    pub path: Path,
    /// Application offers less than the window takes: by ACK a quarter of it, by path a quarter of the path's
    /// rate. By round the window is filled, and only said not to limit.
    pub app_limited: bool,
    /// Verdict of XCP's and VCP's routers on the next ACKs, from -1 (give way) to 1 (take more); by ACK.
    pub routers: f64,
    /// Segments delivered by round or by path.
    pub arrived: u64,
    /// Segments lost by round or by path.
    pub lost: u64,
    /// Round trip in progress, by ACK or by path.
    pub(super) round_sample: RoundSample,
    /// Bytes of it still to be acknowledged, by ACK.
    left: u64,
    pub(super) bottleneck: Bottleneck,
}

impl<C: CongestionControl + ?Sized> Transport<C> {
    /// Flow that begins at time zero and knows nothing of its path, of segments of `smss` bytes.
    pub fn new(controller: Box<C>, smss: u32, path: Path) -> Self {
        let ecn = controller.needs().ecn;
        Self {
            controller,
            flow: Flow { smss, ecn, ..Flow::default() },
            path,
            app_limited: false,
            routers: 1.0,
            arrived: 0,
            lost: 0,
            round_sample: EMPTY_ROUND,
            left: 0,
            bottleneck: Bottleneck::default(),
        }
    }

    /// Ends the handshake: the round trip is measured, and the initial window on its way. A script by ACK
    /// begins so.
    ///
    /// # Errors
    /// The decision makes no sense.
    pub fn connect(&mut self) -> Verdict {
        self.sample_rtt(self.path.rtt);
        self.fill()?;
        self.left = self.flow.flight_size;
        Ok(())
    }

    /// Window [bytes], once the decision as a whole makes sense.
    ///
    /// # Errors
    /// The window is not finite or below the [least](crate::Needs::least_window), or the pacing rate is not above zero.
    pub fn cwnd(&self) -> Result<f64, String> {
        let decision = self.controller.decision();
        let least = self.controller.needs().least_window(self.smss());
        if !decision.cwnd.is_finite() || decision.cwnd < least {
            return Err(format!("expected a cwnd of at least {least} bytes, got {}", decision.cwnd));
        }
        match decision.pacing_rate {
            Some(rate) if !(rate.0.is_finite() && rate.0 > 0.0) => {
                Err(format!("expected a pacing rate above 0 bytes/s, got {}", rate.0))
            }
            _ => Ok(decision.cwnd),
        }
    }

    /// Marks mean something to the controller, and reach it: those of RFC 3168 wait for a switch of the hosts.
    pub(super) fn is_ecn_capable(&self) -> bool {
        matches!(self.flow.ecn, Ecn::Dctcp | Ecn::L4s)
    }

    /// Window [segments].
    pub fn segments(&self) -> f64 {
        self.controller.decision().cwnd / self.smss()
    }

    /// Quantity that the controller records under this name.
    ///
    /// # Panics
    /// It records no such quantity.
    pub fn read(&self, name: &str) -> f64 {
        super::read(&*self.controller, name)
    }

    /// Reports an ACK with the facts as they are.
    ///
    /// # Errors
    /// The decision makes no sense.
    pub fn report_ack(&mut self, ack: &AckSample) -> Verdict {
        self.controller.on_ack(ack, &self.flow);
        self.cwnd().map(drop)
    }

    /// Reports the begin or end of an episode with the facts as they are.
    ///
    /// # Errors
    /// The decision makes no sense, or congestion has opened the window.
    pub fn report(&mut self, event: CongestionEvent) -> Verdict {
        let before = self.cwnd()?;
        self.report_after(event, before)
    }

    fn report_after(&mut self, event: CongestionEvent, before: f64) -> Verdict {
        match event {
            CongestionEvent::EnterRecovery | CongestionEvent::Rto => self.flow.in_recovery = true,
            CongestionEvent::ExitRecovery => self.flow.in_recovery = false,
            CongestionEvent::EcnEcho => {}
        }
        self.controller.on_congestion(event, &self.flow);
        let after = self.cwnd()?;
        if event != CongestionEvent::ExitRecovery && after > before {
            return Err(format!("{event:?} opened the window from {before} to {after} bytes"));
        }
        Ok(())
    }

    /// Takes in an RTT sample, as RFC 6298 section 2.3 does.
    pub fn sample_rtt(&mut self, rtt: Duration) {
        let Flow { srtt, min_rtt, .. } = &mut self.flow;
        *srtt = if *srtt == Duration::ZERO { rtt } else { (*srtt * 7 + rtt) / 8 };
        *min_rtt = if *min_rtt == Duration::ZERO { rtt } else { rtt.min(*min_rtt) };
    }

    /// Sends what window and application allow.
    ///
    /// # Errors
    /// The decision makes no sense.
    pub fn fill(&mut self) -> Verdict {
        let segments = whole(self.cwnd()? / self.smss()).clamp(1, 1 << 20);
        self.set_flight(if self.app_limited { segments.div_ceil(4) } else { segments });
        self.flow.app_limited = self.app_limited;
        self.flow.cwnd_limited = !self.app_limited;
        Ok(())
    }

    /// Lets time pass, and wakes the controller when it has asked for that.
    ///
    /// # Errors
    /// The controller would never sleep, or a decision makes no sense.
    pub fn pass(&mut self, span: Duration) -> Verdict {
        let end = self.flow.now + span;
        for _ in 0..WAKE_UPS {
            let Some(at) = self.controller.wakeup().filter(|&at| at <= end) else {
                self.flow.now = end;
                return Ok(());
            };
            self.wake(at)?;
            self.fill()?;
        }
        Err(format!("expected fewer than {WAKE_UPS} wake-ups in {} s", span.seconds()))
    }

    pub(super) fn wake(&mut self, at: Time) -> Verdict {
        self.flow.now = self.flow.now.max(at);
        self.controller.on_wakeup(&self.flow);
        if self.controller.wakeup().is_some_and(|next| next <= self.flow.now) {
            return Err("expected a wake-up in the future, got one that has passed".into());
        }
        self.cwnd().map(drop)
    }

    /// Reports one ACK of some segments, at most the flight, and what it says of others: so many `lost`, so
    /// many `marked`. Its part of the round-trip time passes before.
    ///
    /// # Errors
    /// A decision makes no sense.
    pub fn acknowledge(&mut self, segments: u64, lost: u64, marked: u64, rtt: Duration) -> Verdict {
        let smss = u64::from(self.flow.smss);
        let (lost, ce_marked) = (lost * smss, marked * smss);
        let delivered = (segments * smss).min(self.flow.flight_size);
        self.pass(rtt * delivered / self.flow.flight_size.max(1))?;
        self.sample_rtt(rtt);
        self.add_to_round(delivered, lost, ce_marked, rtt);
        self.left = self.left.saturating_sub(delivered);
        let round = (self.left == 0).then(|| std::mem::replace(&mut self.round_sample, EMPTY_ROUND));
        let flight = self.flow.flight_size.max(1);
        let mut feedback = routers::stamp(&mut *self.controller, &self.flow);
        let flights = to_float(delivered) / to_float(flight);
        let taken = to_float(self.flow.flight_size);
        routers::follow_script(&mut feedback, self.routers, flights, self.smss(), taken);
        self.report_ack(&AckSample {
            delivered,
            lost,
            ce_marked,
            rtt: Some(rtt),
            forward_delay: Some(rtt / 2),
            rate: Some(RateSample {
                delivered: flight,
                interval: rtt,
                app_limited: self.app_limited,
                rtt: Some(rtt),
            }),
            round,
            feedback,
        })?;
        self.fill()?;
        if round.is_some() {
            self.left = self.flow.flight_size;
        }
        Ok(())
    }

    /// Adds an ACK to the round in progress.
    pub(super) fn add_to_round(&mut self, delivered: u64, lost: u64, ce_marked: u64, rtt: Duration) {
        let sample = &mut self.round_sample;
        sample.min_rtt = Some(sample.min_rtt.map_or(rtt, |least| least.min(rtt)));
        sample.rtt_count += 1;
        sample.delivered += delivered;
        sample.lost += lost;
        sample.ce_marked += ce_marked;
    }

    /// Acknowledges a flight segment by segment; one of thousands of segments in larger parts.
    ///
    /// # Errors
    /// A decision makes no sense.
    pub fn flight(&mut self) -> Verdict {
        let segments = self.flow.flight_size / u64::from(self.flow.smss);
        let part = segments.div_ceil(256);
        for _ in 0..segments.div_ceil(part) {
            self.acknowledge(part, 0, 0, self.path.rtt)?;
        }
        Ok(())
    }

    /// Reports the begin or end of an episode, and fills the window afterwards.
    ///
    /// # Errors
    /// The decision makes no sense, or congestion has opened the window.
    pub fn congestion(&mut self, event: CongestionEvent) -> Verdict {
        self.flow.app_limited = false;
        self.flow.cwnd_limited = true;
        self.report(event)?;
        self.fill()
    }

    /// Waits a second for ACKs that do not come. After that nothing counts as in flight any more.
    ///
    /// # Errors
    /// The decision makes no sense, or the timeout has opened the window.
    pub fn timeout(&mut self) -> Verdict {
        let before = self.cwnd()?;
        self.pass(RTO)?;
        self.flow.in_flight = 0;
        self.flow.app_limited = false;
        self.flow.cwnd_limited = true;
        self.report_after(CongestionEvent::Rto, before)?;
        self.fill()
    }

    /// Size of a segment [bytes].
    pub(super) fn smss(&self) -> f64 {
        f64::from(self.flow.smss)
    }

    pub(super) fn set_flight(&mut self, segments: u64) {
        self.flow.flight_size = segments * u64::from(self.flow.smss);
        self.flow.in_flight = self.flow.flight_size;
    }
}

/// Positive number without its fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
pub(super) fn whole(number: f64) -> u64 {
    number as u64
}
