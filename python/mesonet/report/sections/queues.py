"""Queue management of the recorded runs: a part of the section on congestion."""

from __future__ import annotations

import polars as pl

from mesonet.figures import queue_comparison_chart
from mesonet.page.charts import picture
from mesonet.page.tables import Column, counts, numbers, table, words
from mesonet.report.results import Results
from mesonet.report.sections.common import Context, notes_of

_PLACE: tuple[Column, ...] = (
    counts("condition", "Condition"),
    words("alternative", "Alternative"),
    words("station", "Station"),
)


def queue_management(results: Results) -> Context:
    """The queues over time, with percentiles and signals; empty if no run recorded them."""
    found = results.inputs.queues
    if found is None:
        return {}
    chart = queue_comparison_chart(found, look=results.look, conditions=_levels(results))
    place = [column.name for column in _PLACE]
    return {
        "picture": picture(
            "queues",
            chart,
            "Queue management of each alternative over time",
            file="queue-comparison",
        ),
        "percentiles": table(
            "sojourn-times",
            found.percentiles.select(*place, "p50", "p95", "p99"),
            (
                *_PLACE,
                numbers("p50", "50 %, ms"),
                numbers("p95", "95 %, ms"),
                numbers("p99", "99 %, ms"),
            ),
        ),
        "signals": table(
            "queue-signals",
            _mean_rates(found.signals, place),
            (
                *_PLACE,
                words("signal", "Signal"),
                words("cause", "Cause"),
                numbers("rate", "Packets/s"),
            ),
        )
        if found.signals.height
        else None,
        "notes": notes_of(found.notes),
    }


def _mean_rates(signals: pl.DataFrame, place: list[str]) -> pl.DataFrame:
    by = [*place, "signal", "cause"]
    return signals.group_by(by, maintain_order=True).agg(pl.col("rate").mean())


def _levels(results: Results) -> dict[int, str]:
    """Levels of every condition in words."""
    texts = results.level_texts
    if texts is None:
        return {}
    return {row[0]: ", ".join(map(str, row[1:])) for row in texts.iter_rows()}
