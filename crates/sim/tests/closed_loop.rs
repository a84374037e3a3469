//! Active queue management with long Reno flows: probabilities and delays that theory gives.

use sim::measure::counters::Counters;
use sim::net::disciplines::{Pi2Parameters, PieParameters, RandomParameters, RedParameters};
use sim::spec::{Buffer, Discipline, ServiceRate, Spec};

use crate::support::{dumbbell, flow, mean, run};

/// Reno's response function with an ACK per segment: the window is `RENO` / sqrt(p) segments.
const RENO: f64 = 1.22;

/// Long flows through one queue, and what happens from a fifth of the time on.
struct Cell {
    flows: u32,
    /// Bottleneck [packets of 1500 bytes/s].
    rate: f64,
    /// Round trip without queue [s].
    rtt: f64,
}

/// Steady state of a bottleneck.
#[derive(Debug)]
struct Steady {
    /// Packets lost, of those that came.
    probability: f64,
    /// Mean wait [s].
    delay: f64,
    /// Part of the link in use.
    utilisation: f64,
    /// Packets that a flow sends [1/s].
    rate: f64,
    /// Recoveries and timeouts per packet sent.
    loss_events: f64,
}

impl Cell {
    fn new(flows: u32, megabits: f64, rtt: f64) -> Self {
        Self { flows, rate: megabits * 1e6 / 12_000.0, rtt }
    }

    fn spec(&self, discipline: Discipline, duration: f64) -> Spec {
        let flows = (0..self.flows).map(|at| flow(&format!("flow {at}"), 0.037 * f64::from(at))).collect();
        let mut spec = dumbbell(1.0, self.rtt, Some(20_000), flows, duration);
        for station in &mut spec.stations {
            station.rate = ServiceRate::PacketsPerSecond(self.rate);
        }
        spec.stations[0].discipline = discipline;
        spec.stations[0].buffer = Some(Buffer::Packets(20_000));
        spec.transport.initial_ssthresh = Some((self.window(0.015)).max(4.0));
        spec.measure.interval = 0.01;
        spec
    }

    /// Window of a flow with its share of the link and a queue of `delay` [segments].
    fn window(&self, delay: f64) -> f64 {
        self.rate * (self.rtt + delay) / f64::from(self.flows)
    }

    /// Loss at which Reno flows share the link with a queue of `delay`.
    fn equilibrium(&self, delay: f64) -> f64 {
        (RENO / self.window(delay)).powi(2)
    }

    fn measure(&self, discipline: Discipline, duration: f64) -> Steady {
        self.steady(&self.spec(discipline, duration))
    }

    /// Part of the link that the flows would use if they lost packets at random and waited for `delay`, whatever they send.
    fn open_loop(&self, probability: f64, delay: f64, duration: f64) -> f64 {
        let open = Self { rtt: self.rtt + delay, ..*self };
        let random = RandomParameters { probability, ecn: false };
        let mut spec = open.spec(Discipline::Random(random), duration);
        spec.transport.initial_ssthresh = Some(self.window(delay).max(4.0));
        spec.stations.iter_mut().for_each(|station| station.rate = ServiceRate::PacketsPerSecond(1e6));
        self.steady(&spec).utilisation
    }

    fn steady(&self, spec: &Spec) -> Steady {
        let duration = spec.duration;
        let output = run(spec, 1);
        let steady = |values: &mut dyn Iterator<Item = f64>| mean(spec, values, duration / 5.0, duration);
        let waiting = steady(&mut output.queues.iter().map(|row| row[0].packets.saturating_sub(1) as f64));
        let lost = steady(&mut output.series.iter().map(|sample| sample.counters.dropped as f64));
        let came = steady(&mut output.series.iter().map(|sample| sample.counters.injected as f64));
        let acked = steady(&mut output.series.iter().map(|sample| sample.counters.acked as f64));
        let sent = steady(&mut output.series.iter().map(|sample| sample.counters.data_sent as f64));
        let events = |counters: &Counters| (counters.recoveries + counters.timeouts) as f64;
        let events = steady(&mut output.series.iter().map(|sample| events(&sample.counters)));
        Steady {
            probability: lost / came,
            delay: waiting / self.rate,
            utilisation: acked / (self.rate * spec.measure.interval),
            rate: sent / spec.measure.interval / f64::from(self.flows),
            loss_events: events / sent,
        }
    }
}

