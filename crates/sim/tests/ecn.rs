//! Marks instead of losses, end to end.

use sim::net::ecn::{Agreement, Echo};
use sim::net::packet::{Codepoint, Packet};

use sim::RunOutput;
use sim::measure::packets::{Host, PacketEvent};
use sim::spec::{Buffer, EchoSpec, EcnImpairment, Link, PrrRule, Spec, Station, Transport};

use crate::support::{
    algorithm, dumbbell, flow, internet, mark, mean, problems, results, run, run_on_both_paths, station,
};

/// RFC 8257 section 3.2, figure 1: with delayed ACKs the first segment marked, or not marked any more, is
/// acknowledged at once, after what was held back of the other kind; so no ACK reports both kinds.
#[test]
fn acks_report_marked_or_unmarked_segments() {
    let mut receiver = crate::wire::receiver();
    let mut pool = Vec::new();
    let mut acks = Vec::new();
    let marked = [3, 4, 5, 6, 9];
    let agreement = Agreement::new(Echo::Dctcp, false);
    for seq in 0..11 {
        let packet = Packet { seq, ..Packet::default() }.with_flags(Codepoint::Ect0, false);
        let mut packet = packet.with_ecn(agreement, false);
        if marked.contains(&seq) {
            packet.mark();
        }
        let replies = [receiver.before(&packet), receiver.on_data(&packet, 2, &mut pool)];
        acks.extend(replies.into_iter().flatten().map(|reply| (reply.next, reply.flags.is_ece())));
    }
    acks.push((receiver.reply().next, false));
    let expected = [
        (2, false),
        (3, false),
        (4, true),
        (6, true),
        (7, true),
        (8, false),
        (9, false),
        (10, true),
        (11, false),
        (11, false),
    ];
    assert_eq!(acks, expected);
}

/// RFC 8257: with a marking threshold of K packets the queue of long DCTCP flows stays near K, nothing is
/// lost, and the link stays busy.
#[test]
fn dctcp_keeps_the_queue_at_the_threshold() {
    let mut spec = dumbbell(100.0, 0.01, Some(2000), vec![flow("red", 0.0), flow("blue", 0.3)], 20.0);
    spec.algorithms = vec![algorithm("dctcp")];
    spec.transport.initial_ssthresh = Some(200.0);
    mark(&mut spec.stations[0], Some(65));
    spec.measure.interval = 0.01;
    let output = run(&spec, 1);
    assert_eq!(output.totals.dropped, 0);
    let queue = mean(&spec, output.queues.iter().map(|row| row[0].packets as f64), 5.0, 20.0);
    let acked = mean(&spec, output.series.iter().map(|sample| sample.counters.acked as f64), 5.0, 20.0);
    println!("DCTCP, K 65: mean queue {queue:.1} packets, {:.4} of the link", acked / 1000.0);
    assert!((30.0..100.0).contains(&queue), "mean queue {queue}");
    assert!(acked / 1000.0 > 0.99, "{}", acked / 1000.0);
}

/// RFC 9937 in answer to marks: a reduction begins at the window that the one before has led to, also where one ACK ends
/// the one and begins the other. So the queue of DCTCP stays near the threshold, as without.
#[test]
fn reductions_in_proportion_follow_each_other() {
    for prr in [PrrRule::Linux, PrrRule::Rfc9937] {
        for ack_every in [1, 2] {
            let mut spec = dumbbell(10.0, 0.001, Some(200), vec![flow("red", 0.0)], 5.0);
            spec.algorithms = vec![algorithm("dctcp")];
            spec.transport.prr = prr;
            spec.transport.ack_every = ack_every;
            mark(&mut spec.stations[0], Some(10));
            spec.measure.interval = 0.01;
            let output = run(&spec, 1);
            let queue = mean(&spec, output.queues.iter().map(|row| row[0].packets as f64), 1.0, 5.0);
            let marked = ce_marked(&output) as f64 / output.totals.delivered as f64;
            println!("{prr:?}, {ack_every} segments per ACK: {queue:.1} packets, {marked:.3} marked");
            assert!((5.0..15.0).contains(&queue), "mean queue {queue}");
            assert!(marked < 0.5, "{marked} of the segments marked");
        }
    }
}

