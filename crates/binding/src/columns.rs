//! Measurements as dictionaries of numpy arrays.

use congestion::Time;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sim::RunOutput;
use sim::measure::counters::Counters;
use sim::measure::output::{FlowSample, Sample, SegmentEvent, StationSample};
use sim::measure::packets::{PacketEvent, SenderEvent};
use sim::measure::queue::{Cause, QueueSample};
use sim::measure::requests::Request;
use sim::spec::{Buffer, Spec};

type Dict<'py> = Bound<'py, PyDict>;
type Column<T> = (&'static str, fn(&Sample) -> T);

fn put<T: numpy::Element>(dict: &Dict<'_>, name: &str, values: Vec<T>) -> PyResult<()> {
    dict.set_item(name, PyArray1::from_vec(dict.py(), values))
}

fn put_table<T: numpy::Element + Clone>(
    dict: &Dict<'_>,
    name: &str,
    rows: &[Vec<T>],
    width: usize,
) -> PyResult<()> {
    if width == 0 || rows.is_empty() {
        let empty = PyArray1::from_vec(dict.py(), Vec::<T>::new()).reshape([rows.len(), width])?;
        return dict.set_item(name, empty);
    }
    dict.set_item(name, PyArray2::from_vec2(dict.py(), rows)?)
}

type MakeColumns = dyn for<'py> Fn(Python<'py>) -> PyResult<Dict<'py>> + Send + Sync;

/// Rows of a trace, of which a long run has a hundred million: they become columns when these are asked for.
#[pyclass(frozen, module = "mesonet._core")]
pub(crate) struct Rows(Box<MakeColumns>);

#[pymethods]
impl Rows {
    /// Columns by name, made anew with every call.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Dict<'py>> {
        (self.0)(py)
    }
}

/// Everything a run has measured. What its traces hold comes as `Rows`.
pub(crate) fn output<'py>(py: Python<'py>, spec: &Spec, mut output: RunOutput) -> PyResult<Dict<'py>> {
    let traces = std::mem::take(&mut output.traces);
    let output = &output;
    let all = PyDict::new(py);
    all.set_item("series", series(py, spec, output)?)?;
    let classes = PyDict::new(py);
    let table = |pick: fn(&Sample) -> Vec<u64>| output.series.iter().map(pick).collect::<Vec<_>>();
    put_table(&classes, "sending", &table(|sample| sample.class_sending.to_vec()), 6)?;
    put_table(&classes, "acked", &table(|sample| sample.class_acked.to_vec()), 6)?;
    all.set_item("classes", classes)?;
    all.set_item("queues", queues(py, spec, output)?)?;
    all.set_item("flows", flows(py, spec, output)?)?;
    all.set_item("groups", groups(py, output)?)?;
    if spec.measure.transfers {
        all.set_item("transfers", transfers(py, output)?)?;
    }
    if !spec.applications.is_empty() {
        all.set_item("requests", requests(py, &traces.requests)?)?;
    }
    if spec.measure.segments {
        all.set_item("segments", Rows(Box::new(move |py| segments(py, &traces.segments))))?;
    }
    if spec.measure.packets {
        all.set_item("packets", Rows(Box::new(move |py| packets(py, &traces.packets))))?;
        all.set_item("senders", Rows(Box::new(move |py| senders(py, &traces.senders))))?;
    }
    let stations = PyDict::new(py);
    put(&stations, "arrivals", output.stations.iter().map(|s| s.arrivals).collect())?;
    put(&stations, "drops", output.stations.iter().map(|s| s.drops).collect())?;
    put(&stations, "departures", output.stations.iter().map(|s| s.departures).collect())?;
    all.set_item("stations", stations)?;
    all.set_item("signals", signals(py, output)?)?;
    if spec.measure.queues {
        all.set_item("queue_states", queue_states(py, spec, output)?)?;
        all.set_item("sojourns", sojourns(py, output)?)?;
    }
    let totals = PyDict::new(py);
    for (name, value) in Counters::NAMES.iter().zip(output.totals.values()) {
        totals.set_item(name, value)?;
    }
    totals.set_item("in_flight", output.in_flight)?;
    all.set_item("totals", totals)?;
    all.set_item("stopped", output.stopped)?;
    Ok(all)
}

