"""The page of Experiments 1a and 1b: the source's figures remade, its tables beside ours."""

from __future__ import annotations

import math
from collections.abc import Mapping

import polars as pl

from mesonet.analysis import algorithm_clusters, condition_summary, congestion
from mesonet.analysis.conditions import condition_response
from mesonet.figures import (
    condition_response_chart,
    condition_summary_chart,
    congestion_chart,
    dendrograms_chart,
    stand_apart_chart,
)
from mesonet.figures.style import Look, Names
from mesonet.report.charts import picture
from mesonet.report.tables import Column, counts, numbers, table, words
from mesonet.responses import lookup
from mesonet.studies.nist import exp1_text as text
from mesonet.studies.nist.exp1_1b import LATENCIES
from mesonet.studies.nist.exp1_charts import PERIODS, latency_chart, long_flow_chart
from mesonet.studies.nist.exp1_cost import printed_tables_section, processor_hours, volumes_section
from mesonet.studies.nist.exp1_measured import FILTER, GRUBBS
from mesonet.studies.nist.exp1_results import RESPONSES, ExperimentResults
from mesonet.studies.page import CaptionedChart, Section


def facts(frame: pl.DataFrame, timings: pl.DataFrame) -> dict[str, str]:
    """Short facts for the head of the page."""
    hours = processor_hours(timings)
    return {
        "Conditions": str(frame["condition"].n_unique()),
        "Algorithms": str(frame["alternative"].n_unique()),
        "Packets": f"{frame['packets'].sum():,}",
        "Processor time": f"{hours * 3600:,.0f} s" if hours < 2 else f"{hours:,.1f} h",
    }


def sections(
    name: str,
    frame: pl.DataFrame,
    timings: pl.DataFrame,
    figures: Mapping[str, float],
    *,
    part: float,
    published_hours: float,
) -> list[Section]:
    """All sections of the page.

    Args:
        name: "nist-1a" or "nist-1b".
        frame: Results of the campaign, at least one run.
        timings: Processor times of the campaign.
        figures: Everything that was measured, by name.
        part: Hosts times duration, as a part of the published ones.
        published_hours: Processor time of the published experiment [h].
    """
    found = ExperimentResults(frame)
    look, names = Look.of(found.labels), response_names(frame)
    made = [conditions_section(found, look, names)]
    if len(found.labels) > 2:
        made += [apart_section(found, look), _retransmission(found, look, names)]
    made += [_fast(found, figures), long_flows_section(found, look, figures)]
    if any(name.startswith("kept.") and not math.isnan(value) for name, value in figures.items()):
        made.append(_cuts(figures))
    made += [
        volumes_section(name, figures, frame, timings, part, published_hours),
        printed_tables_section(name),
        text.contradictions(name),
    ]
    return made


def response_names(frame: pl.DataFrame) -> Names:
    """Names of responses and factors in charts."""
    responses = {}
    for column in (*RESPONSES, "loss_rate"):
        response = lookup(column).response
        label = response.name[:1].upper() + response.name[1:]
        responses[column] = (f"{label} ({column})", response.unit)
    levels = {
        name.removesuffix("_level"): frame.sort(name.removesuffix("_level"))[name]
        for name in frame.columns
        if name.endswith("_level")
    }
    factors = {name: (name, str(texts[0]), str(texts[-1])) for name, texts in levels.items()}
    return Names(responses=responses, factors=factors)


def conditions_section(found: ExperimentResults, look: Look, names: Names) -> Section:
    """Levels and losses of the conditions."""
    result = congestion(found.frame, response="loss_rate")
    chart = congestion_chart(result, look=look, names=names)
    levels = [name for name in found.frame.columns if name.endswith("_level")]
    wide = found.frame.group_by("condition", maintain_order=True).agg(pl.col(levels).first())
    wide = result.conditions.select("condition", "position", "value").join(
        wide, on="condition", maintain_order="left"
    )
    columns = [counts("position", "Order"), counts("condition", "Condition")]
    columns += [words(name, name.removesuffix("_level").capitalize()) for name in levels]
    columns += [numbers("value", "Mean loss rate")]
    return Section(
        "conditions",
        "The conditions, least congested first",
        text.CONDITIONS,
        (
            CaptionedChart(
                picture("loss", chart, "Loss rate of every condition and algorithm"),
                "Loss rate of every condition and algorithm. The source has losses from none to "
                "50 %, and half of its conditions congested.",
            ),
        ),
        (("Levels and mean loss rate", table("conditions", wide, columns)),),
    )


