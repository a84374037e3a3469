//! Variation of round trips: the part of the timeout above SRTT (`tcp_rtt_estimator`).
//! <https://github.com/torvalds/linux/blob/v6.18/net/ipv4/tcp_input.c>

use congestion::Duration;

use crate::tcp::sequence::SequenceSpace;

/// The largest of four deviations within a round trip, at least the floor of the timeout. It goes up at once, and down by a
/// quarter of the difference once per round trip.
#[derive(Clone, Copy, Debug)]
pub struct Variation {
    /// `rttvar_us`.
    rttvar: Duration,
    /// `mdev_max_us`: the largest since the round trip began.
    mdev_max: Duration,
    /// `rtt_seq`: SND.NXT when the round trip began.
    rtt_seq: u32,
}

impl Variation {
    /// Variation before the first sample, the floor of the timeout (`tcp_rto_min`).
    #[must_use]
    pub fn new(min: Duration) -> Self {
        Self { rttvar: min, mdev_max: min, rtt_seq: 0 }
    }

    /// Variation after a sample that has made four deviations `mdev`, from an ACK that moved SND.UNA to that of `seq`.
    pub fn on_sample(&mut self, mdev: Duration, seq: &SequenceSpace, min: Duration) -> Duration {
        self.mdev_max = self.mdev_max.max(mdev);
        self.rttvar = self.rttvar.max(self.mdev_max);
        if seq.snd_una > self.rtt_seq {
            self.rttvar = self.rttvar - (self.rttvar - self.mdev_max) / 4;
            self.rtt_seq = seq.snd_nxt;
            self.mdev_max = min;
        }
        self.rttvar
    }
}

/// Deviation after a sample below SRTT that deviates by more than it: alpha beta, "like Eifel".
#[must_use]
pub fn shortened(mdev: Duration, deviation: Duration) -> Duration {
    mdev + (deviation - mdev) / 32
}
