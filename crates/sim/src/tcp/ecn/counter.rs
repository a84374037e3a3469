//! Count of marks by the ACE field of AccECN (RFC 9768 section 3.2.2).

use super::receiver::INITIAL_CEP;
use crate::net::packet::Packet;

/// Weight of an ACK in the mean number of segments that one acknowledges: 2^-6.
const MEAN_SHIFT: u32 = 6;

/// Mean number of segments acknowledged by an ACK from which on ACKs are taken to be thinned, not lost; Linux's.
const THINNED: u32 = 4;

/// Count of marks by the ACE field.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counter {
    /// Packets that arrived marked as the last ACK tells, modulo 8 and less 5 (`s.cep` of RFC 9768).
    cep: u8,
    /// Latest stamp echoed by an ACK that was not superseded.
    stamp: u32,
    /// Segments whose arrival duplicate ACKs have told, but not yet which segments.
    duplicate_reports: u32,
    /// Mean number of segments acknowledged by an ACK [2^-6 segments].
    mean: u32,
    /// Marks that the controller has not been told of.
    unreported: u32,
}

impl Counter {
    /// Count of newly marked packets by the ACE field. RFC 9768 section 3.2.2.5.2: the sender "SHOULD deem whether it
    /// cycled by taking the safest likely case under the prevailing conditions". An ACK that was superseded by another
    /// says nothing new (section 3.2.2.2).
    /// <https://www.rfc-editor.org/rfc/rfc9768#section-3.2.2.5.2>
    pub fn count(&mut self, packet: &Packet, prior_una: u32, delivered: u32) -> u32 {
        let is_later = packet.stamp.wrapping_sub(self.stamp) <= u32::MAX / 2;
        if packet.seq < prior_una || (delivered == 0 && !is_later && !packet.kind.is_dsack()) {
            return 0;
        }
        if is_later || delivered > 0 {
            self.stamp = packet.stamp;
        }
        let arrived = self.arrived(packet, delivered);
        let cep = packet.ace().wrapping_sub(INITIAL_CEP) & 7;
        let least = u32::from(cep.wrapping_sub(self.cep) & 7);
        self.cep = cep;
        let is_thinned = self.mean > THINNED << MEAN_SHIFT;
        let safest = arrived.wrapping_sub(arrived.wrapping_sub(least) & 7);
        let reported = if arrived <= 7 || is_thinned { least } else { safest };
        self.unreported += reported;
        reported
    }

    /// Marks that the controller hears of with a delivery, of no more segments than are delivered.
    pub fn report(&mut self, delivered: u32) -> u32 {
        let now = self.unreported.min(delivered);
        self.unreported -= now;
        now
    }

