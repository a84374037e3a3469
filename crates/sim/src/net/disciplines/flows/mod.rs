//! Queues of many flows at one station, and the deficit round robin over them ([RFC 8290 section 4]).
//!
//! A station that has seen no packet holds nothing. Packets of all flows lie in one slab, flows in another; lists run
//! through both, so nothing is allocated once they have grown to what the traffic needs.
//!
//! [RFC 8290 section 4]: https://www.rfc-editor.org/rfc/rfc8290#section-4

mod hash;

pub use self::hash::{FlowHash, Index, NONE, host};
use crate::kernel::prefetch::prefetch;
use crate::net::packet::Packet;
use crate::net::queue::{Buffer, Queued};

/// List that a flow is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum List {
    /// Flows that have just got packets.
    New,
    /// Flows that have had their turn.
    Old,
    /// Flows without packets whose state matters still.
    Resting,
    /// None of them.
    #[default]
    None,
}

/// A flow: its packets, its place on the lists, and what a discipline knows of it.
#[derive(Clone, Copy, Debug)]
pub struct Flow<S> {
    key: u64,
    head: u32,
    tail: u32,
    prev: u32,
    next: u32,
    /// Bytes waiting.
    pub bytes: u64,
    /// Bytes that it may send before it is the next one's turn; in units of the scheduler.
    pub deficit: i64,
    list: List,
    /// State of its queue management.
    pub state: S,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    packet: Packet,
    bytes: u32,
    next: u32,
}

/// See the module.
#[derive(Debug)]
pub struct FlowTable<S> {
    hash: FlowHash,
    index: Index,
    flows: Vec<Flow<S>>,
    free_flow: u32,
    nodes: Vec<Node>,
    free_node: u32,
    /// First flow of every list, which is a ring: before the first one comes the last.
    lists: [u32; 3],
    packets: usize,
    bytes: u64,
}

impl<S: Copy + Default> FlowTable<S> {
    /// Bytes of a flow and of a packet.
    #[cfg(test)]
    pub const SIZES: (usize, usize) = (size_of::<Flow<S>>(), size_of::<Node>());

    /// No flows.
    pub fn new(hash: FlowHash) -> Self {
        Self {
            hash,
            index: Index::default(),
            flows: Vec::new(),
            free_flow: NONE,
            nodes: Vec::new(),
            free_node: NONE,
            lists: [NONE; 3],
            packets: 0,
            bytes: 0,
        }
    }

    /// Packets waiting.
    pub fn len(&self) -> usize {
        self.packets
    }

    /// Bytes waiting.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// `true` if more waits than there is room for.
    #[inline]
    pub fn is_beyond(&self, buffer: Option<Buffer>) -> bool {
        buffer.is_some_and(|buffer| !buffer.holds(self.packets as u64, self.bytes))
    }

    /// A flow by its number.
    #[inline]
    pub fn flow(&self, flow: u32) -> &Flow<S> {
        &self.flows[flow as usize]
    }

    /// A flow by its number, to change it.
    #[inline]
    pub fn flow_mut(&mut self, flow: u32) -> &mut Flow<S> {
        &mut self.flows[flow as usize]
    }

    /// Append a packet to its flow, see [`FlowTable::flow_of`].
    #[inline]
    pub fn append(&mut self, arrival: Queued, forgettable: impl Fn(&S) -> bool) -> (u32, bool) {
        let flow = self.flow_of(&arrival.packet, forgettable);
        self.push(flow.0, arrival);
        flow
    }

    /// Number of a packet's flow, and whether it was known. Where a new one is needed, flows that rest and that
    /// `forgettable` gives up make place for it.
    #[inline]
    pub fn flow_of(&mut self, packet: &Packet, forgettable: impl Fn(&S) -> bool) -> (u32, bool) {
        let key = self.hash.queue(packet);
        let known = self.find(key);
        (known.unwrap_or_else(|| self.add_flow(key, forgettable)), known.is_some())
    }

    /// Number of a packet's flow, if it is known.
    pub fn known_flow(&self, packet: &Packet) -> Option<u32> {
        self.find(self.hash.queue(packet))
    }

    #[inline]
    fn find(&self, key: u64) -> Option<u32> {
        self.index.find(key, |place| self.flows[place as usize].key)
    }

    /// Append a packet to a flow.
    #[inline]
    pub fn push(&mut self, number: u32, arrival: Queued) {
        let place = self.add_node(Node { packet: arrival.packet, bytes: arrival.bytes, next: NONE });
        let flow = &mut self.flows[number as usize];
        if flow.head == NONE {
            flow.head = place;
        } else {
            self.nodes[flow.tail as usize].next = place;
        }
        flow.tail = place;
        flow.bytes += u64::from(arrival.bytes);
        self.packets += 1;
        self.bytes += u64::from(arrival.bytes);
    }

    /// Take the first packet of a flow out.
    #[inline]
    pub fn pop(&mut self, flow: u32) -> Option<Queued> {
        let flow = &mut self.flows[flow as usize];
        let place = flow.head;
        if place == NONE {
            return None;
        }
        let node = &mut self.nodes[place as usize];
        let queued = Queued { packet: node.packet, bytes: node.bytes };
        flow.head = node.next;
        flow.bytes -= u64::from(queued.bytes);
        node.next = self.free_node;
        self.free_node = place;
        self.packets -= 1;
        self.bytes -= u64::from(queued.bytes);
        Some(queued)
    }

    /// `true` if the flow has no packet.
    #[inline]
    pub fn is_empty(&self, flow: u32) -> bool {
        self.flows[flow as usize].head == NONE
    }

