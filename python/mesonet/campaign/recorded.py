"""Time series that a campaign kept of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from mesonet.store import Columns

if TYPE_CHECKING:
    from mesonet.scenario import Scenario


@dataclass(frozen=True, repr=False)
class RecordedRun:
    """A run as `mesonet.analysis.trace`, `network_congestion` and `queue_records` take it.

    Tables are those of a `Run`; one that the campaign did not keep is empty.
    """

    scenario: Scenario
    seed: int
    series: pl.DataFrame
    flows: pl.DataFrame = field(default_factory=pl.DataFrame)
    queues: pl.DataFrame = field(default_factory=pl.DataFrame)
    signals: pl.DataFrame = field(default_factory=pl.DataFrame)
    queue_states: pl.DataFrame = field(default_factory=pl.DataFrame)
    sojourns: pl.DataFrame = field(default_factory=pl.DataFrame)


TABLES = ("series", "flows", "queues", "signals", "queue_states", "sojourns")
"""Tables of a recorded run."""

_NUMBERS = {
    "series": (
        "time sending slow_start standard alternate srtt_count cwnd_sum srtt_sum queueing_sum "
        "injected delivered dropped completed acked data_sent retransmitted timeouts recoveries"
    ),
    "flows": "time acked cwnd srtt phase retransmitted in_flight ce_marked",
    "queues": "time packets capacity",
    "signals": "dropped marked",
    "queue_states": "time control sojourn_mean sojourn_max",
    "sojourns": "from below packets",
}
_TEXTS = {
    "flows": "flow",
    "queues": "station",
    "signals": "station cause",
    "queue_states": "station",
    "sojourns": "station",
}


def columns_of(table: str) -> Columns:
    """Columns that analyses read in a table that was kept of a run; of other tables none."""
    numbers, texts = _NUMBERS.get(table, "").split(), _TEXTS.get(table, "").split()
    types = dict.fromkeys(texts, pl.String) | dict.fromkeys(numbers, pl.Float64)
    # A queue that saw no packet has no mean.
    return Columns(types, empty=frozenset(numbers if table == "queue_states" else ()))
