//! The smallest round-trip time (draft section 5.5.7) and when to look for it.

use super::Bbr3;
use crate::control::Flow;
use crate::units::{Duration, Time};

/// The draft's `BBR.min_rtt` and what belongs to it.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "the draft's names")]
pub struct MinRtt {
    /// Smallest RTT of `min_rtt_filter` seconds.
    pub min_rtt: Option<Duration>,
    min_rtt_stamp: Time,
    /// Smallest RTT since the last `ProbeRTT`.
    pub probe_rtt_min_delay: Option<Duration>,
    pub probe_rtt_min_stamp: Time,
    pub probe_rtt_expired: bool,
}

impl MinRtt {
    /// Starts the clocks of a connection whose first ACK comes at `now`.
    pub fn start_clocks(&mut self, now: Time) {
        self.min_rtt_stamp = now;
        self.probe_rtt_min_stamp = now;
    }
}

impl Bbr3 {
    /// `UpdateMinRTT`.
    pub fn update_min_rtt(&mut self, flow: &Flow) {
        let is_linux = self.is_linux();
        let (path, params) = (&mut self.min_rtt, &self.params);
        path.probe_rtt_expired =
            flow.now.since(path.probe_rtt_min_stamp).seconds() > params.probe_rtt_interval;
        if let Some(rtt) = self.rs.rtt
            && (path.probe_rtt_expired || path.probe_rtt_min_delay.is_none_or(|least| rtt < least))
        {
            path.probe_rtt_min_delay = Some(rtt);
            path.probe_rtt_min_stamp = flow.now;
        }
        let expired = flow.now.since(path.min_rtt_stamp).seconds() > params.min_rtt_filter;
        if let Some(delay) = path.probe_rtt_min_delay
            && (expired || path.min_rtt.is_none_or(|least| delay < least || (is_linux && delay == least)))
        {
            path.min_rtt = Some(delay);
            path.min_rtt_stamp = path.probe_rtt_min_stamp;
        }
    }
}
