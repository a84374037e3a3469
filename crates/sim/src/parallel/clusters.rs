//! Clusters: regions that advance together, as links between them are short.
//!
//! Windows of all regions are no longer than the shortest delay between two that are in step. One short link would make them
//! short for a whole network, so regions that it joins go through a window together, in shorter ones of their own.

use congestion::Duration;

use crate::kernel::channels::Channels;
use crate::net::packet::Packet;
use crate::region::{Channel, Region};
use crate::world::{Exit, World};

/// Links shorter than the median delay of all by this factor join their regions.
const SHORT: u64 = 16;

/// Regions that advance together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Their numbers.
    pub regions: Vec<usize>,
    /// Shortest delay between two of them.
    pub lookahead: Duration,
}

/// Clusters of all regions.
pub struct Clusters {
    /// In the order of their first regions.
    pub list: Vec<Cluster>,
    /// First region of each one's cluster.
    first: Vec<usize>,
}

impl Clusters {
    /// Clusters of a world.
    pub fn new<C: Channels<Packet>>(world: &World, regions: &[Region<C>]) -> Self {
        let ways = || world.exits.between_regions();
        let is_link = |exit: &Exit| {
            let kinds = &regions[usize::from(exit.region)].events.map.kinds;
            matches!(kinds[usize::from(exit.channel)], Channel::Link(_))
        };
        let mut delays: Vec<Duration> =
            ways().filter(|(_, exit)| is_link(exit)).map(|(_, exit)| exit.delay).collect();
        delays.sort_unstable();
        let short = delays.get(delays.len() / 2).map_or(Duration::ZERO, |&median| median / SHORT);
        let mut first: Vec<usize> = (0..regions.len()).collect();
        for (from, exit) in ways().filter(|(_, exit)| exit.delay < short) {
            let (own, other) = (first[from], first[usize::from(exit.region)]);
            if own != other {
                for each in first.iter_mut().filter(|each| **each == own.max(other)) {
                    *each = own.min(other);
                }
            }
        }
        let mut clusters = vec![Cluster { regions: Vec::new(), lookahead: Duration::MAX }; regions.len()];
        for (region, &first) in first.iter().enumerate() {
            clusters[first].regions.push(region);
        }
        for (from, exit) in ways().filter(|&(from, exit)| first[from] == first[usize::from(exit.region)]) {
            let lookahead = &mut clusters[first[from]].lookahead;
            *lookahead = exit.delay.min(*lookahead);
        }
        clusters.retain(|cluster| !cluster.regions.is_empty());
        Self { list: clusters, first }
    }

    /// `true` if two regions advance together.
    pub fn together(&self, region: usize, other: usize) -> bool {
        self.first[region] == self.first[other]
    }

    /// Shortest delay between two clusters.
    pub fn lookahead(&self, world: &World) -> Duration {
        let ways = world.exits.between_regions();
        let apart = ways.filter(|&(from, exit)| !self.together(from, usize::from(exit.region)));
        apart.map(|(_, exit)| exit.delay).min().unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::kernel::channels::Fifos;
    use crate::scenario::build::build;
    use crate::scenario::factories::factories;
    use crate::spec::Spec;
    use crate::world::Unwatched;

    /// A network of eleven regions, in which the links of regions 0 and 1 have a delay [s].
    fn network(delay: Option<f64>) -> Spec {
        let text = include_str!("../../benches/worlds/internet-1b-moderate.json");
        let mut spec = crate::parse(text).expect("a valid world").into_spec();
        spec.duration = 0.02;
        let region = |station: u32, spec: &Spec| spec.stations[station as usize].region;
        for at in 0..spec.links.len() {
            let ends = (region(spec.links[at].from, &spec), region(spec.links[at].to, &spec));
            if let (Some(delay), (0, 1) | (1, 0)) = (delay, ends) {
                spec.links[at].delay = delay;
            }
        }
        spec
    }

    fn clustered(spec: Spec) -> (Vec<Cluster>, Duration) {
        let checked = spec.checked().expect("the scenario is valid");
        let factories = factories(checked.spec(), &crate::plugin::Plugins::new()).expect("they are built in");
        let (world, regions) = build::<Fifos<Packet>>(&checked, 1, factories, Arc::new(Unwatched));
        let clusters = Clusters::new(&world, &regions);
        let lookahead = clusters.lookahead(&world);
        (clusters.list, lookahead)
    }

    #[test]
    fn one_short_link_joins_its_two_regions_and_leaves_the_windows_of_the_others_long() {
        let (clusters, usual) = clustered(network(None));
        assert!(clusters.iter().map(|cluster| cluster.regions.len()).eq([1; 11]), "{clusters:?}");
        let (clusters, lookahead) = clustered(network(Some(1e-6)));
        assert_eq!(clusters.len(), 10);
        assert_eq!(clusters[0], Cluster { regions: vec![0, 1], lookahead: Duration(1_000_000) });
        assert!(lookahead >= usual, "{lookahead:?}");
    }

    /// Clusters are a matter of speed: windows of every region would be as short as the shortest link without.
    #[test]
    fn results_are_those_of_regions_that_advance_alone() {
        let output = |threads| {
            let checked = network(Some(1e-5)).checked().expect("the scenario is valid");
            let output = crate::run(&checked, 3, threads, &mut |_| true).expect("it runs");
            format!("{:?}", crate::RunOutput { memory: Vec::new(), critical_events: 0, ..output })
        };
        let together = output(1);
        assert_eq!(together, output(2));
        let checked = network(Some(1e-5)).checked().expect("the scenario is valid");
        let plugins = crate::plugin::Plugins::new();
        let mut simulation =
            crate::environment::Simulation::new(Arc::new(checked), 3, &plugins).expect("it begins");
        for step in 1..=2000 {
            // Windows of 10 us, as long as the shortest delay.
            simulation.advance(congestion::Time(step * 10_000_000));
        }
        let alone = simulation.finish().expect("it runs");
        let alone = format!("{:?}", crate::RunOutput { memory: Vec::new(), critical_events: 0, ..alone });
        assert_eq!(together, alone);
    }
}
