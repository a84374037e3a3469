//! ACKs of a receiving end: of which segments, and when.

use super::*;
use crate::net::ecn::{Agreement, Echo, LONGEST_ECT_BLOCK};
use crate::net::packet::{Codepoint, Kind, LONGEST_BLOCK};

fn data(seq: u32, echo: Echo, codepoint: Codepoint) -> Packet {
    let packet = Packet { seq, stamp: 1000 + seq, ..Packet::default() };
    packet.with_flags(codepoint, false).with_ecn(Agreement::new(echo, false), false)
}

fn plain(seq: u32) -> Packet {
    data(seq, Echo::Off, Codepoint::NotEct)
}

/// RFC 2018 section 4: the block "MUST specify the contiguous block of data containing the segment which triggered this
/// ACK"; of one that is too long for an ACK, what lies around that segment.
#[test]
fn a_block_holds_the_latest_segment() {
    for (echo, longest) in [(Echo::Off, LONGEST_BLOCK), (Echo::Dctcp, LONGEST_ECT_BLOCK)] {
        let (mut receiver, mut pool) = (Receiver::idle(()), Pool::new());
        let mut arrive = |seq| {
            let reply = receiver.on_data(&data(seq, echo, Codepoint::Ect0), 2, &mut pool);
            let reply = reply.expect("a segment out of order is acknowledged at once");
            assert_eq!((reply.next, reply.stamp), (0, 1000 + seq));
            (reply.report.sack_block(), reply.duplicate)
        };
        assert_eq!(arrive(5), (Some((5, 6)), false));
        let length = 3 * longest;
        for seq in 6..5 + length {
            arrive(seq);
        }
        let middle = 5 + length / 2;
        let end = middle + longest / 2;
        assert_eq!(arrive(middle), (Some((end - longest, end)), true), "{echo:?}");
        assert_eq!(arrive(6), (Some((5, 6 + longest / 2)), true), "the block begins with the range");
        let last = 5 + length - 1;
        assert_eq!(arrive(last), (Some((last + 1 - longest, last + 1)), true));
    }
}

/// RFC 7323 section 4.3: an ACK of segments held back echoes the first of them.
#[test]
fn an_ack_echoes_the_first_segment_held_back() {
    let (mut receiver, mut pool) = (Receiver::idle(()), Pool::new());
    assert_eq!(receiver.on_data(&plain(0), 2, &mut pool), None);
    let reply = receiver.on_data(&plain(1), 2, &mut pool).expect("the second");
    assert_eq!((reply.next, reply.stamp, reply.duplicate), (2, 1000, false));
    let ack = receiver.fill(Packet { kind: Kind::Ack, seq: reply.next, ..Packet::default() }, &reply, false);
    assert_eq!((ack.seq, ack.kind, ack.sack_block()), (2, Kind::Ack, None));
}

/// RFC 8257 section 3.2: what was held back is acknowledged before the first segment that is marked, or is no more.
#[test]
fn marks_split_what_is_held_back() {
    let (mut receiver, mut pool) = (Receiver::idle(()), Pool::new());
    let marked = |seq| data(seq, Echo::Dctcp, Codepoint::Ce);
    let unmarked = |seq| data(seq, Echo::Dctcp, Codepoint::Ect0);
    assert_eq!(receiver.before(&marked(0)), None, "nothing is held back");
    receiver.on_data(&unmarked(0), 9, &mut pool);
    assert_eq!(receiver.before(&unmarked(1)), None, "one like it");
    let before = receiver.before(&marked(1)).expect("another kind");
    assert_eq!((before.next, before.flags.is_ece()), (1, false));
    let (mut receiver, mut pool) = (Receiver::idle(()), Pool::new());
    let classic = |seq, codepoint| data(seq, Echo::Classic, codepoint);
    receiver.on_data(&classic(0, Codepoint::Ect0), 9, &mut pool);
    assert_eq!(receiver.before(&classic(1, Codepoint::Ce)), None, "the classic echo says both at once");
}
