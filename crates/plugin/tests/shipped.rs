//! Code behind functions in place of a trait.

use mesonet_plugin::Shipped;
use mesonet_plugin::congestion::Decision;

use super::*;

/// Counts what it is told.
#[derive(Default)]
struct Code {
    in_flight: u64,
    marks: u32,
}

fn shipped() -> Shipped<Code> {
    Shipped {
        new: |_| Code::default(),
        sent: |it, segment, _| it.in_flight += segment.in_flight,
        delivered: |it, delivery, _| it.in_flight -= delivery.from_flight,
        lost: |it, segment, _| it.in_flight -= segment.lost,
        marked: Some(|it, _| it.marks += 1),
        decision: |it| Decision { cwnd: 10.0, pacing_rate: Some(Rate(1.0 + f64::from(it.marks))) },
        departure: Some(|it| Some(Time(it.in_flight))),
        in_flight: |it| it.in_flight,
    }
}

#[test]
fn calls_reach_the_code_and_its_answers_the_transport() {
    let mut controller = shipped().build(&INITIAL);
    controller.on_segment_sent(&SentSegment { in_flight: 9, ..SentSegment::default() }, &flow());
    controller.on_delivery(&Delivery { from_flight: 4, ..Delivery::default() }, &flow());
    controller.on_segment_lost(&SentSegment { lost: 2, ..SentSegment::default() }, true, &flow());
    assert_eq!(controller.departure(), Some(Time(3)));
    controller.on_ack(&AckSample::default(), &Flow { in_flight: 3, ..flow() });
    controller.on_congestion(CongestionEvent::Rto, &flow());
    controller.on_congestion(CongestionEvent::EcnEcho, &flow());
    assert_eq!(controller.decision(), Decision { cwnd: 10.0, pacing_rate: Some(Rate(2.0)) });
}

#[test]
fn code_without_an_answer_to_marks_is_not_ecn_capable() {
    let needs = |marked| Shipped { marked, ..shipped() }.build(&INITIAL).needs();
    let classic = Needs { segments: true, owns_recovery: true, ..Needs::default() };
    assert_eq!(needs(shipped().marked), classic);
    assert_eq!(needs(None), Needs { ecn: Ecn::None, ..classic });
}

#[test]
#[should_panic(expected = "3 bytes are in flight, and the controller counts 0")]
fn a_controller_that_counts_otherwise_ends_the_run() {
    shipped().build(&INITIAL).on_ack(&AckSample::default(), &flow());
}
