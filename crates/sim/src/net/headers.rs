//! Congestion headers: what senders and routers tell each other, beside the packets that carry them.
//!
//! A packet has no room for them and most flows have none. So a packet with a header is of a kind of its own, its
//! `extent` is the header's place in a table of the region, and the header keeps the extent meanwhile. Whoever
//! ends a packet's way takes its header out.

use congestion::Feedback;

use crate::net::packet::{Kind, Packet};

/// Headers of the packets in one region.
#[derive(Debug, Default)]
pub struct Headers {
    entries: Vec<Header>,
    free: Vec<u32>,
}

/// Feedback that routers read and write, and the extent of the packet.
type Header = (Feedback, u32);

impl Headers {
    /// The packet with a header; without, if there is none to carry.
    #[must_use]
    pub fn attach(&mut self, packet: Packet, feedback: Feedback) -> Packet {
        if feedback == Feedback::None {
            return packet;
        }
        let kind = if packet.kind.is_data() { Kind::DataWithHeader } else { Kind::AckWithHeader };
        Packet { extent: self.put((feedback, packet.extent)), kind, ..packet }
    }

    /// Take the packet's header out, if it has one.
    #[inline]
    pub fn detach(&mut self, packet: &mut Packet) -> Feedback {
        if packet.kind.has_header() { self.remove(packet) } else { Feedback::None }
    }

    fn remove(&mut self, packet: &mut Packet) -> Feedback {
        let (feedback, extent) = self.take(packet.extent);
        packet.extent = extent;
        packet.kind = if packet.kind.is_data() { Kind::Data } else { Kind::Ack };
        feedback
    }

    #[cold]
    fn put(&mut self, header: Header) -> u32 {
        if let Some(place) = self.free.pop() {
            self.entries[place as usize] = header;
            return place;
        }
        self.entries.push(header);
        u32::try_from(self.entries.len() - 1).unwrap_or(u32::MAX)
    }

    #[cold]
    fn take(&mut self, place: u32) -> Header {
        self.free.push(place);
        self.entries[place as usize]
    }

    /// The packet's header, for a router to read and write.
    pub fn of(&mut self, packet: &Packet) -> Option<&mut Feedback> {
        packet.kind.has_header().then(|| &mut self.entries[packet.extent as usize].0)
    }

    /// The packet's own `extent`, which its header keeps if it has one.
    #[inline]
    pub fn extent(&self, packet: &Packet) -> u32 {
        if packet.kind.has_header() { self.entries[packet.extent as usize].1 } else { packet.extent }
    }

    /// Headers in use.
    pub fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// `true` if none is in use.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Packets on their way from one region to another, and the headers of those that have one, in their order.
#[derive(Debug, Default)]
pub struct Batch {
    packets: Vec<Packet>,
    headers: Vec<Header>,
    /// A packet has a time before that of the one before it.
    out_of_order: bool,
}

impl Batch {
    /// Add a packet, whose header leaves the region with it.
    #[inline]
    pub fn push(&mut self, packet: Packet, headers: &mut Headers) {
        if packet.kind.has_header() {
            self.headers.push(headers.take(packet.extent));
        }
        self.out_of_order |= self.packets.last().is_some_and(|last| packet.time < last.time);
        self.packets.push(packet);
    }

    /// Add packets, changed, whose headers leave the region with them.
    pub fn extend(&mut self, packets: &[Packet], change: impl Fn(&Packet) -> Packet, headers: &mut Headers) {
        let before = self.packets.len();
        self.packets.extend(packets.iter().map(change));
        let in_order = self.packets[before.saturating_sub(1)..].is_sorted_by_key(|packet| packet.time);
        self.out_of_order |= !in_order;
        if !headers.is_empty() {
            let laden = self.packets[before..].iter().filter(|packet| packet.kind.has_header());
            self.headers.extend(laden.map(|packet| headers.take(packet.extent)));
        }
    }

    /// `true` if no packet is in it.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// The packets in the order of time, their headers put into `headers`; to be taken out.
    #[inline]
    pub fn unpack(&mut self, headers: &mut Headers) -> &mut Vec<Packet> {
        if !self.headers.is_empty() {
            self.put_into(headers);
        }
        if self.out_of_order {
            self.packets.sort_by_key(|packet| packet.time);
            self.out_of_order = false;
        }
        &mut self.packets
    }

