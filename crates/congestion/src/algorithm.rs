//! Descriptions of algorithms: what a list, a scenario and a figure need to know of them.

use crate::control::{CongestionControl, Initial, Needs};

/// An algorithm under a name, or a named set of parameters of it (`family:set`).
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// Name in scenarios.
    pub name: &'static str,
    /// Name for people, in lists, figures and sentences.
    pub display: &'static str,
    /// Edition of its results, from 1: it rises when its runs change and those of the others do not, so that
    /// stored runs of the others stay good. Nothing reads it of an algorithm in a library, whose content counts.
    pub edition: u32,
    /// One sentence for lists.
    pub summary: &'static str,
    /// Publication of its rules and its defaults.
    pub source: &'static str,
    /// Parameters that can be set, with the defaults under this name.
    pub params: &'static [Param],
    /// Constructor of a controller from the values of `params`, in that order.
    pub build: fn(&[f64], &Initial) -> Box<dyn CongestionControl>,
}

impl Algorithm {
    /// Needs of a controller with the defaults under this name.
    pub fn needs(&self) -> Needs {
        let values: Vec<f64> = self.params.iter().map(|param| param.default).collect();
        (self.build)(&values, &Initial::ANY).needs()
    }
}

/// A parameter of an algorithm: a finite number from `min` to `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    /// Name in scenarios.
    pub name: &'static str,
    /// Value unless the scenario sets it.
    pub default: f64,
    /// Smallest value allowed.
    pub min: f64,
    /// Largest value allowed.
    pub max: f64,
    /// Unit, "1" of a pure number.
    pub unit: &'static str,
    /// Meaning, in a phrase.
    pub doc: &'static str,
}

/// Declares the parameters of an algorithm, each once: name, type, default, range, unit and meaning.
///
/// A type is `f64`, with the smallest and the largest value in brackets, or `bool` for a switch, which a scenario
/// sets to 1 or 0; from one half on it is on. `name: type from PARAM` is a [`Param`] that several algorithms have.
///
/// Made of it are a structure with a field per parameter and
///
/// * `DEFAULT`, its defaults;
/// * `list(self)`, the [`Param`]s with these values as defaults, for [`Algorithm::params`];
/// * `from_values(&[f64])`, the values that [`Algorithm::build`] is given.
///
/// ```
/// congestion::params! {
///     /// Parameters of an algorithm.
///     struct Params {
///         increase: f64 = 1.0, [0.0, 1e6], "segments per round trip", "Growth of the window";
///         cautious: bool = false, "1", "1 grows by half as much, 0 does not";
///     }
/// }
///
/// const BOLD: &[congestion::Param] = &Params { increase: 9.0, ..Params::DEFAULT }.list();
/// assert_eq!((BOLD[0].name, BOLD[0].default, BOLD[0].max), ("increase", 9.0, 1e6));
/// assert_eq!((BOLD[1].default, BOLD[1].max), (0.0, 1.0));
/// assert!(Params::from_values(&[9.0, 1.0]).cautious);
/// ```
#[macro_export]
macro_rules! params {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $(
                $field:ident: $kind:ident
                $(= $default:expr, $([$min:expr, $max:expr],)? $unit:literal, $doc:literal)?
                $(from $shared:expr)?;
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name {
            $($vis $field: $kind,)*
        }

        impl $name {
            /// Defaults.
            $vis const DEFAULT: Self = Self {
                $($field: $crate::params!(@default $kind ($($default)?) ($($shared)?)),)*
            };

            /// Parameters with these values as defaults.
            $vis const fn list(self) -> [$crate::Param; [$(stringify!($field)),*].len()] {
                [$($crate::Param {
                    name: stringify!($field),
                    default: $crate::params!(@number $kind, self.$field),
                    ..$crate::params!(@param ($($([$min, $max],)? $unit, $doc)?) ($($shared)?))
                },)*]
            }

            /// Values in the order of the parameters.
            $vis fn from_values(values: &[f64]) -> Self {
                let &[$($field),*] = values else { unreachable!("one value per parameter") };
                Self { $($field: $crate::params!(@value $kind, $field),)* }
            }
        }
    };

    (@default $kind:ident ($default:expr) ()) => { $default };
    (@default $kind:ident () ($shared:expr)) => { $crate::params!(@value $kind, $shared.default) };

    (@param ($([$min:expr, $max:expr],)? $unit:literal, $doc:literal) ()) => {{
        let [min, max] = $crate::params!(@range $([$min, $max])?);
        $crate::Param { name: "", default: min, min, max, unit: $unit, doc: $doc }
    }};
    (@param () ($shared:expr)) => { $shared };

    (@range [$min:expr, $max:expr]) => { [$min, $max] };
    (@range) => { [0.0, 1.0] };

    (@number f64, $value:expr) => { $value };
    (@number bool, $value:expr) => { if $value { 1.0 } else { 0.0 } };

    (@value f64, $value:expr) => { $value };
    (@value bool, $value:expr) => { $value >= 0.5 };
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARED: Param =
        Param { name: "shared", default: 1.0, min: 0.0, max: 1.0, unit: "1", doc: "Is on or off" };

    params! {
        /// One parameter of each kind.
        struct Params {
            number: f64 = 2.5, [-1.0, 1e3], "s", "Is a time";
            switch: bool = true, "0 or 1", "Is a switch";
            shared: bool from SHARED;
        }
    }

    #[test]
    fn parameters_are_described_in_their_order() {
        let number = Param { name: "number", default: 2.5, min: -1.0, max: 1e3, unit: "s", doc: "Is a time" };
        let switch =
            Param { name: "switch", default: 1.0, min: 0.0, max: 1.0, unit: "0 or 1", doc: "Is a switch" };
        assert_eq!(Params::DEFAULT.list(), [number, switch, SHARED]);
        let changed = Params { number: 9.0, shared: false, ..Params::DEFAULT }.list();
        assert_eq!(changed.map(|param| param.default.to_bits()), [9.0, 1.0, 0.0].map(f64::to_bits));
    }

    #[test]
    fn values_become_fields_and_switches_turn_at_a_half() {
        let Params { number, switch, shared } = Params::from_values(&[7.0, 0.5, 0.499]);
        assert_eq!((number, switch, shared), (7.0, true, false));
    }
}
