//! Queue disciplines: one file each, and the list of them.

#[macro_use]
mod parameters;
#[macro_use]
mod fifo;
mod bucket;
mod cake;
mod cobalt;
mod codel;
mod droptail;
mod dualpi2;
mod flows;
mod fq_codel;
mod fq_pie;
mod pi;
mod pi2;
mod pie;
mod policer;
mod random;
mod red;
mod shaper;
mod step;
#[cfg(test)]
pub(crate) mod testing;
mod vcp;
mod xcp;

use congestion::Protocol;
use serde::{Deserialize, Serialize};

pub use self::cake::CakeParameters;
pub use self::cobalt::CobaltParameters;
pub use self::codel::CodelParameters;
pub use self::droptail::DropTailParameters;
pub use self::dualpi2::DualPi2Parameters;
pub use self::fifo::Fifo;
pub use self::fq_codel::FqCodelParameters;
pub use self::fq_pie::FqPieParameters;
pub use self::parameters::{Fault, Kind, Parameter, ParameterList, ParameterType, Value, out_of_range};
pub use self::pi2::Pi2Parameters;
pub use self::pie::PieParameters;
pub use self::policer::PolicerParameters;
pub use self::random::RandomParameters;
pub use self::red::RedParameters;
pub use self::shaper::ShaperParameters;
pub use self::step::{MarkAbove, StepParameters};
pub use self::vcp::{Vcp, VcpParameters};
pub use self::xcp::{Xcp, XcpParameters};
use crate::kernel::rng::Streams;
use crate::net::arrival::ArrivalRule;
use crate::net::packet::PacketSizes;
use crate::net::queue::{Buffer, QueueDiscipline};
use crate::net::service::Service;
use crate::net::transmitter::Transmitter;

/// Server that a queue stands before.
#[derive(Clone, Debug)]
pub struct Server {
    /// Room for waiting packets; `None` is unlimited.
    pub buffer: Option<Buffer>,
    /// Time to serve packets.
    pub transmitter: Transmitter,
    /// Sizes of packets.
    pub sizes: PacketSizes,
    /// Random numbers of the run.
    pub streams: Streams,
    /// Number of the station in the scenario.
    pub station: u32,
}

impl Server {
    /// Service at the station's own rate.
    pub fn service(&self) -> Service {
        self.transmitter.own_service()
    }

    /// Largest packet on the wire [bytes]: MTU of the disciplines.
    pub fn mtu(&self) -> u32 {
        self.sizes.largest()
    }
}

/// Mechanics of a discipline: a threshold of marks, a rule on arrival, a queue of its own. Without a queue it is
/// drop-tail, whose departures are known on arrival.
#[derive(Debug, Default)]
pub struct Mechanics {
    /// Packets that may wait before ECN-capable arrivals are marked.
    pub mark_above: Option<u64>,
    /// Rule on arrival, before such marks.
    pub rule: Option<Box<dyn ArrivalRule>>,
    /// Queue.
    pub queue: Option<Box<dyn QueueDiscipline>>,
}

/// Parameters of a discipline, as a scenario gives them.
pub trait DisciplineParameters: ParameterList {
    /// Publication of the discipline.
    const SOURCE: &'static str;

    /// Meaning of its control variable in traces, with the unit; empty if it has none.
    const CONTROL: &'static str = "";

    /// Protocol that the discipline speaks with senders, if any.
    const PROTOCOL: Option<Protocol> = None;

    /// Faults of the values at a station with this buffer.
    fn faults(&self, _buffer: Option<Buffer>) -> Vec<Fault> {
        self.out_of_range()
    }

    /// Faults of the values where packets have up to `mtu` bytes.
    fn packet_faults(&self, _mtu: u32) -> Vec<Fault> {
        Vec::new()
    }

    /// Mechanics with these parameters at a server.
    fn mechanics(&self, server: &Server) -> Mechanics;
}

/// Entry of the catalogue of disciplines.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Name in scenarios.
    pub name: &'static str,
    /// One sentence for lists.
    pub summary: &'static str,
    /// Publication.
    pub source: &'static str,
    /// Meaning of the control variable in traces, with the unit; empty if there is none.
    pub control: &'static str,
    /// Parameters that can be set.
    pub parameters: Vec<Parameter>,
}

