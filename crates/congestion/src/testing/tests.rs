//! The transport notifies a controller as the specifications say.

use super::*;
use crate::control::{
    AckSample, CongestionControl, CongestionEvent, Decision, Ecn, Feedback, Flow, Load, Needs, Phase,
    Protocol,
};
use crate::registry::algorithms;
use crate::units::{Duration, Rate, Time};
use crate::window::to_float;

/// Controller of a constant window that records its calls.
#[derive(Debug, Default)]
struct Recorder {
    window: f64,
    pacing_rate: Option<Rate>,
    protocol: Option<Protocol>,
    /// Next wake-up, and the time between two.
    alarm: Option<(Time, Duration)>,
    acks: Vec<(AckSample, Flow)>,
    events: Vec<(CongestionEvent, Flow)>,
    woken: Vec<Time>,
}

impl CongestionControl for Recorder {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        self.acks.push((*ack, *flow));
    }
    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        self.events.push((event, *flow));
    }
    fn decision(&self) -> Decision {
        Decision { cwnd: self.window * f64::from(SMSS), pacing_rate: self.pacing_rate }
    }
    fn phase(&self) -> Phase {
        Phase::Standard
    }
    fn needs(&self) -> Needs {
        Needs { ecn: Ecn::Dctcp, feedback: self.protocol, ..Needs::default() }
    }
    fn on_send(&mut self, feedback: &mut Feedback, _: &Flow) {
        match self.protocol {
            Some(Protocol::Xcp) => *feedback = Feedback::Xcp { cwnd: 0.0, rtt: 0.0, feedback: 0.0 },
            Some(Protocol::Vcp) => *feedback = Feedback::Vcp(Load::Low),
            None => {}
        }
    }
    fn wakeup(&self) -> Option<Time> {
        self.alarm.map(|(at, _)| at)
    }
    fn on_wakeup(&mut self, flow: &Flow) {
        self.woken.push(flow.now);
        self.alarm = self.alarm.map(|(_, span)| (flow.now + span, span));
    }
}