/// Reno's response to the drop probability fills the link at a target of 15 ms.
fn fills_the_link_at_the_target(cell: &Cell, discipline: Discipline) {
    let steady = cell.measure(discipline, 100.0);
    let ratio = steady.probability / cell.equilibrium(0.015);
    println!("p {ratio:.3} of the expected, {steady:?}");
    assert!((ratio - 1.0).abs() < 0.15, "{ratio}");
    assert!((steady.delay / 0.015 - 1.0).abs() < 0.1, "{}", steady.delay);
    assert!(steady.utilisation > 0.99, "{}", steady.utilisation);
}

/// RFC 8033: the drop probability settles where the senders' response fills the link at the target latency.
#[test]
fn pie_finds_the_drop_probability_of_renos_response() {
    let cells =
        [(5, 100.0, 0.02, false), (20, 100.0, 0.02, false), (50, 100.0, 0.1, false), (20, 100.0, 0.1, true)];
    for (flows, megabits, rtt, derandomize) in cells {
        let pie = PieParameters { derandomize, ..PieParameters::default() };
        fills_the_link_at_the_target(&Cell::new(flows, megabits, rtt), Discipline::Pie(pie));
    }
}

/// Where the queue runs empty at times, the probability is the expected one, and the delay stays above the target: gains
/// that follow the probability count a falling delay for more (docs/models/pie.md).
#[test]
fn pie_finds_the_drop_probability_where_its_queue_runs_empty() {
    let cell = Cell::new(5, 10.0, 0.1);
    let pie = PieParameters { derandomize: true, ..PieParameters::default() };
    let steady = cell.measure(Discipline::Pie(pie), 100.0);
    let ratio = steady.probability / cell.equilibrium(0.015);
    println!("p {ratio:.3} of the expected, {steady:?}");
    assert!((ratio - 1.0).abs() < 0.15, "{ratio}");
    assert!(steady.utilisation < 0.99, "{}", steady.utilisation);
    assert!((0.015..0.0175).contains(&steady.delay), "{}", steady.delay);
}

/// Windows of a few segments wait for timeouts, which the response function leaves out; the latency is kept all the same.
/// The drop probability is within 15 % of that at which the same flows fill the link with random losses and no queue.
#[test]
fn pie_finds_the_drop_probability_of_small_windows() {
    for (flows, megabits, rtt) in [(5, 10.0, 0.02), (20, 10.0, 0.1), (50, 100.0, 0.02)] {
        let cell = Cell::new(flows, megabits, rtt);
        let steady = cell.measure(Discipline::Pie(PieParameters::default()), 100.0);
        assert!((steady.delay / 0.015 - 1.0).abs() < 0.1, "{}", steady.delay);
        assert!(steady.probability < cell.equilibrium(0.015), "{}", steady.probability);
        let [more, less] =
            [1.0 / 1.15, 1.15].map(|part| cell.open_loop(steady.probability * part, steady.delay, 200.0));
        println!("{flows} flows, {megabits} Mbit/s, {rtt} s: {steady:?}, open loop {more:.3} and {less:.3}");
        assert!(less < steady.utilisation && steady.utilisation < more, "{less} to {more}");
    }
}

/// Packets that a flow sends per second by Padhye et al. (SIGCOMM 1998, full model) with an ACK per segment and no limit of
/// the window, at `p` loss events per packet and these round-trip and retransmission times [s].
fn padhye(p: f64, rtt: f64, timeout: f64) -> f64 {
    let kept = 1.0 - p;
    let window = 1.0 + (8.0 * kept / (3.0 * p) + 1.0).sqrt();
    let three = kept.powi(3);
    let by_timeout =
        (1.0 - three) * (1.0 + three * (1.0 - kept.powf(window - 3.0))) / (1.0 - kept.powf(window));
    let by_timeout = if window < 3.0 { 1.0 } else { by_timeout.min(1.0) };
    let backed_off = 1.0 + (0..6).map(|at| 2_f64.powi(at) * p.powi(at + 1)).sum::<f64>();
    (kept / p + window + by_timeout / kept)
        / (rtt * (window / 2.0 + 1.0) + by_timeout * timeout * backed_off / kept)
}

