//! Everything that can be wrong with a scenario, found in one pass and named with its place.

mod network;

use congestion::{Duration, Time};

use super::checked::factories;
use super::problem::Problem;
use super::tables::Tables;
use crate::kernel::tree::WinnerTree;
use crate::plugin::Plugins;
use crate::spec::{Buffer, FlowSpec, Population, ServiceRate, Spec};
use network::{check_network, check_protocols};

/// Longest propagation delay of a hop, and longest timeout of the transport [s].
const MAX_DELAY: f64 = 3600.0;

/// Largest window to start with [segments].
const MAX_WINDOW: f64 = 100_000.0;

/// Largest part of a packet [bytes].
const MAX_BYTES: u32 = 1_000_000;

struct Checker(Vec<Problem>);

impl Checker {
    fn require(
        &mut self,
        holds: bool,
        loc: impl Into<String>,
        kind: &'static str,
        message: impl Into<String>,
    ) {
        if !holds {
            self.0.push(Problem { loc: loc.into(), kind, message: message.into() });
        }
    }

    fn positive(&mut self, value: f64, loc: impl Into<String>, unit: &str) {
        let holds = value.is_finite() && value > 0.0;
        self.require(holds, loc, "range", format!("expected more than 0 {unit}, got {value}"));
    }

    fn at_least_zero(&mut self, value: f64, loc: impl Into<String>, unit: &str) {
        let holds = value.is_finite() && value >= 0.0;
        self.require(holds, loc, "range", format!("expected 0 {unit} or more, got {value}"));
    }

    fn probability(&mut self, value: f64, loc: impl Into<String>) {
        self.require(
            (0.0..=1.0).contains(&value),
            loc,
            "probability",
            format!("expected a probability from 0 to 1, got {value}"),
        );
    }

    fn index(&mut self, index: u32, len: usize, loc: impl Into<String>, what: &str) -> bool {
        let holds = (index as usize) < len;
        self.require(holds, loc, "index", format!("expected the index of one of {len} {what}, got {index}"));
        holds
    }

    /// Bounds keep service times between a picosecond and a day, so that sums of them fit 64 bits.
    fn rate(&mut self, rate: ServiceRate, loc: impl Into<String>) {
        let (value, bounds, unit) = match rate {
            ServiceRate::PacketsPerSecond(rate) => (rate, 1e-3..=1e12, "packets/s"),
            ServiceRate::BitsPerSecond(rate) => (rate, 100.0..=1e15, "bit/s"),
        };
        let holds = bounds.contains(&value);
        let (least, most) = (bounds.start(), bounds.end());
        self.require(holds, loc, "range", format!("expected {least} to {most} {unit}, got {value}"));
    }

    fn delay(&mut self, value: f64, loc: impl Into<String>) {
        let holds = (0.0..=MAX_DELAY).contains(&value);
        self.require(holds, loc, "range", format!("expected 0 to {MAX_DELAY} s, got {value}"));
    }
}

