//! Options of the mechanism.

use crate::tcp::ecn::EcnOptions;
use crate::tcp::loss::ReoWndRule;
use crate::tcp::pacing::PacingOptions;
use crate::tcp::prr::PrrRule;
use crate::tcp::recovery::{LossResponse, TimeoutRule};
use crate::tcp::rtt::RtoBounds;
use crate::tcp::undo::UndoOptions;
use crate::tcp::validation::ValidationOptions;

/// Options that all senders of a run share.
#[derive(Clone, Copy, Debug)]
pub struct Mechanism {
    /// Payload of a segment (SMSS, RFC 5681) [bytes].
    pub smss: u32,
    /// Bounds of the retransmission timeout.
    pub rto: RtoBounds,
    /// SACKed segments or duplicate ACKs that mean loss (`DupThresh`, RFC 6675) [segments].
    pub dup_thresh: u32,
    /// Evidence by which losses are detected.
    pub evidence: Evidence,
    /// Response to a loss that is detected before the retransmission timer expires.
    pub response: LossResponse,
    /// Window and threshold at a timeout.
    pub timeout_rule: TimeoutRule,
    /// Rule by which the window goes down at a loss or a mark.
    pub prr: PrrRule,
    /// ACKs that open the window.
    pub growth: Growth,
    /// Reductions that answered no loss, and how they are found.
    pub undo: UndoOptions,
    /// Width of RACK's reordering window.
    pub reo_wnd: ReoWndRule,
    /// Receive window (rwnd, RFC 5681) [segments].
    pub rwnd: u32,
    /// The window grows only while it limits sending (RFC 7661).
    pub cwnd_validation: bool,
    /// Evidence of its use, and the fate of a window that is not used.
    pub validation: ValidationOptions,
    /// Flows that hosts pace, and bursts.
    pub pacing: PacingOptions,
    /// Explicit congestion notification.
    pub ecn: EcnOptions,
}

/// ACKs that open the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// All that deliver something, selectively, too.
    #[default]
    Delivered,
    /// Those that advance SND.UNA: RFC 5681 section 3.1 speaks of "each ACK received that cumulatively acknowledges
    /// new data"; Linux, `tcp_may_raise_cwnd`.
    Cumulative,
}

/// Evidence of loss, apart from the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Duplicate ACKs (RFC 5681 section 3.2, RFC 6582).
    DupAck,
    /// SACKed segments above (RFC 6675).
    Sack,
    /// Time since transmission, compared with segments sent later that were delivered (RFC 8985).
    Rack,
}
