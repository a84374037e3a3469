//! Read-only views for a Python controller: times in seconds, data in bytes.

use congestion::{AckSample, CongestionEvent, Flow, Halve, Initial, RateSample, RoundSample};
use pyo3::prelude::*;

/// Everything one ACK says.
#[pyclass(frozen, name = "AckSample", module = "mesonet._core")]
pub(crate) struct AckView(pub(crate) AckSample);

#[pymethods]
impl AckView {
    /// Bytes newly acknowledged, cumulatively or selectively.
    #[getter]
    fn delivered(&self) -> u64 {
        self.0.delivered
    }

    /// Bytes newly declared lost.
    #[getter]
    fn lost(&self) -> u64 {
        self.0.lost
    }

    /// Bytes newly reported as marked "congestion experienced".
    #[getter]
    fn ce_marked(&self) -> u64 {
        self.0.ce_marked
    }

    /// Round-trip time of the segment that caused this ACK [s]; None if it is ambiguous (Karn).
    #[getter]
    fn rtt(&self) -> Option<f64> {
        self.0.rtt.map(congestion::Duration::seconds)
    }

    /// Round-trip time of the segment, exactly [ps].
    #[getter]
    fn rtt_ps(&self) -> Option<u64> {
        self.0.rtt.map(|rtt| rtt.0)
    }

    /// Time that segment took from sender to receiver [s], propagation included; None if the ACK does not
    /// tell. Both ends share a clock, which the Internet's do not.
    #[getter]
    fn forward_delay(&self) -> Option<f64> {
        self.0.forward_delay.map(congestion::Duration::seconds)
    }

    /// Delivery-rate sample; None unless the controller has `wants_rate_samples`.
    #[getter]
    fn rate(&self) -> Option<RateView> {
        self.0.rate.map(RateView)
    }

    /// Summary of the round trip that this ACK ends; None if it ends none.
    #[getter]
    fn round(&self) -> Option<RoundView> {
        self.0.round.map(RoundView)
    }

    fn __repr__(&self) -> String {
        let AckSample { delivered, lost, ce_marked, .. } = self.0;
        format!("AckSample(delivered={delivered}, lost={lost}, ce_marked={ce_marked})")
    }
}

/// Delivery rate over roughly the last round trip (draft-ietf-ccwg-bbr, section 4.1.2).
#[pyclass(frozen, name = "RateSample", module = "mesonet._core")]
pub(crate) struct RateView(RateSample);

#[pymethods]
impl RateView {
    /// Bytes delivered over `interval`.
    #[getter]
    fn delivered(&self) -> u64 {
        self.0.delivered
    }

    /// The longer of the send and the ACK interval [s].
    #[getter]
    fn interval(&self) -> f64 {
        self.0.interval.seconds()
    }

    /// The application, not the network, limited the sample.
    #[getter]
    fn app_limited(&self) -> bool {
        self.0.app_limited
    }

    fn __repr__(&self) -> String {
        format!("RateSample(delivered={}, interval={})", self.0.delivered, self.0.interval.seconds())
    }
}

/// Summary of the round trip that has just ended.
#[pyclass(frozen, name = "RoundSample", module = "mesonet._core")]
pub(crate) struct RoundView(pub(crate) RoundSample);

#[pymethods]
impl RoundView {
    /// Smallest RTT sample of the round [s]; None if there was none.
    #[getter]
    fn min_rtt(&self) -> Option<f64> {
        self.0.min_rtt.map(congestion::Duration::seconds)
    }

    /// Number of RTT samples in the round.
    #[getter]
    fn rtt_count(&self) -> u32 {
        self.0.rtt_count
    }

    /// Bytes delivered in the round.
    #[getter]
    fn delivered(&self) -> u64 {
        self.0.delivered
    }

    /// Bytes declared lost in the round.
    #[getter]
    fn lost(&self) -> u64 {
        self.0.lost
    }

    /// Bytes reported as marked in the round.
    #[getter]
    fn ce_marked(&self) -> u64 {
        self.0.ce_marked
    }

    fn __repr__(&self) -> String {
        let RoundSample { rtt_count, delivered, lost, ce_marked, .. } = self.0;
        format!(
            "RoundSample(rtt_count={rtt_count}, delivered={delivered}, lost={lost}, ce_marked={ce_marked})"
        )
    }
}

/// Begin or end of an episode of congestion; one event per episode, not per lost segment.
#[pyclass(frozen, name = "CongestionEvent", module = "mesonet._core")]
pub(crate) struct EventView(pub(crate) CongestionEvent);

#[pymethods]
impl EventView {
    /// `"enter_recovery"` (loss by duplicate ACKs or SACK, RFC 6675), `"exit_recovery"` (everything
    /// outstanding at its beginning is acknowledged), `"ecn_echo"` (a mark, RFC 3168) or `"rto"` (the
    /// retransmission timer expired, RFC 6298).
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0 {
            CongestionEvent::EnterRecovery => "enter_recovery",
            CongestionEvent::ExitRecovery => "exit_recovery",
            CongestionEvent::EcnEcho => "ecn_echo",
            CongestionEvent::Rto => "rto",
        }
    }

    fn __repr__(&self) -> String {
        format!("CongestionEvent(kind='{}')", self.kind())
    }
}

