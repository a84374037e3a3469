//! Options of the mechanism.

use crate::tcp::control::Growth;
use crate::tcp::ecn::EcnOptions;
use crate::tcp::linux::host_pacing::PacingRule;
use crate::tcp::linux::undo::UndoOptions;
use crate::tcp::loss::LossOptions;
use crate::tcp::prr::PrrRule;
use crate::tcp::recovery::{LossResponse, TimeoutRule};
use crate::tcp::rtt::RtoBounds;
use crate::tcp::validation::ValidationOptions;

/// Options that all senders of a run share.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mechanism {
    /// Payload of a segment (SMSS, RFC 5681) [bytes].
    pub smss: u32,
    /// Bounds of the retransmission timeout.
    pub rto: RtoBounds,
    /// Evidence by which losses are detected.
    pub loss: LossOptions,
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
    /// Receive window (rwnd, RFC 5681) [segments].
    pub rwnd: u32,
    /// The window grows only while it limits sending (RFC 7661).
    pub cwnd_validation: bool,
    /// Evidence of its use, and the fate of a window that is not used.
    pub validation: ValidationOptions,
    /// Flows that hosts pace.
    pub pacing: PacingRule,
    /// Segments that leave at once where a leaky bucket paces.
    pub burst: u32,
    /// Explicit congestion notification.
    pub ecn: EcnOptions,
}
