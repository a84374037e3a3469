"""Study `slac-wan`: flows of one algorithm over three paths; throughput and fairness."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

from mesonet.studies.slac.paths import (
    EXTENTS,
    PATHS,
    SOURCE,
    PathTest,
    alike,
)
from mesonet.studies.slac.preparation import Bench, ToSections
from mesonet.studies.slac.samples import (
    Samples,
    average,
    highest,
    lowest,
    measure_test,
    ratio,
)
from mesonet.studies.slac.wan_claims import CLAIMS
from mesonet.studies.study import Options, Prepared, Study

ALGORITHMS = ("reno", "ctcp", "hstcp")
COUNTS = (1, 2, 4, 8)
REVERSE = 16
"""Standard flows against one flow under test: fairness is not printed for this test, as for a
single flow, so one flow is our interpretation."""


def wan_tests(algorithms: Sequence[str]) -> list[PathTest]:
    """Every test: path by path, numbers of flows, then reverse flows."""
    tests = [alike(path, name, n) for path in PATHS for n in COUNTS for name in algorithms]
    tests += [
        PathTest(path, (name,), f"{name}.reverse", reverse=REVERSE)
        for path in PATHS
        for name in algorithms
    ]
    return tests


def wan_figures(samples: Samples, *, xi: str = "xi_f_1s") -> dict[str, float]:
    """Figures of the claims; `xi` names the measure of instantaneous fairness that they use."""
    figures: dict[str, float] = {}
    for path in PATHS:
        for name in ALGORITHMS:
            key = f"{path.name}.{name}"
            for count in COUNTS:
                figures[f"throughput.{key}.{count}"] = samples.mean(f"{key}.{count}", "total")
                if count > 1:
                    figures[f"sigma.{key}.{count}"] = samples.mean(f"{key}.{count}", "sigma_f")
                    figures[f"xi.{key}.{count}"] = samples.mean(f"{key}.{count}", xi)
            reverse = samples.mean(f"{key}.reverse", "total")
            figures[f"reverse.{key}"] = ratio(reverse, figures[f"throughput.{key}.1"])
        for measure in ("sigma", "xi"):
            for name in ALGORITHMS:
                figures[f"{measure}.{path.name}.{name}"] = average(
                    [figures[f"{measure}.{path.name}.{name}.{count}"] for count in COUNTS[1:]]
                )
    return figures | _derived(figures, samples)


def _derived(figures: Mapping[str, float], samples: Samples) -> dict[str, float]:
    def spread(path: str, count: int) -> float:
        found = [figures[f"throughput.{path}.{name}.{count}"] for name in ALGORITHMS]
        return ratio(highest(found) - lowest(found), average(found))

    def over(path: str, count: int) -> float:
        one = figures[f"throughput.{path}.reno.{count}"]
        return ratio(figures[f"throughput.{path}.ctcp.{count}"], one)

    def variation(count: int) -> float:
        keys = [f"{path.name}.{name}.{count}" for path in PATHS for name in ALGORITHMS]
        return average([samples.mean(key, "variation") for key in keys])

    names = [path.name for path in PATHS]
    eight = [figures[f"sigma.caltech.{name}.8"] for name in ALGORITHMS]
    mean = {
        name: average([figures[f"sigma.{path}.{name}"] for path in names]) for name in ALGORITHMS
    }
    xi, ireland = "xi.ireland", "sigma.ireland"
    return {
        "spread.1": average([spread(path, 1) for path in names]),
        "spread.8": average([spread(path, 8) for path in names]),
        "spread.caltech.8": spread("caltech", 8),
        "ctcp over standard": average([over(p, n) for p in names[1:] for n in (1, 2)]),
        "reverse.caltech": average([figures[f"reverse.caltech.{name}"] for name in ALGORITHMS]),
        "reverse.florida": average([figures[f"reverse.florida.{name}"] for name in ALGORITHMS]),
        "reverse.ireland": average([figures[f"reverse.ireland.{name}"] for name in ALGORITHMS]),
        "sigma.caltech.range": highest(eight) - lowest(eight),
        "sigma.hstcp": mean["hstcp"],
        "sigma.others": highest([mean["reno"], mean["ctcp"]]),
        "sigma.ireland.8 ctcp over hstcp": ratio(
            figures[f"{ireland}.ctcp.8"], figures[f"{ireland}.hstcp.8"]
        ),
        "sigma.ireland.8 standard over both": ratio(
            figures[f"{ireland}.reno.8"],
            average([figures[f"{ireland}.ctcp.8"], figures[f"{ireland}.hstcp.8"]]),
        ),
        "sigma.short.ctcp": highest([figures[f"sigma.{path}.ctcp"] for path in names[:2]]),
        "xi.short.ctcp": highest([figures[f"xi.{path}.ctcp"] for path in names[:2]]),
        "xi.ireland ctcp over hstcp": ratio(figures[f"{xi}.ctcp"], figures[f"{xi}.hstcp"]),
        "xi.caltech.others.8": highest(
            [figures[f"xi.caltech.{name}.8"] for name in ("reno", "ctcp")]
        ),
        "xi.ireland.others": lowest([figures[f"{xi}.ctcp"], figures[f"{xi}.hstcp"]]),
        "throughput.ireland ctcp over hstcp": average(
            [
                ratio(
                    figures[f"throughput.ireland.ctcp.{count}"],
                    figures[f"throughput.ireland.hstcp.{count}"],
                )
                for count in COUNTS
            ]
        ),
        "variation.few": average([variation(1), variation(2)]),
        "variation.8": variation(8),
        "xi with sigma": _agreement(figures),
    }


def _agreement(figures: Mapping[str, float]) -> float:
    """Rank correlation of the two fairness measures over all tests; NaN if any is missing."""
    from scipy.stats import spearmanr

    keys = [
        f"{path.name}.{n}.{count}" for path in PATHS for n in ALGORITHMS for count in COUNTS[1:]
    ]
    pairs = [[figures[f"{measure}.{key}"] for key in keys] for measure in ("sigma", "xi")]
    if any(math.isnan(value) for row in pairs for value in row):
        return math.nan
    return float(spearmanr(*pairs).statistic)


def _page(algorithms: Sequence[str]) -> ToSections:
    from mesonet.studies.slac.wan_page import wan_sections

    return partial(wan_sections, algorithms=algorithms)


_BENCH = Bench(
    "slac-wan",
    CLAIMS,
    PATHS,
    measure_test,
    wan_figures,
    _page,
    interpretations={
        "xi_f read as the deviation between flows, mean square over time": lambda samples: (
            wan_figures(samples, xi="spread")
        )
    },
)


def _prepare(options: Options) -> Prepared:
    algorithms = options.algorithms or ALGORITHMS
    return _BENCH.prepare(
        options,
        wan_tests(algorithms),
        algorithms,
        extent=EXTENTS[options.size],
    )


STUDIES: Mapping[str, Study] = {
    "slac-wan": Study(
        name="slac-wan",
        title="One to eight flows over three wide-area paths",
        question=(
            "What do standard TCP, Compound TCP and HighSpeed TCP carry over paths of 8, 70 and "
            "150 ms, and how fairly do flows of one kind share them?"
        ),
        source=SOURCE,
        sizes={
            "pocket": "two repeats of tests of 14 (Caltech), 42 (Florida) and 84 s (Ireland)",
            "desk": "three repeats of tests of 40, 120 and 240 s, and three other variants",
            "full": (
                "five repeats of tests of 200, 600 and 1200 s; the source prints neither lengths "
                "nor repeats"
            ),
        },
        prepare=_prepare,
        claims=CLAIMS,
    )
}