#[expect(clippy::cast_precision_loss, reason = "interval counts are below 10^7")]
fn series<'py>(py: Python<'py>, spec: &Spec, output: &RunOutput) -> PyResult<Dict<'py>> {
    let dict = PyDict::new(py);
    let samples = &output.series;
    let end = output.stopped.unwrap_or(spec.duration);
    let ends = (1..=samples.len()).map(|at| (at as f64 * spec.measure.interval).min(end));
    put(&dict, "time", ends.collect())?;
    let counts: [Column<u64>; 8] = [
        ("thinking", |sample| sample.thinking),
        ("connecting", |sample| sample.connecting),
        ("sending", |sample| sample.sending),
        ("slow_start", |sample| sample.phases[0]),
        ("standard", |sample| sample.phases[1]),
        ("alternate", |sample| sample.phases[2]),
        ("initial_slow_start", |sample| sample.initial_slow_start),
        ("srtt_count", |sample| sample.srtt_count),
    ];
    for (name, pick) in counts {
        put(&dict, name, samples.iter().map(pick).collect())?;
    }
    let sums: [Column<f64>; 3] = [
        ("cwnd_sum", |sample| sample.cwnd_sum),
        ("srtt_sum", |sample| sample.srtt_sum),
        ("queueing_sum", |sample| sample.queueing_sum),
    ];
    for (name, pick) in sums {
        put(&dict, name, samples.iter().map(pick).collect())?;
    }
    let rows: Vec<Vec<u64>> = samples.iter().map(|sample| sample.counters.values()).collect();
    for (at, name) in Counters::NAMES.iter().enumerate() {
        put(&dict, name, rows.iter().map(|row| row[at]).collect())?;
    }
    Ok(dict)
}

fn queues<'py>(py: Python<'py>, spec: &Spec, output: &RunOutput) -> PyResult<Dict<'py>> {
    fn table<T>(output: &RunOutput, pick: fn(&StationSample) -> T) -> Vec<Vec<T>> {
        output.queues.iter().map(|row| row.iter().map(pick).collect()).collect()
    }
    let dict = PyDict::new(py);
    let watched = &spec.measure.stations;
    put_table(&dict, "packets", &table(output, |queue| queue.packets), watched.len())?;
    put_table(&dict, "used", &table(output, |queue| queue.used), watched.len())?;
    let bytes = u64::from(spec.packet.smss + spec.packet.header);
    let capacity = watched.iter().map(|&station| match spec.stations[station as usize].buffer {
        None => 0,
        Some(Buffer::Packets(packets)) => packets,
        Some(Buffer::Bytes(room)) => room / bytes,
    });
    put(&dict, "capacity", capacity.collect())?;
    Ok(dict)
}

/// Drops and marks by cause, of stations and causes that have some.
fn signals<'py>(py: Python<'py>, output: &RunOutput) -> PyResult<Dict<'py>> {
    let dict = PyDict::new(py);
    let counts = (0u32..).zip(&output.queue_counts).flat_map(|(station, counts)| {
        let each = (0u8..).zip(counts.dropped.iter().zip(&counts.marked));
        each.map(move |(cause, (&dropped, &marked))| (station, cause, dropped, marked))
    });
    let rows: Vec<_> = counts.filter(|&(_, _, dropped, marked)| dropped + marked > 0).collect();
    put(&dict, "station", rows.iter().map(|row| row.0).collect())?;
    put(&dict, "cause", rows.iter().map(|row| row.1).collect())?;
    put(&dict, "dropped", rows.iter().map(|row| row.2).collect())?;
    put(&dict, "marked", rows.iter().map(|row| row.3).collect())?;
    Ok(dict)
}

fn queue_states<'py>(py: Python<'py>, spec: &Spec, output: &RunOutput) -> PyResult<Dict<'py>> {
    fn table<T>(output: &RunOutput, pick: impl Fn(&QueueSample) -> T) -> Vec<Vec<T>> {
        output.queue_states.iter().map(|row| row.iter().map(&pick).collect()).collect()
    }
    let dict = PyDict::new(py);
    let width = spec.measure.stations.len();
    put_table(&dict, "control", &table(output, |state| state.control), width)?;
    put_table(&dict, "sojourns", &table(output, |state| state.sojourns), width)?;
    put_table(&dict, "sojourn_sum", &table(output, |state| state.sojourn_sum), width)?;
    put_table(&dict, "sojourn_max", &table(output, |state| state.longest.seconds()), width)?;
    for (at, cause) in Cause::ALL.into_iter().enumerate() {
        let name = cause.name();
        put_table(
            &dict,
            &format!("dropped_{name}"),
            &table(output, |state| state.counts.dropped[at]),
            width,
        )?;
        put_table(&dict, &format!("marked_{name}"), &table(output, |state| state.counts.marked[at]), width)?;
    }
    Ok(dict)
}

