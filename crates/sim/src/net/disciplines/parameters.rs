//! Parameters of queue disciplines, each written once: name, type, default, range, unit and meaning. Options of the
//! transport are listed alike.

/// A parameter as lists and scenarios show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name in scenarios.
    pub name: &'static str,
    /// Value unless the scenario sets it; [`Value::None`] also of an option that it has to set.
    pub default: Value,
    /// Kind of value; [`Value::None`] may stand for it where it is optional.
    pub kind: Kind,
    /// `true` if the scenario may set none.
    pub optional: bool,
    /// Smallest value allowed.
    pub min: f64,
    /// Largest value allowed.
    pub max: f64,
    /// Unit: "s", "packets", "bytes", "bit/s", "1/s"; "1" of a pure number.
    pub unit: &'static str,
    /// Meaning, in a phrase.
    pub doc: &'static str,
}

impl Parameter {
    /// A parameter of type `T` with its range and unit.
    #[must_use]
    pub fn of<T: ParameterType>(
        name: &'static str,
        default: Option<T>,
        (min, max, unit): (f64, f64, &'static str),
        doc: &'static str,
    ) -> Self {
        let default = default.map_or(Value::None, ParameterType::value);
        Self { name, default, kind: T::KIND, optional: T::OPTIONAL, min, max, unit, doc }
    }
}

/// Kinds of value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A real number.
    Number,
    /// A whole number.
    Whole,
    /// `true` or `false`.
    Switch,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// Value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A real number.
    Number(f64),
    /// A whole number.
    Whole(u64),
    /// `true` or `false`.
    Switch(bool),
    /// A word.
    Word(&'static str),
    /// Not set.
    None,
}

/// A type that a parameter can have.
pub trait ParameterType: Copy {
    /// Kind of its values.
    const KIND: Kind;
    /// `true` if there may be none.
    const OPTIONAL: bool = false;

    /// Value for lists.
    fn value(self) -> Value;

    /// Number to be compared with the range, if it is one.
    fn number(self) -> Option<f64>;
}

impl ParameterType for f64 {
    const KIND: Kind = Kind::Number;

    fn value(self) -> Value {
        Value::Number(self)
    }

    fn number(self) -> Option<f64> {
        Some(self)
    }
}

impl ParameterType for u64 {
    const KIND: Kind = Kind::Whole;

    fn value(self) -> Value {
        Value::Whole(self)
    }

    #[expect(clippy::cast_precision_loss, reason = "ranges are far below 2^53")]
    fn number(self) -> Option<f64> {
        Some(self as f64)
    }
}

impl ParameterType for u32 {
    const KIND: Kind = Kind::Whole;

    fn value(self) -> Value {
        Value::Whole(self.into())
    }

    fn number(self) -> Option<f64> {
        Some(self.into())
    }
}

impl ParameterType for bool {
    const KIND: Kind = Kind::Switch;

    fn value(self) -> Value {
        Value::Switch(self)
    }

    fn number(self) -> Option<f64> {
        None
    }
}

impl<T: ParameterType> ParameterType for Option<T> {
    const KIND: Kind = T::KIND;
    const OPTIONAL: bool = true;

    fn value(self) -> Value {
        self.map_or(Value::None, ParameterType::value)
    }

    fn number(self) -> Option<f64> {
        self.and_then(ParameterType::number)
    }
}

/// A fault of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// Expectation, and the value found.
    pub message: String,
}

/// What `parameters!` tells of the parameters that it declares.
pub trait ParameterList {
    /// The parameters in order.
    fn list() -> Vec<Parameter>;

    /// Values beyond their ranges.
    fn out_of_range(&self) -> Vec<Fault>;
}

/// Fault of a value beyond its range, if it is.
pub fn out_of_range(
    parameter: &'static str,
    value: Option<f64>,
    min: f64,
    max: f64,
    unit: &str,
) -> Option<Fault> {
    let value = value.filter(|value| !(min..=max).contains(value))?;
    let unit = if unit == "1" { String::new() } else { format!(" {unit}") };
    Some(Fault { parameter, message: format!("expected {min} to {max}{unit}, got {value}") })
}

