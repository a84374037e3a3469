//! Explicit congestion notification at the sending end (RFC 3168).

use crate::tcp::sequence::SequenceSpace;

/// ECN state of a sender.
#[derive(Clone, Copy, Debug)]
pub struct Ecn {
    /// Data segments are sent as ECN-capable (ECT).
    pub capable: bool,
    /// ECN that the hosts have agreed on.
    pub agreed: congestion::Ecn,
    /// SND.NXT when the controller was last notified: echoes below it belong to that window of data.
    cwr_point: u32,
}

impl Ecn {
    /// ECN state of a sender that has sent nothing.
    #[must_use]
    pub fn new(wanted: congestion::Ecn) -> Self {
        // No host has the ECN of RFC 3168 switched on.
        let agreed = match wanted {
            congestion::Ecn::None | congestion::Ecn::Classic => congestion::Ecn::None,
            congestion::Ecn::Dctcp | congestion::Ecn::L4s => wanted,
        };
        Self { capable: agreed != congestion::Ecn::None, agreed, cwr_point: 0 }
    }

    /// Begin a new window of data, if the one of the last notification is acknowledged; the controller is
    /// notified then. RFC 3168 section 6.1.2: TCP "should not react to congestion indications more than once
    /// every window of data".
    /// <https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2>
    pub fn begin_window(&mut self, seq: &SequenceSpace) -> bool {
        let begins = seq.snd_una > self.cwr_point;
        if begins {
            self.cwr_point = seq.snd_nxt;
        }
        begins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3168 section 6.1.2.
    #[test]
    fn echoes_of_one_window_are_one_indication() {
        let mut ecn = Ecn::new(congestion::Ecn::Dctcp);
        let mut seq = SequenceSpace { snd_una: 5, snd_nxt: 15, limit: 100 };
        assert!(ecn.begin_window(&seq));
        for snd_una in 6..=15 {
            seq = SequenceSpace { snd_una, snd_nxt: snd_una + 10, ..seq };
            assert!(!ecn.begin_window(&seq), "segment {snd_una} was sent before the window closed");
        }
        seq.snd_una = 16;
        assert!(ecn.begin_window(&seq));
    }
}
