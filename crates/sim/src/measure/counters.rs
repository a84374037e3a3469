//! Event counts of one measurement interval.

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Counts during one interval.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counters {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Counters {
            /// Names of the counts, in the order of [`Counters::values`].
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// The counts.
            pub fn values(&self) -> Vec<u64> {
                vec![$(self.$name),*]
            }

            /// Add `other`, count by count.
            pub fn add(&mut self, other: &Self) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

counters! {
    /// Data segments and SYNs put on the network by sources.
    injected,
    /// Data segments and SYNs that reached their receivers.
    delivered,
    /// Data segments and SYNs lost in queues or at random.
    dropped,
    /// SYNs sent.
    syns,
    /// Connections established.
    connections,
    /// Connections given up after the last SYN.
    connection_failures,
    /// Transfers completed.
    completed,
    /// Transfers abandoned by impatient sources.
    aborted,
    /// Segments newly acknowledged, cumulatively or selectively.
    acked,
    /// ACKs that reached senders.
    acks,
    /// ACKs sent by receivers.
    acks_sent,
    /// Data segments sent, with retransmissions.
    data_sent,
    /// Data segments sent again.
    retransmitted,
    /// Retransmission timeouts.
    timeouts,
    /// Fast recoveries begun.
    recoveries,
    /// ACKs that made a window grow.
    cwnd_increases,
    /// Duplicate ACKs that reached senders.
    duplicate_acks,
    /// Segments in the files of transfers completed.
    completed_size,
    /// Data segments sent for transfers completed.
    completed_sent,
    /// Packets served by stations.
    hops,
    /// Events processed.
    events,
}
