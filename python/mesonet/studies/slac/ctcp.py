"""Study `slac-ctcp`: burst control and tuned gamma on the path to Ireland."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from mesonet.studies.slac.ctcp_claims import CLAIMS
from mesonet.studies.slac.paths import (
    EXTENTS,
    FLORIDA,
    IRELAND,
    SOURCE,
    PathTest,
    alike,
)
from mesonet.studies.slac.preparation import Bench, ToSections
from mesonet.studies.slac.published import BURST_SAMPLES
from mesonet.studies.slac.samples import Samples, average, highest, lowest, measure_test, ratio
from mesonet.studies.study import Options, Prepared, Study

ORIGINAL, MUTED, PARTIAL = "ctcp", "ctcp:slac-muted", "ctcp:slac-partial"
DIFFWND, LOSSWND = "ctcp:slac-diffwnd", "ctcp:slac-losswnd"
BURST = (ORIGINAL, MUTED, PARTIAL)
TUNING = (MUTED, DIFFWND, LOSSWND)
ALGORITHMS = (ORIGINAL, MUTED, PARTIAL, DIFFWND, LOSSWND)
COUNTS = (1, 2, 8)
GAMMA = 30
"""Default gamma, as printed [packets]."""


def ctcp_tests(algorithms: Sequence[str]) -> list[PathTest]:
    """Every test on the path to Ireland, and one flow of each kind to Florida for its queue."""
    tests = [alike(IRELAND, name, count) for count in COUNTS for name in algorithms]
    return tests + [alike(FLORIDA, name, 1) for name in algorithms if name == ORIGINAL]


def ctcp_figures(samples: Samples, *, xi: str = "xi_f_1s") -> dict[str, float]:
    """Figures of the claims; `xi` names the measure of instantaneous fairness that they use."""

    def of(name: str, count: int, measure: str) -> float:
        return samples.mean(f"ireland.{name}.{count}", measure)

    def gain(name: str, reference: str, count: int) -> float:
        return ratio(of(name, count, "total"), of(reference, count, "total")) - 1

    def relative(name: str, reference: str, measure: str) -> float:
        return average([ratio(of(name, n, measure), of(reference, n, measure)) for n in (2, 8)])

    figures: dict[str, float] = {}
    for count in COUNTS:
        gains = [gain(name, ORIGINAL, count) for name in (MUTED, PARTIAL)]
        figures[f"burst.gain.{count}"] = lowest(gains)
    for measure, column in (("sigma", "sigma_f"), ("xi", xi)):
        for count in COUNTS[1:]:
            figures[f"original.{measure}.{count}"] = of(ORIGINAL, count, column)
            both = [of(name, count, column) for name in (MUTED, PARTIAL)]
            figures[f"modified.{measure}.{count}"] = highest(both)
        for label, name in (("muted", MUTED), ("partial", PARTIAL)):
            figures[f"{label}.{measure}"] = average([of(name, n, column) for n in COUNTS[1:]])
        figures[f"tuning.{measure}"] = highest(
            [relative(name, MUTED, column) for name in (DIFFWND, LOSSWND)]
        )
    for label, name in (("muted", MUTED), ("partial", PARTIAL)):
        figures |= {
            f"{label}.climb": of(name, 1, "climb"),
            f"{label}.variation": of(name, 1, "variation"),
            f"{label}.lost": of(name, 1, "retransmitted"),
            f"{label}.fluctuation": of(name, 2, "flow_variation"),
            f"{label}.spell": of(name, 2, "spell"),
        }
    return figures | {
        "muted over partial": average(
            [ratio(of(MUTED, n, "total"), of(PARTIAL, n, "total")) for n in COUNTS]
        ),
        "diffwnd.gain": average([gain(DIFFWND, MUTED, count) for count in COUNTS]),
        "losswnd.gain.2": gain(LOSSWND, MUTED, 2),
        "queued.ireland": of(ORIGINAL, 1, "queued"),
    }


def _page(algorithms: Sequence[str]) -> ToSections:
    from mesonet.studies.slac.ctcp_page import ctcp_sections

    return partial(ctcp_sections, algorithms=algorithms)


_BENCH = Bench("slac-ctcp", CLAIMS, (FLORIDA, IRELAND), measure_test, ctcp_figures, _page)


def _prepare(options: Options) -> Prepared:
    algorithms = options.algorithms or ALGORITHMS
    return _BENCH.prepare(
        options,
        ctcp_tests(algorithms),
        algorithms,
        extent=EXTENTS[options.size],
        repeats=BURST_SAMPLES if options.size == "full" else None,
        more={"Modifications (ours)": "interpretations of names, see docs/models/ctcp.md"},
    )


STUDIES: Mapping[str, Study] = {
    "slac-ctcp": Study(
        name="slac-ctcp",
        title="Modifications of Compound TCP: burst control and tuned gamma",
        question=(
            "Do slower growth of the delay window below gamma, and a gamma that tunes itself, make "
            "Compound TCP faster and fairer on a long path with a small buffer?"
        ),
        source=SOURCE,
        sizes={
            "pocket": "two repeats of tests of 84 s",
            "desk": "three repeats of tests of 240 s, and three other variants",
            "full": "8 to 36 repeats as printed, 5 where none are, of tests of 1200 s",
        },
        prepare=_prepare,
        claims=CLAIMS,
    )
}
