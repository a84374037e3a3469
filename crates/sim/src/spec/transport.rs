//! Options of the TCP mechanism.

use serde::{Deserialize, Deserializer, Serialize};

use super::recovery::{Recovery, RecoveryName};
use crate::tcp::loss::ReoWndRule;
use crate::tcp::mechanism::Growth;
use crate::tcp::pacing::PacingRule;
use crate::tcp::prr::PrrRule;
use crate::tcp::recovery::TimeoutRule;
use crate::tcp::rtt::RtoRule;
use crate::tcp::undo::UndoRule;
use crate::tcp::validation::{IdleRestart, ValidationRule};

/// Options of the TCP mechanism. There are no defaults but of what is off by default. Python's profiles
/// `mesonet`, `rfc` and `linux` are the only home of values, and say all of them.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(from = "Table", into = "Table")]
#[expect(clippy::struct_excessive_bools, reason = "independent options of a scenario")]
pub struct Transport {
    /// Loss recovery.
    pub recovery: Recovery,
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
    pub syn_linear_timeouts: u32,
    /// Segments per ACK: 1 acknowledges every segment, 2 every second (RFC 5681 section 4.2).
    pub ack_every: u32,
    /// Segments of a connection that are acknowledged one by one at first (Linux: 16).
    pub quick_acks: u32,
    /// Longest time an ACK is held back [s] when `ack_every` is above 1.
    pub ack_delay: f64,
    /// Time an ACK is held back: fixed, or adaptive.
    pub ack_rule: AckRule,
    /// Time for which a receiver merges arrivals into one [s]; 0 merges none.
    pub gro: f64,
    /// Part of the RTT for which SACKs are held back; 0 holds none back.
    pub sack_compression: f64,
    /// ACKs and SYN+ACKs travel through the stations instead of with propagation delay only.
    pub ack_cost: bool,
    /// Probability that an ACK is lost when it does not travel through the stations.
    pub ack_loss: f64,
    /// Receive window [segments]; `None` is unlimited.
    pub receive_window: Option<u32>,
    /// Initial window [segments].
    pub initial_window: f64,
    /// Limit of the initial window [segments] after more than one retransmission of the SYN; `None` sets none.
    pub syn_loss_window: Option<f64>,
    /// Initial slow-start threshold [segments]; `None` is unlimited.
    pub initial_ssthresh: Option<f64>,
    /// Window after a retransmission timeout [segments].
    pub restart_window: f64,
    /// Window and threshold at a timeout.
    pub timeout_rule: TimeoutRule,
    /// Loss halves `flight` or `window`.
    pub halve: HalveSpec,
    /// The window grows only while it limits sending (RFC 7661); `false` lets it grow on every ACK.
    pub cwnd_validation: bool,
    /// Evidence that the window limits sending, where that is looked at.
    pub validation_rule: ValidationRule,
    /// Window after idle time.
    pub idle_restart: IdleRestart,
    /// A window that the application has not filled for an RTO goes down.
    pub app_limited_decay: bool,
    /// Rule by which the window goes down at a loss or a mark.
    pub prr: PrrRule,
    /// ACKs that open the window.
    pub growth: Growth,
    /// Reductions that answered no loss are taken back.
    pub undo: UndoRule,
    /// Spurious timeouts are looked for by F-RTO (RFC 5682).
    pub frto: bool,
    /// Width of RACK's reordering window.
    pub reo_wnd: ReoWndRule,
    /// Growth of the window in slow start.
    pub slow_start: SlowStart,
    /// Flows that hosts pace.
    pub pacing: PacingRule,
    /// Segments leave in bursts that segmentation offload takes at once.
    pub tso: bool,
    /// Longest random delay at a sending host [s]; 0 is none.
    pub host_jitter: f64,
    /// Longest random delay of an ACK at a receiving host [s]; 0 is none.
    pub ack_jitter: f64,
    /// Part of the ACKs that have such a delay.
    pub ack_jitter_share: f64,
    /// ECN as of RFC 3168 is switched on at hosts; DCTCP and L4S do not wait for it.
    pub ecn: bool,
    /// Echo of marks by receivers.
    pub echo: EchoSpec,
    /// Retransmissions are ECN-capable with every echo (ECN++).
    pub ecn_plus_plus: bool,
}

/// Time for which an ACK is held back.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum AckRule {
    /// One time for all, `ack_delay`.
    #[default]
    Fixed,
    /// It adapts to gaps between segments, and quick ACKs come back (Linux).
    Linux,
}

/// Echo of marks that receivers are able to give.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum EchoSpec {
    /// The one that each algorithm asks for.
    #[default]
    Auto,
    /// ECE until CWR (RFC 3168).
    Classic,
    /// Every mark (RFC 8257).
    Dctcp,
    /// Count of marks (RFC 9768).
    Accurate,
}

/// Growth of the window in slow start.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum SlowStart {
    /// By every ACK (RFC 5681), as the algorithm has it.
    #[default]
    Acks,
    /// Twofold once per round trip, over which the window is sent evenly.
    Rounds,
}

/// Quantity that is halved when loss is detected.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum HalveSpec {
    /// `FlightSize` (RFC 5681).
    Flight,
    /// `cwnd` (Linux).
    Window,
}

