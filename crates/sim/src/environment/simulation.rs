//! A simulation that its caller advances.

use std::sync::Arc;

use congestion::Time;

use crate::kernel::channels::Fifos;
use crate::measure::output::RunOutput;
use crate::net::packet::Packet;
use crate::parallel::Stepper;
use crate::plugin::Plugins;
use crate::region::Region;
use crate::run::{collect, completed};
use crate::scenario::Error;
use crate::scenario::build::build;
use crate::scenario::checked::CheckedSpec;
use crate::scenario::factories::factories;
use crate::world::{Unwatched, Watch, World};

/// A simulation between its begin and its end.
pub struct Simulation {
    spec: Arc<CheckedSpec>,
    world: Arc<World>,
    regions: Vec<Region<Fifos<Packet>>>,
    stepper: Stepper,
}

impl Simulation {
    /// A simulation at its begin.
    ///
    /// # Errors
    /// [`Error::Scenario`] if `plugins` lacks an algorithm or cannot make it.
    pub fn new(spec: Arc<CheckedSpec>, seed: u64, plugins: &Plugins) -> Result<Self, Error> {
        Self::watched(spec, seed, plugins, Arc::new(Unwatched))
    }

    /// A simulation at its begin, which `watch` can halt.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn watched(
        spec: Arc<CheckedSpec>,
        seed: u64,
        plugins: &Plugins,
        watch: Arc<dyn Watch>,
    ) -> Result<Self, Error> {
        let factories = factories(spec.spec(), plugins).map_err(Error::Scenario)?;
        let (world, regions) = build::<Fifos<Packet>>(&spec, seed, factories, watch);
        let stepper = Stepper::new(&world, &regions);
        Ok(Self { spec, world, regions, stepper })
    }

    /// Time before which everything has happened.
    pub fn now(&self) -> Time {
        self.stepper.now()
    }

    /// End of the run.
    pub fn end(&self) -> Time {
        self.world.end
    }

    /// Source and time [s] of a controller that never sleeps; nothing happens after it has been found.
    pub fn sleepless(&self) -> Option<(u32, f64)> {
        let (at, source) = self.regions.iter().filter_map(|region| region.course.sleepless).min()?;
        Some((source, at.seconds()))
    }

    /// `true` if its watch has halted it; regions are at different times then, and nothing more can be asked of it.
    pub fn is_halted(&self) -> bool {
        self.sleepless().is_none() && self.regions.iter().any(|region| region.course.reached < self.now())
    }

    /// Let everything happen that happens before `until`.
    pub fn advance(&mut self, until: Time) {
        self.stepper.advance(&mut self.regions, until);
    }

    /// Go on to the end; the measurements.
    ///
    /// # Errors
    /// [`Error::NotConserved`] on a defect of the simulator, [`Error::Sleepless`] if a controller never sleeps.
    pub fn finish(mut self) -> Result<RunOutput, Error> {
        self.advance(self.end());
        if let Some((source_index, at)) = self.sleepless() {
            return Err(Error::Sleepless { source_index, at });
        }
        self.stepper.finish(&mut self.regions);
        let output = collect(self.spec.spec(), &mut self.regions);
        completed(self.spec.spec(), &self.regions, output)
    }
}
