"""Units and meanings of the columns of tables that analyses make."""

from __future__ import annotations

import re
from collections.abc import Mapping

import polars as pl

from mesonet.analysis.subject import described
from mesonet.system.datasets import About, abouts

OWN = "own"
"""Stands for the unit of the response or measure that a row names."""

_SCORES = re.compile(r"pc[0-9]+")

COLUMNS: Mapping[str, About] = abouts(
    (
        # Columns that say of what a row is.
        ("run", "", "identifier of the run"),
        ("response", "", "identifier of the response"),
        ("condition", "", "condition of the design, from 1"),
        ("alternative", "", "label of the alternative"),
        ("baseline", "", "alternative that the others are compared with"),
        ("solo", "", "alternative in which the flows are by themselves"),
        ("algorithm", "", "algorithm of the flows"),
        ("replicate", "", "replicate, from 1; null where the row is of a condition"),
        ("seed", "", "seed of all random numbers of the run"),
        ("factor", "", "factor of the design"),
        ("term", "", "factor, or product of factors"),
        ("group", "", "alternative, or all together"),
        ("set", "", "set of responses"),
        ("block", "", "block of conditions, from 1"),
        ("blocked_by", "", "factors that are held fixed within a block"),
        ("setting", "", "levels of the factors that are held fixed"),
        ("level", "", "coded level of the factor, -1 or +1"),
        ("component", "", "principal component, from 1"),
        ("cluster", "", "cluster, from 1; null where there is none"),
        ("series", "", "series of measurement intervals"),
        ("measure", "", "measure of the comparison"),
        ("beside", "", "algorithm beside it; empty if it is alone"),
        ("repeat", "", "repeat, from 1"),
        ("flow", "", "name of the flow"),
        ("station", "", "name of the station"),
        ("position", "", "place in the order of the analysis, from 1"),
        # Sizes of samples.
        ("n", "", "number of values"),
        ("conditions", "", "number of conditions with a value"),
        ("alternatives", "", "number of alternatives with a value"),
        ("replicates", "", "number of pairs of replicates"),
        ("repeats", "", "number of repeats"),
        ("seeds", "", "number of replicates that are complete in every condition"),
        ("blocks", "", "number of blocks"),
        ("observations", "", "number of measurement intervals"),
        ("n_low", "", "number of conditions at the low level"),
        ("n_high", "", "number of conditions at the high level"),
        ("responses", "", "number of responses that had a value"),
        ("above", "", "number of blocks with a positive difference"),
        ("equal", "", "number of blocks without a difference"),
        ("below", "", "number of blocks with a negative difference"),
        ("up", "", "number of blocks with a larger mean at the high level"),
        ("down", "", "number of blocks with a larger mean at the low level"),
        ("count", "", "number of values in the bin"),
        # Means, and how they spread.
        ("value", OWN, "value"),
        ("mean", OWN, "mean"),
        ("mean_absolute", OWN, "mean of the absolute effects"),
        ("sd", OWN, "standard deviation"),
        ("minimum", OWN, "smallest value"),
        ("median", OWN, "median"),
        ("maximum", OWN, "largest value"),
        ("range", OWN, "largest value less the smallest"),
        ("half_width", OWN, "half of the width of the confidence interval"),
        ("wanted", OWN, "largest half-width that is small enough"),
        ("enough", "", "true if the mean is known as precisely as the plan asks"),
        ("low", OWN, "lower end of the confidence interval"),
        ("high", OWN, "upper end of the confidence interval"),
        ("lower", OWN, "lower end of the confidence interval"),
        ("upper", OWN, "upper end of the confidence interval"),
        # Effects of factors.
        ("effect", OWN, "mean at the high level less mean at the low level"),
        ("effect_lower", OWN, "lower end of the confidence interval of the effect"),
        ("effect_upper", OWN, "upper end of the confidence interval of the effect"),
        ("absolute", OWN, "absolute value of the effect"),
        ("low_low", OWN, "mean with both factors at their low levels"),
        ("high_low", OWN, "mean with the first factor high and the second low"),
        ("low_high", OWN, "mean with the first factor low and the second high"),
        ("high_high", OWN, "mean with both factors at their high levels"),
        ("stars", "", "two asterisks for p < 0.01, one for p < 0.05"),
        ("sign", "", "+ or -, the level with the larger mean; empty without a difference"),
        ("aliases", "", "effects that the design cannot tell from this one"),
        ("order", "", "number of factors in the term"),
        ("quantile", "1", "median of that order statistic of half-normal draws"),
        ("parameters", "", "number of terms in the model, with the mean"),
        ("added", "", "term that the model has more than the one before"),
        ("coefficient", OWN, "coefficient of the term that is added, half its effect"),
        ("residual_sd", OWN, "standard deviation of what the model leaves"),
        ("explained", "1", "fraction of the variance that the model explains"),
        ("at_1_percent", "", "number of responses with p < 0.01"),
        ("at_5_percent", "", "number of responses with 0.01 <= p < 0.05"),
        ("influence", "1", "fraction of the responses that the factor influences"),
        ("adjusted_for", "", "factors whose main effects were taken off"),
        # Differences of alternatives.
        ("baseline_mean", OWN, "mean of the baseline over blocks"),
        ("baseline_value", OWN, "value of the baseline"),
        ("reference", OWN, "mean of the baseline over the repeats of both"),
        ("difference", OWN, "difference of the two sides"),
        ("relative", "1", "difference, effect or residual over the absolute mean"),
        ("relative_lower", "1", "lower end of the interval over the absolute baseline mean"),
        ("relative_upper", "1", "upper end of the interval over the absolute baseline mean"),
        ("seed_lower", OWN, "lower end of the interval over replicates"),
        ("seed_upper", OWN, "upper end of the interval over replicates"),
        ("verdict", "", "outcome in words"),
        ("without", OWN, "mean of standard flows among themselves"),
        ("with", OWN, "mean of standard flows among others"),
        ("change", "1", "with / without - 1"),
        ("error", "1", "standard error of the estimate"),
        ("harm", "1", "harm, from 0 for none to 1 for everything; negative for a gain"),
        ("worst", "1", "most harm in a block"),
        ("worst_condition", "", "condition of the block with the most harm"),
        ("excess", "1", "harm less that among their own kind"),
        ("excess_lower", "1", "lower end of the confidence interval of the excess"),
        ("excess_upper", "1", "upper end of the confidence interval of the excess"),
        ("solo_value", OWN, "value of the flows by themselves"),
        ("alternate", OWN, "mean of alternate flows"),
        ("standard", OWN, "mean of standard flows"),
        ("alternate_fraction", "1", "mean of alternate flows over the largest"),
        ("standard_fraction", "1", "mean of standard flows over the largest"),
        # Tests.
        ("t", "1", "Student's t; infinite where no error is left"),
        ("df", "", "degrees of freedom; null without a value"),
        ("statistic", "1", "statistic of the test"),
        ("concordance", "1", "Kendall's W, from 0 to 1"),
        ("p", "1", "p value"),
        ("adjusted_p", "1", "p value adjusted over the family of tests"),
        ("p_adjusted", "1", "p value adjusted over the family of tests"),
        ("p_holm", "1", "p value adjusted by Holm over all rows"),
        ("p_bh", "1", "p value adjusted by Benjamini and Hochberg over all rows"),
        ("wilcoxon_p", "1", "p value of the signed-rank test"),
        ("wilcoxon_holm", "1", "p value of the signed-rank test, adjusted by Holm"),
        ("seed_p", "1", "p value of the t-test over replicates"),
        ("seed_holm", "1", "p value of the t-test over replicates, adjusted by Holm"),
        # Alternatives that stand out, and ranks.
        ("rank", "", "rank: the number of alternatives is the best, 1 the worst"),
        ("extreme", "", "alternative with the largest residual; null where all are alike"),
        ("residual", OWN, "value less the mean of the condition"),
        ("magnitude", "1", "decimal logarithm of the absolute residual"),
        ("g", "1", "statistic of Grubbs' test"),
        ("critical", "1", "value that the statistic exceeds for an outlier"),
        ("outlier", "", "true if Grubbs' test finds an outlier"),
        ("direction", "", "side of the residual: high, low, or same where all are alike"),
        ("kept", "", "true if the outlier passes all filters"),
        ("outliers", "", "number of outliers"),
        ("leaf", "", "place in the dendrogram from left to right, from 0"),
        ("joins_at", "1", "linkage at which it first joins another"),
        ("alone", "", "true, or how often, it has a cluster of its own at the cut"),
        ("apart", "", "true, or how often, it joins the others last"),
        # Responses that say the same.
        ("first", "", "first of the pair"),
        ("second", "", "second of the pair"),
        ("r", "1", "coefficient of correlation"),
        ("mean_size", "1", "mean absolute correlation with the others"),
        ("size", "1", "absolute correlation"),
        ("index", "", "place on the axes of the index-index plot"),
        ("partners", "", "number of responses that it is correlated with"),
        ("pairs", "", "number of correlated pairs in the cluster"),
        ("possible", "", "number of all pairs in the cluster"),
        ("representative", "", "response that speaks for the cluster, or true for it"),
        ("threshold", "1", "absolute correlation from which responses count as alike"),
        ("weight", "1", "weight in the component, or of the set"),
        ("loading", "1", "correlation of the response with the component"),
        ("variance", "1", "variance of the component, of responses of variance 1"),
        ("fraction", "1", "fraction of the variance, or of the length of the series"),
        ("cumulative", "1", "fraction of the variance up to this component"),
        # Time.
        ("time", "s", "simulated time"),
        ("truncated", "", "number of intervals to leave out"),
        ("mean_after", OWN, "mean of what remains"),
        ("running_mean", OWN, "mean from the beginning to here"),
        ("settled", "", "true if the series is long enough to tell the end of its warm-up"),
        ("packets", "packets", "mean number of packets waiting or in service"),
        ("capacity", "packets", "capacity of the queue; null without a limit"),
        ("step", "", "number of the window, from 0"),
        ("node", "", "node of the map"),
        ("a", "", "node at one end of the link"),
        ("b", "", "node at the other end of the link"),
        ("occupancy", "1", "packets over capacity; null without a limit"),
        ("loss_rate", "1", "packets dropped over packets injected"),
        ("sending", "", "mean number of active flows"),
        ("sequence", "segments", "segments acknowledged since the start of the flow"),
        ("cwnd", "segments", "mean congestion window"),
        ("cwnd_low", "segments", "smallest congestion window"),
        ("cwnd_high", "segments", "largest congestion window"),
        ("in_flight", "segments", "mean number of segments in flight"),
        ("srtt", "s", "mean smoothed round-trip time"),
        ("retransmitted", "segments", "segments sent again"),
        ("marked", "segments", "segments that arrived marked"),
        ("phase", "", "phase of the flow at the end of the window"),
        ("sojourn_mean", "ms", "mean sojourn time"),
        ("sojourn_max", "ms", "largest sojourn time"),
        ("control", "", "mean of the control variable of the queue discipline"),
        ("meaning", "", "meaning of the control variable; empty without one"),
        ("signal", "", "mark or drop"),
        ("cause", "", "cause of the signal"),
        ("from", "ms", "least sojourn time of the class"),
        ("share", "1", "share of what is carried, or of the packets"),
        *(
            (f"p{q}", "ms", f"sojourn time that {q} % of the packets do not exceed")
            for q in (50, 95, 99)
        ),
        # Comparisons and ladders.
        ("utilization", "1", "utilization of the bottleneck"),
        ("delay_p50", "s", "median sojourn time at the bottleneck"),
        ("delay_p95", "s", "sojourn time at the bottleneck that 95 % do not exceed"),
        ("sent_again", "1", "share of segments sent again"),
        ("jain", "1", "Jain's fairness index"),
        ("condition_rate", "", "rate of the bottleneck"),
        ("condition_rtt", "", "round-trip time"),
        ("condition_buffer", "", "buffer of the bottleneck"),
        ("condition_loss", "1", "probability of a random loss"),
        ("condition_queue", "", "queue discipline of the bottleneck"),
        ("probability", "1", "probability of a signal"),
        ("window", "segments", "mean congestion window"),
        ("signals", "", "number of marks or drops"),
        ("limited", "", "true if the path, not the signals, limits the rate"),
        ("published", "segments", "mean window of the response function; null without one"),
        ("source", "", "source of the response function"),
        # To draw.
        ("link", "", "number of the join"),
        ("height", "1", "linkage of the join"),
        ("left_x", "", "left end of the bracket, in leaves"),
        ("left_y", "1", "linkage of the left end"),
        ("right_x", "", "right end of the bracket, in leaves"),
        ("right_y", "1", "linkage of the right end"),
        ("largest", "1", "largest linkage"),
        ("clusters", "", "number of clusters at the cut"),
        ("identical", "", "true if all alternatives are alike"),
        ("x", "", "coded level of the first factor"),
        ("y", "", "coded level of the second factor"),
        ("fitted", OWN, "value of the model"),
        ("piece", "", "number of the connected piece of the line"),
        # Sentences.
        ("topic", "", "topic of the sentence"),
        ("text", "", "the sentence"),
        ("loud", "", "true for a warning"),
    )
)
"""Columns by name, with the meaning that they have in most tables."""

