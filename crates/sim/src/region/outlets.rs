//! Ways out of a region.

use crate::net::headers::Batch;
use crate::world::Exit;

/// Delay lines that packets leave by, and what leaves for other regions.
#[derive(Debug)]
pub(crate) struct Outlets {
    pub exits: Vec<Exit>,
    /// Packets that leave for another region in this window, per exit.
    pub outbox: Vec<Batch>,
}

impl Outlets {
    /// Delay lines with nothing in them.
    pub fn new(exits: Vec<Exit>) -> Self {
        let outbox = exits.iter().map(|_| Batch::default()).collect();
        Self { exits, outbox }
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.outbox.iter().map(Batch::memory).sum()
    }
}