/// Argument between 10^-7 and 0.9 at which a falling function has this value.
fn inverse(value: f64, function: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (1e-7_f64, 0.9_f64);
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if function(middle) > value { low = middle } else { high = middle }
    }
    low
}

/// The table of PIE's equilibria; `cargo test -p sim table_of_pies_equilibria -- --ignored --nocapture` prints it.
#[test]
#[ignore = "a table for docs/models/pie.md, which takes minutes"]
fn table_of_pies_equilibria() {
    let cells = [
        (5, 10.0, 0.02),
        (5, 10.0, 0.1),
        (20, 10.0, 0.1),
        (5, 100.0, 0.02),
        (20, 100.0, 0.02),
        (50, 100.0, 0.02),
        (5, 100.0, 0.1),
        (20, 100.0, 0.1),
        (50, 100.0, 0.1),
    ];
    for (flows, megabits, rtt) in cells {
        let cell = Cell::new(flows, megabits, rtt);
        let steady = cell.measure(Discipline::Pie(PieParameters::default()), 100.0);
        let p = steady.probability;
        let even = PieParameters { derandomize: true, ..PieParameters::default() };
        let even = cell.measure(Discipline::Pie(even), 100.0);
        // Utilisations at two probabilities, and a power law between them.
        let duration = (30_000.0 / (p * cell.rate)).clamp(100.0, 400.0);
        let [more, less] = [0.75, 1.33].map(|part| cell.open_loop(p * part, steady.delay, duration));
        let power = (1.33_f64 / 0.75).ln() / (less / more).ln();
        let open = p * 0.75 * (steady.utilisation / more).powf(power);
        let expected = cell.equilibrium(0.015);
        let padhye = inverse(steady.rate, |p| padhye(p, rtt + steady.delay, 1.0));
        println!(
            "| {flows} | {megabits} | {:.0} | {:.1} | {expected:.6} | {p:.6} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} | {:.1} | {:.1} % |",
            rtt * 1e3,
            cell.window(0.015),
            p / expected,
            even.probability / expected,
            p / open,
            steady.loss_events / padhye,
            steady.delay * 1e3,
            even.delay * 1e3,
            steady.utilisation * 100.0,
        );
    }
}

/// RFC 9332 appendix A: the square of the base probability settles where Reno's response fills the link at the target.
#[test]
fn pi2_squares_its_way_to_renos_response() {
    for (flows, megabits, rtt) in [(5, 10.0, 0.1), (5, 100.0, 0.02), (20, 100.0, 0.1), (50, 100.0, 0.1)] {
        let pi2 = Discipline::Pi2(Pi2Parameters::default());
        fills_the_link_at_the_target(&Cell::new(flows, megabits, rtt), pi2);
    }
}

/// Floyd, Gummadi, Shenker 2001, section 5: `max_p` finds the value that keeps the average queue from 40 to 60 % of the
/// way between the thresholds, for any number of flows.
#[test]
fn adaptive_red_keeps_the_average_queue_in_its_band() {
    for flows in [10, 30, 100] {
        let cell = Cell::new(flows, 100.0, 0.05);
        let red = RedParameters { adaptive: true, ..RedParameters::default() };
        let steady = cell.measure(Discipline::Red(red), 60.0);
        // min_th is half of 5 ms of the link, max_th three times that.
        let (min_th, max_th) = (0.0025 * cell.rate, 0.0075 * cell.rate);
        let place = (steady.delay * cell.rate - min_th) / (max_th - min_th);
        println!("{flows} flows: {place:.3} of the way from min_th to max_th, {steady:?}");
        assert!((0.4..0.6).contains(&place), "{place}");
    }
}
