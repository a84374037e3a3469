"""Sections of the page of the sensitivity analysis."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from mesonet.figures import (
    Look,
    Names,
    correlation_chart,
    frequency_chart,
    index_chart,
    influence_sets_chart,
    main_effects_chart,
)
from mesonet.plan import Plan
from mesonet.report.charts import picture
from mesonet.report.tables import (
    Column,
    Table,
    counts,
    numbers,
    percents,
    probabilities,
    table,
    words,
)
from mesonet.studies.nist.sensitivity_charts import (
    column,
    group_of,
    influence_bars,
    row,
    table_7_chart,
)
from mesonet.studies.nist.sensitivity_cost import RunCost
from mesonet.studies.nist.sensitivity_effects import PERIOD, Clusters, Effects, effects_of
from mesonet.studies.nist.sensitivity_published import (
    CORRELATED,
    FACTORS,
    RESPONSES,
    SAMPLE,
    TABLE_7,
    UNITS,
    UNPLACED,
)
from mesonet.studies.nist.sensitivity_settings import (
    cost_section,
    factors_section,
    levels_of,
    networks_section,
)
from mesonet.studies.page import CaptionedChart, Section


def facts(cost: RunCost) -> dict[str, str]:
    """Facts for the head of the page."""
    return {"Processor time": f"{cost.seconds / 3600:.2f} h"}


def sections(
    frame: pl.DataFrame,
    effects: Effects,
    clusters: Clusters,
    *,
    plan: Plan,
    alternate: str,
    cost: RunCost,
) -> Sequence[Section]:
    """All sections, in order."""
    names = _names(plan)
    return (
        _table_7(frame, effects, alternate),
        _figure_10(effects, names),
        _table_8(effects, names),
        _clusters(clusters),
        factors_section(plan),
        networks_section(),
        cost_section(cost),
    )


def _names(plan: Plan) -> Names:
    levels = levels_of(plan)
    return Names(
        responses={
            **{name: (text, UNITS[name][0]) for name, (_, text) in RESPONSES.items()},
            **{name: (text, "") for name, (_, text) in SAMPLE.items()},
        },
        factors={FACTORS[k][0]: (f"X{k} {FACTORS[k][1]}", *levels[k]) for k in FACTORS},
    )


def _table_7(frame: pl.DataFrame, effects: Effects, alternate: str) -> Section:
    found = effects.periods[PERIOD].frame
    significant = found.filter(pl.col("stars") != "").height
    model = effects_of(frame, alternate=alternate, method="model").periods[PERIOD].frame
    pairs = [effects.row(*effect[:2]) | {"printed": effect.sign} for effect in TABLE_7]
    same = sum(pair["sign"] == pair["printed"] for pair in pairs)
    here = sum(bool(pair["stars"]) and pair["sign"] == pair["printed"] for pair in pairs)
    rows = pl.DataFrame(
        [
            {"response": row(each["response"]), "unit": UNITS[each["response"]][0]}
            | {"factor": _column_of(each["factor"])}
            | {name: each[name] for name in ("low", "high", "effect", "relative", "p")}
            for each in found.iter_rows(named=True)
        ]
    )
    return Section(
        "table-7",
        "Table 7: which factors move which responses",
        (
            (
                f"Of {len(TABLE_7)} published effects of the second period whose column is clear, "
                f"{same} have the same sign here and {here} are significant (p < .05) here, too. "
                f"{significant} of 360 effects are significant here; "
                f"{len(TABLE_7) + len(UNPLACED)} are published. "
                f"With the other factors' effects taken out of the noise it would be "
                f"{model.filter(pl.col('stars') != '').height}."
            ),
            (
                "A verdict asks for the sign alone: at another scale and length, how many effects "
                "rise above the noise is not comparable."
            ),
        ),
        (
            CaptionedChart(
                picture(
                    "table-7",
                    table_7_chart(effects),
                    "Matrix of 18 responses and 20 factors with the signs of significant effects, "
                    "published and measured",
                ),
                "Above the published sign, below ours. + : the high level has the larger response. "
                "** p < .01, * p < .05. Grey cells are significant here and not published; some of "
                "them are among the eleven published effects whose column is lost.",
            ),
        ),
        (
            (
                "Every effect of the second period",
                table(
                    "effects-period-2",
                    rows,
                    (
                        words("response", "Response"),
                        words("unit", "Unit"),
                        words("factor", "Factor"),
                        numbers("low", "Mean at −"),
                        numbers("high", "Mean at +"),
                        numbers("effect", "Effect", signed=True),
                        percents("relative", "Relative"),
                        probabilities("p", "p"),
                    ),
                ),
            ),
            ("Published, column in doubt", _unplaced()),
        ),
        (
            (
                "Long-lived flows (Y13 to Y15) run in the 128 conditions with X10 at −; their "
                "effects are over these."
            ),
        ),
    )


def _column_of(name: str) -> str:
    return next(column(k) for k, (known, *_) in FACTORS.items() if known == name)


def _unplaced() -> Table:
    frame = pl.DataFrame(
        [(row(name), text.replace("-", "−"), why) for name, text, why in UNPLACED],
        schema=["response", "published", "columns"],
        orient="row",
    )
    return table(
        "unplaced",
        frame,
        (
            words("response", "Response"),
            words("published", "Published"),
            words("columns", "Factor, as far as the text lets us tell"),
        ),
    )


def _figure_10(effects: Effects, names: Names) -> Section:
    result = effects.periods[PERIOD]
    # Twenty factors side by side leave no room for more than their numbers.
    numbers = {FACTORS[k][0]: (f"X{k}", "−", "+") for k in FACTORS}
    short = Names(responses=names.responses, factors=numbers)

    def effects_chart(response: str, caption: str) -> CaptionedChart:
        chart = main_effects_chart(
            result, response=response, look=Look.of(["all"]), names=short, step=50
        )
        text = f"Main effects of twenty factors on {names.response(response)}"
        return CaptionedChart(picture(f"effects-{response}", chart, text), caption)

    return Section(
        "figure-10",
        "Figure 10: main effects plots",
        (
            (
                "For each factor, by its number in the paper, the mean response of the second "
                "period at its low and high level; the dashed line is the mean of all conditions. "
                "Below, the effect and the relative effect."
            ),
        ),
        (
            effects_chart(
                "Y2",
                "Sending sources, the paper's figure 10. There the mean falls from just under "
                "13,000 to about 8,500 sources (−39 %) as speed doubles; divide by the scale of "
                "this size to compare. Significant there: X7, X12, X13, X5, X4, X1.",
            ),
            effects_chart("Y6", "Retransmission rate: congestion falls with speed and buffers."),
            effects_chart(
                "Y9", "Round-trip time: propagation delay and buffers, the obvious ones, lead."
            ),
            effects_chart("Y18", "Throughput on typical paths, which most flows take."),
        ),
        notes=("The report of the campaign has the plots of the other responses.",),
    )


def _table_8(effects: Effects, names: Names) -> Section:
    ranked = pl.DataFrame(
        [
            {
                "factor": column(k),
                "share": 100 * effects.share(k),
                "words": group_of(k),
            }
            for k in sorted(FACTORS, key=lambda k: -effects.share(k))
        ]
    )
    return Section(
        "table-8",
        "Table 8: the fraction of responses that a factor influences",
        (
            (
                "Ψ counts a response with p < .01 fully and one with p < .05 by half. The five "
                "sets are the 18 macroscopic responses of each period, weighted 1/6, and the 24 "
                "flow groups under each algorithm, weighted 1/4. The numbers of the paper's table "
                "are lost in the text at hand; what its prose says of each factor is not."
            ),
        ),
        (
            CaptionedChart(
                picture(
                    "influence-bars",
                    influence_bars(effects),
                    "Bars: weighted influence of twenty factors",
                ),
                "Agreement would be all blue bars on top, then both orange ones, then the grey.",
            ),
            CaptionedChart(
                picture(
                    "influence-sets",
                    influence_sets_chart(effects.influence, names=names),
                    "Heat map: influence of twenty factors on five sets of responses",
                ),
                "Ψ × 100 by set of responses.",
            ),
        ),
        (
            (
                "Influence beside the paper's words",
                table(
                    "influence",
                    ranked,
                    (
                        words("factor", "Factor"),
                        Column("share", "Ψ × 100, weighted", lambda value: f"{value:.0f}"),
                        words("words", "Influence in the paper's words"),
                    ),
                ),
            ),
        ),
        tuple(note for note in effects.influence.notes if "Never had" in note),
    )


def _clusters(found: Clusters) -> Section:
    names = Names(responses={name: (text, "") for name, (_, text) in SAMPLE.items()})
    return Section(
        "clusters",
        "Figures 7 to 9: responses that vary together",
        (
            (
                "The paper clusters a sample of 22 responses, measured under 64 combinations of "
                "parameters that it does not describe: 42 of 231 pairs have |r| above "
                f"{CORRELATED}, and form five clusters and two responses alone. Here the "
                "observations are all 256 conditions of the sensitivity analysis, with all three "
                "periods together, and counts per interval are taken per second, for the interval "
                "is a factor."
            ),
            (
                "The paper names what its clusters reflect, not which responses are in them: that "
                "the pair of network delay is y15 and y16, and that of F-class routers y18 and "
                "y20, is our interpretation. It prints the loss rate as y4/(y3 + y4), an evident "
                "slip; ours is the share of packets dropped."
            ),
        ),
        (
            CaptionedChart(
                picture(
                    "index-index",
                    index_chart(found.clusters, names=names, step=22),
                    "Index-index plot of correlated pairs with squares around clusters",
                ),
                "Figure 9: a dot for each pair above the threshold, a square for each cluster.",
            ),
            CaptionedChart(
                picture(
                    "frequencies",
                    frequency_chart(found.correlations, threshold=CORRELATED),
                    "Histogram of absolute correlations",
                ),
                "Figure 8: the paper chose .65, where its histogram changes its pattern.",
            ),
            CaptionedChart(
                picture(
                    "correlations",
                    correlation_chart(found.correlations, names=names, most=22, step=42),
                    "Matrix of scatter plots and correlation coefficients of 22 responses",
                ),
                "Figure 7: scatter plots above the diagonal, r × 100 below.",
            ),
        ),
        (
            (
                "Clusters",
                table(
                    "clusters",
                    found.clusters.clusters,
                    (
                        counts("cluster", "Cluster"),
                        counts("size", "Responses"),
                        counts("pairs", "Correlated pairs"),
                        counts("possible", "Of"),
                        words("responses", "Which"),
                    ),
                ),
            ),
            (
                "The sample",
                table(
                    "sample",
                    pl.DataFrame(
                        [(k, text, ours) for k, (ours, text) in SAMPLE.items()],
                        schema=["symbol", "text", "ours"],
                        orient="row",
                    ),
                    (
                        words("symbol", "Paper"),
                        words("text", "Response"),
                        words("ours", "Our response"),
                    ),
                ),
            ),
        ),
        tuple(found.clusters.notes),
    )