    #[cold]
    fn put_into(&mut self, headers: &mut Headers) {
        let laden = self.packets.iter_mut().filter(|packet| packet.kind.has_header());
        for (packet, header) in laden.zip(self.headers.drain(..)) {
            packet.extent = headers.put(header);
        }
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.packets.capacity() * size_of::<Packet>() + self.headers.capacity() * size_of::<Header>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use congestion::{Load, Time};

    const LOW: Feedback = Feedback::Vcp(Load::Low);

    #[test]
    fn a_header_comes_and_goes() {
        let mut headers = Headers::default();
        let plain = Packet { extent: 7, ..Packet::default() };
        assert_eq!(headers.attach(plain, Feedback::None), plain);
        let mut data = headers.attach(plain, LOW);
        let mut ack = headers.attach(Packet { kind: Kind::Ack, ..plain }, Feedback::Vcp(Load::Over));
        assert_eq!((data.kind, ack.kind), (Kind::DataWithHeader, Kind::AckWithHeader));
        assert_eq!((headers.extent(&data), headers.extent(&ack), headers.len()), (7, 7, 2));
        if let Some(header) = headers.of(&data) {
            *header = Feedback::Vcp(Load::High);
        }
        assert_eq!(headers.detach(&mut data), Feedback::Vcp(Load::High));
        assert_eq!(headers.detach(&mut ack), Feedback::Vcp(Load::Over));
        assert_eq!((data, ack.kind, headers.is_empty()), (plain, Kind::Ack, true));
        assert_eq!(headers.detach(&mut data), Feedback::None);
    }

    #[test]
    fn headers_travel_with_their_packets() {
        let (mut here, mut there) = (Headers::default(), Headers::default());
        let mut batch = Batch::default();
        for seq in 0..6 {
            let plain = Packet { seq, extent: 10 + seq, ..Packet::default() };
            let load = if seq % 4 == 0 { LOW } else { Feedback::Vcp(Load::Over) };
            let packet = here.attach(plain, if seq % 2 == 0 { load } else { Feedback::None });
            batch.push(packet, &mut here);
        }
        assert!(here.is_empty());
        let mut packets = std::mem::take(batch.unpack(&mut there));
        let loads: Vec<_> = packets.iter_mut().map(|packet| there.detach(packet)).collect();
        assert!(packets.iter().zip(0..).all(|(packet, seq)| (packet.seq, packet.extent) == (seq, 10 + seq)));
        let over = Feedback::Vcp(Load::Over);
        assert_eq!(loads, [LOW, Feedback::None, over, Feedback::None, LOW, Feedback::None]);
    }

    #[test]
    fn many_packets_come_in_as_if_one_by_one() {
        for times in [[1, 2, 3], [2, 1, 3], [4, 5, 4]] {
            let (mut here, mut there) = (Headers::default(), Headers::default());
            let mut packet = |(seq, time): (u32, u64)| {
                let feedback = if seq == 1 { LOW } else { Feedback::None };
                here.attach(Packet { time: Time(time), seq, ..Packet::default() }, feedback)
            };
            let packets: Vec<Packet> = (0..).zip(times).map(&mut packet).collect();
            let mut batch = Batch::default();
            batch.push(Packet { time: Time(30), seq: 9, ..Packet::default() }, &mut here);
            batch.extend(&packets, |packet| Packet { time: Time(packet.time.0 * 10), ..*packet }, &mut here);
            assert!(here.is_empty());
            let packets = std::mem::take(batch.unpack(&mut there));
            let mut expected: Vec<_> =
                [(30, 9)].into_iter().chain(times.map(|t| t * 10).into_iter().zip(0..)).collect();
            expected.sort_by_key(|&(time, _)| time);
            assert_eq!(
                packets.iter().map(|packet| (packet.time.0, packet.seq)).collect::<Vec<_>>(),
                expected
            );
            let mut laden = packets.into_iter().filter(|packet| packet.kind.has_header());
            let header = laden.next().map(|mut packet| (packet.seq, there.detach(&mut packet)));
            assert_eq!((header, laden.next()), (Some((1, LOW)), None));
        }
    }

    #[test]
    fn packets_out_of_order_are_sorted_with_their_headers() {
        let (mut here, mut there) = (Headers::default(), Headers::default());
        let mut batch = Batch::default();
        for (seq, time) in (0..).zip([5, 7, 6, 7, 5]) {
            let feedback = if time == 6 { LOW } else { Feedback::None };
            batch.push(
                here.attach(Packet { time: Time(time), seq, ..Packet::default() }, feedback),
                &mut here,
            );
        }
        let mut packets = std::mem::take(batch.unpack(&mut there));
        assert_eq!(packets.iter().map(|packet| packet.seq).collect::<Vec<_>>(), [0, 4, 2, 1, 3]);
        assert_eq!(there.detach(&mut packets[2]), LOW);
        batch.push(Packet { time: Time(1), ..Packet::default() }, &mut here);
        assert_eq!(batch.unpack(&mut there).len(), 1);
    }
}
