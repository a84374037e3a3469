//! Headers of XCP and VCP as they come back to the sender.

use crate::control::{CongestionControl, Feedback, Flow, Load};

/// Header as the controller stamps it on a segment.
pub(super) fn stamp<C: CongestionControl + ?Sized>(controller: &mut C, flow: &Flow) -> Feedback {
    let mut header = Feedback::None;
    controller.on_send(&mut header, flow);
    header
}

/// Header after a bottleneck that holds `window` segments of a path of `bdp`: XCP's aggregate feedback in equal
/// parts, without shuffling, or VCP's load, measured once per round.
pub(super) fn pass_bottleneck(header: &mut Feedback, window: f64, bdp: f64, smss: f64) {
    let queue = (window - bdp).max(0.0);
    match header {
        Feedback::None => {}
        Feedback::Xcp { feedback, .. } => {
            let spare = (bdp - window).max(0.0);
            *feedback = (0.4 * spare - 0.226 * queue) / window * smss;
        }
        Feedback::Vcp(load) => {
            let offered = (window.min(bdp) + 0.5 * queue) / (0.98 * bdp);
            *load = match offered {
                low if low < 0.8 => Load::Low,
                high if high < 1.0 => Load::High,
                _ => Load::Over,
            };
        }
    }
}

/// Header on an ACK of `flights` flights, as scripted from -1 (give way) to 1 (take more). XCP's routers grant a
/// segment per flight and take as much as that times the flight's segments.
pub(super) fn follow_script(header: &mut Feedback, verdict: f64, flights: f64, smss: f64, flight: f64) {
    match header {
        Feedback::Xcp { feedback, .. } => {
            let most = if verdict > 0.0 { smss } else { flight };
            *feedback = verdict * flights * most;
        }
        Feedback::Vcp(load) if verdict < -0.3 => *load = Load::Over,
        Feedback::Vcp(load) if verdict < 0.3 => *load = Load::High,
        Feedback::None | Feedback::Vcp(_) => {}
    }
}
