"""The page of the two-flow bench: what is published beside what was measured, and every run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from mesonet.figures import number, percent
from mesonet.report.charts import Picture, packed_pictures, picture
from mesonet.report.page import bundle, environment, write
from mesonet.report.tables import Column, Table, csv_uri, numbers, table, words
from mesonet.simulate import result_version
from mesonet.studies.lab import Size
from mesonet.studies.published import Comparison, compare
from mesonet.studies.two_flow import (
    PARAMETERS,
    REFERENCE_RTT,
    buffer_packets,
    path_packets,
    run_name,
    settings,
)
from mesonet.studies.two_flow_charts import facts, run_chart

_SECTIONS = (
    ("summary", "Summary"),
    ("published", "Published beside measured"),
    ("runs", "Every run over time"),
    ("figures", "Every figure"),
    ("bench", "The bench"),
)

# Column of the table, its heading, and whether it is a part of the capacity.
_FIGURES = (
    ("alone_window", "red alone: window", False),
    ("alone_use", "red alone: use", True),
    ("alone_queue", "red alone: queue", False),
    ("red_window", "both: red's window", False),
    ("blue_window", "both: blue's window", False),
    ("both_use", "both: use", True),
    ("both_queue", "both: queue", False),
    ("red_share", "red's share", True),
    ("blue_share", "blue's share", True),
    ("blue_part_end", "blue's part at the end", True),
    ("loss", "lost", True),
)


@dataclass(frozen=True)
class _Curve:
    algorithm: str
    line: str
    picture: Picture


@dataclass(frozen=True)
class _Setting:
    name: str
    curves: list[_Curve]


def write_two_flow_page(
    results: Mapping[str, Mapping[str, Any]],
    failures: Mapping[str, str],
    *,
    size: Size,
    algorithms: Iterable[str],
    out: str | Path,
) -> Path:
    """Writes the page; the same results give the same bytes.

    Args:
        results: What `measure_two_flows` gave, by the name of the run.
        failures: Errors of runs, by name.
        size: Which settings were asked for.
        algorithms: In the order of the page.
        out: The file to write.

    Raises:
        MesonetError: The file cannot be written.
    """
    return write(render(results, failures, size=size, algorithms=algorithms), out)


def reference_figures(
    results: Mapping[str, Mapping[str, Any]], algorithms: Iterable[str]
) -> dict[str, dict[str, float]]:
    """The figures of the published setting by algorithm, where there is a result."""
    names = {name: run_name(name, REFERENCE_RTT, math.inf) for name in algorithms}
    return {name: results[run]["figures"] for name, run in names.items() if run in results}


def render(
    results: Mapping[str, Mapping[str, Any]],
    failures: Mapping[str, str],
    *,
    size: Size,
    algorithms: Iterable[str],
) -> str:
    """The page as HTML; it loads nothing."""
    algorithms = list(dict.fromkeys(algorithms))
    measured = [
        c for c in compare(reference_figures(results, algorithms)) if c.measured is not None
    ]
    rows = [_figures_row(results, *key, name) for key in settings(size) for name in algorithms]
    frame = pl.DataFrame([row for row in rows if row])
    content: dict[str, Any] = {
        "summary": _sentences(measured, failures),
        "published": [_comparison(c) for c in measured],
        "published_csv": csv_uri(comparison_frame(measured)),
        "settings": [_setting(results, *key, algorithms) for key in settings(size)],
        "figures": None if frame.is_empty() else _figures_table(frame),
        "failures": {name: error.splitlines()[0] for name, error in sorted(failures.items())},
    }
    template = environment("mesonet.studies").get_template("two-flow.html.j2")
    return template.render(
        title="Two flows, one bottleneck",
        sections=_SECTIONS,
        content=content,
        count=len(results),
        algorithms=len(algorithms),
        settings=len(settings(size)),
        agreeing=sum(c.verdict == "agrees" for c in measured),
        compared=len(measured),
        version=result_version(),
        parameters=PARAMETERS,
        pictures=packed_pictures(
            {"all": [curve.picture for s in content["settings"] for curve in s.curves]}
        ),
        bundle=bundle(),
    )


def comparison_frame(comparisons: Iterable[Comparison]) -> pl.DataFrame:
    """Comparisons as a table with all digits."""
    return pl.DataFrame(
        [
            {
                "algorithm": c.statement.label,
                "name": c.statement.algorithm,
                "what": c.statement.what,
                "published": c.statement.published,
                "agrees_if": c.statement.rule,
                "measured": c.measured,
                "outside_by": None if c.measured is None else c.statement.difference(c.measured),
                "verdict": c.verdict,
                "source": c.statement.source,
            }
            for c in comparisons
        ],
        schema_overrides={"measured": pl.Float64, "outside_by": pl.Float64},
        infer_schema_length=None,
    )


def _comparison(comparison: Comparison) -> dict[str, str]:
    statement, measured = comparison.statement, comparison.measured
    assert measured is not None
    outside = statement.difference(measured)
    return {
        "label": statement.label,
        "name": statement.algorithm,
        "what": statement.what,
        "published": statement.published,
        "measured": quantity(measured, statement.unit),
        "rule": statement.rule,
        "outside": quantity(outside, statement.unit, signed=True) if outside else "–",
        "source": statement.source,
        "verdict": comparison.verdict,
    }


def quantity(value: float, unit: str, *, signed: bool = False) -> str:
    """A value of a statement for people: packets, or a part as a percentage."""
    if unit == "part":
        return percent(value, digits=3, signed=signed)
    return number(value, signed=signed)


def _sentences(comparisons: list[Comparison], failures: Mapping[str, str]) -> list[dict[str, Any]]:
    sentences = []
    missed = [c for c in comparisons if c.verdict == "differs"]
    if comparisons:
        agreeing = len(comparisons) - len(missed)
        text = f"{agreeing} of {len(comparisons)} published results are met."
        sentences.append({"text": text, "loud": False})
    for c in missed:
        assert c.measured is not None
        text = (
            f"{c.statement.label}, {c.statement.what}: published {c.statement.published} "
            f"({c.statement.rule}), measured {quantity(c.measured, c.statement.unit)}."
        )
        sentences.append({"text": text, "loud": True})
    if failures:
        sentences.append({"text": f"{len(failures)} runs failed.", "loud": True})
    if not comparisons:
        text = "Nothing is published about the algorithms chosen: no comparison."
        sentences.append({"text": text, "loud": False})
    return sentences


def _setting_name(rtt_ms: int, threshold: float) -> str:
    limit = "no initial threshold" if math.isinf(threshold) else f"threshold {threshold:g}"
    return f"{rtt_ms} ms, {limit}"


def _setting(
    results: Mapping[str, Mapping[str, Any]], rtt: int, threshold: float, algorithms: list[str]
) -> _Setting:
    curves = []
    for algorithm in algorithms:
        name = run_name(algorithm, rtt, threshold)
        if name not in results:
            continue
        figures = results[name]["figures"]
        line = facts(figures)
        chart = run_chart(results[name]["curves"], path=path_packets(rtt), room=buffer_packets(rtt))
        description = f"Windows, queue and goodput over time, {algorithm}: {line}"
        curves.append(_Curve(algorithm, line, picture(name, chart, description)))
    return _Setting(_setting_name(rtt, threshold), curves)


def _figures_row(
    results: Mapping[str, Mapping[str, Any]], rtt: int, threshold: float, algorithm: str
) -> dict[str, Any] | None:
    result = results.get(run_name(algorithm, rtt, threshold))
    if result is None:
        return None
    setting = {"rtt_ms": rtt, "ssthresh": "inf" if math.isinf(threshold) else f"{threshold:g}"}
    return {"algorithm": algorithm, **setting, **result["figures"]}


def _figures_table(frame: pl.DataFrame) -> Table:
    columns = [words("algorithm", "algorithm"), numbers("rtt_ms", "RTT (ms)")]
    columns.append(words("ssthresh", "threshold"))
    for name, heading, part in _FIGURES:
        if part:
            form = lambda value: percent(value, digits=3, signed=False)  # noqa: E731
            columns.append(Column(name, heading, form))
        else:
            columns.append(numbers(name, heading))
    return table("two-flow", frame, columns)
