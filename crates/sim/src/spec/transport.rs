//! Options of the TCP mechanism: as a scenario writes them, and as the parts take them.

use congestion::{Duration, Halve, Initial};
use serde::Serialize;

use super::words::{EchoSpec, HalveSpec, Recovery, SlowStart};
use crate::net::ecn::Echo;
use crate::tcp::ack_jitter::AckJitterOptions;
use crate::tcp::control::Growth;
use crate::tcp::ecn::EcnOptions;
use crate::tcp::linux::ack_timing::AckTimingOptions;
use crate::tcp::linux::host_pacing::PacingRule;
use crate::tcp::linux::undo::UndoRule;
use crate::tcp::loss::{LossOptions, ReoWndRule};
use crate::tcp::mechanism::Mechanism;
use crate::tcp::prr::PrrRule;
use crate::tcp::recovery::TimeoutRule;
use crate::tcp::rtt::{RtoBounds, RtoRule};
use crate::tcp::validation::{IdleRestart, ValidationRule};
use crate::world::{Acks, Handshake};

/// Shortest time that is above zero [s].
const SHORTEST: f64 = 1e-12;
/// Longest timeout and longest delay at a host [s].
const LONGEST: f64 = 3600.0;
/// Most segments that one option can name.
const MAX_SEGMENTS: f64 = u32::MAX as f64;
/// Largest whole number that all programs read alike.
const MAX_WHOLE: f64 = 9_007_199_254_740_992.0;
/// Largest window to start with [segments].
const MAX_WINDOW: f64 = 100_000.0;

options! {
    /// Options of the TCP mechanism. A value stands here where it is "off", and may be left out then. Python's profiles
    /// `mesonet`, `rfc`, `linux` and `quic` are the only home of the other values, and say all of them.
    #[derive(Clone, Debug, Serialize, PartialEq)]
    pub struct Transport for Parts {
        recovery: Recovery, "Loss recovery: RFC 6675, RFC 8985, RFC 6582, Tahoe, or that of QUIC (RFC 9002).";
        dup_thresh: u32, [1.0, MAX_SEGMENTS], "segments",
            "SACKed segments or duplicate ACKs that mean loss (RFC 6675 `DupThresh`, RFC 5681 section 3.2); with QUIC \
             packets. With RACK it ends the reordering window before any reordering was seen (RFC 8985 section 6.2)."
            => mechanism.loss.dup_thresh;
        rto_initial: f64, [SHORTEST, LONGEST], "s", "Retransmission timeout before the first RTT sample.";
        rto_min: f64, [SHORTEST, LONGEST], "s", "Floor of the retransmission timeout.";
        rto_max: f64, [SHORTEST, LONGEST], "s", "Ceiling of the retransmission timeout.";
        rto_rule: RtoRule,
            "Quantity that `rto_min` bounds, and start of the timer: the RTO (RFC 6298), or the part above SRTT (Linux; \
             RFC 9002, which adds `ack_delay` to it)." => mechanism.rto.rule;
        syn_timeout: f64, [SHORTEST, LONGEST], "s", "Wait before the first retransmission of the SYN; doubles.";
        syn_tries: u32, [1.0, 16.0], "1", "SYNs sent before the connection fails.";
        syn_linear_timeouts: u32 = 0, [0.0, 16.0], "1",
            "Waits for an answer to a SYN that are as long as the first, before they double (Linux: \
             `tcp_syn_linear_timeouts`, 4 since 6.5).";
        ack_every: u32, [1.0, MAX_SEGMENTS], "segments",
            "Segments per ACK: 1 acknowledges every segment, 2 every second (RFC 5681 section 4.2)." => acks.every;
        quick_acks: u32 = 0, [0.0, MAX_SEGMENTS], "segments",
            "Segments of a connection that are acknowledged one by one at first (Linux: 22)." => acks.quick;
        ack_delay: f64, [0.0, LONGEST], "s", "Longest time an ACK is held back when `ack_every` is above 1.";
        sack_compression: f64 = 0.0, [0.0, 10.0], "1",
            "Part of the round trip, up to 1 ms, for which SACKs are held back after the first three (Linux: 0.33, 0.05 \
             before 6.19)." => acks.timing.sack_compression;
        ack_cost: bool,
            "ACKs and SYN+ACKs travel through the routers' queues instead of with propagation delay only."
            => acks.through_stations;
        receive_window: Option<u32>, [1.0, MAX_SEGMENTS], "segments", "Receive window; none is unlimited.";
        initial_window: f64, [1.0, MAX_WINDOW], "segments", "Initial window.";
        syn_loss_window: Option<f64>, [1.0, MAX_WINDOW], "segments",
            "Limit of the initial window after more than one retransmission of the SYN; none sets none."
            => handshake.loss_window;
        initial_ssthresh: Option<f64>, [1.0, MAX_WHOLE], "segments",
            "Initial slow-start threshold; none is unlimited.";
        restart_window: f64, [1.0, MAX_WINDOW], "segments", "Window after a retransmission timeout."
            => initial.restart_window;
        timeout_rule: TimeoutRule = TimeoutRule::Rfc5681,
            "Window at a timeout: `restart_window`, or one segment more than is in flight, one reduction of ssthresh per \
             episode, and growth by all that an ACK delivers (Linux)." => mechanism.timeout_rule;
        halve: HalveSpec, "Quantity that a loss halves: FlightSize (RFC 5681) or the window (Linux).";
        cwnd_validation: bool, "The window grows only while it limits sending (RFC 7661)."
            => mechanism.cwnd_validation;
        validation_rule: ValidationRule = ValidationRule::Flight,
            "Evidence for that: the flight before an ACK, the largest flight of a window of data (Linux), the largest \
             since a reduction, which caps the window, too (draft-ietf-ccwg-ratelimited-increase), or a full window or \
             pacing that keeps it from being full (RFC 9002)." => mechanism.validation.rule;
        idle_restart: IdleRestart = IdleRestart::None,
            "Window after more than an RTO of idle time: kept, the initial one (RFC 5681), or half per RTO (Linux, \
             `tcp_slow_start_after_idle`)." => mechanism.validation.idle_restart;
        app_limited_decay: bool = false, "A window that the application has not filled for an RTO goes down (Linux)."
            => mechanism.validation.app_limited_decay;
        prr: PrrRule = PrrRule::None,
            "Rule by which the window goes down at a loss or a mark: at once, or in proportion to what is delivered \
             (PRR), to the flight (RFC 9937) or to the window before (Linux)." => mechanism.prr;
        growth: Growth = Growth::Delivered,
            "ACKs that open the window: all that deliver something, or those that advance SND.UNA (RFC 5681, Linux)."
            => mechanism.growth;
        undo: UndoRule = UndoRule::None,
            "Reductions that answered no loss are taken back, with recovery \"rack\": by time stamps (Eifel, RFC 3522) \
             and reports of duplicates (D-SACK, RFC 3708), as in Linux." => mechanism.undo.rule;
        frto: bool = false, "Spurious timeouts are looked for by F-RTO, too (RFC 5682); with `undo`."
            => mechanism.undo.frto;
        reo_wnd: ReoWndRule = ReoWndRule::Fixed,
            "Width of RACK's reordering window: a quarter of the smallest RTT, or a quarter more in each round trip with \
             a D-SACK (RFC 8985)." => mechanism.loss.reo_wnd;
        slow_start: SlowStart = SlowStart::Acks,
            "Growth of the window in slow start: by every ACK, or twofold once per round trip and sent evenly.";
        pacing: PacingRule = PacingRule::None,
            "Flows that are paced: those whose controllers ask for it, or all, by the queue discipline fq (Linux: 200 % \
             of a window per round trip below half of ssthresh, else 120 %) or by a leaky bucket of an initial window \
             (RFC 9002: 125 %)." => mechanism.pacing;
        host_jitter: f64 = 0.0, [0.0, LONGEST], "s",
            "Longest random delay at a sending host before it answers an event with segments.";
        ack_jitter: f64 = 0.0, [0.0, LONGEST], "s",
            "Longest random delay of an ACK at a receiving host; ACKs behind a late one leave with it.";
        ack_jitter_share: f64 = 1.0, [1e-12, 1.0], "1", "Part of the ACKs that have such a delay.";
        ecn: bool = false, "Hosts have ECN as of RFC 3168 switched on; DCTCP and L4S do not wait for it."
            => mechanism.ecn.classic;
        echo: EchoSpec = EchoSpec::Auto,
            "Echo of marks by receivers: what each algorithm asks for, ECE until CWR (RFC 3168), every mark (RFC 8257), \
             or their count (AccECN, RFC 9768).";
    }
}