_LEVELS = abouts(
    (
        ("low", OWN, "mean at the low level"),
        ("high", OWN, "mean at the high level"),
        ("mean", OWN, "mean over all conditions"),
    )
)
_BINS = abouts((("low", OWN, "lower bound of the bin"), ("high", OWN, "upper bound of the bin")))
_RANKS = abouts((("mean", "1", "mean rank"), ("sd", "1", "standard deviation of ranks")))
_RATE = abouts((("rate", "segments/s", "rate that is acknowledged"),))
_QUEUE = abouts(
    (("low", "packets", "smallest number of packets"), ("high", "packets", "largest number"))
)
_SOJOURNS = abouts((("below", "ms", "sojourn time that the class does not reach"),))
_SIGNALS = abouts((("rate", "packets/s", "signals per time"),))
_CLUSTERS = abouts(
    (
        ("size", "", "number of responses in the cluster"),
        ("responses", "", "names of the responses, with commas"),
    )
)
_HARM = abouts(
    (
        ("lower", "1", "lower end of the confidence interval"),
        ("upper", "1", "upper end of the confidence interval"),
    )
)
_GOODPUT = abouts((("group", "", "group of flows"), ("relative", "1", "difference over standard")))

OF_TABLES: Mapping[str, Mapping[str, About]] = {
    "main_effects": _LEVELS,
    "term_effects": _LEVELS,
    "block_comparison": _LEVELS,
    "interactions": abouts(
        (
            ("first", "", "first factor"),
            ("second", "", "second factor"),
            ("effect", OWN, "half the change in the effect of the first, by the second"),
        )
    ),
    "elementary_effects": abouts(
        (("n", "", "number of effects"), ("mean", OWN, "mean of the effects"))
    ),
    "correlations": abouts((("first", "", "first response"), ("second", "", "second response"))),
    "correlations.frequencies": abouts(
        (("low", "1", "lower bound of the bin"), ("high", "1", "upper bound of the bin"))
    ),
    "response_clusters": _CLUSTERS,
    "response_clusters.clusters": _CLUSTERS,
    "rank_summary": _RANKS,
    "rank_matrix.summary": _RANKS,
    "rank_matrix.per_response": _RANKS,
    "condition_summary.counts": abouts(
        (("high", "", "number of high outliers"), ("low", "", "number of low ones"))
    ),
    "paired_differences": abouts((("n", "", "number of blocks"),)),
    "flow_comparison": _GOODPUT,
    "flow_comparison.summary": _GOODPUT,
    "flow_summary": _GOODPUT,
    "difference_histogram": _GOODPUT | _BINS,
    "flow_histogram": _GOODPUT | _BINS,
    "flow_ranks": _RANKS
    | abouts(
        (f"{kind}_{name}", "" if name == "n" else "1", f"{meaning} of {kind} flows")
        for kind in ("alternate", "standard")
        for name, meaning in (
            ("n", "number of ranks"),
            ("mean", "mean rank"),
            ("sd", "sd of ranks"),
        )
    ),
    "harm": _HARM,
    "impact": _HARM,
    "trace": _RATE,
    "trace.queues": _QUEUE,
    "queue_records.signals": _SIGNALS,
    "queue_comparison.signals": _SIGNALS,
    "queue_records.sojourns": _SOJOURNS,
    "queue_comparison.sojourns": _SOJOURNS,
    "comparison.runs": abouts(
        (("rate", "", "goodput [bit/s], or [segments/s] where rates are in packets"),)
    ),
    "signal_ladder": abouts((("rate", "segments", "segments delivered per round trip"),)),
}
"""Meanings that columns have in some tables alone, by the table.

Tables of a result beside its first are called `result.table`, as `rank_matrix.summary`.
"""


