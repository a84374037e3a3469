//! The front door: scenario and seed in, measurements out.

use std::sync::Arc;

use congestion::{Duration, Time};

use crate::kernel::channels::{Channels, Fifos};
use crate::kernel::rng::Streams;
use crate::measure::groups::Groups;
use crate::measure::output::{FlowSample, RunOutput, Sample, StationSample};
use crate::measure::queue::{QueueCounts, QueueSample};
use crate::net::capacity::Capacity;
use crate::net::packet::Packet;
use crate::parallel::{Advanced, advance};
use crate::plugin::Plugins;
use crate::region::Region;
use crate::scenario::Error;
use crate::scenario::build::{build, capacity};
use crate::scenario::checked::CheckedSpec;
use crate::scenario::factories::factories;
use crate::spec::Spec;
use crate::world::{Unwatched, Watch};

/// Version of what a run computes. It changes whenever the same scenario and seed may give other numbers.
pub const RESULT_VERSION: &str = "1";

/// Run a scenario.
///
/// `progress` is called now and then with the simulated time [s]; it stops the run by returning `false`, which then
/// has what was measured until then. The same scenario and seed give the same output on any number of threads.
///
/// # Errors
/// [`Error::NotConserved`] on a defect of the simulator, [`Error::Sleepless`] if a controller never sleeps.
pub fn run(
    spec: &CheckedSpec,
    seed: u64,
    threads: usize,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<RunOutput, Error> {
    run_with(spec, seed, threads, &Plugins::new(), progress, Arc::new(Unwatched))
}

/// Runs a scenario that may name algorithms of the caller: those that it was checked with, or others of the same
/// names. Their controllers are made anew for every run.
///
/// `progress` is called after every window, so that a plugin which has failed can stop the run there. `watch` can
/// halt it anywhere; regions that it halts within a window end less than the lookahead apart, and the run at the
/// earliest.
///
/// # Errors
/// As [`run`], and [`Error::Scenario`] if `plugins` lacks an algorithm or cannot make it.
pub fn run_with(
    spec: &CheckedSpec,
    seed: u64,
    threads: usize,
    plugins: &Plugins,
    progress: &mut dyn FnMut(f64) -> bool,
    watch: Arc<dyn Watch>,
) -> Result<RunOutput, Error> {
    run_on::<Fifos<Packet>>(spec, seed, threads, plugins, progress, watch)
}

/// [`run_with`] on a future-event set of the caller. Without shortcuts only `totals.events` and `memory` may differ.
///
/// # Errors
/// As [`run_with`].
pub fn run_on<C: Channels<Packet>>(
    spec: &CheckedSpec,
    seed: u64,
    threads: usize,
    plugins: &Plugins,
    progress: &mut dyn FnMut(f64) -> bool,
    watch: Arc<dyn Watch>,
) -> Result<RunOutput, Error> {
    let factories = factories(spec.spec(), plugins).map_err(Error::Scenario)?;
    let (world, mut regions) = build::<C>(spec, seed, factories, watch);
    let Advanced { stopped, critical_events } = advance(&world, &mut regions, threads.max(1), progress);
    if let Some((at, source_index)) = regions.iter().filter_map(|region| region.course.sleepless).min() {
        return Err(Error::Sleepless { source_index, at: at.seconds() });
    }
    let reached = regions.iter().map(|region| region.course.reached).min();
    let stopped = reached.filter(|_| stopped).map(Time::seconds);
    let output = RunOutput { stopped, critical_events, ..collect(spec.spec(), &mut regions) };
    completed(spec.spec(), &regions, output)
}

/// A run's measurements in their order, if no packet was lost count of and no server was faster than its rate.
pub(crate) fn completed<C: Channels<Packet>>(
    spec: &Spec,
    regions: &[Region<C>],
    mut output: RunOutput,
) -> Result<RunOutput, Error> {
    output.traces.sort();
    let totals = &output.totals;
    if totals.injected != totals.delivered + totals.dropped + output.in_flight {
        return Err(Error::NotConserved {
            injected: totals.injected,
            delivered: totals.delivered,
            dropped: totals.dropped,
            in_flight: output.in_flight,
        });
    }
    for region in regions {
        for (server, id) in region.stations.with_ids() {
            let station = &spec.stations[id as usize];
            let capacity = capacity(station, &region.world.streams, id);
            let packets = output.stations[id as usize].arrivals;
            let name = || format!("station {}", station.name);
            let entered = server.entered_service(&capacity);
            within(capacity, entered, packets, server.tally.last_departure, spec, name)?;
        }
    }
    within_lines(spec, &output)?;
    Ok(output)
}

/// Segments that a busy station serves by some times [s] of a run with `seed`, up to `end` [s]. In between they are lines,
/// whose slope is the rate.
pub fn carried(checked: &CheckedSpec, seed: u64, station: u32, end: f64) -> Vec<(f64, f64)> {
    let spec = checked.spec();
    let mut capacity = capacity(&spec.stations[station as usize], &Streams::new(seed), station);
    let segment =
        if capacity.counts_packets() { 1.0 } else { f64::from(spec.packet.smss + spec.packet.header) };
    let corners = capacity.corners(Time::ZERO + Duration::from_seconds(end));
    corners.into_iter().map(|(time, work)| (time.seconds(), work / segment)).collect()
}

/// Demands of the interface of every named flow that it was not faster than its rate.
fn within_lines(spec: &Spec, output: &RunOutput) -> Result<(), Error> {
    let mut acked = vec![0; spec.flows.len()];
    for row in &output.flows {
        for (sum, sample) in acked.iter_mut().zip(row) {
            *sum += sample.acked;
        }
    }
    let end = Time::ZERO + Duration::from_seconds(output.stopped.unwrap_or(spec.duration));
    for (flow, segments) in spec.flows.iter().zip(acked) {
        let Some(rate) = spec.interfaces[flow.interface as usize].rate else { continue };
        let capacity = Capacity::new(rate, None, None);
        let bytes = u64::from(spec.packet.smss + spec.packet.header);
        let work = real(if capacity.counts_packets() { segments } else { segments * bytes });
        within(capacity, work, segments, end, spec, || format!("interface of flow {}", flow.name))?;
    }
    Ok(())
}

/// Demands that the work until `end` is what the rate allows, and a packet; each may take a picosecond less.
fn within(
    mut capacity: Capacity,
    work: f64,
    packets: u64,
    end: Time,
    spec: &Spec,
    server: impl Fn() -> String,
) -> Result<(), Error> {
    let most = capacity.until(end);
    let packet = if capacity.counts_packets() { 1.0 } else { f64::from(spec.packet.largest()) };
    let rounding = real(packets) * capacity.most() * 1e-12 + most * 1e-9;
    let holds = work <= most + packet + rounding;
    if holds { Ok(()) } else { Err(Error::Overserved { server: server(), work, most }) }
}

#[expect(clippy::cast_precision_loss, reason = "2^53 bytes are more than any run carries")]
fn real(count: u64) -> f64 {
    count as f64
}

/// Measurements of all regions together, whose traces are theirs no more.
pub(crate) fn collect<C: Channels<Packet>>(spec: &Spec, regions: &mut [Region<C>]) -> RunOutput {
    let intervals = regions.first().map_or(0, |region| region.recorder.samples.len());
    let mut output = RunOutput {
        series: vec![Sample::default(); intervals],
        queues: vec![vec![StationSample::default(); spec.measure.stations.len()]; intervals],
        flows: vec![vec![FlowSample::default(); spec.flows.len()]; intervals],
        stations: vec![crate::measure::output::StationTotals::default(); spec.stations.len()],
        queue_counts: vec![QueueCounts::default(); spec.stations.len()],
        ..RunOutput::default()
    };
    if spec.measure.queues {
        output.queue_states = vec![vec![QueueSample::default(); spec.measure.stations.len()]; intervals];
        output.sojourns = vec![Vec::new(); spec.measure.stations.len()];
    }
    let mut groups = Groups::new(spec.algorithms.len());
    for region in &mut *regions {
        output.traces.add(std::mem::take(&mut region.recorder.traces));
        let recorder = &region.recorder;
        for (at, sample) in recorder.samples.iter().enumerate() {
            output.series[at].add(sample);
            for &(column, sample) in &recorder.queue_samples[at] {
                output.queues[at][column] = sample;
            }
            for &(flow, sample) in &recorder.flow_samples[at] {
                output.flows[at][flow as usize] = sample;
            }
        }
        for &(at, column, state) in &recorder.queue_states {
            output.queue_states[at][column] = state;
        }
        for (column, sojourns) in region.sojourns() {
            output.sojourns[column] = sojourns.classes().collect();
        }
        for (counts, id) in region.queue_counts() {
            output.queue_counts[id as usize] = counts;
        }
        groups.merge(&recorder.groups);
        output.transfers.extend_from_slice(&recorder.transfers);
        for (totals, id) in region.station_totals(region.course.reached) {
            output.stations[id as usize] = totals;
        }
        output.totals.add(&recorder.totals);
        output.in_flight += region.in_flight();
        for (name, bytes) in region.memory() {
            match output.memory.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += bytes,
                None => output.memory.push((name, bytes)),
            }
        }
    }
    add_arrivals(&mut output, regions);
    output.groups = groups.rows().collect();
    output
}

