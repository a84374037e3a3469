//! Run scenarios without Python and print what they cost, as JSON.
//!
//! `cargo run --release -p sim --example mesonet-bench -- [SCENARIO.json [SEED [THREADS [DURATION]]]]`
//!
//! Without arguments it runs the standard worlds of `benches/worlds`. Seconds are processor time of this
//! process; trust the ratios of runs made in one sitting.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use sim::{CheckedSpec, Error, RunOutput};

/// Largest memory of this process so far [bytes], where the system tells.
fn peak_resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kibibytes)
}

/// Processor time of this process so far [s], where the system tells.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit(')').next()?.split_whitespace();
    let user: f64 = fields.nth(11)?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / 100.0)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<u64>().ok());
    let threads = usize::try_from(number(2).unwrap_or(1)).unwrap_or(1);
    let worlds = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/worlds");
    let standard = ["internet-1b-moderate", "internet-1b-heavy", "internet-1a"];
    let paths: Vec<String> = match arguments.first() {
        Some(path) => vec![path.clone()],
        None => standard.iter().map(|name| format!("{worlds}/{name}.json")).collect(),
    };
    let mut rows = Vec::new();
    for path in &paths {
        let duration = arguments.get(3).and_then(|text| text.parse().ok());
        match measure(path, number(1).unwrap_or(1), threads, duration) {
            Ok(row) => rows.push(row),
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::from(2);
            }
        }
    }
    println!("[\n{}\n]", rows.join(",\n"));
    ExitCode::SUCCESS
}

/// Nothing but the run, under a name of its own: counts of instructions begin and end with it.
#[inline(never)]
fn simulate(spec: &CheckedSpec, seed: u64, threads: usize) -> Result<RunOutput, Error> {
    sim::run(spec, seed, threads, &mut |_| true)
}

/// Run one scenario; what it cost, as a JSON object.
#[expect(clippy::cast_precision_loss, reason = "ratios for people")]
fn measure(
    path: &str,
    seed: u64,
    threads: usize,
    duration: Option<f64>,
) -> Result<String, Box<dyn std::error::Error>> {
    let mut spec = sim::parse(&std::fs::read_to_string(path)?)?.into_spec();
    spec.duration = duration.unwrap_or(spec.duration);
    let spec = spec.checked()?;
    let (started, before) = (Instant::now(), cpu_seconds());
    let output = simulate(&spec, seed, threads)?;
    let spec = spec.spec();
    let wall = started.elapsed().as_secs_f64();
    let cpu = match (before, cpu_seconds()) {
        (Some(before), Some(after)) => after - before,
        _ => wall,
    };
    let totals = &output.totals;
    let last = output.series.last().cloned().unwrap_or_default();
    let part = |names: &[&str]| -> f64 {
        let parts = output.memory.iter().filter(|(name, _)| names.contains(name));
        parts.map(|(_, bytes)| *bytes as f64).sum()
    };
    let sources: u64 = spec.sites.iter().map(|site| u64::from(site.sources)).sum();
    let active = last.connecting + last.sending + spec.flows.len() as u64;
    let memory: u64 = output.memory.iter().map(|(_, bytes)| bytes).sum();
    let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    Ok(serde_json::to_string(&serde_json::json!({
        "scenario": name,
        "seed": seed,
        "threads": threads,
        "acks": if spec.transport.ack_cost { "charged" } else { "free" },
        "simulated_s": spec.duration,
        "wall_s": wall,
        "cpu_s": cpu,
        "packets": totals.injected,
        "hops": totals.hops,
        "events": totals.events,
        "packets_per_cpu_s": (totals.injected as f64 / cpu).round(),
        "hops_per_cpu_s": (totals.hops as f64 / cpu).round(),
        "events_per_cpu_s": (totals.events as f64 / cpu).round(),
        "ns_per_event": cpu * 1e9 / totals.events as f64,
        "loss": totals.dropped as f64 / totals.injected.max(1) as f64,
        "transfers": totals.completed,
        "thinking": last.thinking,
        "connecting": last.connecting,
        "sending": last.sending,
        "timeouts": totals.timeouts,
        "in_flight": output.in_flight,
        "most_speed_up": totals.events as f64 / output.critical_events.max(1) as f64,
        "bytes_per_source": part(&["sources", "timers"]) / sources.max(1) as f64,
        "bytes_per_active_flow": part(&["connections", "senders", "receivers", "lists"]) / active.max(1) as f64,
        "bytes_per_packet_in_flight": part(&["rings", "outbox", "waiting"]) / output.in_flight.max(1) as f64,
        "memory_mb": memory as f64 / 1e6,
        "memory_mb_by_part": output.memory.iter().map(|&(name, bytes)| (name, bytes as f64 / 1e6)).collect::<BTreeMap<_, _>>(),
        "peak_resident_mb": peak_resident().map(|bytes| bytes as f64 / 1e6),
    }))?)
}
