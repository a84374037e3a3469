//! Constructors of controllers.

use congestion::{Factory, SlowStartByRounds};

use super::problem::Problem;
use crate::plugin::{self, Plugins};
use crate::spec::{SlowStart, Spec};

/// Constructors of the controllers of a scenario, in its order of algorithms.
///
/// # Errors
/// The algorithms that cannot be made.
pub fn factories(spec: &Spec, plugins: &Plugins) -> Result<Vec<Factory>, Vec<Problem>> {
    let (mut factories, mut problems) = (Vec::new(), Vec::new());
    for (at, algorithm) in spec.algorithms.iter().enumerate() {
        match plugin::factory(algorithm, plugins) {
            Ok(factory) => factories.push(starting(factory, spec.transport.slow_start)),
            Err(error) => {
                let (loc, message) = (format!("algorithms[{at}]"), error.to_string());
                problems.push(Problem { loc, kind: "algorithm", message });
            }
        }
    }
    if problems.is_empty() { Ok(factories) } else { Err(problems) }
}

/// The constructor of controllers with the slow start of the transport.
fn starting(factory: Factory, slow_start: SlowStart) -> Factory {
    match slow_start {
        SlowStart::Acks => factory,
        SlowStart::Rounds => Box::new(move |initial| Box::new(SlowStartByRounds::new(factory(initial)))),
    }
}
