//! Slow start of CUBIC by Linux's `HyStart`.

use super::*;

/// Linux, `cubictcp_state`: a timeout resets `HyStart`, too (`bictcp_hystart_reset`), so the slow start after it ends by a
/// train of ACKs, longer than half of 20 ms and of 1 ms.
#[test]
fn hystart_of_linux_looks_again_after_a_timeout() {
    let mut cubic = create_with(&LINUX, &initial(100.0), &[("hystart_linux", 1.0)]);
    cubic.on_congestion(CongestionEvent::Rto, &at(0.0));
    cubic.on_congestion(CongestionEvent::ExitRecovery, &at(0.0));
    // The whole part of 717/1024 x 100 segments.
    assert_near(read(&*cubic, "ssthresh"), 70e3);
    for number in 0..40 {
        let round = if number == 20 { round_end(20).round } else { None };
        let rtt = Some(Duration::from_millis(20));
        cubic.on_ack(&AckSample { rtt, round, ..ack(1) }, &at(0.001 * f64::from(number)));
    }
    // The round began at 2 + 20 segments, and the ACK 11 ms later finds as many more.
    assert_near(read(&*cubic, "ssthresh"), 33e3);
}

/// Linux, `cubictcp_acked`: after a loss `HyStart` looks at the slow start that follows idle time, too, but not in the
/// first second of an epoch, of which idle time is none.
#[test]
fn linux_looks_at_slow_starts_after_idle_time() {
    for (epoch, looks) in [(0.5, false), (1.5, true)] {
        let mut controller = create_with(&LINUX, &avoiding(100.0), &[("hystart_linux", 1.0)]);
        lose(&mut *controller, 1.0);
        controller.on_ack(&ack(1), &at(1.0));
        let mut now = 1.0 + epoch + 2.0;
        controller.on_restart(Duration::from_millis(2000), &at(now));
        controller.override_window(20e3, 80e3);
        controller.on_ack(&round_end(100), &at(now));
        for _ in 0..60 {
            now += 0.001;
            let rtt = Some(Duration::from_millis(100));
            controller.on_ack(&AckSample { rtt, ..ack(0) }, &at(now));
        }
        assert_eq!(controller.ssthresh() < Some(80e3), looks, "{epoch}");
    }
}
