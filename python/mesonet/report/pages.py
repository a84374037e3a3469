"""Pages of the report that are no analyses: what was simulated, and things to look up."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import polars as pl
from markupsafe import Markup, escape

from mesonet.analysis import digest, trace
from mesonet.analysis.columns import Columns, columns
from mesonet.design import roman
from mesonet.figures import (
    congestion_map_chart,
    has_map,
    network_chart,
    percent,
    queues_chart,
    trace_chart,
)
from mesonet.page.charts import picture
from mesonet.page.tables import numbers, table, words
from mesonet.report.fold import notes_of, table_of
from mesonet.report.results import Results

Context = dict[str, Any]
_POINTS, _PRINTED = 300, 1000


def with_code(text: str) -> Markup:
    """Text for a page, with what stands between backticks as code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def paired(results: Results) -> Context | None:
    """Explanation of the differences, and those that verdicts rest on."""
    over, judged = results.paired, results.judged
    if over is None or judged is None or over.frame.is_empty():
        return None
    return {
        "baseline": judged.baseline,
        "unit": judged.unit,
        "few": judged is not over,
        "conditions": results.conditions_count,
        "shared": over.shared_seed,
        "confidence": percent(judged.confidence, digits=3, signed=False),
        "tests": int(judged.frame["p"].is_finite().sum()),
        "here": table_of(results, "paired-here", judged.frame, judged.columns["frame"])
        if judged is not over
        else None,
        "verdicts": summary(results, "verdicts", "verdicts", columns("alternative")),
    }


def summary(results: Results, name: str, identifier: str, columns: Columns) -> Any:
    """A table that sentences of the front page rest on."""
    tables = results.plain.tables if results.plain else {}
    return table_of(results, identifier, tables[name], columns) if name in tables else None


def network(results: Results) -> Context | None:
    """The map and its links."""
    geometry = results.inputs.geometry
    if not has_map(geometry):
        return None
    links = pl.DataFrame(
        [
            (str(link["a"]), str(link["b"]), link.get("delay_ms"))
            for link in geometry.get("links", ())
        ],
        schema={"from": pl.String, "to": pl.String, "delay_ms": pl.Float64},
        orient="row",
    )
    columns = (words("from", "From"), words("to", "To"), numbers("delay_ms", "One-way delay, ms"))
    return {
        "picture": picture("network", network_chart(geometry), "Map of the backbone"),
        "table": table("links", links, columns),
        "nodes": len(geometry.get("nodes", ())),
    }


def design_page(results: Results) -> Context:
    """Factors, the design matrix, generators and aliases; empty without factors."""
    inputs, design = results.inputs, results.inputs.design
    if design is None or results.levels is None:
        return {}
    factors = [
        {
            "levels": (),
            **factor,
            "symbol": factor.get("symbol", ""),
            "label": factor.get("label") or factor["name"],
            "cells": _cells(results, factor),
        }
        for factor in inputs.factors
    ]
    labels = {str(factor["name"]): str(factor["label"]) for factor in factors}
    resolution, meaning = _resolution(design.resolution)
    return {
        "factors": factors,
        "two_level": results.two_level or design.centre,
        "notes": design.notes,
        "conditions": results.levels["condition"].to_list(),
        "table": table("design", results.levels, ()),
        "design": design,
        "resolution": resolution,
        "meaning": meaning,
        "generators": [
            (labels.get(name, name), _spelled(product, labels))
            for name, product in design.generators.items()
        ],
        "words": [_spelled(word, labels) for word in design.words],
        "partial": [
            (
                _spelled(factor, labels),
                [f"{share:.2g} {_spelled(product, labels)}" for product, share in parts],
            )
            for factor, parts in design.partial_aliases.items()
            if parts
        ],
        "aliases": [
            (_spelled(effect, labels), [_spelled(other, labels) for other in others])
            for effect, others in design.aliases.items()
        ],
    }


