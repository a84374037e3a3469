//! Small worlds at random.

use proptest::prelude::*;
use sim::net::paths::{
    AggregationParameters, CellularParameters, DelayWalkParameters, GilbertElliottParameters, LeoParameters,
};
use sim::spec::{
    Buffer, Bursts, By, Changes, Discipline, Link, Model, NextBurst, PathSpec, Patience,
    ReorderingParameters, Routes, ServiceRate, Spec, Station, WhileOff,
};

use crate::support::{
    NEWRENO, QUIC, RACK, SACK, XCP, algorithm, dumbbell, flow, internet, mesonet, recovering, site,
};

fn watch_everything(spec: &mut Spec) {
    spec.measure.stations = (0..spec.stations.len() as u32).collect();
}

/// Applications that pause, every fourth one; they wait for ACKs or not.
fn any_bursts() -> impl Strategy<Value = Option<Bursts>> {
    let next =
        prop_oneof![(0.0..0.3f64).prop_map(NextBurst::After), (0.001..0.3f64).prop_map(NextBurst::Every),];
    let some = (1u64..40, next).prop_map(|(size, next)| Some(Bursts { size, next }));
    prop_oneof![3 => Just(None), 1 => some]
}

/// One bottleneck each way, some flows, any rates, buffers and losses; everything is watched.
pub fn dumbbells() -> impl Strategy<Value = Spec> {
    let rate = prop_oneof![
        (0.1..50.0f64).prop_map(|rate| ServiceRate::PacketsPerSecond(rate * 1000.0)),
        (1.0..500.0f64).prop_map(|rate| ServiceRate::BitsPerSecond(rate * 1e6)),
    ];
    let buffer = prop::option::of(prop_oneof![
        (1u64..500).prop_map(Buffer::Packets),
        (40u64..500_000).prop_map(Buffer::Bytes),
    ]);
    let interface =
        prop::option::of((1.0..100.0f64).prop_map(|rate| ServiceRate::PacketsPerSecond(rate * 1000.0)));
    let flow_shapes = prop::collection::vec(
        (
            any::<bool>(),
            0.0..1.0f64,
            0u32..3,
            prop::option::of(1u64..300),
            prop::option::of(1.0..2.0f64),
            any_bursts(),
        ),
        1..6,
    );
    let recovery = prop::sample::select(vec![SACK, RACK, NEWRENO, QUIC]);
    let options = (recovery, any::<bool>(), any::<bool>(), 1u32..3, 0.0..0.3f64);
    (rate, buffer, interface, 0.0..0.2f64, flow_shapes, options).prop_map(
        |(rate, buffer, interface, rtt, flow_shapes, (recovery, ack_cost, queued, ack_every, loss))| {
            let flows = (0..).zip(flow_shapes).map(|(at, (back, start, algorithm, size, stop, bursts))| {
                let mut flow = flow(&format!("flow {at}"), start);
                (flow.source, flow.receiver) = if back { (1, 0) } else { (0, 1) };
                (flow.algorithm, flow.size, flow.stop, flow.bursts) = (algorithm, size, stop, bursts);
                flow
            });
            let mut spec = dumbbell(1.0, rtt, None, flows.collect(), 2.5);
            spec.algorithms = vec![algorithm("reno"), algorithm("scalable"), algorithm("ctcp")];
            for station in &mut spec.stations {
                (station.rate, station.buffer, station.loss) = (rate, buffer, loss);
                if queued {
                    station.discipline = XCP;
                }
            }
            spec.interfaces[0].rate = interface;
            spec.transport = recovering(recovery, &spec.transport);
            spec.transport.ack_cost = ack_cost;
            (spec.transport.ack_every, spec.transport.rto_min) = (ack_every, 0.2);
            watch_everything(&mut spec);
            spec
        },
    )
}

