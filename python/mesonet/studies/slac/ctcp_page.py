"""Sections of the page of `slac-ctcp`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mesonet.studies.page import CaptionedChart, Section
from mesonet.studies.slac.ctcp import BURST, GAMMA, ORIGINAL, TUNING
from mesonet.studies.slac.pages import (
    beside,
    comparison,
    name_of,
    over_time,
    title_of,
    windows_chart,
    windows_table,
)
from mesonet.studies.slac.paths import IRELAND, PathTest
from mesonet.studies.slac.published import (
    BURST_SIGMA,
    BURST_THROUGHPUT,
    BURST_XI,
    TUNING_SIGMA,
    TUNING_THROUGHPUT,
    TUNING_XI,
    PrintedValue,
)
from mesonet.studies.slac.samples import Samples
from mesonet.studies.slac.settings import NOT_COMPARABLE


def ctcp_sections(
    samples: Samples, tests: Sequence[PathTest], algorithms: Sequence[str]
) -> list[Section]:
    """Small queues, burst control, tuned gamma, windows."""
    several = [test for test in tests if len(test.flows) > 1]
    single = [test for test in tests if test.flows == (ORIGINAL,)]
    paths = [(f"{test.path.title}, {test.path.buffer} packets", test) for test in single]
    published = {*BURST, *TUNING}
    other = [name for name in algorithms if name not in published]
    return [
        Section(
            "queues",
            "CTCP with small queues",
            (
                NOT_COMPARABLE,
                (
                    f"CTCP estimates how many of its packets wait in queues, diffWnd, and grows "
                    f"fast "
                    f"while that is below gamma, {GAMMA} packets. The source reports about 3 "
                    f"packets "
                    f"on the path to Ireland."
                ),
            ),
            (
                CaptionedChart(
                    over_time(
                        "queued",
                        samples,
                        paths,
                        field="queued",
                        heading="diffWnd (packets)",
                        columns=2,
                    ),
                    "diffWnd of a single flow, window x (1 - smallest / smoothed round-trip time).",
                ),
                CaptionedChart(
                    over_time(
                        "window",
                        samples,
                        paths,
                        field="window",
                        heading="Window (packets)",
                        columns=2,
                    ),
                    "The window of the same flow.",
                ),
            ),
        ),
        _section(
            "burst",
            "Burst control",
            samples,
            [test for test in tests if test.flows[0] in (*BURST, *other) and test.path is IRELAND],
            (BURST_THROUGHPUT, BURST_SIGMA, BURST_XI),
        ),
        _section(
            "tuning",
            "Tuned gamma",
            samples,
            [test for test in tests if test.flows[0] in TUNING and test.path is IRELAND],
            (TUNING_THROUGHPUT, TUNING_SIGMA, TUNING_XI),
        ),
        Section(
            "windows",
            "Instantaneous fairness by window",
            (),
            (
                CaptionedChart(
                    windows_chart("xi-windows", samples, several),
                    "ξ_f against the length of its windows in base round-trip times; the diamond "
                    "is 1 s.",
                ),
            ),
            (
                (
                    "ξ_f by window, and the other measure",
                    windows_table("xi-w", samples, several),
                ),
            ),
        ),
    ]


def _section(
    identifier: str,
    title: str,
    samples: Samples,
    tests: Sequence[PathTest],
    printed: tuple[
        Mapping[str, PrintedValue], Mapping[str, PrintedValue], Mapping[str, PrintedValue]
    ],
) -> Section:
    throughput, sigma, xi = printed
    several = [test for test in tests if len(test.flows) > 1]
    panels = [
        (f"{name_of(test.flows[0])}, {title_of(test)}", test)
        for test in tests
        if len(test.flows) <= 2
    ]
    return Section(
        identifier,
        title,
        (),
        (
            CaptionedChart(
                over_time(f"{identifier}-time", samples, panels),
                "Throughput of every flow of the first repeat.",
            ),
            CaptionedChart(
                over_time(
                    f"{identifier}-window",
                    samples,
                    panels,
                    field="window",
                    heading="Window (packets)",
                ),
                "Their windows: the steeper the rise, the more aggressive the increments.",
            ),
            CaptionedChart(
                beside(f"{identifier}-sum", samples, tests, throughput, "total", heading="Mbit/s"),
                "Sum of all flows.",
            ),
            CaptionedChart(
                beside(f"{identifier}-sigma", samples, several, sigma, "sigma_f", heading="σ_f"),
                "Overall fairness; 0 is fair.",
            ),
            CaptionedChart(
                beside(f"{identifier}-xi", samples, several, xi, "xi_f_1s", heading="ξ_f (1 s)"),
                "Instantaneous fairness in windows of 1 s.",
            ),
        ),
        (
            (
                "Throughput [Mbit/s]",
                comparison(f"{identifier}-throughput", samples, tests, throughput, "total"),
            ),
            ("σ_f", comparison(f"{identifier}-sigma", samples, several, sigma, "sigma_f")),
            (
                "ξ_f, windows of 1 s",
                comparison(f"{identifier}-xi", samples, several, xi, "xi_f_1s"),
            ),
        ),
    )
