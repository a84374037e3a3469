//! Undo of reductions that turn out to have answered no loss: what the sender has to remember for it.
//!
//! Two kinds of evidence: an ACK echoes a time stamp from before the first retransmission, so it is of an original
//! (Eifel, [RFC 3522]); or every retransmission is reported to have arrived in duplicate (D-SACK, [RFC 3708]). The
//! response is Linux's: window and threshold are what they were ([RFC 4015] restores less of the window).
//!
//! [RFC 3522]: https://www.rfc-editor.org/rfc/rfc3522
//! [RFC 3708]: https://www.rfc-editor.org/rfc/rfc3708
//! [RFC 4015]: https://www.rfc-editor.org/rfc/rfc4015

use congestion::{Prior, Time};

use crate::net::packet;

/// Rule by which reductions are taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UndoRule {
    /// None: a reduction stands.
    #[default]
    None,
    /// Linux's (`tcp_undo_cwnd_reduction`).
    Linux,
}

/// Options of spurious retransmissions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UndoOptions {
    /// Rule by which reductions are taken back.
    pub rule: UndoRule,
    /// Spurious timeouts are looked for by F-RTO, too (RFC 5682).
    pub frto: bool,
}

/// Latest reduction, and evidence against it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Undo {
    /// It may still be taken back (`undo_marker`).
    is_armed: bool,
    /// Window before it; none if it answered a mark, too, and the window has to stay (`prior_ssthresh` of 0).
    prior: Option<Prior>,
    /// Time stamp of the first retransmission since (`retrans_stamp`).
    first_retransmission: Option<Time>,
    /// Retransmissions since that were not reported in duplicate (`undo_retrans`).
    unreported: u32,
    /// SND.UNA has moved since the latest timeout.
    pub has_progressed: bool,
}

impl Undo {
    /// Note a reduction of the window that was `prior`, with the retransmissions that are in flight: their number, and when
    /// the first of them left. Linux, `tcp_init_undo`: `undo_retrans` begins at `retrans_out`, and `retrans_stamp` stays
    /// while there is any.
    pub fn begin(&mut self, prior: Option<Prior>, out: Option<(u32, Time)>) {
        let unreported = out.map_or(0, |(count, _)| count);
        let first_retransmission = out.map(|(_, first)| packet::to_grain(first));
        *self = Self { is_armed: true, prior, first_retransmission, unreported, ..Self::default() };
    }

    /// Let the latest reduction stand.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Let the window stand, as a mark says that there is congestion. Linux, `tcp_fastretrans_alert`.
    pub fn keep_window(&mut self) {
        self.prior = None;
    }

    /// The latest reduction may still be taken back.
    #[must_use]
    pub fn is_armed(&self) -> bool {
        self.is_armed
    }

    /// Note that a retransmission leaves. RFC 3522 section 3.2, step 2: `RetransmitTS` is the time stamp "of the
    /// retransmit sent when loss recovery is initiated".
    pub fn on_retransmission(&mut self, now: Time) {
        if self.is_armed {
            self.first_retransmission.get_or_insert(packet::to_grain(now));
            self.unreported += 1;
        }
    }

    /// Take in the report of a duplicate that left at `sent`. Only those of retransmissions since the reduction
    /// count: others may belong to an earlier one.
    pub fn on_duplicate(&mut self, sent: Time) {
        if self.first_retransmission.is_some() && !self.is_of_original(sent) {
            self.unreported = self.unreported.saturating_sub(1);
        }
    }

    /// Eifel: an ACK that advances SND.UNA and echoes a segment that left at `sent` is of an original. RFC 3522 section 3.2, step 4: "If the
    /// value of the Timestamp Echo Reply field of the acceptable ACK's Timestamps option is smaller than the value of
    /// `RetransmitTS`". Without a retransmission there is only the original.
    /// <https://www.rfc-editor.org/rfc/rfc3522#section-3.2>
    #[must_use]
    pub fn is_of_original(&self, sent: Time) -> bool {
        self.first_retransmission.is_none_or(|first| sent < first)
    }

    /// D-SACK: every retransmission since the reduction has arrived in duplicate, and there was one.
    #[must_use]
    pub fn all_duplicate(&self) -> bool {
        self.is_armed && self.first_retransmission.is_some() && self.unreported == 0
    }

    /// Disarm; the window to return to, if it may be returned to.
    pub fn take(&mut self) -> Option<Prior> {
        std::mem::take(self).prior
    }
}

#[cfg(test)]
mod tests {
    use congestion::Duration;

    use super::*;

    const PRIOR: Prior = Prior { cwnd: 20_000.0, ssthresh: None };

    fn ms(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    fn stamp(millis: u64) -> Time {
        packet::to_grain(ms(millis))
    }

    /// RFC 3522 section 3.2: only the first retransmission's time counts.
    #[test]
    fn an_echo_from_before_the_first_retransmission_is_of_an_original() {
        let mut undo = Undo::default();
        undo.begin(Some(PRIOR), None);
        assert!(undo.is_of_original(stamp(40)), "nothing was retransmitted");
        undo.on_retransmission(ms(40));
        undo.on_retransmission(ms(60));
        assert!(undo.is_of_original(stamp(39)));
        assert!(!undo.is_of_original(stamp(40)) && !undo.is_of_original(stamp(50)));
    }

    /// RFC 3708 section 3: all of them, and only those of this reduction.
    #[test]
    fn every_retransmission_has_to_be_reported() {
        let mut undo = Undo::default();
        undo.on_retransmission(ms(10));
        undo.begin(Some(PRIOR), None);
        assert!(!undo.all_duplicate());
        undo.on_retransmission(ms(40));
        undo.on_retransmission(ms(41));
        undo.on_duplicate(stamp(10));
        undo.on_duplicate(stamp(40));
        assert!(!undo.all_duplicate());
        undo.on_duplicate(stamp(41));
        assert!(undo.all_duplicate());
        assert_eq!(undo.take(), Some(PRIOR));
        assert!(!undo.is_armed() && !undo.all_duplicate() && undo.take().is_none());
    }

    /// Linux, `tcp_init_undo`: what is in flight again already has to be reported, too, and no later echo is of an original.
    #[test]
    fn retransmissions_in_flight_count_from_the_beginning() {
        let mut undo = Undo::default();
        undo.begin(Some(PRIOR), Some((2, ms(40))));
        assert!(undo.is_of_original(stamp(39)) && !undo.is_of_original(stamp(40)));
        assert!(!undo.is_of_original(stamp(50)) && !undo.all_duplicate());
        undo.on_duplicate(stamp(40));
        assert!(!undo.all_duplicate());
        undo.on_duplicate(stamp(41));
        assert!(undo.all_duplicate());
    }

    /// RFC 3522 section 3.2: the echo of a later retransmission is not smaller than `RetransmitTS`, 62 s later either.
    #[test]
    fn a_retransmission_of_a_minute_later_is_no_original() {
        let mut undo = Undo::default();
        undo.begin(Some(PRIOR), None);
        undo.on_retransmission(ms(1000));
        assert!(!undo.is_of_original(stamp(63_000)));
    }

    #[test]
    fn a_mark_keeps_the_window() {
        let mut undo = Undo::default();
        undo.begin(Some(PRIOR), None);
        undo.keep_window();
        assert!(undo.is_armed() && undo.take().is_none());
    }
}
