//! Calls that the connection of s2n-quic makes, in its order (`recovery/manager.rs` of `s2n-quic-transport`): of an ACK
//! the round-trip time, marks, losses, and then what is acknowledged.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use mesonet_plugin::congestion::{
    AckSample, CongestionControl, CongestionEvent, Decision, Delivery, Flow, Initial, Needs, Phase,
    SentSegment, Time,
};
use s2n_quic_core::event::builder::{BbrState, SlowStartExitCause};
use s2n_quic_core::packet::number::PacketNumberSpace;
use s2n_quic_core::recovery::bandwidth::{Bandwidth, RateSample};
use s2n_quic_core::recovery::congestion_controller::Publisher;
use s2n_quic_core::recovery::{CongestionController, DEFAULT_INITIAL_RTT, RttEstimator};
use s2n_quic_core::transport::parameters::MaxAckDelay;

use crate::clock::{time, timestamp};
use crate::persistent::Period;
use crate::random::Seeded;

/// Packet with a segment: one of its transmissions.
#[derive(Clone, Copy, Debug)]
struct Packet<I> {
    sent: Time,
    number: u64,
    info: I,
}

/// A controller of s2n-quic for one flow.
pub struct Adapter<C: CongestionController> {
    controller: C,
    rtt: RttEstimator,
    random: Seeded,
    smss: u32,
    /// Packets of the segments that are not cumulatively acknowledged, the first of which has this number.
    packets: VecDeque<Vec<Packet<C::PacketInfo>>>,
    first: u32,
    next_number: u64,
    lost: Period,
    /// Delivery that the ACK at hand will be told of.
    delivery: Option<Delivery>,
    events: Events,
}

impl<C: CongestionController> Adapter<C> {
    pub fn new(controller: C, initial: &Initial) -> Self {
        let mut rtt = RttEstimator::new(DEFAULT_INITIAL_RTT);
        rtt.on_max_ack_delay(MaxAckDelay::RECOMMENDED);
        Self {
            controller,
            rtt,
            random: Seeded(initial.seed),
            smss: initial.smss,
            packets: VecDeque::new(),
            first: 0,
            next_number: 0,
            lost: Period::default(),
            delivery: None,
            events: Events { slow_start: true, pacing_rate: 0.0 },
        }
    }

    /// The handshake gives a connection its first round-trip time.
    fn take_handshake(&mut self, flow: &Flow) {
        if self.rtt.first_rtt_sample().is_none() && flow.srtt.0 > 0 {
            self.update_rtt(Duration::from_secs_f64(flow.srtt.seconds()), flow.now);
        }
    }

    fn update_rtt(&mut self, sample: Duration, now: Time) {
        self.rtt.update_rtt(Duration::ZERO, sample, timestamp(now), true, PacketNumberSpace::ApplicationData);
    }

    fn packet(&self, segment: &SentSegment) -> Packet<C::PacketInfo> {
        let packets = &self.packets[(segment.number - self.first) as usize];
        let packet = packets.iter().rev().find(|packet| packet.sent == segment.sent);
        *packet.expect("it was told of it")
    }

    /// Both sides count what is in flight, and have to agree.
    fn check(&self, flow: &Flow) {
        let (ours, theirs) = (flow.in_flight, u64::from(self.controller.bytes_in_flight()));
        assert!(ours == theirs, "{ours} bytes are in flight, and s2n-quic counts {theirs}");
    }
}

impl<C: CongestionController> CongestionControl for Adapter<C> {
    fn on_segment_sent(&mut self, segment: &SentSegment, flow: &Flow) {
        self.take_handshake(flow);
        let bytes = self.smss as usize;
        let app_limited = Some(segment.app_limited);
        let Self { controller, rtt, events, .. } = self;
        let info = controller.on_packet_sent(timestamp(flow.now), bytes, app_limited, rtt, events);
        if segment.replaces {
            controller.on_packet_discarded(bytes, events);
        }
        let packet = Packet { sent: segment.sent, number: self.next_number, info };
        self.next_number += 1;
        match self.packets.get_mut((segment.number - self.first) as usize) {
            Some(packets) => packets.push(packet),
            None => self.packets.push_back(vec![packet]),
        }
        if !segment.restored {
            self.check(flow);
        }
    }

