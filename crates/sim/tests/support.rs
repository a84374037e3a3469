//! Small worlds for tests.

use std::sync::Arc;

use sim::net::disciplines::{DropTailParameters, VcpParameters, XcpParameters};
use sim::net::packet::Packet;
use sim::spec::{
    Algorithm, Buffer, Conduct, Discipline, EcnImpairment, FlowSpec, Interface, Link, MarkAbove, Measure,
    PacketSizes, Recovery, RtoRule, ServiceRate, Site, Spec, Station, Transport,
};
use sim::{CheckedSpec, Error, Plugins, Problem, RunOutput};

use crate::sorted_maps::SortedMaps;

/// Recoveries.
pub const SACK: Recovery = Recovery::Sack;
pub const RACK: Recovery = Recovery::Rack;
pub const NEWRENO: Recovery = Recovery::Newreno;
pub const NEWRENO_STEADY: Recovery = Recovery::NewrenoSteady;
pub const TAHOE: Recovery = Recovery::Tahoe;
pub const TAHOE_1988: Recovery = Recovery::Tahoe1988;
pub const QUIC: Recovery = Recovery::Quic;

/// Disciplines without marks, beside drop-tail, which is the default.
pub const XCP: Discipline = Discipline::Xcp(XcpParameters { mark_above: MarkAbove(None) });
pub const VCP: Discipline = Discipline::Vcp(VcpParameters { mark_above: MarkAbove(None) });

/// Headers and payload on Ethernet.
pub const PACKET: PacketSizes = PacketSizes { smss: 1460, header: 40, control: 40 };

/// The transport profile `mesonet`, but for the window after lost SYNs, which is that of `rfc`.
pub fn mesonet() -> Transport {
    let world: serde_json::Value =
        serde_json::from_str(include_str!("data/dumbbell.json")).expect("it is JSON");
    serde_json::from_value(world["transport"].clone()).expect("it is a transport")
}

/// The transport with another recovery, and what has to go with it.
pub fn recovering(recovery: Recovery, transport: &Transport) -> Transport {
    let (rto_rule, rto_min) =
        if recovery == QUIC { (RtoRule::Rfc9002, 0.001) } else { (transport.rto_rule, transport.rto_min) };
    Transport { recovery, rto_rule, rto_min, ..transport.clone() }
}

/// Changes the marks of a station.
pub fn mark(station: &mut Station, marks: Option<u64>) {
    let (Discipline::Droptail(DropTailParameters { mark_above })
    | Discipline::Xcp(XcpParameters { mark_above })
    | Discipline::Vcp(VcpParameters { mark_above })) = &mut station.discipline
    else {
        panic!("a discipline with a threshold beside it");
    };
    *mark_above = MarkAbove(marks);
}

pub fn station(name: &str, packets_per_ms: f64, buffer: Option<u64>) -> Station {
    Station {
        name: name.into(),
        region: 0,
        rate: ServiceRate::PacketsPerSecond(packets_per_ms * 1000.0),
        rate_changes: None,
        buffer: buffer.map(Buffer::Packets),
        loss: 0.0,
        discipline: Discipline::default(),
        ecn_impairment: EcnImpairment::None,
        path: None,
        routes: Vec::new(),
    }
}

pub fn algorithm(name: &str) -> Algorithm {
    Algorithm { name: name.into(), params: std::collections::BTreeMap::new() }
}

pub fn flow(name: &str, start: f64) -> FlowSpec {
    FlowSpec {
        name: name.into(),
        source: 0,
        receiver: 1,
        algorithm: 0,
        interface: 0,
        start,
        size: None,
        stop: None,
        bursts: None,
        conduct: Conduct::Honest,
        application: None,
    }
}

/// One bottleneck each way: hosts at site 0 send to hosts at site 1.
pub fn dumbbell(
    packets_per_ms: f64,
    rtt: f64,
    buffer: Option<u64>,
    flows: Vec<FlowSpec>,
    duration: f64,
) -> Spec {
    Spec {
        version: 1,
        duration,
        packet: PACKET,
        transport: mesonet(),
        regions: 1,
        stations: vec![station("forward", packets_per_ms, buffer), station("back", packets_per_ms, buffer)],
        links: Vec::new(),
        next_link: vec![vec![-2, -1], vec![-1, -2]],
        sites: vec![site(0), site(1)],
        interfaces: vec![Interface { rate: None, delay: rtt / 4.0 }],
        algorithms: vec![algorithm("reno")],
        population: None,
        flows,
        applications: Vec::new(),
        measure: Measure {
            interval: 0.2,
            stations: vec![0],
            queues: false,
            transfers: true,
            segments: false,
            packets: false,
            groups_from: 0.0,
        },
    }
}

pub fn site(station: u32) -> Site {
    Site { station, class: 2, sources: 0, receivers: 0 }
}

