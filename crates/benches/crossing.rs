//! What it costs an ACK that its controller is behind the border: Reno inside and outside.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput};
use mesonet_plugin::congestion::{
    AckSample, Algorithm, CongestionControl, Duration, Factory, Flow, Halve, Initial, RoundSample, factory,
};
use mesonet_plugin::export::{Controllers, header};
use mesonet_plugin::host::Library;

const SMSS: u32 = 1448;
const ACKS: u64 = 10_000;
const INITIAL: Initial = Initial {
    smss: SMSS,
    window: 100.0,
    ssthresh: 100.0,
    restart_window: 2.0,
    halve: Halve::Window,
    counts_whole_acks: false,
    seed: 1,
};

/// The built-in algorithms with a new address.
struct Outside;

impl Controllers for Outside {
    const LIST: &'static [Algorithm] = &[Algorithm {
        name: "reno",
        display: "Reno",
        edition: 1,
        summary: "Reno",
        source: "RFC 5681",
        params: &[],
        build: |_, initial: &Initial| -> Box<dyn CongestionControl> {
            factory("reno", &BTreeMap::new()).expect("reno is built in")(initial)
        },
    }];
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(1))
        .configure_from_args();
    let library = Library::linked(Box::leak(Box::new(black_box(header::<Outside>("bench", "0")))));
    let outside = library.expect("a library").controllers[0];
    let outside = outside.factory(&BTreeMap::new(), Arc::new(|failure| panic!("{failure:?}")));
    let inside = factory("reno", &BTreeMap::new()).expect("reno is built in");
    let mut group = criterion.benchmark_group("crossing");
    group.throughput(Throughput::Elements(ACKS));
    for (name, create) in [("inside", inside), ("outside", outside.expect("no parameters"))] {
        group.bench_function(name, |bencher| bencher.iter(|| play(&create)));
    }
    group.finish();
    criterion.final_summary();
}

/// A flow in congestion avoidance, a round trip every 100 ACKs.
fn play(create: &Factory) {
    let rtt = Duration::from_millis(40);
    let flow = Flow { smss: SMSS, srtt: rtt, min_rtt: rtt, cwnd_limited: true, ..Flow::default() };
    let round = RoundSample { min_rtt: Some(rtt), rtt_count: 100, delivered: 144_800, lost: 0, ce_marked: 0 };
    let mut controller = create(&INITIAL);
    for index in 0..ACKS {
        let ack = AckSample {
            delivered: u64::from(SMSS),
            rtt: Some(rtt),
            round: (index % 100 == 0).then_some(round),
            ..AckSample::default()
        };
        controller.on_ack(black_box(&ack), black_box(&flow));
        black_box(controller.decision());
    }
}
