//! Queue disciplines: one file each, and the list of them.

mod droptail;
mod vcp;
mod xcp;

use congestion::Protocol;
use serde::{Deserialize, Serialize};

use crate::net::marking::Marking;
use crate::net::packet::PacketSizes;
use crate::net::queue::{Buffer, QueueDiscipline};
use crate::net::service::Service;

pub use self::droptail::{DropTail, DropTailParameters, QueuedDropTailParameters};
pub use self::vcp::{Vcp, VcpParameters};
pub use self::xcp::{Xcp, XcpParameters};

/// Server that a queue stands before.
#[derive(Clone, Copy, Debug)]
pub struct Server {
    /// Room for waiting packets; `None` is unlimited.
    pub buffer: Option<Buffer>,
    /// Time to serve a packet.
    pub service: Service,
    /// Sizes of packets.
    pub sizes: PacketSizes,
}

/// Parameters of a discipline, as a scenario gives them.
pub trait DisciplineParameters {
    /// Protocol that the discipline speaks with senders, if any.
    const PROTOCOL: Option<Protocol> = None;

    /// A discipline for tests of the engine, which no list names.
    const INTERNAL: bool = false;

    /// ECN rule on arrival.
    fn marking(&self) -> Marking {
        Marking::Never
    }

    /// Queue with these parameters; `None` is drop-tail, whose departures are known on arrival.
    fn queue(&self, server: &Server) -> Option<Box<dyn QueueDiscipline>>;
}

/// Makes the list: a tagged enum of parameters, and what every discipline answers.
macro_rules! disciplines {
    ($($(#[$doc:meta])* $name:literal => $variant:ident($parameters:ty),)+) => {
        /// Queue discipline of a station with its parameters, under its `name`.
        #[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
        #[serde(tag = "name")]
        pub enum Discipline {
            $($(#[$doc])* #[serde(rename = $name)] $variant($parameters),)+
        }

        impl Discipline {
            /// Names that a scenario may use.
            #[must_use]
            pub fn names() -> Vec<&'static str> {
                let all = [$(($name, <$parameters>::INTERNAL)),+];
                all.into_iter().filter(|(_, internal)| !internal).map(|(name, _)| name).collect()
            }

            /// Protocol that the discipline speaks with senders, if any.
            #[must_use]
            pub fn protocol(&self) -> Option<Protocol> {
                match self {
                    $(Self::$variant(_) => <$parameters>::PROTOCOL,)+
                }
            }

            /// ECN rule on arrival.
            #[must_use]
            pub fn marking(&self) -> Marking {
                match self {
                    $(Self::$variant(parameters) => parameters.marking(),)+
                }
            }

            /// Queue before a server; `None` is drop-tail, whose departures are known on arrival.
            #[must_use]
            pub fn queue(&self, server: &Server) -> Option<Box<dyn QueueDiscipline>> {
                match self {
                    $(Self::$variant(parameters) => parameters.queue(server),)+
                }
            }
        }
    };
}

disciplines! {
    /// First in, first out; arrivals beyond the buffer are dropped. One event per hop.
    "droptail" => Droptail(DropTailParameters),
    /// Drop-tail through the general path with a real queue; for testing that path.
    "droptail_queued" => DroptailQueued(QueuedDropTailParameters),
    /// Drop-tail that grants changes of the window to flows of XCP.
    "xcp" => Xcp(XcpParameters),
    /// Drop-tail that tells flows of VCP how loaded it is.
    "vcp" => Vcp(VcpParameters),
}

impl Default for Discipline {
    /// Drop-tail without marks.
    fn default() -> Self {
        Self::Droptail(DropTailParameters::default())
    }
}
