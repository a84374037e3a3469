//! The layout that a version of the ABI stands for.

use std::mem::{offset_of, size_of};

use congestion::{Ecn, Flow, Halve, Initial, Needs, SentSegment};

use super::*;

/// Whoever has to change this test has changed the ABI, and counts `crate::ABI` up.
#[test]
#[cfg(target_pointer_width = "64")]
fn layout_is_that_of_abi_4() {
    assert_eq!(crate::ABI, 4);
    let sizes = [
        size_of::<Text>(),
        size_of::<Prelude>(),
        size_of::<Header>(),
        size_of::<Calls>(),
        size_of::<RawAlgorithm>(),
        size_of::<RawParam>(),
        size_of::<RawInitial>(),
        size_of::<RawCreated>(),
        size_of::<RawAnswer>(),
        size_of::<RawAck>(),
        size_of::<RawFeedback>(),
        size_of::<RawFlow>(),
        size_of::<RawSegment>(),
        size_of::<RawDelivery>(),
    ];
    assert_eq!(sizes, [16, 72, 208, 128, 72, 72, 40, 64, 48, 136, 32, 56, 48, 88]);
    assert_eq!(offset_of!(Prelude, abi), 16);
    assert_eq!(offset_of!(Prelude, plugin_version), 24);
    assert_eq!(offset_of!(Header, controllers), 72);
    assert_eq!(offset_of!(Calls, destroy), 120);
    assert_eq!(offset_of!(RawAck, feedback), 104);
    assert_eq!(offset_of!(RawAnswer, phase), 40);
    assert_eq!(offset_of!(RawFlow, smss), 48);
}

#[test]
fn every_ecn_crosses_as_a_need_and_as_a_fact() {
    for ecn in Ecn::ALL {
        for ecn_fallback in [false, true] {
            for (segments, owns_recovery) in [(false, true), (true, false)] {
                let asked = Needs { ecn, ecn_fallback, segments, owns_recovery, ..Needs::default() };
                assert_eq!(needs(needs_bits(asked)), asked);
            }
        }
        let flow = Flow { ecn, cwnd_limited: true, ..Flow::default() };
        let read = RawFlow::from(&flow).read();
        assert_eq!((read.ecn, read.in_recovery, read.cwnd_limited), (ecn, false, true));
    }
    assert_eq!(needs(NEEDS_DCTCP_ECN | NEEDS_L4S_ECN).ecn, Ecn::None);
}

#[test]
fn flags_of_a_segment_are_told_apart() {
    let segment = SentSegment::default();
    for flagged in [
        SentSegment { app_limited: true, ..segment },
        SentSegment { retransmission: true, ..segment },
        SentSegment { replaces: true, ..segment },
        SentSegment { restored: true, ..segment },
    ] {
        assert_eq!(RawSegment::from(&flagged).read(), flagged);
    }
}

#[test]
fn numbers_that_mean_nothing_are_not_read() {
    assert_eq!(event(4), None);
    assert!(RawAnswer { phase: 3, ..RawAnswer::default() }.read().is_none());
    assert_eq!(RawFeedback { kind: 3, ..RawFeedback::default() }.read(), None);
    assert_eq!(RawFeedback { kind: 2, region: 3, ..RawFeedback::default() }.read(), None);
    let initial = RawInitial::from(&Initial {
        smss: 1,
        window: 2.0,
        ssthresh: 3.0,
        restart_window: 4.0,
        halve: Halve::Window,
        counts_whole_acks: false,
        seed: 5,
    });
    assert_eq!(RawInitial { forms: 4, ..initial }.read(), None);
    for (halve, counts_whole_acks) in [(Halve::Flight, true), (Halve::Window, false), (Halve::Window, true)] {
        let sent = Initial { halve, counts_whole_acks, ..Initial::ANY };
        assert_eq!(RawInitial::from(&sent).read(), Some(sent));
    }
}
