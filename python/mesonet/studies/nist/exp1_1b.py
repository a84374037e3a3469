"""Findings of Experiment 1b: FAST-AT, long-lived flows, latencies and triggers."""

from __future__ import annotations

from collections.abc import Mapping

from mesonet.studies.nist.exp1_sources import ADVICE, ALGORITHMS, RATE, RECOVERY, RESULTS, claim
from mesonet.studies.rules import between, correlates, not_computable, ordered, within
from mesonet.studies.scorecard import Claim

LATENCIES: Mapping[str, tuple[float, float]] = {
    "BIC": (18.8, 71.3),
    "CTCP": (7.9, 2.9),
    "FAST": (3.7, 6.6),
    "FAST-AT": (3.7, 26.0),
    "HSTCP": (22.4, 10.0),
    "HTCP": (16.6, 10.0),
    "Scalable": (17.8, 22.5),
}
"""Goodput and recovery latency [s] by algorithm, as printed."""
TRIGGERS: Mapping[str, float] = {"BIC": 14, "CTCP": 41, "HSTCP": 31, "Scalable": 16}
"""Windows [segments] at which algorithms leave standard congestion avoidance, as printed."""


def findings_1b() -> list[Claim]:
    """Findings on FAST-AT, the long-lived flows, their latencies, cuts and triggers."""
    return [*_apart(), *_long_flows(), *_latencies(), *_kept(), *_triggers()]


def _apart() -> list[Claim]:
    return [
        claim(
            "fast-apart",
            "FAST stands apart more often than any other algorithm (FAST-AT left out)",
            "quite distinct from the other proposed TCP replacements",
            RESULTS,
            ordered("clusters.fast_apart", "clusters.other_apart"),
        ),
        claim(
            "fast-at-apart",
            "FAST-AT stands apart more often than any of the others does (FAST left out)",
            "quite distinct from the other proposed TCP replacements",
            RESULTS,
            ordered("clusters.fast_at_apart", "clusters.other_apart"),
        ),
        claim(
            "fast-at-like-fast",
            "Share of the conditions in which FAST is the algorithm nearest to FAST-AT, over the "
            "45 responses",
            "indistinguishable behavior",
            RESULTS,
            between("clusters.fast_at_beside_fast", low=0.5),
        ),
        claim(
            "others-alike",
            "Conditions of 32 in which one certain algorithm of the other six stands apart, at "
            "most",
            "largely indistinguishable from each other",
            RESULTS,
            between("clusters.other_apart", high=8),
        ),
    ]


def _long_flows() -> list[Claim]:
    return [
        claim(
            "long-flows-beat-reno",
            "Long-lived flows before the congestion: smallest goodput of a proposed algorithm "
            "over standard TCP's (geometric mean over flows and conditions)",
            "all provided much greater throughput",
            RESULTS,
            between("long.smallest_gain", low=1.0),
        ),
        claim(
            "long-flows-in-congestion",
            "Goodput of the long-lived flows in the congestion over that before it: largest of "
            "any algorithm",
            "driven to a very low level for all",
            RESULTS,
            between("long.most_kept", high=0.25),
        ),
        claim(
            "recovery-beats-reno",
            "After the congestion every proposed algorithm is back at its maximum before standard "
            "TCP",
            "all of them recovered more quickly than standard TCP",
            RESULTS,
            ordered("Reno.recovery_latency", "slowest.recovery_latency"),
        ),
        claim(
            "increase-beats-reno",
            "With a low initial threshold every proposed algorithm reaches its maximum before "
            "standard TCP",
            "more quickly than the (linear) increase of standard TCP",
            RATE,
            ordered("Reno.goodput_latency", "slowest.goodput_latency"),
        ),
        claim(
            "fast-first",
            "FAST reaches its maximum before all but FAST-AT",
            "FAST reaches high throughput most quickly; 3.7 s, next 7.9 s",
            f"{RESULTS}; {ALGORITHMS}",
            ordered("next_to_fast.goodput_latency", "FAST.goodput_latency"),
        ),
    ]


def _latencies() -> list[Claim]:
    goodput = {f"{label}.goodput_latency": pair[0] for label, pair in LATENCIES.items()}
    recovery = {f"{label}.recovery_latency": pair[1] for label, pair in LATENCIES.items()}
    return [
        claim(
            "goodput-latency-order",
            "Goodput latencies of the seven algorithms, in order",
            ", ".join(f"{label} {pair[0]:g} s" for label, pair in LATENCIES.items()),
            ALGORITHMS,
            correlates(goodput, rho=0.6),
        ),
        claim(
            "recovery-latency-order",
            "Recovery latencies of the seven algorithms, in order",
            ", ".join(f"{label} {pair[1]:g} s" for label, pair in LATENCIES.items()),
            ALGORITHMS,
            correlates(recovery, rho=0.6),
        ),
        claim(
            "goodput-latency-seconds",
            "The same in seconds: typical factor between printed and measured (geometric mean)",
            "1",
            ALGORITHMS,
            between("latency.goodput_factor", high=2.0),
        ),
        claim(
            "recovery-latency-seconds",
            "The same in seconds: typical factor between printed and measured (geometric mean)",
            "1",
            ALGORITHMS,
            between("latency.recovery_factor", high=2.0),
        ),
        claim(
            "ctcp-increases",
            "CTCP's place by goodput latency among the seven",
            "can increase transmission rate relatively quickly (third)",
            f"{ADVICE}; {ALGORITHMS}",
            between("CTCP.goodput_place", high=3),
        ),
        claim(
            "ctcp-recovers",
            "CTCP's place by recovery latency among the seven",
            "recovers maximum transmission rate quickly (first)",
            f"{ADVICE}; {ALGORITHMS}",
            between("CTCP.recovery_place", high=3),
        ),
    ]


def _kept() -> list[Claim]:
    return [
        claim(
            "cut-less",
            "Smallest part of the window that Scalable, BIC or HSTCP keep after a loss",
            "reduce less than standard TCP, which halves",
            RECOVERY,
            between("kept.smallest_of_three", low=0.55),
        ),
        claim(
            "cut-half",
            "CTCP, FAST and FAST-AT: largest distance of the part kept from a half",
            "by 1/2",
            RECOVERY,
            between("kept.away_from_half", high=0.05),
        ),
        claim(
            "cut-htcp",
            "Part that HTCP keeps",
            "reduction between 20 and 50 %",
            RECOVERY,
            between("kept.HTCP", 0.495, 0.805),
        ),
    ]


def _triggers() -> list[Claim]:
    made = [
        claim(
            f"trigger-{label.lower()}",
            f"Smallest window at which a long-lived flow was under {label}'s own rules",
            f"{window:g} packets",
            ALGORITHMS,
            within(f"{label}.activation", window, relative=0.1),
        )
        for label, window in TRIGGERS.items()
    ]
    made += [
        claim(
            f"trigger-{label.lower()}",
            f"{label} has no such window: the smallest seen is below that of any other algorithm",
            "none",
            ALGORITHMS,
            between(f"{label}.activation", high=min(TRIGGERS.values()) - 1),
        )
        for label in ("FAST", "FAST-AT")
    ]
    made.append(
        claim(
            "trigger-htcp",
            "H-TCP's own rules begin",
            "1 s without loss",
            ALGORITHMS,
            not_computable(
                "the responses of a run show windows, not how long ago a loss was; the rule is an "
                "input of ours, with its own tests"
            ),
        )
    )
    return made
