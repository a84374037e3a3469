"""The link of a comparison: by default, of a scenario, or of recorded links."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet.errors import InputError, Problem
from mesonet.scenario import load_scenario
from mesonet.scenario.rate_trace import TRACES, with_named_traces
from mesonet.units import Rate

if TYPE_CHECKING:
    from mesonet.scenario import Scenario

DEFAULTS = {"rate": "50 Mbit/s", "rtt": "40 ms", "buffer": "1 bdp", "loss": 0.0}
"""Link of a comparison of which nothing is said."""
QUEUE, DURATION = "droptail", "60 s"


def link_of(
    scenario: Scenario | str | os.PathLike[str] | None, trace: str | Sequence[str]
) -> dict[str, Any]:
    """Keys of a dumbbell, all but its flows, from a scenario or its file, and from traces.

    Traces are files of the forward direction, and of the way back.
    """
    if isinstance(scenario, str | os.PathLike):
        scenario = load_scenario(Path(scenario))
    own: dict[str, Any] = {} if scenario is None else scenario.to_dict()
    if own and own["kind"] != "dumbbell":
        message = f"expected a dumbbell, whose flows a comparison replaces, got {own['kind']}"
        raise InputError([Problem("scenario", "kind", message)])
    for name in ("flows", "parameters"):
        own.pop(name, None)
    files = [trace] if isinstance(trace, str) else list(trace)
    if len(files) > len(TRACES):
        message = f"expected a trace for each direction, got {len(files)}"
        raise InputError([Problem("trace", "too_many", message)])
    for (key, prefix), file in zip(TRACES.items(), files, strict=False):
        for name in ("rate", "rate_changes", "rate_period"):
            own.pop(f"{prefix}{name}", None)
        own[key] = {"file": str(Path(file))}
    problems: list[Problem] = []
    own = with_named_traces(own, Path(), problems)
    if problems:
        raise InputError(it._replace(loc="trace") for it in problems)
    return own


def link_words(
    scenario: Scenario | str | os.PathLike[str] | None, trace: str | Sequence[str]
) -> str:
    """Names of the files of a link, before its values."""
    file = [Path(scenario).name] if isinstance(scenario, str | os.PathLike) else []
    traces = [Path(name).name for name in ([trace] if isinstance(trace, str) and trace else trace)]
    return "".join(f"{name}: " for name in (*file, " and ".join(traces)) if name)


def own_link(own: Mapping[str, Any]) -> dict[str, Any]:
    """What a link says of the conditions of a comparison."""
    there = {name: own[name] for name in DEFAULTS if name in own}
    return {name: str(it) if isinstance(it, Rate) else it for name, it in there.items()}
