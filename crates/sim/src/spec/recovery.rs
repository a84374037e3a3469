//! Loss recoveries: the list of them.

use serde::{Deserialize, Serialize};

use crate::tcp::mechanism::Evidence;
use crate::tcp::recovery::LossResponse;

/// Makes the list: an enum of recoveries with their parameters, their names, and what each is made of.
macro_rules! recoveries {
    ($($(#[$doc:meta])* $name:literal => $variant:ident($evidence:ident, $response:ident),)+) => {
        /// Loss recovery with its parameters, which stand beside its name in the table of the transport.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Recovery {
            $($(#[$doc])* $variant {
                /// SACKed segments or duplicate ACKs that mean loss (RFC 6675 `DupThresh`, RFC 5681 section 3.2).
                dup_thresh: u32,
            },)+
        }

        /// Name of a loss recovery.
        #[derive(Clone, Copy, Deserialize, Serialize)]
        pub(super) enum RecoveryName {
            $(#[serde(rename = $name)] $variant,)+
        }

        impl RecoveryName {
            /// Recovery of this name.
            pub(super) fn with(self, dup_thresh: u32) -> Recovery {
                match self {
                    $(Self::$variant => Recovery::$variant { dup_thresh },)+
                }
            }
        }

        impl Recovery {
            /// Names that a scenario may use.
            pub const NAMES: &[&str] = &[$($name),+];

            pub(super) fn name(self) -> RecoveryName {
                match self {
                    $(Self::$variant { .. } => RecoveryName::$variant,)+
                }
            }

            /// SACKed segments or duplicate ACKs that mean loss (RFC 6675 `DupThresh`).
            #[must_use]
            pub fn dup_thresh(self) -> u32 {
                match self {
                    $(Self::$variant { dup_thresh } => dup_thresh,)+
                }
            }

            /// Evidence by which losses are detected, and response to them.
            #[must_use]
            pub fn parts(self) -> (Evidence, LossResponse) {
                match self {
                    $(Self::$variant { .. } => (Evidence::$evidence, LossResponse::$response),)+
                }
            }
        }
    };
}

recoveries! {
    /// SACK scoreboard, RFC 6675.
    "sack" => Sack(Sack, FastRecovery),
    /// SACK scoreboard with losses found by the time of sending, and probes of lost tails (RACK-TLP, RFC 8985). Here
    /// `dup_thresh` ends the reordering window before any reordering was seen (RFC 8985 section 6.2).
    "rack" => Rack(Rack, FastRecovery),
    /// NewReno, RFC 6582.
    "newreno" => Newreno(DupAck, ImpatientRecovery),
    /// NewReno whose timer each partial ACK resets: the variant Slow-but-Steady of RFC 3782 section 4.
    "newreno-steady" => NewrenoSteady(DupAck, FastRecovery),
    /// Tahoe: no fast recovery; any loss restarts from the oldest segment in slow start.
    "tahoe" => Tahoe(DupAck, Tahoe),
    /// Tahoe as released in 1988: every third duplicate ACK is a loss, also of segments that were retransmitted though
    /// they had arrived (S. Floyd, *TCP and Successive Fast Retransmits*, 1994).
    "tahoe-1988" => Tahoe1988(DupAck, Tahoe1988),
}
