"""Rank matrices."""

from __future__ import annotations

from functools import partial

from mesonet.figures import rank_matrix_chart, rank_overview_chart, rank_scatter_chart
from mesonet.page.charts import picture
from mesonet.page.tables import Column, counts, numbers, probabilities, table, words
from mesonet.report.results import Results
from mesonet.report.sections.common import Context, notes_of, plain_table, response_names

# How many responses show their rank matrix without being asked.
_RANKED_FIRST = 4


def make(results: Results) -> Context:
    """Overview, scatter and matrices of ranks; empty without them."""
    if results.ranks is None:
        return {}
    ranks = results.ranks
    names = response_names(results)
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
        "matrix": picture(
            "rank-matrix",
            chart,
            "Ranks by response, alternative and condition",
            file="ranks",
            paper=partial(rank_matrix_chart, ranks, names=results.names),
        ),
        "more": picture(
            "rank-matrix-more",
            rank_matrix_chart(ranks, names=results.names, only=rest),
            "Ranks by alternative and condition for the other responses",
            file=None,
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
        "judged_table": plain_table(
            results,
            "ranks",
            (
                words("alternative", "Algorithm"),
                counts("n", "Ranks"),
                numbers("mean", "Mean"),
                numbers("sd", "sd"),
            ),
            "rank-summary-judged",
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
        "notes": notes_of(ranks.notes),
    }
