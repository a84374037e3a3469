//! Marks on their way back: any pattern of marks over any channel, with each echo.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use congestion::{AckSample, CongestionControl, CongestionEvent, Decision, Ecn, Flow, Needs, Phase};
use proptest::prelude::*;
use sim::spec::{EchoSpec, Recovery, Transport};

use crate::support::{NEWRENO, RACK, SACK};
use crate::wire::{Echo, Fates, Wire, control, transport};

/// Reno with the needs of another controller, which counts what it hears of marks.
#[derive(Debug)]
struct Listener {
    reno: Box<dyn CongestionControl>,
    ecn: Ecn,
    heard: Arc<Heard>,
}

#[derive(Debug, Default)]
struct Heard {
    indications: AtomicU64,
    marked: AtomicU64,
    delivered: AtomicU64,
}

impl CongestionControl for Listener {
    fn on_ack(&mut self, ack: &AckSample, flow: &Flow) {
        assert!(ack.ce_marked <= ack.delivered, "{} of {} bytes are marked", ack.ce_marked, ack.delivered);
        self.heard.marked.fetch_add(ack.ce_marked / 1000, Ordering::Relaxed);
        self.heard.delivered.fetch_add(ack.delivered / 1000, Ordering::Relaxed);
        self.reno.on_ack(ack, flow);
    }

    fn on_congestion(&mut self, event: CongestionEvent, flow: &Flow) {
        let is_echo = event == CongestionEvent::EcnEcho;
        self.heard.indications.fetch_add(u64::from(is_echo), Ordering::Relaxed);
        self.reno.on_congestion(event, flow);
    }

    fn decision(&self) -> Decision {
        self.reno.decision()
    }

    fn phase(&self) -> Phase {
        self.reno.phase()
    }

    fn needs(&self) -> Needs {
        Needs { ecn: self.ecn, ..self.reno.needs() }
    }
}

/// A transfer over a channel that marks, and what its controller hears.
struct Transfer {
    wire: Wire,
    heard: Arc<Heard>,
}

impl Transfer {
    fn new(ecn: Ecn, limit: u32, transport: &Transport, data: Fates, marks: Vec<bool>) -> Self {
        let heard = Arc::<Heard>::default();
        let listener = Listener { reno: control("reno", transport), ecn, heard: heard.clone() };
        let mut wire = Wire::controlled(Box::new(listener), limit, transport, data, Fates::new(vec![], 20));
        wire.mark(marks);
        Self { wire, heard }
    }

    fn run(&mut self) {
        assert!(self.wire.run(400_000), "the transfer ends");
        self.wire.drain();
    }

    fn indications(&self) -> u64 {
        self.heard.indications.load(Ordering::Relaxed)
    }

    /// Segments that arrived marked and had not arrived before.
    fn newly_marked(&self) -> u64 {
        let is_marked = |echo: &&Echo| matches!(echo, Echo::Data { ce: true, first: true, .. });
        self.wire.echoes.iter().filter(is_marked).count() as u64
    }

    /// Segments that arrived marked inside of the window, again or not.
    fn marked(&self) -> u64 {
        let is_marked = |echo: &&Echo| matches!(echo, Echo::Data { ce: true, in_window: true, .. });
        self.wire.echoes.iter().filter(is_marked).count() as u64
    }
}

fn with_ecn(recovery: Recovery, ack_every: u32, echo: EchoSpec) -> Transport {
    Transport { ack_every, ecn: true, echo, rto_min: 0.2, ..transport(recovery, 10.0) }
}

fn marks() -> impl Strategy<Value = Vec<bool>> {
    prop_oneof![
        prop::collection::vec(any::<bool>(), 0..300),
        prop::collection::vec(prop::bool::weighted(0.05), 0..300),
        (0usize..60, 0usize..60).prop_map(|(clear, marked)| {
            let mut marks = vec![false; clear];
            marks.resize(clear + marked, true);
            marks
        }),
    ]
}

