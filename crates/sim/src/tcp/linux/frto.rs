//! F-RTO ([RFC 5682]), in its form with SACK, as Linux has it: whether a timeout was spurious is found out by what the
//! ACKs after it are of.
//!
//! "After retransmitting the first unacknowledged segment triggered by a timeout, the F-RTO algorithm of the TCP sender
//! monitors the incoming acknowledgments to determine whether the timeout was spurious. It then decides whether to send
//! new segments or retransmit unacknowledged segments."
//!
//! [RFC 5682]: https://www.rfc-editor.org/rfc/rfc5682

/// Progress of the algorithm (section 3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frto {
    /// It does not run: there was no timeout, or it was a loss.
    #[default]
    Off,
    /// Step 2: the first unacknowledged segment is retransmitted, its ACK awaited.
    FirstAck,
    /// Step 2b: new data leave instead of retransmissions, and the next ACK decides.
    NewData {
        /// SND.NXT before them.
        from: u32,
    },
}

/// ACK after a timeout, one that is not of an original.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct FrtoAck {
    /// SND.UNA has moved.
    pub advanced: bool,
    /// It acknowledges everything that was outstanding at the timeout.
    pub is_full: bool,
    /// It SACKs something, or is a duplicate ACK.
    pub is_duplicate: bool,
    /// Next new segment.
    pub snd_nxt: u32,
    /// There are new data, and the receive window takes them.
    pub has_unsent: bool,
}

impl Frto {
    /// Begin at a timeout, if no other recovery was under way. Step 1: a timeout that is repeated for the same segment
    /// begins anew.
    #[must_use]
    pub fn begin(allowed: bool) -> Self {
        if allowed { Self::FirstAck } else { Self::Off }
    }

    /// The algorithm runs.
    #[must_use]
    pub fn is_running(self) -> bool {
        self != Self::Off
    }

    /// New data take precedence of retransmissions.
    #[must_use]
    pub fn sends_new(self) -> bool {
        matches!(self, Self::NewData { .. })
    }

    /// Take in an ACK.
    pub fn on_ack(&mut self, ack: &FrtoAck) {
        *self = match *self {
            Self::Off => Self::Off,
            // Steps 2a and 3a: the conventional recovery goes on, or is over.
            _ if ack.is_full => Self::Off,
            Self::NewData { from } if ack.snd_nxt > from => {
                if ack.is_duplicate {
                    Self::Off
                } else {
                    *self
                }
            }
            // Step 2b: "transmit up to two new segments", as many as the window allows.
            _ if ack.advanced && ack.has_unsent => Self::NewData { from: ack.snd_nxt },
            _ if ack.advanced => Self::Off,
            _ => *self,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTIAL: FrtoAck =
        FrtoAck { advanced: true, is_full: false, is_duplicate: false, snd_nxt: 10, has_unsent: true };

    fn after(acks: &[FrtoAck]) -> Frto {
        let mut frto = Frto::begin(true);
        for ack in acks {
            frto.on_ack(ack);
        }
        frto
    }

    /// RFC 5682 section 3.1, steps 2b and 3a: new data after the first ACK; a duplicate ACK then proves the loss.
    #[test]
    fn a_duplicate_ack_after_new_data_is_a_loss() {
        assert_eq!(after(&[]), Frto::FirstAck);
        assert_eq!(after(&[PARTIAL]), Frto::NewData { from: 10 });
        let duplicate = FrtoAck { advanced: false, is_duplicate: true, snd_nxt: 12, ..PARTIAL };
        assert_eq!(after(&[PARTIAL, duplicate]), Frto::Off);
        assert_eq!(after(&[duplicate]), Frto::FirstAck, "SACKs before the first ACK decide nothing");
    }

    /// RFC 5682 section 3.1, steps 2a and 2b: nothing new to send, or everything acknowledged.
    #[test]
    fn without_new_data_it_is_the_conventional_recovery() {
        assert_eq!(after(&[FrtoAck { has_unsent: false, ..PARTIAL }]), Frto::Off);
        assert_eq!(after(&[FrtoAck { is_full: true, ..PARTIAL }]), Frto::Off);
        assert!(!Frto::begin(false).is_running());
        assert!(after(&[PARTIAL]).sends_new() && !Frto::FirstAck.sends_new());
    }

    /// Linux, `tcp_process_loss`: before new data have left, SACKs decide nothing.
    #[test]
    fn new_data_have_to_leave_before_an_ack_decides() {
        let early = FrtoAck { advanced: false, is_duplicate: true, ..PARTIAL };
        assert_eq!(after(&[PARTIAL, early]), Frto::NewData { from: 10 });
        let further = FrtoAck { is_duplicate: true, ..PARTIAL };
        assert_eq!(after(&[PARTIAL, further]), Frto::NewData { from: 10 });
    }
}
