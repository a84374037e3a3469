//! Least memory of a scenario, known before it is run.

use super::checked::CheckedSpec;
use crate::measure::output::{FlowSample, Sample, StationSample};
use crate::net::station::Hop;
use crate::region::{Host, Source};

/// Bytes by part, a lower bound: hosts, routes and what is measured at every interval, each as often as it
/// is held. Flows in progress, packets and recorded transfers come on top.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a checked scenario has at most ten million intervals"
)]
pub fn need(spec: &CheckedSpec) -> Vec<(&'static str, u64)> {
    let spec = spec.spec();
    let bytes = |size: usize| size as u64;
    let (mut sources, mut receivers) = (0, 0);
    for site in &spec.sites {
        sources += u64::from(site.sources);
        receivers += u64::from(site.receivers);
    }
    let intervals = libm::ceil(spec.duration / spec.measure.interval) as u64;
    let (flows, watched) = (spec.flows.len() as u64, spec.measure.stations.len() as u64);
    let pairs = (spec.stations.len() * spec.sites.len()) as u64;
    vec![
        ("sources", sources * bytes(size_of::<Source>())),
        ("receivers", receivers * bytes(size_of::<Host>())),
        ("routes", pairs * bytes(size_of::<Hop>() + 2 * size_of::<i32>())),
        // Every region has its own, and the sum is kept, too.
        ("series", intervals * u64::from(spec.regions + 1) * bytes(size_of::<Sample>())),
        ("flows", intervals * flows * bytes(2 * size_of::<FlowSample>())),
        ("queues", intervals * watched * bytes(2 * size_of::<StationSample>() + size_of::<usize>())),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_holds_at_least_its_hosts() {
        let text = include_str!("../../benches/worlds/internet-1b-moderate.json");
        let mut spec = crate::parse(text).expect("a valid world").into_spec();
        spec.duration = 0.01;
        let spec = spec.checked().expect("valid in short, too");
        let output = crate::run(&spec, 1, 1, &mut |_| true).expect("it runs");
        let held = |parts: &[(&str, u64)], names: &[&str]| -> u64 {
            parts.iter().filter(|(name, _)| names.contains(name)).map(|(_, bytes)| bytes).sum()
        };
        let least = held(&need(&spec), &["sources", "receivers"]);
        let used = held(&output.memory, &["sources", "hosts"]);
        assert!(least <= used && used <= 3 * least, "{least} predicted, {used} held");
    }
}
