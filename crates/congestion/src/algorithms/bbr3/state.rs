//! The state machine (draft section 5.1): states, and which may follow which.

use super::Bbr3;

/// States of the machine; four of them make up the draft's `ProbeBW`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Startup,
    Drain,
    ProbeBwDown,
    ProbeBwCruise,
    ProbeBwRefill,
    ProbeBwUp,
    ProbeRtt,
}

impl State {
    /// The machine may go from here to `next` (draft section 5.1, and its functions): Startup, Drain, then the cycle
    /// DOWN, CRUISE, REFILL, UP. CRUISE may be left out, and `ProbeRTT` comes between any two, but not twice.
    fn may_become(self, next: Self) -> bool {
        match next {
            Self::Startup => self == Self::ProbeRtt,
            Self::Drain => self == Self::Startup,
            Self::ProbeBwDown => matches!(self, Self::Drain | Self::ProbeBwUp | Self::ProbeRtt),
            Self::ProbeBwCruise => self == Self::ProbeBwDown,
            Self::ProbeBwRefill => matches!(self, Self::ProbeBwDown | Self::ProbeBwCruise),
            Self::ProbeBwUp => self == Self::ProbeBwRefill,
            Self::ProbeRtt => self != Self::ProbeRtt,
        }
    }
}

impl Bbr3 {
    /// Goes to `next`; nothing else changes the state.
    pub fn transition_to(&mut self, next: State) {
        debug_assert!(self.state.may_become(next), "{:?} does not become {next:?}", self.state);
        self.state = next;
    }

    /// `IsInAProbeBWState`.
    pub fn is_in_a_probe_bw_state(&self) -> bool {
        use State::{ProbeBwCruise, ProbeBwDown, ProbeBwRefill, ProbeBwUp};
        matches!(self.state, ProbeBwDown | ProbeBwCruise | ProbeBwRefill | ProbeBwUp)
    }

    /// `IsProbingBW`: the flow sends faster than the path is known to carry.
    pub fn is_probing_bw(&self) -> bool {
        matches!(self.state, State::Startup | State::ProbeBwRefill | State::ProbeBwUp)
    }
}

#[cfg(test)]
mod tests {
    use super::State;

    const ALL: [State; 7] = [
        State::Startup,
        State::Drain,
        State::ProbeBwDown,
        State::ProbeBwCruise,
        State::ProbeBwRefill,
        State::ProbeBwUp,
        State::ProbeRtt,
    ];

    /// Draft section 5.1 and its functions: rows are from, columns to, in the order above.
    #[test]
    fn transitions_are_those_of_the_draft() {
        let expected = ["010000 1", "001000 1", "000110 1", "000010 1", "000001 1", "001000 1", "101000 0"];
        for (from, row) in ALL.iter().zip(expected) {
            let legal: Vec<char> = row.chars().filter(|mark| *mark != ' ').collect();
            for (to, mark) in ALL.iter().zip(legal) {
                assert_eq!(from.may_become(*to), mark == '1', "{from:?} to {to:?}");
            }
        }
    }
}
