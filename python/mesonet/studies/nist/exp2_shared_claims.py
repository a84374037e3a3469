"""Published claims on all parts of Experiment 2 alike, and the rules that judge them."""

from __future__ import annotations

from mesonet.studies.nist.exp2_figures import OSCILLATING, UNFAIR
from mesonet.studies.nist.exp2_plan import ALTERNATES
from mesonet.studies.nist.exp2_published import NETWORKS, VOLUME_SLIDE, VOLUMES
from mesonet.studies.rules import above, between, each, not_computable, ordered, placed, within
from mesonet.studies.scorecard import Claim

LABELS = tuple(ALTERNATES)
SLACK = 0.1
"""Tolerance for orders of mean ranks: chance alone moves the mean of several hundred ranks by a
tenth."""
RATE = "slides, “Increase Rate”; paper, section 7.1.a"
UTILITY = "slides, “Utility Bounds”; paper, section 7.2"
_FAIRNESS = "slides, “Fairness”; paper, section 7.1.c"
_RECOVERY = "paper, section 7.1.b"
_SAFETY = "slides, “Safety”; paper, section 7.3"


def others(*labels: str) -> tuple[str, ...]:
    """The other ones of the seven alternates."""
    return tuple(label for label in LABELS if label not in labels)


def fairness(name: str) -> tuple[Claim, ...]:
    """Claims on fairness to Reno."""
    third: tuple[Claim, ...] = ()
    if name == "nist-2a":
        third = (
            Claim(
                "fair-third",
                "FAST-AT is third fairest to Reno.",
                "3",
                _FAIRNESS,
                placed("reno.", "FAST-AT", LABELS, 3, 3),
            ),
        )
    if name == "nist-2b":
        third = (
            Claim(
                "fair-fast-at-low-threshold",
                "With a low threshold FAST-AT is less fair: no longer third.",
                "more unfair",
                _FAIRNESS,
                placed("reno.", "FAST-AT", LABELS, 4, 7),
            ),
        )
    return (
        Claim(
            "fair-ctcp-htcp",
            "CTCP and HTCP are fairest to Reno: beside them its mean rank over the four kinds of "
            "files is highest.",
            "most fair",
            _FAIRNESS,
            above("reno.", ("CTCP", "HTCP"), others("CTCP", "HTCP"), slack=SLACK),
        ),
        *third,
        Claim(
            "fair-worst",
            "Scalable TCP, BIC and FAST are the least fair to Reno.",
            "most unfair",
            _FAIRNESS,
            above("reno.", others(*UNFAIR), UNFAIR, slack=SLACK),
        ),
        Claim(
            "fair-hstcp",
            "HSTCP is moderately fair: third to fifth of seven.",
            "moderately",
            _FAIRNESS,
            placed("reno.", "HSTCP", LABELS, 3, 5),
        ),
        Claim(
            "fair-hstcp-congestion",
            "HSTCP is fairer under lower congestion.",
            "fairer under lower congestion",
            _FAIRNESS,
            ordered("reno.HSTCP.uncongested", "reno.HSTCP.congested"),
        ),
    )


