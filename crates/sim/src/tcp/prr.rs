//! Proportional Rate Reduction ([RFC 9937]): the window goes down in the course of a round trip, in proportion to what
//! is delivered, instead of at once.
//!
//! The controller decides where the window ends; this part decides how it gets there. Controllers that pace themselves
//! are left alone, as Linux leaves BBR alone. It needs SACKs, which tell what is delivered.
//!
//! [RFC 9937]: https://www.rfc-editor.org/rfc/rfc9937

/// Rule by which a window goes down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrrRule {
    /// None: the window is the controller's at once.
    #[default]
    None,
    /// Proportional to the flight when the reduction begins (RFC 9937 section 6, `RecoverFS`).
    Rfc9937,
    /// Proportional to the window before the reduction (Linux, `tcp_cwnd_reduction`).
    Linux,
}

impl PrrRule {
    /// Returns true if windows go down in the course of a round trip.
    #[must_use]
    pub fn is_on(self) -> bool {
        self != Self::None
    }
}

/// Reduction of a window; all counts in segments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prr {
    /// Delivered since it began (`prr_delivered`).
    delivered: u32,
    /// Sent since it began (`prr_out`).
    out: u32,
    /// In flight, or window, when it began (`RecoverFS`); zero while there is no reduction.
    recover_fs: u32,
    /// Window at its end (`ssthresh`).
    ssthresh: u32,
    /// SND.UNA that ends the reduction.
    end: u32,
    /// Window in force.
    cwnd: u32,
}

/// Sender when a reduction begins; all counts in segments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reduction {
    /// Window before.
    pub prior_cwnd: u32,
    /// Segments outstanding and not SACKed, with those that the ACK at hand delivers.
    pub flight: u32,
    /// Window at the end.
    pub ssthresh: u32,
    /// In flight.
    pub pipe: u32,
    /// SND.NXT.
    pub snd_nxt: u32,
    /// It answers a mark.
    pub is_mark: bool,
}

impl Prr {
    /// Begin a reduction. RFC 9937 section 6: "`prr_delivered` = 0" and "`prr_out` = 0". In Linux a mark is answered until
    /// "something *above* `high_seq` is ACKed" (`tcp_fastretrans_alert`), a loss until that is.
    pub fn begin(&mut self, rule: PrrRule, reduction: &Reduction) {
        let Reduction { prior_cwnd, flight, ssthresh, pipe, snd_nxt, is_mark } = *reduction;
        let (recover_fs, beyond) = match rule {
            PrrRule::None => return,
            PrrRule::Rfc9937 => (flight, 0),
            PrrRule::Linux => (prior_cwnd, u32::from(is_mark)),
        };
        let (recover_fs, end) = (recover_fs.max(1), snd_nxt + beyond);
        *self = Self { delivered: 0, out: 0, recover_fs, ssthresh, end, cwnd: pipe };
    }

    /// Answer a loss by the reduction that is under way, if there is one and that is the rule; true if so. Linux,
    /// `tcp_enter_recovery`: a loss in state CWR begins no reduction of its own.
    pub fn goes_on(&mut self, rule: PrrRule, snd_nxt: u32) -> bool {
        let goes_on = rule == PrrRule::Linux && self.is_active();
        if goes_on {
            self.end = snd_nxt;
        }
        goes_on
    }

    /// End the reduction: the window is the controller's again.
    pub fn finish(&mut self) {
        self.recover_fs = 0;
    }

    /// A reduction is under way.
    #[must_use]
    #[inline]
    pub fn is_active(&self) -> bool {
        self.recover_fs > 0
    }

    /// Acknowledgement of everything up to the end of the reduction.
    #[must_use]
    pub fn is_over(&self, snd_una: u32) -> bool {
        self.is_active() && snd_una >= self.end
    }

    /// Window in force, one segment at least.
    #[must_use]
    pub fn cwnd(&self) -> u32 {
        self.cwnd.max(1)
    }

