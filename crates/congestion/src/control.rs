//! The interface between a transport (mechanism) and a congestion controller (policy).
//!
//! The transport owns the scoreboard, the pipe, RTT and RTO, delivery-rate samples, round counting and
//! the pacer, and says "once per episode". A controller owns `cwnd`, `ssthresh` and its own memory.

use std::fmt;

use crate::units::{Duration, Rate, Time};

/// A congestion-control algorithm at work on one flow.
pub trait CongestionControl: fmt::Debug + Send {
    /// One ACK arrived; everything it says is in `ack`.
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow);

    /// A congestion episode began or ended.
    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow);

    /// Current decision of the controller; the transport enforces it.
    fn decision(&self) -> Decision;

    /// Regime of the controller, one of three; measurement counts flows by it.
    fn phase(&self) -> Phase;

    /// Needs of the controller beyond what every flow gets; asked once, at the start of the flow.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Stamp the header of an outgoing segment (XCP, VCP); called only if the controller needs
    /// [`feedback`](Needs::feedback).
    fn on_send(&mut self, _feedback: &mut Feedback, _flow: &Flow) {}

    /// When to call [`CongestionControl::on_wakeup`] next (FAST), if ever.
    fn wakeup(&self) -> Option<Time> {
        None
    }

    /// The time returned by [`CongestionControl::wakeup`] has come.
    fn on_wakeup(&mut self, _flow: &Flow) {}

    /// Name internals for traces only; `record` is called once per quantity.
    fn state(&self, _record: &mut dyn FnMut(&'static str, f64)) {}
}

/// Needs of a controller that not every flow has: `Needs { ecn: true, ..Needs::default() }`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Protocol that the flow speaks with routers: its segments carry a header that routers write into and the
    /// receiver echoes (XCP, VCP). Routers on its way have to speak it.
    pub feedback: Option<Protocol>,
    /// ECN-capable segments (RFC 3168), which routers may mark instead of dropping.
    pub ecn: bool,
    /// Delivery-rate samples ([`AckSample::rate`]), measured by the transport.
    pub rate_samples: bool,
}

/// Decision of a controller, for the transport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Congestion window [bytes]; the transport sends at least one segment.
    pub cwnd: f64,
    /// Pacing rate; `None` sends as soon as the window allows.
    pub pacing_rate: Option<Rate>,
}

/// The regime of a controller, as the MesoNet study counts flows (responses y43 to y45).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// `cwnd` is below `ssthresh`.
    SlowStart,
    /// Congestion avoidance by the rules of standard TCP (RFC 5681).
    Standard,
    /// Congestion avoidance by the algorithm's own rules.
    Alternate,
}

/// Begin or end of an episode of congestion; one event per episode, not per lost segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionEvent {
    /// Loss was detected by duplicate ACKs or SACK; recovery begins (RFC 6675).
    EnterRecovery,
    /// Everything outstanding at the beginning of the episode is acknowledged.
    ExitRecovery,
    /// The receiver reported a congestion-experienced mark (RFC 3168).
    EcnEcho,
    /// The retransmission timer expired (RFC 6298).
    Rto,
}

/// Everything one ACK says.
#[derive(Clone, Copy, Debug, Default)]
pub struct AckSample {
    /// Bytes newly acknowledged, cumulatively or selectively.
    pub delivered: u64,
    /// Bytes newly declared lost.
    pub lost: u64,
    /// Bytes newly reported as marked "congestion experienced".
    pub ce_marked: u64,
    /// Round-trip time of the segment that caused this ACK, if it is unambiguous (Karn).
    pub rtt: Option<Duration>,
    /// Time the segment that caused this ACK took from sender to receiver, propagation included, if the ACK
    /// tells. Both ends share a clock, which the Internet's do not; HCC and LEDBAT need only its changes.
    pub forward_delay: Option<Duration>,
    /// Delivery-rate sample, if the transport measures it for this flow.
    pub rate: Option<RateSample>,
    /// Present on the first ACK of a new round trip.
    pub round: Option<RoundSample>,
    /// Feedback of the routers in the header, echoed by the receiver.
    pub feedback: Feedback,
}

/// Delivery rate over roughly the last round trip (draft-ietf-ccwg-bbr, section 4.1.2).
#[derive(Clone, Copy, Debug)]
pub struct RateSample {
    /// Bytes delivered over `interval`.
    pub delivered: u64,
    /// The longer of the send and the ACK interval.
    pub interval: Duration,
    /// The application, not the network, limited the sample.
    pub app_limited: bool,
}