/// Whether a segment is followed stands beside its marks and does not touch them.
#[test]
fn segments_are_marked_alike_whether_they_are_recorded_or_not() {
    let results = |segments| {
        let mut spec = dumbbell(100.0, 0.01, Some(100), vec![flow("red", 0.0), flow("blue", 0.3)], 5.0);
        spec.algorithms = vec![algorithm("dctcp")];
        mark(&mut spec.stations[0], Some(20));
        spec.measure.segments = segments;
        let mut output = run(&spec, 1);
        let recorded = std::mem::take(&mut output.traces.segments).len();
        assert_eq!(recorded > 10_000, segments, "{recorded} events of segments");
        results(&output)
    };
    assert!(results(true) == results(false), "recording segments changed the run");
}

/// RFC 3168: what is not ECN-capable is not marked; Reno fills the same queue until it overflows.
#[test]
fn flows_without_ecn_are_not_marked() {
    let run = |mark_above| {
        let mut spec = dumbbell(100.0, 0.01, Some(200), vec![flow("red", 0.0)], 5.0);
        mark(&mut spec.stations[0], mark_above);
        run(&spec, 1)
    };
    let (marking, plain) = (run(Some(65)), run(None));
    assert!(marking.totals.dropped > 0);
    assert_eq!(marking.totals, plain.totals);
}

/// One long flow of an algorithm over a queue of 200 packets that marks above 65: a run of 20 s, 100 packets/ms, 10 ms.
fn marked_queue(name: &str) -> Spec {
    let mut spec = dumbbell(100.0, 0.01, Some(200), vec![flow("red", 0.0)], 20.0);
    spec.algorithms = vec![algorithm(name)];
    // Prague grows slowly where round trips are short.
    spec.transport.initial_ssthresh = Some(if name == "prague" { 900.0 } else { 200.0 });
    mark(&mut spec.stations[0], Some(65));
    spec
}

/// The same for eight seconds, begun near the window at which marks begin: they come to Reno twice.
fn soon_marked(name: &str) -> Spec {
    let mut spec = marked_queue(name);
    (spec.transport.initial_ssthresh, spec.duration) = (Some(900.0), 8.0);
    spec
}

/// Segments that arrived marked, in all.
fn ce_marked(output: &RunOutput) -> u64 {
    output.flows.iter().flatten().map(|sample| sample.ce_marked).sum()
}

/// RFC 3168: Reno and CUBIC with ECN are told by marks, and nothing is lost; without, the same queue overflows.
#[test]
fn classic_flows_with_ecn_are_marked_and_lose_nothing() {
    for name in ["reno", "cubic", "scalable"] {
        let mut spec = marked_queue(name);
        let plain = run(&spec, 1);
        assert!(ce_marked(&plain) == 0 && plain.totals.dropped > 0, "{name} is off by default");
        spec.transport.ecn = true;
        let output = run(&spec, 1);
        let acked = mean(&spec, output.series.iter().map(|sample| sample.counters.acked as f64), 5.0, 20.0);
        let use_of_link = acked / 20_000.0;
        println!("{name}: {} segments marked, {use_of_link:.3} of the link", ce_marked(&output));
        assert!(ce_marked(&output) > 0, "{name}");
        assert_eq!((output.totals.dropped, output.totals.retransmitted), (0, 0), "{name}");
        assert!(use_of_link > 0.7, "{name}: {use_of_link}");
    }
}

/// RFC 3168 section 6.1.2: Reno halves once per window, so its window has the teeth that losses would cut: from BDP and
/// threshold down to half.
#[test]
fn reno_halves_once_per_window_of_marks() {
    let mut spec = marked_queue("reno");
    spec.transport.ecn = true;
    spec.measure.interval = 0.01;
    let output = run(&spec, 1);
    let windows: Vec<f64> = output.flows.iter().map(|row| row[0].cwnd).skip(500).collect();
    let (least, most) = windows
        .iter()
        .fold((f64::MAX, 0.0f64), |(least, most), &window| (least.min(window), most.max(window)));
    println!("Reno with ECN: windows from {least:.0} to {most:.0}");
    assert!((1065.0..1085.0).contains(&most), "BDP 1000 and threshold 65: {most}");
    assert!((least / most - 0.5).abs() < 0.01, "{least} of {most}");
}

/// Numbers of the segments that a host sent or received with a property, in order.
fn segments(output: &RunOutput, host: Host, has: fn(&PacketEvent) -> bool) -> Vec<u32> {
    let events = output.traces.packets.iter().filter(|event| event.host == host && has(event));
    events.map(|event| event.segment).collect()
}

