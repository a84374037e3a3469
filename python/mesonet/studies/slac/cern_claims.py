"""Claims of the slides on the tests of 2005, and the rules that judge them."""

from __future__ import annotations

from mesonet.studies.rules import between, correlates, not_computable, ordered
from mesonet.studies.scorecard import Claim
from mesonet.studies.slac.explanations import CERN, with_explanations
from mesonet.studies.slac.published import SUMMARY_2005

RHO = 0.5
"""Rank correlation that we ask of six printed values."""

_TABLE = "table “Summary” of PFLDnet 2005"
_TEXT = "“Summary” of PFLDnet 2005"

_CLAIMS = (
    *(
        Claim(
            f"{column}-order",
            f"Order of six algorithms by {words}",
            ", ".join(f"{name} {getattr(row, column):g}" for name, row in SUMMARY_2005.items()),
            _TABLE,
            correlates(
                {f"{column}.{name}": getattr(row, column) for name, row in SUMMARY_2005.items()},
                rho=RHO,
            ),
        )
        for column, words in (
            ("throughput", "average throughput"),
            ("stability", "stability, deviation over mean"),
            ("fairness", "fairness of two flows"),
            ("rtt", "deviation of the round-trip time"),
        )
    ),
    Claim(
        "processor",
        "Processor cycles per throughput",
        "0.63 to 0.9 MHz/Mbps",
        _TABLE,
        not_computable("hosts have no processors here"),
    ),
    Claim(
        "scalable-throughput",
        "Scalable TCP has a high throughput: above HSTCP and standard TCP",
        "423 against 255 and 248 Mbit/s",
        _TEXT,
        ordered("throughput.scalable", "throughput.low"),
    ),
    Claim(
        "scalable-fairness",
        "Scalable TCP has poor fairness: below H-TCP and BIC",
        "0.83 against 0.99 and 0.98",
        _TEXT,
        ordered("fairness.bic and htcp", "fairness.scalable"),
    ),
    Claim(
        "bic-htcp",
        "BIC and H-TCP are about the same in all four metrics (largest relative difference)",
        "0.04",
        _TEXT,
        between("bic and htcp", 0, 0.25),
    ),
    Claim(
        "fast-rtt",
        "FAST has a low variance of the round-trip time: the lowest",
        "9 against 22 to 57 ms",
        _TEXT,
        ordered("rtt.others", "rtt.fast"),
    ),
    Claim(
        "fast-stability",
        "FAST has a good stability: deviation over mean below that of standard TCP and HSTCP",
        "0.33 against 0.66 and 0.73",
        _TEXT,
        ordered("stability.worst", "stability.fast"),
    ),
    Claim(
        "fast-throughput",
        "FAST has a low average throughput: below Scalable TCP, H-TCP and BIC",
        "335 against 402 to 423 Mbit/s",
        _TEXT,
        ordered("throughput.high", "throughput.fast"),
    ),
    Claim(
        "fast-second",
        "The second FAST flow never gets its fair share (its part of the two flows')",
        "words",
        "“FAST”",
        between("fast.second", 0, 0.45),
    ),
    Claim(
        "htcp-more",
        "H-TCP carries more with two flows than with one",
        "words",
        "“HTCP”",
        ordered("htcp.2", "htcp.1"),
    ),
    Claim(
        "htcp-fair",
        "H-TCP flows share fairly (Jain's index of two flows)",
        "0.99",
        "“HTCP” and table “Summary”",
        between("fairness.htcp", 0.95, 1),
    ),
    Claim(
        "htcp-variable",
        "H-TCP's throughput is more variable with three and four flows than with two",
        "“very variable with >2 flows”",
        "“HTCP”",
        ordered("htcp.variation.many", "htcp.variation.2"),
    ),
    Claim(
        "bic-more",
        "BIC needs more than one flow for the best throughput: more with two than with one",
        "words",
        "“BicTCP”",
        ordered("bic.2", "bic.1"),
    ),
    Claim(
        "reno-slow-start",
        "The initial slow start gives standard TCP a high throughput (best second of the beginning "
        "over the mean of the first flow alone)",
        "words",
        "“Reno”",
        between("reno.early", 1),
    ),
    Claim(
        "reno-congestion",
        "Congestion has a dramatic effect on standard TCP: low throughput and slow recovery "
        "(lowest ten seconds with one or two flows over the best second of the beginning)",
        "words",
        "“Reno”",
        between("reno.trough", 0, 0.5),
    ),
    Claim(
        "reno-growth",
        "Growth rates of standard flows are similar (largest over smallest)",
        "words",
        "“Reno”",
        between("reno.climb", 1, 1.5),
    ),
)

CLAIMS = with_explanations(_CLAIMS, CERN)
