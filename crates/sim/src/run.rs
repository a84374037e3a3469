//! The front door: scenario and seed in, measurements out.

use std::sync::Arc;

use congestion::Time;

use crate::kernel::channels::{Channels, Fifos, SortedMaps};
use crate::measure::groups::Groups;
use crate::measure::output::{FlowSample, RunOutput, Sample};
use crate::measure::queue::{QueueCounts, QueueSample};
use crate::net::packet::Packet;
use crate::parallel::{Advanced, advance};
use crate::plugin::Plugins;
use crate::region::Region;
use crate::scenario::Error;
use crate::scenario::build::build;
use crate::scenario::checked::{CheckedSpec, factories};
use crate::spec::Spec;
use crate::world::{Unwatched, Watch};

/// Version of what a run computes. It changes whenever the same scenario and seed may give other numbers.
pub const RESULT_VERSION: &str = "3";

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

/// Run a scenario on a plain future-event set and without any shortcut, one thread; far slower. It is there to be
/// compared with: only `totals.events` and `memory` may differ.
///
/// # Errors
/// As [`run`].
pub fn run_reference(spec: &CheckedSpec, seed: u64) -> Result<RunOutput, Error> {
    run_on::<SortedMaps<Packet>>(spec, seed, 1, &Plugins::new(), &mut |_| true, Arc::new(Unwatched))
}

fn run_on<C: Channels<Packet>>(
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
    completed(RunOutput { stopped, critical_events, ..collect(spec.spec(), &regions) })
}

/// A run's measurements in their order, if no packet was lost count of.
pub(crate) fn completed(mut output: RunOutput) -> Result<RunOutput, Error> {
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
    Ok(output)
}

/// Measurements of all regions together.
pub(crate) fn collect<C: Channels<Packet>>(spec: &Spec, regions: &[Region<C>]) -> RunOutput {
    let intervals = regions.first().map_or(0, |region| region.recorder.samples.len());
    let mut output = RunOutput {
        series: vec![Sample::default(); intervals],
        queues: vec![vec![0; spec.measure.stations.len()]; intervals],
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
    let mut marks = Vec::new();
    for region in regions {
        let recorder = &region.recorder;
        for (at, sample) in recorder.samples.iter().enumerate() {
            output.series[at].add(sample);
            for &(column, present) in &recorder.queue_samples[at] {
                output.queues[at][column] = present;
            }
            for &(flow, sample) in &recorder.flow_samples[at] {
                output.flows[at][flow as usize] = sample;
            }
        }
        marks.extend(&recorder.ce_marked);
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
        output.traces.add(&recorder.traces);
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
    // A flow may end in another region than it begins.
    for (at, flow, marked) in marks {
        output.flows[at][flow as usize].ce_marked += marked;
    }
    output.groups = groups.rows().collect();
    output
}
