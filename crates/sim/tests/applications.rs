//! Applications: what they ask for, when, and when it has come.

use sim::RunOutput;
use sim::measure::requests::Request;
use sim::spec::{Adaptation, Application, Behaviour, Call, FlowSpec, Law, ServiceRate, Spec, Video};

use crate::support::{checked, dumbbell, flow, run, run_on_both_paths};

/// An application over some flows, without any loss: 10 packets/ms, 50 ms, initial window 2.
fn world(count: u32, separate: bool, behaviour: Behaviour, duration: f64) -> Spec {
    let member = |at| FlowSpec { application: Some(0), ..flow(&format!("app-{at}"), 0.0) };
    let mut spec = dumbbell(10.0, 0.05, None, (0..count).map(member).collect(), duration);
    let (name, start, stop) = ("app".into(), 0.0, None);
    spec.applications = vec![Application { name, start, stop, separate, datagrams: false, behaviour }];
    spec
}

fn seconds(requests: &[Request]) -> Vec<(f64, f64)> {
    requests.iter().map(|request| (request.asked.seconds(), request.received.seconds())).collect()
}

fn durations(output: &RunOutput) -> Vec<f64> {
    seconds(&output.traces.requests).into_iter().map(|(asked, received)| received - asked).collect()
}

fn close(actual: f64, expected: f64) {
    assert!((actual - expected).abs() < 1e-6, "{actual}, not {expected}");
}

/// Two segments fit the initial window: a handshake, half a round trip, and 0.1 ms for each of them at the bottleneck.
#[test]
fn a_request_of_its_own_connection_takes_a_handshake_and_the_way() {
    let behaviour = Behaviour::Listed { times: vec![0.5, 1.0, 1.0], sizes: vec![2, 2, 1] };
    let output = run(&world(3, true, behaviour, 3.0), 1);
    for (duration, expected) in durations(&output).into_iter().zip([0.0752, 0.0752, 0.0753]) {
        close(duration, expected + 0.0001);
    }
    assert_eq!((output.totals.connections, output.totals.completed, output.totals.completed_size), (3, 3, 5));
}

/// The second request finds no connection until the first one's is free again, and takes another.
#[test]
fn requests_wait_for_a_connection() {
    let behaviour = Behaviour::Listed { times: vec![0.0, 0.0], sizes: vec![1, 1] };
    let output = run(&world(1, true, behaviour, 3.0), 1);
    let waits = durations(&output);
    assert!(waits[1] - waits[0] > 0.1, "{waits:?}");
    assert_eq!(output.totals.connections, 2);
}

/// One connection that stays takes what is asked of it in turn, without waiting for ACKs.
#[test]
fn requests_over_one_connection_follow_each_other() {
    let behaviour = Behaviour::Open { gap: Law::Constant(0.02), size: Law::Even(1.5) };
    let output = run(&world(1, false, behaviour, 10.0), 1);
    assert_eq!(output.totals.connections, 1);
    let sizes: Vec<_> = output.traces.requests.iter().take(4).map(|request| request.size).collect();
    assert_eq!(sizes, [1, 2, 1, 2]);
    let late = &durations(&output)[20..400];
    assert!(late.iter().all(|duration| (0.025..0.0255).contains(duration)), "{late:?}");
}

/// A frame of one or two datagrams every 20 ms, half a round trip away, with 0.1 ms for each at the bottleneck.
fn datagrams(loss: f64) -> Spec {
    let mut spec = world(1, false, Behaviour::Open { gap: Law::Constant(0.02), size: Law::Even(1.5) }, 10.0);
    spec.applications[0].datagrams = true;
    spec.stations[0].loss = loss;
    spec
}

