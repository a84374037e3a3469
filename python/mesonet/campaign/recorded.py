"""Time series that a campaign kept of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

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
