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
}

impl Control {
    /// Controller whose decision is not in force yet.
    #[must_use]
    pub fn new(algorithm: Box<dyn CongestionControl>) -> Self {
        let sends_headers = algorithm.needs().feedback.is_some();
        Self { algorithm, cwnd_bytes: 0.0, cwnd: 1, sends_headers }
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
        self.cwnd = ((decision.cwnd / f64::from(smss)) as u32).max(1);
        decision.pacing_rate
    }
}
