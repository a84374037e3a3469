"""The content of each section: pictures, tables and notes, ready to be laid out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from mesonet.analysis import digest
from mesonet.figures import (
    condition_response_chart,
    condition_summary_chart,
    congestion_chart,
    forest_chart,
    has_map,
    influence_chart,
    main_effects_chart,
    network_chart,
    number,
    percent,
    rank_matrix_chart,
    rank_overview_chart,
    rank_scatter_chart,
)
from mesonet.report.charts import picture
from mesonet.report.results import Results
from mesonet.report.tables import (
    Column,
    Table,
    counts,
    csv_uri,
    numbers,
    percents,
    probabilities,
    table,
    words,
)

Context = dict[str, Any]

# How many responses show their rank matrix without being asked.
_RANKED_FIRST = 4


def contexts(results: Results) -> dict[str, Context]:
    """The content of every section, by section identifier; empty where there is nothing to say."""
    empty = results.inputs.frame.is_empty()
    made = {
        "network": _network(results),
        "design": _design(results),
        "congestion": _congestion(results),
        "paired": _paired(results),
        "ranks": _ranks(results),
        "condition-response": _conditions(results),
        "main-effects": _effects(results),
        "responses": _responses(results),
    }
    made = {} if empty else made
    if results.replicates == 1:
        made = {
            name: content if name in _NOT_MEASURED else _said_loudly(content)
            for name, content in made.items()
        }
    return made | {"provenance": _provenance(results), "runs": _runs(results)}


_NOT_MEASURED = ("network", "design")


def _said_loudly(content: Any) -> Any:
    """The same content with n = 1 on every table."""
    if isinstance(content, Table):
        return replace(content, caution="n = 1")
    if isinstance(content, dict):
        return {key: _said_loudly(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_said_loudly(value) for value in content]
    return content


def _network(results: Results) -> Context:
    geometry = results.inputs.geometry
    if not has_map(geometry):
        return {}
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


def _design(results: Results) -> Context:
    inputs = results.inputs
    if not inputs.factors or results.levels is None:
        return {}
    factors = [
        {
            "name": factor["name"],
            "symbol": _symbol(factor.get("symbol")),
            "label": factor.get("label") or factor["name"],
            "low": factor.get("low"),
            "high": factor.get("high"),
            "levels": factor.get("levels", ()),
            "cells": _cells(results, factor),
        }
        for factor in inputs.factors
    ]
    labels = {str(factor["name"]): str(factor["label"]) for factor in factors}
    resolution = inputs.design.get("resolution")
    return {
        "factors": factors,
        "two_level": results.two_level or bool(inputs.design.get("centre")),
        "notes": inputs.design.get("notes", ()),
        "conditions": results.levels["condition"].to_list(),
        "download": csv_uri(results.levels),
        "design": inputs.design,
        "resolution": _roman(resolution),
        "meaning": _meaning(resolution),
        "generators": [
            (labels.get(name, name), _spelled(product, labels))
            for name, product in dict(inputs.design.get("generators", {})).items()
        ],
        "words": [_spelled(word, labels) for word in inputs.design.get("words", ())],
        "aliases": [
            (_spelled(effect, labels), [_spelled(other, labels) for other in others])
            for effect, others in dict(inputs.design.get("aliases", {})).items()
        ],
    }


def _cells(results: Results, factor: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Of each condition how a factor's cell looks, what stands in it, and its level in words."""
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


def _congestion(results: Results) -> Context:
    result = results.congestion
    if result is None:
        return {}
    wide = result.conditions.rename({"value": "mean"})
    by_label = result.frame.pivot("alternative", index="condition", values="value")
    wide = wide.join(by_label, on="condition", maintain_order="left")
    columns = [counts("position", "Order"), counts("condition", "Condition")]
    columns += [numbers(label, label) for label in results.look.alternatives]
    columns += [numbers("mean", "Mean")] if len(results.look.alternatives) > 1 else []
    chart = congestion_chart(result, look=results.look, names=results.names)
    name = results.names.response(result.response)
    return {
        "name": name,
        "picture": picture("congestion", chart, f"{name} of each condition and alternative"),
        "table": table("congestion", wide, columns),
    }


