"""Charts and tables that every study with campaigns has, and figures of several places."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl

from mesonet.analysis import paired_differences
from mesonet.campaign import Campaign
from mesonet.figures import number, percent
from mesonet.page.tables import Column, Table, counts, numbers, probabilities, table, words
from mesonet.studies.marks import Noted
from mesonet.studies.study import RunResults


def means(run: RunResults, response: str, plan: str = "") -> Any:
    """A chart of the means of each alternative, with a dot per condition."""
    from mesonet.studies.stock_charts import means_chart

    return means_chart(run.campaigns[plan], response)


def differences(
    run: RunResults, responses: tuple[str, ...] = (), plan: str = "", baseline: str = ""
) -> Noted:
    """A chart of differences from the baseline with their 95 % intervals, and their notes."""
    from mesonet.studies.stock_charts import differences_chart

    campaign = run.campaigns[plan]
    base = baseline or first_alternative(campaign)
    return differences_chart(campaign, responses or shown_responses(campaign), base)


def means_table(run: RunResults, responses: tuple[str, ...] = (), plan: str = "") -> Table | None:
    """A row per response and alternative: runs, mean and standard deviation."""
    campaign = run.campaigns[plan]
    prefix = f"{plan}." if plan else ""
    rows = [
        {
            "response": response,
            "alternative": alternative.label,
            "runs": int(run.figures[f"{prefix}{alternative.label}.runs"]),
            "mean": run.figures[f"{prefix}{alternative.label}.{response}.mean"],
            "sd": run.figures[f"{prefix}{alternative.label}.{response}.sd"],
        }
        for response in responses or shown_responses(campaign)
        for alternative in campaign.plan.alternatives
    ]
    columns = [
        words("response", "Response"),
        words("alternative", "Alternative"),
        counts("runs", "Runs"),
        numbers("mean", "Mean"),
        numbers("sd", "Standard deviation"),
    ]
    return table("means", pl.DataFrame(rows), columns) if rows else None


def differences_table(
    run: RunResults, responses: tuple[str, ...] = (), plan: str = "", baseline: str = ""
) -> Noted | None:
    """A row per response and alternative: the difference to the baseline, its interval and p."""
    campaign = run.campaigns[plan]
    frame = campaign.results()
    base = baseline or first_alternative(campaign)
    if frame["alternative"].n_unique() < 2:
        return None
    found = paired_differences(
        frame, response=list(responses or shown_responses(campaign)), baseline=base
    )
    columns: list[Column] = [
        words("response", "Response"),
        words("alternative", "Alternative"),
        words("baseline", "Baseline"),
        numbers("difference", "Difference", signed=True),
        numbers("lower", "95 % from", signed=True),
        numbers("upper", "to", signed=True),
        probabilities("p", "p"),
        probabilities("p_holm", "p (Holm)"),
    ]
    return Noted(table("differences", found.frame, columns), found.notes)


def figures_table(
    run: RunResults,
    rows: Sequence[str],
    columns: Mapping[str, str | Mapping[str, Any]],
    heading: str = "Algorithm",
    names: Mapping[str, str] | None = None,
    formats: Mapping[str, str] | None = None,
) -> Table | None:
    """A row for each name for which there is a figure; None without any.

    Args:
        run: the results.
        rows: names of the rows.
        columns: by heading, the name of a figure, in which "{}" stands for the name of the row, or
            entries by the names of rows.
        heading: heading of the first column.
        names: names of rows for people.
        formats: formats of columns by heading, as in `format`, or "percent".
    """

    def cell(row: str, column: str | Mapping[str, Any]) -> Any:
        if not isinstance(column, str):
            return column.get(row)
        value = run.figures.get(column.format(row), math.nan)
        return None if math.isnan(value) else value

    measured = [title for title, column in columns.items() if isinstance(column, str)]
    found = [
        {heading: (names or {}).get(row, row)}
        | {title: cell(row, column) for title, column in columns.items()}
        for row in rows
    ]
    found = [each for each in found if any(each[title] is not None for title in measured)]
    if not found:
        return None
    frame = pl.DataFrame(found, infer_schema_length=None)
    forms = {
        title: percent if form == "percent" else partial(_formatted, form)
        for title, form in (formats or {}).items()
    }
    shown = [
        words(title, title)
        if frame[title].dtype == pl.String
        else Column(title, title, forms.get(title, number))
        for title in frame.columns
    ]
    return table("figures", frame, shown)


def _formatted(form: str, value: float) -> str:
    return format(value, form).replace("%", "\N{NARROW NO-BREAK SPACE}%")


def shown_responses(campaign: Campaign) -> tuple[str, ...]:
    """Responses that a campaign's plan analyses, or its first ten."""
    plan = campaign.plan
    return tuple(plan.analysis.responses or plan.responses[:10])


def first_alternative(campaign: Campaign) -> str:
    """The baseline of a campaign: the plan's, or the first alternative."""
    plan = campaign.plan
    asked = plan.analysis.kinds().get("paired_differences", {}).get("baseline")
    return str(asked or plan.alternatives[0].label)


STOCK: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "chart": {"means": means, "differences": differences},
    "table": {"means": means_table, "differences": differences_table, "figures": figures_table},
    "value": {},
}
"""Charts and tables by kind and name; `variants`, a table, comes with the results."""
