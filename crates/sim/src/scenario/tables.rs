//! Tables of a checked scenario: what follows from it alone, in numbers as wide as the engine has them.

use std::num::TryFromIntError;

use congestion::{Duration, Time};

use super::layout::{self, Layout, lay_out};
use crate::spec::{self, NextBurst, Spec};
use crate::world::Bursts;
use crate::world::{Flow, Numbering, Paths, SiteInfo};

/// Tables that every run of a scenario shares. They exist only where all numbers fit, so that nobody has to ask
/// again.
#[derive(Debug)]
pub struct Tables {
    pub paths: Paths,
    pub layout: Layout,
    pub sites: Vec<SiteInfo>,
    pub numbering: Numbering,
    pub flows: Vec<Flow>,
    pub regions: u16,
    /// Algorithms of the population and their shares, in the order of the scenario.
    pub algorithm_shares: Vec<(u16, f64)>,
}

impl Tables {
    /// Tables of a scenario whose indices were checked.
    ///
    /// # Errors
    /// A number is beyond those of the engine.
    pub fn new(spec: &Spec) -> Result<Self, TryFromIntError> {
        let paths = layout::paths(spec);
        let layout = lay_out(spec, &paths)?;
        let sites = sites(spec, &layout)?;
        let numbering = numbering(spec, &sites);
        let shares = spec.population.iter().flat_map(|population| &population.algorithm_shares).enumerate();
        Ok(Self {
            flows: flows(spec, &sites, &numbering)?,
            regions: spec.regions.try_into()?,
            algorithm_shares: shares
                .map(|(at, &share)| Ok((at.try_into()?, share)))
                .collect::<Result<_, TryFromIntError>>()?,
            paths,
            layout,
            sites,
            numbering,
        })
    }
}

/// The instant `seconds` after the beginning of the run.
pub fn instant(seconds: f64) -> Time {
    Time::ZERO + Duration::from_seconds(seconds)
}

fn sites(spec: &Spec, layout: &Layout) -> Result<Vec<SiteInfo>, TryFromIntError> {
    let site = |site: &spec::Site| {
        Ok(SiteInfo {
            region: spec.stations[site.station as usize].region.try_into()?,
            station: layout.local[site.station as usize],
            global_station: site.station,
            class: site.class,
        })
    };
    spec.sites.iter().map(site).collect()
}

fn numbering(spec: &Spec, sites: &[SiteInfo]) -> Numbering {
    let mut numbering =
        Numbering { sources_before: vec![0], receivers_before: vec![0], ..Numbering::default() };
    let (mut sources, mut receivers) = (0, 0);
    for region in 0..spec.regions {
        let here =
            (0..).zip(sites).zip(&spec.sites).filter(|((_, site), _)| u32::from(site.region) == region);
        for ((at, _), site) in here {
            if site.sources > 0 {
                numbering.source_starts.push((sources, at));
            }
            if site.receivers > 0 {
                numbering.receiver_starts.push((receivers, at));
            }
            sources += site.sources;
            receivers += site.receivers;
        }
        numbering.sources_before.push(sources);
        numbering.receivers_before.push(receivers);
    }
    numbering
}

fn bursts(bursts: spec::Bursts) -> Bursts {
    let (gap, waits) = match bursts.next {
        NextBurst::After(gap) => (gap, true),
        NextBurst::Every(gap) => (gap, false),
    };
    // A burst too large to number its segments cannot be sent within a run either.
    let size = u32::try_from(bursts.size).unwrap_or(u32::MAX);
    Bursts { size, gap: Duration::from_seconds(gap), waits }
}

fn flows(spec: &Spec, sites: &[SiteInfo], numbering: &Numbering) -> Result<Vec<Flow>, TryFromIntError> {
    // Receiving hosts of flows follow those of the population.
    let hosts = numbering.receivers_before.windows(2).map(|pair| pair[1] - pair[0]);
    let mut hosts: Vec<u32> = hosts.collect();
    let flow = |flow: &spec::FlowSpec| {
        let host = &mut hosts[usize::from(sites[flow.receiver as usize].region)];
        *host += 1;
        Ok(Flow {
            source: flow.source.try_into()?,
            receiver: flow.receiver.try_into()?,
            host: *host - 1,
            algorithm: flow.algorithm.try_into()?,
            interface: flow.interface.try_into()?,
            size: flow.size.unwrap_or(u64::MAX),
            start: instant(flow.start),
            stop: flow.stop.map(instant),
            bursts: flow.bursts.map(bursts),
            conduct: flow.conduct,
            application: flow.application,
        })
    };
    spec.flows.iter().map(flow).collect()
}