#[test]
fn datagrams_take_the_way_alone() {
    let output = run_on_both_paths(&datagrams(0.0), 1);
    let (durations, requests) = (durations(&output), &output.traces.requests);
    for (duration, request) in durations.iter().zip(requests).take(490) {
        close(*duration, 0.025 + 0.0001 * f64::from(request.size));
    }
    let totals = &output.totals;
    assert_eq!((totals.connections, totals.acks_sent, totals.retransmitted), (0, 0, 0));
    assert_eq!(totals.data_sent, requests.iter().map(|request| u64::from(request.size)).sum::<u64>());
    let acked: u64 = output.flows.iter().map(|row| row[0].acked).sum();
    assert_eq!((acked, totals.acked), (totals.delivered, totals.delivered));
}

/// RFC 8085 section 3.3: UDP repeats nothing. A tenth of the datagrams is lost, with each of them its frame, and no other
/// frame waits for it.
#[test]
fn a_lost_datagram_costs_its_frame_and_no_other() {
    let output = run_on_both_paths(&datagrams(0.1), 1);
    let (came, lost): (Vec<_>, Vec<_>) =
        durations(&output)[..490].iter().copied().partition(|duration| *duration < 1.0);
    assert!(came.iter().all(|duration| *duration < 0.0253), "{came:?}");
    // Half of the frames have two: 0.1 and 0.19 in the mean, 0.016 standard deviations.
    let share = lost.len() as f64 / 490.0;
    assert!((share - 0.145).abs() < 0.048, "{share}");
    assert_eq!(output.totals.injected, output.totals.data_sent);
}

#[test]
fn an_interface_takes_datagrams_one_by_one() {
    let mut spec = datagrams(0.0);
    spec.interfaces[0].rate = Some(ServiceRate::PacketsPerSecond(1000.0));
    let output = run_on_both_paths(&spec, 1);
    let (durations, requests) = (durations(&output), &output.traces.requests);
    for (duration, request) in durations.iter().zip(requests).take(490) {
        // The last waits for the others at the sender, and takes 1 ms at each end.
        close(*duration, 0.0251 + 0.001 * f64::from(request.size + 1));
    }
}

/// RFC 8698 section 4.3: one flow stays where x = XREF RMAX / R. With RMAX of 150 segments/s on a link of 100, 15 ms wait.
#[test]
fn a_call_that_adapts_fills_the_path_with_a_short_queue() {
    let call = Call { frame: 0.02, least: 15.0, most: 150.0 };
    let mut spec = world(1, false, Behaviour::Call(call), 60.0);
    spec.applications[0].datagrams = true;
    spec.stations[0].rate = ServiceRate::PacketsPerSecond(100.0);
    let output = run_on_both_paths(&spec, 1);
    let late: u64 = output.flows[output.flows.len() / 2..].iter().map(|row| row[0].acked).sum();
    assert!((late as f64 / 30.0 - 100.0).abs() < 1.0, "{late}");
    // Half a round trip, the service, and the frame's length at most, in which its datagrams are spread.
    let waits: Vec<_> = durations(&output)[2000..2900].iter().map(|duration| duration - 0.035).collect();
    let mean = waits.iter().sum::<f64>() / 900.0;
    assert!((0.015..0.035).contains(&mean), "{mean}");
    assert_eq!((output.totals.dropped, output.totals.acks_sent), (0, 0));
}

/// Pages of five objects over two connections, and a pause of a second after the last ACK of each.
#[test]
fn pages_come_a_pause_after_the_last_object() {
    let (pause, requests, size) = (Law::Constant(1.0), Law::Constant(5.0), Law::Constant(4.0));
    let output = run(&world(2, false, Behaviour::Closed { pause, requests, size }, 10.0), 1);
    let (mut pages, rows) = (Vec::new(), &output.traces.requests);
    for page in rows.chunk_by(|a, b| a.unit == b.unit) {
        assert!(page.len() == 5 && page.iter().all(|request| request.asked == page[0].asked));
        pages.push((page[0].asked, page.iter().map(|request| request.received).max().expect("five")));
    }
    assert!(pages.len() > 5);
    for pair in pages.windows(2).take(5) {
        // Half a round trip from the receiver to the sender, beside the time that an ACK takes.
        let gap = pair[1].0.since(pair[0].1).seconds();
        assert!((1.025..1.0255).contains(&gap), "{gap}");
    }
    assert_eq!(output.totals.connections, 2);
}