    /// The flow with the most bytes; of several, the one of the first queue.
    pub fn fattest(&self) -> Option<u32> {
        let waiting = self.flows.iter().enumerate().filter(|(_, flow)| flow.head != NONE);
        let fattest = waiting.max_by_key(|(_, flow)| (flow.bytes, std::cmp::Reverse(flow.key)))?.0;
        u32::try_from(fattest).ok()
    }

    /// The first flow of a list.
    #[inline]
    pub fn first(&self, list: List) -> Option<u32> {
        let first = self.lists[list as usize];
        (first != NONE).then_some(first)
    }

    /// List of a flow.
    #[inline]
    pub fn list(&self, flow: u32) -> List {
        self.flows[flow as usize].list
    }

    /// Move a flow to the end of a list, or off all lists.
    #[inline]
    pub fn move_to(&mut self, list: List, number: u32) {
        let Flow { prev, next, list: before, .. } = self.flows[number as usize];
        if before != List::None {
            let first = &mut self.lists[before as usize];
            if *first == number {
                // The first of a ring becomes its last when the ring turns.
                *first = next;
                if before == list {
                    return;
                }
            }
            if next == number {
                *first = NONE;
            }
            self.flows[prev as usize].next = next;
            self.flows[next as usize].prev = prev;
        }
        self.flows[number as usize].list = list;
        if list == List::None {
            return;
        }
        let first = &mut self.lists[list as usize];
        if *first == NONE {
            *first = number;
            self.link(number, number);
        } else {
            let first = *first;
            self.link(self.flows[first as usize].prev, number);
            self.link(number, first);
        }
    }

    /// Let a flow follow another in a ring.
    #[inline]
    fn link(&mut self, before: u32, after: u32) {
        self.flows[before as usize].next = after;
        self.flows[after as usize].prev = before;
    }

    /// Forget a flow without packets.
    pub fn forget(&mut self, number: u32) {
        self.move_to(List::None, number);
        let key = self.flows[number as usize].key;
        self.index.remove(key, |place| self.flows[place as usize].key);
        let flow = &mut self.flows[number as usize];
        // The scan for the fattest flow passes over it.
        flow.next = std::mem::replace(&mut self.free_flow, number);
    }

    /// Deficit round robin over new and old flows (RFC 8290 section 4.2), `take` the packet of a flow. A flow that has
    /// none is forgotten, or rests where its state matters still.
    #[inline]
    pub fn round_robin(
        &mut self,
        quantum: i64,
        forgettable: impl Fn(&S) -> bool,
        mut take: impl FnMut(&mut Self, u32) -> Option<Queued>,
    ) -> Option<Queued> {
        loop {
            let list = if self.first(List::New).is_some() { List::New } else { List::Old };
            let number = self.first(list)?;
            let flow = &mut self.flows[number as usize];
            // Without credits it gets another quantum and waits for its turn behind the old ones.
            if flow.deficit <= 0 {
                flow.deficit += quantum;
                self.move_to(List::Old, number);
                continue;
            }
            if let Some(next) = take(self, number) {
                self.flows[number as usize].deficit -= i64::from(next.bytes);
                self.prefetch_after(number);
                return Some(next);
            }
            if list == List::New && self.first(List::Old).is_some() {
                // So that a flow that comes and goes cannot stay ahead of the others.
                self.move_to(List::Old, number);
            } else if forgettable(&self.flows[number as usize].state) {
                self.forget(number);
            } else {
                self.move_to(List::Resting, number);
            }
        }
    }

    /// Ask for what the next two flows of a ring will need: by their turns it has left the nearest cache.
    #[inline]
    fn prefetch_after(&self, number: u32) {
        let next = &self.flows[self.flows[number as usize].next as usize];
        if let Some(head) = self.nodes.get(next.head as usize) {
            prefetch(head);
        }
        prefetch(&self.flows[next.next as usize]);
    }

    /// Every packet waiting.
    pub fn each(&self, see: &mut dyn FnMut(&Packet)) {
        for flow in &self.flows {
            let mut place = flow.head;
            while place != NONE {
                let node = &self.nodes[place as usize];
                see(&node.packet);
                place = node.next;
            }
        }
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.index.memory()
            + self.flows.capacity() * size_of::<Flow<S>>()
            + self.nodes.capacity() * size_of::<Node>()
    }

    #[cold]
    fn add_flow(&mut self, key: u64, forgettable: impl Fn(&S) -> bool) -> u32 {
        while let Some(oldest) = self.first(List::Resting)
            && forgettable(&self.flows[oldest as usize].state)
        {
            self.forget(oldest);
        }
        let flow = Flow {
            key,
            head: NONE,
            tail: NONE,
            prev: NONE,
            next: NONE,
            bytes: 0,
            deficit: 0,
            list: List::None,
            state: S::default(),
        };
        let number = self.free_flow;
        let number = if number == NONE {
            self.flows.push(flow);
            place(self.flows.len() - 1)
        } else {
            self.free_flow = self.flows[number as usize].next;
            self.flows[number as usize] = flow;
            number
        };
        self.index.insert(key, number, |place| self.flows[place as usize].key);
        number
    }

    #[inline]
    fn add_node(&mut self, node: Node) -> u32 {
        let free = self.free_node;
        if free == NONE {
            self.nodes.push(node);
            return place(self.nodes.len() - 1);
        }
        self.free_node = self.nodes[free as usize].next;
        self.nodes[free as usize] = node;
        free
    }
}

fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE)
}
