//! Actions: numbers that become windows or pacing rates.

use congestion::{Decision, Flow, Rate};
use serde::{Deserialize, Serialize};

/// Quantity that an action sets.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Congestion window [segments]; segments leave as soon as it allows.
    Window,
    /// Pacing rate [bit/s]; the window is twice what it fills in a smoothed round trip, and does not bind.
    Rate,
}

/// Rule that makes a value of the target from the number.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Rule {
    /// The number is the value.
    Absolute,
    /// The number, from -1 to 1, is the place of the value between the bounds, on a scale of logarithms.
    Level,
    /// The number `a`, from -1 to 1, changes the value by at most `step`: times `1 + step a` if it is positive, divided
    /// by `1 - step a` if it is negative (Jay et al., ICML 2019).
    Multiply {
        /// Largest relative change.
        step: f64,
    },
    /// The number is the index of a pair: the value is multiplied by its first and increased by its second number
    /// (Sivakumar et al., 2019).
    Choose {
        /// Pairs of a factor and a summand [the unit of the target].
        choices: Vec<[f64; 2]>,
    },
}

/// Meaning of the numbers that a policy answers with.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// Quantity that is set.
    pub target: Target,
    /// Rule that makes a value of it.
    pub rule: Rule,
    /// Least value [segments or bit/s].
    pub least: f64,
    /// Largest value [segments or bit/s].
    pub most: f64,
}

/// Windows under a rate, in what the rate fills in a smoothed round trip, and at least [segments]. Those of BBR
/// (draft-ietf-ccwg-bbr), for the same reason: delayed ACKs must not stop a paced sender.
const ROOM: f64 = 2.0;
const LEAST_ROOM: f64 = 4.0;

/// Largest window that the transport numbers [segments].
pub const MOST_SEGMENTS: f64 = 16_777_216.0;

const BITS: f64 = 8.0;

impl Action {
    /// Range of the numbers.
    pub fn range(&self) -> (f64, f64) {
        match &self.rule {
            Rule::Absolute => (self.least, self.most),
            Rule::Level | Rule::Multiply { .. } => (-1.0, 1.0),
            Rule::Choose { choices } => (0.0, last(choices)),
        }
    }

    /// `true` for a number that an agent may answer with.
    pub fn allows(&self, number: f64) -> bool {
        let (low, high) = self.range();
        let whole =
            !matches!(self.rule, Rule::Choose { .. }) || libm::trunc(number).total_cmp(&number).is_eq();
        (low..=high).contains(&number) && whole
    }

    /// Decision that follows `before` by a number; it comes from [`Action::range`].
    pub fn decision(&self, number: f64, before: &Decision, flow: &Flow) -> Decision {
        let smss = f64::from(flow.smss);
        let old = match self.target {
            Target::Window => before.cwnd / smss,
            Target::Rate => {
                let round_trip = flow.srtt.seconds().max(1e-6);
                BITS * before.pacing_rate.map_or(before.cwnd / round_trip, |rate| rate.0)
            }
        };
        let value = self.value(number, old).clamp(self.least, self.most);
        match self.target {
            Target::Window => Decision { cwnd: value * smss, pacing_rate: None },
            Target::Rate => {
                let rate = value / BITS;
                let room = (ROOM * rate * flow.srtt.seconds()).max(LEAST_ROOM * smss);
                Decision { cwnd: room.min(MOST_SEGMENTS * smss), pacing_rate: Some(Rate(rate)) }
            }
        }
    }

    fn value(&self, number: f64, old: f64) -> f64 {
        match &self.rule {
            Rule::Absolute => number,
            Rule::Level => self.least * libm::pow(self.most / self.least, f64::midpoint(number, 1.0)),
            Rule::Multiply { step } if number < 0.0 => old / (1.0 - step * number),
            Rule::Multiply { step } => old * (1.0 + step * number),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index in range")]
            Rule::Choose { choices } => {
                choices.get(number as usize).map_or(old, |[factor, summand]| old * factor + summand)
            }
        }
    }