/// Tables of a scenario, or everything that is wrong with it.
pub(super) fn check(spec: &Spec, plugins: &Plugins) -> Result<Tables, Vec<Problem>> {
    let mut checker = Checker(Vec::new());
    let c = &mut checker;
    c.require(spec.version == 1, "version", "version", format!("expected 1, got {}", spec.version));
    c.positive(spec.duration, "duration", "s");
    c.require(
        spec.duration <= 1e6,
        "duration",
        "range",
        format!("expected at most 1000000 s, got {}", spec.duration),
    );
    c.require(
        (1..u32::from(u16::MAX)).contains(&spec.regions),
        "regions",
        "range",
        format!("expected 1 to 65534, got {}", spec.regions),
    );
    c.require(!spec.stations.is_empty(), "stations", "empty", "expected at least one station, got none");
    let packet = &spec.packet;
    for (name, value, least) in
        [("smss", packet.smss, 1), ("header", packet.header, 0), ("control", packet.control, 1)]
    {
        c.require(
            (least..=MAX_BYTES).contains(&value),
            format!("packet.{name}"),
            "range",
            format!("expected {least} to {MAX_BYTES} bytes, got {value}"),
        );
    }
    for (at, station) in spec.stations.iter().enumerate() {
        let loc = format!("stations[{at}]");
        c.index(station.region, spec.regions as usize, format!("{loc}.region"), "regions");
        c.rate(station.rate, format!("{loc}.rate"));
        c.probability(station.loss, format!("{loc}.loss"));
        let empty = matches!(station.buffer, Some(Buffer::Packets(0) | Buffer::Bytes(0)));
        c.require(!empty, format!("{loc}.buffer"), "range", "expected room for at least one packet, got 0");
    }
    check_network(spec, c);
    check_transport(spec, c);
    c.require(
        u16::try_from(spec.algorithms.len()).is_ok(),
        "algorithms",
        "range",
        format!("expected at most 65535, got {}", spec.algorithms.len()),
    );
    if let Err(problems) = factories(spec, plugins) {
        c.0.extend(problems);
    }
    if let Some(population) = &spec.population {
        check_population(spec, population, c);
    }
    for (at, flow) in spec.flows.iter().enumerate() {
        check_flow(spec, flow, &format!("flows[{at}]"), c);
    }
    if c.0.is_empty() {
        check_protocols(spec, plugins, c);
    }
    c.positive(spec.measure.interval, "measure.interval", "s");
    c.require(
        spec.measure.interval <= 0.0 || spec.duration / spec.measure.interval <= 1e7,
        "measure.interval",
        "range",
        "expected at most 10 million intervals in a run",
    );
    c.require(
        !spec.measure.segments || spec.regions == 1,
        "measure.segments",
        "range",
        "segments are recorded in networks of one region only",
    );
    for (at, &station) in spec.measure.stations.iter().enumerate() {
        c.index(station, spec.stations.len(), format!("measure.stations[{at}]"), "stations");
    }
    if c.0.is_empty() {
        match Tables::new(spec) {
            Ok(tables) => match horizon_problem(spec, tables.layout.most_channels()) {
                None => return Ok(tables),
                Some(problem) => c.0.push(problem),
            },
            Err(_) => c.0.push(Problem {
                loc: "stations".into(),
                kind: "range",
                message:
                    "expected fewer than 65535 stations, interfaces, and delays of links and ACKs in a region"
                        .into(),
            }),
        }
    }
    let mut problems = checker.0;
    // One route may be missed by the population and by a named flow.
    let mut seen = std::collections::BTreeSet::new();
    problems.retain(|problem| seen.insert((problem.loc.clone(), problem.message.clone())));
    Err(problems)
}

/// A run must not be too long for the channels of its regions, whose numbers share a word with times.
fn horizon_problem(spec: &Spec, channels: usize) -> Option<Problem> {
    let horizon = WinnerTree::horizon(channels);
    let beyond = horizon.since(Time::ZERO) <= Duration::from_seconds(spec.duration);
    (beyond || channels >= usize::from(u16::MAX)).then(|| Problem {
        loc: "duration".into(),
        kind: "horizon",
        message: format!(
            "expected less than {:.0} s for a region with {channels} channels, got {}",
            horizon.seconds(),
            spec.duration
        ),
    })
}

fn check_transport(spec: &Spec, c: &mut Checker) {
    let t = &spec.transport;
    for (name, value) in [
        ("rto_initial", t.rto_initial),
        ("rto_min", t.rto_min),
        ("rto_max", t.rto_max),
        ("syn_timeout", t.syn_timeout),
    ] {
        let holds = value > 0.0 && value <= MAX_DELAY;
        let message = format!("expected more than 0 and at most {MAX_DELAY} s, got {value}");
        c.require(holds, format!("transport.{name}"), "range", message);
    }
    let after_syn_loss = t.syn_loss_window.map(|window| ("syn_loss_window", window));
    let windows = [("initial_window", t.initial_window), ("restart_window", t.restart_window)];
    for (name, value) in windows.into_iter().chain(after_syn_loss) {
        let holds = (1.0..=MAX_WINDOW).contains(&value);
        let message = format!("expected 1 to {MAX_WINDOW} segments, got {value}");
        c.require(holds, format!("transport.{name}"), "range", message);
    }
    c.require(t.rto_min <= t.rto_max, "transport.rto_min", "range", "expected at most rto_max");
    c.delay(t.ack_delay, "transport.ack_delay");
    c.probability(t.ack_loss, "transport.ack_loss");
    for (name, value) in
        [("dup_thresh", t.recovery.dup_thresh()), ("syn_tries", t.syn_tries), ("ack_every", t.ack_every)]
    {
        c.require(
            value >= 1,
            format!("transport.{name}"),
            "range",
            format!("expected 1 or more, got {value}"),
        );
    }
    c.require(
        t.syn_tries <= 16,
        "transport.syn_tries",
        "range",
        format!("expected at most 16, got {}", t.syn_tries),
    );
    c.require(
        t.receive_window != Some(0),
        "transport.receive_window",
        "range",
        "expected 1 segment or more, got 0",
    );
    if let Some(ssthresh) = t.initial_ssthresh {
        c.positive(ssthresh, "transport.initial_ssthresh", "segments");
    }
}

