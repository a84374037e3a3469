//! TCP mechanism: everything about a connection but the size of its window.
//!
//! [`sender::Sender`] holds the parts of the sending end by name. [`loss`] detects losses, [`recovery`] knows the
//! phase in which they are recovered from; the other modules measure or pace. What Linux has otherwise than the RFCs is in [`linux`].

pub mod ack_delay;
pub mod ack_jitter;
pub mod control;
pub mod ecn;
pub mod leaky_bucket;
pub mod linux;
pub mod loss;
pub mod mechanism;
pub mod pacer;
pub mod prr;
pub mod ranges;
pub mod rate;
pub mod receiver;
pub mod recovery;
pub mod round;
pub mod rtt;
pub mod segments;
pub mod send_time;
pub mod sender;
pub mod sequence;
pub mod validation;
