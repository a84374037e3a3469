//! Queues, windows and rates against theory.

use congestion::Time;
use sim::kernel::rng::{self, Purpose, Streams};
use sim::net::service::Service;
use sim::net::station::{Station, StationSetup, Tally};
use sim::spec::{Buffer, Files, Interface, Link, Population, ServiceRate, Site, Spec, Startup};

use crate::support::{dumbbell, flow, mean, run, site, station};

/// Segments acknowledged per second to one flow between two instants.
fn rate(spec: &Spec, output: &sim::RunOutput, flow: usize, from: f64, to: f64) -> f64 {
    mean(spec, output.flows.iter().map(|row| row[flow].acked as f64 / spec.measure.interval), from, to)
}

fn mean_window(spec: &Spec, output: &sim::RunOutput, from: f64) -> f64 {
    mean(spec, output.flows.iter().map(|row| row[0].cwnd), from, spec.duration)
}

/// Pollaczek-Khinchine for deterministic service: mean wait in units of the service time.
fn pollaczek_khinchine(load: f64) -> f64 {
    load / (2.0 * (1.0 - load))
}

/// Mean wait at a station fed by a Poisson process, and its standard error, in service times.
///
/// The wait varies with the load that the draws happen to offer, whose expectation is known; regressing it on
/// the mean gap between arrivals, batch by batch, takes that part of the variation out (control variate).
fn wait_at(load: f64, packets: u32) -> (f64, f64) {
    const BATCHES: u32 = 200;
    let service = Service::new(ServiceRate::PacketsPerSecond(1e6));
    let unit = service.time(1500).0 as f64;
    let station = Station::new(StationSetup::drop_tail(0, service, None));
    let (plain, mut tally) = (station.plain().expect("only room decides"), Tally::default());
    let streams = Streams::new(1);
    let per_batch = packets / BATCHES / 8 * 8;
    let mut clock = 0.0;
    let mut block = 0;
    let mut batches = Vec::new();
    for batch in 0..=BATCHES {
        let started = clock;
        let mut waited = 0.0;
        for _ in 0..per_batch / 8 {
            for word in streams.block(Purpose::Source, 1, block) {
                clock += rng::exponential(word, unit / load);
                let now = Time(clock as u64);
                let departure = plain.admit(&mut tally, now).expect("the buffer is unlimited");
                waited += departure.since(now).0 as f64 - unit;
            }
            block += 1;
        }
        // The first batch fills the queue.
        if batch > 0 {
            let count = f64::from(per_batch);
            batches.push((waited / count / unit, (clock - started) / count / unit));
        }
    }
    let count = batches.len() as f64;
    let wait = batches.iter().map(|batch| batch.0).sum::<f64>() / count;
    let gap = batches.iter().map(|batch| batch.1).sum::<f64>() / count;
    let covariance: f64 = batches.iter().map(|batch| (batch.0 - wait) * (batch.1 - gap)).sum();
    let variance: f64 = batches.iter().map(|batch| (batch.1 - gap).powi(2)).sum();
    let slope = covariance / variance;
    let rest: f64 = batches.iter().map(|batch| (batch.0 - wait - slope * (batch.1 - gap)).powi(2)).sum();
    (wait - slope * (gap - 1.0 / load), (rest / (count - 2.0) / count).sqrt())
}

/// M/D/1: the sample is large enough that 1 % is more than three standard errors.
#[test]
fn a_station_fed_by_a_poisson_process_makes_packets_wait_as_theory_says() {
    for (load, packets) in [(0.5, 4_000_000), (0.8, 8_000_000), (0.95, 60_000_000)] {
        let (wait, error) = wait_at(load, packets);
        let theory = pollaczek_khinchine(load);
        println!("M/D/1 load {load}: theory {theory:.4}, measured {wait:.4} +- {error:.4} service times");
        assert!(3.0 * error < 0.01 * theory, "load {load}: the sample is too small, {error} of {theory}");
        assert!((wait / theory - 1.0).abs() < 0.01, "load {load}: theory {theory}, measured {wait}");
    }
}

/// Round-trip time of the sources at one of the sites of [`poisson`] [s].
fn base_rtt(site: u32) -> f64 {
    0.5 + 0.5 * (f64::from(site) * 0.618_034).fract()
}

const SITES: u32 = 100;