fn millis(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn at(ms: u64) -> Time {
    Time::ZERO + millis(ms)
}

fn recorder(window: f64) -> Recorder {
    Recorder { window, ..Recorder::default() }
}

fn on_path(controller: Recorder, path: Path) -> Transport<Recorder> {
    Transport::new(Box::new(controller), SMSS, path)
}

/// 1000 segments/s and 100 ms: a segment per millisecond, 100 without a queue.
const PATH: Path = Path {
    rate: 1000.0,
    rtt: Duration::from_millis(100),
    buffer: f64::INFINITY,
    mark_above: f64::INFINITY,
    lose_every: None,
    compressed: false,
};

/// RFC 6298 section 2.3: "SRTT <- (1 - alpha) * SRTT + alpha * R'", alpha=1/8.
#[test]
fn round_trips_are_smoothed() -> Verdict {
    let mut transport = on_path(recorder(4.0), PATH);
    transport.connect()?;
    assert_eq!((transport.flow.srtt, transport.flow.min_rtt), (millis(100), millis(100)));
    transport.acknowledge(1, 0, 0, millis(180))?;
    transport.acknowledge(1, 0, 0, millis(30))?;
    assert_eq!((transport.flow.srtt, transport.flow.min_rtt), (Duration(100_000_000_000), millis(30)));
    Ok(())
}

/// By ACK a round ends when everything outstanding at its beginning is acknowledged.
#[test]
fn rounds_by_ack_are_summed_up() -> Verdict {
    let mut transport = on_path(recorder(4.0), PATH);
    transport.connect()?;
    transport.acknowledge(1, 0, 0, millis(180))?;
    transport.acknowledge(2, 1, 0, millis(30))?;
    transport.acknowledge(1, 0, 1, millis(40))?;
    transport.acknowledge(1, 0, 0, millis(40))?;
    let acks = &transport.controller.acks;
    let rounds: Vec<bool> = acks.iter().map(|(ack, _)| ack.round.is_some()).collect();
    assert_eq!(rounds, [false, false, true, false]);
    let round = acks[2].0.round.expect("a round ends");
    assert_eq!((round.min_rtt, round.rtt_count), (Some(millis(30)), 3));
    assert_eq!((round.delivered, round.lost, round.ce_marked), (4000, 1000, 1000));
    // Each ACK comes after its part of the round trip.
    let times: Vec<Time> = acks.iter().map(|(_, flow)| flow.now).collect();
    assert_eq!(times, [at(45), at(60), at(70), at(80)]);
    Ok(())
}

#[test]
fn episodes_begin_and_end() -> Verdict {
    let mut transport = on_path(recorder(4.0), PATH);
    transport.connect()?;
    transport.congestion(CongestionEvent::EnterRecovery)?;
    transport.congestion(CongestionEvent::ExitRecovery)?;
    transport.congestion(CongestionEvent::EcnEcho)?;
    transport.timeout()?;
    let reported: Vec<_> =
        transport.controller.events.iter().map(|(event, flow)| (*event, flow.in_recovery)).collect();
    let expected = [
        (CongestionEvent::EnterRecovery, true),
        (CongestionEvent::ExitRecovery, false),
        (CongestionEvent::EcnEcho, false),
        (CongestionEvent::Rto, true),
    ];
    assert_eq!(reported, expected);
    let (_, flow) = transport.controller.events[3];
    assert_eq!((flow.now, flow.in_flight, flow.flight_size), (at(1000), 0, 4000));
    Ok(())
}

#[test]
fn controllers_wake_when_they_asked_for_it() -> Verdict {
    let alarm = Some((at(30), millis(50)));
    let mut transport = on_path(Recorder { alarm, ..recorder(4.0) }, PATH);
    transport.pass(millis(100))?;
    assert_eq!(transport.controller.woken, [at(30), at(80)]);
    transport.run(0.1)?;
    assert!(transport.controller.woken.contains(&at(180)));
    transport.controller.alarm = Some((transport.flow.now, Duration::ZERO));
    assert!(transport.pass(millis(1)).is_err_and(|error| error.contains("has passed")));
    Ok(())
}

#[test]
fn decisions_without_sense_are_refused() {
    for (window, pacing_rate) in [(0.5, None), (f64::NAN, None), (4.0, Some(Rate(0.0)))] {
        let controller = || Recorder { pacing_rate, ..recorder(window) };
        assert!(on_path(controller(), PATH).connect().is_err());
        assert!(on_path(controller(), PATH).round().is_err());
        assert!(on_path(controller(), PATH).report(CongestionEvent::EcnEcho).is_err());
        let mut transport = on_path(recorder(4.0), PATH);
        *transport.controller = controller();
        assert!(transport.report_ack(&ack(1)).is_err());
    }
}

/// A round of a window is as long as the path, or as its queue makes it.
#[test]
fn windows_above_the_path_wait() -> Verdict {
    for (window, rtt) in [(50.0, 100), (100.0, 100), (150.0, 150)] {
        let mut transport = on_path(recorder(window), PATH);
        transport.round()?;
        assert_eq!(transport.flow.now, at(rtt));
        let (first, _) = transport.controller.acks[0];
        let (last, flow) = transport.controller.acks.last().expect("a window of ACKs");
        assert_eq!(first.round.expect("on the first ACK").min_rtt, Some(millis(rtt)));
        assert_eq!((last.rtt, last.forward_delay), (Some(millis(rtt)), Some(millis(rtt - 50))));
        assert!(last.round.is_none());
        assert_eq!(flow.now, at(rtt));
        assert_near(f64::from(transport.whole_window()), window);
    }
    Ok(())
}

#[test]
fn pacing_limits_a_round() -> Verdict {
    let pacing_rate = Some(Rate(200.0 * f64::from(SMSS)));
    let mut transport = on_path(Recorder { pacing_rate, ..recorder(50.0) }, PATH);
    transport.round()?;
    transport.round()?;
    // Nobody knows the round trip before the first.
    assert_eq!(transport.arrived, 50 + 20);
    Ok(())
}

/// By path the queue is what the window has above the path, and a segment's transmission comes on top.
#[test]
fn windows_fill_the_queue_of_the_path() -> Verdict {
    let mut transport = on_path(recorder(150.0), PATH);
    transport.run(2.0)?;
    let (ack, flow) = transport.controller.acks.last().expect("ACKs");
    assert_eq!((ack.rtt, ack.forward_delay), (Some(millis(150)), Some(millis(100))));
    let rate = ack.rate.expect("a rate");
    assert_near(to_float(rate.delivered) / rate.interval.seconds(), 1000.0 * f64::from(SMSS));
    assert_eq!(flow.in_flight, 149_000);
    let rounds: Vec<_> = transport.controller.acks.iter().filter_map(|(ack, _)| ack.round).collect();
    assert!(rounds[2..].iter().all(|round| round.delivered == 150_000 && round.rtt_count == 150));
    Ok(())
}

#[test]
fn full_buffers_lose_and_scripts_do() -> Verdict {
    let mut transport = on_path(recorder(150.0), Path { buffer: 20.0, ..PATH });
    transport.run(1.0)?;
    assert!(transport.lost > 0);
    let events = transport.controller.events.iter().map(|(event, _)| *event);
    assert!(events.take(2).eq([CongestionEvent::EnterRecovery, CongestionEvent::ExitRecovery]));
    let mut transport = on_path(recorder(50.0), Path { lose_every: Some(100), ..PATH });
    transport.run(10.0)?;
    // The last of them may still be on its way.
    assert!(
        (transport.lost..=transport.lost + 1).contains(&((transport.arrived + transport.lost + 50) / 100))
    );
    Ok(())
}

/// RFC 6675 section 5: an episode lasts until everything outstanding at its beginning is accounted for, so the
/// losses of a flight halve the window once.
#[test]
fn losses_of_a_flight_are_one_episode() -> Verdict {
    let reno = algorithms().iter().find(|algorithm| algorithm.name == "reno").expect("reno");
    let mut transport = Transport::new(create(reno, &avoiding(100.0)), SMSS, Path { buffer: 20.0, ..PATH });
    transport.run(5.0)?;
    let before = transport.lost;
    assert!(!transport.run_until(60.0, |flow| flow.segments() < 55.0)?);
    assert!(transport.lost > before);
    Ok(())
}

/// RFC 3168 section 6.1.2: TCP reacts "at most once every window of data".
#[test]
fn marks_are_reported_once_per_window() -> Verdict {
    let mut transport = on_path(recorder(150.0), Path { mark_above: 30.0, ..PATH });
    transport.run(1.65)?;
    let rounds = transport.controller.acks.iter().filter_map(|(ack, _)| ack.round).skip(2);
    assert!(rounds.clone().count() > 5);
    assert!(rounds.map(|round| round.ce_marked).all(|marked| marked == 150_000));
    let events = &transport.controller.events;
    assert!(events.iter().all(|(event, _)| *event == CongestionEvent::EcnEcho));
    assert!(events.windows(2).all(|pair| pair[1].1.now.since(pair[0].1.now) == millis(150)));
    Ok(())
}

/// XCP grants what is spare and takes what waits; VCP's load has its three regions.
#[test]
fn routers_answer_by_the_window() -> Verdict {
    for (window, load) in [(70.0, Load::Low), (90.0, Load::High), (120.0, Load::Over)] {
        let path = [Protocol::Vcp, Protocol::Xcp].map(|protocol| {
            let controller = Recorder { protocol: Some(protocol), ..recorder(window) };
            on_path(controller, PATH)
        });
        let [mut vcp, mut xcp] = path;
        vcp.round()?;
        xcp.round()?;
        assert_eq!(vcp.controller.acks[0].0.feedback, Feedback::Vcp(load));
        let Feedback::Xcp { feedback, .. } = xcp.controller.acks[0].0.feedback else {
            panic!("the flow speaks XCP");
        };
        assert_eq!(feedback > 0.0, window < 100.0);
    }
    Ok(())
}

/// Every algorithm uses half of a path or more, and plays all three kinds of scripts.
#[test]
fn every_algorithm_uses_a_path() -> Verdict {
    for algorithm in algorithms() {
        let transport = || {
            let path = Path { buffer: 100.0, mark_above: 20.0, ..PATH };
            Transport::new(create(algorithm, &initial(10.0)), SMSS, path)
        };
        let mut by_path = transport();
        by_path.run(20.0)?;
        assert!(by_path.arrived > 5_000, "{}: {}", algorithm.name, by_path.arrived);
        let mut by_round = transport();
        by_round.path.buffer = f64::INFINITY;
        (0..3).try_for_each(|_| by_round.round())?;
        by_round.lose()?;
        assert!(!by_round.flow.in_recovery);
        let mut by_ack = transport();
        by_ack.connect()?;
        by_ack.flight()?;
        assert!(by_ack.flow.now > at(0) && by_ack.flow.now <= at(100), "{}", algorithm.name);
    }
    Ok(())
}
