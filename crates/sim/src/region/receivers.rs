//! Receiving ends of connections in a region.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;
use std::ops::{Index, IndexMut};

use congestion::{Feedback, Time};
use rustc_hash::FxHasher;

use super::{NONE, nada};
use crate::kernel::prefetch::prefetch_whole;
use crate::net::packet::{Kind, Packet};
use crate::tcp::linux::ack_timing::AckTiming;
use crate::tcp::ranges::Pool;
use crate::tcp::receiver::Receiver;

/// A receiving end, or a free place for one.
#[derive(Debug, Default)]
pub(crate) struct ReceiverSlot {
    pub generation: u16,
    pub cycle: u16,
    /// Number over all regions.
    source: u32,
    pub state: Option<Receiver<Peer>>,
    extras: Option<Box<Extras>>,
}

/// State that few receiving ends have, behind one pointer.
#[derive(Debug, Default)]
struct Extras {
    /// Congestion headers of segments not acknowledged yet, merged into one; only where there are any.
    feedback: Option<Feedback>,
    /// Timing of ACKs, where it is not a fixed delay.
    timing: Option<Box<AckTiming>>,
}

/// Sending end that ACKs go to, and the way to it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Peer {
    /// Slot of the connection.
    pub slot: u32,
    /// Generation of the connection.
    pub generation: u16,
    /// Its site.
    pub site: u16,
    /// A delay line, or the station that ACKs enter where they cost capacity.
    pub way: u16,
    /// Interface class of the flow.
    pub interface: u8,
    /// What holds ACKs back.
    pub holding: Holding,
}

/// What holds ACKs back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Holding {
    /// A fixed delay; no timer is pending.
    #[default]
    Idle,
    /// A fixed delay, whose timer is pending.
    Pending,
    /// [`AckTiming`] those of segments out of order, a fixed delay the others.
    OutOfOrder,
    /// [`AckTiming`].
    Timed,
}

impl Holding {
    /// [`AckTiming`] has a say in a segment.
    #[inline]
    pub fn is_timed(self, out_of_order: bool) -> bool {
        self == Self::Timed || (self == Self::OutOfOrder && out_of_order)
    }
}

impl Peer {
    /// An answer to the sending end.
    #[inline]
    pub fn packet(&self, kind: Kind, seq: u32, stamp: u32) -> Packet {
        Packet {
            time: Time::ZERO,
            slot: self.slot,
            seq,
            stamp,
            extent: 0,
            span: 0,
            generation: self.generation,
            site: self.site,
            interface: self.interface,
            kind,
        }
    }
}

impl ReceiverSlot {
    /// Source over all regions, and its transfer.
    pub fn transfer(&self) -> (u32, u16) {
        (self.source, self.cycle)
    }

    /// Timing of ACKs, where it is not a fixed delay.
    #[inline]
    pub fn timing(&mut self) -> Option<&mut AckTiming> {
        self.extras.as_mut()?.timing.as_deref_mut()
    }

    /// The receiving end, unless it is of another generation.
    #[inline]
    pub fn current(&mut self, generation: u16) -> Option<&mut Receiver<Peer>> {
        if self.generation == generation { self.state.as_mut() } else { None }
    }

    /// Keep the congestion header of a segment for the next ACK.
    pub fn keep_feedback(&mut self, feedback: Feedback) {
        let merged = self.extras.get_or_insert_default().feedback.get_or_insert_default();
        *merged = merged.merge(feedback);
    }

    /// Returns true if segments bring congestion headers.
    #[inline]
    pub fn has_feedback(&self) -> bool {
        self.extras.as_ref().is_some_and(|extras| extras.feedback.is_some())
    }

    /// Congestion headers since the last ACK, merged into one.
    pub fn take_feedback(&mut self) -> Feedback {
        let feedback = self.extras.as_mut().and_then(|extras| extras.feedback.as_mut());
        feedback.map(std::mem::take).unwrap_or_default()
    }
}

/// Receiving ends by slot and by source.
#[derive(Debug)]
pub(crate) struct Receivers {
    slots: Vec<ReceiverSlot>,
    free: Vec<u32>,
    by_source: HashMap<u32, u32, BuildHasherDefault<FxHasher>>,
    /// First source that is a flow given by name.
    first_named: u32,
    /// Segments that arrived marked since the last sample, by flow given by name; as long as need be.
    marked: Vec<u64>,
    /// Datagrams that arrived since the last sample, likewise.
    datagrams: Vec<u64>,
    /// Receiving ends of calls whose rate adapts by flow, and where their reports go.
    pub calls: BTreeMap<u32, (nada::Receiver, Peer)>,
}

impl Receivers {
    /// No receiving end.
    pub fn new(first_named: u32) -> Self {
        let (slots, free, by_source) = (Vec::new(), Vec::new(), HashMap::default());
        let (marked, datagrams, calls) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { slots, free, by_source, first_named, marked, datagrams, calls }
    }

    /// Flow that the receiving end in a slot belongs to, if it is given by name.
    pub fn flow(&self, slot: u32) -> Option<u32> {
        self[slot].source.checked_sub(self.first_named)
    }

    /// Count a marked segment, if its connection has not ended and its flow is given by name.
    #[cold]
    pub fn count_mark(&mut self, slot: u32, generation: u16) {
        let named = if self[slot].generation == generation { self.flow(slot) } else { None };
        if let Some(flow) = named {
            count(&mut self.marked, flow);
        }
    }