/// Sources that each send one segment and think for long. A segment follows its SYN after a round trip, so the round-trip
/// times of the sites are all different: segments whose SYNs left the station one behind the other come back
/// scattered, and what arrives at the station is nearly a Poisson process.
#[expect(clippy::cast_possible_wrap, reason = "a hundred sites")]
fn poisson(load: f64, duration: f64) -> Spec {
    let rate = 10_000.0;
    let sources = 20_000u32;
    let mut spec = dumbbell(rate / 1000.0, 0.0, None, Vec::new(), duration);
    // Every cycle sends a SYN and a segment and lasts a think time and two round trips of 0.75 s in the mean.
    let think_mean = 2.0 * f64::from(sources) / (load * rate) - 1.5;
    spec.sites[1].receivers = 1000;
    // Site 0 stays empty: the others have stations of their own, too fast to queue anything, and links.
    for at in 0..SITES {
        spec.stations.push(station(&format!("access {at}"), 1e9, None));
        let there = Link { from: 2 + at, to: 0, delay: base_rtt(at) / 2.0 };
        let back = Link { from: 1, to: 2 + at, delay: base_rtt(at) / 2.0 };
        spec.links.extend([there, back]);
        spec.sites.push(Site { sources: sources / SITES, ..site(2 + at) });
    }
    let links = |row: u32, to: u32| match (row, to) {
        (0, 1) => -1,
        (1, 2..) => 2 * (to as i32 - 2) + 1,
        (2.., 1) => 2 * (row as i32 - 2),
        _ if row == to && row > 1 => -1,
        _ => -2,
    };
    spec.next_link = (0..SITES + 2).map(|row| (0..SITES + 2).map(|to| links(row, to)).collect()).collect();
    spec.interfaces = vec![Interface { rate: None, delay: 0.0 }; 2];
    spec.population = Some(Population {
        think_mean,
        files: Files { mean: 0.5, shape: 50.0, probability: [0.0; 3], factor: [1.0; 3] },
        algorithm_shares: vec![1.0],
        fast_probability: 0.0,
        jumbo: None,
        patience: None,
        startup: Startup::default(),
        receivers_in_other_regions: false,
    });
    spec.measure.interval = 10.0;
    spec
}

/// The same law from a whole run: SYN, segment, ACK, think, and durations of transfers as they are reported.
#[test]
fn segments_of_many_sources_wait_as_theory_says() {
    let load = 0.5;
    let spec = poisson(load, 200.0);
    let output = run(&spec, 3);
    let service = 1e-4;
    let (mut waited, mut count) = (0.0, 0.0);
    for transfer in output.transfers.iter().filter(|transfer| transfer.start > 20.0) {
        assert_eq!(transfer.size, 1);
        let base = base_rtt(transfer.source / (20_000 / SITES)) + 1e-9;
        waited += (transfer.duration - base) / service - 1.0;
        count += 1.0;
    }
    let wait = waited / count;
    let measured_load = output.stations[0].arrivals as f64 * service / spec.duration;
    let theory = pollaczek_khinchine(load);
    println!("whole run, load {measured_load:.4}, {count} segments: theory {theory:.4}, measured {wait:.4}");
    assert!((measured_load / load - 1.0).abs() < 0.01, "load {measured_load}");
    assert!((wait / theory - 1.0).abs() < 0.02, "theory {theory}, measured {wait}");
}

/// One flow through a path that loses packets at random and never queues them.
fn lossy_path(p: f64, losses: f64) -> Spec {
    let window = (1.5 / p).sqrt();
    let rtt = 0.1;
    let duration = losses / p / window * rtt;
    let mut spec = dumbbell(100_000.0, rtt, None, vec![flow("flow", 0.0)], duration);
    spec.stations[0].loss = p;
    spec.transport.initial_ssthresh = Some(window);
    spec.measure.interval = rtt;
    spec
}

/// Mathis et al. 1997: mean window = sqrt(3 / (2 p)) for one ACK per segment.
#[test]
fn a_reno_flow_under_random_loss_follows_the_square_root_law() {
    for (p, losses) in [(1e-4, 800.0), (1e-3, 3000.0), (1e-2, 10_000.0)] {
        let spec = lossy_path(p, losses);
        let output = run(&spec, 1);
        let theory = (1.5 / p).sqrt();
        let window = mean_window(&spec, &output, 0.1 * spec.duration);
        let rate = rate(&spec, &output, 0, 0.1 * spec.duration, spec.duration) * 0.1;
        println!(
            "p {p:e}: law {theory:.1}, mean window {window:.1}, segments per round trip {rate:.1}, timeouts {} of {} episodes",
            output.totals.timeouts,
            output.totals.timeouts + output.totals.recoveries
        );
        assert!((window / theory - 1.0).abs() < 0.1, "p {p}: law {theory}, measured {window}");
    }
}

#[test]
fn one_bandwidth_delay_product_of_buffer_keeps_the_link_busy() {
    let spec = dumbbell(10.0, 0.1, Some(1000), vec![flow("flow", 0.0)], 200.0);
    let output = run(&spec, 1);
    let used = rate(&spec, &output, 0, 10.0, 200.0) / 10_000.0;
    println!("utilisation with one BDP of buffer, 10 to 200 s: {used:.4}");
    assert!(used > 0.99, "utilisation {used}");
}

/// A deterministic simulator may lock two flows in phase, so the second starts at an instant that is no multiple of
/// anything, the buffer is not a whole fraction of the pipe, and the run lasts hundreds of saw-teeth.
#[test]
fn two_reno_flows_share_equally() {
    let spec = dumbbell(2.0, 0.0413, Some(37), vec![flow("red", 0.0), flow("blue", 1.3717)], 1500.0);
    let output = run(&spec, 1);
    let red = rate(&spec, &output, 0, 100.0, 1500.0);
    let blue = rate(&spec, &output, 1, 100.0, 1500.0);
    let share = red / (red + blue);
    println!(
        "two Reno flows, 100 to 1500 s: shares {share:.4} and {:.4}, together {:.1} of 2000 packets/s",
        1.0 - share,
        red + blue
    );
    assert!((share - 0.5).abs() < 0.01, "shares {share}");
}

