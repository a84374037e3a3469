"""Section on the clusters of algorithms that respond alike under each condition."""

from __future__ import annotations

from functools import partial

from mesonet.figures import dendrograms_chart, stand_apart_chart
from mesonet.page.charts import picture
from mesonet.page.tables import counts, numbers, table, words
from mesonet.report.results import Results
from mesonet.report.sections.common import Context, notes_of


def make(results: Results) -> Context | None:
    """A dendrogram per condition, and how often each algorithm stands apart."""
    if len(results.look.alternatives) < 2:
        return None
    if len(results.look.alternatives) < 3:
        return {"why": "Of two algorithms neither stands apart from the other: clustering needs "
                "three."}  # fmt: skip
    made = results.clusters
    if made.links.is_empty() or made.conditions["identical"].all():
        return {"why": "The algorithms cannot be told apart under any condition, so there are no "
                "distances to draw."}  # fmt: skip
    # Tens of thousands of brackets would be drawn for a page that nobody reads through.
    first = made.conditions["condition"].head(_SHEET).to_list()
    return {
        "conditions": made.conditions.height,
        "shown": len(first),
        "apart": picture(
            "stand-apart", stand_apart_chart(made, look=results.look), "How often each stands apart"
        ),
        "sheet": picture(
            "dendrograms",
            dendrograms_chart(made, look=results.look, only=first),
            "A dendrogram for each condition",
            paper=partial(dendrograms_chart, made, look=results.look),
        ),
        "summary_table": table(
            "stand-apart",
            made.summary,
            (
                words("alternative", "Algorithm"),
                counts("conditions", "Conditions"),
                counts("apart", "Apart from all others"),
                counts("alone", "Alone at the cut"),
            ),
        ),
        "table": table(
            "algorithm-clusters",
            made.frame,
            (
                counts("condition", "Condition"),
                words("alternative", "Algorithm"),
                counts("cluster", "Cluster"),
                numbers("joins_at", "Joins at"),
            ),
        ),
        "notes": notes_of(made.notes),
    }


_SHEET = 64
