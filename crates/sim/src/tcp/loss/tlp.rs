//! Tail loss probes (RFC 8985 section 7): a lost tail leaves no later segment whose ACK could tell, so one is sent.
//! <https://www.rfc-editor.org/rfc/rfc8985#section-7>

use congestion::Time;

use super::{Ack, View};
use crate::tcp::rtt::RtoRule;

/// TLP variables and the PTO timer (section 5.3, 5.4).
#[derive(Clone, Copy, Debug)]
pub(super) struct Tlp {
    /// Probe timeout (PTO); [`Time::NEVER`] if none is scheduled.
    pto_at: Time,
    /// The probe timeout has expired, and the probe has not left.
    probe_due: bool,
    /// `TLP.end_seq`: SND.NXT when the probe in flight was sent.
    end_seq: Option<u32>,
    /// `TLP.is_retrans`: the probe in flight is a retransmission.
    is_retrans: bool,
}

impl Default for Tlp {
    fn default() -> Self {
        Self { pto_at: Time::NEVER, probe_due: false, end_seq: None, is_retrans: false }
    }
}

impl Tlp {
    /// Forget the probe. Section 7.1, `TLP_init`: "Reset `TLP.is_retrans` and `TLP.end_seq` when initiating a connection,
    /// fast recovery, or RTO recovery."
    /// <https://www.rfc-editor.org/rfc/rfc8985#section-7.1>
    pub fn init(&mut self) {
        *self = Self::default();
    }

    pub fn deadline(&self) -> Time {
        self.pto_at
    }

    /// Schedule a probe, or none. Section 7.2: not if the sender "is already in fast recovery, RTO recovery, or
    /// segments have been SACKed"; nor while a probe is due or in flight (section 7.3).
    /// <https://www.rfc-editor.org/rfc/rfc8985#section-7.2>
    pub fn schedule(&mut self, allowed: bool, view: &View<'_>, rto_at: Time) {
        let allowed = allowed && view.seq.flight_size() > 0 && self.end_seq.is_none() && !self.probe_due;
        self.pto_at = if allowed { Self::calc_pto(view, rto_at) } else { Time::NEVER };
    }

    /// Time at which the probe is due. Section 7.2, `TLP_calc_PTO`:
    ///
    /// ```text
    /// PTO = 2 * SRTT
    /// If FlightSize is one segment:
    ///     PTO += TLP.max_ack_delay
    /// If Now() + PTO > TCP_RTO_expiration():
    ///     PTO = TCP_RTO_expiration() - Now()
    /// ```
    /// <https://www.rfc-editor.org/rfc/rfc8985#section-7.2>
    fn calc_pto(view: &View<'_>, rto_at: Time) -> Time {
        // Linux takes its least timeout for the longest delay of an ACK, and adds `TCP_TIMEOUT_MIN_US` where no ACK is
        // delayed (`tcp_schedule_loss_probe`).
        let added = match (view.seq.flight_size(), view.rto.rule) {
            (1, RtoRule::Linux) => view.rto.min,
            (1, RtoRule::Rfc6298 | RtoRule::Rfc9002) => view.rto.ack_delay,
            _ => view.rto.timer_margin(),
        };
        (view.now + view.rtt.srtt * 2 + added).min(rto_at)
    }

    /// Make the probe due if its timeout has expired; true if it has.
    pub fn on_timer(&mut self, now: Time) -> bool {
        let expired = self.pto_at <= now;
        if expired {
            self.pto_at = Time::NEVER;
            self.probe_due = true;
        }
        expired
    }

    /// Call off a probe that is due; true if one was.
    pub fn cancel(&mut self) -> bool {
        std::mem::take(&mut self.probe_due)
    }

    pub fn is_due(&self) -> bool {
        self.probe_due
    }

    /// Note that the probe leaves, if one is due; true if it was. Section 7.3, `TLP_send_probe`: new data if there is
    /// any, else "the sender SHOULD retransmit the highest-sequence segment sent so far and set
    /// `TLP.is_retrans` to true".
    /// <https://www.rfc-editor.org/rfc/rfc8985#section-7.3>
    pub fn on_sent(&mut self, snd_nxt: u32, is_retrans: bool) -> bool {
        let is_probe = self.cancel();
        if is_probe {
            (self.end_seq, self.is_retrans) = (Some(snd_nxt), is_retrans);
        }
        is_probe
    }

    /// The probe in flight is a retransmission.
    pub fn is_retransmission_out(&self) -> bool {
        self.is_retrans && self.end_seq.is_some()
    }

    /// Find out what became of the probe; true if it has repaired a loss that nothing else has shown. Section
    /// 7.4.2, `TLP_process_ack`.
    /// <https://www.rfc-editor.org/rfc/rfc8985#section-7.4.2>
    pub fn process_ack(&mut self, ack: &Ack<'_>) -> bool {
        let seg_ack = ack.packet.seq;
        let Some(end_seq) = self.end_seq.filter(|&end_seq| seg_ack >= end_seq) else { return false };
        // "TLP of new data delivered", or "ACK has a DSACK option matching TLP.end_seq": the original has arrived, too.
        let is_dsack = ack.packet.kind.is_dsack();
        // "ACK is a DupAck without any SACK option".
        let is_bare_dupack = seg_ack == ack.prior_una && ack.packet.sack_block().is_none();
        if !self.is_retrans || is_dsack || is_bare_dupack {
            self.end_seq = None;
            return false;
        }
        // "ACK's ack. number > TLP.end_seq": "Repaired the single loss". At TLP.end_seq one of the two has arrived;
        // the next ACK tells if the other has.
        let repaired = seg_ack > end_seq;
        if repaired {
            self.end_seq = None;
        }
        repaired
    }
}

