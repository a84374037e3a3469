"""Comparisons of alternatives."""

from __future__ import annotations

from mesonet.analyses import models
from mesonet.analyses.declaration import Analysis, ChartOf, TableOf

ALTERNATIVES: tuple[Analysis, ...] = (
    Analysis(
        name="algorithm_clusters",
        summary="alternatives that respond alike, condition by condition",
        options=models.AlgorithmClustersOptions,
        module="algorithm_clusters",
        tables=(
            TableOf("algorithm_clusters", "a condition and an alternative"),
            TableOf("stand_apart", "an alternative"),
        ),
        section="clusters",
        page="howto/algorithm-clusters.md",
        charts=(
            ChartOf(
                "stand_apart_chart",
                (
                    "In how many conditions each algorithm joins last (apart), and in how many "
                    "it has a cluster of its own."
                ),
            ),
            ChartOf(
                "dendrograms_chart",
                ("One tree for each condition. Look for the same algorithm alone again and again."),
            ),
        ),
        reading=(
            "Under each condition the algorithms are compared on all responses together. Those "
            "that join low in a tree behave alike; one that joins last, at the top, stands "
            "apart. Branches below 70 % of the largest distance share a colour."
        ),
        needs="alternatives",
    ),
    Analysis(
        name="condition_response",
        summary="the alternative that stands out in each condition (Grubbs' test)",
        options=models.ConditionResponseOptions,
        module="conditions",
        tables=(TableOf("condition_response", "a response and a condition"),),
        section="condition-response",
        page="howto/condition-response.md",
        charts=(
            ChartOf(
                "condition_response_chart",
                ("Numbers stand for the alternatives, in their order at the head of the page."),
            ),
        ),
        reading=(
            "Look for coloured columns, then read below them what these conditions have in "
            "common. For each condition: how far each alternative lies from the mean of all, "
            "with conditions ordered by the largest difference. Below each condition: its "
            "factor levels, the extreme alternative, the size of its residual (log₁₀), the "
            "residual as a percentage of the mean, and Grubbs' G. A column is coloured where G "
            "exceeds its critical value: green for a high outlier, red for a low one. The 2010 "
            "MesoNet study used 2.08 for seven algorithms; set `critical = 2.08` to follow it."
        ),
        needs="alternatives",
    ),
    Analysis(
        name="condition_summary",
        summary="outliers over all conditions and responses",
        options=models.ConditionSummaryOptions,
        module="condition_summary",
        tables=(TableOf("condition_summary", "an outlier"),),
        section="condition-response",
        page="howto/condition-response.md",
        corrected=True,
        charts=(
            ChartOf(
                "condition_summary_chart",
                (
                    "Which alternative is an outlier, for every response and condition, by "
                    "Grubbs' test. Read along a row for where one alternative stands out, and "
                    "down a column for conditions that tell alternatives apart."
                ),
            ),
        ),
        needs="alternatives",
    ),
    Analysis(
        name="rank_matrix",
        summary="ranks of the alternatives under every condition",
        options=models.RankMatrixOptions,
        module="ranks",
        tables=(
            TableOf("rank_matrix", "a response, a condition and an alternative"),
            TableOf("rank_summary", "an alternative"),
            TableOf("rank_tests", "a response"),
        ),
        section="ranks",
        page="howto/rank-matrix.md",
        charts=(
            ChartOf(
                "rank_overview_chart",
                (
                    "Mean rank over conditions. Blue is good; a row without contrast means "
                    "that nobody leads."
                ),
            ),
            ChartOf(
                "rank_scatter_chart",
                (
                    "Mean and spread of all ranks. The ideal lies in the lower right corner: "
                    "high ranks everywhere."
                ),
            ),
            ChartOf(
                "rank_matrix_chart",
                (
                    "A row of one colour is an alternative that is always first or always "
                    "last; a change of colour along a row is a place where the answer depends "
                    "on the condition."
                ),
            ),
        ),
        reading=(
            "Under every condition the alternatives are ranked: their number is the best, 1 "
            "the worst, ties share their mean rank. Ranks forget sizes: first by a hair counts "
            "as much as first by far, and responses that move together count several times. "
            "Read them beside the differences."
        ),
        needs="alternatives",
    ),
    Analysis(
        name="paired_differences",
        summary="differences from a baseline within conditions, with intervals and tests",
        options=models.PairedDifferencesOptions,
        module="paired",
        tables=(
            TableOf("paired_differences", "a response and an alternative"),
            TableOf("paired_blocks", "a response, an alternative and a condition"),
        ),
        section="paired",
        page="howto/paired-comparison.md",
        corrected=True,
        charts=(
            ChartOf(
                "forest_chart",
                "Differences from the baseline with their intervals; filled marks are verdicts.",
            ),
        ),
        needs="alternatives",
    ),
    Analysis(
        name="flow_comparison",
        summary="flows of a new algorithm beside standard flows",
        options=models.FlowComparisonOptions,
        module="flow_tables",
        tables=(
            TableOf("flow_comparison", "a group, a condition and an alternative"),
            TableOf("flow_summary", "a group and an alternative"),
            TableOf("flow_histogram", "a group, an alternative and a class"),
            TableOf("flow_ranks", "an alternative"),
        ),
        section="goodput",
        page="howto/goodput.md",
        charts=(
            ChartOf(
                "biplot_chart",
                (
                    "A mark for each condition: across what new flows get, up what standard "
                    "flows get beside them. On the diagonal both get the same; below it the "
                    "new flows get more."
                ),
            ),
            ChartOf(
                "difference_histogram_chart",
                "New less standard, over all conditions: right of zero the new flows gain.",
                "difference_histogram",
            ),
            ChartOf(
                "goodput_bars_chart",
                (
                    "Condition by condition, as a fraction of the largest: left the new flows "
                    "of each algorithm, right the standard flows beside it."
                ),
            ),
            ChartOf(
                "rank_scatter_chart",
                (
                    "Under each condition algorithms are ranked twice: by what their own flows "
                    "get, and by what standard flows get beside them. High is good; an ideal "
                    "algorithm lies in the lower right corner."
                ),
                "flow_ranks.overall",
            ),
        ),
        reading=(
            "In these runs flows of a new algorithm share the network with standard ones. "
            "Goodput is what arrives, without retransmissions. A gain for the new flows is "
            "harmless only if the standard flows keep what they had."
        ),
        needs="flows",
    ),
    Analysis(
        name="harm",
        summary="harm that flows take in the company of others",
        options=models.HarmOptions,
        module="harm",
        tables=(
            TableOf("harm", "a response and an alternative"),
            TableOf("harm_blocks", "a response, an alternative and a condition"),
        ),
        section="harm",
        page="howto/fairness.md",
        corrected=True,
        charts=(
            ChartOf(
                "harm_chart",
                (
                    "Bars are confidence intervals. Filled marks do more harm than their own "
                    "kind, with p < 0.05 after Holm's adjustment for all rows of the table."
                ),
            ),
        ),
        reading=(
            "Harm is the fraction of their own performance that flows lose in company, of what "
            "is left to them where less is better. Zero is no harm; left of zero they do "
            "better in company. The bar to set against is what is done already by their own "
            "kind."
        ),
        asked=True,
    ),
    Analysis(
        name="impact",
        summary="changes of responses where a newcomer is present",
        options=models.ImpactOptions,
        module="harm",
        tables=(TableOf("impact", "a response and an alternative"),),
        section="harm",
        page="howto/fairness.md",
        corrected=True,
        charts=(
            ChartOf(
                "impact_chart",
                "Filled marks are changes with p < 0.05 after Holm's adjustment.",
            ),
        ),
        reading=(
            "Impact is the change of the mean against the baseline, as a fraction of it; its "
            "confidence interval carries the uncertainty of both means. An interval that spans "
            "zero shows no change, which is not the same as showing that there is none."
        ),
        asked=True,
    ),
)
