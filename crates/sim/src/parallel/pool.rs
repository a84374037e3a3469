//! A pool of threads that work through the windows in step, and the assignment of regions to them.

use std::any::Any;
use std::cmp::Reverse;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};

use congestion::Duration;

use super::clusters::Cluster;
use crate::kernel::channels::Channels;
use crate::net::packet::Packet;
use crate::region::Region;
use crate::world::World;

/// Windows between two distributions of the regions. A region that moves has to be fetched from another
/// core's cache, so they keep their thread for a while.
const WATCH: u64 = 32;

/// The threads of a run.
pub struct ThreadPool<'r, C: Channels<Packet>> {
    clusters: Vec<(Duration, Mutex<Vec<&'r mut Region<C>>>)>,
    threads: usize,
    barrier: Barrier,
    /// Last window to be worked on. It carries a window's number, not a flag, so that a thread which is
    /// already in the next window cannot stop one that has still to read the verdict on this one.
    stop_after: AtomicU64,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// Events of every cluster in the present watch and in the one before, which alternate: what is read at
    /// the begin of a watch is not written during it.
    loads: [Vec<AtomicU64>; 2],
    /// Events of the busiest cluster in the present window and in the one before.
    busiest: [AtomicU64; 2],
    critical: AtomicU64,
}

impl<'r, C: Channels<Packet>> ThreadPool<'r, C> {
    /// At most as many threads as there are clusters.
    pub fn new(world: &World, regions: &'r mut [Region<C>], clusters: &[Cluster], threads: usize) -> Self {
        let threads = threads.min(clusters.len());
        let guess = |region: &&mut Region<C>| {
            let sources = world.numbering.sources_of(region.index).len();
            let receivers = world.numbering.receivers_of(region.index).len();
            (sources + receivers / 2 + region.stations.len()) as u64
        };
        let clusters = together(regions, clusters);
        let none = clusters.iter().map(|_| AtomicU64::new(0)).collect();
        let guesses = clusters.iter().map(|(_, regions)| AtomicU64::new(regions.iter().map(guess).sum()));
        let guesses = guesses.collect();
        Self {
            clusters: clusters
                .into_iter()
                .map(|(lookahead, regions)| (lookahead, Mutex::new(regions)))
                .collect(),
            threads,
            barrier: Barrier::new(threads),
            stop_after: AtomicU64::new(u64::MAX),
            panic: Mutex::new(None),
            loads: [none, guesses],
            busiest: [AtomicU64::new(0), AtomicU64::new(0)],
            critical: AtomicU64::new(0),
        }
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The worker of thread number `thread`.
    pub fn worker(&self, thread: usize) -> Worker<'_, 'r, C> {
        Worker { pool: self, thread, mine: Vec::new() }
    }

    /// Join: events of the busiest cluster, summed over all windows, when all threads are done.
    ///
    /// # Panics
    /// If one of the threads has.
    pub fn join(self) -> u64 {
        if let Some(panic) = lock(&self.panic).take() {
            std::panic::resume_unwind(panic);
        }
        self.critical.into_inner()
    }
}

/// Regions by cluster, with the lookahead within.
pub fn together<'r, C: Channels<Packet>>(
    regions: &'r mut [Region<C>],
    clusters: &[Cluster],
) -> Vec<(Duration, Vec<&'r mut Region<C>>)> {
    let mut regions: Vec<Option<&mut Region<C>>> = regions.iter_mut().map(Some).collect();
    let of = |cluster: &Cluster| {
        let together = cluster.regions.iter().filter_map(|&at| regions[at].take());
        (cluster.lookahead, together.collect())
    };
    clusters.iter().map(of).collect()
}

/// The one of two alternating places that belongs to window `number`.
pub fn parity(number: u64) -> usize {
    usize::from(number % 2 == 1)
}

/// One thread of the pool, and its clusters.
pub struct Worker<'c, 'r, C: Channels<Packet>> {
    pool: &'c ThreadPool<'r, C>,
    thread: usize,
    mine: Vec<usize>,
}

impl<'r, C: Channels<Packet>> Worker<'_, 'r, C> {
    /// Take this worker's clusters through window `number` with `step`, which returns the number of events;
    /// `false` if it panicked. A panic is kept for later, so that the other threads are not left waiting.
    pub fn work(&mut self, number: u64, step: impl Fn(&mut [&'r mut Region<C>], Duration) -> u64) -> bool {
        let pool = self.pool;
        let begins = number.is_multiple_of(WATCH);
        let watch = usize::from(number / WATCH % 2 == 1);
        if begins {
            let loads = pool.loads[1 - watch].iter().map(|load| load.load(Ordering::Relaxed)).collect();
            self.mine = share(loads, pool.threads, self.thread);
        }
        let all = || {
            for &at in &self.mine {
                let (lookahead, regions) = &pool.clusters[at];
                let events = step(&mut lock(regions), *lookahead);
                let load = &pool.loads[watch][at];
                let before = if begins { 0 } else { load.load(Ordering::Relaxed) };
                load.store(before + events, Ordering::Relaxed);
                pool.busiest[parity(number)].fetch_max(events, Ordering::Relaxed);
            }
        };
        std::panic::catch_unwind(AssertUnwindSafe(all))
            .map_err(|panic| {
                lock(&pool.panic).get_or_insert(panic);
            })
            .is_ok()
    }

    /// Wait at the barrier at the end of window `number` until the others are there; `false` unless all of them
    /// are `going` on.
    pub fn barrier(&self, number: u64, going: bool) -> bool {
        let pool = self.pool;
        if !going {
            pool.stop_after.fetch_min(number, Ordering::SeqCst);
        }
        pool.barrier.wait();
        if self.thread == 0 {
            let busiest = pool.busiest[parity(number)].swap(0, Ordering::Relaxed);
            pool.critical.fetch_add(busiest, Ordering::Relaxed);
        }
        pool.stop_after.load(Ordering::SeqCst) > number
    }
}

/// The clusters of one of `threads`: heaviest first to the least loaded.
fn share(loads: Vec<u64>, threads: usize, thread: usize) -> Vec<usize> {
    let mut order: Vec<(usize, u64)> = loads.into_iter().enumerate().collect();
    order.sort_by_key(|&(at, load)| (Reverse(load), at));
    let mut sums = vec![0; threads];
    let mut mine = Vec::new();
    for (at, load) in order {
        let (least, sum) = sums.iter_mut().enumerate().min_by_key(|(_, sum)| **sum).expect("a thread");
        // Clusters without events are spread, too.
        *sum += load.max(1);
        if least == thread {
            mine.push(at);
        }
    }
    mine
}

/// A poisoned lock means that another thread has panicked; that panic is reported at the end.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The most loaded thread had no more than the mean before its last region.
        #[test]
        fn everybody_gets_a_fair_share(loads in prop::collection::vec(1u64..1000, 1..30), threads in 1usize..9) {
            let threads = threads.min(loads.len());
            let shares: Vec<Vec<usize>> = (0..threads).map(|at| share(loads.clone(), threads, at)).collect();
            let mut all: Vec<usize> = shares.concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..loads.len()).collect::<Vec<_>>());
            let sum = |mine: &Vec<usize>| mine.iter().map(|&at| loads[at]).sum::<u64>();
            let heaviest = shares.iter().map(sum).max().unwrap_or(0);
            let mean = loads.iter().sum::<u64>().div_ceil(threads as u64);
            let single = loads.iter().copied().max().unwrap_or(0);
            prop_assert!(heaviest <= mean + single, "{heaviest} of {mean} and {single}");
        }
    }
}
