//! A whole sender to which a script tells every ACK, under a controller that does as it is told and writes down what
//! it hears.

mod acks;
mod facts;
mod limits;
mod linux;
mod quic;
mod recoveries;
mod spurious;

use std::sync::{Arc, Mutex, MutexGuard};

use congestion::{
    AckSample, CongestionControl, CongestionEvent, Decision, Duration, Feedback, Flow, Needs, Phase, Prior,
    Rate, Time,
};

use super::Sender;
use crate::measure::counters::Counters;
use crate::net::packet::{self, Kind, Packet, Report};
use crate::tcp::control::Growth;
use crate::tcp::ecn::EcnOptions;
use crate::tcp::linux::host_pacing::PacingRule;
use crate::tcp::linux::undo::UndoOptions;
use crate::tcp::loss::{Evidence, LossOptions, ReoWndRule};
use crate::tcp::mechanism::Mechanism;
use crate::tcp::prr::PrrRule;
use crate::tcp::ranges::Pool;
use crate::tcp::recovery::{LossResponse, TimeoutRule};
use crate::tcp::rtt::{RtoBounds, RtoRule};
use crate::tcp::validation::ValidationOptions;

const SMSS: u32 = 1000;

/// Round trip of the handshake, and of all scripts that name no other.
const RTT: Duration = ms(100);

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Instant so many milliseconds after the connection began.
const fn at(millis: u64) -> Time {
    Time(ms(millis).0)
}

/// Controller that is told everything, windows in segments.
#[derive(Debug)]
struct Policy {
    cwnd: f64,
    ssthresh: Option<f64>,
    phase: Phase,
    pacing_rate: Option<Rate>,
    needs: Needs,
    /// Window and threshold after a loss, a timeout or a mark.
    reduced: f64,
    acks: Vec<(AckSample, Flow)>,
    events: Vec<CongestionEvent>,
    undone: Vec<Prior>,
    /// Time since the segment before, and whether the window has held the flow.
    restarts: Vec<(Duration, bool)>,
}

impl Policy {
    fn new(cwnd: f64) -> Self {
        Self {
            cwnd,
            ssthresh: Some(f64::INFINITY),
            phase: Phase::Standard,
            pacing_rate: None,
            needs: Needs::default(),
            reduced: cwnd,
            acks: Vec::new(),
            events: Vec::new(),
            undone: Vec::new(),
            restarts: Vec::new(),
        }
    }

    /// Sample and facts of the latest ACK that delivered something.
    fn heard(&self) -> (AckSample, Flow) {
        *self.acks.last().expect("an ACK has delivered something")
    }
}

/// Controller that shares its state with the script.
#[derive(Debug)]
struct Told(Arc<Mutex<Policy>>);

impl Told {
    fn policy(&self) -> MutexGuard<'_, Policy> {
        self.0.lock().expect("no test panics with it")
    }
}

impl CongestionControl for Told {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        self.policy().acks.push((*ack, *flow));
    }

    fn on_congestion(&mut self, event: CongestionEvent, _flow: &Flow) {
        let mut policy = self.policy();
        policy.events.push(event);
        if event != CongestionEvent::ExitRecovery {
            policy.cwnd = policy.reduced;
            policy.ssthresh = Some(policy.reduced);
        }
    }

    fn decision(&self) -> Decision {
        let policy = self.policy();
        Decision { cwnd: policy.cwnd * f64::from(SMSS), pacing_rate: policy.pacing_rate }
    }

    fn on_undo(&mut self, prior: &Prior, _flow: &Flow) {
        let mut policy = self.policy();
        policy.undone.push(*prior);
        policy.cwnd = prior.cwnd / f64::from(SMSS);
    }

    fn phase(&self) -> Phase {
        self.policy().phase
    }

    fn needs(&self) -> Needs {
        self.policy().needs
    }

    fn on_send(&mut self, feedback: &mut Feedback, flow: &Flow) {
        *feedback = Feedback::Xcp { cwnd: self.policy().cwnd, rtt: flow.srtt.seconds(), feedback: 0.0 };
    }

    fn ssthresh(&self) -> Option<f64> {
        self.policy().ssthresh.map(|segments| segments * f64::from(SMSS))
    }

    fn override_window(&mut self, cwnd: f64, ssthresh: f64) {
        let mut policy = self.policy();
        (policy.cwnd, policy.ssthresh) = (cwnd / f64::from(SMSS), Some(ssthresh / f64::from(SMSS)));
    }

    fn on_restart(&mut self, idle: Duration, flow: &Flow) {
        self.policy().restarts.push((idle, flow.cwnd_limited));
    }
}