/// The two-flow bench: access routers of 21 packets/ms around backbone routers of 82, hosts at 80.
pub fn two_flow_bench(rtt: f64, name: &str, duration: f64) -> Spec {
    let bdp = 21_000.0 * rtt;
    let access = (0.2 * bdp).floor() as u64;
    let backbone = (82_000.0 * rtt).floor() as u64;
    let mut spec = dumbbell(21.0, 0.0, None, vec![flow("red", 0.0), flow("blue", 250.0)], duration);
    spec.stations = vec![
        station("access-1", 21.0, Some(access)),
        station("backbone-1", 82.0, Some(backbone)),
        station("backbone-2", 82.0, Some(backbone)),
        station("access-2", 21.0, Some(access)),
    ];
    let link = |from, to, delay| Link { from, to, delay };
    spec.links = vec![
        link(0, 1, 0.0),
        link(1, 2, rtt / 2.0),
        link(2, 3, 0.0),
        link(3, 2, 0.0),
        link(2, 1, rtt / 2.0),
        link(1, 0, 0.0),
    ];
    spec.next_link = vec![vec![-1, 0], vec![5, 1], vec![4, 2], vec![3, -1]];
    spec.sites = vec![site(0), site(3)];
    spec.interfaces = vec![Interface { rate: Some(ServiceRate::PacketsPerSecond(80_000.0)), delay: 0.0 }];
    spec.algorithms = vec![algorithm(name)];
    spec
}

/// The network of a bench world at a twentieth of its hosts, speeds and buffers, with traffic of its own.
pub fn internet(duration: f64) -> Spec {
    const SHRINK: u32 = 20;
    let mut spec = sim::parse(include_str!("../benches/worlds/internet-1b-moderate.json"))
        .expect("a valid world")
        .into_spec();
    for site in &mut spec.sites {
        site.sources /= SHRINK;
        site.receivers /= SHRINK;
    }
    for station in &mut spec.stations {
        if let ServiceRate::PacketsPerSecond(rate) = &mut station.rate {
            *rate /= f64::from(SHRINK);
        }
        if let Some(Buffer::Packets(room)) = &mut station.buffer {
            *room = (*room / u64::from(SHRINK)).max(1);
        }
    }
    if let Some(population) = &mut spec.population {
        population.think_mean = 5.0;
        population.files.mean = 50.0;
    }
    spec.transport = mesonet();
    spec.duration = duration;
    spec.measure.groups_from = 0.0;
    spec
}

/// The scenario with its proof.
///
/// # Panics
/// If it is not valid.
pub fn checked(spec: &Spec) -> CheckedSpec {
    spec.clone().checked().expect("the scenario is valid")
}

/// Everything that is wrong with a scenario.
pub fn problems(spec: &Spec) -> Vec<Problem> {
    match spec.clone().checked() {
        Err(Error::Scenario(problems)) => problems,
        _ => Vec::new(),
    }
}

pub fn run(spec: &Spec, seed: u64) -> RunOutput {
    sim::run(&checked(spec), seed, 1, &mut |_| true).expect("the scenario runs")
}

/// The same, after a check that the reference path gives the same bytes.
///
/// # Panics
/// If it does not.
pub fn run_on_both_paths(spec: &Spec, seed: u64) -> RunOutput {
    let fast = run(spec, seed);
    let watch = Arc::new(sim::Unwatched);
    let plain =
        sim::run_on::<SortedMaps<Packet>>(&checked(spec), seed, 1, &Plugins::new(), &mut |_| true, watch)
            .expect("the scenario runs");
    assert!(results(&fast) == results(&plain), "the fast path differs: {}", serde_json::json!(spec));
    fast
}

/// `true` if a discipline may stand at a station: nothing of it goes against the buffer.
pub fn suits(discipline: &Discipline, station: &Station, sizes: PacketSizes) -> bool {
    let room = station.buffer.map(|buffer| Buffer::Packets(buffer.in_packets(sizes.largest())));
    discipline.faults(room).is_empty() && discipline.packet_faults(sizes.largest()).is_empty()
}

/// Everything a run returns but what it cost: events and memory.
pub fn results(output: &RunOutput) -> String {
    let mut output = output.clone();
    output.totals.events = 0;
    output.critical_events = 0;
    output.memory.clear();
    for sample in &mut output.series {
        sample.counters.events = 0;
    }
    format!("{output:?}")
}

/// Mean over the intervals that end after `from` and not after `to` [s].
pub fn mean(spec: &Spec, values: impl Iterator<Item = f64>, from: f64, to: f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0u32);
    for (at, value) in (1..).zip(values) {
        let time = f64::from(at) * spec.measure.interval;
        if time > from + 1e-9 && time <= to + 1e-9 {
            sum += value;
            count += 1;
        }
    }
    sum / f64::from(count)
}
