"""The page of a comparison: the answer, its numbers, and every match over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from mesonet.analysis import trace
from mesonet.analysis.traces.chart import trace_chart
from mesonet.comparison.chart import comparison_chart
from mesonet.comparison.measures import BY_NAME
from mesonet.comparison.question import Match
from mesonet.comparison.words import of_condition, shown
from mesonet.figures.style import Look
from mesonet.page.blocks import ZOOM, Block, CaptionedChart, Notes, Paragraph, TitledTable
from mesonet.page.charts import picture
from mesonet.page.layout import Fact
from mesonet.page.simple import Part, simple_page
from mesonet.page.tables import Column, Table
from mesonet.system.writing import write_atomically
from mesonet.tables import result_version
from mesonet.units import parse_rate

if TYPE_CHECKING:
    from mesonet.comparison.result import Comparison

_POINTS = 300
_PANELS = ("rate", "cwnd", "srtt", "queue", "signals")


def write_page(comparison: Comparison, path: Path) -> Path:
    """Writes the page of a comparison; returns its path."""
    write_atomically(path, render_page(comparison).encode())
    return path


def render_page(comparison: Comparison) -> str:
    """The page as HTML. It loads nothing, and the same comparison gives the same text."""
    question = comparison.question
    several = len(question.conditions) > 1
    bottleneck = (
        Fact("Bottleneck", f"{len(question.conditions)} conditions")
        if several
        else Fact("Bottleneck", question.conditions[0].words(), wide=True)
    )
    return simple_page(
        kind="mesonet comparison",
        title=", ".join(question.algorithms),
        question="What does each do alone, and to the others, over one bottleneck?",
        facts=[
            bottleneck,
            Fact("Runs", f"{comparison.executed} of {question.duration}"),
            Fact("Flows of each", str(question.flows)),
        ],
        parts=[_answer(comparison), _numbers(comparison), *_over_time(comparison)],
        settings=_settings(comparison),
    )


def _answer(comparison: Comparison) -> Part:
    caption = (
        "First, each algorithm alone: means over repeats, bars are their 95 % intervals. Last, the "
        "share of the goodput that the algorithm of the row gets beside that of the column."
    )
    chart = picture("answer", comparison_chart(comparison), "Measures alone and shares")
    said = tuple(Paragraph(text, text) for text in comparison.sentences())
    notes = Notes(tuple(Paragraph(text, text) for text in comparison.notes))
    return Part("summary", "The answer", (CaptionedChart(chart, caption), *said, notes))


def _numbers(comparison: Comparison) -> Part:
    tables: list[Block] = []
    for number, condition in enumerate(comparison.question.conditions, 1):
        frame = _wide(of_condition(comparison.frame, condition))
        columns = [Column("algorithm", "Algorithm", numeric=False)]
        columns.append(Column("beside", "Beside", form=lambda it: it or "alone", numeric=False))
        # Rates in packets have no bits.
        packets = parse_rate(condition.rate).of == "packets"
        in_segments = replace(BY_NAME["rate"], unit="segments/s", factor=1)
        for name, measure in {**BY_NAME, **({"rate": in_segments} if packets else {})}.items():
            unit = f" ({measure.unit})" if measure.unit else ""
            heading = f"{measure.title.capitalize()}{unit}"
            columns.append(Column(name, heading, form=partial(shown, measure)))
        table = Table(f"comparison-{number}", tuple(columns), frame)
        tables.append(TitledTable(comparison.question.words(condition), table))
    text = (
        "Means over the repeats; the files have the ends of their 95 % intervals, too, in SI units."
    )
    return Part("numbers", "All numbers", (Paragraph(text, text), *tables))


def _wide(frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each match, with the measures and the ends of their intervals as columns."""
    wide = frame.pivot("measure", index=["algorithm", "beside"], values=["mean", "low", "high"])
    return wide.rename({name: name.removeprefix("mean_") for name in wide.columns})


def _over_time(comparison: Comparison) -> Iterator[Part]:
    question = comparison.question
    for number, condition in enumerate(question.conditions, 1):
        blocks: list[Block] = []
        for place, match in enumerate(question.matches(), 1):
            run = comparison.first_runs.get((condition, match))
            if run is None:
                continue
            traced = trace(run, points=_POINTS)
            chart = trace_chart(traced, panels=_PANELS, look=_look(traced.flows, match), height=90)
            made = picture(f"time-{number}-{place}", chart, f"{match.words()} over time")
            blocks.append(CaptionedChart(made, match.words()))
        several = len(question.conditions) > 1
        title = f"Over time: {question.words(condition)}" if several else "Over time"
        text = "The first repeat of every match."
        yield Part(f"time-{number}", title, (Paragraph(text, text), ZOOM, *blocks))


def _look(flows: Sequence[str], match: Match) -> Look:
    """Colours of the flows by their algorithms, where these differ."""
    both = [name for name in (match.algorithm, match.other) if name]
    of = Look.of(dict.fromkeys(both))
    if len(flows) != len(of.alternatives):
        return Look.of(flows)
    return Look(tuple(flows), tuple(of.colour(name) for name in both))


def _settings(comparison: Comparison) -> dict[str, str]:
    question = comparison.question

    def listed(values: Sequence[object]) -> str:
        return ", ".join(dict.fromkeys(map(str, values)))

    def of(name: str) -> str:
        return listed([getattr(each, name) for each in question.conditions])

    return {
        "Algorithms": listed(question.algorithms),
        "Beside": listed(question.beside),
        "Rate": of("rate"),
        "Round-trip time": f"{of('rtt')}, within 5 % in every repeat",
        "Buffer": of("buffer"),
        "Random loss": of("loss"),
        "Queue discipline": of("queue"),
        "Transport": question.transport(),
        "Flows of each algorithm": str(question.flows),
        "Repeats": str(question.repeats),
        "Duration": question.duration,
        "Not measured at the beginning": f"{question.warm_up:.0%}",
        "Seed": str(question.seed),
        "Version of mesonet": version("mesonet"),
        "Result version": result_version(),
    }