/// The transport as it is written: one table, where every key has to be but those of what is off by default.
#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "independent options of a scenario")]
struct Table {
    recovery: RecoveryName,
    dup_thresh: u32,
    rto_initial: f64,
    rto_min: f64,
    rto_max: f64,
    rto_rule: RtoRule,
    syn_timeout: f64,
    syn_tries: u32,
    ack_every: u32,
    ack_delay: f64,
    ack_cost: bool,
    ack_loss: f64,
    #[serde(deserialize_with = "given")]
    receive_window: Option<u32>,
    initial_window: f64,
    #[serde(deserialize_with = "given")]
    syn_loss_window: Option<f64>,
    #[serde(deserialize_with = "given")]
    initial_ssthresh: Option<f64>,
    restart_window: f64,
    halve: HalveSpec,
    cwnd_validation: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    quick_acks: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    ack_rule: AckRule,
    #[serde(default, skip_serializing_if = "is_default")]
    gro: f64,
    #[serde(default, skip_serializing_if = "is_default")]
    sack_compression: f64,
    #[serde(default, skip_serializing_if = "is_default")]
    syn_linear_timeouts: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    validation_rule: ValidationRule,
    #[serde(default, skip_serializing_if = "is_default")]
    idle_restart: IdleRestart,
    #[serde(default, skip_serializing_if = "is_default")]
    app_limited_decay: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    prr: PrrRule,
    #[serde(default, skip_serializing_if = "is_default")]
    growth: Growth,
    #[serde(default, skip_serializing_if = "is_default")]
    undo: UndoRule,
    #[serde(default, skip_serializing_if = "is_default")]
    frto: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    reo_wnd: ReoWndRule,
    #[serde(default, skip_serializing_if = "is_default")]
    slow_start: SlowStart,
    #[serde(default, skip_serializing_if = "is_default")]
    timeout_rule: TimeoutRule,
    #[serde(default, skip_serializing_if = "is_default")]
    pacing: PacingRule,
    #[serde(default, skip_serializing_if = "is_default")]
    tso: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    host_jitter: f64,
    #[serde(default, skip_serializing_if = "is_default")]
    ack_jitter: f64,
    #[serde(default = "all", skip_serializing_if = "is_all")]
    ack_jitter_share: f64,
    #[serde(default, skip_serializing_if = "is_default")]
    ecn: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    echo: EchoSpec,
    #[serde(default, skip_serializing_if = "is_default")]
    ecn_plus_plus: bool,
}

/// Option that a scenario need not name, as older ones do not.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The share that a scenario need not name.
fn all() -> f64 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_all(share: &f64) -> bool {
    *share >= 1.0
}

/// A value or `null`; a key that is missing is an error, where serde would take it for `null`.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

impl From<Table> for Transport {
    fn from(table: Table) -> Self {
        Self {
            recovery: table.recovery.with(table.dup_thresh),
            rto_initial: table.rto_initial,
            rto_min: table.rto_min,
            rto_max: table.rto_max,
            rto_rule: table.rto_rule,
            syn_timeout: table.syn_timeout,
            syn_tries: table.syn_tries,
            ack_every: table.ack_every,
            ack_delay: table.ack_delay,
            ack_cost: table.ack_cost,
            ack_loss: table.ack_loss,
            receive_window: table.receive_window,
            initial_window: table.initial_window,
            syn_loss_window: table.syn_loss_window,
            initial_ssthresh: table.initial_ssthresh,
            restart_window: table.restart_window,
            halve: table.halve,
            cwnd_validation: table.cwnd_validation,
            quick_acks: table.quick_acks,
            ack_rule: table.ack_rule,
            gro: table.gro,
            sack_compression: table.sack_compression,
            syn_linear_timeouts: table.syn_linear_timeouts,
            validation_rule: table.validation_rule,
            idle_restart: table.idle_restart,
            app_limited_decay: table.app_limited_decay,
            prr: table.prr,
            growth: table.growth,
            undo: table.undo,
            frto: table.frto,
            reo_wnd: table.reo_wnd,
            slow_start: table.slow_start,
            timeout_rule: table.timeout_rule,
            pacing: table.pacing,
            tso: table.tso,
            host_jitter: table.host_jitter,
            ack_jitter: table.ack_jitter,
            ack_jitter_share: table.ack_jitter_share,
            ecn: table.ecn,
            echo: table.echo,
            ecn_plus_plus: table.ecn_plus_plus,
        }
    }
}

impl From<Transport> for Table {
    fn from(transport: Transport) -> Self {
        Self {
            recovery: transport.recovery.name(),
            dup_thresh: transport.recovery.dup_thresh(),
            rto_initial: transport.rto_initial,
            rto_min: transport.rto_min,
            rto_max: transport.rto_max,
            rto_rule: transport.rto_rule,
            syn_timeout: transport.syn_timeout,
            syn_tries: transport.syn_tries,
            ack_every: transport.ack_every,
            ack_delay: transport.ack_delay,
            ack_cost: transport.ack_cost,
            ack_loss: transport.ack_loss,
            receive_window: transport.receive_window,
            initial_window: transport.initial_window,
            syn_loss_window: transport.syn_loss_window,
            initial_ssthresh: transport.initial_ssthresh,
            restart_window: transport.restart_window,
            halve: transport.halve,
            cwnd_validation: transport.cwnd_validation,
            quick_acks: transport.quick_acks,
            ack_rule: transport.ack_rule,
            gro: transport.gro,
            sack_compression: transport.sack_compression,
            syn_linear_timeouts: transport.syn_linear_timeouts,
            validation_rule: transport.validation_rule,
            idle_restart: transport.idle_restart,
            app_limited_decay: transport.app_limited_decay,
            prr: transport.prr,
            growth: transport.growth,
            undo: transport.undo,
            frto: transport.frto,
            reo_wnd: transport.reo_wnd,
            slow_start: transport.slow_start,
            timeout_rule: transport.timeout_rule,
            pacing: transport.pacing,
            tso: transport.tso,
            host_jitter: transport.host_jitter,
            ack_jitter: transport.ack_jitter,
            ack_jitter_share: transport.ack_jitter_share,
            ecn: transport.ecn,
            echo: transport.echo,
            ecn_plus_plus: transport.ecn_plus_plus,
        }
    }
}
