//! Packets of named flows at their hosts, and the state of their senders, where a scenario asks for them.

use congestion::{Duration, Time};

/// Host at which a packet was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Host {
    /// That of the flow's sender.
    Sender,
    /// That of its receiver.
    Receiver,
}

/// Kind of a packet as its flow sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PacketKind {
    /// Connection request.
    Syn,
    /// Its answer.
    SynAck,
    /// Data segment.
    Data,
    /// Acknowledgement.
    Ack,
    /// End of the connection, by its sender.
    Fin,
}

/// A packet that a host sent or received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketEvent {
    /// When.
    pub time: Time,
    /// Index of the flow.
    pub flow: u32,
    /// Where.
    pub host: Host,
    /// Kind.
    pub kind: PacketKind,
    /// Segment of data, counted from zero; the next one expected of an ACK.
    pub segment: u32,
    /// When data or a SYN left its sender, in the units of [`crate::net::packet::stamp`]; an ACK echoes it.
    pub stamp: u32,
    /// SACK block of an ACK: first segment, one past the last; (0, 0) for none.
    pub block: (u32, u32),
    /// ECN codepoint of the IP header.
    pub codepoint: u8,
    /// AE, CWR and ECE of the TCP header, 4, 2 and 1; of a SYN-ACK at its sender's host, the agreed echo.
    pub flags: u8,
    /// Cause of sending, where the host knows it.
    pub cause: Cause,
}

/// Cause of sending a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// New data, or the ordinary course of a connection.
    Ordinary,
    /// Data or a SYN that was lost, or may be.
    Retransmission,
    /// Data sent again to learn of a lost tail: a rescue retransmission or a probe.
    Probe,
    /// Acknowledgement of a segment that had arrived before.
    Duplicate,
}

/// State of a sender after an ACK, a timer or a segment that left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderEvent {
    /// When.
    pub time: Time,
    /// Index of the flow.
    pub flow: u32,
    /// Segments in the network, as the sender estimates them (RFC 6675 pipe).
    pub in_flight: u32,
    /// Window [segments].
    pub cwnd: f64,
    /// Slow-start threshold [segments]; infinite for none, and for controllers that have none.
    pub ssthresh: f64,
    /// Smoothed RTT.
    pub srtt: Duration,
    /// Its variation (RFC 6298).
    pub rttvar: Duration,
    /// Smallest RTT.
    pub min_rtt: Duration,
    /// Retransmission timeout.
    pub rto: Duration,
    /// Time between two paced segments; zero without pacing.
    pub pacing_interval: Duration,
    /// 0 slow start, 1 standard, 2 alternate.
    pub phase: i8,
    /// 0 none, 1 fast recovery, 2 after a timeout.
    pub recovery: u8,
}
