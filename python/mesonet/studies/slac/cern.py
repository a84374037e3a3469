"""Study `slac-2005`: four flows each of six algorithms from SLAC to CERN."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mesonet.studies.slac.cern_claims import CLAIMS
from mesonet.studies.slac.paths import (
    CERN,
    EXTENTS,
    PathTest,
    alike,
)
from mesonet.studies.slac.phases import measure_phases
from mesonet.studies.slac.preparation import Bench, ToSections
from mesonet.studies.slac.samples import Samples, highest, lowest, ratio
from mesonet.studies.study import Options, Prepared, Size, Study

ALGORITHMS = ("hstcp", "fast", "scalable", "htcp", "bic", "reno")
FLOWS = 4
REPEATS: dict[Size, int] = {"pocket": 2, "desk": 2, "full": 1}
"""Repeats of each test: the source measured once."""
MEASURES = {
    "throughput": "total",
    "stability": "stability",
    "fairness": "fairness",
    "rtt": "rtt_deviation",
}
"""Columns of the printed summary and what is kept of a run for them."""


def cern_tests(algorithms: tuple[str, ...]) -> list[PathTest]:
    """One test of four flows for each algorithm."""
    return [alike(CERN, name, FLOWS) for name in algorithms]


def cern_figures(samples: Samples) -> dict[str, float]:
    """Figures of the claims."""

    def of(name: str, measure: str) -> float:
        return samples.mean(f"cern.{name}.{FLOWS}", measure)

    figures = {
        f"{label}.{name}": of(name, column)
        for name in ALGORITHMS
        for label, column in MEASURES.items()
    }
    high = [figures[f"throughput.{name}"] for name in ("scalable", "htcp", "bic")]
    pairs = [(figures[f"{label}.bic"], figures[f"{label}.htcp"]) for label in MEASURES]
    reno = "reno"
    return figures | {
        "throughput.low": highest([figures["throughput.hstcp"], figures["throughput.reno"]]),
        "throughput.high": lowest(high),
        "fairness.bic and htcp": lowest([figures["fairness.bic"], figures["fairness.htcp"]]),
        "bic and htcp": highest([abs(ratio(one, other) - 1) for one, other in pairs]),
        "rtt.others": lowest([figures[f"rtt.{name}"] for name in ALGORITHMS if name != "fast"]),
        "stability.worst": lowest([figures["stability.reno"], figures["stability.hstcp"]]),
        "fast.second": of("fast", "second_share"),
        **{
            f"{name}.{count}": of(name, f"total.{count}")
            for name in ("htcp", "bic")
            for count in (1, 2)
        },
        "htcp.variation.2": of("htcp", "variation.2"),
        "htcp.variation.many": highest([of("htcp", "variation.3"), of("htcp", "variation.4")]),
        "reno.early": ratio(of(reno, "early"), of(reno, "total.1")),
        "reno.trough": ratio(of(reno, "trough"), of(reno, "early")),
        "reno.climb": of(reno, "climb_ratio"),
    }


def _page(_algorithms: Sequence[str]) -> ToSections:
    from mesonet.studies.slac.cern_page import cern_sections

    return cern_sections


_BENCH = Bench("slac-2005", CLAIMS, (CERN,), measure_phases, cern_figures, _page)


def _prepare(options: Options) -> Prepared:
    algorithms = options.algorithms or ALGORITHMS
    return _BENCH.prepare(
        options,
        cern_tests(algorithms),
        algorithms,
        extent=replace(EXTENTS[options.size], repeats=REPEATS[options.size]),
    )


STUDIES: Mapping[str, Study] = {
    "slac-2005": Study(
        name="slac-2005",
        title="Six algorithms from SLAC to CERN",
        question=(
            "How do throughput, stability, fairness and round-trip times of four flows compare "
            "between six algorithms on a path of 180 ms?"
        ),
        source="PFLDnet 2005 tests in Li, “Testing TCP in the WAN”, 2007 (slides)",
        sizes={
            "pocket": "two repeats of tests of 168 s",
            "desk": "two repeats of tests of 480 s, and three other variants",
            "full": "one test of 2400 s per algorithm; the source measured once, its length is not "
            "printed",
        },
        prepare=_prepare,
        claims=CLAIMS,
    )
}
