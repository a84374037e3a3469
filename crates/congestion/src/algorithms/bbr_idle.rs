//! Restart from idle in all forms of BBR: BBR 1 (draft-cardwell-iccrg-bbr-congestion-control-00, sections 4.3.4.4 and
//! 4.3.5), BBR 3 (draft-ietf-ccwg-bbr, sections 5.4.1 and 5.3.4.2) and Linux.

use crate::algorithm::Algorithm;
use crate::control::{AckSample, Flow, RateSample};
use crate::testing::{Path, SMSS, Transport, Verdict, ack, assert_near, create, initial};
use crate::units::Duration;

use super::{bbr1, bbr3};

/// A form of BBR: state of the cycle, state of `ProbeRTT`, its estimate of the rate, and the share of it that is paced.
struct Case(&'static Algorithm, f64, f64, &'static str, f64);

const CASES: [Case; 4] = [
    Case(&bbr1::BBR1, 2.0, 3.0, "bandwidth", 1.0),
    Case(&bbr1::LINUX, 2.0, 3.0, "bandwidth", 0.99),
    Case(&bbr3::BBR3, 2.0, 6.0, "max_bw", 0.99),
    Case(&bbr3::LINUX, 2.0, 6.0, "max_bw", 0.99),
];

impl Case {
    /// A flow that has found the rate and is in the cycle.
    fn transport(&self) -> Result<Transport, String> {
        let path = Path { rate: 1000.0, ..Path::default() };
        let mut transport = Transport::new(create(self.0, &initial(10.0)), SMSS, path);
        let reached =
            transport.run_until(10.0, |transport| (transport.read("state") - self.1).abs() < 0.5)?;
        assert!(reached, "{}", self.0.name);
        Ok(transport)
    }

    /// An ACK of the last segment after some seconds, of a flow that has less to send than its window.
    fn last_ack(transport: &mut Transport, seconds: f64, in_flight: u64) {
        let now = transport.flow.now + Duration::from_seconds(seconds);
        let flow = Flow { now, in_flight, cwnd_limited: false, ..transport.flow };
        let sample = AckSample { rtt: Some(Duration::from_millis(130)), ..ack(1) };
        transport.controller.on_ack(&sample, &flow);
        transport.flow = flow;
    }

    /// The next segment leaves after some seconds with nothing in flight; the application had nothing to send, unless
    /// the window has `held` it.
    fn restart(transport: &mut Transport, seconds: f64, held: bool) {
        let idle = Duration::from_seconds(seconds);
        let flow =
            Flow { now: transport.flow.now + idle, in_flight: 0, cwnd_limited: held, ..transport.flow };
        transport.controller.on_restart(idle, &flow);
        transport.flow = flow;
    }
}

/// The estimated rate is the pace after a pause: neither faster nor slower.
#[test]
fn after_a_pause_the_rate_is_the_estimate() -> Verdict {
    for case in &CASES {
        let mut transport = case.transport()?;
        Case::last_ack(&mut transport, 0.01, 0);
        Case::restart(&mut transport, 5.0, false);
        let rate = transport.controller.decision().pacing_rate.expect("it paces").0;
        let wanted = case.4 * transport.read(case.3);
        assert!((rate / wanted - 1.0).abs() < 0.005, "{}: {rate}, not {wanted}", case.0.name);
    }
    Ok(())
}

/// A minimum that grows old during a pause asks for no `ProbeRTT`, for the pause has emptied the queue; one that grows
/// old while data flow does, also where the window holds data back: `if (packets_in_flight == 0 and C.app_limited)`.
#[test]
fn a_pause_stands_for_probe_rtt() -> Verdict {
    for case in &CASES {
        for (held, state) in [(Some(false), None), (Some(true), Some(case.2)), (None, Some(case.2))] {
            let mut transport = case.transport()?;
            Case::last_ack(&mut transport, 0.01, if held.is_some() { 0 } else { 50_000 });
            if let Some(held) = held {
                Case::restart(&mut transport, 10.9, held);
            }
            Case::last_ack(&mut transport, if held.is_some() { 0.1 } else { 11.0 }, 50_000);
            let current = transport.read("state");
            match state {
                Some(state) => assert_near(current, state),
                None => assert!((current - case.2).abs() > 0.5, "{} is in ProbeRTT", case.0.name),
            }
        }
    }
    Ok(())
}

/// Draft-ietf, section 5.4.1, `HandleRestartFromIdle`: in `ProbeRTT` it does `CheckProbeRTTDone`; Linux, `bbr_cwnd_event`,
/// too. What is left of its 200 ms passes in the pause, and the first flight is a whole one. Draft-cardwell, section
/// 4.3.4.4, has no such rule.
#[test]
fn probe_rtt_ends_in_a_pause() -> Verdict {
    for case in &CASES {
        for (seconds, leaves) in [(0.1, false), (0.3, case.0.name != bbr1::BBR1.name)] {
            let mut transport = case.transport()?;
            for (passed, in_flight) in [(0.01, 50_000), (11.0, 50_000), (0.01, 0)] {
                Case::last_ack(&mut transport, passed, in_flight);
            }
            assert_near(transport.read("state"), case.2);
            Case::restart(&mut transport, seconds, false);
            assert_eq!((transport.read("state") - case.2).abs() > 0.5, leaves, "{} {seconds}", case.0.name);
        }
    }
    Ok(())
}

/// Draft-cardwell, section 4.3.5, draft-ietf, section 5.3.4.2, and Linux: what is delivered after a pause ends it, so
/// the next minimum that grows old asks for `ProbeRTT`. An ACK that delivers nothing does not.
#[test]
fn a_pause_ends_with_what_is_delivered_after_it() -> Verdict {
    for case in &CASES {
        let mut transport = case.transport()?;
        let acknowledge = |transport: &mut Transport, seconds, in_flight, delivered| {
            let now = transport.flow.now + Duration::from_seconds(seconds);
            let rtt = Some(Duration::from_millis(130));
            let (interval, app_limited) = (Duration::from_millis(130), false);
            let rate = RateSample { delivered: 10 * delivered, interval, app_limited, rtt };
            let rate = (delivered > 0).then_some(rate);
            let flow = Flow { now, in_flight, cwnd_limited: in_flight > 0, ..transport.flow };
            transport.controller.on_ack(&AckSample { delivered, rtt, rate, ..AckSample::default() }, &flow);
            transport.flow = flow;
            (transport.read("state") - case.2).abs() < 0.5
        };
        assert!(!acknowledge(&mut transport, 0.01, 0, 1000), "{}", case.0.name);
        Case::restart(&mut transport, 0.01, false);
        assert!(!acknowledge(&mut transport, 0.01, 50_000, 0), "{}", case.0.name);
        assert!(!acknowledge(&mut transport, 11.0, 50_000, 1000), "{}", case.0.name);
        assert!(acknowledge(&mut transport, 11.0, 50_000, 1000), "{}", case.0.name);
    }
    Ok(())
}
