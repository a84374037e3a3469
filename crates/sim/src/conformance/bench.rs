//! A transport that is played by hand: a window of segments without a network.

use congestion::{
    AckSample, CongestionControl, CongestionEvent, Duration, Feedback, Flow, Initial, Load, RateSample,
    RoundSample, Time,
};

use super::{Subject, Verdict};

pub(super) const SMSS: u32 = 1460;
pub(super) const SEGMENT: f64 = SMSS as f64;
pub(super) const RTT: Duration = Duration::from_millis(40);
/// A transport played by hand.
pub(super) struct Bench {
    pub(super) control: Box<dyn CongestionControl>,
    pub(super) flow: Flow,
    /// Delivered and still to be delivered in the round in progress [bytes].
    delivered: u64,
    left: u64,
    lost: u64,
    marked: u64,
    samples: u32,
    /// The application offers enough to fill the window.
    pub(super) limited: bool,
    /// What routers answer to the headers of the next ACK's segments, from -1 (give way) to 1 (take more).
    pub(super) routers: f64,
}

impl Bench {
    pub(super) fn new(subject: &Subject<'_>, initial: &Initial) -> Result<Self, String> {
        let mut bench = Self {
            control: (subject.create)(initial),
            flow: Flow { now: Time(1_000_000_000_000), smss: SMSS, ..Flow::default() },
            delivered: 0,
            left: 0,
            lost: 0,
            marked: 0,
            samples: 0,
            limited: true,
            routers: 1.0,
        };
        // The handshake has measured the round trip.
        (bench.flow.srtt, bench.flow.min_rtt) = (RTT, RTT);
        bench.fill()?;
        bench.left = bench.flow.flight_size;
        Ok(bench)
    }

    /// Send what the window allows.
    pub(super) fn fill(&mut self) -> Verdict {
        let segments = whole(self.cwnd()? / SEGMENT).clamp(1, 1 << 20);
        let used = if self.limited { segments } else { segments.div_ceil(4) };
        self.flow.flight_size = used * u64::from(SMSS);
        self.flow.in_flight = self.flow.flight_size;
        self.flow.cwnd_limited = self.limited;
        Ok(())
    }

    /// The window, once the decision as a whole makes sense.
    pub(super) fn cwnd(&self) -> Result<f64, String> {
        let decision = self.control.decision();
        if !decision.cwnd.is_finite() || decision.cwnd < SEGMENT {
            return Err(format!("expected a cwnd of at least {SMSS} bytes, got {}", decision.cwnd));
        }
        match decision.pacing_rate {
            Some(rate) if !(rate.0.is_finite() && rate.0 > 0.0) => {
                Err(format!("expected a pacing rate above 0 bytes/s, got {}", rate.0))
            }
            _ => Ok(decision.cwnd),
        }
    }

    pub(super) fn pass(&mut self, span: Duration) -> Verdict {
        let end = self.flow.now + span;
        for _ in 0..10_000 {
            let Some(at) = self.control.wakeup().filter(|&at| at <= end) else {
                self.flow.now = end;
                return Ok(());
            };
            self.flow.now = self.flow.now.max(at);
            self.control.on_wakeup(&self.flow);
            if self.control.wakeup().is_some_and(|next| next <= self.flow.now) {
                return Err("expected a wake-up in the future, got one that has passed".into());
            }
            self.fill()?;
        }
        Err(format!("expected fewer than 10000 wake-ups in {} s", span.seconds()))
    }

    /// One ACK of some segments, at most the flight.
    pub(super) fn ack(&mut self, segments: u64, lost: u64, marked: u64, rtt: Duration) -> Verdict {
        let smss = u64::from(SMSS);
        let delivered = (segments * smss).min(self.flow.flight_size);
        self.pass(Duration(rtt.0 * delivered / self.flow.flight_size.max(1)))?;
        self.flow.srtt = Duration((7 * self.flow.srtt.0 + rtt.0) / 8);
        self.flow.min_rtt = self.flow.min_rtt.min(rtt);
        self.delivered += delivered;
        self.lost += lost * smss;
        self.marked += marked * smss;
        self.samples += 1;
        self.left = self.left.saturating_sub(delivered);
        let round = (self.left == 0).then_some(RoundSample {
            min_rtt: Some(rtt),
            rtt_count: self.samples,
            delivered: self.delivered,
            lost: self.lost,
            ce_marked: self.marked,
        });
        let feedback = self.answer(delivered);
        let ack = AckSample {
            delivered,
            lost: lost * smss,
            ce_marked: marked * smss,
            rtt: Some(rtt),
            forward_delay: Some(Duration(rtt.0 / 2)),
            rate: Some(RateSample {
                delivered: self.flow.flight_size.max(1),
                interval: rtt,
                app_limited: !self.limited,
            }),
            round,
            feedback,
        };
        self.control.on_ack(&ack, &self.flow);
        self.fill()?;
        if round.is_some() {
            (self.delivered, self.lost, self.marked, self.samples) = (0, 0, 0, 0);
            self.left = self.flow.flight_size;
        }
        Ok(())
    }

    /// The headers that come back with an ACK of so many bytes: XCP's routers grant a segment per flight and
    /// take as much as that times the flight's segments, VCP's say how loaded they are.
    fn answer(&mut self, delivered: u64) -> Feedback {
        let mut header = Feedback::None;
        self.control.on_send(&mut header, &self.flow);
        match &mut header {
            Feedback::Xcp { feedback, .. } => {
                let flights = float(delivered) / float(self.flow.flight_size.max(1));
                let most = if self.routers > 0.0 { SEGMENT } else { float(self.flow.flight_size) };
                *feedback = self.routers * flights * most;
            }
            Feedback::Vcp(load) if self.routers < -0.3 => *load = Load::Over,
            Feedback::Vcp(load) if self.routers < 0.3 => *load = Load::High,
            Feedback::None | Feedback::Vcp(_) => {}
        }
        header
    }

    /// A flight, acknowledged segment by segment.
    pub(super) fn round(&mut self) -> Verdict {
        let segments = self.flow.flight_size / u64::from(SMSS);
        // A window of thousands of segments is acknowledged in larger parts.
        let part = segments.div_ceil(256);
        for _ in 0..segments.div_ceil(part) {
            self.ack(part, 0, 0, RTT)?;
        }
        Ok(())
    }

    pub(super) fn congestion(&mut self, event: CongestionEvent) -> Verdict {
        let before = self.cwnd()?;
        match event {
            CongestionEvent::EnterRecovery => self.flow.in_recovery = true,
            CongestionEvent::Rto => {
                // RFC 6298: the timer waits at least a second, and nothing counts as in flight any more.
                self.pass(Duration::from_millis(1000))?;
                self.flow.in_recovery = true;
                self.flow.in_flight = 0;
            }
            CongestionEvent::ExitRecovery => self.flow.in_recovery = false,
            CongestionEvent::EcnEcho => {}
        }
        self.flow.cwnd_limited = true;
        self.control.on_congestion(event, &self.flow);
        let after = self.cwnd()?;
        if event != CongestionEvent::ExitRecovery && after > before {
            return Err(format!("{event:?} opened the window from {before} to {after} bytes"));
        }
        self.fill()
    }
}

/// A positive number without its fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
pub(super) fn whole(number: f64) -> u64 {
    number as u64
}

#[expect(clippy::cast_precision_loss, reason = "a window has far fewer than 2^53 bytes")]
fn float(bytes: u64) -> f64 {
    bytes as f64
}
