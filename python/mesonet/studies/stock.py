"""Charts and tables that every study with campaigns has, and figures of several places."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from mesonet.analysis import describe, paired_differences
from mesonet.campaign import Campaign
from mesonet.figures import Look, Names, describe_chart, number, percent
from mesonet.numbers import probability
from mesonet.page.tables import Format, Table, headed, rows_table, table
from mesonet.studies.study import Noted, RunResults


def means(run: RunResults, response: str, plan: str = "") -> Any:
    """A chart of each alternative: from the smallest condition to the largest, and the mean."""
    campaign = run.campaigns[plan]
    described = describe(campaign.results(), responses=response)
    look = Look.of([alternative.label for alternative in campaign.plan.alternatives])
    return describe_chart(described, look=look, names=_names(campaign))


def _names(campaign: Campaign) -> Names:
    from mesonet.report import ReportInputs

    about = ReportInputs.from_campaign(campaign).responses
    return Names(responses={key: (facts["name"], facts["unit"]) for key, facts in about.items()})


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
    headings = {"response": "Response", "alternative": "Alternative", "runs": "Runs"}
    headings |= {"mean": "Mean", "sd": "Standard deviation"}
    return rows_table("means", rows, headings, {"runs": str})


def differences(
    run: RunResults, responses: tuple[str, ...] = (), plan: str = "", baseline: str = ""
) -> Noted | None:
    """A row per response and alternative: the difference to the baseline, its interval and p.

    The baseline is the one asked for, the plan's, or the first alternative.
    """
    campaign = run.campaigns[plan]
    frame = campaign.results()
    if frame["alternative"].n_unique() < 2:
        return None
    own = campaign.plan.analysis.kinds().get("paired_differences", {}).get("baseline")
    baseline = str(baseline or own or campaign.plan.alternatives[0].label)
    response = list(responses or shown_responses(campaign))
    paired = paired_differences(frame, response=response, baseline=baseline)
    headings = {"response": "Response", "alternative": "Alternative", "baseline": "Baseline"}
    headings |= {"difference": "Difference", "lower": "95 % from", "upper": "to"}
    headings |= {"p": "p", "p_holm": "p (Holm)"}
    signed: Format = partial(number, signed=True)
    forms = {"p": probability, "p_holm": probability, "difference": signed}
    forms |= {"lower": signed, "upper": signed}
    columns = headed(paired.frame, headings, forms)
    return Noted(table("differences", paired.frame, columns), paired.notes)


def figures_table(
    run: RunResults,
    rows: Sequence[str],
    columns: Mapping[str, str | Mapping[str, Any]],
    heading: str = "Algorithm",
    names: Mapping[str, str] | None = None,
    formats: Mapping[str, str] | None = None,
) -> Table | None:
    """A row for each name for which there is a figure; None without any.

    `columns` has by heading the name of a figure, in which "{}" stands for the name of the row, or
    entries by the names of rows; `formats` are those of columns by heading, as in `format`, or
    "percent".
    """

    def cell(row: str, column: str | Mapping[str, Any]) -> Any:
        if not isinstance(column, str):
            return column.get(row)
        value = run.figures.get(column.format(row), math.nan)
        return None if math.isnan(value) else value

    measured = [title for title, column in columns.items() if isinstance(column, str)]
    cells = [
        {heading: (names or {}).get(row, row)}
        | {title: cell(row, column) for title, column in columns.items()}
        for row in rows
    ]
    cells = [row for row in cells if any(row[title] is not None for title in measured)]
    forms = {
        title: percent if form == "percent" else partial(_formatted, form)
        for title, form in (formats or {}).items()
    }
    return rows_table("figures", cells, {title: title for title in (heading, *columns)}, forms)


def _formatted(form: str, value: float) -> str:
    return format(value, form).replace("%", "\N{NARROW NO-BREAK SPACE}%")


def shown_responses(campaign: Campaign) -> tuple[str, ...]:
    """Responses that a campaign's plan analyses, or its first ten."""
    plan = campaign.plan
    return tuple(plan.analysis.responses or plan.responses[:10])


STOCK: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "chart": {"means": means},
    "table": {"means": means_table, "differences": differences, "figures": figures_table},
    "value": {},
}
"""Charts and tables by kind and name; `variants`, a table, comes with the results."""