/// Summary of the round trip that has just ended.
#[derive(Clone, Copy, Debug)]
pub struct RoundSample {
    /// Smallest RTT sample of the round, if there was any.
    pub min_rtt: Option<Duration>,
    /// Number of RTT samples in the round.
    pub rtt_count: u32,
    /// Bytes delivered in the round.
    pub delivered: u64,
    /// Bytes declared lost in the round.
    pub lost: u64,
    /// Bytes reported as marked in the round.
    pub ce_marked: u64,
}

/// A protocol that senders and routers speak through headers of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Routers grant changes of the window (Katabi, Handley, Rohrs, Sigcomm 2002).
    Xcp,
    /// Routers say how loaded they are, in two bits (Xia, Subramanian, Stoica, Kalyanaraman, Sigcomm 2005).
    Vcp,
}

impl Protocol {
    /// Name in a scenario of the queue discipline of routers that speak it.
    #[must_use]
    pub fn discipline(self) -> &'static str {
        match self {
            Self::Xcp => "xcp",
            Self::Vcp => "vcp",
        }
    }
}

/// Feedback that routers and senders exchange in packet headers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Feedback {
    /// No such header.
    #[default]
    None,
    /// XCP: the sender's window [bytes], its RTT [s] and the window change granted [bytes].
    Xcp {
        /// Congestion window [bytes].
        cwnd: f64,
        /// Round-trip time [s].
        rtt: f64,
        /// Change of the window [bytes]: what the sender asks for, then what the routers grant.
        feedback: f64,
    },
    /// VCP: the load region of the most loaded router so far.
    Vcp(Load),
}

impl Feedback {
    /// Take in the header of a later segment that the same ACK acknowledges: changes of the window add up,
    /// of loads the heavier counts.
    #[must_use]
    pub fn merge(self, later: Self) -> Self {
        match (self, later) {
            (Self::Xcp { feedback: earlier, .. }, Self::Xcp { cwnd, rtt, feedback }) => {
                Self::Xcp { cwnd, rtt, feedback: earlier + feedback }
            }
            (Self::Vcp(earlier), Self::Vcp(later)) => Self::Vcp(earlier.max(later)),
            (earlier, Self::None) => earlier,
            (_, later) => later,
        }
    }
}

/// Load of a VCP router: the two bits of its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Load {
    /// Below 80 % of the target; what senders stamp.
    Low,
    /// From there to the target.
    High,
    /// At the target or above.
    Over,
}

/// Read-only facts about the flow at the moment of a call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flow {
    /// The instant of the call.
    pub now: Time,
    /// Payload bytes of a full segment (RFC 5681 SMSS).
    pub smss: u32,
    /// Bytes in the network as the sender estimates them (RFC 6675 pipe).
    pub in_flight: u64,
    /// Bytes sent and not yet cumulatively acknowledged (RFC 5681 `FlightSize`).
    pub flight_size: u64,
    /// Smoothed RTT; zero before the first sample.
    pub srtt: Duration,
    /// Smallest RTT seen on this connection; zero before the first sample.
    pub min_rtt: Duration,
    /// Between `EnterRecovery` or `Rto` and `ExitRecovery`.
    pub in_recovery: bool,
    /// The window may open: it, not the application, limits sending (RFC 7661), and if a timeout is being
    /// repaired, the ACK acknowledges the oldest segment and not only later ones (RFC 5681 section 3.1).
    pub cwnd_limited: bool,
}

/// Initial values of a controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Initial {
    /// Payload bytes of a full segment.
    pub smss: u32,
    /// Initial window [segments] (RFC 6928; parameter X16).
    pub window: f64,
    /// Initial slow-start threshold [segments]; infinity for none (parameter X17).
    pub ssthresh: f64,
    /// Window after a retransmission timeout [segments]: 1 (RFC 5681) or the initial window (MesoNet).
    pub restart_window: f64,
    /// Quantity that a loss halves: the flight (RFC 5681) or the window (Linux).
    pub halve: Halve,
    /// Seed of the controller's own random stream.
    pub seed: u64,
}

impl Initial {
    /// Initial values of some flow, for queries whose answer does not depend on the flow.
    pub const ANY: Self = Self {
        smss: 1460,
        window: 1.0,
        ssthresh: f64::INFINITY,
        restart_window: 1.0,
        halve: Halve::Window,
        seed: 0,
    };
}

/// Quantity that a loss halves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Halve {
    /// `FlightSize` (RFC 5681 equation 4).
    Flight,
    /// `cwnd` (Linux, and the MesoNet study).
    #[default]
    Window,
}