def _conditions(results: Results) -> Context:
    if not results.conditions or results.outliers is None:
        return {}
    panels: list[Context] = []
    for result in results.conditions:
        if result.frame.is_empty():
            continue
        chart = condition_response_chart(
            result,
            look=results.look,
            names=results.names,
            levels=results.levels if results.two_level else None,
        )
        name = results.names.response(result.response)
        panels.append(
            {
                "value": result.response,
                "name": name,
                "minimum": number(result.minimum),
                "maximum": number(result.maximum),
                "outliers": result.frame["outlier"].sum(),
                "picture": picture(
                    f"condition-response-{len(panels) + 1}", chart, f"Residuals of {name}"
                ),
                "table": _condition_table(f"condition-response-{result.response}", result.frame),
            }
        )
    draw = partial(
        condition_summary_chart,
        results.outliers,
        look=results.look,
        names=results.names,
        order=results.order,
    )
    summary = draw(only=results.inputs.shown)
    every = draw()
    outlier_columns = (
        words("response", "Response", _response_names(results)),
        counts("condition", "Condition"),
        words("alternative", "Alternative"),
        words("direction", "Direction"),
        percents("relative", "Relative effect"),
        numbers("g", "G"),
    )
    criticals = sorted(
        {
            number(value, digits=5)
            for result in results.conditions
            for value in result.frame["critical"].drop_nulls().drop_nans()
        }
    )
    return {
        "panels": panels,
        "alpha": results.outliers.alpha,
        "critical": ", ".join(criticals),
        "numbers": [(results.look.number(label), label) for label in results.look.alternatives],
        "summary": picture("outliers", summary, "Outliers of the responses with plots"),
        "every": picture("outliers-all", every, "Outliers by response and condition")
        if len(results.outliers.responses) > len(results.inputs.shown)
        else None,
        "responses": len(results.outliers.responses),
        "summary_table": table("outliers", results.outliers.frame, outlier_columns),
        "tested": results.outliers.tested,
        "expected": number(results.outliers.expected, digits=2),
        "counts": results.outliers.counts.rows(named=True),
        "notes": _notes(note for result in results.conditions for note in result.notes),
    }


def _condition_table(identifier: str, frame: pl.DataFrame) -> Table:
    columns = (
        counts("condition", "Condition"),
        numbers("mean", "Mean"),
        numbers("sd", "s"),
        words("extreme", "Extreme"),
        numbers("residual", "Residual", signed=True),
        percents("relative", "Relative"),
        numbers("g", "G"),
        numbers("critical", "Critical"),
        Column("outlier", "Outlier", lambda value: "yes" if value else "", numeric=False),
    )
    return table(identifier, frame, columns)


def _effects(results: Results) -> Context:
    if results.effects is None:
        return {"left_out": results.effects_left_out} if results.effects_left_out else {}
    panels: list[Context] = []
    for response in results.inputs.shown:
        mine = results.effects.frame.filter(pl.col("response") == response)
        if mine["mean"].is_nan().all():
            continue
        chart = main_effects_chart(
            results.effects,
            response=response,
            look=results.look,
            names=results.names,
            each=results.effects_each,
        )
        name = results.names.response(response)
        identifier = f"main-effects-{len(panels) + 1}"
        panels.append(
            {
                "value": response,
                "name": name,
                "picture": picture(identifier, chart, f"Main effects on {name}"),
                "table": _effect_table(results, f"main-effects-{response}", mine),
            }
        )
    influence = results.effects.influence
    factors = influence["factor"].to_list()
    symbols = {str(f["name"]): _symbol(f.get("symbol")) for f in results.inputs.factors}
    return {
        "panels": panels,
        "method": results.effects.method,
        "left_out": (),
        "factors": [(results.names.factor(name), symbols[name]) for name in factors],
        "rows": _significance(results, factors),
        "tests": int(results.effects.frame["p"].is_finite().sum()),
        "starred": int((results.effects.frame["p"] < 0.05).sum()),
        "double": int((results.effects.frame["p"] < 0.01).sum()),
        "influence_row": [
            "–" if row["influence"] is None else f"{100 * row['influence']:.0f}"
            for row in influence.iter_rows(named=True)
        ],
        "influence": picture(
            "influence", influence_chart(results.effects, names=results.names), "Influence"
        ),
        "table": _effect_table(results, "main-effects", results.effects.frame, every=True),
        "notes": _notes((*results.effects_left_out, *results.effects.notes)),
    }


