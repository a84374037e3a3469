"""Study `slac-impact`: one new flow among seven standard ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mesonet.analysis.harm import Change, relative_change
from mesonet.studies.slac.impact_claims import CLAIMS
from mesonet.studies.slac.paths import (
    EXTENTS,
    FLORIDA,
    IRELAND,
    SOURCE,
    Path,
    PathTest,
    TestExtent,
)
from mesonet.studies.slac.preparation import Bench, ToSections
from mesonet.studies.slac.samples import Samples, average, lowest, measure_test, ratio
from mesonet.studies.study import Options, Prepared, Study

STANDARD = "reno"
FLOWS = 8
BOTH = ("ctcp", "hstcp")
MODIFIED = ("ctcp:slac-muted", "ctcp:slac-diffwnd", "ctcp:slac-losswnd")
POCKET = TestExtent(0.6, 2)
"""Extent at pocket size, longer than in the other studies: standard flows need time to react."""
SAMPLES = {
    "reno": 9,
    "ctcp": 7,
    "hstcp": 7,
    "ctcp:slac-muted": 9,
    "ctcp:slac-diffwnd": 10,
    "ctcp:slac-losswnd": 10,
}
"""Printed repeats; where the paths differ, the larger number."""


def impact_tests(algorithms: Sequence[str]) -> list[PathTest]:
    """Eight standard flows, and seven with one of each algorithm, which starts last."""
    tests = [PathTest(path, (STANDARD,) * FLOWS, STANDARD) for path in (IRELAND, FLORIDA)]
    for path in (IRELAND, FLORIDA):
        tests += [
            PathTest(path, (STANDARD,) * (FLOWS - 1) + (name,), name)
            for name in algorithms
            if name != STANDARD and not (path is FLORIDA and name in MODIFIED)
        ]
    return tests


def new_flow(samples: Samples, key: str) -> list[float]:
    """Throughput of the flow that starts last, in each repeat [Mbit/s]."""
    return [float(run["flows"][f"flow {FLOWS}"]) for run in samples.runs.get(key, ())]


def standard_flows(samples: Samples, key: str, *, own: bool = False) -> list[float]:
    """Mean throughput of a standard flow in each repeat [Mbit/s]; `own` counts all eight."""
    found = []
    for run in samples.runs.get(key, ()):
        flows = list(run["flows"].values())
        found.append(average(flows if own else flows[: FLOWS - 1]))
    return found


def change(samples: Samples, path: Path, name: str) -> Change:
    """Relative change of what a standard flow carries, and its error as in the source."""
    from mesonet.studies.slac.pages import with_error

    without = with_error(standard_flows(samples, f"{path.name}.{STANDARD}", own=True))
    among = with_error(standard_flows(samples, f"{path.name}.{name}"))
    return relative_change(without, among)


def impact_figures(samples: Samples) -> dict[str, float]:
    """Figures of the claims."""
    figures: dict[str, float] = {}
    for path, names in ((IRELAND, BOTH + MODIFIED), (FLORIDA, BOTH)):
        base = samples.mean(f"{path.name}.{STANDARD}", "total")
        for name in names:
            key = f"{path.name}.{name}"
            figures[f"change.{key}"] = change(samples, path, name).change
            standard = average(standard_flows(samples, key))
            figures[f"advantage.{key}"] = ratio(average(new_flow(samples, key)), standard)
            figures[f"total.{key}"] = ratio(samples.mean(key, "total"), base) - 1
    first = [f"{path.name}.{name}" for path in (IRELAND, FLORIDA) for name in BOTH]
    later = [f"ireland.{name}" for name in MODIFIED]
    return figures | {
        "hstcp.difference": abs(figures["change.ireland.hstcp"] - figures["change.florida.hstcp"]),
        "advantage.ireland": lowest([figures[f"advantage.ireland.{name}"] for name in BOTH]),
        "advantage.least": lowest([figures[f"advantage.{key}"] for key in first]),
        "advantage.least.modified": lowest([figures[f"advantage.{key}"] for key in later]),
        "total.modified": lowest([figures[f"total.{key}"] for key in later]),
        "change.modified.worst": lowest([figures[f"change.{key}"] for key in later]),
    }


def _page(_algorithms: Sequence[str]) -> ToSections:
    from mesonet.studies.slac.impact_page import impact_sections

    return impact_sections


_BENCH = Bench("slac-impact", CLAIMS, (FLORIDA, IRELAND), measure_test, impact_figures, _page)


def _prepare(options: Options) -> Prepared:
    algorithms = options.algorithms or (*BOTH, *MODIFIED)
    return _BENCH.prepare(
        options,
        impact_tests(algorithms),
        algorithms,
        extent=(EXTENTS | {"pocket": POCKET})[options.size],
        repeats=SAMPLES if options.size == "full" else None,
        more={"New flow (ours)": "starts last, when all seven standard flows send"},
    )


STUDIES: Mapping[str, Study] = {
    "slac-impact": Study(
        name="slac-impact",
        title="One new flow among seven standard ones",
        question=(
            "How much do seven standard flows lose when the eighth is a flow of Compound TCP, of "
            "one of its modifications or of HighSpeed TCP instead of a standard one?"
        ),
        source=SOURCE,
        sizes={
            "pocket": "two repeats of tests of 72 (Florida) and 144 s (Ireland)",
            "desk": "three repeats of tests of 120 and 240 s, and three other variants",
            "full": "7 to 10 repeats as printed, of tests of 600 and 1200 s",
        },
        prepare=_prepare,
        claims=CLAIMS,
    )
}
