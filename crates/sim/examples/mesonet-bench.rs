//! Run one scenario without Python and print what it cost, as JSON.
//!
//! `cargo run --release -p sim --example mesonet-bench -- SCENARIO.json [SEED] [THREADS] [DURATION]`

use std::process::ExitCode;
use std::time::Instant;

/// Time this process has spent on processors [s], where the system tells; otherwise wall time.
fn cpu_seconds(started: Instant) -> f64 {
    let ticks = std::fs::read_to_string("/proc/self/stat").ok().and_then(|stat| {
        let mut fields = stat.rsplit(')').next()?.split_whitespace();
        let user: f64 = fields.nth(11)?.parse().ok()?;
        let system: f64 = fields.next()?.parse().ok()?;
        Some((user + system) / 100.0)
    });
    ticks.unwrap_or_else(|| started.elapsed().as_secs_f64())
}

#[expect(clippy::cast_precision_loss, reason = "ratios for people")]
fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: mesonet-bench SCENARIO.json [SEED] [THREADS] [DURATION]");
        return ExitCode::from(2);
    };
    let seed = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    let threads = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    let json = match std::fs::read_to_string(&path) {
        Ok(json) => json,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let mut spec = match sim::parse(&json) {
        Ok(spec) => spec,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    if let Some(duration) = arguments.next().and_then(|text| text.parse().ok()) {
        spec.duration = duration;
    }
    let started = Instant::now();
    let output = match sim::run(&spec, seed, threads, &mut |_| true) {
        Ok(output) => output,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let wall = started.elapsed().as_secs_f64();
    let cpu = cpu_seconds(started);
    let totals = &output.totals;
    let hosts: u64 = spec.sites.iter().map(|site| u64::from(site.sources) + u64::from(site.receivers)).sum();
    let memory: u64 = output.memory.iter().map(|(_, bytes)| bytes).sum();
    let rings = output.memory.iter().find(|(name, _)| *name == "rings").map_or(0, |(_, bytes)| *bytes);
    println!(
        "{{\"scenario\": \"{path}\", \"seed\": {seed}, \"threads\": {threads}, \"simulated_s\": {}, \"wall_s\": {wall:.3}, \
         \"cpu_s\": {cpu:.3}, \"packets\": {}, \"hops\": {}, \"events\": {}, \"packets_per_cpu_s\": {:.0}, \
         \"hops_per_cpu_s\": {:.0}, \"events_per_cpu_s\": {:.0}, \"ns_per_event\": {:.1}, \"loss\": {:.5}, \
         \"completed\": {}, \"connection_failures\": {}, \"timeouts\": {}, \"bytes_per_host\": {:.1}, \
         \"bytes_per_packet_in_flight\": {:.1}, \"in_flight\": {}, \"memory_mb\": {:.1}}}",
        spec.duration,
        totals.injected,
        totals.hops,
        totals.events,
        totals.injected as f64 / cpu,
        totals.hops as f64 / cpu,
        totals.events as f64 / cpu,
        cpu * 1e9 / totals.events as f64,
        totals.dropped as f64 / totals.injected.max(1) as f64,
        totals.completed,
        totals.connection_failures,
        totals.timeouts,
        (memory - rings) as f64 / hosts.max(1) as f64,
        rings as f64 / output.in_flight.max(1) as f64,
        output.in_flight,
        memory as f64 / 1e6,
    );
    ExitCode::SUCCESS
}
