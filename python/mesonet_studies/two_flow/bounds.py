"""One flow under bounds that the study names and its bench does not have: a window, a long path."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from mesonet.run import Run
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.keywords import dumbbell
from mesonet.studies.bench import Item
from mesonet_studies.two_flow.runs import RATE, two_flow_scenario

WINDOW = 1000
"""Receive window [segments], 29 % of what the path of the bench holds."""
_ALONE = 60.0
_LONG = {"rate": "1 Gbit/s", "rtt": "115 ms", "buffer": "0.2 bdp", "duration": "250 s"}
"""Chicago to Dublin: the rate is printed, the rest is ours; jitter is up to a packet's time."""


def bound_items(algorithms: Iterable[str], *, seed: int) -> list[Item]:
    """A flow of each algorithm that its receiver bounds, and one from Chicago to Dublin."""
    items = [
        Item(
            f"{name}-receive-window",
            two_flow_scenario(name, transport={"receive_window": WINDOW}).replace(
                {"duration": f"{_ALONE:g} s", "flows": [{"algorithm": name, "name": "red"}]}
            ),
            measure_use,
            seed=seed,
            cost=RATE * 300 * _ALONE,
        )
        for name in dict.fromkeys(algorithms)
    ]
    if "reno" in algorithms:
        items += [
            Item(
                f"dublin-sst-{threshold}",
                dumbbell(
                    flows=[{"algorithm": "reno", "name": "red"}],
                    profile="mesonet",
                    initial_ssthresh=threshold,
                    transport={"host_jitter": "12 us"},
                    **_LONG,
                ),
                measure_use,
                seed=seed,
                cost=5e6,
            )
            for threshold in (100, "inf")
        ]
    return items


def measure_use(run: Run) -> dict[str, Any]:
    """The part of the path that the flow uses."""
    scenario = run.scenario
    assert isinstance(scenario, Dumbbell)
    sent = float(run.flows["acked"].sum())
    return {"use": sent / (scenario.bottleneck() * scenario.duration)}


def bound_figures(results: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Uses, and how far those of bounded flows lie apart as a part of their mean."""
    uses = [row["use"] for name, row in results.items() if name.endswith("-receive-window")]
    spread = (max(uses) - min(uses)) * len(uses) / sum(uses) if len(uses) > 1 else math.nan
    dublin = {
        f"dublin.{limit}": results.get(f"dublin-sst-{limit}", {}).get("use", math.nan)
        for limit in ("100", "inf")
    }
    return {"window.spread": spread, "window.use": max(uses, default=math.nan), **dublin}