def _effect_table(
    results: Results, identifier: str, frame: pl.DataFrame, *, every: bool = False
) -> Table:
    names = {str(f["name"]): results.names.factor(str(f["name"])) for f in results.inputs.factors}
    columns = (
        *([words("response", "Response", _response_names(results))] if every else []),
        words("factor", "Factor", names),
        numbers("low", "Mean at −"),
        numbers("high", "Mean at +"),
        numbers("effect", "Effect", signed=True),
        numbers("effect_lower", "Lower"),
        numbers("effect_upper", "Upper"),
        percents("relative", "Relative"),
        numbers("t", "t"),
        counts("df", "df"),
        probabilities("p", "p"),
        words("stars", ""),
    )
    return table(identifier, frame, columns)


def _significance(results: Results, factors: list[str]) -> list[Context]:
    """Rows of the significance summary: sign and stars of each factor on each response."""
    assert results.effects is not None
    made = []
    for (response,), group in results.effects.frame.group_by("response", maintain_order=True):
        if group["mean"].is_nan().all():
            continue
        found = {row["factor"]: row for row in group.iter_rows(named=True)}
        cells = [
            {
                "sign": found[name]["sign"].replace("-", "−") if found[name]["stars"] else "",
                "stars": found[name]["stars"],
                "relative": percent(found[name]["relative"]),
            }
            for name in factors
        ]
        made.append({"name": results.names.response(str(response)), "cells": cells})
    return made


def _ranks(results: Results) -> Context:
    if results.ranks is None:
        return {}
    ranks = results.ranks
    names = _response_names(results)
    key = [name for name in results.inputs.shown if name in ranks.responses]
    key = (key or list(ranks.responses))[:_RANKED_FIRST]
    rest = [name for name in ranks.responses if name not in key]
    chart = rank_matrix_chart(ranks, names=results.names, only=key)
    overview = rank_overview_chart(ranks, names=results.names)
    scatter = rank_scatter_chart(ranks, look=results.look)
    matrix = (
        words("response", "Response", names),
        counts("condition", "Condition"),
        words("alternative", "Alternative"),
        numbers("value", "Value"),
        Column("rank", "Rank", lambda value: f"{value:g}"),
    )
    return {
        "best": len(results.look.alternatives),
        "ordered": results.names.response(ranks.order_by) if ranks.order_by else "",
        "responses": len(ranks.responses),
        "kind": results.inputs.ranked_kind,
        "rest": len(rest),
        "overview": picture("rank-overview", overview, "Mean rank by response and alternative"),
        "matrix": picture("rank-matrix", chart, "Ranks by response, alternative and condition"),
        "more": picture(
            "rank-matrix-more",
            rank_matrix_chart(ranks, names=results.names, only=rest),
            "Ranks by alternative and condition for the other responses",
        )
        if rest
        else None,
        "scatter": picture("rank-scatter", scatter, "Standard deviation against mean of ranks"),
        "matrix_table": table("rank-matrix", ranks.frame, matrix),
        "summary_table": table(
            "rank-summary",
            ranks.summary,
            (
                words("alternative", "Alternative"),
                counts("n", "Ranks"),
                numbers("mean", "Mean"),
                numbers("sd", "sd"),
            ),
        ),
        "tests_table": table(
            "rank-tests",
            ranks.tests,
            (
                words("response", "Response", names),
                counts("conditions", "Conditions"),
                numbers("statistic", "Friedman χ²"),
                probabilities("p", "p"),
                numbers("concordance", "Kendall's W"),
            ),
        ),
        "notes": _notes(ranks.notes),
    }