/// Makes the list: a tagged enum of parameters, and what every discipline answers.
macro_rules! disciplines {
    ($(#[doc = $summary:literal] $name:literal => $variant:ident($parameters:ty),)+) => {
        /// Queue discipline of a station with its parameters, under its `name`.
        #[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
        #[serde(tag = "name")]
        pub enum Discipline {
            $(#[doc = $summary] #[serde(rename = $name)] $variant($parameters),)+
        }

        impl Discipline {
            /// Disciplines that a scenario may use.
            pub fn catalogue() -> Vec<Entry> {
                vec![$(Entry {
                    name: $name,
                    summary: $summary.trim(),
                    source: <$parameters>::SOURCE,
                    control: <$parameters>::CONTROL,
                    parameters: <$parameters>::list(),
                },)+]
            }

            /// Protocol that the discipline speaks with senders, if any.
            pub fn protocol(&self) -> Option<Protocol> {
                match self {
                    $(Self::$variant(_) => <$parameters>::PROTOCOL,)+
                }
            }

            /// Faults of its parameters at a station with this buffer.
            pub fn faults(&self, buffer: Option<Buffer>) -> Vec<Fault> {
                match self {
                    $(Self::$variant(parameters) => parameters.faults(buffer),)+
                }
            }

            /// Faults of its parameters where packets have up to `mtu` bytes.
            pub fn packet_faults(&self, mtu: u32) -> Vec<Fault> {
                match self {
                    $(Self::$variant(parameters) => parameters.packet_faults(mtu),)+
                }
            }

            /// Mechanics at a server.
            pub fn mechanics(&self, server: &Server) -> Mechanics {
                match self {
                    $(Self::$variant(parameters) => parameters.mechanics(server),)+
                }
            }
        }
    };
}

disciplines! {
    /// First in, first out; arrivals beyond the buffer are dropped
    "droptail" => Droptail(DropTailParameters),
    /// Drop-tail that marks ECN-capable packets above a threshold
    "step" => Step(StepParameters),
    /// Controlled Delay: drops at dequeue while packets stay longer than a target for an interval
    "codel" => Codel(CodelParameters),
    /// Proportional Integral controller Enhanced: drops on arrival with a probability that keeps the delay at a target
    "pie" => Pie(PieParameters),
    /// Flow Queue CoDel: deficit round robin over hashed queues with CoDel in each
    "fq_codel" => FqCodel(FqCodelParameters),
    /// Flow Queue PIE: deficit round robin over hashed queues with PIE in each
    "fq_pie" => FqPie(FqPieParameters),
    /// CoDel that remembers its rate, with BLUE against flows that do not respond
    "cobalt" => Cobalt(CobaltParameters),
    /// CAKE: deficit round robin over flows and their hosts, with COBALT in each
    "cake" => Cake(CakeParameters),
    /// Coupled dual queue with PI2: a queue for L4S and one for classic traffic, with coupled signals
    "dualpi2" => DualPi2(DualPi2Parameters),
    /// Random Early Detection: drops on arrival with a probability that grows with the average queue
    "red" => Red(RedParameters),
    /// PI2: a linear controller of the delay, squared for Classic traffic; `DualPI2` with one queue
    "pi2" => Pi2(Pi2Parameters),
    /// Token bucket: packets beyond it are dropped on arrival
    "policer" => Policer(PolicerParameters),
    /// Token bucket: packets beyond it wait
    "shaper" => Shaper(ShaperParameters),
    /// Signals at random: packets are marked or dropped with one probability, whatever waits
    "random" => Random(RandomParameters),
    /// Drop-tail that grants changes of the window to flows of XCP
    "xcp" => Xcp(XcpParameters),
    /// Drop-tail that tells flows of VCP how loaded it is
    "vcp" => Vcp(VcpParameters),
}

impl Default for Discipline {
    /// Drop-tail without marks.
    fn default() -> Self {
        Self::Droptail(DropTailParameters::default())
    }
}
