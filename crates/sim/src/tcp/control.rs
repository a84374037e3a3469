//! Congestion control of a sender: the algorithm, and the window that it asked for last.

use congestion::{CongestionControl, Rate};

/// ACKs that open the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// All that deliver something, selectively, too.
    #[default]
    Delivered,
    /// Those that advance SND.UNA: RFC 5681 section 3.1 speaks of "each ACK received that cumulatively acknowledges
    /// new data"; Linux, `tcp_may_raise_cwnd`.
    Cumulative,
}

impl Growth {
    /// Returns true if an ACK that delivers something may open the window; `advanced` if it moves SND.UNA.
    #[must_use]
    #[inline]
    pub fn is_opened_by(self, advanced: bool) -> bool {
        advanced || self == Self::Delivered
    }
}

/// Controller in charge.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
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
    /// The application had nothing to send since the last restart, and all was acknowledged.
    pub ran_dry: bool,
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
            ran_dry: false,
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
    pub fn apply_decision(&mut self, smss: u32) -> Option<Rate> {
        let decision = self.algorithm.decision();
        let smss = f64::from(smss);
        self.cwnd_bytes = decision.cwnd;
        self.is_fractional = self.has_fractions && decision.cwnd < smss;
        self.cwnd = whole_segments(decision.cwnd, smss, self.cwnd);
        decision.pacing_rate
    }
}

/// Whole segments in a window, one at least, where there were `before`. Most ACKs change them by none, which is seen sooner
/// than a division is done.
#[inline]
fn whole_segments(cwnd: f64, smss: f64, before: u32) -> u32 {
    let least = f64::from(before) * smss;
    if (least..least + smss).contains(&cwnd) { before.max(1) } else { quotient(cwnd, smss).max(1) }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float to integer casts saturate, and a window beyond 2^32 segments is no limit"
)]
fn quotient(cwnd: f64, smss: f64) -> u32 {
    (cwnd / smss) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The quotient of a window a step below a whole number of segments is never rounded up to it.
        #[test]
        fn whole_segments_are_those_of_the_quotient(
            segments in prop_oneof![0..100u32, any::<u32>()],
            smss in 1u32..9000,
            steps in -2i64..=2,
            before in prop_oneof![Just(0), Just(1), any::<u32>()],
            near in any::<bool>(),
        ) {
            let smss = f64::from(smss);
            let whole = f64::from(segments) * smss;
            let cwnd = f64::from_bits(whole.max(1.0).to_bits().wrapping_add_signed(steps));
            let before = if near { segments.wrapping_add_signed(i32::try_from(steps).expect("it is small")) } else { before };
            let expected = quotient(cwnd, smss).max(1);
            prop_assert_eq!(whole_segments(cwnd, smss, before), expected, "{} {} {}", cwnd, smss, before);
        }
    }

    #[test]
    fn a_window_that_is_no_number_or_has_no_end_is_one_segment_or_all() {
        assert_eq!(whole_segments(f64::NAN, 1460.0, 10), 1);
        assert_eq!(whole_segments(f64::INFINITY, 1460.0, 10), u32::MAX);
        assert_eq!(whole_segments(0.0, 1460.0, 0), 1);
    }
}