/// A station serves exactly its rate, in packets or in bits, with no drift over a million packets.
#[test]
fn stations_serve_at_their_rate() {
    let packets = |rate: f64| ServiceRate::PacketsPerSecond(rate);
    let bits = |rate: f64| ServiceRate::BitsPerSecond(rate * 12_000.0);
    for rate in [20_000.0, 1e7 / 700.0, 9999.9] {
        for (kind, service) in [("packets/s", packets(rate)), ("bit/s", bits(rate))] {
            let mut spec = dumbbell(1.0, 0.01, Some(1000), vec![flow("flow", 0.0)], 60.0);
            spec.stations[0].rate = service;
            // A window that fills the pipe and half the buffer: the station never idles, nothing is lost.
            spec.transport.receive_window = Some((rate * 0.01) as u32 + 500);
            let output = run(&spec, 1);
            let served = rate_served(&spec, &output);
            println!("{kind}: asked {rate:.2}, served {served:.2} packets/s");
            assert_eq!(output.totals.dropped, 0);
            assert!((served - rate).abs() * 50.0 < 2.0, "{kind}: asked {rate}, served {served}");
        }
    }
}

/// Packets per second from 10 s to the end.
fn rate_served(spec: &Spec, output: &sim::RunOutput) -> f64 {
    mean(
        spec,
        output.series.iter().map(|sample| sample.counters.delivered as f64 / spec.measure.interval),
        10.0,
        60.0,
    )
}

/// Throughput = receive window over round-trip time.
#[test]
fn the_receive_window_limits_throughput() {
    for window in [1, 10, 333] {
        let mut spec = dumbbell(1000.0, 0.05, None, vec![flow("flow", 0.0)], 20.0);
        spec.transport.receive_window = Some(window);
        let output = run(&spec, 1);
        let measured = rate(&spec, &output, 0, 5.0, 20.0);
        let expected = f64::from(window) / (0.05 + 1e-6);
        assert!(
            (measured / expected - 1.0).abs() < 0.005,
            "window {window}: expected {expected}, measured {measured}"
        );
    }
}

/// What is lost goes back to zero once the buffer holds the largest flight.
#[test]
fn a_buffer_larger_than_the_flight_loses_nothing() {
    for buffer in [Buffer::Packets(300), Buffer::Bytes(300 * 1500)] {
        let mut spec = dumbbell(5.0, 0.02, None, vec![flow("flow", 0.0)], 20.0);
        spec.stations[0].buffer = Some(buffer);
        spec.transport.receive_window = Some(300);
        assert_eq!(run(&spec, 1).totals.dropped, 0, "{buffer:?}");
        spec.transport.receive_window = None;
        assert!(run(&spec, 1).totals.dropped > 0, "{buffer:?}");
    }
}

/// Ten packets a second in intervals of 30 ms: a packet takes three and a third of them, and counts in each in part.
#[test]
fn a_busy_station_is_used_fully_in_every_interval() {
    let mut spec = dumbbell(0.01, 0.05, Some(10), vec![flow("long", 0.0)], 60.0);
    spec.measure.interval = 0.03;
    let output = run(&spec, 1);
    let used: Vec<f64> = output.queues.iter().map(|row| row[0].used).collect();
    assert!(used.iter().all(|used| (0.0..=1.0).contains(used)));
    assert!(used[500..].iter().all(|used| *used > 1.0 - 1e-9), "its queue never empties");
    let work = used.iter().sum::<f64>() * 0.3;
    let departures = output.stations[0].departures as f64;
    assert!((departures..departures + 1.0).contains(&(work + 1e-6)), "{work} packets of {departures}");
}

/// Rates that 32.32 fixed point cannot hold: 12,000 bits a packet, so 1000 s carry 83 and a third at 1000 bit/s; and what fades
/// to 0.1 packets a second carries 50 in 500 s.
#[test]
fn slow_links_are_slow() {
    let mut spec = dumbbell(1.0, 0.05, Some(10), vec![flow("long", 0.0)], 1000.0);
    spec.measure.interval = 10.0;
    spec.stations[0].rate = ServiceRate::BitsPerSecond(1000.0);
    let departed = run(&spec, 1).stations[0].departures;
    assert!((80..=85).contains(&departed), "{departed} packets, two of them small");
    spec.stations[0].rate = ServiceRate::PacketsPerSecond(1000.0);
    spec.stations[0].rate_changes =
        Some(sim::spec::RateChanges { times: vec![0.0], rates: vec![0.1], period: None });
    spec.duration = 500.0;
    let departed = run(&spec, 1).stations[0].departures;
    assert!((45..=50).contains(&departed), "{departed} packets");
}
