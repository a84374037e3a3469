//! Explicit congestion notification: what two ends agree on, and the state that each of them keeps.

mod counter;
mod receiver;
mod sender;

pub use self::receiver::EcnReceiver;
pub use self::sender::{Echoed, EcnSender};
use congestion::{Ecn, Needs};

use crate::net::ecn::Echo;

/// Options of ECN that all hosts of a run share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnOptions {
    /// ECN as of RFC 3168 is switched on, which DCTCP and L4S do not wait for.
    pub classic: bool,
    /// Echo that receivers are able to give; `None` gives each controller the one that it asks for.
    pub echo: Option<Echo>,
}

/// Agreement of a controller's needs with the options: the service that it gets, and the echo of its receiver.
///
/// ECT(1) needs accurate feedback from both ends (RFC 9331 section 4.2). With the classic echo a flow falls back to
/// classic ECN.
/// <https://www.rfc-editor.org/rfc/rfc9331#section-4.2>
#[must_use]
pub fn negotiate(needs: &Needs, options: &EcnOptions) -> (Ecn, Echo) {
    let own = match needs.ecn {
        Ecn::None => Echo::Off,
        Ecn::Classic if !options.classic => Echo::Off,
        Ecn::Classic => Echo::Classic,
        Ecn::Dctcp => Echo::Dctcp,
        Ecn::L4s => Echo::Accurate,
    };
    let echo = match options.echo {
        Some(echo) if own != Echo::Off => echo,
        _ => own,
    };
    let service = match echo {
        Echo::Off => Ecn::None,
        Echo::Classic => Ecn::Classic,
        Echo::Dctcp | Echo::Accurate => needs.ecn,
    };
    (service, echo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_agree_on_what_both_are_able_to() {
        let options = |classic, echo| EcnOptions { classic, echo };
        let agree = |ecn, options| negotiate(&Needs { ecn, ..Needs::default() }, &options);
        let (off, on) = (options(false, None), options(true, None));
        for options in [off, on, options(true, Some(Echo::Accurate))] {
            assert_eq!(agree(Ecn::None, options), (Ecn::None, Echo::Off));
        }
        assert_eq!(agree(Ecn::Classic, off), (Ecn::None, Echo::Off));
        assert_eq!(agree(Ecn::Classic, options(false, Some(Echo::Accurate))), (Ecn::None, Echo::Off));
        assert_eq!(agree(Ecn::Classic, on), (Ecn::Classic, Echo::Classic));
        assert_eq!(agree(Ecn::Classic, options(true, Some(Echo::Dctcp))), (Ecn::Classic, Echo::Dctcp));
        assert_eq!(agree(Ecn::Dctcp, off), (Ecn::Dctcp, Echo::Dctcp));
        assert_eq!(agree(Ecn::Dctcp, options(false, Some(Echo::Classic))), (Ecn::Classic, Echo::Classic));
        assert_eq!(agree(Ecn::L4s, off), (Ecn::L4s, Echo::Accurate));
        assert_eq!(agree(Ecn::L4s, options(false, Some(Echo::Dctcp))), (Ecn::L4s, Echo::Dctcp));
        assert_eq!(agree(Ecn::L4s, options(false, Some(Echo::Classic))), (Ecn::Classic, Echo::Classic));
    }
}
