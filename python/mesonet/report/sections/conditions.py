"""Condition-response plots and their summary."""

from __future__ import annotations

from functools import partial

import polars as pl

from mesonet.analysis.multiplicity import METHOD_NAMES
from mesonet.figures import condition_response_chart, condition_summary_chart, number
from mesonet.page.charts import picture
from mesonet.page.tables import Column, Table, counts, numbers, percents, table, words
from mesonet.report.results import Results
from mesonet.report.sections.common import Context, notes_of, plain_table, response_names


def make(results: Results) -> Context:
    """A panel for each response with plots, and the summary over all."""
    if not results.conditions or results.outliers is None:
        return {}
    panels: list[Context] = []
    for result in results.conditions:
        if (result.frame["direction"] == "same").all():
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
                    f"condition-response-{len(panels) + 1}",
                    chart,
                    f"Residuals of {name}",
                    file=f"conditions-{result.response}",
                ),
                "table": _condition_table(f"condition-response-{result.response}", result.frame),
            }
        )
    if not panels and not results.outliers.tested:
        return {"why": "The alternatives cannot be told apart under any condition."}
    draw = partial(
        condition_summary_chart, look=results.look, names=results.names, order=results.order
    )
    every = results.outliers_all or results.outliers
    unadjusted = results.outliers.adjust == "none"
    summary = draw(results.outliers, only=results.inputs.shown)
    outlier_columns = (
        words("response", "Response", response_names(results)),
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
        "summary": picture(
            "outliers",
            summary,
            "Outliers of the responses with plots",
            paper=partial(draw, results.outliers),
        ),
        "every": picture("outliers-all", draw(every), "Outliers by response and condition")
        if len(every.responses) > len(results.inputs.shown)
        else None,
        "responses": len(every.responses),
        "summary_table": table("outliers", results.outliers.frame, outlier_columns),
        "all_table": table("outliers-all", results.outliers_all.frame, outlier_columns)
        if results.outliers_all
        else None,
        "counted": plain_table(
            results,
            "outliers",
            (
                words("alternative", "Algorithm"),
                counts("outliers", "Outliers"),
                counts("high", "High"),
                counts("low", "Low"),
                counts("all", "Outliers of all"),
                counts("tested", "Cells tested"),
                *((numbers("by_chance", "By chance"),) if unadjusted else ()),
            ),
            "outliers-counted",
        ),
        "adjusted": METHOD_NAMES.get(results.outliers.adjust),
        "notes": notes_of(note for result in results.conditions for note in result.notes),
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
