//! Hook of pacing by the host: a segment has left.

use congestion::Time;

use super::Sender;
use crate::tcp::leaky_bucket::LeakyBucket;
use crate::tcp::linux::host_pacing::{FqPacing, Pace, PacingRule};
use crate::tcp::mechanism::Mechanism;

/// Pacing of one flow by its host.
#[derive(Clone, Copy, Debug)]
pub(super) enum HostPacing {
    Fq(FqPacing),
    LeakyBucket(LeakyBucket),
}

impl HostPacing {
    /// Pacing by a rule, if that paces.
    pub fn new(rule: PacingRule) -> Option<Self> {
        match rule {
            PacingRule::None => None,
            PacingRule::Fq => Some(Self::Fq(FqPacing::default())),
            PacingRule::Rfc9002 => Some(Self::LeakyBucket(LeakyBucket::default())),
        }
    }
}

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
            match pacing {
                HostPacing::Fq(pacing) => pacing.on_sent(&pace, &mut self.pacer, now),
                HostPacing::LeakyBucket(bucket) => {
                    bucket.on_sent(pace.cwnd, pace.srtt, mechanism.burst, &mut self.pacer, now);
                }
            }
        }
    }
}
