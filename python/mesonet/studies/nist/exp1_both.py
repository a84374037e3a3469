"""Findings that Experiments 1a and 1b both decide: FAST, losses, safety."""

from __future__ import annotations

from mesonet.studies.nist.exp1_sources import ADVICE, RECOVERY, RESULTS, SAFETY, claim
from mesonet.studies.rules import between, ordered, within
from mesonet.studies.scorecard import Claim


def both_findings(experiment: str) -> list[Claim]:
    """Findings on FAST that both experiments decide; FAST-AT took part in 1b only."""
    labels = ("FAST", "FAST-AT") if experiment == "nist-1b" else ("FAST",)
    safety = [made for label in labels for made in _safety(label)]
    return [*safety, *_retransmission(), *_losses(), *_macroscopic(), *_switching()]


def _safety(label: str) -> list[Claim]:
    key = label.lower()
    where = "in congested conditions with few buffers"
    return [
        claim(
            f"{key}-retransmission",
            f"{label} {where}: higher retransmission rate than the others",
            "increased loss and retransmission rates",
            SAFETY,
            ordered(f"{label}.retransmission", "others.retransmission"),
        ),
        claim(
            f"{key}-connecting",
            f"{label} {where}: more flows waiting to be connected",
            "a higher number of flows pending in the connecting state",
            SAFETY,
            ordered(f"{label}.connecting", "others.connecting"),
        ),
        claim(
            f"{key}-completed",
            f"{label} {where}: fewer flows completed",
            "a lower number of flows completed over time",
            SAFETY,
            ordered("others.completed", f"{label}.completed"),
        ),
        claim(
            f"{key}-oscillates",
            f"{label} {where}: windows of the long-lived flows swing by a larger part of "
            "their mean while files on very fast paths are large",
            "cwnd increased and decreased rapidly with large amplitude",
            SAFETY,
            ordered(f"{label}.swing", "others.swing"),
        ),
        claim(
            f"{key}-oscillates-with-congestion",
            f"{label}: the swing of windows grows with congestion, over the conditions",
            "with the oscillations increasing with increasing congestion",
            RESULTS,
            between(f"{label}.swing_with_congestion", low=0.0),
        ),
    ]


def _retransmission() -> list[Claim]:
    return [
        claim(
            "fast-retransmits-most",
            "Share of the congested half of the conditions in which FAST has the highest "
            "retransmission rate",
            "particularly high for FAST under many conditions",
            RESULTS,
            between("FAST.retransmits_most", low=0.75),
        ),
        claim(
            "fast-disparity",
            "FAST's retransmission rate less the others' grows with congestion: rank correlation "
            "over the conditions",
            "the retransmission rate disparity for FAST increased with increasing network "
            "congestion",
            RESULTS,
            between("FAST.disparity_with_congestion", low=0.5),
        ),
    ]


def _losses() -> list[Claim]:
    return [
        claim(
            "congested-half",
            "Conditions with congestion, that is with a mean retransmission rate of 1 % or more",
            "half the combinations (16 of 32)",
            RESULTS,
            within("loss.congested", 16, absolute=4),
        ),
        claim(
            "loss-largest",
            "Largest loss rate of a run",
            "50 %",
            f'{RESULTS}; S, slide "Our study is fairly comprehensive"',
            between("loss.largest", 0.4, 0.6),
        ),
        claim(
            "loss-smallest",
            "Smallest loss rate of a run",
            "no loss; 1e-9",
            f'{RESULTS}; S, slide "Our study is fairly comprehensive"',
            between("loss.smallest", 0.0, 1e-6),
        ),
    ]


def _macroscopic() -> list[Claim]:
    return [
        claim(
            "macroscopic-change",
            "Algorithms other than FAST and FAST-AT change active flows, packets out, flows "
            "completed and round-trip times little against standard TCP: largest median change",
            "under most conditions, little significant change in macroscopic network "
            "characteristics",
            SAFETY,
            between("others.change", high=0.05),
        ),
        claim(
            "macroscopic-change-of-ctcp",
            "CTCP changes the same little",
            "seems unlikely to induce large shifts in macroscopic properties",
            ADVICE,
            between("CTCP.change", high=0.05),
        ),
        claim(
            "macroscopic-change-of-fast",
            "FAST changes them more than any of the others, FAST-AT aside",
            "FAST and FAST-AT are exceptions",
            SAFETY,
            ordered("FAST.change", "others.change"),
        ),
    ]


def _switching() -> list[Claim]:
    return [
        claim(
            "falls-back",
            "Under the worst congestion most flows of algorithms with a switch are under standard "
            "rules: their mean share in the four worst conditions",
            "most revert to standard TCP congestion avoidance procedures",
            RECOVERY,
            between("switching.standard_share", low=0.5),
        ),
        claim(
            "fast-does-not-fall-back",
            "FAST has a smaller share of its flows under standard rules there",
            "do not use TCP congestion avoidance under any conditions",
            RECOVERY,
            ordered("switching.standard_share", "FAST.standard_share"),
        ),
    ]
