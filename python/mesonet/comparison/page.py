"""The page of a comparison: the answer, its numbers, and every match over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

import polars as pl

from mesonet.analysis import trace
from mesonet.analysis.traces.chart import trace_chart
from mesonet.comparison.chart import comparison_chart
from mesonet.comparison.measures import MEASURES
from mesonet.comparison.question import Condition, Match
from mesonet.comparison.tables import overview, printed
from mesonet.comparison.words import each
from mesonet.figures.style import Look
from mesonet.page.blocks import ZOOM, Block, CaptionedChart, Notes, Paragraph, TitledTable
from mesonet.page.charts import picture
from mesonet.page.layout import Fact
from mesonet.page.simple import Part, simple_page
from mesonet.page.tables import Column, Table
from mesonet.tables import result_version

if TYPE_CHECKING:
    from mesonet.comparison.result import Comparison

_POINTS = 300
_PATH = ("Path", "Rate", "Round-trip time", "Buffer", "Random loss", "Queue discipline")
_PANELS = ("rate", "cwnd", "srtt", "queue", "signals")


def render_page(comparison: Comparison) -> str:
    """The page as HTML. It loads nothing, and the same comparison gives the same text."""
    question = comparison.question
    return simple_page(
        kind="mesonet comparison",
        title=question.plan.title,
        question=question.plan.question,
        facts=[
            Fact("Bottleneck", question.where, wide=True),
            Fact("Runs", f"{comparison.executed} of {question.duration}"),
            Fact("Flows of each", str(question.flows)),
        ],
        parts=[_answer(comparison), _numbers(comparison), *_over_time(comparison)],
        settings=_settings(comparison),
    )


def _answer(comparison: Comparison) -> Part:
    caption = (
        "First, each algorithm alone: means over replicates, bars are their 95 % intervals. Last, "
        "the share of the goodput that the algorithm of the row gets versus that of the column."
    )
    chart = picture("answer", comparison_chart(comparison), "Measures alone and shares")
    sentences = tuple(Paragraph(text, text) for text in comparison.sentences())
    notes = Notes(tuple(Paragraph(text, text) for text in comparison.notes))
    return Part("summary", "The answer", (CaptionedChart(chart, caption), *sentences, notes))


def _numbers(comparison: Comparison) -> Part:
    question = comparison.question
    blocks: list[Block] = []
    if len(question.conditions) > 1:
        for title, rows in overview(comparison):
            names = ["Condition", *rows[0][1:]]
            frame = pl.DataFrame(rows[1:], schema=names, orient="row")
            columns = [Column(name, name, numeric=name != "Condition") for name in names]
            blocks.append(
                TitledTable(title, Table(f"overview-{len(blocks)}", tuple(columns), frame))
            )
        blocks += [Paragraph(text, text) for text in each(comparison)]
    for number, condition in enumerate(question.conditions, 1):
        frame = _wide(comparison.frame.filter(**condition.columns()))
        columns = [Column("algorithm", "Algorithm", numeric=False)]
        columns.append(Column("versus", "Versus", form=lambda it: it or "alone", numeric=False))
        for measure in MEASURES:
            if measure.name == "rate" and not condition.in_bits:
                measure = measure._replace(unit="segments/s", factor=1)
            unit = f" ({measure.unit})" if measure.unit else ""
            heading = f"{measure.title.capitalize()}{unit}"
            columns.append(Column(measure.name, heading, form=partial(printed, measure)))
        table = Table(f"comparison-{number}", tuple(columns), frame)
        blocks.append(TitledTable(question.words(condition), table))
    text = (
        "Means over the replicates; files have the ends of their 95 % intervals, too, in SI units."
    )
    return Part("numbers", "All numbers", (Paragraph(text, text), *blocks))


def _wide(frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each match, with the measures and the ends of their intervals as columns."""
    wide = frame.pivot("measure", index=["algorithm", "versus"], values=["mean", "low", "high"])
    return wide.rename({name: name.removeprefix("mean_") for name in wide.columns})


def _over_time(comparison: Comparison) -> Iterator[Part]:
    question = comparison.question
    of = Look.of(dict.fromkeys(question.algorithms + question.versus))
    for number, condition in enumerate(question.conditions, 1):
        blocks: list[Block] = []
        for place, match in enumerate(question.matches, 1):
            run = comparison.first_runs.get((number, match.words()))
            if run is None:
                continue
            traced = trace(run, points=_POINTS)
            chart = trace_chart(
                traced, panels=_PANELS, look=_look(traced.flows, match, of), height=90
            )
            drawn = picture(f"time-{number}-{place}", chart, f"{match.words()} over time")
            blocks.append(CaptionedChart(drawn, match.words()))
        several = len(question.conditions) > 1
        title = f"Over time: {question.words(condition)}" if several else "Over time"
        text = "The first replicate of every match."
        yield Part(f"time-{number}", title, (Paragraph(text, text), ZOOM, *blocks))


def _look(flows: Sequence[str], match: Match, of: Look) -> Look:
    """Colours of the flows by their algorithms, where these differ."""
    both = [name for name in match if name]
    if len(flows) != len(set(both)):
        return Look.of(flows)
    return Look(tuple(flows), tuple(of.colour(name) for name in both))


def _settings(comparison: Comparison) -> dict[str, str]:
    question, plan = comparison.question, comparison.question.plan
    path = [", ".join(question.values(name)) for name in Condition._fields]
    path[2] += ", within 5 % in every replicate"
    return {
        "Algorithms": ", ".join(question.algorithms),
        "Versus": ", ".join(question.versus),
        **{name: value for name, value in zip(_PATH, path, strict=True) if value},
        "Transport": question.transport(),
        "Flows of each algorithm": str(question.flows),
        "Replicates": str(plan.replicates),
        "Duration": question.duration,
        "Not measured at the beginning": f"{plan.scenario.warm_up:.0%}",
        "Seed": str(plan.seed),
        "Version of mesonet": version("mesonet"),
        "Result version": result_version(),
    }