    /// Count a datagram of a flow given by name.
    pub fn count_datagram(&mut self, flow: u32, marked: bool) {
        count(&mut self.datagrams, flow);
        if marked {
            count(&mut self.marked, flow);
        }
    }

    /// Flows given by name that datagrams of have arrived since the last call, and how many.
    pub fn take_datagrams(&mut self) -> impl Iterator<Item = (u32, u64)> + '_ {
        taken(&mut self.datagrams)
    }

    /// Flows given by name that had segments marked since the last call, and how many.
    pub fn take_marks(&mut self) -> impl Iterator<Item = (u32, u64)> + '_ {
        taken(&mut self.marked)
    }

    /// Slot of the receiving end that a source is connected to.
    pub fn of_source(&self, source: u32) -> Option<u32> {
        self.by_source.get(&source).copied()
    }

    /// A free slot for a source that is not connected.
    pub fn connect(&mut self, source: u32) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(ReceiverSlot::default());
            u32::try_from(self.slots.len() - 1).unwrap_or(NONE)
        });
        self[slot].source = source;
        self.by_source.insert(source, slot);
        slot
    }

    /// Begin a receiving end in a slot, under a new generation.
    pub fn open(&mut self, slot: u32, cycle: u16, peer: Peer, timing: Option<Box<AckTiming>>) {
        let entry = &mut self[slot];
        entry.generation = entry.generation.wrapping_add(1);
        entry.cycle = cycle;
        entry.state = Some(Receiver::idle(peer));
        entry.extras = timing.map(|timing| Box::new(Extras { feedback: None, timing: Some(timing) }));
    }

    /// The receiving end in a slot, unless that is of another generation, and the timing of its ACKs.
    pub fn current_timed(
        &mut self,
        slot: u32,
        generation: u16,
    ) -> Option<(&mut Receiver<Peer>, &mut AckTiming)> {
        let entry = &mut self[slot];
        if entry.generation != generation {
            return None;
        }
        Some((entry.state.as_mut()?, entry.extras.as_mut()?.timing.as_deref_mut()?))
    }

    /// The receiving end in a slot, unless that is of another generation.
    #[inline]
    pub fn current(&mut self, slot: u32, generation: u16) -> Option<&mut Receiver<Peer>> {
        self[slot].current(generation)
    }

    /// End the receiving end in a slot; what it borrowed from `pool` goes back, empty.
    pub fn forget(&mut self, slot: u32, pool: &mut Pool) {
        self[slot].extras = None;
        if let Some(mut receiver) = self[slot].state.take()
            && let Some(mut ahead) = receiver.ahead.take()
        {
            ahead.clear();
            pool.push(ahead);
        }
    }

    /// Free the slot of a source.
    pub fn release(&mut self, slot: u32, source: u32) {
        self.by_source.remove(&source);
        self.free.push(slot);
    }

    /// Ask for the memory of the receiving end in a slot.
    #[inline]
    pub fn prefetch(&self, slot: u32) {
        if let Some(entry) = self.slots.get(slot as usize) {
            prefetch_whole(entry);
        }
    }

    /// Receiving ends in use.
    pub fn iter(&self) -> impl Iterator<Item = &Receiver<Peer>> {
        self.slots.iter().filter_map(|slot| slot.state.as_ref())
    }

    /// Bytes of memory held: slots; the list of free ones and the table of sources.
    pub fn memory(&self) -> (usize, usize) {
        // One control byte an entry, and up to an eighth of the table left free.
        let table = self.by_source.capacity() * (size_of::<(u32, u32)>() + 1) * 8 / 7;
        let lists = self.free.capacity() * size_of::<u32>() + table;
        (self.slots.capacity() * size_of::<ReceiverSlot>(), lists)
    }
}

fn count(counts: &mut Vec<u64>, flow: u32) {
    let flow = flow as usize;
    if flow >= counts.len() {
        counts.resize(flow + 1, 0);
    }
    counts[flow] += 1;
}

fn taken(counts: &mut [u64]) -> impl Iterator<Item = (u32, u64)> + '_ {
    (0..).zip(counts.iter_mut().map(std::mem::take)).filter(|(_, count)| *count > 0)
}

impl Index<u32> for Receivers {
    type Output = ReceiverSlot;

    #[inline]
    fn index(&self, slot: u32) -> &ReceiverSlot {
        &self.slots[slot as usize]
    }
}

impl IndexMut<u32> for Receivers {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut ReceiverSlot {
        &mut self.slots[slot as usize]
    }
}

#[cfg(test)]
mod tests {
    use congestion::Load;

    use super::*;

    /// Headers of segments under one ACK are merged: the higher load stands.
    #[test]
    fn congestion_headers_are_merged_until_the_next_ack() {
        let mut slot = ReceiverSlot::default();
        assert!(!slot.has_feedback() && slot.take_feedback() == Feedback::None);
        slot.keep_feedback(Feedback::Vcp(Load::Over));
        slot.keep_feedback(Feedback::Vcp(Load::Low));
        assert!(slot.has_feedback());
        assert_eq!(slot.take_feedback(), Feedback::Vcp(Load::Over));
        assert_eq!(slot.take_feedback(), Feedback::None);
    }
}
