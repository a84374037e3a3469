"""Cost of the sensitivity analysis."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RunCost:
    """Processor time of runs [s], and an estimate for those of the full size."""

    runs: int
    seconds: float
    full_seconds: float
