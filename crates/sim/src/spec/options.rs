//! Declaration of options, each once.

use serde::{Deserialize, Deserializer};

/// Declares options, each once: name, type, value if it may be left out, range, unit, meaning, and the place that takes the
/// value as it is, if there is one.
///
/// Made of it are a structure that scenarios read and write, where unknown and missing keys are errors, its
/// [`ParameterList`](crate::net::disciplines::ParameterList), and `assign`, which sets the places.
macro_rules! options {
    (
        $(#[$meta:meta])*
        pub struct $name:ident for $parts:ident {
            $(
                $field:ident: $kind:ty $(= $off:expr)?, $([$min:expr, $max:expr], $unit:literal,)? $doc:literal
                $(=> $($place:ident).+)?;
            )*
        }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $(#[doc = $doc] pub $field: $kind,)*
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(serde::Deserialize)]
                #[serde(deny_unknown_fields)]
                struct Keys {
                    $(#[serde(default, deserialize_with = "crate::spec::options::present")] $field: Option<$kind>,)*
                }

                let keys = Keys::deserialize(deserializer)?;
                $(
                    let $field = keys.$field$(.or(Some($off)))?
                        .ok_or_else(|| serde::de::Error::missing_field(stringify!($field)))?;
                )*
                Ok(Self { $($field,)* })
            }
        }

        impl $crate::net::disciplines::ParameterList for $name {
            fn list() -> Vec<$crate::net::disciplines::Parameter> {
                vec![$({
                    let off: Option<$kind> = options!(@off $($off)?);
                    let range = options!(@range $($min, $max, $unit)?);
                    $crate::net::disciplines::Parameter::of(stringify!($field), off, range, $doc)
                },)*]
            }

            fn out_of_range(&self) -> Vec<$crate::net::disciplines::Fault> {
                use $crate::net::disciplines::{ParameterType, out_of_range};
                let faults = [$({
                    let (min, max, unit) = options!(@range $($min, $max, $unit)?);
                    out_of_range(stringify!($field), ParameterType::number(self.$field), min, max, unit)
                },)*];
                faults.into_iter().flatten().collect()
            }
        }

        impl $name {
            fn assign(&self, parts: &mut $parts) {
                $($(parts.$($place).+ = self.$field;)?)*
            }
        }
    };

    (@off $off:expr) => { Some($off) };
    (@off) => { None };
    (@range $min:expr, $max:expr, $unit:literal) => { ($min, $max, $unit) };
    (@range) => { (0.0, 1.0, "1") };
}

/// The value of a key that is there, `null` included.
pub(super) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
