//! Words of the file format, and the choices of the mechanism that they stand for.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::net::disciplines::{Kind, ParameterType, Value};
use crate::tcp::control::Growth;
use crate::tcp::linux::host_pacing::PacingRule;
use crate::tcp::linux::undo::UndoRule;
use crate::tcp::loss::{Evidence, ReoWndRule};
use crate::tcp::prr::PrrRule;
use crate::tcp::recovery::{LossResponse, TimeoutRule};
use crate::tcp::rtt::RtoRule;
use crate::tcp::validation::{IdleRestart, ValidationRule};

/// Lets choices be written as words.
macro_rules! words {
    ($($choice:ident { $($word:literal => $variant:ident),+ })+) => {$(
        impl $choice {
            /// Words of the file format.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word for this choice.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl ParameterType for $choice {
            const KIND: Kind = Kind::Word(Self::WORDS);

            fn value(self) -> Value {
                Value::Word(self.word())
            }

            fn number(self) -> Option<f64> {
                None
            }
        }

        impl Serialize for $choice {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl<'de> Deserialize<'de> for $choice {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match String::deserialize(deserializer)?.as_str() {
                    $($word => Ok(Self::$variant),)+
                    other => Err(D::Error::unknown_variant(other, Self::WORDS)),
                }
            }
        }
    )+};
}

words! {
    Recovery {
        "sack" => Sack, "rack" => Rack, "newreno" => Newreno, "newreno-steady" => NewrenoSteady, "tahoe" => Tahoe,
        "tahoe-1988" => Tahoe1988, "quic" => Quic
    }
    RtoRule { "rfc6298" => Rfc6298, "linux" => Linux, "rfc9002" => Rfc9002 }
    TimeoutRule { "rfc5681" => Rfc5681, "linux" => Linux }
    ValidationRule { "flight" => Flight, "linux" => Linux, "rate-limited" => RateLimited, "rfc9002" => Rfc9002 }
    IdleRestart { "none" => None, "rfc5681" => Rfc5681, "linux" => Linux }
    PrrRule { "none" => None, "rfc9937" => Rfc9937, "linux" => Linux }
    Growth { "delivered" => Delivered, "cumulative" => Cumulative }
    UndoRule { "none" => None, "linux" => Linux }
    ReoWndRule { "fixed" => Fixed, "adaptive" => Adaptive }
    PacingRule { "none" => None, "fq" => Fq, "rfc9002" => Rfc9002 }
    EchoSpec { "auto" => Auto, "classic" => Classic, "dctcp" => Dctcp, "accurate" => Accurate }
    SlowStart { "acks" => Acks, "rounds" => Rounds }
    HalveSpec { "flight" => Flight, "window" => Window }
}

/// Loss recovery: evidence of losses, and the response to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// SACK scoreboard, RFC 6675.
    Sack,
    /// SACK scoreboard with losses found by the time of sending, and probes of lost tails (RACK-TLP, RFC 8985).
    Rack,
    /// NewReno, RFC 6582.
    Newreno,
    /// NewReno whose timer each partial ACK resets: the variant Slow-but-Steady of RFC 3782 section 4.
    NewrenoSteady,
    /// Tahoe: no fast recovery; any loss restarts from the oldest segment in slow start.
    Tahoe,
    /// Tahoe as released in 1988: every third duplicate ACK is a loss, also of segments that were retransmitted though
    /// they had arrived (S. Floyd, *TCP and Successive Fast Retransmits*, 1994).
    Tahoe1988,
    /// Packet numbers, probes and recovery periods of QUIC, RFC 9002.
    Quic,
}

impl Recovery {
    /// Evidence by which losses are detected, and response to them.
    #[must_use]
    pub fn parts(self) -> (Evidence, LossResponse) {
        match self {
            Self::Sack => (Evidence::Sack, LossResponse::FastRecovery),
            Self::Rack => (Evidence::Rack, LossResponse::FastRecovery),
            Self::Newreno => (Evidence::DupAck, LossResponse::ImpatientRecovery),
            Self::NewrenoSteady => (Evidence::DupAck, LossResponse::FastRecovery),
            Self::Tahoe => (Evidence::DupAck, LossResponse::Tahoe),
            Self::Tahoe1988 => (Evidence::AnyDupAck, LossResponse::Tahoe),
            Self::Quic => (Evidence::PacketNumbers, LossResponse::FastRecovery),
        }
    }

    /// SACKs tell what is delivered, to a TCP.
    #[must_use]
    pub fn has_sack(self) -> bool {
        matches!(self, Self::Sack | Self::Rack)
    }
}

/// Echo of marks that receivers are able to give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlowStart {
    /// By every ACK (RFC 5681), as the algorithm has it.
    #[default]
    Acks,
    /// Twofold once per round trip, over which the window is sent evenly.
    Rounds,
}

/// Quantity that is halved when loss is detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalveSpec {
    /// `FlightSize` (RFC 5681).
    Flight,
    /// `cwnd` (Linux).
    Window,
}