    fn on_delivery(&mut self, delivery: &Delivery, flow: &Flow) {
        self.delivery = Some(*delivery);
        if delivery.rtt.is_some() {
            let (sent, now) = (timestamp(delivery.newest.sent), timestamp(flow.now));
            self.update_rtt(now - sent, flow.now);
            self.controller.on_rtt_update(sent, now, &self.rtt, &mut self.events);
        }
    }

    fn on_segment_lost(&mut self, segment: &SentSegment, starts_run: bool, flow: &Flow) {
        let Packet { number, info, .. } = self.packet(segment);
        let persistent = self.lost.on_lost(number, timestamp(segment.sent), &self.rtt);
        let Self { controller, events, random, smss, .. } = self;
        controller.on_packet_lost(*smss, info, persistent, starts_run, random, timestamp(flow.now), events);
        if persistent {
            self.rtt.on_persistent_congestion();
            self.events.slow_start = true;
        }
    }

    fn on_ack(&mut self, _ack: &AckSample, flow: &Flow) {
        let Some(delivery) = self.delivery.take() else { return };
        let (now, smss) = (timestamp(flow.now), self.smss);
        let info = self.packet(&delivery.newest).info;
        let Self { controller, rtt, events, random, .. } = self;
        // Acknowledgments of packets that were declared lost are not heard, and of two copies the second is given up.
        let acked = delivery.from_flight.min(delivery.delivered);
        let given_up = delivery.from_flight - acked;
        if acked > 0 {
            let sent = timestamp(delivery.newest.sent);
            controller.on_ack(sent, bytes(acked), info, rtt, random, now, events);
        }
        if given_up > 0 {
            controller.on_packet_discarded(bytes(given_up), events);
        }
        debug_assert!(smss > 0);
        let gone = ((delivery.first_unacknowledged - self.first) as usize).min(self.packets.len());
        self.packets.drain(..gone);
        self.first = delivery.first_unacknowledged;
        self.lost.end();
        self.check(flow);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        // Losses it has been told of one by one.
        if event == CongestionEvent::EcnEcho {
            self.controller.on_explicit_congestion(1, timestamp(flow.now), &mut self.events);
        }
    }

    fn decision(&self) -> Decision {
        Decision { cwnd: f64::from(self.controller.congestion_window()), pacing_rate: None }
    }

    fn departure(&self) -> Option<Time> {
        self.controller.earliest_departure_time().map(time)
    }

    fn phase(&self) -> Phase {
        if self.events.slow_start { Phase::SlowStart } else { Phase::Alternate }
    }

    fn needs(&self) -> Needs {
        Needs { segments: true, owns_recovery: true, ..Needs::default() }
    }

    fn state(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("pacing_rate", self.events.pacing_rate);
    }
}

impl<C: CongestionController> fmt::Debug for Adapter<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.controller.fmt(f)
    }
}

fn bytes(bytes: u64) -> usize {
    usize::try_from(bytes).expect("no flight is as large as memory")
}

/// What a controller publishes, as far as measurement asks for it.
#[derive(Debug)]
struct Events {
    slow_start: bool,
    /// Pacing rate [bytes/s]; zero before one is known.
    pacing_rate: f64,
}

impl Publisher for Events {
    fn on_slow_start_exited(&mut self, _cause: SlowStartExitCause, _congestion_window: u32) {
        self.slow_start = false;
    }

    fn on_delivery_rate_sampled(&mut self, _rate_sample: RateSample) {}

    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    fn on_pacing_rate_updated(&mut self, rate: Bandwidth, _burst_size: u32, _gain: num_rational::Ratio<u64>) {
        self.pacing_rate = rate.as_bytes_per_second() as f64;
    }

    fn on_bbr_state_changed(&mut self, state: BbrState) {
        self.slow_start = matches!(state, BbrState::Startup);
    }
}