/// Facts about the flow at the moment of a call.
#[pyclass(frozen, name = "Flow", module = "mesonet._core")]
pub(crate) struct FlowView(pub(crate) Flow);

#[pymethods]
impl FlowView {
    /// The instant of the call [s since the start of the run].
    #[getter]
    fn now(&self) -> f64 {
        self.0.now.seconds()
    }

    /// Instant of the call, exactly [ps].
    #[getter]
    fn now_ps(&self) -> u64 {
        self.0.now.0
    }

    /// Payload bytes of a full segment (RFC 5681 SMSS).
    #[getter]
    fn smss(&self) -> u32 {
        self.0.smss
    }

    /// Bytes in the network as the sender estimates them (RFC 6675 pipe).
    #[getter]
    fn in_flight(&self) -> u64 {
        self.0.in_flight
    }

    /// Bytes sent and not yet cumulatively acknowledged (RFC 5681 `FlightSize`).
    #[getter]
    fn flight_size(&self) -> u64 {
        self.0.flight_size
    }

    /// Smoothed RTT [s]; zero before the first sample.
    #[getter]
    fn srtt(&self) -> f64 {
        self.0.srtt.seconds()
    }

    /// Smallest RTT seen on this connection [s]; zero before the first sample.
    #[getter]
    fn min_rtt(&self) -> f64 {
        self.0.min_rtt.seconds()
    }

    /// ECN that the hosts have agreed on: `"none"`, `"classic"`, `"dctcp"` or `"l4s"`, which is what the controller
    /// asked for, or less.
    #[getter]
    fn ecn(&self) -> &'static str {
        self.0.ecn.name()
    }

    /// Between `enter_recovery` or `rto` and `exit_recovery`; after `rto` the window should grow meanwhile.
    #[getter]
    fn in_recovery(&self) -> bool {
        self.0.in_recovery
    }

    /// The application, not the window, limits sending, whatever the ACK acknowledges (RFC 9438 section 4.2).
    #[getter]
    fn app_limited(&self) -> bool {
        self.0.app_limited
    }

    /// This ACK may open the window: it, not the application, limits sending (RFC 7661), and if a timeout is being
    /// repaired, the ACK acknowledges the oldest segment and not only later ones (RFC 5681 section 3.1).
    #[getter]
    fn cwnd_limited(&self) -> bool {
        self.0.cwnd_limited
    }

    fn __repr__(&self) -> String {
        let Flow { in_flight, in_recovery, cwnd_limited, .. } = self.0;
        let [in_recovery, cwnd_limited] =
            [in_recovery, cwnd_limited].map(|it| if it { "True" } else { "False" });
        format!(
            "Flow(now={}, in_flight={in_flight}, srtt={}, in_recovery={in_recovery}, cwnd_limited={cwnd_limited})",
            self.0.now.seconds(),
            self.0.srtt.seconds(),
        )
    }
}

/// Initial values of a controller.
#[pyclass(frozen, name = "Initial", module = "mesonet._core")]
pub(crate) struct InitialView(pub(crate) Initial);

#[pymethods]
impl InitialView {
    /// Payload bytes of a full segment.
    #[getter]
    fn smss(&self) -> u32 {
        self.0.smss
    }

    /// Initial window [segments] (RFC 6928).
    #[getter]
    fn window(&self) -> f64 {
        self.0.window
    }

    /// Initial slow-start threshold [segments]; infinity for none.
    #[getter]
    fn ssthresh(&self) -> f64 {
        self.0.ssthresh
    }

    /// Window after a retransmission timeout [segments]: 1 (RFC 5681) or the initial window (`MesoNet`).
    #[getter]
    fn restart_window(&self) -> f64 {
        self.0.restart_window
    }

    /// Quantity that a loss halves: `"flight"` (RFC 5681) or `"window"` (Linux).
    #[getter]
    fn halve(&self) -> &'static str {
        match self.0.halve {
            Halve::Flight => "flight",
            Halve::Window => "window",
        }
    }

    /// After a timeout, too, an ACK opens the window by all that it delivers, as in Linux, and not by a segment at
    /// most (RFC 3465 section 2.3).
    #[getter]
    fn counts_whole_acks(&self) -> bool {
        self.0.counts_whole_acks
    }

    /// Seed for the controller's own random numbers, another one for every flow.
    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed
    }

    fn __repr__(&self) -> String {
        let Initial { smss, window, ssthresh, seed, .. } = self.0;
        format!("Initial(smss={smss}, window={window}, ssthresh={ssthresh}, seed={seed})")
    }
}
