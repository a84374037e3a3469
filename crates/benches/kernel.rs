//! Cost of the operations that every event is made of.

use std::hint::black_box;

use congestion::{Duration, Time};
use criterion::{Criterion, Throughput};
use sim::kernel::ring::Ring;
use sim::kernel::rng::{Purpose, Streams};
use sim::kernel::tree::WinnerTree;
use sim::net::packet::Packet;
use sim::tcp::ranges::Ranges;

const OPERATIONS: u32 = 10_000;

/// A cheap sequence of numbers that the compiler cannot foresee.
fn scramble(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn rings(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ring_push_pop");
    group.throughput(Throughput::Elements(u64::from(OPERATIONS)));
    for present in [1u64, 100, 10_000] {
        let mut ring = Ring::default();
        let mut time = 0;
        for _ in 0..present {
            time += 1;
            ring.push(Packet { time: Time(time), ..Packet::default() });
        }
        group.bench_function(present.to_string(), |bencher| {
            bencher.iter(|| {
                for _ in 0..OPERATIONS {
                    time += 1;
                    ring.push(black_box(Packet { time: Time(time), ..Packet::default() }));
                    black_box(ring.take());
                }
            });
        });
    }
    group.finish();
}

/// The head of the earliest channel moves on by a random time, as events do.
fn trees(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tree_first_set");
    group.throughput(Throughput::Elements(u64::from(OPERATIONS)));
    for channels in [8usize, 64, 512] {
        let mut tree = WinnerTree::new(channels);
        let mut state = 1;
        for channel in 0..channels {
            tree.set(channel, Time(scramble(&mut state) % 1000));
        }
        group.bench_function(channels.to_string(), |bencher| {
            // The clock fits beside the channel number for far more steps than a measurement takes.
            bencher.iter(|| {
                for _ in 0..OPERATIONS {
                    let (time, channel) = tree.first();
                    tree.set(channel, time + Duration(scramble(&mut state) % 1000));
                }
            });
        });
    }
    group.finish();
}

/// A scoreboard with a number of holes: every new segment extends the highest range.
fn ranges(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ranges_insert");
    group.throughput(Throughput::Elements(u64::from(OPERATIONS)));
    for holes in [1u32, 30, 1000] {
        group.bench_function(format!("{holes} holes"), |bencher| {
            bencher.iter_batched(
                || {
                    let mut ranges = Ranges::default();
                    for hole in 0..holes {
                        ranges.insert(2 * hole + 1, 2 * hole + 2, 0);
                    }
                    ranges
                },
                |mut ranges| {
                    let end = ranges.end();
                    for next in end..end + OPERATIONS {
                        ranges.insert(black_box(next), next + 1, 0);
                    }
                    ranges
                },
                criterion::BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

fn random_blocks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rng");
    group.throughput(Throughput::Elements(8));
    let streams = Streams::new(1);
    let mut index = 0u32;
    group.bench_function("block of eight words", |bencher| {
        bencher.iter(|| {
            index = index.wrapping_add(1);
            black_box(streams.block(Purpose::Transfer, 7, index))
        });
    });
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(1))
        .configure_from_args();
    rings(&mut criterion);
    trees(&mut criterion);
    ranges(&mut criterion);
    random_blocks(&mut criterion);
    criterion.final_summary();
}
