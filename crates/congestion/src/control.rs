//! The interface between a transport (mechanism) and a congestion controller (policy).
//!
//! The transport owns the scoreboard, the pipe, RTT and RTO, delivery-rate samples, round counting and
//! the pacer, and says "once per episode". A controller owns `cwnd`, `ssthresh` and its own memory.

use std::fmt;

use crate::segment::{Delivery, SentSegment};
use crate::units::{Duration, Rate, Time};

/// A congestion-control algorithm at work on one flow.
pub trait CongestionControl: fmt::Debug + Send {
    /// One ACK arrived; everything it says is in `ack`.
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow);

    /// A congestion episode began or ended.
    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow);

    /// Current decision of the controller; the transport enforces it.
    fn decision(&self) -> Decision;

    /// Take back the latest reduction: what it answered was no loss (RFC 4015). `prior` is what the window was before.
    /// Without an answer of its own, the controller stays where it is. [`CongestionEvent::ExitRecovery`] follows if the
    /// episode is not over yet.
    fn on_undo(&mut self, _prior: &Prior, _flow: &Flow) {}

    /// Regime of the controller, one of three; measurement counts flows by it.
    fn phase(&self) -> Phase;

    /// Needs of the controller beyond what every flow gets; asked once, at the start of the flow.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Stamp the header of an outgoing segment (XCP, VCP); called only if the controller needs
    /// [`feedback`](Needs::feedback).
    fn on_send(&mut self, _feedback: &mut Feedback, _flow: &Flow) {}

    /// A data segment has left. This and the three below: only if the controller needs [`segments`](Needs::segments).
    fn on_segment_sent(&mut self, _segment: &SentSegment, _flow: &Flow) {}

    /// An ACK has delivered something; losses that it shows, episodes and [`CongestionControl::on_ack`] follow.
    fn on_delivery(&mut self, _delivery: &Delivery, _flow: &Flow) {}

    /// A segment is lost, by whatever evidence; `starts_run` unless the last one that was is the one before it.
    fn on_segment_lost(&mut self, _segment: &SentSegment, _starts_run: bool, _flow: &Flow) {}

    /// Earliest time at which the next segment may leave, asked after each one that left; `None` leaves pacing to
    /// [`Decision::pacing_rate`]. The same time for some segments lets them go in a burst.
    fn departure(&self) -> Option<Time> {
        None
    }

    /// When to call [`CongestionControl::on_wakeup`] next, if ever.
    fn wakeup(&self) -> Option<Time> {
        None
    }

    /// The time returned by [`CongestionControl::wakeup`] has come.
    fn on_wakeup(&mut self, _flow: &Flow) {}

    /// Slow-start threshold [bytes], if the controller has one; infinity before one is set.
    fn ssthresh(&self) -> Option<f64> {
        None
    }

    /// Take over a window and a slow-start threshold [bytes] that the transport puts in force, as where a window was not
    /// used for long (RFC 5681 section 4.1). Controllers that set their own pace need not, as BBR does not in Linux.
    fn override_window(&mut self, _cwnd: f64, _ssthresh: f64) {}

    /// Data leave again after nothing was in flight; the segment before left `idle` ago. The window limits the flow
    /// ([`Flow::cwnd_limited`]) unless the application had nothing to send in that time.
    fn on_restart(&mut self, _idle: Duration, _flow: &Flow) {}

    /// Name internals for traces only; `record` is called once per quantity.
    fn state(&self, _record: &mut dyn FnMut(&'static str, f64)) {}
}

/// Needs of a controller that not every flow has: `Needs { ecn: Ecn::L4s, ..Needs::default() }`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Needs {
    /// Protocol that the flow speaks with routers: its segments carry a header that routers write into and the
    /// receiver echoes (XCP, VCP). Routers on its way have to speak it.
    pub feedback: Option<Protocol>,
    /// Explicit congestion notification: which segments routers may mark, and how the receiver echoes marks.
    pub ecn: Ecn,
    /// The controller also works with less than the [`ecn`](Self::ecn) that it asks for: where the hosts have no
    /// AccECN feedback it sends ECT(0) and answers marks as RFC 3168 says, where they have no ECN it answers losses
    /// alone. Without this, hosts that cannot give a controller of [`Ecn::L4s`] its feedback are an error of the scenario.
    pub ecn_fallback: bool,
    /// Delivery-rate samples ([`AckSample::rate`]), measured by the transport.
    pub rate_samples: bool,
    /// Segments one by one, as they are sent, delivered and lost ([`CongestionControl::on_segment_sent`]). The transport has
    /// to tell transmissions apart, by SACK or RACK.
    pub segments: bool,
    /// The window is the controller's in a recovery, too, as in QUIC and BBR. Without this a transport with proportional
    /// rate reduction leads the window of a flow that is not paced to where the controller wants it.
    pub owns_recovery: bool,
}

