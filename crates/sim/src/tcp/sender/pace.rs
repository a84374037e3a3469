//! Hook of pacing by the host: a segment has left.

use congestion::Time;

use super::Sender;
use crate::tcp::linux::host_pacing::Pace;
use crate::tcp::mechanism::Mechanism;

impl Sender {
    /// Take note of a segment that has left. A window below one segment has a pace of its own.
    #[cold]
    pub(super) fn pace_by_host(&mut self, now: Time, mechanism: &Mechanism) {
        let smss = f64::from(mechanism.smss);
        let pace = Pace {
            cwnd: self.control.cwnd,
            flight_size: self.seq.flight_size(),
            ssthresh: self.control.algorithm.ssthresh().map_or(f64::INFINITY, |ssthresh| ssthresh / smss),
            srtt: self.rtt.srtt,
        };
        if let Some(options) = &mut self.options
            && let Some(pacing) = &mut options.pacing
            && !self.control.is_fractional
        {
            pacing.on_sent(&pace, &mut self.pacer, now);
        }
    }
}
