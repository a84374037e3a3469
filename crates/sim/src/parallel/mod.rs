//! Windows of time, and the exchange between regions at their ends.

mod crew;

use std::sync::Mutex;

use congestion::Duration;

use self::crew::{Crew, lock};
use crate::kernel::channels::Channels;
use crate::net::headers::Parcel;
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
    let post = Post::new(world, regions.len());
    let crew = Crew::new(world, regions, threads);
    let work = |thread: usize, progress: &mut dyn FnMut(f64) -> bool| {
        let mut hand = crew.hand(thread);
        for (number, (end, sampled)) in (0..).zip(Windows::new(world)) {
            let well = hand.work(number, |region| step(region, end, sampled, &post, number));
            let time = Duration(end).seconds();
            if !hand.meet(number, well && progress(time)) {
                return Some(time);
            }
        }
        None
    };
    let stopped = std::thread::scope(|scope| {
        let work = &work;
        for thread in 1..crew.threads() {
            scope.spawn(move || work(thread, &mut |_| true));
        }
        work(0, progress)
    });
    let critical_events = crew.dismiss();
    // What the last window handed over is still under way.
    for (region, mails) in regions.iter_mut().zip(&post.inlets) {
        for mail in mails {
            for parcel in &mail.boxes {
                region.accept(mail.channel, &mut lock(parcel));
            }
        }
    }
    Advanced { stopped, critical_events }
}

/// One region through one window: mail in, events, sample, mail out. Returns the number of events.
fn step<C: Channels>(region: &mut Region<C>, end: u64, sampled: bool, post: &Post, number: u64) -> u64 {
    let index = usize::from(region.index);
    let parity = usize::from(number % 2 == 1);
    for mail in &post.inlets[index] {
        let mut parcel = lock(&mail.boxes[1 - parity]);
        if !parcel.is_empty() {
            region.accept(mail.channel, &mut parcel);
        }
    }
    let before = region.counters.events;
    region.advance(end);
    let events = region.counters.events - before;
    if sampled {
        region.sample(end);
    }
    for &(to, at) in &post.outlets[index] {
        let mail = &post.inlets[to][at];
        let parcel = &mut region.outbox[mail.exit];
        if !parcel.is_empty() {
            std::mem::swap(&mut *lock(&mail.boxes[parity]), parcel);
        }
    }
    events
}

/// Packets handed from one region to another at the end of a window. Two windows alternate, so a region
/// may already fill one box while its neighbour still empties the other.
struct Mail {
    region: usize,
    exit: usize,
    channel: u16,
    boxes: [Mutex<Parcel>; 2],
}

/// All mail between regions.
struct Post {
    /// By region of destination.
    inlets: Vec<Vec<Mail>>,
    /// By region of origin: region of destination, and which of its inlets.
    outlets: Vec<Vec<(usize, usize)>>,
}

impl Post {
    fn new(world: &World, regions: usize) -> Self {
        let mut inlets: Vec<Vec<Mail>> = (0..regions).map(|_| Vec::new()).collect();
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
        let mut outlets: Vec<Vec<(usize, usize)>> = vec![Vec::new(); regions];
        for (to, mails) in inlets.iter().enumerate() {
            for (at, mail) in mails.iter().enumerate() {
                outlets[mail.region].push((to, at));
            }
        }
        Self { inlets, outlets }
    }
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
