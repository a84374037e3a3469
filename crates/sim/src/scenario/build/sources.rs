//! Sources of a region, and how each of them enters the run.

use congestion::{Duration, Time};

use crate::kernel::channels::Channels;
use crate::kernel::rng::{self, Purpose};
use crate::kernel::timers::TimerKind;
use crate::net::packet::Packet;
use crate::region::{FlowRecord, NONE, Region, Source};
use crate::scenario::checked::CheckedSpec;
use crate::spec::Population;

/// Add the sources of the population, which begin to think.
pub(super) fn add_population<C: Channels<Packet>>(checked: &CheckedSpec, region: &mut Region<C>) {
    let world = region.world.clone();
    let Some(population) = &checked.spec().population else { return };
    let shares = &checked.tables().algorithm_shares;
    for id in world.numbering.sources_of(region.index) {
        let draws = world.streams.block(Purpose::Source, id, 0);
        let impatient =
            population.patience.is_some_and(|patience| rng::uniform(draws[2]) < patience.probability);
        let source = region.sources.push(Source {
            id,
            cycle: 0,
            flow: NONE,
            slot: NONE,
            site: world.site_of_source(id),
            algorithm: draw_algorithm(shares, draws[0]),
            fast: rng::uniform(draws[1]) < population.fast_probability,
            impatient,
        });
        let mean = first_think_mean(population, draws[3]);
        let think = rng::exponential(world.streams.block(Purpose::Transfer, id, 0)[0], mean);
        region.begin_thinking(source, Time::ZERO + Duration::from_seconds(think));
    }
}

/// Algorithm of a source, drawn with one random word.
fn draw_algorithm(shares: &[(u16, f64)], word: u64) -> u16 {
    let mut pick = rng::uniform(word);
    let mut algorithm = 0;
    for &(at, share) in shares {
        if share > 0.0 {
            algorithm = at;
            if pick < share {
                break;
            }
            pick -= share;
        }
    }
    algorithm
}

/// Mean of the first think time of a source [s], drawn with one random word.
fn first_think_mean(population: &Population, word: u64) -> f64 {
    let mut pick = rng::uniform(word) - population.startup.connecting;
    if pick < 0.0 {
        return 0.0;
    }
    for &[share, factor] in &population.startup.early {
        if pick < share {
            return population.think_mean * factor;
        }
        pick -= share;
    }
    population.think_mean
}

/// Add a source for every flow that begins in the region.
pub(super) fn add_flows<C: Channels<Packet>>(region: &mut Region<C>) {
    let world = region.world.clone();
    for (at, flow) in (0..).zip(&world.traffic.flows) {
        if world.sites[usize::from(flow.source)].region != region.index {
            continue;
        }
        let source = region.sources.push(Source {
            id: world.numbering.sources() + at,
            cycle: 0,
            flow: at,
            slot: NONE,
            site: flow.source,
            algorithm: flow.algorithm,
            fast: false,
            impatient: false,
        });
        region.recorder.flows.push(FlowRecord { flow: at, source, ..FlowRecord::default() });
        if let Some(application) = flow.application {
            region.add_line(application, source);
            continue;
        }
        region.events.set_timer(flow.start, TimerKind::Start, source, 0);
        if let Some(stop) = flow.stop {
            region.events.set_timer(stop, TimerKind::Stop, source, 0);
        }
    }
}