/// Losses and delays of data; ACKs are neither lost nor reordered.
fn channel() -> impl Strategy<Value = Fates> {
    let fate = prop_oneof![30 => Just(Some(20u64)), 1 => Just(None), 2 => (15u64..40).prop_map(Some)];
    prop_oneof![
        Just(Fates::new(vec![], 20)),
        prop::collection::vec(fate, 0..300).prop_map(|list| Fates::new(list, 20)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// RFC 9768 section 3.2.2: the count of marks is exact while no ACK is lost, whatever else happens. Without SACK an
    /// ACK that fills a hole covers more segments than the counter can tell apart, and section 3.2.2.5.2 has the sender
    /// assume the safest likely case: it may count whole turns of the counter too many, and never a mark too few unless
    /// receivers acknowledge four segments or more at a time, which counts as thinning of ACKs: then also too few.
    #[test]
    fn accurate_echo_counts_every_mark(
        marks in marks(), data in channel(), ack_every in 1u32..8, limit in 1u32..300,
        recovery in prop::sample::select(vec![SACK, RACK, NEWRENO]),
    ) {
        let transport = with_ecn(recovery, ack_every, EchoSpec::Auto);
        let mut transfer = Transfer::new(Ecn::L4s, limit, &transport, data, marks);
        transfer.run();
        let (counted, marked) = (u64::from(transfer.wire.sender.ecn.ce_marked()), transfer.marked());
        if recovery == NEWRENO {
            prop_assert!(counted.abs_diff(marked) % 8 == 0, "{} of {}", counted, marked);
            prop_assert!(counted >= marked || ack_every >= 4, "{} of {}", counted, marked);
        } else {
            prop_assert_eq!(counted, marked);
        }
        prop_assert!(transfer.heard.marked.load(Ordering::Relaxed) <= counted);
    }

    /// RFC 8257 section 3.2: with SACK, the sender can tell which segments were marked.
    #[test]
    fn dctcp_echo_counts_every_mark(
        marks in marks(), data in channel(), ack_every in 1u32..8, limit in 1u32..300,
        recovery in prop::sample::select(vec![SACK, RACK]),
    ) {
        let transport = with_ecn(recovery, ack_every, EchoSpec::Auto);
        let mut transfer = Transfer::new(Ecn::Dctcp, limit, &transport, data, marks);
        transfer.run();
        prop_assert_eq!(u64::from(transfer.wire.sender.ecn.ce_marked()), transfer.newly_marked());
        prop_assert_eq!(transfer.heard.marked.load(Ordering::Relaxed), transfer.newly_marked());
    }

    /// RFC 3168 section 6.1.2: "more than once every window of data" the sender does not react, and it reacts to marks.
    #[test]
    fn classic_echo_is_answered_once_per_window(
        marks in marks(), data in channel(), ack_every in 1u32..4, limit in 1u32..300,
        recovery in prop::sample::select(vec![SACK, RACK, NEWRENO]),
    ) {
        let transport = with_ecn(recovery, ack_every, EchoSpec::Auto);
        let mut transfer = Transfer::new(Ecn::Classic, limit, &transport, data, marks);
        let (mut answered, mut window_end) = (0, 0);
        transfer.wire.run(0);
        while !transfer.wire.sender.is_done() {
            let snd_nxt = transfer.wire.sender.seq.snd_nxt;
            transfer.wire.step();
            if transfer.indications() > answered {
                prop_assert_eq!(transfer.indications(), answered + 1);
                prop_assert!(transfer.wire.sender.seq.snd_una > window_end, "twice in a window");
                (answered, window_end) = (transfer.indications(), snd_nxt);
            }
        }
        let echoed = transfer.wire.echoes.iter().any(|echo| matches!(echo, Echo::Ack { ece: true }));
        prop_assert!(!echoed || transfer.newly_marked() > 0);
        // A mark is answered, or had come before the CWR of a loss.
        let counters = &transfer.wire.counters;
        let has_answered = answered > 0 || counters.recoveries + counters.timeouts > 0;
        prop_assert!(transfer.newly_marked() == 0 || has_answered);
        check_latch(&transfer.wire.echoes)?;
    }

    /// The same with the classic echo for a controller that asks for more: it falls back.
    #[test]
    fn a_flow_of_l4s_falls_back_to_the_classic_echo(marks in marks(), limit in 1u32..300) {
        let transport = with_ecn(RACK, 2, EchoSpec::Classic);
        let mut transfer = Transfer::new(Ecn::L4s, limit, &transport, Fates::new(vec![], 20), marks);
        prop_assert_eq!(transfer.wire.sender.ecn.agreed(), Ecn::Classic);
        transfer.run();
        check_latch(&transfer.wire.echoes)?;
    }
}

/// RFC 3168 section 6.1.3: every ACK from a mark on has ECE, up to CWR; without a mark none has.
fn check_latch(echoes: &[Echo]) -> Result<(), TestCaseError> {
    let (mut marked, mut next) = (false, 0);
    let mut arrived = std::collections::BTreeSet::new();
    for (at, echo) in echoes.iter().enumerate() {
        match *echo {
            Echo::Data { seq, ce, cwr, .. } => {
                marked &= !cwr;
                marked |= ce && seq >= next;
                arrived.insert(seq);
                while arrived.contains(&next) {
                    next += 1;
                }
            }
            Echo::Ack { ece } => {
                prop_assert_eq!(ece, marked, "ACK {} of {:?}", at, echoes);
            }
        }
    }
    Ok(())
}
