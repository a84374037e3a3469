"""Claims of the slides, and the tolerances of their agreement.

The table of figure 12 is all that is printed in numbers. Findings in words become ranges and orders
that are ours; the curves of the other figures are lost in our copy.
"""

from __future__ import annotations

from collections.abc import Iterator

from mesonet.studies.hcc.explanations import (
    BEST_AT_EVERY_BUFFER,
    FRIENDLY,
    table_explanation,
)
from mesonet.studies.hcc.fairness import (
    BUFFERS,
    EFFICIENCY_WITHIN,
    JAIN_WITHIN,
    RATIOS,
    published,
    published_jain,
)
from mesonet.studies.hcc.figures import slug, table_name
from mesonet.studies.hcc.scenarios import HIGH_SPEED
from mesonet.studies.rules import between, ordered, within
from mesonet.studies.scorecard import Claim


def _table() -> Iterator[Claim]:
    for buffer in BUFFERS:
        for label in HIGH_SPEED:
            for ratio in RATIOS:
                throughputs = published(label, buffer, ratio)
                assert throughputs is not None
                where = f"fig. 12 ({'a' if buffer == BUFFERS[0] else 'b'})"
                name = f"{slug(label)}-{buffer}-{ratio:g}"
                at = f"{label}, RTT ratio {ratio:g}, {buffer} packets"
                total = sum(throughputs)
                index = published_jain(label, buffer, ratio)
                yield Claim(
                    f"fi-{name}",
                    f"{at}: fairness index",
                    f"{index:.4f}",
                    where,
                    within(table_name(label, buffer, ratio, "fi"), index, absolute=JAIN_WITHIN),
                    explanation=table_explanation(label),
                )
                yield Claim(
                    f"ei-{name}",
                    f"{at}: efficiency index",
                    f"{total:.2f} Mbit/s",
                    where,
                    within(
                        table_name(label, buffer, ratio, "ei"), total, relative=EFFICIENCY_WITHIN
                    ),
                    explanation=table_explanation(label, efficiency=True),
                )


_SUMMARY = "Shrnutí (summary)"