/// The same bottlenecks in a row of one to four hops, with flows from any node to any other; each hop is a
/// station for each direction, or one for both.
pub fn rows() -> impl Strategy<Value = Spec> {
    let shape = (1usize..5, any::<bool>(), prop_oneof![Just(0.0), 0.0..0.05f64]);
    let ends = prop::collection::vec((0usize..60, 0usize..60), 6);
    (dumbbells(), shape, ends).prop_map(|(mut spec, (hops, shared, delay), ends)| {
        // Hop `i` joins nodes `i` and `i + 1`; its way back is a station of its own unless it is shared.
        let back = |hop: usize| if shared { hop } else { hops + hop };
        let like = spec.stations[0].clone();
        let count = if shared { hops } else { 2 * hops };
        spec.stations =
            (0..count).map(|at| Station { name: format!("station {at}"), ..like.clone() }).collect();
        // Sites send to the right from nodes 0 to `hops - 1`, then to the left from nodes 1 to `hops`.
        let nodes: Vec<usize> = (0..hops).chain(1..=hops).collect();
        spec.sites = (0..hops).chain((0..hops).map(back)).map(|station| site(station as u32)).collect();
        let index = |link: usize| i32::try_from(link).expect("few links");
        let link = |from: usize, to: usize| Link { from: from as u32, to: to as u32, delay };
        spec.links = (1..hops).map(|hop| link(hop - 1, hop)).collect();
        spec.links.extend((1..hops).map(|hop| link(back(hop), back(hop - 1))));
        spec.next_link = vec![vec![-2; nodes.len()]; count];
        for (site, &node) in nodes.iter().enumerate() {
            for hop in 0..hops {
                if node > hop {
                    spec.next_link[hop][site] = if node == hop + 1 { -1 } else { index(hop) };
                } else {
                    spec.next_link[back(hop)][site] = if node == hop { -1 } else { index(hops + hop - 2) };
                }
            }
        }
        for (flow, (from, to)) in spec.flows.iter_mut().zip(ends) {
            let (from, skip) = (from % (hops + 1), 1 + to % hops);
            let to = (from + skip) % (hops + 1);
            let site = |node: usize, right: bool| if right { node } else { hops + node - 1 };
            (flow.source, flow.receiver) = (site(from, from < to) as u32, site(to, to < from) as u32);
        }
        watch_everything(&mut spec);
        spec
    })
}

/// Small networks of the study with other loads, buffers and tempers.
pub fn internets() -> impl Strategy<Value = Spec> {
    let load = (0.05..5.0f64, 2.0..200.0f64, 1u64..50, 0.0..0.02f64);
    (load, any::<bool>(), any::<bool>(), 0usize..4).prop_map(
        |((think, mean, room, loss), ack_cost, queued, impatience)| {
            let mut spec = internet(0.8);
            for station in &mut spec.stations {
                if let Some(Buffer::Packets(packets)) = &mut station.buffer {
                    *packets = (*packets / 50 * room).max(1);
                }
                station.loss = loss;
                if queued {
                    station.discipline = XCP;
                }
            }
            spec.transport = mesonet();
            (spec.transport.ack_cost, spec.transport.syn_timeout, spec.transport.rto_min) =
                (ack_cost, 0.1, 0.1);
            if let Some(population) = &mut spec.population {
                (population.think_mean, population.files.mean) = (think, mean);
                if impatience > 0 {
                    let min_time = 0.1 * impatience as f64;
                    population.patience = Some(Patience { probability: 0.5, min_time, factor: 2.0 });
                }
            }
            watch_everything(&mut spec);
            spec
        },
    )
}

/// Values from some times on, every other time over and over.
fn any_values(values: impl Strategy<Value = f64>) -> impl Strategy<Value = Option<Changes>> {
    let steps = prop::collection::vec((0.001..0.5f64, values), 1..6);
    let some = (steps, any::<bool>(), any::<bool>()).prop_map(|(steps, at_once, repeats)| {
        let mut end = if at_once { -steps[0].0 } else { 0.0 };
        let mut times = Vec::new();
        for (gap, _) in &steps {
            end += gap;
            times.push(end);
        }
        let values = steps.into_iter().map(|(_, value)| value).collect();
        Changes { times, values, period: repeats.then_some(end + 0.05) }
    });
    prop::option::of(some)
}