/// What reached receivers of named flows, which may be in another region than their senders.
fn add_arrivals<C: Channels<Packet>>(output: &mut RunOutput, regions: &[Region<C>]) {
    for region in regions {
        for &(at, flow, marked) in &region.recorder.ce_marked {
            output.flows[at][flow as usize].ce_marked += marked;
        }
        for &(at, flow, datagrams) in &region.recorder.datagrams {
            output.flows[at][flow as usize].acked += datagrams;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 1000 packets a second for 2 s the interface of a flow carries 2000 segments, and one that has just begun.
    #[test]
    fn a_server_that_is_faster_than_its_rate_is_an_error_that_names_it() {
        let text = include_str!("../tests/data/dumbbell.json");
        let mut spec = crate::parse(text).expect("a valid scenario").into_spec();
        spec.duration = 2.0;
        spec.interfaces[0].rate = Some(crate::spec::ServiceRate::PacketsPerSecond(1000.0));
        let with = |acked| RunOutput {
            flows: vec![vec![FlowSample { acked, ..FlowSample::default() }; spec.flows.len()]],
            ..RunOutput::default()
        };
        assert!(within_lines(&spec, &with(2001)).is_ok());
        let outcome = within_lines(&spec, &with(2002));
        assert!(
            matches!(&outcome, Err(Error::Overserved { server, .. }) if server.contains(&spec.flows[0].name)),
            "{outcome:?}"
        );
    }
}