/// Means of random sizes and gaps: 4000 requests within three standard errors.
#[test]
fn random_requests_have_their_means() {
    for size in [Law::Exponential(50.0), Law::Lognormal(50.0, 1.0), Law::Pareto(50.0, 2.5)] {
        let behaviour = Behaviour::Open { gap: Law::Exponential(0.05), size };
        let output = run(&world(60, true, behaviour, 200.0), 3);
        let count = output.traces.requests.len() as f64;
        assert!((count - 4000.0).abs() < 3.0 * 4000f64.sqrt(), "{count}");
        let mean = output.traces.requests.iter().map(|request| f64::from(request.size)).sum::<f64>() / count;
        // To round up adds half a segment.
        assert!((mean - 50.5).abs() < 3.0 * 66.0 / count.sqrt(), "{mean} of {size:?}");
    }
}

fn video(adaptation: Adaptation, buffer: f64) -> Behaviour {
    Behaviour::Video(Video { segment: 4.0, sizes: vec![1000, 2000, 4000, 8000], buffer, adaptation })
}

/// Levels of a film by request.
fn levels(output: &RunOutput) -> Vec<u32> {
    output.traces.requests.iter().map(|request| request.size / 1000).collect()
}

/// A segment takes far less than its playing time here, so the buffer is a little below 4 s, 8 s, ... before requests. By
/// the line from 1000 at 8 s to 8000 at 24 s: 2750 at 12 s, 4500 at 16 s, 6250 at 20 s. The level is the highest below
/// the line once that reaches the next one, which 8000 does above 24 s.
#[test]
fn the_bit_rate_follows_the_buffer() {
    let mut spec = world(1, false, video(Adaptation::Buffer { reservoir: 8.0, cushion: 16.0 }, 40.0), 60.0);
    spec.stations[0].rate = sim::spec::ServiceRate::PacketsPerSecond(1e6);
    let output = run(&spec, 1);
    assert_eq!(levels(&output)[..8], [1, 1, 1, 2, 4, 4, 4, 8]);
    // Then one request in the playing time of a segment.
    let asked: Vec<_> = seconds(&output.traces.requests).into_iter().map(|(asked, _)| asked).collect();
    close(asked[16] - asked[12], 16.0);
}

/// A path of 1000 segments/s carries 4000 in a segment's time: nine tenths of it, 3600, allow 2000.
#[test]
fn the_bit_rate_follows_the_throughput() {
    let mut spec = world(1, false, video(Adaptation::Throughput(0.9), 40.0), 60.0);
    spec.stations[0].rate = sim::spec::ServiceRate::PacketsPerSecond(1000.0);
    let chosen = levels(&run(&spec, 1));
    assert!(chosen[0] == 1 && chosen[1..].iter().all(|&level| level == 2), "{chosen:?}");
}

/// Requests that are not received have no time, and an application that stops asks for nothing more.
#[test]
fn what_does_not_come_is_told() {
    let gap = Law::Constant(0.5);
    let mut spec = world(1, true, Behaviour::Open { gap, size: Law::Constant(1.0) }, 3.0);
    spec.applications[0].stop = Some(2.0);
    assert_eq!(run(&spec, 1).traces.requests.len(), 3);
    spec.stations[0].loss = 0.999_999;
    let output = run(&spec, 1);
    assert_eq!(output.traces.requests.len(), 3);
    assert!(output.traces.requests.iter().all(|request| request.received == congestion::Time::NEVER));
}