fn any_model() -> impl Strategy<Value = Option<Model>> {
    let bursts = (0.001..0.1f64, 0.001..0.5f64, 0.0..1.0f64)
        .prop_map(|(burst, gap, loss)| Model::GilbertElliott(GilbertElliottParameters { burst, gap, loss }));
    let cellular = (0.0..2.0f64, 0.02..1.0f64, 0.001..0.2f64, 0.01..1.0f64).prop_map(
        |(variation, memory, outage, gap)| {
            Model::Cellular(CellularParameters { variation, memory, outage, gap })
        },
    );
    let leo = (0.05..1.0f64, 0.0..0.05f64, 0.0..0.025f64, 0.0..1.0f64, 0.0..0.1f64).prop_map(
        |(period, delay, interruption, handover_loss, loss)| {
            let (delay, interruption) = ([delay / 2.0, delay], [interruption / 3.0, interruption]);
            let (variation, jitter) = (0.3, delay[0]);
            Model::Leo(LeoParameters { period, delay, interruption, variation, loss, handover_loss, jitter })
        },
    );
    let walk = (0.01..0.1f64, 0.0..0.01f64)
        .prop_map(|(every, step)| Model::DelayWalk(DelayWalkParameters { every, step, most: 0.02 }));
    let together = (1u32..5)
        .prop_map(|contenders| Model::Aggregation(AggregationParameters { airtime: 0.004, contenders }));
    prop::option::of(prop_oneof![bursts, cellular, leo, walk, together])
}

fn any_reordering() -> impl Strategy<Value = Option<ReorderingParameters>> {
    let by = prop_oneof![(0.001..0.1f64).prop_map(By::Delay), (1u64..20).prop_map(By::Depth)];
    prop::option::of((0.0..0.3f64, by).prop_map(|(probability, by)| ReorderingParameters { probability, by }))
}

/// Any conditions of a path; one that waits while it is off comes back.
pub fn any_path() -> impl Strategy<Value = PathSpec> {
    let loses = prop::sample::select(vec![WhileOff::Wait, WhileOff::Lose]);
    let values = (
        any_values(0.0..0.05f64),
        any_values(prop_oneof![Just(0.0), 0.0..0.02f64]),
        any_values(0.0..0.3f64),
        any_values(prop::sample::select(vec![0.0, 1.0])),
    );
    let others = (any_model(), any_reordering(), prop_oneof![3 => Just(0u32), 1 => 2u32..5]);
    (values, loses, others).prop_map(
        |((delay, jitter, loss, mut on), while_off, (model, reordering, thin_acks))| {
            if let Some(Changes { times, values, .. }) = &mut on {
                times.push(times.last().unwrap_or(&0.0) + 0.02);
                values.push(1.0);
            }
            PathSpec { delay, jitter, loss, on, while_off, model, reordering, thin_acks }
        },
    )
}

/// Failures of some stations' ways on: which, the time, and how long.
pub fn any_failures() -> impl Strategy<Value = Vec<(usize, f64, f64)>> {
    prop::collection::vec((0usize..100, 0.0..0.5f64, 0.001..0.5f64), 0..4)
}

/// From some times on nothing leaves a station, after a while by another of its links, and then as before.
pub fn fail(spec: &mut Spec, failures: &[(usize, f64, f64)]) {
    for &(station, at, lasts) in failures {
        let station = station % spec.stations.len();
        let own = spec.next_link[station].clone();
        let other = own.iter().copied().max().unwrap_or(-2);
        let turned = own.iter().map(|&link| if link >= 0 { other } else { link }).collect();
        let rows = [vec![-2; own.len()], turned, own];
        spec.stations[station].routes = rows
            .into_iter()
            .zip(0..)
            .map(|(next_link, part)| Routes { at: at + lasts * f64::from(part), next_link })
            .collect();
    }
}

/// The path behind every other station, where its discipline bears that; regions take packets in order.
pub fn lay_paths(spec: &mut Spec, path: Option<&PathSpec>) {
    let in_order = path.map(|path| PathSpec { reordering: None, ..path.clone() });
    let path = if spec.regions > 1 { in_order.as_ref() } else { path };
    for station in spec.stations.iter_mut().step_by(2) {
        if !matches!(station.discipline, Discipline::Xcp(_) | Discipline::Vcp(_)) {
            station.path = path.cloned();
        }
    }
}