/// Mechanism with the evidence, and with nothing that is an option.
fn mechanism(evidence: Evidence) -> Mechanism {
    Mechanism {
        smss: SMSS,
        rto: RtoBounds {
            initial: ms(1000),
            min: ms(200),
            max: ms(60_000),
            rule: RtoRule::Linux,
            ack_delay: Duration::ZERO,
        },
        loss: LossOptions { evidence, dup_thresh: 3, reo_wnd: ReoWndRule::Fixed },
        response: LossResponse::FastRecovery,
        timeout_rule: TimeoutRule::default(),
        prr: PrrRule::None,
        growth: Growth::Delivered,
        undo: UndoOptions::default(),
        rwnd: u32::MAX,
        cwnd_validation: false,
        validation: ValidationOptions::default(),
        pacing: PacingRule::None,
        burst: 10,
        ecn: EcnOptions::default(),
    }
}

/// Sender, and what surrounds it.
struct Script {
    sender: Sender,
    mechanism: Mechanism,
    policy: Arc<Mutex<Policy>>,
    now: Time,
    counters: Counters,
    pool: Pool,
}

impl Script {
    /// Connection of `limit` segments after a handshake of one round trip; nothing has left.
    fn new(policy: Policy, mechanism: Mechanism, limit: u32) -> Self {
        let policy = Arc::new(Mutex::new(policy));
        let sender = Sender::new(Box::new(Told(Arc::clone(&policy))), limit, RTT, &mechanism);
        let (counters, pool) = (Counters::default(), Pool::new());
        Self { sender, mechanism, policy, now: Time::ZERO, counters, pool }
    }

    /// Script with a window of ten segments that stays as it is, and ten segments sent of a hundred.
    fn ten(mechanism: Mechanism) -> Self {
        let mut script = Self::new(Policy::new(10.0), mechanism, 100);
        assert_eq!(script.send(), (0..10).collect::<Vec<_>>());
        script
    }

    fn policy(&self) -> MutexGuard<'_, Policy> {
        self.policy.lock().expect("no test panics with it")
    }

    /// The latest ACK that delivered something, as the controller has heard of it.
    fn heard(&self) -> (AckSample, Flow) {
        self.policy().heard()
    }

    /// Segments that leave now.
    fn send(&mut self) -> Vec<u32> {
        std::iter::from_fn(|| self.send_one()).collect()
    }

    fn send_one(&mut self) -> Option<u32> {
        self.sender.next_segment(&self.mechanism, self.now).map(|sent| sent.segment)
    }

    /// Take in an ACK that arrives so many milliseconds after the connection began, of a segment that left a round trip
    /// before; nothing leaves yet.
    fn ack(&mut self, millis: u64, seg_ack: u32, sacked: Option<(u32, u32)>) {
        self.now = at(millis);
        let stamped = Time(self.now.0.saturating_sub(RTT.0));
        self.ack_of(seg_ack, sacked, stamped);
    }

    /// Take in an ACK now, of a segment that left at `stamped`.
    fn ack_of(&mut self, seg_ack: u32, sacked: Option<(u32, u32)>, stamped: Time) {
        let report = sacked.map_or(Report::arrival(0), |(start, end)| Report::block(start, end));
        self.take_in(
            Packet { kind: Kind::Ack, seq: seg_ack, ..Packet::default() }.reporting(report, false),
            stamped,
        );
    }

    /// Take in an ACK now, of a segment that left at `stamped` and had arrived before.
    fn dsack(&mut self, seg_ack: u32, stamped: Time) {
        let packet = Packet { kind: Kind::AckOfDuplicate, seq: seg_ack, ..Packet::default() };
        self.take_in(packet.reporting(Report::arrival(0), false), stamped);
    }

    /// Take in an ACK now that echoes a mark.
    fn marked(&mut self, seg_ack: u32, stamped: Time) {
        let packet = Packet { kind: Kind::Ack, seq: seg_ack, ..Packet::default() };
        self.take_in(packet.reporting(Report::arrival(0), true), stamped);
    }

    fn take_in(&mut self, packet: Packet, stamped: Time) {
        let packet = Packet { stamp: packet::stamp(stamped), ..packet };
        let Self { sender, mechanism, now, counters, pool, .. } = self;
        sender.on_ack(&packet, &Feedback::None, *now, mechanism, pool, counters);
    }

    /// Let the next timer expire; nothing leaves yet.
    fn expire(&mut self) {
        self.now = self.sender.deadline();
        let Self { sender, mechanism, now, counters, .. } = self;
        sender.on_timer(*now, mechanism, counters);
    }

    fn cwnd(&self) -> u32 {
        self.sender.control.cwnd
    }
}