    /// Faults: place and what was expected and found.
    pub fn faults(&self) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        let (floor, ceiling, unit) = match self.target {
            Target::Window => (1.0, MOST_SEGMENTS, "segments"),
            Target::Rate => (1e3, 1e13, "bit/s"),
        };
        let mut bound = |place, value: f64, from: f64| {
            if !(from..=ceiling).contains(&value) {
                faults.push((place, format!("expected from {from} to {ceiling} {unit}, got {value}")));
            }
        };
        bound("action.least", self.least, floor);
        bound("action.most", self.most, self.least.max(floor));
        match &self.rule {
            Rule::Multiply { step } if !(*step > 0.0 && *step <= 10.0) => {
                faults.push(("action.step", format!("expected above 0, at most 10, got {step}")));
            }
            Rule::Choose { choices } => {
                let finite = |pair: &[f64; 2]| pair[0] >= 0.0 && pair.iter().all(|number| number.is_finite());
                if choices.len() < 2 || !choices.iter().all(finite) {
                    let expected =
                        "expected two or more pairs of a factor of at least 0 and a finite summand";
                    faults.push(("action.choices", expected.into()));
                }
            }
            _ => {}
        }
        faults
    }
}

#[expect(clippy::cast_precision_loss, reason = "a handful of choices")]
fn last(choices: &[[f64; 2]]) -> f64 {
    choices.len().saturating_sub(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use congestion::Duration;

    fn action(target: Target, rule: Rule) -> Action {
        Action { target, rule, least: 2.0, most: 200.0 }
    }

    fn window(rule: Rule, number: f64) -> f64 {
        let flow = Flow { smss: 1000, srtt: Duration::from_millis(100), ..Flow::default() };
        let before = Decision { cwnd: 40_000.0, pacing_rate: None };
        action(Target::Window, rule).decision(number, &before, &flow).cwnd / 1000.0
    }

    #[test]
    fn rules_do_what_their_sources_say() {
        let close =
            |value: f64, expected: f64| assert!((value - expected).abs() < 1e-9, "{value}, not {expected}");
        close(window(Rule::Absolute, 17.5), 17.5);
        close(window(Rule::Level, 0.0), 20.0);
        close(window(Rule::Level, 1.0), 200.0);
        close(window(Rule::Multiply { step: 0.5 }, 1.0), 60.0);
        close(window(Rule::Multiply { step: 1.0 }, -1.0), 20.0);
        let choices = vec![[1.0, 0.0], [0.5, 0.0], [1.0, 10.0], [0.0, 0.0]];
        close(window(Rule::Choose { choices: choices.clone() }, 2.0), 50.0);
        close(window(Rule::Choose { choices }, 3.0), 2.0);
    }

    #[test]
    fn a_rate_leaves_room_in_the_window() {
        let flow = Flow { smss: 1000, srtt: Duration::from_millis(100), ..Flow::default() };
        let before = Decision { cwnd: 40_000.0, pacing_rate: None };
        let action = Action { most: 1e9, least: 1e3, ..action(Target::Rate, Rule::Absolute) };
        let decision = action.decision(8e6, &before, &flow);
        assert_eq!(decision.pacing_rate, Some(Rate(1e6)));
        assert!((decision.cwnd - 200_000.0).abs() < 1e-6);
    }

    #[test]
    fn numbers_out_of_range_and_bad_bounds_are_told() {
        let choose = action(Target::Window, Rule::Choose { choices: vec![[1.0, 0.0], [0.5, 0.0]] });
        assert!(choose.allows(1.0) && !choose.allows(0.5) && !choose.allows(2.0) && !choose.allows(f64::NAN));
        let bad =
            Action { least: 0.0, most: f64::NAN, ..action(Target::Window, Rule::Multiply { step: 0.0 }) };
        let places: Vec<_> = bad.faults().into_iter().map(|(place, _)| place).collect();
        assert_eq!(places, ["action.least", "action.most", "action.step"]);
    }
}
