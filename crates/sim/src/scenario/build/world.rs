//! The tables that all regions share.

use std::sync::Arc;

use congestion::{Duration, Factory, Halve, Initial};

use crate::kernel::rng::Streams;
use crate::net::service::Service;
use crate::scenario::checked::CheckedSpec;
use crate::scenario::mechanism::{ack_timing, mechanism};
use crate::scenario::tables::instant;
use crate::spec::{self, HalveSpec, Transport};
use crate::world::{
    Acks, Controllers, Files, Handshake, InterfaceInfo, Jumbo, Patience, Population, Recording, Sending,
    Traffic, Watch, World,
};

pub(super) fn world(
    checked: &CheckedSpec,
    seed: u64,
    factories: Vec<Factory>,
    watch: Arc<dyn Watch>,
) -> World {
    let (spec, tables) = (checked.spec(), checked.tables());
    let transport = &spec.transport;
    let interface = |interface: &spec::Interface| {
        let service = interface.rate.map(Service::new);
        let sending = Sending::new(service, Duration::from_seconds(transport.host_jitter));
        InterfaceInfo { service, sending, delay: Duration::from_seconds(interface.delay) * 2 }
    };
    World {
        end: instant(spec.duration),
        sizes: spec.packet,
        mechanism: mechanism(transport, spec.packet.smss),
        acks: Acks {
            every: transport.ack_every,
            quick: transport.quick_acks,
            delay: Duration::from_seconds(transport.ack_delay),
            timing: ack_timing(transport, spec.packet.smss),
            through_stations: transport.ack_cost,
            loss: transport.ack_loss,
        },
        handshake: Handshake {
            timeout: Duration::from_seconds(transport.syn_timeout),
            tries: tables.syn_tries,
            linear: u8::try_from(transport.syn_linear_timeouts).unwrap_or(u8::MAX),
            loss_window: transport.syn_loss_window,
        },
        controllers: Controllers { initial: initial(transport, spec.packet.smss), factories },
        interfaces: spec.interfaces.iter().map(interface).collect(),
        exits: tables.layout.exits.clone(),
        paths: tables.paths.clone(),
        traffic: Traffic {
            population: spec.population.as_ref().map(population),
            flows: tables.flows.clone(),
        },
        sites: tables.sites.clone(),
        numbering: tables.numbering.clone(),
        recording: Recording {
            interval: Duration::from_seconds(spec.measure.interval).max(Duration(1)),
            transfers: spec.measure.transfers,
            segments: spec.measure.segments,
            packets: spec.measure.packets,
            groups_from: instant(spec.measure.groups_from),
        },
        streams: Streams::new(seed),
        watch,
    }
}

fn initial(transport: &Transport, smss: u32) -> Initial {
    Initial {
        smss,
        window: transport.initial_window,
        ssthresh: transport.initial_ssthresh.unwrap_or(f64::INFINITY),
        restart_window: transport.restart_window,
        halve: match transport.halve {
            HalveSpec::Flight => Halve::Flight,
            HalveSpec::Window => Halve::Window,
        },
        seed: 0,
    }
}

fn population(population: &spec::Population) -> Population {
    let files = &population.files;
    Population {
        think_mean: population.think_mean,
        files: Files {
            mean: files.mean,
            shape: files.shape,
            probability: files.probability,
            factor: files.factor,
        },
        fast_probability: population.fast_probability,
        jumbo: population.jumbo.map(|jumbo| Jumbo {
            start: instant(jumbo.start),
            end: instant(jumbo.end),
            factor: jumbo.factor,
        }),
        patience: population
            .patience
            .map(|patience| Patience { min_time: patience.min_time, factor: patience.factor }),
        receivers_in_other_regions: population.receivers_in_other_regions,
    }
}
