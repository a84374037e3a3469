"""Figures of `slac-ctcp`: burst control and tuned gamma on the path to Ireland."""

from __future__ import annotations

from collections.abc import Sequence

from mesonet.studies.bench import Item
from mesonet.studies.slac.charts import (
    beside,
    comparison,
    over_time,
    windows_chart,
    windows_table,
)
from mesonet.studies.slac.paths import settings, test_items
from mesonet.studies.slac.samples import Samples, average, highest, lowest, measure_test, ratio
from mesonet.studies.study import Options, RunResults

__all__ = ["beside", "comparison", "over_time", "settings", "windows_chart", "windows_table"]

ORIGINAL, MUTED, PARTIAL = "ctcp", "ctcp:slac-muted", "ctcp:slac-partial"
DIFFWND, LOSSWND = "ctcp:slac-diffwnd", "ctcp:slac-losswnd"
COUNTS = (1, 2, 8)


def runs(options: Options) -> Sequence[Item]:
    """Every test with every seed."""
    return test_items(options, measure_test)


def figures(run: RunResults) -> dict[str, float]:
    """Figures of the claims."""
    samples = Samples.of(run)

    def of(name: str, count: int, measure: str) -> float:
        return samples.mean(f"ireland.{name}.{count}", measure)

    def over(name: str, reference: str, count: int, measure: str = "total") -> float:
        return ratio(of(name, count, measure), of(reference, count, measure))

    found: dict[str, float] = {}
    for count in COUNTS:
        gains = [over(name, ORIGINAL, count) - 1 for name in (MUTED, PARTIAL)]
        found[f"burst.gain.{count}"] = lowest(gains)
    for measure, column in (("sigma", "sigma_f"), ("xi", run.options.values["xi"])):
        for count in COUNTS[1:]:
            both = [of(name, count, column) for name in (MUTED, PARTIAL)]
            found[f"original.{measure}.{count}"] = of(ORIGINAL, count, column)
            found[f"modified.{measure}.{count}"] = highest(both)
        for label, name in (("muted", MUTED), ("partial", PARTIAL)):
            found[f"{label}.{measure}"] = average([of(name, n, column) for n in COUNTS[1:]])
        tuned = [
            average([over(name, MUTED, count, column) for count in COUNTS[1:]])
            for name in (DIFFWND, LOSSWND)
        ]
        found[f"tuning.{measure}"] = highest(tuned)
    for label, name in (("muted", MUTED), ("partial", PARTIAL)):
        found |= {
            f"{label}.climb": of(name, 1, "climb"),
            f"{label}.variation": of(name, 1, "variation"),
            f"{label}.lost": of(name, 1, "retransmitted"),
            f"{label}.fluctuation": of(name, 2, "flow_variation"),
            f"{label}.spell": of(name, 2, "spell"),
        }
    return found | {
        "muted over partial": average([over(MUTED, PARTIAL, count) for count in COUNTS]),
        "diffwnd.gain": average([over(DIFFWND, MUTED, count) - 1 for count in COUNTS]),
        "losswnd.gain.2": over(LOSSWND, MUTED, 2) - 1,
        "queued.ireland": of(ORIGINAL, 1, "queued"),
    }
