//! The one list of algorithms, and what is found in it.

use std::collections::BTreeMap;
use std::fmt;

use crate::algorithm::{Algorithm, Param};
use crate::algorithms::{
    aimd, bbr1, bbr3, bic, copa, ctcp, cubic, dctcp, eefast, fast, fast_ns2, hcc, hstcp, htcp, hybla,
    illinois, ledbat, ledbat_plus_plus, prague, reno, scalable, vcp, vegas, veno, westwood, xcp, yeah,
};
use crate::control::{CongestionControl, Initial, Needs};

/// Every algorithm that can be named in a scenario, each once for every named set of parameters.
static ALGORITHMS: &[Algorithm] = &[
    reno::RENO,
    scalable::SCALABLE,
    scalable::NIST,
    ctcp::CTCP,
    ctcp::NIST,
    ctcp::TUNED,
    ctcp::SLAC_MUTED,
    ctcp::SLAC_PARTIAL,
    ctcp::SLAC_DIFFWND,
    ctcp::SLAC_LOSSWND,
    hstcp::HSTCP,
    hstcp::NIST,
    bic::BIC,
    bic::LINUX,
    bic::NIST,
    htcp::HTCP,
    htcp::NIST,
    fast::FAST,
    fast::FAST_NIST,
    fast_ns2::FAST_NS2,
    fast::FAST_AT,
    fast::FAST_AT_NIST,
    cubic::CUBIC,
    cubic::LINUX,
    vegas::VEGAS,
    vegas::LINUX,
    illinois::ILLINOIS,
    aimd::AIMD,
    aimd::AIMD_LAB,
    aimd::AIMD_LAB_HALF,
    aimd::AIAD,
    aimd::AIAD_LAB,
    westwood::WESTWOOD,
    veno::VENO,
    yeah::YEAH,
    hybla::HYBLA,
    dctcp::DCTCP,
    prague::PRAGUE,
    prague::LINUX,
    ledbat::LEDBAT,
    ledbat_plus_plus::LEDBAT_PLUS_PLUS,
    eefast::EEFAST,
    hcc::HCC,
    copa::COPA,
    copa::DEFAULT_MODE,
    bbr3::BBR3,
    bbr3::LINUX,
    bbr1::BBR1,
    bbr1::LINUX,
    xcp::XCP,
    vcp::VCP,
];

/// Creates one controller per flow, all alike.
pub type Factory = Box<dyn Fn(&Initial) -> Box<dyn CongestionControl> + Send + Sync>;

/// All algorithms, named sets of parameters included.
pub fn algorithms() -> &'static [Algorithm] {
    ALGORITHMS
}

/// The constructor of algorithm `name`, its defaults replaced by `params` where given.
///
/// # Errors
///
/// If there is no such algorithm, no such parameter of it, or a value outside its range.
pub fn factory(name: &str, params: &BTreeMap<String, f64>) -> Result<Factory, RegistryError> {
    let Some(algorithm) = ALGORITHMS.iter().find(|algorithm| algorithm.name == name) else {
        let suggestion = closest(name, ALGORITHMS.iter().map(|algorithm| algorithm.name));
        return Err(RegistryError::UnknownAlgorithm { name: name.to_owned(), suggestion });
    };
    let values = values(algorithm.name, algorithm.params, params)?;
    let build = algorithm.build;
    Ok(Box::new(move |initial| build(&values, initial)))
}

/// Needs of the controllers of algorithm `name`, its defaults replaced by `params` where given.
///
/// # Errors
///
/// As [`factory`].
pub fn needs(name: &str, params: &BTreeMap<String, f64>) -> Result<Needs, RegistryError> {
    Ok(factory(name, params)?(&Initial::ANY).needs())
}

/// The values of the parameters `known` of `algorithm`: `given` where there is one, else the default.
///
/// # Errors
///
/// If there is no such parameter, or a value is outside its range.
pub fn values(
    algorithm: &'static str,
    known: &'static [Param],
    chosen: &BTreeMap<String, f64>,
) -> Result<Vec<f64>, RegistryError> {
    let mut values: Vec<f64> = known.iter().map(|param| param.default).collect();
    for (key, &value) in chosen {
        let Some(index) = known.iter().position(|param| param.name == key) else {
            let suggestion = closest(key, known.iter().map(|param| param.name));
            return Err(RegistryError::UnknownParam { algorithm, name: key.clone(), suggestion });
        };
        let param = &known[index];
        // NaN is in no range.
        if !(param.min..=param.max).contains(&value) {
            let expected = format!("a number from {} to {}", param.min, param.max);
            return Err(RegistryError::BadParam { name: key.clone(), value, expected });
        }
        values[index] = value;
    }
    Ok(values)
}

/// Why an algorithm cannot be created.
#[derive(Clone, Debug, PartialEq)]
pub enum RegistryError {
    /// No algorithm has this name.
    UnknownAlgorithm {
        /// The name asked for.
        name: String,
        /// An existing name like it.
        suggestion: Option<&'static str>,
    },
    /// The algorithm has no parameter of this name.
    UnknownParam {
        /// The algorithm asked for.
        algorithm: &'static str,
        /// The parameter asked for.
        name: String,
        /// A parameter of the algorithm with a name like it.
        suggestion: Option<&'static str>,
    },
    /// The value of a parameter is out of range.
    BadParam {
        /// The parameter.
        name: String,
        /// The value found.
        value: f64,
        /// Values that would be accepted.
        expected: String,
    },
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suggestion = match self {
            Self::UnknownAlgorithm { name, suggestion } => {
                write!(f, "no algorithm is called \"{name}\"")?;
                suggestion
            }
            Self::UnknownParam { algorithm, name, suggestion } => {
                write!(f, "algorithm \"{algorithm}\" has no parameter \"{name}\"")?;
                suggestion
            }
            Self::BadParam { name, value, expected } => {
                return write!(f, "parameter \"{name}\": expected {expected}, got {value}");
            }
        };
        suggestion.map_or(Ok(()), |close| write!(f, "; did you mean \"{close}\"?"))
    }
}

