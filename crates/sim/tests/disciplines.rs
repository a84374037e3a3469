//! Properties of every queue discipline that a scenario can name, with its defaults, under random arrivals.

use std::collections::BTreeMap;

use congestion::{Duration, Time};
use proptest::prelude::*;
use sim::kernel::rng::Streams;
use sim::measure::queue::QueueCounts;
use sim::net::disciplines::{Mechanics, Server};
use sim::net::headers::Headers;
use sim::net::packet::{Codepoint, Kind, Packet, PacketSizes};
use sim::net::queue::{Buffer, Port, QueueDiscipline, Queued};
use sim::net::service::ServiceRate;
use sim::net::transmitter::Transmitter;
use sim::spec::Discipline;

/// Data segments of six flows and ACKs of two; the server takes a packet of 1500 bytes in 1.2 ms.
#[derive(Clone, Debug)]
struct Arrival {
    /// Time since the arrival before [us].
    after: u64,
    flow: u32,
    bytes: u32,
    codepoint: Codepoint,
}

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let codepoints = [Codepoint::NotEct, Codepoint::Ect0, Codepoint::Ect1, Codepoint::Ce];
    let after = prop_oneof![6 => 0u64..1500, 3 => 0u64..30, 1 => 0u64..300_000];
    let arrival = (after, 0u32..8, 40u32..1501, prop::sample::select(codepoints.to_vec()));
    let arrival =
        arrival.prop_map(|(after, flow, bytes, codepoint)| Arrival { after, flow, bytes, codepoint });
    prop::collection::vec(arrival, 1..1500)
}

fn buffers() -> impl Strategy<Value = Buffer> {
    prop_oneof![(1u64..200).prop_map(Buffer::Packets), (1500u64..200_000).prop_map(Buffer::Bytes)]
}

fn queue(name: &str, buffer: Buffer, seed: u64) -> Option<Box<dyn QueueDiscipline>> {
    let discipline: Discipline =
        serde_json::from_value(serde_json::json!({ "name": name })).expect("all have defaults");
    let server = Server {
        buffer: Some(buffer),
        transmitter: Transmitter::new(ServiceRate::BitsPerSecond(10e6), None),
        sizes: PacketSizes { smss: 1460, header: 40, control: 40 },
        streams: Streams::new(seed),
        station: 0,
    };
    let Mechanics { queue, .. } = discipline.mechanics(&server);
    queue
}

/// A server behind a queue, and what has become of the packets.
struct Run {
    queue: Box<dyn QueueDiscipline>,
    now: Time,
    busy_until: Time,
    headers: Headers,
    dropped: Vec<Packet>,
    counts: QueueCounts,
    arrived: u64,
    left: Vec<Packet>,
}

impl Run {
    fn new(queue: Box<dyn QueueDiscipline>) -> Self {
        Self {
            queue,
            now: Time::ZERO,
            busy_until: Time::ZERO,
            headers: Headers::default(),
            dropped: Vec::new(),
            counts: QueueCounts::default(),
            arrived: 0,
            left: Vec::new(),
        }
    }

    fn with<T>(&mut self, call: impl FnOnce(&mut dyn QueueDiscipline, &mut Port<'_>) -> T) -> T {
        let Self { queue, now, headers, dropped, counts, .. } = self;
        call(&mut **queue, &mut Port { now: *now, headers, dropped, counts })
    }

    fn begin_service(&mut self, next: Option<Queued>) {
        if let Some(next) = next {
            let starts = self.queue.service_starts(self.now);
            self.busy_until = starts + Duration(u64::from(next.bytes) * 800_000);
            self.left.push(next.packet);
        }
    }

    /// Serve what is due by `until`.
    fn advance(&mut self, until: Time) {
        while self.busy_until <= until && self.busy_until > self.now {
            self.now = self.busy_until;
            let next = self.with(|queue, port| queue.dequeue(port));
            self.begin_service(next);
        }
        self.now = until;
    }

    fn arrive(&mut self, seq: u32, arrival: &Arrival) {
        self.advance(self.now + Duration(arrival.after * 1_000_000));
        let kind = if arrival.flow < 6 { Kind::Data } else { Kind::Ack };
        let packet = Packet { time: self.now, slot: arrival.flow, seq, kind, ..Packet::default() };
        let packet = if kind.is_data() { packet.with_flags(arrival.codepoint, false) } else { packet };
        let queued = Queued { packet, bytes: arrival.bytes };
        self.arrived += 1;
        if self.busy_until > self.now {
            self.with(|queue, port| queue.enqueue(queued, port));
        } else {
            let next = self.with(|queue, port| queue.pass(queued, port));
            self.begin_service(next);
        }
    }

    /// Packets are served, dropped or waiting; the queue counts those that wait.
    fn check_conservation(&self) {
        let waiting = self.queue.len() as u64;
        assert_eq!(self.arrived, self.left.len() as u64 + self.dropped.len() as u64 + waiting);
        assert_eq!(self.counts.drops(), self.dropped.len() as u64);
        let mut seen = 0;
        self.queue.each(&mut |_| seen += 1);
        assert_eq!((seen, self.queue.is_empty()), (waiting, waiting == 0));
        assert!((self.queue.bytes() == 0) == (waiting == 0), "{} bytes", self.queue.bytes());
    }

    /// Packets of a flow leave in the order of their arrival.
    fn check_order(&self) {
        let mut last: BTreeMap<u32, u32> = BTreeMap::new();
        for packet in &self.left {
            let before = last.insert(packet.slot, packet.seq);
            assert!(before.is_none_or(|before| before < packet.seq), "{packet:?} after {before:?}");
        }
    }
}

fn names() -> Vec<&'static str> {
    Discipline::catalogue().into_iter().map(|entry| entry.name).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn packets_are_conserved_in_order_and_within_the_room(
        arrivals in arrivals(), buffer in buffers(), seed in any::<u64>()
    ) {
        for name in names() {
            let Some(queue) = queue(name, buffer, seed) else { continue };
            let mut run = Run::new(queue);
            for (seq, arrival) in (0..).zip(&arrivals) {
                // A flow is L4S or classic as a whole, so that it is in one queue of a dual one.
                let l4s = arrival.flow % 2 == 0;
                let codepoint = match arrival.codepoint {
                    Codepoint::NotEct | Codepoint::Ect0 if l4s => Codepoint::Ect1,
                    Codepoint::Ect1 | Codepoint::Ce if !l4s => Codepoint::Ect0,
                    other => other,
                };
                run.arrive(seq, &Arrival { codepoint, ..arrival.clone() });
                assert!(
                    buffer.holds(run.queue.len() as u64, run.queue.bytes()),
                    "{name}: {} packets of {} bytes in {buffer:?}",
                    run.queue.len(),
                    run.queue.bytes()
                );
                run.check_conservation();
            }
            run.advance(run.now + Duration::from_millis(10_000_000));
            run.check_conservation();
            run.check_order();
            assert_eq!(run.queue.len(), 0, "{name}: everything leaves in the end");
        }
    }
}