/// A network of eleven regions with applications, receivers elsewhere, and losses; fast and reference path, too.
#[test]
fn the_number_of_threads_changes_nothing() {
    let mut spec = crate::determinism::world();
    spec.flows.clear();
    // So regions split, and arrivals are recorded in a pass of their own.
    spec.measure.packets = false;
    let kinds = [
        Behaviour::Open { gap: Law::Exponential(0.02), size: Law::Pareto(20.0, 1.5) },
        Behaviour::Closed {
            pause: Law::Exponential(0.05),
            requests: Law::Constant(5.0),
            size: Law::Lognormal(9.0, 1.0),
        },
        video(Adaptation::Throughput(0.9), 40.0),
        Behaviour::Open { gap: Law::Constant(0.02), size: Law::Even(1.5) },
        Behaviour::Call(Call { frame: 0.02, least: 20.0, most: 500.0 }),
    ];
    for (at, behaviour) in (0..).zip(kinds) {
        for line in 0..if at >= 2 { 1 } else { 4 } {
            let mut member = FlowSpec { application: Some(at), ..flow(&format!("{at}-{line}"), 0.0) };
            (member.receiver, member.interface) = (spec.sites.len() as u32 - 1 - at, 1);
            spec.flows.push(member);
        }
        let (start, stop, separate) = (0.1, None, at == 0);
        let (name, datagrams) = (at.to_string(), at >= 3);
        spec.applications.push(Application { name, start, stop, separate, datagrams, behaviour });
    }
    let bytes = |threads| {
        let output = sim::run(&checked(&spec), 7, threads, &mut |_| true).expect("the scenario runs");
        let received = |of: u32| {
            let own = output.traces.requests.iter().filter(|request| request.application == of);
            own.filter(|request| request.received < congestion::Time::NEVER).count()
        };
        let counts = [0, 1, 2, 3, 4].map(received);
        assert!(
            counts[0] > 10 && counts[1] > 0 && counts[3] > 0 && counts[4] > 10,
            "{counts:?} of {}",
            output.traces.requests.len()
        );
        format!("{output:?}")
    };
    let alone = bytes(1);
    for threads in [2, 4] {
        assert!(bytes(threads) == alone, "{threads} threads differ from one");
    }
    run_on_both_paths(&spec, 7);
}

/// Places of what is wrong.
#[test]
fn applications_that_make_no_sense_are_told() {
    let good =
        || world(2, true, Behaviour::Open { gap: Law::Exponential(1.0), size: Law::Constant(1.0) }, 3.0);
    let changed = |change: &dyn Fn(&mut Spec)| {
        let mut spec = good();
        change(&mut spec);
        let problems = crate::support::problems(&spec);
        problems.into_iter().map(|problem| problem.loc).collect::<Vec<_>>()
    };
    assert!(changed(&|_| ()).is_empty());
    let behaviour =
        |behaviour: Behaviour| changed(&move |spec| spec.applications[0].behaviour = behaviour.clone());
    assert_eq!(changed(&|spec| spec.flows[1].application = Some(1)), ["flows[1].application"]);
    assert_eq!(changed(&|spec| spec.flows[1].size = Some(1)), ["flows[1].application"]);
    let gap = Law::Exponential(0.0);
    assert_eq!(
        behaviour(Behaviour::Open { gap, size: Law::Constant(1.0) }),
        ["applications[0].behaviour.gap"]
    );
    let listed = Behaviour::Listed { times: vec![1.0, 0.5], sizes: vec![1, 0] };
    assert_eq!(behaviour(listed), ["applications[0].behaviour.times", "applications[0].behaviour.sizes"]);
    let call = Behaviour::Call(Call { frame: 0.0, least: 2.0, most: 1.0 });
    let places =
        ["datagrams", "behaviour.frame", "behaviour.most"].map(|key| format!("applications[0].{key}"));
    assert_eq!(behaviour(call), places);
    let film = video(Adaptation::Throughput(0.0), 7.0);
    assert_eq!(behaviour(film), ["applications[0].behaviour.buffer", "applications[0].behaviour.throughput"]);
}
