//! First in, first out; arrivals beyond the buffer are dropped.

use super::step::MarkAbove;
use super::{DisciplineParameters, Mechanics, Server};

parameters! {
    /// Parameters of drop-tail.
    pub struct DropTailParameters {
        mark_above: MarkAbove = MarkAbove(None), [0.0, MarkAbove::MAX], "packets",
            "Packets that may wait before ECN-capable arrivals are marked, as with `step`; none marks nothing";
    }
}

impl DisciplineParameters for DropTailParameters {
    const SOURCE: &'static str = "RFC 7567 section 2";

    fn mechanics(&self, _server: &Server) -> Mechanics {
        Mechanics { mark_above: self.mark_above.0, ..Mechanics::default() }
    }
}
