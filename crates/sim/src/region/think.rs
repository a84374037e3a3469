//! Sources think, and decide on the next transfer. From: the beginning of a run, or `finish`. To: `connect`.

use congestion::{Duration, Time};

use super::Region;
use crate::kernel::channels::Channels;
use crate::kernel::rng::{self, Block, Purpose};
use crate::kernel::timers::TimerKind;
use crate::net::packet::Packet;
use crate::world::Population;

/// A transfer that a source is about to begin.
pub(super) struct Offer {
    /// Segments.
    pub size: u64,
    /// Site of the receiver.
    pub site: u16,
    /// Receiving host within its region.
    pub host: u32,
    pub interface: u8,
    /// Type of the file.
    pub file: u8,
}

impl<C: Channels<Packet>> Region<C> {
    /// A source begins to think.
    pub(super) fn think(&mut self, source: u32, now: Time) {
        let Some(population) = &self.world.traffic.population else { return };
        let time = rng::exponential(self.draws(source)[0], population.think_mean);
        self.begin_thinking(source, now + Duration::from_seconds(time));
    }

    /// A source thinks until a time.
    pub(crate) fn begin_thinking(&mut self, source: u32, until: Time) {
        self.sources.thinking += 1;
        self.events.set_timer(until, TimerKind::Start, source, 0);
    }

    /// The next transfer of a source, which thinks no longer.
    pub(super) fn offer(&mut self, source: u32, now: Time) -> Offer {
        let flow = self.sources[source].flow;
        match &self.world.traffic.population {
            Some(population) if self.sources[source].is_of_population() => {
                self.sources.thinking -= 1;
                self.draw_offer(source, population, now)
            }
            _ => self.named_offer(flow),
        }
    }

    fn draw_offer(&self, source: u32, population: &Population, now: Time) -> Offer {
        let world = &self.world;
        let origin = &self.sources[source];
        let draws = self.draws(source);
        let elsewhere = population.receivers_in_other_regions;
        let receiver = world.numbering.draw_receiver(draws[3], self.index, elsewhere);
        let site = world.numbering.site_of_receiver(receiver);
        let to = &world.sites[usize::from(site)];
        let (mut segments, file) = population.files.draw(draws[2], draws[1]);
        if let Some(jumbo) = population.jumbo
            && world.sites[usize::from(origin.site)].class == 0
            && (jumbo.any_receiver || to.class == 0)
            && (jumbo.start..jumbo.end).contains(&now)
        {
            segments *= jumbo.factor;
        }
        let fast = origin.fast && world.receiver_is_fast(receiver, population.fast_probability);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
        let segments = (libm::ceil(segments) as u64).max(1);
        let host = receiver - world.numbering.receivers_of(to.region).start;
        Offer { size: segments, site, host, interface: u8::from(fast), file }
    }

    fn named_offer(&self, flow: u32) -> Offer {
        let flow = &self.world.traffic.flows[flow as usize];
        Offer { size: flow.size, site: flow.receiver, host: flow.host, interface: flow.interface, file: 0 }
    }

    /// Random numbers of a source's next transfer.
    fn draws(&self, source: u32) -> Block {
        let source = &self.sources[source];
        self.world.streams.block(Purpose::Transfer, source.id, source.cycle)
    }
}
