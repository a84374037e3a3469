//! Parallel simulation with conservative synchronisation: clusters of regions, most of them of a single one, advance alone
//! through windows of time no longer than the lookahead, the shortest delay between two of them, and exchange packets at the ends.

mod clusters;
mod exchange;
mod pool;
mod stepper;

use std::cell::Cell;

use congestion::{Duration, Time};

use self::clusters::Clusters;
use self::exchange::Exchange;
use self::pool::ThreadPool;
pub use self::stepper::Stepper;
use crate::kernel::channels::Channels;
use crate::net::packet::Packet;
use crate::region::Region;
use crate::world::World;

/// Outcome of advancing all regions.
pub struct Advanced {
    /// The run ended before its time.
    pub stopped: bool,
    /// Events of the busiest cluster, summed over all windows.
    pub critical_events: u64,
}

/// Advance all regions to the end, or until `progress` returns `false`, the watch halts the run, or a controller
/// never sleeps. All have taken their last sample then.
pub fn advance<C: Channels<Packet>>(
    world: &World,
    regions: &mut [Region<C>],
    threads: usize,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Advanced {
    let clusters = Clusters::new(world, regions);
    let exchange = Exchange::new(world, &clusters);
    let pool = ThreadPool::new(world, regions, &clusters.list, threads);
    let work = |thread: usize, progress: &mut dyn FnMut(f64) -> bool| {
        let mut worker = pool.worker(thread);
        for (number, (end, sampled)) in (0..).zip(Windows::new(world, &clusters)) {
            let whole = Cell::new(true);
            let well = worker.work(number, |regions, lookahead| {
                let events = step(regions, lookahead, end, sampled, &exchange, number);
                let done = |region: &&mut Region<C>| {
                    region.course.reached == end && region.course.sleepless.is_none()
                };
                whole.set(whole.get() && regions.iter().all(done));
                events
            });
            if !worker.barrier(number, well && whole.get() && progress(end.seconds())) {
                return Some((end, sampled));
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
    if let Some((end, sampled)) = stopped {
        for region in regions {
            let reached = region.course.reached;
            if !sampled || reached < end {
                region.sample(reached);
            }
        }
    }
    Advanced { stopped: stopped.is_some(), critical_events }
}

/// Take one cluster through one window: packets in, events, sample, packets out. Returns the number of events.
fn step<C: Channels<Packet>>(
    regions: &mut [&mut Region<C>],
    lookahead: Duration,
    end: Time,
    sampled: bool,
    exchange: &Exchange,
    number: u64,
) -> u64 {
    let count = |regions: &[&mut Region<C>]| -> u64 {
        regions.iter().map(|region| region.recorder.counters.events).sum()
    };
    for region in regions.iter_mut() {
        exchange.receive(region, number);
    }
    let before = count(regions);
    advance_together(regions, lookahead, end, exchange);
    let events = count(regions) - before;
    for region in regions {
        if sampled && region.course.reached == end {
            region.sample(end);
        }
        exchange.send(region, number);
    }
    events
}

/// Process every event of a cluster before `end`, or before the instant at which the run halts.
fn advance_together<C: Channels<Packet>>(
    regions: &mut [&mut Region<C>],
    lookahead: Duration,
    end: Time,
    exchange: &Exchange,
) {
    if let [region] = regions {
        return region.advance(end);
    }
    let mut now = regions.iter().map(|region| region.course.reached).min().unwrap_or(end);
    while now < end {
        now = (now + lookahead).min(end);
        for region in regions.iter_mut() {
            region.advance(now);
        }
        exchange.hand_over(regions);
        if regions.iter().any(|region| region.course.reached < now) {
            return;
        }
    }
}

/// Ends of windows: no longer than the lookahead, and none across a measurement interval.
struct Windows {
    lookahead: Duration,
    interval: Duration,
    end: Time,
    now: Time,
}

impl Windows {
    fn new(world: &World, clusters: &Clusters) -> Self {
        let lookahead = clusters.lookahead(world);
        Self { lookahead, interval: world.recording.interval, end: world.end, now: Time::ZERO }
    }
}

impl Windows {
    /// End of the next window and whether a measurement interval ends there; none where `limit` is reached.
    fn next_until(&mut self, limit: Time) -> Option<(Time, bool)> {
        if self.now >= self.end.min(limit) {
            return None;
        }
        let intervals = self.now.since(Time::ZERO) / self.interval + 1;
        let boundary = Time::ZERO + self.interval * intervals;
        self.now = (self.now + self.lookahead).min(boundary).min(self.end).min(limit);
        Some((self.now, self.now == boundary || self.now == self.end))
    }
}

impl Iterator for Windows {
    /// End of the window and whether a measurement interval ends there.
    type Item = (Time, bool);

    fn next(&mut self) -> Option<(Time, bool)> {
        self.next_until(Time::NEVER)
    }
}