def apart_section(found: ExperimentResults, look: Look) -> Section:
    """Algorithms clustered under every condition."""
    responses = found.known(RESPONSES)
    made = found.clusters
    charts = [
        CaptionedChart(
            picture("apart", stand_apart_chart(made, look=look), "How often each stands apart"),
            "Conditions in which an algorithm joins last and alone. Where FAST and FAST-AT take "
            "part and are alike, neither is alone: the table has each without the other.",
        ),
        CaptionedChart(
            picture("dendrograms", dendrograms_chart(made, look=look), "A dendrogram a condition"),
            "A dendrogram per condition over the 45 responses (figure 12 of the paper): "
            "standardised Euclidean distance, average linkage, cut at 70 % of the largest.",
        ),
    ]
    rows = []
    for left_out in ("FAST-AT", "FAST"):
        if left_out == "FAST" and "FAST-AT" not in found.labels:
            continue
        kept = algorithm_clusters(found.without(left_out), responses=responses).summary
        rows.append(
            kept.select("alternative", "conditions", "apart", "alone").with_columns(
                without=pl.lit(left_out if left_out in found.labels else "–")
            )
        )
    columns = (
        words("without", "Left out"),
        words("alternative", "Algorithm"),
        counts("conditions", "Conditions"),
        counts("apart", "Apart from all others"),
        counts("alone", "Alone at the cut"),
    )
    apart = table("apart", pl.concat(rows), columns)
    return Section(
        "apart",
        "Which algorithms stand apart",
        text.APART,
        tuple(charts),
        (("Conditions in which each stands apart", apart),),
        made.notes,
    )


def _retransmission(found: ExperimentResults, look: Look, names: Names) -> Section:
    frame = found.without("FAST-AT")
    labels = [label for label in found.labels if label != "FAST-AT"]
    critical = GRUBBS if len(labels) == 7 else None
    own = Look(tuple(labels), tuple(look.colour(label) for label in labels))
    factors = [name.removesuffix("_level") for name in frame.columns if name.endswith("_level")]
    levels = frame.group_by("condition", maintain_order=True).agg(pl.col(factors).first())
    one = condition_response(frame, response="y6", critical=critical)
    every = condition_summary(
        frame, responses=found.known(RESPONSES), critical=critical, minimum_relative=FILTER
    )
    return Section(
        "retransmission",
        "Retransmission rates, condition by condition",
        text.RETRANSMISSION,
        (
            CaptionedChart(
                picture(
                    "residuals",
                    condition_response_chart(
                        one, look=own, names=names, levels=levels.sort("condition")
                    ),
                    "Residuals of the retransmission rate",
                ),
                "Residuals of the retransmission rate around the mean of each condition (figure 14 "
                "of the paper), conditions by increasing range, with the levels of the factors and "
                "Grubbs' test below. FAST-AT, which the paper's figure does not have, is left out.",
            ),
            CaptionedChart(
                picture(
                    "outliers",
                    condition_summary_chart(every, look=own, names=names, order=found.ordered),
                    "Outliers of all responses",
                ),
                "Outliers of more than 10 % over all 45 responses (figure 16): the paper's gather "
                "in y2, y6, y42, y44 and y45.",
            ),
        ),
        notes=every.notes,
    )


