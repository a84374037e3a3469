//! Alternative Backoff with ECN ([RFC 8511]): a smaller answer to a mark than to a loss. A part that any controller
//! with a multiplicative decrease may hold.
//!
//! [RFC 8511]: https://www.rfc-editor.org/rfc/rfc8511

use crate::algorithm::Param;
use crate::control::CongestionEvent;
use crate::window::Window;

/// The parameter that switches ABE on, the same in every algorithm that holds it.
///
/// [RFC 8511 section 3.1]: "The recommendation in this document specifies a value of beta_{ecn}=0.8. This recommended
/// beta_{ecn} value is only applicable for the standard TCP congestion control", and "CUBIC connections benefit from
/// beta_{ecn} of 0.85 (cf. beta_{loss} = 0.7)".
///
/// [RFC 8511 section 3.1]: https://www.rfc-editor.org/rfc/rfc8511#section-3.1
pub(crate) const BETA_ECN: Param = Param {
    name: "beta_ecn",
    default: 0.0,
    min: 0.0,
    max: 0.94,
    unit: "1",
    doc: "Part of the window kept on a mark in congestion avoidance (ABE, RFC 8511: 0.8 for Reno, 0.85 for CUBIC); \
          0 answers a mark as a loss",
};

/// Part of the window that `event` leaves: `beta_ecn` of a mark in congestion avoidance, where that is not zero, else
/// `beta_loss`.
///
/// RFC 8511: "the TCP sender-side ECN reaction in congestion avoidance".
pub(crate) fn beta(event: CongestionEvent, beta_loss: f64, beta_ecn: f64, window: &Window) -> f64 {
    let is_milder = event == CongestionEvent::EcnEcho && beta_ecn > 0.0 && !window.in_slow_start();
    if is_milder { beta_ecn } else { beta_loss }
}
