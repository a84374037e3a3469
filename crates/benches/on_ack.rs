//! Cost per ACK of every algorithm: a flow in congestion avoidance, a round trip every 100 ACKs.

use std::collections::BTreeMap;
use std::hint::black_box;

use congestion::{AckSample, Duration, Feedback, Flow, Halve, Initial, RoundSample, algorithms, factory};
use criterion::{Criterion, Throughput};

const SMSS: u32 = 1448;
const ACKS: u64 = 10_000;

fn main() {
    let mut criterion = Criterion::default()
        // There are dozens of algorithms, and the cost of an ACK hardly varies.
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_millis(700))
        .configure_from_args();
    let mut group = criterion.benchmark_group("on_ack");
    group.throughput(Throughput::Elements(ACKS));
    let rtt = Duration::from_millis(40);
    let initial = Initial {
        smss: SMSS,
        window: 100.0,
        ssthresh: 100.0,
        restart_window: 2.0,
        halve: Halve::Window,
        counts_whole_acks: false,
        seed: 1,
    };
    let flow = Flow { smss: SMSS, srtt: rtt, min_rtt: rtt, cwnd_limited: true, ..Flow::default() };
    let sample =
        RoundSample { min_rtt: Some(rtt), rtt_count: 100, delivered: 144_800, lost: 0, ce_marked: 0 };
    for algorithm in algorithms() {
        let create = factory(algorithm.name, &BTreeMap::new()).expect(algorithm.name);
        group.bench_function(algorithm.name, |bencher| {
            bencher.iter(|| {
                let mut controller = create(&initial);
                let mut feedback = Feedback::None;
                controller.on_send(&mut feedback, &flow);
                if let Feedback::Xcp { feedback, .. } = &mut feedback {
                    *feedback = 1.0;
                }
                for index in 0..ACKS {
                    let round = (index % 100 == 0).then_some(sample);
                    let ack = AckSample {
                        delivered: u64::from(SMSS),
                        rtt: Some(rtt),
                        round,
                        feedback,
                        ..AckSample::default()
                    };
                    controller.on_ack(black_box(&ack), black_box(&flow));
                    black_box(controller.decision());
                }
            });
        });
    }
    group.finish();
    criterion.final_summary();
}
