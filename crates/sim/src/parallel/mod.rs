//! Parallel simulation with conservative synchronisation: regions advance alone through windows of time no
//! longer than the lookahead, the shortest delay between two of them, and exchange packets at the ends.

mod exchange;
mod pool;

use congestion::Duration;

use self::exchange::Exchange;
use self::pool::ThreadPool;
use crate::kernel::channels::Channels;
use crate::region::Region;
use crate::world::World;

/// What came of advancing all regions.
pub struct Advanced {
    /// Time at which the caller stopped the run [s], if it did.
    pub stopped: Option<f64>,
    /// Events of the busiest region, summed over all windows.
    pub critical_events: u64,
}

/// Advance all regions to the end, or until `progress` returns `false`.
pub fn advance<C: Channels>(
    world: &World,
    regions: &mut [Region<C>],
    threads: usize,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Advanced {
    let exchange = Exchange::new(world, regions.len());
    let pool = ThreadPool::new(world, regions, threads);
    let work = |thread: usize, progress: &mut dyn FnMut(f64) -> bool| {
        let mut worker = pool.worker(thread);
        for (number, (end, sampled)) in (0..).zip(Windows::new(world)) {
            let well = worker.work(number, |region| step(region, end, sampled, &exchange, number));
            let time = Duration(end).seconds();
            if !worker.barrier(number, well && progress(time)) {
                return Some(time);
            }
        }
        None
    };
    let stopped = std::thread::scope(|scope| {
        let work = &work;
        for thread in 1..pool.threads() {
            scope.spawn(move || work(thread, &mut |_| true));
        }
        work(0, progress)
    });
    let critical_events = pool.join();
    exchange.empty(regions);
    Advanced { stopped, critical_events }
}

/// Take one region through one window: packets in, events, sample, packets out. Returns the number of events.
fn step<C: Channels>(
    region: &mut Region<C>,
    end: u64,
    sampled: bool,
    exchange: &Exchange,
    number: u64,
) -> u64 {
    exchange.receive(region, number);
    let before = region.counters.events;
    region.advance(end);
    let events = region.counters.events - before;
    if sampled {
        region.sample(end);
    }
    exchange.send(region, number);
    events
}

/// Ends of windows: no longer than the lookahead, and none across a measurement interval.
struct Windows {
    lookahead: u64,
    interval: u64,
    end: u64,
    now: u64,
}

impl Windows {
    fn new(world: &World) -> Self {
        let lookahead = world
            .exits
            .iter()
            .enumerate()
            .flat_map(|(from, exits)| exits.iter().filter(move |exit| usize::from(exit.region) != from))
            .map(|exit| exit.delay)
            .min()
            .unwrap_or(u64::MAX);
        let interval = Duration::from_seconds(world.measure.interval).0.max(1);
        Self { lookahead, interval, end: world.end, now: 0 }
    }
}

impl Iterator for Windows {
    /// End of the window [ps] and whether a measurement interval ends there.
    type Item = (u64, bool);

    fn next(&mut self) -> Option<(u64, bool)> {
        if self.now >= self.end {
            return None;
        }
        let boundary = (self.now / self.interval + 1) * self.interval;
        self.now = self.now.saturating_add(self.lookahead).min(boundary).min(self.end);
        Some((self.now, self.now == boundary || self.now == self.end))
    }
}
