"""Section on the goodput of alternate flows beside standard ones, and its cost to these."""

from __future__ import annotations

from functools import partial
from typing import Any

import polars as pl

from mesonet.analysis import difference_histogram, flow_ranks
from mesonet.figures import (
    biplot_chart,
    difference_histogram_chart,
    goodput_bars_chart,
    rank_scatter_chart,
)
from mesonet.page.charts import Print, picture, safe
from mesonet.page.tables import counts, numbers, percents, probabilities, table, words
from mesonet.report.results import Results
from mesonet.report.sections.common import Context, notes_of, response_names

_GROUPS = 6
_BARS = 24


def make(results: Results) -> Context | None:
    """Biplots, bars, histograms, ranks of both kinds, and impact on the standard flows."""
    flows = results.flows
    if flows is None:
        return None
    present = set(flows.frame["group"])
    known = [name for name in flows.groups if name in present]
    groups, rest = known[:_GROUPS], known[_GROUPS:]
    if not groups:
        return {"why": "No condition has completed transfers of both kinds of flows, so their "
                "goodputs cannot be compared."}  # fmt: skip
    histogram, ranks = difference_histogram(flows), flow_ranks(flows)
    style: dict[str, Any] = {"look": results.look, "names": results.names}
    order = flows.frame.sort("position")["condition"].unique(maintain_order=True).to_list()
    makers = {
        group: {
            "biplot": partial(biplot_chart, flows, group=group, **style),
            "bars": partial(goodput_bars_chart, flows, group=group, **style),
            "differences": partial(difference_histogram_chart, histogram, group=group, **style),
        }
        for group in known
    }
    panels = []
    for place, group in enumerate(groups, start=1):
        name, make = results.names.response(group), makers[group]
        bars = make["bars"](conditions=order[-_BARS:])
        panels.append(
            {
                "value": group,
                "name": name,
                "biplots": picture(
                    f"biplot-{place}",
                    make["biplot"](),
                    f"Biplots of {name}",
                    file=f"biplot-{group}",
                ),
                "bars": picture(
                    f"bars-{place}",
                    bars,
                    f"Relative {name}",
                    file=f"bars-{group}",
                    paper=make["bars"],
                ),
                "histogram": picture(
                    f"differences-{place}",
                    make["differences"](),
                    f"Differences of {name}",
                    file=f"differences-{group}",
                ),
            }
        )
    names = response_names(results)
    return {
        "panels": panels,
        "standard": flows.standard,
        "left_out": len(rest),
        "printed": [
            Print(safe(f"{kind}-{group}"), make)
            for group in rest
            for kind, make in makers[group].items()
        ],
        "bars": min(_BARS, len(order)),
        "conditions": len(order),
        "ranks": picture(
            "flow-ranks",
            rank_scatter_chart(ranks.overall, look=results.look),
            "Ranks",
        ),
        "ranks_table": table(
            "flow-ranks",
            ranks.frame,
            (
                words("alternative", "Algorithm"),
                numbers("alternate_mean", "Own flows: mean rank"),
                numbers("alternate_sd", "sd"),
                numbers("standard_mean", f"{flows.standard} flows beside it: mean rank"),
                numbers("standard_sd", "sd"),
            ),
        ),
        "impact": _impact(results, names),
        "summary": table(
            "flow-summary",
            flows.summary,
            (
                words("group", "Flows", names),
                words("alternative", "Algorithm"),
                counts("n", "Conditions"),
                counts("above", "Gets more in"),
                counts("below", "Less in"),
                numbers("median", "Median difference", signed=True),
                percents("relative", "Median relative"),
            ),
        ),
        "table": table(
            "flow-comparison",
            flows.frame,
            (
                words("group", "Flows", names),
                counts("condition", "Condition"),
                words("alternative", "Algorithm"),
                numbers("alternate", "Alternate"),
                numbers("standard", "Standard"),
                percents("relative", "Difference"),
            ),
        ),
        "notes": notes_of((*flows.notes, *ranks.notes)),
    }


def _impact(results: Results, names: dict[str, str]) -> object:
    found = results.impact
    defined = None if found is None else found.frame.filter(pl.col("change").is_finite())
    if found is None or defined is None or defined.is_empty():
        return None
    return table(
        "impact",
        defined,
        (
            words("response", f"What {results.standard} flows get", names),
            words("alternative", "Beside"),
            numbers("without", f"Beside {found.baseline}"),
            numbers("with", "With it"),
            percents("change", "Change"),
            percents("lower", "Lower"),
            percents("upper", "Upper"),
            probabilities("p_holm", "p (Holm)"),
        ),
    )
