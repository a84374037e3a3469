//! Routers that tell senders what to do: XCP (Katabi, Handley, Rohrs, Sigcomm 2002) and VCP (Xia, Subramanian,
//! Stoica, Kalyanaraman, Sigcomm 2005).

use sim::RunOutput;
use sim::spec::{Discipline, FlowSpec, Interface, ServiceRate, Spec};

use crate::support::{VCP, XCP, algorithm, checked, dumbbell, flow, mean, problems, run};

/// Flows of one algorithm over a bottleneck of `packets_per_ms` that speaks its protocol.
fn world(
    name: &str,
    packets_per_ms: f64,
    rtt: f64,
    buffer: u64,
    flows: Vec<FlowSpec>,
    duration: f64,
) -> Spec {
    let mut spec = dumbbell(packets_per_ms, rtt, Some(buffer), flows, duration);
    spec.algorithms = vec![algorithm(name)];
    for station in &mut spec.stations {
        station.discipline = if name == "xcp" { XCP } else { VCP };
    }
    spec.measure.interval = 0.05;
    spec
}

/// Part of the bottleneck's capacity that a flow got between two times.
fn share(spec: &Spec, output: &RunOutput, at: usize, from: f64, to: f64) -> f64 {
    let ServiceRate::PacketsPerSecond(rate) = spec.stations[0].rate else { unreachable!("in packets") };
    let acked = output.flows.iter().map(|row| row[at].acked as f64);
    mean(spec, acked, from, to) / spec.measure.interval / rate
}

fn queue(spec: &Spec, output: &RunOutput, from: f64, to: f64) -> (f64, u64) {
    let column = || output.queues.iter().map(|row| row[0].packets);
    let most = column().enumerate().filter(|&(at, _)| at as f64 * spec.measure.interval >= from);
    (mean(spec, column().map(|it| it as f64), from, to), most.map(|(_, it)| it).max().unwrap_or(0))
}

/// Section 5.2.1 of the XCP paper: utilisation near one, hardly any queue, no drops; the first seconds are the
/// worst, as a flow that is alone is granted all there is.
#[test]
fn xcp_alone_fills_the_link_without_a_queue() {
    let spec = world("xcp", 10.0, 0.08, 800, vec![flow("red", 0.0)], 20.0);
    let output = run(&spec, 1);
    let used = share(&spec, &output, 0, 1.0, 20.0);
    let (mean, most) = queue(&spec, &output, 5.0, 20.0);
    println!("XCP alone: {used:.4} of the link from 1 s, queue from 5 s: mean {mean:.1}, most {most}");
    assert!(used > 0.999, "{used}");
    assert!(mean < 3.0 && most < 10, "mean queue {mean}, most {most}");
    assert_eq!(output.totals.dropped, 0);
    assert_eq!(output.totals.retransmitted, 0);
}

/// Section 5.2.5: flows with different round-trip times get equal rates.
#[test]
fn xcp_is_fair_whatever_the_round_trip_times() {
    let mut far = flow("far", 0.0);
    far.interface = 1;
    let mut spec = world("xcp", 10.0, 0.04, 1600, vec![flow("near", 0.0), far], 60.0);
    spec.interfaces.push(Interface { rate: None, delay: 0.16 / 4.0 });
    let output = run(&spec, 1);
    let [near, far] = [0, 1].map(|at| share(&spec, &output, at, 30.0, 60.0));
    println!("XCP, RTT 40 and 160 ms: {near:.4} and {far:.4} of the link");
    assert!(near + far > 0.999 && (near - far).abs() < 0.01, "{near} and {far}");
    assert_eq!(output.totals.dropped, 0);
}

/// Section 5.3: a new flow gets its share within some round trips of shuffling a tenth of the traffic each, and
/// nothing is lost.
#[test]
fn xcp_newcomer_gets_its_share() {
    let spec = world("xcp", 10.0, 0.08, 800, vec![flow("red", 0.0), flow("blue", 10.0)], 20.0);
    let output = run(&spec, 1);
    // A difference of the shares shrinks by a tenth per round trip, to a half in 6.6 and to 0.1 in 22.
    let [early, later] = [0.9, 2.0].map(|after| share(&spec, &output, 1, 10.0 + after, 10.0 + after + 0.4));
    println!("XCP newcomer: {early:.3} of the link after 11 round trips, {later:.3} after 25");
    assert!(early > 0.3 && (later - 0.5).abs() < 0.05, "{early}, then {later}");
    assert!(share(&spec, &output, 0, 10.0, 20.0) + share(&spec, &output, 1, 10.0, 20.0) > 0.99);
    assert_eq!(output.totals.dropped, 0);
}

/// Rates in bits, ACKs through the queues, delayed ACKs: the feedback of all segments that an ACK covers counts.
#[test]
fn xcp_with_delayed_acks_over_a_link_in_bits() {
    let mut spec = world("xcp", 10.0, 0.08, 1000, vec![flow("red", 0.0), flow("blue", 3.0)], 30.0);
    for station in &mut spec.stations {
        station.rate = ServiceRate::BitsPerSecond(120e6);
    }
    spec.transport.ack_cost = true;
    spec.transport.ack_every = 2;
    spec.transport.ack_delay = 0.2;
    let output = run(&spec, 1);
    spec.stations[0].rate = ServiceRate::PacketsPerSecond(10_000.0);
    let [red, blue] = [0, 1].map(|at| share(&spec, &output, at, 15.0, 30.0));
    println!("XCP with delayed ACKs: {red:.4} and {blue:.4} of the link");
    assert!(red + blue > 0.99 && (red - blue).abs() < 0.05, "{red} and {blue}");
    assert_eq!(output.totals.dropped, 0);
}