    /// Count a segment that leaves. RFC 9937 section 6: "`prr_out` += (data sent)".
    #[inline]
    pub fn on_sent(&mut self) {
        self.out = self.out.wrapping_add(1);
    }

    /// Take in an ACK that delivers `newly_delivered` segments and leaves `inflight` in the network. `safe_ack`: it
    /// advances SND.UNA, and no further loss is found by it. Source: RFC 9937 section 6.
    pub fn on_ack(&mut self, newly_delivered: u32, inflight: u32, safe_ack: bool) {
        self.delivered += newly_delivered;
        let (delivered, out) = (u64::from(self.delivered), u64::from(self.out));
        let send_count = if inflight > self.ssthresh {
            // "This uses integer division, rounding up".
            let share = (delivered * u64::from(self.ssthresh)).div_ceil(u64::from(self.recover_fs));
            share.saturating_sub(out)
        } else {
            // "PRR-CRB by default", one more for "PRR-SSRB when recovery is in good progress".
            let conserved = delivered.saturating_sub(out).max(u64::from(newly_delivered));
            // "Attempt to catch up, as permitted".
            (conserved + u64::from(safe_ack)).min(u64::from(self.ssthresh - inflight))
        };
        // "Force a fast retransmit upon entering recovery".
        let forced = u64::from(self.out == 0);
        self.cwnd = inflight.saturating_add(u32::try_from(send_count.max(forced)).unwrap_or(u32::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(prr: &mut Prr, flight: u32, ssthresh: u32, pipe: u32, snd_nxt: u32) {
        prr.begin(PrrRule::Rfc9937, &Reduction { flight, ssthresh, pipe, snd_nxt, ..Reduction::default() });
    }

    /// RFC 9937 section 6: 100 segments in flight, one lost, a window of half: a segment leaves for every second one
    /// that is delivered, and the window ends at 50.
    #[test]
    fn one_loss_spreads_the_reduction_over_a_round_trip() {
        let mut prr = Prr::default();
        let mut inflight = 99;
        begin(&mut prr, 100, 50, inflight, 100);
        let mut sent = 0;
        for _ in 0..96 {
            inflight -= 1;
            prr.on_ack(1, inflight, false);
            while inflight < prr.cwnd() {
                prr.on_sent();
                (inflight, sent) = (inflight + 1, sent + 1);
            }
        }
        assert_eq!((sent, prr.cwnd(), inflight), (48, 51, 51));
    }

    /// RFC 9937 section 6, PRR-CRB: fewer in flight than the window to end at; as many leave as are delivered, and one
    /// more where SND.UNA advances and nothing more is lost.
    #[test]
    fn heavy_loss_conserves_packets_and_catches_up_on_safe_acks() {
        let mut prr = Prr::default();
        begin(&mut prr, 100, 50, 30, 100);
        prr.on_ack(1, 30, false);
        assert_eq!(prr.cwnd(), 31);
        prr.on_sent();
        prr.on_ack(1, 30, false);
        assert_eq!(prr.cwnd(), 31);
        prr.on_sent();
        prr.on_ack(1, 30, true);
        assert_eq!(prr.cwnd(), 32);
    }

    /// RFC 9937 section 6: never above the window to end at, however much an ACK delivers.
    #[test]
    fn catching_up_ends_at_ssthresh() {
        let mut prr = Prr::default();
        begin(&mut prr, 20, 10, 5, 20);
        prr.on_ack(12, 8, true);
        assert_eq!(prr.cwnd(), 10);
    }

    #[test]
    fn it_is_over_when_all_of_its_flight_is_acknowledged() {
        let mut prr = Prr::default();
        assert!(!prr.is_over(u32::MAX));
        begin(&mut prr, 10, 5, 9, 40);
        assert!(!prr.is_over(39) && prr.is_over(40));
        prr.finish();
        assert!(!prr.is_active());
    }
}