/// The parts that take the options.
pub struct Parts {
    /// Senders.
    pub mechanism: Mechanism,
    /// Acknowledgement.
    pub acks: Acks,
    /// Connection requests.
    pub handshake: Handshake,
    /// Start of controllers.
    pub initial: Initial,
}

impl Transport {
    /// Options of the parts where segments carry `smss` bytes.
    #[must_use]
    pub fn parts(&self, smss: u32) -> Parts {
        let mut parts = Parts {
            mechanism: self.mechanism(smss),
            acks: self.acks(),
            handshake: self.handshake(),
            initial: self.initial(smss),
        };
        self.assign(&mut parts);
        parts
    }

    fn mechanism(&self, smss: u32) -> Mechanism {
        let (evidence, response) = self.recovery.parts();
        Mechanism {
            smss,
            rto: RtoBounds {
                initial: Duration::from_seconds(self.rto_initial),
                min: Duration::from_seconds(self.rto_min),
                max: Duration::from_seconds(self.rto_max),
                ack_delay: Duration::from_seconds(self.ack_delay),
                ..RtoBounds::default()
            },
            loss: LossOptions { evidence, ..LossOptions::default() },
            response,
            rwnd: self.receive_window.unwrap_or(u32::MAX),
            burst: whole(self.initial_window(smss)),
            ecn: self.ecn(),
            ..Mechanism::default()
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

    fn acks(&self) -> Acks {
        let limit = Duration::from_seconds(self.ack_jitter);
        let timing = AckTimingOptions {
            // The share counts only where there are delays.
            jitter: if limit > Duration::ZERO {
                AckJitterOptions { limit, share: self.ack_jitter_share }
            } else {
                AckJitterOptions::default()
            },
            reports_delay: self.recovery == Recovery::Quic,
            ..AckTimingOptions::default()
        };
        Acks { delay: Duration::from_seconds(self.ack_delay), timing, ..Acks::default() }
    }

    fn handshake(&self) -> Handshake {
        let small = |count: u32| u8::try_from(count).unwrap_or(u8::MAX);
        Handshake {
            timeout: Duration::from_seconds(self.syn_timeout),
            tries: small(self.syn_tries),
            linear: small(self.syn_linear_timeouts),
            ..Handshake::default()
        }
    }

    fn initial(&self, smss: u32) -> Initial {
        Initial {
            smss,
            window: self.initial_window(smss),
            ssthresh: self.initial_ssthresh.unwrap_or(f64::INFINITY),
            halve: match self.halve {
                HalveSpec::Flight => Halve::Flight,
                HalveSpec::Window => Halve::Window,
            },
            counts_whole_acks: self.timeout_rule == TimeoutRule::Linux,
            seed: 0,
            ..Initial::ANY
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