/// Part of the link that Reno uses over a path of `bdp` segments, marked above `threshold`: its window goes from half of
/// their sum W up to W by equal steps per round trip. Below `bdp` a round trip takes 1 and sends the window; above it, it
/// takes window / `bdp`, and the link is full.
fn use_of_reno(bdp: f64, threshold: f64) -> f64 {
    let (low, high) = (f64::midpoint(bdp, threshold), bdp + threshold);
    let (below, above) = ((bdp * bdp - low * low) / 2.0, (high * high - bdp * bdp) / 2.0);
    (below + above) / (bdp * (bdp - low) + above)
}

/// RFC 3168 section 6.1.2: "TCP should not react to congestion indications more than once every window of data", so a segment
/// from the latest CWR on is marked before the next reduction, also where ACKs wait for a second segment.
#[test]
fn every_reduction_has_a_mark_of_its_own() {
    for (name, threshold) in [("reno", 20), ("reno", 60), ("cubic", 20), ("cubic", 60)] {
        let mut spec = dumbbell(20.0 / 12.0, 0.04, Some(400), vec![flow("red", 0.0)], 100.0);
        spec.algorithms = vec![algorithm(name)];
        (spec.transport.ecn, spec.transport.ack_every, spec.measure.packets) = (true, 2, true);
        mark(&mut spec.stations[0], Some(threshold));
        let output = run(&spec, 1);
        assert_eq!(output.totals.dropped, 0);
        let answers = segments(&output, Host::Sender, |event| event.flags & 2 > 0 && event.codepoint > 0);
        let marked = segments(&output, Host::Receiver, |event| event.codepoint == 3);
        let groundless = answers
            .windows(2)
            .filter(|window| !marked.iter().any(|segment| (window[0]..window[1]).contains(segment)));
        let groundless = groundless.count();
        let acked = mean(&spec, output.series.iter().map(|sample| sample.counters.acked as f64), 20.0, 100.0);
        let (used, expected) = (
            acked / (1000.0 * spec.measure.interval * 20.0 / 12.0),
            use_of_reno(200.0 / 3.0, threshold as f64),
        );
        println!(
            "{name}, K {threshold}: {groundless} of {} groundless, {used:.3} of the link ({expected:.3})",
            answers.len()
        );
        assert!(answers.len() > 10 && groundless == 0, "{name}, {threshold}: {groundless} groundless");
        // CUBIC keeps more of its window, so it uses more of the link.
        assert!(used > expected - 0.02 && (name != "reno" || used < expected + 0.02), "{name}: {used}");
    }
}

/// RFC 9768: with AccECN feedback and delayed ACKs DCTCP does what it does with its own echo.
#[test]
fn dctcp_works_with_either_exact_echo() {
    let queue = |echo, ack_every| {
        let mut spec = marked_queue("dctcp");
        spec.flows.push(flow("blue", 0.3));
        (spec.transport.echo, spec.transport.ack_every) = (echo, ack_every);
        spec.measure.interval = 0.01;
        let output = run(&spec, 1);
        assert!(output.totals.dropped == 0 && ce_marked(&output) > 0);
        mean(&spec, output.queues.iter().map(|row| row[0].packets as f64), 5.0, 20.0)
    };
    let own = queue(EchoSpec::Auto, 1);
    for (echo, ack_every) in [(EchoSpec::Accurate, 1), (EchoSpec::Accurate, 2), (EchoSpec::Dctcp, 2)] {
        let other = queue(echo, ack_every);
        println!(
            "DCTCP, K 65: mean queue {own:.1} packets; {other:.1} with {echo:?}, every ACK of {ack_every}"
        );
        assert!((other / own - 1.0).abs() < 0.1, "{other} against {own}");
    }
}

/// Where ACKs cross queues that mark, ECN-capable ones are marked, and nobody takes that for marks on data.
#[test]
fn marks_on_acks_change_nothing() {
    for (name, echo) in
        [("dctcp", EchoSpec::Auto), ("dctcp", EchoSpec::Accurate), ("reno", EchoSpec::Accurate)]
    {
        let world = |threshold| {
            let mut spec = marked_queue(name);
            // Nearly twice as many ACKs as the way back takes, so all but the first find others waiting.
            spec.transport.initial_ssthresh = Some(900.0);
            spec.stations[1] = station("back", 50.0, None);
            mark(&mut spec.stations[1], threshold);
            (spec.transport.ecn, spec.transport.echo, spec.transport.ack_cost) = (true, echo, true);
            spec.duration = 3.0;
            let mut output = run(&spec, 1);
            let marked = std::mem::take(&mut output.queue_counts)[1].marks();
            (marked, results(&output))
        };
        let (plain, marking) = (world(None), world(Some(0)));
        assert!(plain.0 == 0 && marking.0 > 10_000, "{} marks", marking.0);
        assert!(plain.1 == marking.1, "{name}, {echo:?}: marks on ACKs changed the run");
    }
}

