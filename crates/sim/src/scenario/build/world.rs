//! The tables that all regions share.

use std::sync::Arc;

use congestion::{Duration, Factory};

use crate::kernel::rng::Streams;
use crate::net::service::Service;
use crate::scenario::checked::CheckedSpec;
use crate::scenario::tables::instant;
use crate::spec::{self, Parts};
use crate::tcp::receiver::Conduct;
use crate::world::{
    Controllers, Files, InterfaceInfo, Jumbo, Patience, Population, Recording, Sending, Traffic, Watch, World,
};

pub(super) fn world(
    checked: &CheckedSpec,
    seed: u64,
    factories: Vec<Factory>,
    watch: Arc<dyn Watch>,
) -> World {
    let (spec, tables) = (checked.spec(), checked.tables());
    let transport = &spec.transport;
    let Parts { mechanism, acks, handshake, initial } = transport.parts(spec.packet.smss);
    let interface = |interface: &spec::Interface| {
        let service = interface.rate.map(Service::new);
        let sending = Sending::new(service, Duration::from_seconds(transport.host_jitter));
        InterfaceInfo { service, sending, delay: Duration::from_seconds(interface.delay) * 2 }
    };
    World {
        end: instant(spec.duration),
        sizes: spec.packet,
        mechanism,
        acks,
        handshake,
        controllers: Controllers { initial, factories },
        interfaces: spec.interfaces.iter().map(interface).collect(),
        exits: tables.layout.exits.clone(),
        paths: tables.paths.clone(),
        traffic: Traffic {
            population: spec.population.as_ref().map(population),
            misbehaves: tables.flows.iter().any(|flow| flow.conduct != Conduct::Honest),
            flows: tables.flows.clone(),
            applications: spec.applications.clone(),
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
            any_receiver: jumbo.any_receiver,
        }),
        patience: population
            .patience
            .map(|patience| Patience { min_time: patience.min_time, factor: patience.factor }),
        receivers_in_other_regions: population.receivers_in_other_regions,
    }
}
