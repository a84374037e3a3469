"""One run through time: congestion over the map, and traces of flows and queues."""

from __future__ import annotations

from functools import partial

from mesonet.analysis import trace
from mesonet.figures import (
    congestion_map_chart,
    congestion_stills_chart,
    has_map,
    queues_chart,
    trace_chart,
)
from mesonet.page.charts import picture
from mesonet.page.tables import numbers, percents, table, words
from mesonet.report.results import Results
from mesonet.report.sections.common import Context, notes_of

_POINTS, _PRINTED = 300, 1000


def make(results: Results) -> Context | None:
    """The map to be played, and flows and queues, of the run that kept its series."""
    run, geometry = results.inputs.recorded, results.inputs.geometry
    if run is None:
        if not has_map(geometry):
            return None
        return {"why": "No run of this campaign kept its time series, so there is nothing to play. "
                "mesonet run --series keeps them; mesonet replay shows a single run."}  # fmt: skip
    state, traced = results.recorded_state, trace(run, points=_POINTS)
    assert state is not None
    played = has_map(geometry) and not state.nodes.is_empty()
    flows = not traced.frame.is_empty() or not traced.queues.is_empty()
    if not played and not flows:
        return {"why": " ".join(dict.fromkeys((*state.notes, *traced.notes)))}
    return {
        "run": results.inputs.recorded_name,
        "map": picture(
            "congestion-map",
            congestion_map_chart(state, geometry=geometry),
            "Congestion over time",
            paper=partial(congestion_stills_chart, state, geometry=geometry),
        )
        if played
        else None,
        "trace": picture(
            "trace",
            trace_chart(traced),
            "Flows and queues over time",
            paper=lambda: trace_chart(trace(run, points=_PRINTED)),
        )
        if flows
        else None,
        **_queues(results),
        "network": table(
            "network-over-time",
            state.network,
            (
                numbers("time", "Time, s"),
                percents("loss_rate", "Loss rate"),
                numbers("sending", "Active flows"),
            ),
        ),
        "queues": table(
            "queues-over-time",
            state.frame,
            (
                numbers("time", "Time, s"),
                words("station", "Router"),
                numbers("packets", "Packets waiting"),
                percents("occupancy", "Of its buffer"),
            ),
        ),
        "notes": notes_of((*(state.notes if played else ()), *(traced.notes if flows else ()))),
    }


def _queues(results: Results) -> Context:
    """Queue management of the run, if it was recorded."""
    found = results.inputs.managed
    if found is None:
        return {}
    return {
        "managed": picture(
            "queue-management",
            queues_chart(found),
            "Queue management over time",
            file="queues",
        ),
        "managed_notes": notes_of(found.notes),
    }