def _paired(results: Results) -> Context:
    if results.paired is None or results.paired.frame.is_empty():
        return {}
    paired = results.paired
    columns = (
        words("response", "Response", _response_names(results)),
        words("alternative", "Alternative"),
        counts("n", f"{paired.unit.capitalize()}s"),
        numbers("baseline_mean", f"Mean of {paired.baseline}"),
        numbers("difference", "Difference", signed=True),
        numbers("lower", "Lower"),
        numbers("upper", "Upper"),
        percents("relative", "Relative"),
        counts("above", "Above"),
        counts("equal", "Equal"),
        counts("below", "Below"),
        probabilities("p", "p"),
        probabilities("p_holm", "p (Holm)"),
        probabilities("wilcoxon_holm", "Wilcoxon p (Holm)"),
        *(
            (
                numbers("seed_lower", "These conditions: lower"),
                numbers("seed_upper", "upper"),
                probabilities("seed_holm", "p (Holm)"),
            )
            if (paired.frame["seeds"] > 1).any()
            else ()
        ),
    )
    better = {name: str(about.get("better")) for name, about in results.inputs.responses.items()}
    chart = forest_chart(paired, look=results.look, names=results.names, better=better)
    blocks = (
        words("response", "Response", _response_names(results)),
        words("alternative", "Alternative"),
        counts("condition", "Condition"),
        counts("replicates", "Pairs"),
        numbers("baseline_value", paired.baseline),
        numbers("difference", "Difference", signed=True),
        numbers("lower", "Lower"),
        numbers("upper", "Upper"),
    )
    return {
        "baseline": paired.baseline,
        "unit": paired.unit,
        "confidence": percent(paired.confidence, digits=3, signed=False),
        "tests": paired.frame.height,
        "picture": picture("paired", chart, f"Differences from {paired.baseline}"),
        "table": table("paired-differences", paired.frame, columns),
        "blocks": table("paired-blocks", paired.blocks, blocks),
        "notes": _notes(paired.notes),
    }


def _responses(results: Results) -> Context:
    names = _response_names(results)
    listed = [
        {
            "id": name,
            "name": str(about.get("name") or name),
            "unit": str(about.get("unit") or ""),
            "symbol": _symbol(about.get("symbol")),
            "definition": str(about.get("definition") or ""),
            "source": str(about.get("source") or ""),
            "better": str(about.get("better") or "neither"),
        }
        for name, about in results.inputs.responses.items()
    ]
    columns = (
        words("response", "Response", names),
        words("alternative", "Alternative"),
        counts("conditions", "Conditions"),
        numbers("mean", "Mean"),
        numbers("sd", "sd"),
        numbers("minimum", "Minimum"),
        numbers("median", "Median"),
        numbers("maximum", "Maximum"),
    )
    return {"listed": listed, "table": table("responses", results.description.frame, columns)}


def _provenance(results: Results) -> Context:
    measured = [name for name in results.inputs.responses if name in results.inputs.frame.columns]
    return {
        "about": results.inputs.provenance,
        "digest": digest(results.inputs.frame, responses=measured),
        "plan": results.inputs.plan,
    }


def _runs(results: Results) -> Context:
    commands = results.inputs.commands
    frame = results.inputs.frame
    named = [
        {**row, "command": commands.get(row["run"], "")}
        for row in frame.select("run", "condition", "alternative", "replicate", "seed").iter_rows(
            named=True
        )
    ]
    return {"runs": named, "download": csv_uri(frame) if frame.height else ""}


def _response_names(results: Results) -> dict[str, str]:
    return {name: results.names.response(name) for name in results.inputs.responses}


def _notes(notes: Iterable[str]) -> list[str]:
    """Notes without repetitions; what concerns replication stands at the head of the page."""
    return [note for note in dict.fromkeys(notes) if not note.startswith("n = 1")]


def _symbol(symbol: object) -> str:
    if isinstance(symbol, dict):
        return ", ".join(f"{study}: {value}" for study, value in symbol.items())
    return str(symbol or "")


def _spelled(product: object, labels: dict[str, str]) -> str:
    text = str(product)
    sign = "−" if text.startswith("-") else ""
    return sign + " × ".join(labels.get(name, name) for name in text.lstrip("-").split("*"))


_ROMAN = {3: "III", 4: "IV", 5: "V", 6: "VI", 7: "VII", 8: "VIII"}
_MEANINGS = {
    3: "Main effects are confounded with interactions of two factors: read them with care.",
    4: "No main effect is confounded with another or with an interaction of two factors; some "
    "interactions of two factors are confounded with each other.",
    5: "No main effect or interaction of two factors is confounded with another of them.",
}


def _roman(resolution: object) -> str:
    if not isinstance(resolution, int | float) or math.isinf(resolution):
        return ""
    return _ROMAN.get(int(resolution), str(int(resolution)))


def _meaning(resolution: object) -> str:
    if not isinstance(resolution, int | float):
        return ""
    if math.isinf(resolution):
        return "Every combination of levels is simulated, so nothing is confounded."
    return _MEANINGS.get(min(int(resolution), 5), "")
