//! Sources of a region: hosts that offer transfers, one after another.

use std::ops::{Index, IndexMut};

use super::NONE;
use super::applications::Application;

/// A host that offers transfers.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Number over all regions.
    pub id: u32,
    /// Transfer in progress or next.
    pub cycle: u32,
    /// Named flow, or `NONE` for a member of the population.
    pub flow: u32,
    /// Connection in use.
    pub slot: u32,
    pub site: u16,
    pub algorithm: u16,
    pub fast: bool,
    pub impatient: bool,
}

impl Source {
    /// `true` for a member of the population.
    pub fn is_of_population(&self) -> bool {
        self.flow == NONE
    }
}

/// Sources by their number within the region: the population, then named flows.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    list: Vec<Source>,
    /// Members of the population that think.
    pub thinking: u64,
    /// Applications by their number in the scenario; those of other regions have no connections here.
    pub applications: Vec<Application>,
}

impl Sources {
    /// Add a source and say which number it has.
    pub fn push(&mut self, source: Source) -> u32 {
        self.list.push(source);
        u32::try_from(self.list.len() - 1).unwrap_or(NONE)
    }

    /// Number of sources.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.list.capacity() * size_of::<Source>()
    }
}

impl Index<u32> for Sources {
    type Output = Source;

    #[inline]
    fn index(&self, source: u32) -> &Source {
        &self.list[source as usize]
    }
}

impl IndexMut<u32> for Sources {
    #[inline]
    fn index_mut(&mut self, source: u32) -> &mut Source {
        &mut self.list[source as usize]
    }
}
