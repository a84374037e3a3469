//! Hooks of pacing and bursts: a segment has left, or might.

use congestion::Time;

use super::Sender;
use crate::tcp::linux::host_pacing::{HostPacing, Pace};
use crate::tcp::mechanism::Mechanism;

impl Sender {
    /// Take note of a segment that has left with `pipe` others in the network. A window below one segment has a pace of
    /// its own.
    #[cold]
    pub(super) fn pace_burst(&mut self, pipe: u32, now: Time, mechanism: &Mechanism) {
        let pace = self.pace(pipe, mechanism);
        if let Some(options) = &mut self.options
            && let Some(pacing) = &mut options.pacing
            && !self.control.is_fractional
        {
            pacing.on_sent(&pace, &mut self.pacer, now);
        }
    }

    /// Returns true if segments leave in bursts.
    #[inline]
    pub(super) fn has_bursts(&self) -> bool {
        let pacing = self.options.as_ref().and_then(|options| options.pacing.as_ref());
        pacing.is_some_and(HostPacing::has_bursts)
    }

    /// The next segment waits for a burst to be whole. In fast recovery and for probes nothing waits.
    #[cold]
    pub(super) fn defers_burst(&mut self, pipe: u32, mechanism: &Mechanism, now: Time) -> bool {
        if self.recovery.send_one_despite_cwnd || !self.recovery.is_open() || self.control.is_fractional {
            return false;
        }
        let unsent = self.seq.limit - self.seq.snd_nxt;
        let pace = self.pace(pipe, mechanism);
        let pacing = self.options.as_ref().and_then(|options| options.pacing.as_ref());
        let defers = pacing.is_some_and(|pacing| pacing.defers(&pace, &self.pacer, unsent, now));
        if defers {
            self.note_full_window(mechanism, now);
        }
        defers
    }

    fn pace(&self, pipe: u32, mechanism: &Mechanism) -> Pace {
        let smss = f64::from(mechanism.smss);
        Pace {
            cwnd: self.control.cwnd,
            pipe,
            flight_size: self.seq.flight_size(),
            ssthresh: self.control.algorithm.ssthresh().map_or(f64::INFINITY, |ssthresh| ssthresh / smss),
            srtt: self.rtt.srtt,
            min_rtt: self.rtt.min_rtt,
            smss: mechanism.smss,
        }
    }
}