/// ECN on the national network, among eleven regions.
#[test]
fn marks_spare_losses_on_the_national_network() {
    let run = |ecn, echo| {
        let mut spec = internet(2.0);
        if let Some(population) = &mut spec.population {
            population.think_mean = 0.1;
        }
        for station in &mut spec.stations {
            let Some(Buffer::Packets(room)) = station.buffer else { continue };
            mark(station, Some(room / 4));
        }
        (spec.transport.ecn, spec.transport.echo) = (ecn, echo);
        run_on_both_paths(&spec, 1).totals
    };
    let off = run(false, EchoSpec::Auto);
    for echo in [EchoSpec::Auto, EchoSpec::Accurate] {
        let on = run(true, echo);
        println!(
            "lost without ECN {} of {}, with {echo:?} echo {} of {}",
            off.dropped, off.injected, on.dropped, on.injected
        );
        assert!(on.dropped * 2 < off.dropped, "{} against {}", on.dropped, off.dropped);
        assert!(on.completed > 0);
    }
}

/// A second station behind the one that marks, which changes the ECN field on arrival.
fn impaired(name: &str, impairment: EcnImpairment) -> RunOutput {
    let mut spec = soon_marked(name);
    spec.transport.ecn = true;
    spec.stations.push(Station { ecn_impairment: impairment, ..station("impaired", 200.0, None) });
    spec.links = vec![Link { from: 0, to: 2, delay: 0.0 }];
    spec.next_link = vec![vec![-2, 0], vec![-1, -2], vec![-2, -1]];
    run_on_both_paths(&spec, 1)
}

/// RFC 3168 section 18: marks that a router takes away are congestion that nobody hears of, so the queue overflows.
#[test]
fn marks_taken_away_on_the_path_leave_losses() {
    let intact = impaired("reno", EcnImpairment::None);
    assert!(ce_marked(&intact) > 0 && intact.totals.dropped == 0);
    for impairment in [EcnImpairment::Bleach, EcnImpairment::Strip] {
        let output = impaired("reno", impairment);
        assert_eq!(ce_marked(&output), 0, "{impairment:?}");
        assert!(output.totals.dropped > 0, "{impairment:?}");
    }
    let l4s = impaired("prague", EcnImpairment::Ect1ToEct0);
    assert!(ce_marked(&l4s) > 0, "marks of the station before pass");
}

/// RFC 9331 section 4.2: ECT(1) needs accurate feedback; who falls back is a flow of classic ECN.
#[test]
fn prague_needs_accurate_feedback_or_falls_back() {
    let mut spec = soon_marked("prague");
    spec.algorithms.push(algorithm("prague:linux"));
    spec.transport.echo = EchoSpec::Classic;
    let refusals = problems(&spec);
    let places: Vec<_> = refusals.iter().map(|problem| (problem.loc.as_str(), problem.kind)).collect();
    assert_eq!(places, [("algorithms[0]", "echo"), ("algorithms[1]", "echo")]);
    let message = &refusals[0].message;
    assert!(message.contains("ecn_fallback") && message.contains("got \"classic\""), "{message}");
    for algorithm in &mut spec.algorithms {
        algorithm.params.insert("ecn_fallback".into(), 1.0);
    }
    assert_eq!(problems(&spec), []);
    let output = run(&spec, 1);
    assert!(ce_marked(&output) > 0 && output.totals.dropped == 0);
    for echo in [EchoSpec::Auto, EchoSpec::Dctcp, EchoSpec::Accurate] {
        let mut spec = soon_marked("prague");
        spec.transport.echo = echo;
        assert_eq!(problems(&spec), []);
        let output = run_on_both_paths(&spec, 1);
        assert!(ce_marked(&output) > 0 && output.totals.dropped == 0, "{echo:?}");
    }
}

/// Options of ECN that are not named are off.
#[test]
fn transports_need_not_name_ecn() {
    let spec = dumbbell(100.0, 0.01, None, vec![flow("red", 0.0)], 1.0);
    let mut written = serde_json::to_value(&spec.transport).expect("it can be written");
    let options = written.as_object_mut().expect("a table");
    assert!(options.remove("echo").is_some());
    options["ecn"] = true.into();
    let read: Transport = serde_json::from_value(written).expect("it can be read");
    assert_eq!((read.ecn, read.echo), (true, EchoSpec::Auto));
}
