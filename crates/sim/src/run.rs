//! The front door: scenario and seed in, measurements out; windows and threads.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, Mutex};

use congestion::Duration;

use crate::kernel::channels::{Channels, Rings, SortedMaps};
use crate::measure::groups::Groups;
use crate::measure::output::{FlowSample, RunOutput, Sample};
use crate::net::headers::Parcel;
use crate::plugin::Plugins;
use crate::region::Region;
use crate::scenario::build::build;
use crate::scenario::check::{Error, check_with};
use crate::scenario::spec::Spec;
use crate::world::World;

/// Version of what a run computes. It changes whenever the same scenario and seed may give other numbers.
pub const RESULT_VERSION: &str = "2";

/// Packets handed from one region to another at the end of a window. Two windows alternate, so a region
/// may already fill one box while its neighbour still empties the other.
struct Mail {
    region: usize,
    exit: usize,
    channel: u16,
    boxes: [Mutex<Parcel>; 2],
}

/// Run a scenario.
///
/// `progress` is called now and then with the simulated time [s]; it stops the run by returning `false`.
/// The same scenario and seed give the same output on any number of threads.
///
/// # Errors
/// [`Error::Scenario`] if the scenario is not valid, [`Error::NotConserved`] on a defect of the simulator,
/// [`Error::Stopped`] if `progress` said so.
pub fn run(
    spec: &Spec,
    seed: u64,
    threads: usize,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<RunOutput, Error> {
    run_with(spec, seed, threads, &Plugins::new(), progress)
}

/// The same with algorithms of the caller's own.
///
/// `progress` is called after every window, so that a plugin which has failed can stop the run there.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    spec: &Spec,
    seed: u64,
    threads: usize,
    plugins: &Plugins,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<RunOutput, Error> {
    run_on::<Rings>(spec, seed, threads, plugins, progress)
}

/// The same on a plain future-event set and without any shortcut, one thread; far slower. It is there to be
/// compared with: only `totals.events` and `memory` may differ.
///
/// # Errors
/// As [`run`].
pub fn run_reference(spec: &Spec, seed: u64) -> Result<RunOutput, Error> {
    run_on::<SortedMaps>(spec, seed, 1, &Plugins::new(), &mut |_| true)
}

fn run_on<C: Channels>(
    spec: &Spec,
    seed: u64,
    threads: usize,
    plugins: &Plugins,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<RunOutput, Error> {
    let problems = check_with(spec, plugins);
    if !problems.is_empty() {
        return Err(Error::Scenario(problems));
    }
    let (world, mut regions) = build::<C>(spec, seed, plugins).map_err(Error::Scenario)?;
    let stopped = advance(&world, &mut regions, threads.max(1), progress);
    if let Some(time) = stopped {
        return Err(Error::Stopped(time));
    }
    let output = collect(spec, &world, &regions);
    let totals = &output.totals;
    if totals.injected != totals.delivered + totals.dropped + output.in_flight {
        return Err(Error::NotConserved {
            injected: totals.injected,
            delivered: totals.delivered,
            dropped: totals.dropped,
            in_flight: output.in_flight,
        });
    }
    Ok(output)
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

/// Threads that work through the windows in step.
struct Crew {
    /// Last window to be worked on. It carries a window's number, not a flag, so that a thread which is
    /// already in the next window cannot stop one that has still to read the verdict on this one.
    stop_after: AtomicU64,
    barrier: Barrier,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Crew {
    /// Keep a panic for later, so that the other threads are not left waiting at the barrier.
    fn guard(&self, work: impl FnOnce()) -> Option<()> {
        std::panic::catch_unwind(AssertUnwindSafe(work))
            .map_err(|panic| {
                lock(&self.panic).get_or_insert(panic);
            })
            .ok()
    }
}

/// Advance all regions to the end; the time [s] at which `progress` stopped the run, if it did.
fn advance<C: Channels>(
    world: &World,
    regions: &mut [Region<C>],
    threads: usize,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Option<f64> {
    let mut inlets: Vec<Vec<Mail>> = (0..regions.len()).map(|_| Vec::new()).collect();
    for (from, exits) in world.exits.iter().enumerate() {
        for (at, exit) in exits.iter().enumerate().filter(|(_, exit)| usize::from(exit.region) != from) {
            let boxes = [Mutex::default(), Mutex::default()];
            inlets[usize::from(exit.region)].push(Mail {
                region: from,
                exit: at,
                channel: exit.channel,
                boxes,
            });
        }
    }
    let mut outlets: Vec<Vec<(usize, usize)>> = vec![Vec::new(); regions.len()];
    for (to, mails) in inlets.iter().enumerate() {
        for (at, mail) in mails.iter().enumerate() {
            outlets[mail.region].push((to, at));
        }
    }
    let threads = threads.min(regions.len());
    let crew = Crew {
        stop_after: AtomicU64::new(u64::MAX),
        barrier: Barrier::new(threads),
        panic: Mutex::new(None),
    };
    let mut shares = balance(world, regions, threads);
    let work = |share: &mut [&mut Region<C>], progress: &mut dyn FnMut(f64) -> bool| {
        for (number, (end, sampled)) in (0..).zip(Windows::new(world)) {
            let parity = usize::from(number % 2 == 1);
            let all =
                || share.iter_mut().for_each(|region| step(region, end, sampled, &inlets, &outlets, parity));
            if crew.guard(all).is_none() || !progress(Duration(end).seconds()) {
                crew.stop_after.fetch_min(number, Ordering::SeqCst);
            }
            crew.barrier.wait();
            if crew.stop_after.load(Ordering::SeqCst) <= number {
                return Some(Duration(end).seconds());
            }
        }
        None
    };
    let mut first = shares.swap_remove(0);
    let stopped = std::thread::scope(|scope| {
        for share in &mut shares {
            scope.spawn(|| work(share, &mut |_| true));
        }
        work(&mut first, progress)
    });
    if let Some(panic) = lock(&crew.panic).take() {
        std::panic::resume_unwind(panic);
    }
    // What the last window handed over is still under way.
    for (region, mails) in regions.iter_mut().zip(&inlets) {
        for mail in mails {
            for parcel in &mail.boxes {
                region.accept(mail.channel, &mut lock(parcel));
            }
        }
    }
    stopped
}

/// One region through one window: mail in, events, sample, mail out.
fn step<C: Channels>(
    region: &mut Region<C>,
    end: u64,
    sampled: bool,
    inlets: &[Vec<Mail>],
    outlets: &[Vec<(usize, usize)>],
    parity: usize,
) {
    let index = usize::from(region.index);
    for mail in &inlets[index] {
        let mut parcel = lock(&mail.boxes[1 - parity]);
        if !parcel.is_empty() {
            region.accept(mail.channel, &mut parcel);
        }
    }
    region.advance(end);
    if sampled {
        region.sample(end);
    }
    for &(to, at) in &outlets[index] {
        let mail = &inlets[to][at];
        let parcel = &mut region.outbox[mail.exit];
        if !parcel.is_empty() {
            std::mem::swap(&mut *lock(&mail.boxes[parity]), parcel);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A poisoned lock means another thread has panicked; the panic is reported when the scope joins it.
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Share the regions among threads, heaviest first to the least loaded.
fn balance<'a, C: Channels>(
    world: &World,
    regions: &'a mut [Region<C>],
    threads: usize,
) -> Vec<Vec<&'a mut Region<C>>> {
    let mut weighted: Vec<(u64, &mut Region<C>)> = regions
        .iter_mut()
        .map(|region| {
            let at = usize::from(region.index);
            let sources = world.sources_before[at + 1] - world.sources_before[at];
            let receivers = world.receivers_before[at + 1] - world.receivers_before[at];
            (u64::from(sources) + u64::from(receivers) / 2 + region.stations.len() as u64, region)
        })
        .collect();
    weighted.sort_by_key(|(weight, region)| (std::cmp::Reverse(*weight), region.index));
    let mut shares: Vec<(u64, Vec<&mut Region<C>>)> = (0..threads).map(|_| (0, Vec::new())).collect();
    for (weight, region) in weighted {
        if let Some(share) = shares.iter_mut().min_by_key(|share| share.0) {
            share.0 += weight;
            share.1.push(region);
        }
    }
    shares.into_iter().map(|share| share.1).collect()
}

fn collect<C: Channels>(spec: &Spec, world: &World, regions: &[Region<C>]) -> RunOutput {
    let intervals = regions.first().map_or(0, |region| region.samples.len());
    let mut output = RunOutput {
        interval: world.measure.interval,
        series: vec![Sample::default(); intervals],
        queues: vec![vec![0; spec.measure.stations.len()]; intervals],
        flows: vec![vec![FlowSample::default(); spec.flows.len()]; intervals],
        stations: vec![crate::measure::output::StationTotals::default(); spec.stations.len()],
        ..RunOutput::default()
    };
    let mut groups = Groups::new(spec.algorithms.len());
    for region in regions {
        for (at, sample) in region.samples.iter().enumerate() {
            output.series[at].add(sample);
            for &(column, present) in &region.queue_samples[at] {
                output.queues[at][column] = present;
            }
            for &(flow, sample) in &region.flow_samples[at] {
                output.flows[at][flow as usize] = sample;
            }
        }
        groups.merge(&region.groups);
        output.transfers.extend_from_slice(&region.transfers);
        output.segments.extend_from_slice(&region.segments);
        for (totals, &id) in region.station_totals(world.end).zip(&region.station_ids) {
            output.stations[id as usize] = totals;
        }
        output.totals.add(&region.totals);
        output.in_flight += region.in_flight();
        for (name, bytes) in region.memory() {
            match output.memory.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += bytes,
                None => output.memory.push((name, bytes)),
            }
        }
    }
    output.groups = groups.rows().collect();
    output
}
