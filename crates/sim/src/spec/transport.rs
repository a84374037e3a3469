//! Options of the TCP mechanism: as a scenario writes them, and as the parts take them.

use congestion::{Duration, Halve, Initial};
use serde::{Deserialize, Deserializer, Serialize};

use super::words::{EchoSpec, HalveSpec, Recovery, SlowStart};
use crate::net::ecn::Echo;
use crate::tcp::ack_jitter::AckJitterOptions;
use crate::tcp::control::Growth;
use crate::tcp::ecn::EcnOptions;
use crate::tcp::linux::ack_timing::AckTimingOptions;
use crate::tcp::linux::host_pacing::PacingRule;
use crate::tcp::linux::undo::{UndoOptions, UndoRule};
use crate::tcp::loss::{LossOptions, ReoWndRule};
use crate::tcp::mechanism::Mechanism;
use crate::tcp::prr::PrrRule;
use crate::tcp::recovery::TimeoutRule;
use crate::tcp::rtt::{RtoBounds, RtoRule};
use crate::tcp::validation::{IdleRestart, ValidationOptions, ValidationRule};
use crate::world::{Acks, Handshake};

/// Options of the TCP mechanism. There are no defaults but of what is off by default. Python's profiles
/// `mesonet`, `rfc`, `linux` and `quic` are the only home of values, and say all of them.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "independent options of a scenario")]
pub struct Transport {
    /// Loss recovery.
    pub recovery: Recovery,
    /// SACKed segments or duplicate ACKs that mean loss (RFC 6675 `DupThresh`, RFC 5681 section 3.2). With RACK it ends the
    /// reordering window before any reordering was seen (RFC 8985 section 6.2).
    pub dup_thresh: u32,
    /// RTO before the first RTT sample [s].
    pub rto_initial: f64,
    /// Floor of the RTO [s].
    pub rto_min: f64,
    /// Ceiling of the RTO [s].
    pub rto_max: f64,
    /// Meaning of the floor, and start of the timer.
    pub rto_rule: RtoRule,
    /// Wait before the first retransmission of the SYN [s]; doubles.
    pub syn_timeout: f64,
    /// SYNs sent before the connection fails.
    pub syn_tries: u32,
    /// Waits as long as the first, after which they double.
    #[serde(default)]
    pub syn_linear_timeouts: u32,
    /// Segments per ACK: 1 acknowledges every segment, 2 every second (RFC 5681 section 4.2).
    pub ack_every: u32,
    /// Segments of a connection that are acknowledged one by one at first (Linux: 16).
    #[serde(default)]
    pub quick_acks: u32,
    /// Longest time an ACK is held back [s] when `ack_every` is above 1.
    pub ack_delay: f64,
    /// Part of the RTT for which SACKs are held back; 0 holds none back.
    #[serde(default)]
    pub sack_compression: f64,
    /// ACKs and SYN+ACKs travel through the stations instead of with propagation delay only.
    pub ack_cost: bool,
    /// Receive window [segments]; `None` is unlimited.
    #[serde(deserialize_with = "required")]
    pub receive_window: Option<u32>,
    /// Initial window [segments].
    pub initial_window: f64,
    /// Limit of the initial window [segments] after more than one retransmission of the SYN; `None` sets none.
    #[serde(deserialize_with = "required")]
    pub syn_loss_window: Option<f64>,
    /// Initial slow-start threshold [segments]; `None` is unlimited.
    #[serde(deserialize_with = "required")]
    pub initial_ssthresh: Option<f64>,
    /// Window after a retransmission timeout [segments].
    pub restart_window: f64,
    /// Window and threshold at a timeout.
    #[serde(default)]
    pub timeout_rule: TimeoutRule,
    /// Loss halves `flight` or `window`.
    pub halve: HalveSpec,
    /// The window grows only while it limits sending (RFC 7661); `false` lets it grow on every ACK.
    pub cwnd_validation: bool,
    /// Evidence that the window limits sending, where that is looked at.
    #[serde(default)]
    pub validation_rule: ValidationRule,
    /// Window after idle time.
    #[serde(default)]
    pub idle_restart: IdleRestart,
    /// A window that the application has not filled for an RTO goes down.
    #[serde(default)]
    pub app_limited_decay: bool,
    /// Rule by which the window goes down at a loss or a mark.
    #[serde(default)]
    pub prr: PrrRule,
    /// ACKs that open the window.
    #[serde(default)]
    pub growth: Growth,
    /// Reductions that answered no loss are taken back.
    #[serde(default)]
    pub undo: UndoRule,
    /// Spurious timeouts are looked for by F-RTO (RFC 5682).
    #[serde(default)]
    pub frto: bool,
    /// Width of RACK's reordering window.
    #[serde(default)]
    pub reo_wnd: ReoWndRule,
    /// Growth of the window in slow start.
    #[serde(default)]
    pub slow_start: SlowStart,
    /// Flows that hosts pace.
    #[serde(default)]
    pub pacing: PacingRule,
    /// Longest random delay at a sending host [s]; 0 is none.
    #[serde(default)]
    pub host_jitter: f64,
    /// Longest random delay of an ACK at a receiving host [s]; 0 is none.
    #[serde(default)]
    pub ack_jitter: f64,
    /// Part of the ACKs that have such a delay.
    #[serde(default = "all")]
    pub ack_jitter_share: f64,
    /// ECN as of RFC 3168 is switched on at hosts; DCTCP and L4S do not wait for it.
    #[serde(default)]
    pub ecn: bool,
    /// Echo of marks by receivers.
    #[serde(default)]
    pub echo: EchoSpec,
}

