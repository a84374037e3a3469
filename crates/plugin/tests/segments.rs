//! Calls of the transport that a controller asks for, and what is taken back.

use super::*;

#[test]
fn segments_arrive_one_by_one() {
    let mut controller = created("echo", &[]);
    let segment = SentSegment {
        number: u32::MAX,
        sent: Time(1),
        in_flight: 2,
        delivered: 3,
        lost: 4,
        ce_marked: 5,
        app_limited: true,
        retransmission: false,
        replaces: true,
        restored: false,
    };
    controller.on_segment_sent(&segment, &flow());
    assert_eq!(told(&*controller), format!("sent {segment:?} {:?}", flow()));
    for starts_run in [false, true] {
        controller.on_segment_lost(&segment, starts_run, &flow());
        assert_eq!(told(&*controller), format!("lost {starts_run} {segment:?} {:?}", flow()));
    }
    for rtt in [None, Some(Duration(6))] {
        let delivery = Delivery {
            newest: segment,
            rtt,
            delivered: 7,
            from_flight: 8,
            prior_in_flight: 9,
            first_unacknowledged: 10,
        };
        controller.on_delivery(&delivery, &flow());
        assert_eq!(told(&*controller), format!("{delivery:?} {:?}", flow()));
    }
}

#[test]
fn what_is_taken_back_idle_times_and_windows_put_in_force_arrive() {
    let mut controller = created("echo", &[]);
    for ssthresh in [None, Some(f64::INFINITY)] {
        let prior = Prior { cwnd: 1.5, ssthresh };
        controller.on_undo(&prior, &flow());
        assert_eq!(told(&*controller), format!("{prior:?} {:?}", flow()));
    }
    controller.on_restart(Duration(3), &flow());
    assert_eq!(told(&*controller), format!("idle {:?} {:?}", Duration(3), flow()));
    controller.override_window(2.5, f64::INFINITY);
    assert_eq!(told(&*controller), "window 2.5 inf");
}
