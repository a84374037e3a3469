//! Memory of a national network with a queue under FQ-CoDel for every pair of its sites, printed as JSON.
//!
//! `cargo run --release -p sim --example many-queues -- [SITES [SOURCES [DURATION]]]`
//!
//! The sites stand at the backbone routers of Abilene, `SITES` at each. Every pair of them has a tunnel with a queue of
//! its own, so 29 sites at each of 11 routers make 101,761 stations. `SOURCES` hosts at every site all send at once.

use std::process::ExitCode;

use sim::RunOutput;
use sim::spec::{Buffer, Discipline, EcnImpairment, Link, ServiceRate, Site, Spec, Station};

/// Rates of a site's router and of a tunnel [packets/s].
const RATES: [f64; 2] = [400_000.0, 1000.0];
/// Room at every station [packets]: Linux's default.
const ROOM: u64 = 10_240;
/// Delay between two sites at one backbone router [s].
const NEAR: f64 = 1e-3;

/// Largest memory of this process so far [bytes], where the system tells.
fn peak_resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kibibytes)
}

/// One-way delay from a region to another along the routes of a national network [s].
fn delay(national: &Spec, from: u32, to: u32) -> f64 {
    if from == to {
        return NEAR;
    }
    let region = |station: u32| national.stations[station as usize].region;
    let (mut sum, mut at) = (0.0, national.stations.iter().position(|s| s.region == from).unwrap_or(0));
    let site = national.sites.iter().position(|site| region(site.station) == to).unwrap_or(0);
    while let Ok(link) = usize::try_from(national.next_link[at][site]) {
        let link = &national.links[link];
        (sum, at) = (sum + link.delay, link.to as usize);
    }
    sum
}

fn station(name: String, region: u32, rate: f64) -> Station {
    let discipline = serde_json::from_value(serde_json::json!({ "name": "fq_codel" }));
    Station {
        name,
        region,
        rate: ServiceRate::PacketsPerSecond(rate),
        rate_changes: None,
        buffer: Some(Buffer::Packets(ROOM)),
        loss: 0.0,
        discipline: discipline.unwrap_or_else(|_| Discipline::default()),
        ecn_impairment: EcnImpairment::None,
        path: None,
        routes: Vec::new(),
    }
}

/// A mesh over the regions of a national network: `each` sites in a region, `sources` hosts at a site.
fn mesh(mut spec: Spec, each: u32, sources: u32) -> Spec {
    let sites = each * spec.regions;
    let delays: Vec<Vec<f64>> =
        (0..spec.regions).map(|a| (0..spec.regions).map(|b| delay(&spec, a, b)).collect()).collect();
    let count = sites as usize;
    let region = |site: u32| site / each;
    spec.stations = (0..sites).map(|site| station(format!("{site}"), region(site), RATES[0])).collect();
    spec.next_link = vec![vec![-2; count]; count];
    spec.links.clear();
    for from in 0..sites {
        spec.next_link[from as usize][from as usize] = -1;
        for to in (0..sites).filter(|&to| to != from) {
            let tunnel = spec.stations.len();
            let delay = delays[region(from) as usize][region(to) as usize];
            let first = i32::try_from(spec.links.len()).unwrap_or(i32::MAX);
            spec.stations.push(station(format!("{from}-{to}"), region(from), RATES[1]));
            let tunnel = u32::try_from(tunnel).unwrap_or(u32::MAX);
            spec.links.push(Link { from, to: tunnel, delay: 0.0 });
            spec.links.push(Link { from: tunnel, to, delay });
            spec.next_link[from as usize][to as usize] = first;
            let mut routes = vec![-2; count];
            routes[to as usize] = first + 1;
            spec.next_link.push(routes);
        }
    }
    let site = |station| Site { station, class: 2, sources, receivers: sources * 4 / 3 };
    spec.sites = (0..sites).map(site).collect();
    spec.flows.clear();
    spec.measure.stations.clear();
    if let Some(population) = &mut spec.population {
        population.startup.connecting = 1.0;
        population.startup.early.clear();
        population.jumbo = None;
        population.files.mean = 1000.0;
    }
    spec
}

fn report(spec: &Spec, output: &RunOutput) -> serde_json::Value {
    let used = output.stations.iter().filter(|station| station.arrivals > 0).count();
    let dropped = output.queue_counts.iter().filter(|counts| counts.drops() > 0).count();
    let memory: serde_json::Map<_, _> =
        output.memory.iter().map(|&(name, bytes)| (name.to_owned(), bytes.into())).collect();
    serde_json::json!({
        "stations": spec.stations.len(),
        "stations_used": used,
        "stations_that_dropped": dropped,
        "sending": output.series.last().map(|sample| sample.sending),
        "packets": output.totals.injected,
        "hops": output.totals.hops,
        "memory": memory,
        "peak_resident": peak_resident(),
    })
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise: f64| -> f64 {
        arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small counts")]
    let (each, sources) = (number(0, 29.0) as u32, number(1, 1000.0) as u32);
    let national = sim::parse(include_str!("../benches/worlds/internet-1b-moderate.json"));
    let result = national.and_then(|national| {
        let spec = Spec { duration: number(2, 1.0), ..mesh(national.into_spec(), each, sources) };
        let spec = spec.checked()?;
        let output = sim::run(&spec, 1, 1, &mut |_| true)?;
        Ok(report(spec.spec(), &output))
    });
    match result {
        Ok(report) => println!("{report:#}"),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