/// Histograms of sojourn times: column of the station, both ends of the class, packets.
fn sojourns<'py>(py: Python<'py>, output: &RunOutput) -> PyResult<Dict<'py>> {
    let dict = PyDict::new(py);
    let classes = || {
        (0u32..)
            .zip(&output.sojourns)
            .flat_map(|(column, classes)| classes.iter().map(move |class| (column, class)))
    };
    put(&dict, "column", classes().map(|(column, _)| column).collect())?;
    put(&dict, "from", classes().map(|(_, class)| class.0).collect())?;
    put(&dict, "below", classes().map(|(_, class)| class.1).collect())?;
    put(&dict, "packets", classes().map(|(_, class)| class.2).collect())?;
    Ok(dict)
}

fn flows<'py>(py: Python<'py>, spec: &Spec, output: &RunOutput) -> PyResult<Dict<'py>> {
    fn table<T>(output: &RunOutput, pick: fn(&FlowSample) -> T) -> Vec<Vec<T>> {
        output.flows.iter().map(|row| row.iter().map(pick).collect()).collect()
    }
    let dict = PyDict::new(py);
    let width = spec.flows.len();
    put_table(&dict, "acked", &table(output, |flow| flow.acked), width)?;
    put_table(&dict, "cwnd", &table(output, |flow| flow.cwnd), width)?;
    put_table(&dict, "srtt", &table(output, |flow| flow.srtt), width)?;
    put_table(&dict, "phase", &table(output, |flow| flow.phase), width)?;
    put_table(&dict, "retransmitted", &table(output, |flow| flow.retransmitted), width)?;
    put_table(&dict, "in_flight", &table(output, |flow| flow.in_flight), width)?;
    put_table(&dict, "ce_marked", &table(output, |flow| flow.ce_marked), width)?;
    Ok(dict)
}

fn groups<'py>(py: Python<'py>, output: &RunOutput) -> PyResult<Dict<'py>> {
    let dict = PyDict::new(py);
    let rows = &output.groups;
    put(&dict, "algorithm", rows.iter().map(|(key, _)| key.algorithm).collect())?;
    put(&dict, "pair", rows.iter().map(|(key, _)| key.pair).collect())?;
    put(&dict, "interface", rows.iter().map(|(key, _)| key.interface).collect())?;
    put(&dict, "file", rows.iter().map(|(key, _)| key.file).collect())?;
    put(&dict, "transfers", rows.iter().map(|(_, group)| group.transfers).collect())?;
    put(&dict, "goodput_sum", rows.iter().map(|(_, group)| group.goodput_sum).collect())?;
    put(&dict, "goodput_sq_sum", rows.iter().map(|(_, group)| group.goodput_sq_sum).collect())?;
    put(&dict, "retransmission_sum", rows.iter().map(|(_, group)| group.retransmission_sum).collect())?;
    put(&dict, "size_sum", rows.iter().map(|(_, group)| group.size_sum).collect())?;
    put(&dict, "sent_sum", rows.iter().map(|(_, group)| group.sent_sum).collect())?;
    put(&dict, "duration_sum", rows.iter().map(|(_, group)| group.duration_sum).collect())?;
    Ok(dict)
}

fn transfers<'py>(py: Python<'py>, output: &RunOutput) -> PyResult<Dict<'py>> {
    let dict = PyDict::new(py);
    let rows = &output.transfers;
    put(&dict, "source", rows.iter().map(|row| row.source).collect())?;
    put(&dict, "receiver_site", rows.iter().map(|row| row.site).collect())?;
    put(&dict, "algorithm", rows.iter().map(|row| row.key.algorithm).collect())?;
    put(&dict, "pair", rows.iter().map(|row| row.key.pair).collect())?;
    put(&dict, "interface", rows.iter().map(|row| row.key.interface).collect())?;
    put(&dict, "file", rows.iter().map(|row| row.key.file).collect())?;
    put(&dict, "size", rows.iter().map(|row| row.size).collect())?;
    put(&dict, "sent", rows.iter().map(|row| row.sent).collect())?;
    put(&dict, "start", rows.iter().map(|row| row.start).collect())?;
    put(&dict, "duration", rows.iter().map(|row| row.duration).collect())?;
    Ok(dict)
}

