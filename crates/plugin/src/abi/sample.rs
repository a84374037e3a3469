//! Inputs of a controller: events, ACKs, headers, the state of the flow.

use congestion::{
    AckSample, CongestionEvent, Duration, Ecn, Feedback, Flow, Load, RateSample, RoundSample, Time,
};

use super::bit;

/// The number of an event.
#[must_use]
pub fn event_number(event: CongestionEvent) -> u32 {
    match event {
        CongestionEvent::EnterRecovery => 0,
        CongestionEvent::ExitRecovery => 1,
        CongestionEvent::EcnEcho => 2,
        CongestionEvent::Rto => 3,
    }
}

/// The event of a number.
#[must_use]
pub fn event(number: u32) -> Option<CongestionEvent> {
    Some(match number {
        0 => CongestionEvent::EnterRecovery,
        1 => CongestionEvent::ExitRecovery,
        2 => CongestionEvent::EcnEcho,
        3 => CongestionEvent::Rto,
        _ => return None,
    })
}

/// An [`AckSample`]; `present` says which of its parts are there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawAck {
    pub(super) delivered: u64,
    pub(super) lost: u64,
    pub(super) ce_marked: u64,
    pub(super) rtt: u64,
    pub(super) forward_delay: u64,
    pub(super) rate_delivered: u64,
    pub(super) rate_interval: u64,
    pub(super) rate_rtt: u64,
    pub(super) round_min_rtt: u64,
    pub(super) round_delivered: u64,
    pub(super) round_lost: u64,
    pub(super) round_ce_marked: u64,
    pub(super) round_rtt_count: u32,
    pub(super) present: u32,
    pub(super) feedback: RawFeedback,
}

impl RawAck {
    const RTT: u32 = 1;
    const FORWARD_DELAY: u32 = 2;
    const RATE: u32 = 4;
    const APP_LIMITED: u32 = 8;
    const ROUND: u32 = 16;
    const ROUND_MIN_RTT: u32 = 32;
    const RATE_RTT: u32 = 64;

    /// The other way; none if it makes no sense.
    #[must_use]
    pub fn read(&self) -> Option<AckSample> {
        let has = |bit| self.present & bit != 0;
        let rate = has(Self::RATE).then_some(RateSample {
            delivered: self.rate_delivered,
            interval: Duration(self.rate_interval),
            app_limited: has(Self::APP_LIMITED),
            rtt: has(Self::RATE_RTT).then_some(Duration(self.rate_rtt)),
        });
        let round = has(Self::ROUND).then_some(RoundSample {
            min_rtt: has(Self::ROUND_MIN_RTT).then_some(Duration(self.round_min_rtt)),
            rtt_count: self.round_rtt_count,
            delivered: self.round_delivered,
            lost: self.round_lost,
            ce_marked: self.round_ce_marked,
        });
        Some(AckSample {
            delivered: self.delivered,
            lost: self.lost,
            ce_marked: self.ce_marked,
            rtt: has(Self::RTT).then_some(Duration(self.rtt)),
            forward_delay: has(Self::FORWARD_DELAY).then_some(Duration(self.forward_delay)),
            rate,
            round,
            feedback: self.feedback.read()?,
        })
    }
}

impl From<&AckSample> for RawAck {
    fn from(ack: &AckSample) -> Self {
        let AckSample { delivered, lost, ce_marked, rtt, forward_delay, rate, round, feedback } = *ack;
        let mut present = bit(Self::RTT, rtt.is_some()) | bit(Self::FORWARD_DELAY, forward_delay.is_some());
        let (mut rate_delivered, mut rate_interval, mut rate_rtt) = (0, 0, 0);
        if let Some(RateSample { delivered, interval, app_limited, rtt }) = rate {
            present |= Self::RATE | bit(Self::APP_LIMITED, app_limited) | bit(Self::RATE_RTT, rtt.is_some());
            (rate_delivered, rate_interval) = (delivered, interval.0);
            rate_rtt = rtt.map_or(0, |span| span.0);
        }
        let mut raw = Self {
            delivered,
            lost,
            ce_marked,
            rtt: rtt.map_or(0, |span| span.0),
            forward_delay: forward_delay.map_or(0, |span| span.0),
            rate_delivered,
            rate_interval,
            rate_rtt,
            round_min_rtt: 0,
            round_delivered: 0,
            round_lost: 0,
            round_ce_marked: 0,
            round_rtt_count: 0,
            present,
            feedback: RawFeedback::from(feedback),
        };
        if let Some(RoundSample { min_rtt, rtt_count, delivered, lost, ce_marked }) = round {
            raw.present |= Self::ROUND | bit(Self::ROUND_MIN_RTT, min_rtt.is_some());
            raw.round_min_rtt = min_rtt.map_or(0, |span| span.0);
            raw.round_rtt_count = rtt_count;
            raw.round_delivered = delivered;
            raw.round_lost = lost;
            raw.round_ce_marked = ce_marked;
        }
        raw
    }
}