_WORDS = (
    Claim(
        "best-at-every-buffer",
        "HCC has a better mean throughput than every other high-speed variant at every buffer "
        "size: its throughput over that of the best other one, at the worst buffer",
        "always better",
        f"{_SUMMARY}; fig. 7",
        between("hcc.over-best-other", 0.99),
        explanation=BEST_AT_EVERY_BUFFER,
    ),
    Claim(
        "quick",
        "HCC takes free capacity very quickly: time until one flow has 90 % of the link "
        "(600 packets) [s]",
        "very quickly",
        _SUMMARY,
        between("hcc.filled", 0.0, 5.0),
    ),
    Claim(
        "efficient",
        "HCC takes free capacity effectively: part of the link that one flow uses (600 packets)",
        "effectively",
        _SUMMARY,
        between("hcc.use", 0.95),
    ),
    Claim(
        "hcc-queue",
        "HCC in equilibrium has alpha packets in the queue (2000 packets of buffer)",
        "alpha, 400 packets",
        "Komponenty I; fig. 8",
        within("hcc.queue", 400.0, relative=0.1),
    ),
    Claim(
        "hcc-needs-no-large-buffer",
        "HCC does not need large buffers: throughput at 200 packets over that at 2000",
        "not required",
        "Základní charakteristika HCC TCP",
        between("hcc.scarce", 0.9),
    ),
    Claim(
        "fast-queue",
        "FAST keeps the queue at a small value above zero: alpha (2000 packets of buffer)",
        "small, not zero; alpha 400",
        "Související protokoly II; fig. 8",
        within("fast.queue", 400.0, relative=0.1),
    ),
    Claim(
        "fast-uses-all",
        "FAST uses the capacity fully (2000 packets of buffer)",
        "full use",
        "Související protokoly II",
        between("fast.use", 0.98),
    ),
    Claim(
        "fast-converges",
        "FAST converges fast: time until its window is within 5 % of where it stays [s]",
        "fast",
        "Související protokoly II",
        between("fast.settled", 0.0, 10.0),
    ),
    Claim(
        "fast-needs-buffer",
        "FAST suffers where the buffer is smaller than alpha: throughput at 200 packets over that "
        "at 2000",
        "unpleasant requirement",
        "Související protokoly II",
        between("fast.scarce", 0.0, 0.95),
    ),
    Claim(
        "loss-based-oscillate",
        "The loss-based protocols oscillate between full use and less: smallest variation of "
        "their windows against FAST's (2000 packets)",
        "common problem",
        "Související protokoly, loss-based",
        ordered("loss-based.least-swing", "fast.swing"),
    ),
    Claim(
        "loss-based-lose",
        "The oscillation makes them lose more: smallest part lost against FAST's (2000 packets)",
        "common problem",
        "Související protokoly, loss-based",
        ordered("loss-based.least-loss", "fast.loss"),
    ),
    Claim(
        "hstcp-rtt-fairness",
        "HSTCP has large problems with RTT fairness, FAST has RTT fairness: mean index",
        "large problems",
        "Související protokoly; II",
        ordered("fast.fi", "hstcp.fi"),
    ),
    Claim(
        "stcp-rtt-fairness",
        "STCP has large problems with RTT fairness, FAST has RTT fairness: mean index",
        "large problems",
        "Související protokoly; II",
        ordered("fast.fi", "stcp.fi"),
    ),
    Claim(
        "bic-rtt-fairness",
        "BIC has problems with RTT fairness, FAST has RTT fairness: mean index",
        "problems",
        "Související protokoly II",
        ordered("fast.fi", "bic.fi"),
    ),
    Claim(
        "homogeneous",
        "HCC works well with equal round trips: Jain's index of three flows of 120 ms, the "
        "smaller one of 600 and 2000 packets",
        "well",
        f"{_SUMMARY}; fig. 11",
        between("hcc.equal-fi", 0.95),
    ),
    Claim(
        "heterogeneous",
        "HCC works well with different round trips: smallest index of the three ratios, 2000 "
        "packets",
        "well",
        f"{_SUMMARY}; fig. 14",
        between("hcc.least-fi-2000", 0.95),
    ),
    Claim(
        "unfriendly-when-scarce",
        "HCC can be RTT-unfriendly where buffers are small: mean index at 600 packets",
        "RTT-unfriendly",
        f"{_SUMMARY}; fig. 13 (b)",
        between("hcc.fi-600", 0.5, 0.9),
    ),
    Claim(
        "tcp-friendly",
        "HCC is TCP-friendly: part of two Reno flows beside two of HCC, the smaller one of 600 "
        "and 2000 packets; half would be equal",
        "TCP-friendly",
        f"{_SUMMARY}; fig. 16",
        between("hcc.reno-part", 0.25, 0.75),
        explanation=FRIENDLY,
    ),
    Claim(
        "friendlier-than-loss-based",
        "Reno has more beside HCC than beside STCP, the most aggressive of them",
        "TCP-friendly",
        "fig. 16",
        ordered("hcc.mean-reno-part", "stcp.mean-reno-part"),
    ),
    Claim(
        "fast-suffers-from-reverse",
        "Delay-based protocols lose throughput to reverse traffic: FAST's with four Reno flows "
        "against it over that without",
        "lowers throughput",
        "Související protokoly II, delay-based; fig. 17",
        between("fast.kept-reverse", 0.0, 0.95),
    ),
    Claim(
        "vegas-suffers-from-reverse",
        "Delay-based protocols lose throughput to reverse traffic: Vegas' with four Reno flows "
        "against it over that without",
        "lowers throughput",
        "Související protokoly II, delay-based; fig. 17",
        between("vegas.kept-reverse", 0.0, 0.95),
    ),
    Claim(
        "robust",
        "HCC is robust against strong reverse traffic: it keeps more of its throughput than FAST",
        "good results",
        f"{_SUMMARY}; fig. 18 (b)",
        ordered("hcc.kept-reverse", "fast.kept-reverse"),
    ),
    Claim(
        "robust-to-load",
        "HCC works well under any reverse load: smallest part of its throughput that is kept",
        "good results",
        f"{_SUMMARY}; fig. 18 (c)",
        between("hcc.kept-load", 0.9),
    ),
)

CLAIMS: tuple[Claim, ...] = (*_table(), *_WORDS)
"""The table cell by cell, then the findings in words."""