impl std::error::Error for RegistryError {}

/// The candidate most like `name`, if one is like it at all: at most a third of its letters differ, or
/// one of the two begins with the other.
fn closest(name: &str, candidates: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let name = name.to_lowercase();
    candidates
        .map(|candidate| (strsim::levenshtein(&name, candidate), candidate))
        .filter(|&(distance, candidate)| {
            let begins = name.len() >= 2 && (candidate.starts_with(&name) || name.starts_with(candidate));
            begins || 3 * distance <= candidate.len().max(name.len())
        })
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Prior;
    use crate::testing::{create_with, flow, initial};

    fn problem(name: &str, params: &[(&str, f64)]) -> RegistryError {
        let params = params.iter().map(|&(key, value)| (key.to_owned(), value)).collect();
        factory(name, &params).err().expect("a problem")
    }

    #[test]
    fn every_algorithm_is_built_from_its_defaults_and_its_bounds() {
        for algorithm in algorithms() {
            let bounds: [fn(&Param) -> f64; 3] =
                [|param| param.default, |param| param.min, |param| param.max];
            for value in bounds {
                let params =
                    algorithm.params.iter().map(|param| (param.name.to_owned(), value(param))).collect();
                let create = factory(algorithm.name, &params).expect(algorithm.name);
                assert!(create(&initial(2.0)).decision().cwnd > 0.0);
            }
        }
    }

    #[test]
    fn names_are_unique_and_documented() {
        for (index, algorithm) in algorithms().iter().enumerate() {
            assert!(algorithms()[..index].iter().all(|other| other.name != algorithm.name));
            assert!(!algorithm.summary.is_empty() && !algorithm.source.is_empty());
            assert!(!algorithm.display.is_empty() && algorithm.edition > 0);
            assert!(algorithms()[..index].iter().all(|other| other.display != algorithm.display));
            for (index, param) in algorithm.params.iter().enumerate() {
                assert!(algorithm.params[..index].iter().all(|other| other.name != param.name));
                assert!((param.min..=param.max).contains(&param.default), "{}", param.name);
                assert!(!param.doc.is_empty() && !param.unit.is_empty());
            }
        }
    }

    #[test]
    fn unknown_names_get_a_suggestion() {
        assert_eq!(
            problem("rino", &[]).to_string(),
            "no algorithm is called \"rino\"; did you mean \"reno\"?"
        );
        assert_eq!(problem("zzz", &[]).to_string(), "no algorithm is called \"zzz\"");
        let expected = "algorithm \"ctcp\" has no parameter \"gama\"; did you mean \"gamma\"?";
        assert_eq!(problem("ctcp", &[("gama", 1.0)]).to_string(), expected);
    }

    /// A name is like another if one begins with the other, from two letters on, or if a third of its letters differ.
    #[test]
    fn suggestions_are_like_the_name() {
        for (name, suggestion) in [
            ("h", None),
            ("hy", Some("hybla")),
            ("renovation", Some("reno")),
            ("illinoxy", Some("illinois")),
            ("illixxxx", None),
        ] {
            let expected = RegistryError::UnknownAlgorithm { name: name.to_owned(), suggestion };
            assert_eq!(problem(name, &[]), expected);
        }
    }

    /// Window-based controllers take over what the transport puts in force (RFC 5681 section 4.1) and take a reduction back
    /// (RFC 4015). BBR sets its own pace and has no threshold; C-TCP adds up two windows of its own.
    #[test]
    fn windows_of_the_transport_are_taken_over() {
        for algorithm in algorithms() {
            let beta_ecn: &[(&str, f64)] = if algorithm.name == "reno" { &[("beta_ecn", 0.8)] } else { &[] };
            for changes in [&[], beta_ecn] {
                let mut controller = create_with(algorithm, &initial(10.0), changes);
                let before = controller.decision().cwnd;
                controller.override_window(20e3, 30e3);
                let put = controller.decision().cwnd;
                controller.on_undo(&Prior { cwnd: 40e3, ssthresh: Some(50e3) }, &flow());
                match &algorithm.name[..3] {
                    "bbr" => assert_eq!(controller.ssthresh(), None),
                    "ctc" => assert_eq!(controller.decision().cwnd.to_bits(), before.to_bits()),
                    name => {
                        let windows = [put, controller.decision().cwnd];
                        assert_eq!(windows.map(f64::to_bits), [20e3, 40e3].map(f64::to_bits), "{name}");
                        assert_eq!(controller.ssthresh(), Some(50e3), "{}", algorithm.name);
                    }
                }
            }
        }
    }

    /// Routers have to speak the protocol of XCP and of VCP; no other controller wants headers.
    #[test]
    fn two_algorithms_speak_with_routers() {
        let spoken = algorithms().iter().filter_map(|algorithm| {
            let needs = needs(algorithm.name, &BTreeMap::new()).expect("it is built in");
            needs.feedback.map(|protocol| (algorithm.name, protocol.discipline()))
        });
        assert_eq!(spoken.collect::<Vec<_>>(), [("xcp", "xcp"), ("vcp", "vcp")]);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let expected = "parameter \"decrease\": expected a number from 0 to 1, got 1.5";
        assert_eq!(problem("scalable", &[("decrease", 1.5)]).to_string(), expected);
        assert!(matches!(problem("scalable", &[("decrease", f64::NAN)]), RegistryError::BadParam { .. }));
    }
}