/// The paper's claims for VCP: high utilisation of the target of 98 %, a negligible queue, no loss, and fairness that
/// takes much longer than XCP's, by additive increase and multiplicative decrease.
#[test]
fn vcp_fills_most_of_the_link_and_becomes_fair_slowly() {
    let spec = world("vcp", 10.0, 0.08, 800, vec![flow("red", 0.0), flow("blue", 40.0)], 240.0);
    let output = run(&spec, 1);
    let alone = share(&spec, &output, 0, 25.0, 40.0);
    let [red, blue] = [0, 1].map(|at| share(&spec, &output, at, 200.0, 240.0));
    let early = share(&spec, &output, 1, 40.0, 60.0);
    let (mean, most) = queue(&spec, &output, 20.0, 240.0);
    println!("VCP: alone {alone:.4}; blue {early:.4} in its first 20 s, then {red:.4} and {blue:.4}");
    println!("VCP: queue mean {mean:.2}, most {most}");
    assert!((0.90..0.98).contains(&alone) && (0.90..0.98).contains(&(red + blue)), "{alone}, {red}, {blue}");
    assert!(early < 0.2 && blue / red > 0.85, "{early}, then {blue} against {red}");
    assert!(mean < 3.0 && output.totals.dropped == 0, "queue {mean}, {} dropped", output.totals.dropped);
}

/// Many flows come near the target: they are cut at different times.
#[test]
fn many_vcp_flows_use_nearly_all_of_the_target() {
    let flows = (0..20).map(|at| flow(&format!("flow-{at}"), f64::from(at) * 0.7)).collect();
    let spec = world("vcp", 10.0, 0.08, 800, flows, 120.0);
    let output = run(&spec, 1);
    let shares: Vec<f64> = (0..20).map(|at| share(&spec, &output, at, 60.0, 120.0)).collect();
    let (sum, squares) = (shares.iter().sum::<f64>(), shares.iter().map(|it| it * it).sum::<f64>());
    let (mean, most) = queue(&spec, &output, 60.0, 120.0);
    println!("20 VCP flows: {sum:.4} of the link, Jain {:.3}", sum * sum / 20.0 / squares);
    println!("20 VCP flows: queue mean {mean:.2}, most {most}, {} dropped", output.totals.dropped);
    assert!(sum > 0.9 && sum * sum / 20.0 / squares > 0.9, "{sum}");
    assert_eq!(output.totals.dropped, 0);
}

/// Without a router of its own kind on its way such a flow would run wild: it is refused, with its place.
#[test]
fn flows_without_their_router_are_refused() {
    for (name, other) in [("xcp", VCP), ("vcp", Discipline::default())] {
        let mut spec = world(name, 10.0, 0.08, 800, vec![flow("red", 0.0)], 1.0);
        assert_eq!(problems(&spec), []);
        spec.stations[0].discipline = other;
        let problems = problems(&spec);
        assert_eq!(problems.len(), 1);
        assert_eq!((problems[0].loc.as_str(), problems[0].kind), ("algorithms[0]", "discipline"));
        let expected = format!(
            "algorithm \"{name}\" needs routers with queue = \"{name}\"; from forward to back there is none"
        );
        assert_eq!(problems[0].message, expected);
    }
    let mut spec = crate::support::internet(1.0);
    spec.algorithms = vec![algorithm("xcp")];
    assert_eq!(problems(&spec)[0].kind, "discipline");
    for station in &mut spec.stations {
        station.discipline = XCP;
    }
    assert_eq!(problems(&spec), []);
}

/// Flows that carry no header share the router's queue as ordinary packets.
#[test]
fn other_flows_pass_an_xcp_router() {
    let mut spec = world("xcp", 10.0, 0.08, 800, vec![flow("red", 0.0), flow("blue", 5.0)], 30.0);
    spec.algorithms.push(algorithm("reno"));
    spec.flows[1].algorithm = 1;
    let output = run(&spec, 1);
    let [xcp, reno] = [0, 1].map(|at| share(&spec, &output, at, 10.0, 30.0));
    println!("XCP beside Reno: {xcp:.3} and {reno:.3} of the link");
    assert!(xcp + reno > 0.97 && reno > 0.5, "{xcp} and {reno}");
}

/// Headers cross regions with their packets and end with them, whatever is lost: the totals add up (checked in
/// every run), no header is left over (checked in tests), and the number of threads changes nothing.
#[test]
fn headers_cross_regions() {
    for (name, discipline) in [("xcp", XCP), ("vcp", VCP)] {
        for ack_cost in [false, true] {
            let mut spec = crate::support::internet(2.0);
            spec.algorithms = vec![algorithm(name), algorithm("reno")];
            spec.transport.ack_cost = ack_cost;
            spec.transport.ack_every = 2;
            for station in &mut spec.stations {
                station.discipline = discipline;
                station.loss = 1e-3;
            }
            if let Some(population) = &mut spec.population {
                population.algorithm_shares = vec![0.5, 0.5];
                population.think_mean = 0.5;
            }
            let bytes = |threads| {
                let output = sim::run(&checked(&spec), 7, threads, &mut |_| true).expect("the scenario runs");
                let totals = &output.totals;
                assert!(totals.dropped > 1000 && totals.completed > 900, "{totals:?}");
                format!("{output:?}")
            };
            let alone = bytes(1);
            assert!(bytes(4) == alone, "{name}: four threads differ from one");
        }
    }
}