/// Declares the parameters of a queue discipline, each once: name, type, default, range, unit and meaning.
///
/// Types are `f64`, `u64`, `bool` and options of them; a `bool` has no range and no unit. Made of it are a structure
/// that scenarios read and write, its defaults, and its [`ParameterList`]. A key that a scenario does not give has its default.
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($field:ident: $kind:ty = $default:expr, $([$min:expr, $max:expr], $unit:literal,)? $doc:literal;)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, serde::Deserialize, serde::Serialize, PartialEq)]
        #[serde(default, deny_unknown_fields)]
        $vis struct $name {
            $(#[doc = $doc] pub $field: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $crate::net::disciplines::ParameterList for $name {
            fn list() -> Vec<$crate::net::disciplines::Parameter> {
                vec![$({
                    let range = parameters!(@range $($min, $max, $unit)?);
                    $crate::net::disciplines::Parameter::of::<$kind>(
                        stringify!($field), Some($default), range, $doc,
                    )
                },)*]
            }

            fn out_of_range(&self) -> Vec<$crate::net::disciplines::Fault> {
                use $crate::net::disciplines::{ParameterType, parameters::out_of_range};
                let faults = [$({
                    let (min, max, unit) = parameters!(@range $($min, $max, $unit)?);
                    out_of_range(stringify!($field), ParameterType::number(self.$field), min, max, unit)
                },)*];
                faults.into_iter().flatten().collect()
            }
        }
    };

    (@range $min:expr, $max:expr, $unit:literal) => { ($min, $max, $unit) };
    (@range) => { (0.0, 1.0, "1") };
}

#[cfg(test)]
mod tests {
    use super::*;

    parameters! {
        /// Parameters for tests.
        pub struct Example {
            target: f64 = 0.005, [1e-6, 10.0], "s", "Delay";
            flows: u64 = 1024, [1.0, 65536.0], "flows", "Queues";
            ecn: bool = true, "Marks instead of drops";
            ce_threshold: Option<f64> = None, [0.0, 10.0], "s", "Threshold";
        }
    }

    #[test]
    fn parameters_are_listed_with_their_defaults() {
        let list = Example::list();
        let names: Vec<_> = list.iter().map(|parameter| parameter.name).collect();
        assert_eq!(names, ["target", "flows", "ecn", "ce_threshold"]);
        assert_eq!((list[0].default, list[0].max, list[0].unit), (Value::Number(0.005), 10.0, "s"));
        assert_eq!((list[1].kind, list[2].default), (Kind::Whole, Value::Switch(true)));
        assert!(list[3].optional && list[3].default == Value::None && list[3].kind == Kind::Number);
    }

    #[test]
    fn values_beyond_their_range_are_faults() {
        assert!(Example::default().out_of_range().is_empty());
        let wrong = Example { target: f64::NAN, flows: 0, ecn: false, ce_threshold: Some(11.0) };
        let faults = wrong.out_of_range();
        let messages: Vec<_> = faults.iter().map(|fault| (fault.parameter, fault.message.as_str())).collect();
        assert_eq!(
            messages,
            [
                ("target", "expected 0.000001 to 10 s, got NaN"),
                ("flows", "expected 1 to 65536 flows, got 0"),
                ("ce_threshold", "expected 0 to 10 s, got 11"),
            ]
        );
    }

    #[test]
    fn missing_keys_have_their_defaults_and_unknown_ones_are_errors() {
        let read: Example = serde_json::from_str(r#"{"target": 0.01}"#).expect("valid");
        assert_eq!(read, Example { target: 0.01, ..Example::default() });
        assert!(serde_json::from_str::<Example>(r#"{"targte": 0.01}"#).is_err());
    }
}
