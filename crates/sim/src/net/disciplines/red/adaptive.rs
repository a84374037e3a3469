//! Changes of RED's `max_p` by the average queue.

use congestion::{Duration, Time};

use super::RedParameters;

/// Rule by which `max_p` follows the average queue.
#[derive(Clone, Copy, Debug)]
pub(super) enum Adaptation {
    /// It stays.
    Fixed,
    /// Adaptive RED (Floyd, Gummadi, Shenker 2001).
    Aimd(Aimd),
    /// Feng, Kandlur, Saha, Shin, *A Self-Configuring RED Gateway*, Infocom 1999.
    Feng(Side),
}

/// Additive increase, multiplicative decrease, at every multiple of an interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aimd {
    interval: Duration,
    alpha: f64,
    beta: f64,
    top: f64,
    bottom: f64,
    next: Time,
}

/// Side of the band that the average queue was on last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Below,
    Between,
    Above,
}

impl Adaptation {
    /// At a server of `rate` mean packets per second.
    pub fn new(p: &RedParameters, rate: f64) -> Self {
        if p.feng {
            return Self::Feng(Side::Above);
        }
        if !p.adaptive {
            return Self::Fixed;
        }
        let interval = Duration::from_seconds(p.interval);
        let bottom = p.bottom.unwrap_or_else(|| (1.0 / (0.1 * rate)).min(0.01)).min(p.top);
        let next = Time::ZERO + interval;
        Self::Aimd(Aimd { interval, alpha: p.alpha, beta: p.beta, top: p.top, bottom, next })
    }

    /// The next change that is due by `now`; it is done with.
    pub fn due(&mut self, now: Time) -> Option<Time> {
        let Self::Aimd(aimd) = self else { return None };
        let at = aimd.next;
        if at > now {
            return None;
        }
        aimd.next += aimd.interval;
        Some(at)
    }

    /// Leave out the changes that are due by `until`.
    pub fn skip_to(&mut self, until: Time) {
        if let Self::Aimd(aimd) = self
            && aimd.next <= until
        {
            aimd.next += aimd.interval * (until.since(aimd.next) / aimd.interval + 1);
        }
    }

    /// Adaptive RED, figure 1: an average above the target raises `max_p` by min(alpha, `max_p` / 4), one below it lowers it
    /// by the factor beta. The target reaches from 40 to 60 % of the way between the thresholds.
    pub fn adapted(&self, max_p: f64, avg: f64, min_th: f64, max_th: f64) -> f64 {
        let Self::Aimd(aimd) = self else { return max_p };
        let part = 0.4 * (max_th - min_th);
        if avg < min_th + part && max_p > aimd.bottom {
            (max_p * aimd.beta).max(aimd.bottom)
        } else if avg > max_th - part && max_p < aimd.top {
            (max_p + aimd.alpha.min(max_p / 4.0)).min(aimd.top)
        } else {
            max_p
        }
    }

    /// Feng: `max_p` after the average queue has come to `avg`. It doubles on leaving the band upwards, and is divided by
    /// three on leaving it downwards, once each time.
    pub fn crossed(&mut self, max_p: f64, avg: f64, min_th: f64, max_th: f64) -> f64 {
        let Self::Feng(side) = self else { return max_p };
        let now = match avg {
            avg if avg < min_th => Side::Below,
            avg if avg > max_th => Side::Above,
            _ => Side::Between,
        };
        let before = std::mem::replace(side, now);
        match now {
            Side::Below if before != now => max_p / 3.0,
            Side::Above if before != now => (max_p * 2.0).min(1.0),
            _ => max_p,
        }
    }
}
