//! Options of the TCP mechanism.

use serde::{Deserialize, Serialize};

/// Options of the TCP mechanism; Python's profiles `mesonet`, `rfc` and `linux` are sets of these.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct Transport {
    /// How lost segments are found and repaired.
    pub recovery: Recovery,
    /// Duplicate ACKs or SACKed segments that mean loss (RFC 6675 `DupThresh`).
    pub dup_thresh: u32,
    /// RTO before the first RTT sample [s].
    pub rto_initial: f64,
    /// Floor of the RTO [s].
    pub rto_min: f64,
    /// Ceiling of the RTO [s].
    pub rto_max: f64,
    /// What the floor is of, and when the timer starts.
    pub rto_rule: RtoRule,
    /// Wait before the first SYN retry [s]; doubles.
    pub syn_timeout: f64,
    /// SYNs sent before the connection fails.
    pub syn_tries: u32,
    /// Segments per ACK: 1 acknowledges every segment, 2 every second (RFC 5681 section 4.2).
    pub ack_every: u32,
    /// Longest time an ACK is held back [s] when `ack_every` is above 1.
    pub ack_delay: f64,
    /// ACKs and SYN+ACKs travel through the stations instead of with propagation delay only.
    pub ack_cost: bool,
    /// Probability that an ACK is lost when it does not travel through the stations.
    pub ack_loss: f64,
    /// Receive window [segments]; `None` is unlimited.
    pub receive_window: Option<u32>,
    /// Initial window [segments].
    pub initial_window: f64,
    /// Initial window [segments] if more than one SYN was sent again; `None` is the same.
    pub syn_loss_window: Option<f64>,
    /// Initial slow-start threshold [segments]; `None` is unlimited.
    pub initial_ssthresh: Option<f64>,
    /// Window after a retransmission timeout [segments].
    pub restart_window: f64,
    /// Loss halves `flight` or `window`.
    pub halve: HalveSpec,
    /// The window grows only while it limits sending (RFC 7661); `false` lets it grow on every ACK.
    pub cwnd_validation: bool,
}

impl Default for Transport {
    /// The profile `rfc`.
    fn default() -> Self {
        Self {
            recovery: Recovery::Sack,
            dup_thresh: 3,
            rto_initial: 1.0,
            rto_min: 1.0,
            rto_max: 60.0,
            rto_rule: RtoRule::Rfc6298,
            syn_timeout: 1.0,
            syn_tries: 6,
            ack_every: 2,
            ack_delay: 0.2,
            ack_cost: true,
            ack_loss: 0.0,
            receive_window: None,
            initial_window: 10.0,
            syn_loss_window: Some(1.0),
            initial_ssthresh: None,
            restart_window: 1.0,
            halve: HalveSpec::Flight,
            cwnd_validation: true,
        }
    }
}

/// How the retransmission timeout follows from round-trip times.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum RtoRule {
    /// The sum of smoothed RTT and variation has a floor (RFC 6298 section 2.4).
    Rfc6298,
    /// What is added to the smoothed RTT has it (`tcp_rtt_estimator`), and the timer starts anew when a loss is
    /// first repaired (`tcp_xmit_retransmit_queue`).
    Linux,
}

/// Loss recovery.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Recovery {
    /// SACK scoreboard, RFC 6675.
    Sack,
    /// The same, with losses found by the time of sending, and probes of lost tails (RACK-TLP, RFC 8985).
    Rack,
    /// NewReno, RFC 6582.
    Newreno,
    /// Tahoe: no fast recovery; any loss restarts from the oldest segment in slow start.
    Tahoe,
    /// The same as released in 1988: every third duplicate ACK is a loss, also of what had to be sent again though
    /// it had arrived (S. Floyd, *TCP and Successive Fast Retransmits*, 1994).
    #[serde(rename = "tahoe-1988")]
    Tahoe1988,
}

/// What "half" refers to when loss is detected.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum HalveSpec {
    /// `FlightSize` (RFC 5681).
    Flight,
    /// `cwnd` (Linux).
    Window,
}