#[cfg(test)]
mod tests {
    use congestion::Time;

    use super::super::fixtures::{Connection, ms};
    use crate::net::packet::Kind;
    use crate::tcp::loss::Evidence;
    use crate::tcp::rtt::RtoRule;

    const RTO_AT: Time = Time(ms(500).0);

    fn connection(outstanding: u32) -> Connection {
        Connection::new(Evidence::Rack, outstanding)
    }

    /// Connection whose probe, a retransmission of the last of three segments, has left.
    fn probed() -> Connection {
        let mut connection = connection(3);
        connection.schedule_probe(RTO_AT);
        connection.now = connection.loss.deadline();
        assert!(connection.on_timer().probe_due);
        let probe = connection.loss.next_unsacked(&connection.seq, connection.state);
        let probe = probe.expect("there is no new data");
        assert_eq!(probe.segment, 2);
        assert!(connection.send(probe), "a probe starts the retransmission timer anew");
        connection
    }

    /// RFC 8985 section 7.2, and 2 ms (`TCP_TIMEOUT_MIN_US`) more in Linux, `tcp_schedule_loss_probe`.
    #[test]
    fn the_probe_timeout_is_two_round_trips_and_never_after_the_rto() {
        let deadline = |rule, outstanding, rto_at| {
            let mut connection = connection(outstanding);
            (connection.rto.rule, connection.rto.ack_delay) = (rule, ms(100));
            connection.schedule_probe(rto_at);
            connection.loss.deadline()
        };
        assert_eq!(deadline(RtoRule::Rfc6298, 2, RTO_AT), Time::ZERO + ms(80));
        assert_eq!(deadline(RtoRule::Linux, 2, RTO_AT), Time::ZERO + ms(82));
        // "The sender MAY inflate the PTO by `TLP.max_ack_delay`" for a lone segment: here what receivers have, or 200 ms.
        for (rule, pto) in [(RtoRule::Rfc6298, 180), (RtoRule::Linux, 280)] {
            assert_eq!(deadline(rule, 1, RTO_AT), Time::ZERO + ms(pto));
            assert_eq!(deadline(rule, 1, Time::ZERO + ms(150)), Time::ZERO + ms(150));
            assert_eq!(deadline(rule, 0, RTO_AT), Time::NEVER);
        }
    }

    /// RFC 8985 section 7.2: not in recovery, and not while segments are SACKed.
    #[test]
    fn no_probe_is_scheduled_while_losses_are_dealt_with() {
        let mut connection = connection(3);
        connection.enter_fast_recovery();
        connection.schedule_probe(RTO_AT);
        assert!(!connection.probe_is_due_at(RTO_AT));
        connection.exit_recovery();
        connection.ack(0, Some((1, 2)));
        connection.schedule_probe(RTO_AT);
        assert!(!connection.probe_is_due_at(RTO_AT));
    }

    #[test]
    fn an_ack_calls_off_a_probe_that_is_due() {
        let mut connection = connection(3);
        connection.schedule_probe(RTO_AT);
        connection.now = connection.loss.deadline();
        assert!(connection.on_timer().probe_due);
        assert!(connection.ack(1, None).probe_cancelled);
        assert_eq!(connection.loss.next_unsacked(&connection.seq, connection.state), None);
    }

    /// RFC 8985 section 7.4.2: an ACK above the probe without a word of the original means that this was lost.
    #[test]
    fn a_loss_that_only_the_probe_has_repaired_is_reported_once() {
        let mut connection = probed();
        assert!(!connection.ack(3, None).probe_repaired, "the ACK may be of either");
        connection.send_new();
        assert!(connection.ack(4, None).probe_repaired);
        connection.send_new();
        assert!(!connection.ack(5, None).probe_repaired);
    }

    /// RFC 8985 section 7.4.2, cases 1 and 2: a D-SACK, or a duplicate ACK without SACK.
    #[test]
    fn a_probe_that_arrives_in_duplicate_has_repaired_nothing() {
        for kind in [Kind::AckOfDuplicate, Kind::Ack] {
            let mut connection = probed();
            connection.ack(3, None);
            assert!(!connection.ack_of(kind, 3, None).probe_repaired);
            connection.send_new();
            assert!(!connection.ack(4, None).probe_repaired, "{kind:?}");
        }
    }

    /// RFC 8985 section 7.4.2: "TLP of new data delivered".
    #[test]
    fn a_probe_of_new_data_is_like_any_segment() {
        let mut connection = connection(3);
        connection.schedule_probe(RTO_AT);
        connection.now = connection.loss.deadline();
        connection.on_timer();
        connection.send_new();
        connection.send_new();
        assert!(!connection.ack(5, None).probe_repaired);
    }
}
