//! Numbers of sources and receivers over all regions: by region, then site.

use std::ops::Range;

use crate::kernel::rng;

/// Numbers of the sources and receivers of the population.
#[derive(Clone, Debug, Default)]
pub struct Numbering {
    /// First source of every site that has any, in order.
    pub source_starts: Vec<(u32, u16)>,
    /// First receiver of every site that has any, in order.
    pub receiver_starts: Vec<(u32, u16)>,
    /// Sources before each region, and in all at the end.
    pub sources_before: Vec<u32>,
    /// Receivers before each region, and in all at the end.
    pub receivers_before: Vec<u32>,
}

impl Numbering {
    /// Number of sources.
    pub fn sources(&self) -> u32 {
        self.sources_before.last().copied().unwrap_or(0)
    }

    /// Sources of a region.
    pub fn sources_of(&self, region: u16) -> Range<u32> {
        range_of(&self.sources_before, region)
    }

    /// Receivers of a region.
    pub fn receivers_of(&self, region: u16) -> Range<u32> {
        range_of(&self.receivers_before, region)
    }

    /// Site of a source.
    pub fn site_of_source(&self, source: u32) -> u16 {
        site_at(&self.source_starts, source)
    }

    /// Site of a receiver.
    pub fn site_of_receiver(&self, receiver: u32) -> u16 {
        site_at(&self.receiver_starts, receiver)
    }

    /// A receiver drawn uniformly from those a source in `region` may send to.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a 32-bit count fits 32 bits"
    )]
    pub fn draw_receiver(&self, word: u64, region: u16, other_regions: bool) -> u32 {
        let all = self.receivers_before.last().copied().unwrap_or(0);
        let skipped = if other_regions { self.receivers_of(region) } else { 0..0 };
        let left = all - (skipped.end - skipped.start);
        let pick = ((rng::uniform(word) * f64::from(left)) as u32).min(left - 1);
        if pick < skipped.start { pick } else { pick + (skipped.end - skipped.start) }
    }
}

fn range_of(before: &[u32], region: u16) -> Range<u32> {
    let at = usize::from(region);
    before[at]..before[at + 1]
}

fn site_at(starts: &[(u32, u16)], number: u32) -> u16 {
    starts[starts.partition_point(|&(first, _)| first <= number) - 1].1
}
