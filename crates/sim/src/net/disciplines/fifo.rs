//! First in, first out, with room: the queue inside most disciplines.

use std::collections::VecDeque;

use crate::net::departures::Waiting;
use crate::net::packet::Packet;
use crate::net::queue::{Buffer, Queued};

/// Answers of a discipline about the packets that wait, where one part of it holds them all.
macro_rules! answers_of {
    ($part:tt) => {
        fn len(&self) -> usize {
            self.$part.len()
        }

        fn bytes(&self) -> u64 {
            self.$part.bytes()
        }

        fn each(&self, see: &mut dyn FnMut(&$crate::net::packet::Packet)) {
            self.$part.each(see);
        }

        fn memory(&self) -> usize {
            self.$part.memory()
        }
    };
}

/// Packets in the order of their arrival.
#[derive(Debug)]
pub struct Fifo {
    queue: VecDeque<Queued>,
    bytes: u64,
    buffer: Option<Buffer>,
}

impl Fifo {
    /// An empty queue.
    pub fn new(buffer: Option<Buffer>) -> Self {
        Self { queue: VecDeque::new(), bytes: 0, buffer }
    }

    /// `true` if there is room for a packet of `bytes`.
    #[inline]
    pub fn has_room(&self, bytes: u32) -> bool {
        let waiting = Waiting { packets: self.queue.len() as u64, bytes: self.bytes };
        Buffer::has_room(self.buffer, waiting, bytes)
    }

    /// Append a packet, whether there is room or not.
    #[inline]
    pub fn append(&mut self, queued: Queued) {
        self.bytes += u64::from(queued.bytes);
        self.queue.push_back(queued);
    }

    /// Append a packet, if there is room.
    #[inline]
    pub fn push(&mut self, queued: Queued) -> bool {
        let fits = self.has_room(queued.bytes);
        if fits {
            self.append(queued);
        }
        fits
    }

    /// Take the first packet out.
    #[inline]
    pub fn pop(&mut self) -> Option<Queued> {
        let queued = self.queue.pop_front()?;
        self.bytes -= u64::from(queued.bytes);
        Some(queued)
    }

    /// The first packet.
    pub fn head(&self) -> Option<&Queued> {
        self.queue.front()
    }

    /// Packets waiting.
    #[inline]
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// `true` if none is waiting.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Bytes waiting.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Every packet waiting.
    pub fn each(&self, see: &mut dyn FnMut(&Packet)) {
        self.queue.iter().for_each(|queued| see(&queued.packet));
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.queue.capacity() * size_of::<Queued>()
    }
}
