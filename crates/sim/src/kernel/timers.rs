//! Timers: few, far apart, cancelled lazily by generation.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use congestion::Time;

/// Purpose of a timer. `id` is a source, a sender slot or a receiver slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimerKind {
    /// A source has finished thinking, or a named flow starts.
    Start,
    /// A named flow stops offering data.
    Stop,
    /// An application offers its next burst.
    Burst,
    /// An application asks for something.
    Application,
    /// No SYN+ACK came.
    Syn,
    /// Retransmission timer of a sender.
    Rto,
    /// The pacer lets the next segment go.
    Pace,
    /// A controller asked to be called.
    Wakeup,
    /// A source loses patience.
    Patience,
    /// A delayed ACK is due.
    DelayedAck,
    /// Events from here on may depend on decisions that stations owe.
    CatchUp,
}

/// One pending timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timer {
    /// When it fires.
    pub time: Time,
    /// Order among timers of the same instant.
    pub sequence: u32,
    /// Whom it concerns.
    pub id: u32,
    /// Generation of the connection it was set for; a timer of an older one is void.
    pub generation: u16,
    /// Its purpose.
    pub kind: TimerKind,
}

/// Pending timers of a region in the order (time, order of setting).
#[derive(Debug, Default)]
pub struct Timers {
    heap: BinaryHeap<Reverse<Timer>>,
    sequence: u32,
}

impl Timers {
    /// Set a timer and say whether it is now the first.
    pub fn set(&mut self, time: Time, kind: TimerKind, id: u32, generation: u16) -> bool {
        let first = time < self.head_time();
        self.sequence = self.sequence.wrapping_add(1);
        self.heap.push(Reverse(Timer { time, sequence: self.sequence, id, generation, kind }));
        first
    }

    /// Take the first timer.
    pub fn pop(&mut self) -> Option<Timer> {
        self.heap.pop().map(|Reverse(timer)| timer)
    }

    /// Time of the first timer, [`Time::NEVER`] if there is none.
    pub fn head_time(&self) -> Time {
        self.heap.peek().map_or(Time::NEVER, |Reverse(timer)| timer.time)
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.heap.capacity() * size_of::<Timer>()
    }
}