fn check_population(spec: &Spec, population: &Population, c: &mut Checker) {
    c.positive(population.think_mean, "population.think_mean", "s");
    c.positive(population.files.mean, "population.files.mean", "segments");
    let shape = population.files.shape;
    c.require(shape > 1.0, "population.files.shape", "range", format!("expected more than 1, got {shape}"));
    for (at, (&p, &factor)) in population.files.probability.iter().zip(&population.files.factor).enumerate() {
        c.probability(p, format!("population.files.probability[{at}]"));
        c.positive(factor, format!("population.files.factor[{at}]"), "");
    }
    let sum: f64 = population.files.probability.iter().sum();
    c.require(
        sum <= 1.0 + 1e-9,
        "population.files.probability",
        "probability",
        format!("expected a sum of at most 1, got {sum}"),
    );
    let shares = &population.algorithm_shares;
    c.require(
        shares.len() == spec.algorithms.len(),
        "population.algorithm_shares",
        "shape",
        format!("expected one share for each of {} algorithms, got {}", spec.algorithms.len(), shares.len()),
    );
    let sum: f64 = shares.iter().sum();
    c.require(
        (sum - 1.0).abs() < 1e-9 && shares.iter().all(|&share| share >= 0.0),
        "population.algorithm_shares",
        "probability",
        format!("expected shares of 0 or more that sum to 1, got {shares:?}"),
    );
    c.probability(population.fast_probability, "population.fast_probability");
    c.require(spec.interfaces.len() >= 2, "interfaces", "range", "expected a normal and a fast interface");
    if let Some(jumbo) = population.jumbo {
        c.require(jumbo.start <= jumbo.end, "population.jumbo", "range", "expected start before end");
        c.positive(jumbo.factor, "population.jumbo.factor", "");
    }
    if let Some(patience) = population.patience {
        c.probability(patience.probability, "population.patience.probability");
        c.at_least_zero(patience.min_time, "population.patience.min_time", "s");
        c.positive(patience.factor, "population.patience.factor", "");
    }
    c.probability(population.startup.connecting, "population.startup.connecting");
    let early: f64 = population.startup.early.iter().map(|pair| pair[0]).sum();
    c.require(
        population.startup.connecting + early <= 1.0 + 1e-9
            && population.startup.early.iter().all(|pair| pair[0] >= 0.0 && pair[1] >= 0.0),
        "population.startup",
        "probability",
        "expected shares and factors of 0 or more, shares summing to at most 1",
    );
    let sources: u64 = spec.sites.iter().map(|site| u64::from(site.sources)).sum();
    if sources > 0 {
        let Some(regions) = spec.stations.iter().map(|station| station.region).max() else { return };
        if regions >= spec.regions {
            return; // Reported already, and perhaps too many to count.
        }
        let mut receivers = vec![0u64; regions as usize + 1];
        let mut senders = receivers.clone();
        for site in &spec.sites {
            let Some(station) = spec.stations.get(site.station as usize) else { return };
            let Some(place) = receivers.get_mut(station.region as usize) else { return };
            *place += u64::from(site.receivers);
            senders[station.region as usize] += u64::from(site.sources);
        }
        let all: u64 = receivers.iter().sum();
        let served = senders.iter().zip(&receivers).all(|(&senders, &here)| {
            senders == 0 || all > if population.receivers_in_other_regions { here } else { 0 }
        });
        c.require(
            served,
            "sites",
            "receivers",
            "expected a receiver that every source may send to, got none",
        );
    }
}

fn check_flow(spec: &Spec, flow: &FlowSpec, loc: &str, c: &mut Checker) {
    c.index(flow.source, spec.sites.len(), format!("{loc}.source"), "sites");
    c.index(flow.receiver, spec.sites.len(), format!("{loc}.receiver"), "sites");
    c.index(flow.algorithm, spec.algorithms.len(), format!("{loc}.algorithm"), "algorithms");
    c.index(flow.interface, spec.interfaces.len(), format!("{loc}.interface"), "interfaces");
    c.at_least_zero(flow.start, format!("{loc}.start"), "s");
    c.require(flow.size != Some(0), format!("{loc}.size"), "range", "expected 1 segment or more, got 0");
    if let Some(stop) = flow.stop {
        c.require(
            stop > flow.start,
            format!("{loc}.stop"),
            "range",
            format!("expected later than the start, got {stop} s"),
        );
    }
}
