//! Adaptive reordering window of RACK (RFC 8985 section 6.2, step 4, `RACK_update_reo_wnd`).

use congestion::Duration;

use crate::tcp::rtt::RttEstimator;

/// Recoveries without D-SACK after which the window is the smallest again.
const PERSISTENCE: u32 = 16;

/// Largest multiplier; Linux keeps it in a byte (`reo_wnd_steps`). The smoothed RTT bounds the window before.
const MAX_MULTIPLIER: u32 = 255;

/// Rule for the width of the reordering window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReoWndRule {
    /// A quarter of the smallest RTT.
    #[default]
    Fixed,
    /// A quarter more in every round trip with a D-SACK.
    Adaptive,
}

/// Width of the window, in quarters of the smallest RTT.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReoWnd {
    /// `RACK.reo_wnd_mult`.
    multiplier: u32,
    /// `RACK.reo_wnd_persist`.
    persist: u32,
    /// `RACK.dsack_round`: SND.NXT at the D-SACK that has widened the window.
    dsack_round: Option<u32>,
}

impl Default for ReoWnd {
    fn default() -> Self {
        Self { multiplier: 1, persist: PERSISTENCE, dsack_round: None }
    }
}

impl ReoWnd {
    /// Take in an ACK with a D-SACK or without:
    ///
    /// ```text
    /// If RACK.dsack_round is not None AND SND.UNA >= RACK.dsack_round:
    ///     RACK.dsack_round = None
    /// If RACK.dsack_round is None AND any DSACK option is present on latest received ACK:
    ///     RACK.dsack_round = SND.NXT
    ///     RACK.reo_wnd_mult += 1
    ///     RACK.reo_wnd_persist = 16
    /// ```
    /// <https://www.rfc-editor.org/rfc/rfc8985#section-6.2>
    pub fn on_ack(&mut self, is_dsack: bool, snd_una: u32, snd_nxt: u32) {
        if self.dsack_round.is_some_and(|round| snd_una >= round) {
            self.dsack_round = None;
        }
        if is_dsack && self.dsack_round.is_none() {
            self.dsack_round = Some(snd_nxt);
            self.multiplier = (self.multiplier + 1).min(MAX_MULTIPLIER);
            self.persist = PERSISTENCE;
        }
    }

    /// Note that a recovery is over: "Reset the window after 16 DSACK-free recoveries".
    pub fn on_recovery_exit(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.multiplier = 1;
        }
    }

    /// "Return `min(RACK.reo_wnd_mult * RACK.min_RTT / 4, SRTT)`".
    pub fn width(&self, rtt: &RttEstimator) -> Duration {
        Duration((rtt.min_rtt / 4).0.saturating_mul(u64::from(self.multiplier))).min(rtt.srtt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::rtt::{RtoBounds, RtoRule};

    fn rtt(min_ms: u64, srtt_ms: u64) -> RttEstimator {
        let zero = Duration::ZERO;
        let mut rtt = RttEstimator::new(&RtoBounds {
            initial: zero,
            min: zero,
            max: zero,
            rule: RtoRule::Linux,
            ack_delay: zero,
        });
        (rtt.min_rtt, rtt.srtt) = (Duration::from_millis(min_ms), Duration::from_millis(srtt_ms));
        rtt
    }

    /// RFC 8985 section 6.2: once per round trip, and no wider than a smoothed RTT.
    #[test]
    fn each_round_trip_with_a_dsack_widens_the_window_by_a_quarter() {
        let mut reo_wnd = ReoWnd::default();
        assert_eq!(reo_wnd.width(&rtt(40, 60)), Duration::from_millis(10));
        reo_wnd.on_ack(true, 5, 20);
        reo_wnd.on_ack(true, 19, 30);
        assert_eq!(reo_wnd.width(&rtt(40, 60)), Duration::from_millis(20));
        reo_wnd.on_ack(true, 20, 40);
        assert_eq!(reo_wnd.width(&rtt(40, 60)), Duration::from_millis(30));
        for round in 2..400 {
            reo_wnd.on_ack(true, 20 * round, 20 * round + 20);
        }
        assert_eq!(reo_wnd.width(&rtt(40, 60)), Duration::from_millis(60));
        assert_eq!(reo_wnd.multiplier, MAX_MULTIPLIER);
    }

    /// RFC 8985 section 6.2: "Reset the window after 16 DSACK-free recoveries".
    #[test]
    fn sixteen_recoveries_without_dsack_end_it() {
        let mut reo_wnd = ReoWnd::default();
        reo_wnd.on_ack(true, 5, 20);
        (0..15).for_each(|_| reo_wnd.on_recovery_exit());
        assert_eq!(reo_wnd.multiplier, 2);
        reo_wnd.on_ack(true, 25, 40);
        (0..15).for_each(|_| reo_wnd.on_recovery_exit());
        assert_eq!(reo_wnd.multiplier, 3);
        reo_wnd.on_recovery_exit();
        assert_eq!(reo_wnd.multiplier, 1);
    }
}
