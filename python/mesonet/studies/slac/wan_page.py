"""Sections of the page of `slac-wan`."""

from __future__ import annotations

from collections.abc import Sequence

from mesonet.studies.page import CaptionedChart, Section
from mesonet.studies.slac.pages import (
    beside,
    comparison,
    name_of,
    over_time,
    title_of,
    windows_chart,
    windows_table,
)
from mesonet.studies.slac.paths import PATHS, PathTest
from mesonet.studies.slac.published import SIGMA, THROUGHPUT, XI
from mesonet.studies.slac.samples import Samples
from mesonet.studies.slac.settings import NOT_COMPARABLE

INTERPRETATIONS = (
    "The formula of ξ_f is the deviation over time of the deviation between flows, over the mean "
    "throughput. With two flows that is at most about 0.5, yet the source prints 1.000; it also "
    "prints ξ_f above σ_f in every test, which always holds for the root mean square over time of "
    "the deviation between flows. The formula is scored; the last column has the other measure."
)


def wan_sections(
    samples: Samples, tests: Sequence[PathTest], algorithms: Sequence[str]
) -> list[Section]:
    """Throughputs, fairness, windows and every test over time."""
    return [
        _throughput(samples, tests),
        _most(samples, tests, algorithms),
        _fairness(samples, tests),
        _few(samples, tests),
    ]


def _throughput(samples: Samples, tests: Sequence[PathTest]) -> Section:
    return Section(
        "throughput",
        "Aggregate throughput",
        (NOT_COMPARABLE,),
        (
            CaptionedChart(
                beside("throughput", samples, tests, THROUGHPUT, "total", heading="Mbit/s"),
                "Sum of all flows while all send. Lines are one deviation over repeats.",
            ),
        ),
        (
            (
                "Throughput [Mbit/s]",
                comparison("throughput", samples, tests, THROUGHPUT, "total"),
            ),
        ),
        (
            (
                "The random loss of each path follows from the printed throughput of one "
                "standard flow, so that row is not evidence."
            ),
            (
                "“16 reverse” is read as one flow against 16 standard ones: the source prints no "
                "fairness for it, as for single flows. The source calls these results strange and "
                "does not explain them."
            ),
        ),
    )


def _most(samples: Samples, tests: Sequence[PathTest], algorithms: Sequence[str]) -> Section:
    most = max((len(test.flows) for test in tests), default=0)
    panels = [
        (f"{path.title}: {name_of(name)}", test)
        for path in PATHS
        for name in algorithms
        for test in tests
        if test.path is path and test.flows == (name,) * most and not test.reverse
    ]
    return Section(
        "eight",
        f"{most} flows over time",
        (),
        (
            CaptionedChart(
                over_time("eight-flows", samples, panels),
                "Each line is a flow of the first repeat; they start one after the other.",
            ),
        ),
    )


def _fairness(samples: Samples, tests: Sequence[PathTest]) -> Section:
    several = [test for test in tests if len(test.flows) > 1]
    return Section(
        "fairness",
        "Overall and instantaneous fairness",
        (INTERPRETATIONS,),
        (
            CaptionedChart(
                beside("sigma", samples, several, SIGMA, "sigma_f", heading="σ_f"),
                "σ_f: deviation between the mean throughputs of the flows, over their mean; "
                "0 is fair.",
            ),
            CaptionedChart(
                beside("xi", samples, several, XI, "xi_f_1s", heading="ξ_f (1 s)"),
                "ξ_f in windows of 1 s, as in the source, by its formula.",
            ),
            CaptionedChart(
                windows_chart("xi-windows", samples, several),
                "ξ_f against the length of its windows in base round-trip times, as the author "
                "wished; the diamond is 1 s, which is 125, 14 or 7 round trips. Long windows "
                "smooth what short ones show.",
            ),
        ),
        (
            ("σ_f", comparison("sigma", samples, several, SIGMA, "sigma_f")),
            ("ξ_f, windows of 1 s", comparison("xi", samples, several, XI, "xi_f_1s")),
            (
                "ξ_f by window, and the other measure",
                windows_table("xi-w", samples, several),
            ),
        ),
    )


def _few(samples: Samples, tests: Sequence[PathTest]) -> Section:
    few = [
        (f"{test.path.title}: {name_of(test.flows[0])}, {title_of(test)}", test)
        for test in tests
        if len(test.flows) <= 2 and not test.reverse
    ]
    return Section(
        "few",
        "One and two flows over time",
        (),
        (
            CaptionedChart(
                over_time("few-flows", samples, few),
                "Single flows show each loss; two flows how they come to share.",
            ),
        ),
    )