def beyond(name: str) -> tuple[Claim, ...]:
    """Severe congestion, safety, and how many users benefit."""
    severe = (
        Claim(
            "severe-ctcp-htcp",
            "Under severe congestion CTCP and HTCP gain more over Reno than FAST and FAST-AT.",
            "can be better",
            _RECOVERY,
            above("severe.", ("CTCP", "HTCP"), OSCILLATING),
        ),
        Claim(
            "severe-fast",
            "FAST and FAST-AT get less than Reno there.",
            "underperform Reno",
            _RECOVERY,
            each("severe.", OSCILLATING, high=0.0),
        ),
        Claim(
            "safety-quiet",
            "But for FAST, algorithms make little difference to the network as a whole under most "
            "conditions: within 10 % in most cases.",
            "little change, most conditions",
            _SAFETY,
            between("safety.quiet", 0.5, 1.0),
        ),
        Claim(
            "severe-retransmission",
            "Where congestion is high and buffers are small, FAST and FAST-AT have more "
            "retransmissions than the others: the relative difference.",
            "increased loss rate",
            _RECOVERY,
            between("safety.retransmission", 0.0),
        ),
        Claim(
            "safety-oscillation",
            "FAST and FAST-AT oscillate, with more flows connecting and fewer completed, under "
            "high spatiotemporal congestion.",
            "exceptions",
            _SAFETY,
            not_computable("this experiment has none; see nist-1a and nist-1b"),
        ),
        Claim(
            "utility-few-users",
            "Few users benefit often: at most a quarter of the transfers of alternate flows are in "
            "a group and condition where these get over 10 % more than Reno.",
            "rather low probability",
            UTILITY,
            between("utility.share", 0.0, 0.25),
        ),
    )
    if name == "nist-2b":
        return (
            *severe,
            Claim(
                "deviation-ctcp-lower",
                "CTCP's ranks vary less than with a high threshold.",
                "lower deviation",
                "paper, section 6 and figure 28",
                not_computable("compares two studies: see the deviations on both pages"),
            ),
            Claim(
                "threshold-under-congestion",
                "Under heavy congestion the initial threshold matters little.",
                "matters little",
                RATE,
                not_computable("compares two studies: see the gains on both pages"),
            ),
        )
    return severe


def network(name: str) -> tuple[Claim, ...]:
    """The published network, once for each that is printed."""
    if name == "nist-2b":
        return ()
    printed_network = NETWORKS[name]
    where = f"slides, “{printed_network.slide}”"
    claims = [
        Claim(
            f"sources-{level}",
            f"Number of sources at the {level} level.",
            f"{printed:,}",
            where,
            within(f"sources.{level}", printed, relative=0.01),
        )
        for level, printed in zip(("plus", "minus"), printed_network.sources, strict=True)
    ]
    for place, level in enumerate(("plus", "minus")):
        claims.append(
            Claim(
                f"speeds-{level}",
                f"Speeds of backbone, PoP, N, F and D routers at the {level} level: the largest "
                "relative distance.",
                " / ".join(f"{levels[place]:g}" for levels in printed_network.speeds.values())
                + " Gbit/s",
                where,
                between(f"speeds.{level}", 0.0, 0.001),
            )
        )
    for place, factor in enumerate(("1", "0.5")):
        claims.append(
            Claim(
                f"buffers-{factor}",
                "Smallest, mean and largest buffers of backbone, PoP and access routers at a "
                f"factor of {factor}: the largest distance, packets.",
                "; ".join(
                    " / ".join(f"{number:,.12g}" for number in rows[place])
                    for rows in printed_network.buffers.values()
                ),
                where,
                between(f"buffers.{factor}", 0.0, 1.0),
            )
        )
    return tuple(claims)


def volumes(name: str) -> tuple[Claim, ...]:
    """Flows, packets and processor hours."""
    volume = VOLUMES[name]
    where = f"slides, “{VOLUME_SLIDE}”"
    return (
        Claim(
            "flows",
            "Flows simulated in 224 runs, at the published size.",
            f"> {volume.flows:.3g}",
            where,
            within("volume.flows", volume.flows, relative=0.25),
        ),
        Claim(
            "packets",
            "Packets simulated in 224 runs, at the published size.",
            f"> {volume.packets:.3g}",
            where,
            within("volume.packets", volume.packets, relative=0.25),
        ),
        Claim(
            "packets-per-flow",
            "Packets per flow.",
            f"{volume.packets / volume.flows:.0f}",
            f"{where}, one over the other",
            within("volume.per-flow", volume.packets / volume.flows, relative=0.25),
        ),
        Claim(
            "processor-hours",
            "Processor hours of 224 runs.",
            f"{volume.hours:,.1f}",
            where,
            not_computable("another simulator on other machines; ours are below, in “Cost”"),
        ),
    )