    /// Packets whose arrival an ACK tells for the first time, as far as the sender can tell.
    fn arrived(&mut self, packet: &Packet, delivered: u32) -> u32 {
        if delivered == 0 {
            self.duplicate_reports += u32::from(!packet.kind.is_dsack());
            return 1;
        }
        // Without SACK, duplicate ACKs have told of segments that the cumulative ACK delivers.
        let arrived = delivered.saturating_sub(self.duplicate_reports).max(1);
        self.duplicate_reports = self.duplicate_reports.saturating_sub(delivered - arrived);
        let scaled = arrived << MEAN_SHIFT;
        self.mean = match self.mean {
            0 => scaled,
            mean => mean - (mean >> MEAN_SHIFT) + arrived,
        };
        arrived
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::ecn::AckFlags;
    use crate::net::packet::{Codepoint, Kind, Report};

    /// ACK up to a segment after `marks` in all.
    fn ack(seq: u32, marks: u32) -> Packet {
        let packet = Packet { kind: Kind::Ack, seq, stamp: seq, ..Packet::default() };
        let flags = AckFlags::ace(u8::try_from(marks % 8).expect("below 8") + INITIAL_CEP);
        packet.reporting_as_ect(Report::arrival(0), flags, Codepoint::Ect1)
    }

    /// RFC 9768 section 3.2.2.2.
    #[test]
    fn marks_are_counted_by_the_ace_field() {
        let mut counter = Counter::default();
        let (mut before, mut una) = (0, 0);
        for marks in [0, 0, 2, 3, 3, 9, 16] {
            assert_eq!(counter.count(&ack(una + 7, marks), una, 7), marks - before);
            (before, una) = (marks, una + 7);
        }
    }

    /// RFC 9768 section 3.2.2.5.2: ten segments and an advance by two are ten marks at most, and at worst.
    #[test]
    fn a_counter_that_may_have_wrapped_is_taken_for_the_worst() {
        let count = |arrived, marks| {
            let mut counter = Counter::default();
            counter.count(&ack(1, 0), 0, 1);
            counter.count(&ack(1 + arrived, marks), 1, arrived)
        };
        assert_eq!(count(7, 0), 0, "seven marks would show");
        assert_eq!(count(8, 0), 8);
        assert_eq!(count(10, 2), 10);
        assert_eq!(count(17, 5), 13);
    }

    /// Linux: where ACKs are thinned anyway, a long one does not mean that others were lost.
    #[test]
    fn a_thinned_stream_of_acks_is_not_taken_for_lost_acks() {
        let mut counter = Counter::default();
        for at in 0..50 {
            assert_eq!(counter.count(&ack(16 * (at + 1), 0), 16 * at, 16), 0);
        }
    }

    #[test]
    fn superseded_acks_are_ignored() {
        let mut counter = Counter::default();
        assert_eq!(counter.count(&ack(5, 3), 0, 5), 3);
        assert_eq!(counter.count(&ack(4, 1), 5, 0), 0, "an older cumulative ACK");
        let older = Packet { stamp: 2, ..ack(5, 2) };
        assert_eq!(counter.count(&older, 5, 0), 0, "an older duplicate");
        assert_eq!(counter.count(&ack(6, 4), 5, 1), 1);
    }

    /// Without SACK the ACK that fills a hole delivers what duplicate ACKs have told of.
    #[test]
    fn duplicate_acks_have_told_of_what_a_cumulative_ack_delivers() {
        let mut counter = Counter::default();
        counter.count(&ack(1, 0), 0, 1);
        (0..19).for_each(|_| assert_eq!(counter.count(&ack(1, 0), 1, 0), 0));
        assert_eq!(counter.count(&ack(6, 0), 1, 5), 0, "a partial ACK");
        assert_eq!(counter.count(&ack(22, 0), 6, 16), 0);
    }

    /// A mark on a segment that had arrived before counts, and is told with the next delivery.
    #[test]
    fn marks_without_delivery_are_told_later() {
        let mut counter = Counter::default();
        counter.count(&ack(1, 0), 0, 1);
        assert_eq!((counter.count(&ack(1, 1), 1, 0), counter.report(0)), (1, 0));
        assert_eq!((counter.count(&ack(2, 2), 1, 1), counter.report(1)), (1, 1));
        assert_eq!((counter.count(&ack(3, 2), 2, 1), counter.report(1)), (0, 1));
    }

    /// RFC 9768 section 3.2.2.2: an ACK that delivers nothing is a later one by its echo, however much later.
    #[test]
    fn acks_are_ordered_by_their_echoes() {
        let mut counter = Counter::default();
        counter.count(&ack(5, 0), 0, 5);
        let duplicate = |stamp, marks| Packet { stamp, ..ack(5, marks) };
        assert_eq!(counter.count(&duplicate(1000, 1), 5, 0), 1);
        assert_eq!(counter.count(&duplicate(900, 0), 5, 0), 0, "superseded");
        // The ACK of a hole echoes the segment that filled it, which left before others.
        assert_eq!(counter.count(&Packet { stamp: 400, ..ack(6, 2) }, 5, 1), 1);
        assert_eq!(counter.count(&Packet { stamp: 500, ..ack(6, 3) }, 6, 0), 1);
    }

    /// News of duplicate ACKs is told once: 19 of them, 4 and 15 of which are delivered with the holes.
    #[test]
    fn duplicate_reports_segments_are_counted_off() {
        let mut counter = Counter::default();
        counter.count(&ack(1, 0), 0, 1);
        for _ in 0..19 {
            counter.count(&ack(1, 0), 1, 0);
        }
        counter.count(&ack(6, 0), 1, 5);
        assert_eq!(counter.count(&ack(28, 0), 6, 22), 0, "seven are new, and seven marks would show");
        let mut other = Counter::default();
        other.count(&ack(1, 0), 0, 1);
        assert_eq!(other.count(&ack(9, 0), 1, 8), 8);
    }

    /// Linux: the mean follows what ACKs acknowledge, so that a long one among short ones tells of lost ACKs.
    #[test]
    fn the_mean_of_short_acks_stays_short() {
        let mut counter = Counter::default();
        for at in 0..400 {
            assert_eq!(counter.count(&ack(at + 1, 0), at, 1), 0);
        }
        assert_eq!(counter.count(&ack(408, 0), 400, 8), 8);
    }
}