def through_time(results: Results) -> Context | None:
    """The map to be played, and flows and queues, of the run that kept its series."""
    run, geometry = results.inputs.recorded, results.inputs.geometry
    if run is None:
        if not has_map(geometry):
            return None
        why = (
            "No run of this campaign kept its time series, so there is nothing to play. Into a new "
            "folder, mesonet run --series keeps them; mesonet replay shows a single run."
        )
        return {"why": why}
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
        "network": table_of(
            results,
            "network-over-time",
            state.network.select("time", "loss_rate", "sending"),
            state.columns["network"],
        ),
        "queues": table_of(results, "queues-over-time", state.frame, state.columns["frame"]),
        "notes": notes_of((*(state.notes if played else ()), *(traced.notes if flows else ()))),
    }


def responses(results: Results) -> Context:
    """Definitions."""
    listed = [
        {
            "id": name,
            "name": str(about.get("name") or name),
            "unit": str(about.get("unit") or ""),
            "symbol": str(about.get("symbol") or ""),
            "definition": with_code(str(about.get("definition") or "")),
            "source": str(about.get("source") or ""),
            "better": str(about.get("better") or "neither"),
        }
        for name, about in results.inputs.responses.items()
    ]
    return {"listed": listed}


def provenance(results: Results) -> Context:
    """The origin of the results, their fingerprint, and the plan."""
    measured = [name for name in results.inputs.responses if name in results.inputs.frame.columns]
    return {
        "about": results.inputs.provenance,
        "digest": digest(results.inputs.frame, responses=measured),
        "plan": results.inputs.plan,
    }


def runs(results: Results) -> Context:
    """Every run, and all results to download."""
    commands = results.inputs.commands
    frame = results.inputs.frame
    named = [
        {**row, "command": commands.get(row["run"], "")}
        for row in frame.select("run", "condition", "alternative", "replicate", "seed").iter_rows(
            named=True
        )
    ]
    return {"runs": named, "table": table("results", frame, ()) if frame.height else None}


PAGES: Mapping[str, Callable[[Results], Context | None]] = {
    "paired": paired,
    "network": network,
    "design": design_page,
    "through-time": through_time,
    "responses": responses,
    "provenance": provenance,
    "runs": runs,
}
"""Maker of the page of a section, by its identifier; `None` where there is nothing for it."""


def _cells(results: Results, factor: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Class, content and level in words of a factor's cell, for each condition."""
    assert results.levels is not None
    name = str(factor["name"])
    codes = results.levels[name].to_list()
    texts = (
        [str(factor.get("high") if code > 0 else factor.get("low")) for code in codes]
        if results.two_level or results.level_texts is None
        else results.level_texts[f"{name}_level"].to_list()
    )
    looks = ["high" if code == 1 else "low" if code == -1 else "between" for code in codes]
    signs = {"high": "+", "low": "−"}
    return [
        (look, signs[look] if results.two_level else text, text)
        for look, text in zip(looks, texts, strict=True)
    ]


def _spelled(product: object, labels: dict[str, str]) -> str:
    text = str(product)
    sign = "−" if text.startswith("-") else ""
    return sign + " × ".join(labels.get(name, name) for name in text.lstrip("-").split("*"))


_MEANINGS = {
    3: "Main effects are confounded with interactions of two factors: read them with care.",
    4: "No main effect is confounded with another or with an interaction of two factors; some "
    "interactions of two factors are confounded with each other.",
    5: "No main effect or interaction of two factors is confounded with another of them.",
}


def _resolution(resolution: float | None) -> tuple[str, str]:
    """A resolution as a numeral, and what it means; both empty where there is none."""
    if resolution is None:
        return "", ""
    if math.isinf(resolution):
        return "", "Every combination of levels is simulated, so nothing is confounded."
    return roman(int(resolution)), _MEANINGS.get(min(int(resolution), 5), "")


def _queues(results: Results) -> Context:
    """Queue management of the run, if it was recorded."""
    managed = results.inputs.managed
    if managed is None:
        return {}
    return {
        "managed": picture(
            "queue-management",
            queues_chart(managed),
            "Queue management over time",
            file="queues",
        ),
        "managed_notes": notes_of(managed.notes),
    }