def _fast(found: ExperimentResults, figures: Mapping[str, float]) -> Section:
    columns = ("retransmission", "connecting", "completed", "swing", "swing_with_congestion")
    rows = [
        {"label": label}
        | {column: figures.get(f"{label}.{column}", math.nan) for column in columns}
        for label in ("FAST", "FAST-AT", "others")
        if label == "others" or label in found.labels
    ]
    first = table(
        "few-buffers",
        pl.DataFrame(rows).fill_nan(None),
        (
            words("label", "Algorithm"),
            numbers("retransmission", "Retransmission rate"),
            numbers("connecting", "Flows connecting"),
            numbers("completed", "Flows completed"),
            numbers("swing", "Swing of windows"),
            numbers("swing_with_congestion", "Swing and congestion, rank correlation"),
        ),
    )
    changes = pl.DataFrame(
        [
            {
                "label": label,
                "change": figures.get(f"{label}.change", math.nan),
                "standard": figures.get(f"{label}.standard_share", math.nan),
            }
            for label in found.alternates
        ],
        schema={"label": pl.String, "change": pl.Float64, "standard": pl.Float64},
    ).fill_nan(None)
    second = table(
        "safety",
        changes,
        (
            words("label", "Algorithm"),
            Column("change", "Median change against standard TCP", _percent),
            Column("standard", "Flows under standard rules, four worst conditions", _percent),
        ),
    )
    return Section(
        "safety",
        "FAST where congestion meets few buffers, and the network as a whole",
        text.SAFETY,
        tables=(
            ("Mean over the congested conditions with few buffers", first),
            ("What an algorithm changes", second),
        ),
    )


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def long_flows_section(
    found: ExperimentResults, look: Look, figures: Mapping[str, float]
) -> Section:
    """Goodput of the long-lived flows by period, and their latencies."""
    rows = []
    for label in found.labels:
        for column, flow in (("y33", "L1, long"), ("y34", "L2, medium"), ("y35", "L3, short")):
            for place, period in enumerate(PERIODS, start=1):
                values = found.values(f"{column}@{place}", label)
                mean = float(values[~pl.Series(values).is_nan().to_numpy()].mean())
                rows.append({"label": label, "flow": flow, "period": period, "goodput": mean})
    charts = [
        CaptionedChart(
            picture("long-flows", long_flow_chart(rows, look=look), "Goodput of long-lived flows"),
            "Mean goodput over all conditions of the three long-lived flows: alone with the "
            "ordinary traffic, while files on very fast paths are large, and after that.",
        )
    ]
    latencies = _latency_rows(found, figures)
    both = [row for row in latencies if row["printed"] and float(row["measured"] or 0) > 0]
    if len(both) > 1:
        charts.append(
            CaptionedChart(
                picture("latencies", latency_chart(both, look=look), "Latencies"),
                "Latencies measured against printed; on the dashed line they would be equal.",
            )
        )
    columns = (
        words("kind", "Latency"),
        words("label", "Algorithm"),
        numbers("printed", "Printed (s)"),
        numbers("measured", "Measured (s)"),
    )
    frame = pl.DataFrame(
        latencies,
        schema={"kind": pl.String, "label": pl.String, "printed": pl.Float64,
                "measured": pl.Float64},
    ).fill_nan(None)  # fmt: skip
    gains = pl.DataFrame(
        [
            {
                "label": label,
                "gain": figures.get(f"{label}.long_gain", math.nan),
                "kept": figures.get(f"{label}.long_kept", math.nan),
                "activation": figures.get(f"{label}.activation", math.nan),
            }
            for label in found.labels
        ]
    ).fill_nan(None)
    gain_table = table(
        "long-flow-gains",
        gains,
        (
            words("label", "Algorithm"),
            numbers("gain", "Goodput before, over standard TCP's"),
            numbers("kept", "Goodput in the congestion, over before"),
            numbers("activation", "Smallest window under its own rules (segments)"),
        ),
    )
    return Section(
        "long-flows",
        "The long-lived flows",
        text.LONG_FLOWS,
        tuple(charts),
        (
            ("Gains, congestion and activation", gain_table),
            ("Goodput and recovery latency", table("latencies", frame, columns)),
        ),
    )


def _latency_rows(
    found: ExperimentResults, figures: Mapping[str, float]
) -> list[dict[str, str | float | None]]:
    rows: list[dict[str, str | float | None]] = []
    for place, kind in enumerate(("goodput", "recovery")):
        for label in found.labels:
            printed = LATENCIES.get(label)
            # As seen where a claim has it as undecided, else as it is.
            name = f"{label}.{kind}_latency"
            measured = figures.get(f"{name}_seen", figures.get(name, math.nan))
            rows.append(
                {
                    "kind": f"{kind} latency",
                    "label": label,
                    "printed": printed[place] if printed else None,
                    "measured": measured,
                }
            )
    return rows


def _cuts(figures: Mapping[str, float]) -> Section:
    published = {"Scalable": "0.875", "BIC": "more than 0.5", "HSTCP": "more than 0.5"}
    published |= {"CTCP": "0.5", "FAST": "0.5", "FAST-AT": "0.5", "HTCP": "0.5 to 0.8"}
    rows = [
        {"label": label, "published": published.get(label, "0.5"), "kept": figures[name]}
        for name, label in ((f"kept.{label}", label) for label in (*LATENCIES, "Reno"))
        if name in figures
    ]
    columns = (
        words("label", "Algorithm"),
        words("published", "Part kept, as stated"),
        numbers("kept", "Part kept, measured (median)"),
    )
    return Section(
        "cuts",
        "What is kept of a window after a loss",
        text.CUTS,
        tables=(("Part of the window that is kept", table("cuts", pl.DataFrame(rows), columns)),),
    )