def about_columns(
    table: str, frame: pl.DataFrame, *, response: str | None = None
) -> dict[str, About]:
    """Units and meanings of the columns of a table.

    Args:
        table: Name of the table, as `OF_TABLES` has it.
        frame: The table; columns that are responses have what is known of these.
        response: The only response of the table, where no column names it.
    """
    units = units_of(frame) or ({response: described(response)["unit"]} if response else {})
    own = next(iter(units.values())) if len(set(units.values())) == 1 else None
    special = OF_TABLES.get(table, {})
    found = {}
    for name in frame.columns:
        about = special.get(name) or COLUMNS.get(name) or _of_response(name)
        if about is not None and about.unit == OWN:
            whose = "" if own else ", in the unit of its response or measure"
            about = About(own or "", f"{about.meaning}{whose}")
        if about is not None:
            found[name] = about
    return found


def units_of(frame: pl.DataFrame) -> dict[str, str]:
    """Units of the responses that rows of a table name."""
    if frame.schema.get("response") != pl.String:
        return {}
    names = frame["response"].drop_nulls().unique(maintain_order=True)
    return {name: described(name)["unit"] for name in names}


def _of_response(name: str) -> About | None:
    """The meaning of a column that is called as a response or a component."""
    if _SCORES.fullmatch(name):
        return About("1", f"score of the condition on component {name[2:]}")
    facts = described(name)
    return (
        About(facts["unit"], f"{facts['name']}: {facts['definition']}")
        if facts["definition"]
        else None
    )
