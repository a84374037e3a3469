//! Congestion control of a sender: the algorithm, and the window that it asked for last.

use congestion::{CongestionControl, Rate};

/// Controller in charge.
#[derive(Debug)]
pub struct Control {
    /// Its algorithm.
    pub algorithm: Box<dyn CongestionControl>,
    /// Congestion window in force (cwnd) [bytes].
    pub cwnd_bytes: f64,
    /// Whole segments that the window allows in flight, one at least.
    pub cwnd: u32,
    /// Segments carry congestion headers for the algorithm.
    pub sends_headers: bool,
    /// The algorithm may ask for a window below one segment.
    has_fractions: bool,
    /// The window is below one segment: one segment leaves per so many round trips as fill it.
    pub is_fractional: bool,
}

impl Control {
    /// Controller whose decision is not in force yet.
    #[must_use]
    pub fn new(algorithm: Box<dyn CongestionControl>) -> Self {
        let needs = algorithm.needs();
        Self {
            algorithm,
            cwnd_bytes: 0.0,
            cwnd: 1,
            sends_headers: needs.feedback.is_some(),
            has_fractions: needs.least_window(1.0) < 1.0,
            is_fractional: false,
        }
    }

    /// Put a window of `segments` in force instead of the algorithm's.
    #[cold]
    pub fn replace_window(&mut self, segments: u32, smss: u32) {
        self.cwnd = segments;
        self.cwnd_bytes = f64::from(segments) * f64::from(smss);
    }

    /// Put the algorithm's window in force for segments of `smss` bytes; the rate at which it wants them paced.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float to integer casts saturate, and a window beyond 2^32 segments is no limit"
    )]
    pub fn apply_decision(&mut self, smss: u32) -> Option<Rate> {
        let decision = self.algorithm.decision();
        self.cwnd_bytes = decision.cwnd;
        self.is_fractional = self.has_fractions && decision.cwnd < f64::from(smss);
        self.cwnd = ((decision.cwnd / f64::from(smss)) as u32).max(1);
        decision.pacing_rate
    }
}
