"""Main effects, interactions, significance and influence."""

from __future__ import annotations

from functools import partial

import polars as pl

from mesonet.figures import (
    influence_chart,
    interactions_chart,
    main_effects_chart,
    percent,
    significance_chart,
)
from mesonet.page.charts import Print, picture
from mesonet.page.tables import Table, counts, numbers, percents, probabilities, table, words
from mesonet.report.results import Results
from mesonet.report.sections.common import (
    Context,
    notes_of,
    plain_table,
    response_names,
    symbol_text,
)


def make(results: Results) -> Context:
    """A panel for each response with plots, and which factors matter over all."""
    if results.effects is None:
        return {"left_out": results.effects_left_out} if results.effects_left_out else {}
    # Undefined or zero everywhere: tables and plots would be empty.
    if not (results.effects.frame["effect"].fill_nan(0.0) != 0.0).any():
        why = "No response moves with a factor, or has values enough to say whether it does."
        return {"left_out": (why, *results.effects_left_out, *notes_of(results.effects.notes))}
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
        pairs = interactions_chart(results.interactions, response=response, names=results.names)
        name = results.names.response(response)
        identifier = f"main-effects-{len(panels) + 1}"
        panels.append(
            {
                "value": response,
                "name": name,
                "picture": picture(
                    identifier, chart, f"Main effects on {name}", file=f"effects-{response}"
                ),
                "pairs": picture(
                    f"interactions-{len(panels) + 1}",
                    pairs,
                    f"Interactions: {name}",
                    file=f"interactions-{response}",
                )
                if len(results.interactions.factors) > 1
                else None,
                "table": _effect_table(results, f"main-effects-{response}", mine),
            }
        )
    influence = results.effects.influence
    factors = influence["factor"].to_list()
    symbols = {str(f["name"]): symbol_text(f.get("symbol")) for f in results.inputs.factors}
    return {
        "panels": panels,
        "influence_table": plain_table(
            results,
            "influence",
            (
                words("factor", "Factor", {name: results.names.factor(name) for name in factors}),
                counts("responses", "Responses"),
                counts("at_1_percent", "p < 0.01"),
                counts("at_5_percent", "0.01 ≤ p < 0.05"),
                numbers("influence", "Influence Ψ"),
            ),
        ),
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
        "significance": Print(
            "significance", partial(significance_chart, results.significance, names=results.names)
        ),
        "table": _effect_table(results, "main-effects", results.effects.frame, every=True),
        "notes": notes_of((*results.effects_left_out, *results.effects.notes)),
    }


def _effect_table(
    results: Results, identifier: str, frame: pl.DataFrame, *, every: bool = False
) -> Table:
    names = {str(f["name"]): results.names.factor(str(f["name"])) for f in results.inputs.factors}
    columns = (
        *([words("response", "Response", response_names(results))] if every else []),
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