impl Needs {
    /// Smallest window [bytes] that makes sense in a [`Decision`], for segments of `smss` bytes: one segment, or a
    /// part of it for a controller of [`Ecn::L4s`].
    ///
    /// [RFC 9331 section 4.3]: "It would be preferable for the minimum window of a Scalable congestion control to be
    /// lower than 1 segment rather than use the timeout approach described for TCP".
    ///
    /// [RFC 9331 section 4.3]: https://www.rfc-editor.org/rfc/rfc9331#section-4.3
    pub fn least_window(&self, smss: f64) -> f64 {
        if self.ecn == Ecn::L4s { smss * LEAST_FRACTION } else { smss }
    }
}

/// Smallest fractional window [segments]: one segment in so many round trips ends a flow in all but name.
pub const LEAST_FRACTION: f64 = 1.0 / 1024.0;

/// Explicit congestion notification of a flow (ECN), from none to the most exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Segments are never ECN-capable: the controller has no answer to a mark. RFC 3168 section 5 wants one of
    /// every sender that is.
    None,
    /// The controller answers [`CongestionEvent::EcnEcho`] as [RFC 3168] has it. Where both hosts have ECN switched
    /// on, new data are ECT(0), and the echo is ECE, repeated until CWR; without the switch there is no ECN.
    ///
    /// [RFC 3168]: https://www.rfc-editor.org/rfc/rfc3168#section-6.1
    #[default]
    Classic,
    /// Every segment is ECT(0), and every mark is echoed ([RFC 8257 section 3.2]).
    ///
    /// [RFC 8257 section 3.2]: https://www.rfc-editor.org/rfc/rfc8257#section-3.2
    Dctcp,
    /// Every segment is ECT(1) ([RFC 9331]), and marks are counted by AccECN feedback ([RFC 9768]).
    ///
    /// [RFC 9331]: https://www.rfc-editor.org/rfc/rfc9331#section-4.1
    /// [RFC 9768]: https://www.rfc-editor.org/rfc/rfc9768
    L4s,
}

impl Ecn {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::None, Self::Classic, Self::Dctcp, Self::L4s];

    /// Name in controllers written in Python and in lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Classic => "classic",
            Self::Dctcp => "dctcp",
            Self::L4s => "l4s",
        }
    }
}

/// Decision of a controller, for the transport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Congestion window [bytes]. One below a segment ([`Needs::least_window`]) is a fractional window: the transport
    /// keeps one segment in flight at most, and sends one per `smss / cwnd` round trips.
    pub cwnd: f64,
    /// Pacing rate; `None` sends as soon as the window allows.
    pub pacing_rate: Option<Rate>,
}

/// Window before a reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// Congestion window [bytes].
    pub cwnd: f64,
    /// Slow-start threshold to return to [bytes]; `None` of a controller without. Linux, `tcp_current_ssthresh`: three
    /// quarters of the window at least.
    pub ssthresh: Option<f64>,
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
    /// Everything outstanding at the beginning of the episode is acknowledged. With `prr = "linux"` it comes alone where
    /// a loss was found while the window went down for a mark, for that loss is not an episode of its own.
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
#[derive(Clone, Copy, Debug, Default)]
pub struct RateSample {
    /// Bytes delivered over `interval`.
    pub delivered: u64,
    /// The longer of the send and the ACK interval.
    pub interval: Duration,
    /// The application, not the network, limited the sample.
    pub app_limited: bool,
    /// Round-trip time of the segment that the sample is of, the last one that the ACK acknowledges; none if it was
    /// sent more than once (Karn). [`AckSample::rtt`] is of the first one where ACKs are delayed (RFC 7323).
    pub rtt: Option<Duration>,
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
    /// Earliest time at which pacing lets the next segment go; in the past without pacing.
    pub next_send_time: Time,
    /// ECN that the hosts have agreed on: what the controller asked for, or less ([`Needs::ecn_fallback`]).
    pub ecn: Ecn,
    /// Between `EnterRecovery` or `Rto` and `ExitRecovery`.
    pub in_recovery: bool,
    /// This ACK may open the window: it, not the application, limits sending (RFC 7661), and if a timeout is being
    /// repaired, the ACK acknowledges the oldest segment and not only later ones (RFC 5681 section 3.1).
    pub cwnd_limited: bool,
    /// The application, not the window, limits sending, whatever the ACK acknowledges (RFC 9438 section 4.2).
    pub app_limited: bool,
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
    /// After a timeout, too, an ACK opens the window by all that it delivers, as in Linux, and not by a segment at most
    /// (RFC 3465 section 2.3).
    pub counts_whole_acks: bool,
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
        counts_whole_acks: false,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9331 section 4.3: a window below one segment is preferable for scalable congestion controls.
    #[test]
    fn only_l4s_has_fractional_windows() {
        for ecn in Ecn::ALL {
            let least = Needs { ecn, ..Needs::default() }.least_window(1024.0);
            assert_eq!(least.to_bits(), if ecn == Ecn::L4s { 1.0_f64 } else { 1024.0 }.to_bits());
        }
    }
}