/// Requests of applications; those that got no connection are of flow -1, and times that did not come are NaN.
fn requests<'py>(py: Python<'py>, rows: &[Request]) -> PyResult<Dict<'py>> {
    let dict = PyDict::new(py);
    let time = |time: Time| if time == Time::NEVER { f64::NAN } else { time.seconds() };
    let flow = |row: &Request| row.connection.map_or(-1, |connection| i64::from(connection.flow));
    put(&dict, "application", rows.iter().map(|row| row.application).collect())?;
    put(&dict, "flow", rows.iter().map(flow).collect())?;
    put(&dict, "unit", rows.iter().map(|row| row.unit).collect())?;
    put(&dict, "size", rows.iter().map(|row| row.size).collect())?;
    put(&dict, "asked", rows.iter().map(|row| row.asked.seconds()).collect())?;
    put(&dict, "received", rows.iter().map(|row| time(row.received)).collect())?;
    Ok(dict)
}

fn segments<'py>(py: Python<'py>, rows: &[SegmentEvent]) -> PyResult<Dict<'py>> {
    let dict = PyDict::new(py);
    put(&dict, "time", rows.iter().map(|row| row.time.seconds()).collect())?;
    put(&dict, "flow", rows.iter().map(|row| row.flow).collect())?;
    put(&dict, "fate", rows.iter().map(|row| row.fate as u8).collect())?;
    put(&dict, "segment", rows.iter().map(|row| row.segment).collect())?;
    Ok(dict)
}

/// Packets of named flows at their hosts.
fn packets<'py>(py: Python<'py>, rows: &[PacketEvent]) -> PyResult<Dict<'py>> {
    let dict = PyDict::new(py);
    put(&dict, "time", rows.iter().map(|row| row.time.seconds()).collect())?;
    put(&dict, "flow", rows.iter().map(|row| row.flow).collect())?;
    put(&dict, "host", rows.iter().map(|row| row.host as u8).collect())?;
    put(&dict, "kind", rows.iter().map(|row| row.kind as u8).collect())?;
    put(&dict, "cause", rows.iter().map(|row| row.cause as u8).collect())?;
    put(&dict, "segment", rows.iter().map(|row| row.segment).collect())?;
    put(&dict, "sack_start", rows.iter().map(|row| row.block.0).collect())?;
    put(&dict, "sack_end", rows.iter().map(|row| row.block.1).collect())?;
    put(&dict, "codepoint", rows.iter().map(|row| row.codepoint).collect())?;
    put(&dict, "flags", rows.iter().map(|row| row.flags).collect())?;
    put(&dict, "stamp", rows.iter().map(|row| row.stamp).collect())?;
    Ok(dict)
}

/// States of the senders of named flows.
fn senders<'py>(py: Python<'py>, rows: &[SenderEvent]) -> PyResult<Dict<'py>> {
    let dict = PyDict::new(py);
    put(&dict, "time", rows.iter().map(|row| row.time.seconds()).collect())?;
    put(&dict, "flow", rows.iter().map(|row| row.flow).collect())?;
    put(&dict, "cwnd", rows.iter().map(|row| row.cwnd).collect())?;
    put(&dict, "ssthresh", rows.iter().map(|row| row.ssthresh).collect())?;
    put(&dict, "in_flight", rows.iter().map(|row| row.in_flight).collect())?;
    put(&dict, "srtt", rows.iter().map(|row| row.srtt.seconds()).collect())?;
    put(&dict, "rttvar", rows.iter().map(|row| row.rttvar.seconds()).collect())?;
    put(&dict, "min_rtt", rows.iter().map(|row| row.min_rtt.seconds()).collect())?;
    put(&dict, "rto", rows.iter().map(|row| row.rto.seconds()).collect())?;
    put(&dict, "pacing_interval", rows.iter().map(|row| row.pacing_interval.seconds()).collect())?;
    put(&dict, "phase", rows.iter().map(|row| row.phase).collect())?;
    put(&dict, "recovery", rows.iter().map(|row| row.recovery).collect())?;
    Ok(dict)
}