/// A [`Feedback`]; `kind` is 0 for none, 1 for XCP, 2 for VCP.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct RawFeedback {
    pub(super) cwnd: f64,
    pub(super) rtt: f64,
    pub(super) feedback: f64,
    pub(super) kind: u32,
    pub(super) region: u32,
}

impl From<Feedback> for RawFeedback {
    fn from(feedback: Feedback) -> Self {
        match feedback {
            Feedback::None => Self::default(),
            Feedback::Xcp { cwnd, rtt, feedback } => Self { cwnd, rtt, feedback, kind: 1, region: 0 },
            Feedback::Vcp(load) => Self { kind: 2, region: load as u32, ..Self::default() },
        }
    }
}

impl RawFeedback {
    /// The other way; none if it makes no sense.
    #[must_use]
    pub fn read(&self) -> Option<Feedback> {
        Some(match self.kind {
            0 => Feedback::None,
            1 => Feedback::Xcp { cwnd: self.cwnd, rtt: self.rtt, feedback: self.feedback },
            2 => Feedback::Vcp(*[Load::Low, Load::High, Load::Over].get(self.region as usize)?),
            _ => return None,
        })
    }
}

/// A [`Flow`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawFlow {
    pub(super) now: u64,
    pub(super) in_flight: u64,
    pub(super) flight_size: u64,
    pub(super) srtt: u64,
    pub(super) min_rtt: u64,
    pub(super) next_send_time: u64,
    pub(super) smss: u32,
    pub(super) flags: u32,
}

impl RawFlow {
    const IN_RECOVERY: u32 = 1;
    const CWND_LIMITED: u32 = 2;
    /// Place of two bits that are the number of [`Flow::ecn`] in [`Ecn::ALL`].
    const ECN_SHIFT: u32 = 2;
    const APP_LIMITED: u32 = 16;

    /// The other way.
    #[must_use]
    pub fn read(&self) -> Flow {
        Flow {
            now: Time(self.now),
            smss: self.smss,
            in_flight: self.in_flight,
            flight_size: self.flight_size,
            srtt: Duration(self.srtt),
            min_rtt: Duration(self.min_rtt),
            ecn: Ecn::ALL[(self.flags >> Self::ECN_SHIFT & 3) as usize],
            in_recovery: self.flags & Self::IN_RECOVERY != 0,
            cwnd_limited: self.flags & Self::CWND_LIMITED != 0,
            app_limited: self.flags & Self::APP_LIMITED != 0,
            next_send_time: Time(self.next_send_time),
        }
    }
}

impl From<&Flow> for RawFlow {
    fn from(flow: &Flow) -> Self {
        let Flow { now, smss, in_flight, flight_size, srtt, min_rtt, next_send_time, ecn, .. } = *flow;
        let flags = bit(Self::IN_RECOVERY, flow.in_recovery)
            | bit(Self::CWND_LIMITED, flow.cwnd_limited)
            | bit(Self::APP_LIMITED, flow.app_limited)
            | (ecn as u32) << Self::ECN_SHIFT;
        Self {
            now: now.0,
            in_flight,
            flight_size,
            srtt: srtt.0,
            min_rtt: min_rtt.0,
            next_send_time: next_send_time.0,
            smss,
            flags,
        }
    }
}