impl Transport {
    /// Options of senders whose segments carry `smss` bytes.
    #[must_use]
    pub fn mechanism(&self, smss: u32) -> Mechanism {
        let (evidence, response) = self.recovery.parts();
        Mechanism {
            smss,
            rto: RtoBounds {
                initial: Duration::from_seconds(self.rto_initial),
                min: Duration::from_seconds(self.rto_min),
                max: Duration::from_seconds(self.rto_max),
                rule: self.rto_rule,
                ack_delay: Duration::from_seconds(self.ack_delay),
            },
            loss: LossOptions { evidence, dup_thresh: self.dup_thresh, reo_wnd: self.reo_wnd },
            response,
            timeout_rule: self.timeout_rule,
            prr: self.prr,
            growth: self.growth,
            undo: UndoOptions { rule: self.undo, frto: self.frto },
            rwnd: self.receive_window.unwrap_or(u32::MAX),
            cwnd_validation: self.cwnd_validation,
            validation: ValidationOptions {
                rule: self.validation_rule,
                idle_restart: self.idle_restart,
                app_limited_decay: self.app_limited_decay,
            },
            pacing: self.pacing,
            burst: whole(self.initial_window(smss)),
            ecn: self.ecn(),
        }
    }

    /// Initial window for segments of `smss` bytes [segments]. RFC 9002 section 7.2: "ten times the maximum datagram size
    /// (`max_datagram_size`), while limiting the window to the larger of 14,720 bytes or twice the maximum datagram size".
    /// <https://www.rfc-editor.org/rfc/rfc9002#section-7.2>
    fn initial_window(&self, smss: u32) -> f64 {
        let is_limited = self.recovery == Recovery::Quic;
        let limit = if is_limited { (14_720.0 / f64::from(smss)).max(2.0) } else { f64::INFINITY };
        self.initial_window.min(limit)
    }

    /// Options of ECN.
    #[must_use]
    pub fn ecn(&self) -> EcnOptions {
        let echo = match self.echo {
            // RFC 9000 section 13.4.1: "These ECN counts are included in subsequent ACK frames".
            EchoSpec::Auto if self.recovery == Recovery::Quic => Some(Echo::Accurate),
            EchoSpec::Auto => None,
            EchoSpec::Classic => Some(Echo::Classic),
            EchoSpec::Dctcp => Some(Echo::Dctcp),
            EchoSpec::Accurate => Some(Echo::Accurate),
        };
        EcnOptions { classic: self.ecn, echo }
    }

    /// Acknowledgement.
    #[must_use]
    pub fn acks(&self) -> Acks {
        let limit = Duration::from_seconds(self.ack_jitter);
        Acks {
            every: self.ack_every,
            quick: self.quick_acks,
            delay: Duration::from_seconds(self.ack_delay),
            timing: AckTimingOptions {
                sack_compression: self.sack_compression,
                // The share counts only where there are delays.
                jitter: if limit > Duration::ZERO {
                    AckJitterOptions { limit, share: self.ack_jitter_share }
                } else {
                    AckJitterOptions::default()
                },
                reports_delay: self.recovery == Recovery::Quic,
            },
            through_stations: self.ack_cost,
        }
    }

    /// Connection requests.
    #[must_use]
    pub fn handshake(&self) -> Handshake {
        let small = |count: u32| u8::try_from(count).unwrap_or(u8::MAX);
        Handshake {
            timeout: Duration::from_seconds(self.syn_timeout),
            tries: small(self.syn_tries),
            linear: small(self.syn_linear_timeouts),
            loss_window: self.syn_loss_window,
        }
    }

    /// Start of controllers whose segments carry `smss` bytes.
    #[must_use]
    pub fn initial(&self, smss: u32) -> Initial {
        Initial {
            smss,
            window: self.initial_window(smss),
            ssthresh: self.initial_ssthresh.unwrap_or(f64::INFINITY),
            restart_window: self.restart_window,
            halve: match self.halve {
                HalveSpec::Flight => Halve::Flight,
                HalveSpec::Window => Halve::Window,
            },
            counts_whole_acks: self.timeout_rule == TimeoutRule::Linux,
            seed: 0,
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a window of 1 to 100,000 segments"
)]
fn whole(segments: f64) -> u32 {
    segments as u32
}

/// The share that a scenario need not name.
fn all() -> f64 {
    1.0
}

/// A value or `null`; a key that is missing is an error, where serde would take it for `null`.
fn required<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}
