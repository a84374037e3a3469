"""The summary in plain words: each sentence rests on a number and leads to its section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup, escape

from mesonet.figures import number, percent, probability
from mesonet.report.results import Results

_SURE = 0.05


@dataclass(frozen=True)
class Sentence:
    """One sentence of the summary.

    Attributes:
        text: The sentence, with its numbers emphasised.
        section: Identifier of the section that carries it.
        loud: Whether it is a warning.
    """

    text: Markup
    section: str
    loud: bool = False


def summarise(results: Results) -> list[Sentence]:
    """The sentences of the summary, most general first."""
    if results.inputs.frame.is_empty():
        text = "There are <b>0</b> finished runs, so there is nothing to report yet."
        return [Sentence(Markup(text), "provenance")]
    return [
        *_design(results),
        *_replication(results),
        *_congestion(results),
        *_paired(results),
        *_ranks(results),
        *_outliers(results),
        *_effects(results),
    ]


def _design(results: Results) -> Iterator[Sentence]:
    inputs, labels = results.inputs, results.look.alternatives
    factors = len(inputs.factors)
    varied = (
        _fill(
            " that vary <b>{}</b>{}",
            _count(factors, "factor"),
            " at two levels" if results.two_level else "",
        )
        if factors
        else ""
    )
    yield Sentence(
        _fill(
            "<b>{}</b> of {} under <b>{}</b>{}.",
            _count(inputs.frame.height, "run"),
            _list(labels),
            _count(results.conditions_count, "condition"),
            varied,
        ),
        "design",
    )
    missing = (inputs.expected_runs or inputs.frame.height) - inputs.frame.height
    if missing > 0:
        text = "<b>{}</b> of the {} planned are missing; what follows leaves them out."
        yield Sentence(_fill(text, _count(missing, "run"), inputs.expected_runs), "runs", loud=True)


def _replication(results: Results) -> Iterator[Sentence]:
    if results.replicates == 1:
        text = (
            "<b>n = 1</b>: every condition was simulated <b>once</b> with each alternative. Within "
            "one condition, chance and algorithm cannot be told apart; the intervals and tests "
            "below rest on how results vary across conditions."
        )
        yield Sentence(Markup(text), "paired", loud=True)
    else:
        text = (
            "<b>n = {}</b> replicates of each condition and alternative; replicates share their "
            "random numbers across alternatives, so differences are paired."
        )
        yield Sentence(_fill(text, results.replicates), "paired")
        for note in results.description.notes:
            if note.startswith("Suspicious"):
                yield Sentence(escape(note), "responses", loud=True)


def _congestion(results: Results) -> Iterator[Sentence]:
    if results.congestion is None:
        return
    order = results.congestion.conditions.drop_nulls("value")
    if order.is_empty():
        return
    least, most = order.row(0, named=True), order.row(-1, named=True)
    idle = order.filter(pl.col("value") == 0).height
    without = (
        _fill("; <b>{}</b> of the conditions have none at all", idle)
        if idle > 1 and most["value"] > 0
        else ""
    )
    text = "{} spans <b>{}</b> (condition {}) to <b>{}</b> (condition {}), the mean over {}{}."
    yield Sentence(
        _fill(
            text,
            results.names.response(results.congestion.response),
            number(least["value"], digits=2),
            least["condition"],
            number(most["value"], digits=2),
            most["condition"],
            "alternatives" if len(results.look.alternatives) > 1 else "runs",
            without,
        ),
        "congestion",
    )


def _paired(results: Results) -> Iterator[Sentence]:
    if results.paired is None:
        return
    frame = results.paired.frame
    better = {name: str(about.get("better")) for name, about in results.inputs.responses.items()}
    for label in results.look.alternatives:
        if label == results.paired.baseline:
            continue
        mine = frame.filter(pl.col("alternative") == label)
        sure = mine.filter(pl.col("p_holm") < _SURE)
        good = [
            row
            for row in sure.iter_rows(named=True)
            if better.get(row["response"]) == ("higher" if row["difference"] > 0 else "lower")
        ]
        bad = [
            row
            for row in sure.iter_rows(named=True)
            if better.get(row["response"]) == ("lower" if row["difference"] > 0 else "higher")
        ]
        told = [
            _fill("is {} on <b>{}</b> (clearest: {})", word, len(group), _clearest(results, group))
            for word, group in (("better", good), ("worse", bad))
            if group
        ]
        judged = [name for name in results.paired.responses if better.get(name) in _DIRECTIONS]
        if told:
            text = "Against {}, <b>{}</b> {} of {} responses with a better side (Holm p < 0.05)."
            body = Markup(" and ").join(told)
            yield Sentence(_fill(text, results.paired.baseline, label, body, len(judged)), "paired")
        elif judged and mine["p_holm"].is_finite().any():
            text = (
                "Against {}, <b>{}</b> shows a difference on <b>0</b> of {} responses with a "
                "better side (Holm p < 0.05); that is absence of evidence at n = {} {}s, not "
                "evidence of absence."
            )
            yield Sentence(
                _fill(
                    text,
                    results.paired.baseline,
                    label,
                    len(judged),
                    mine["n"].max(),
                    results.paired.unit,
                ),
                "paired",
            )
        yield from _consistent(results, label, mine)
        yield from _here(results, label, mine)


def _consistent(results: Results, label: str, mine: pl.DataFrame) -> Iterator[Sentence]:
    """Where the direction is certain though the mean difference is not."""
    assert results.paired is not None
    found = mine.filter((pl.col("wilcoxon_holm") < _SURE) & (pl.col("p_holm") >= _SURE)).sort(
        "wilcoxon_holm", maintain_order=True
    )
    if found.is_empty():
        return
    told = []
    for row in found.head(3).iter_rows(named=True):
        up = row["above"] >= row["below"]
        told.append(
            _fill(
                "{} is {} than with {} in <b>{}</b> of the {} {}s that differ",
                _lower(results.names.response(row["response"])),
                "higher" if up else "lower",
                results.paired.baseline,
                row["above"] if up else row["below"],
                row["above"] + row["below"],
                results.paired.unit,
            )
        )
    text = (
        "With <b>{}</b>, {} (signed-rank test, Holm p < 0.05), though a few {}s dominate the "
        "mean difference and leave its size uncertain."
    )
    yield Sentence(_fill(text, label, Markup("; ").join(told), results.paired.unit), "paired")


def _here(results: Results, label: str, mine: pl.DataFrame) -> Iterator[Sentence]:
    """What the replicates say about exactly these conditions."""
    assert results.paired is not None
    if results.paired.unit == "replicate":
        return
    better = {name: str(about.get("better")) for name, about in results.inputs.responses.items()}
    found = mine.filter((pl.col("seed_holm") < _SURE) & (pl.col("seed_p").is_finite()))
    told = []
    for row in found.sort("seed_p", maintain_order=True).iter_rows(named=True):
        side = better.get(row["response"])
        if side not in _DIRECTIONS:
            continue
        gain = side == ("higher" if row["difference"] > 0 else "lower")
        told.append(
            _fill(
                "{} <b>{}</b> ({})",
                _lower(results.names.response(row["response"])),
                percent(row["relative"]),
                "better" if gain else "worse",
            )
        )
    if not told:
        return
    text = (
        "Averaged over exactly these <b>{}</b>, and judged by the variation between {} seeds, "
        "<b>{}</b> differs from {} on {} (Holm p < 0.05)."
    )
    yield Sentence(
        _fill(
            text,
            _count(results.conditions_count, "condition"),
            found["seeds"].max(),
            label,
            results.paired.baseline,
            Markup(", ").join(told[:4]) + (f" and {len(told) - 4} more" if told[4:] else ""),
        ),
        "paired",
    )


_DIRECTIONS = ("higher", "lower")


def _clearest(results: Results, group: list[dict[str, float]]) -> Markup:
    row = max(group, key=lambda row: abs(row["t"]))
    text = "{} <b>{}</b>, 95 % interval {} to {}, p {}, n = {}"
    if results.paired is not None and results.paired.confidence != 0.95:
        text = text.replace("95 %", percent(results.paired.confidence, digits=3, signed=False))
    p = probability(row["p_holm"])
    return _fill(
        text,
        _lower(results.names.response(str(row["response"]))),
        percent(row["relative"]),
        percent(row["relative_lower"]),
        percent(row["relative_upper"]),
        p if p.startswith("<") else f"= {p}",
        row["n"],
    )


def _ranks(results: Results) -> Iterator[Sentence]:
    if results.ranks is None:
        return
    summary = results.ranks.summary.drop_nulls("mean").sort("mean", descending=True)
    if summary.height < 2:
        return
    best, last = summary.row(0, named=True), summary.row(-1, named=True)
    text = (
        "Over {} and {}, <b>{}</b> ranks highest on average (<b>{}</b> of {}, sd {}) and {} "
        "lowest (<b>{}</b>)."
    )
    yield Sentence(
        _fill(
            text,
            _count(len(results.ranks.responses), f"{results.inputs.ranked_kind}response"),
            _count(results.conditions_count, "condition"),
            best["alternative"],
            number(best["mean"], digits=3),
            len(results.look.alternatives),
            number(best["sd"], digits=2),
            last["alternative"],
            number(last["mean"], digits=3),
        ),
        "ranks",
    )


def _outliers(results: Results) -> Iterator[Sentence]:
    outliers = results.outliers
    if outliers is None:
        return
    if outliers.tested == 0:
        text = "Grubbs' test needs three alternatives that differ: <b>0</b> cells could be tested."
        yield Sentence(Markup(text), "condition-response")
        return
    found = outliers.counts.sort("outliers", descending=True, maintain_order=True)
    most = found.row(0, named=True)
    total = found["outliers"].sum()
    text = (
        "Grubbs' test calls an alternative an outlier in <b>{}</b> of {} cells of condition and "
        "response, "
    )
    text += (
        "where chance alone would give about {}; "
        if outliers.adjust == "none"
        else "after adjustment for their number{}; "
    )
    text += "most often <b>{}</b> (<b>{}</b>)." if total else "none stands out{}{}."
    if total and len(results.look.alternatives) == 3:
        text += " Of three, the test finds the one that differs from two alike, however little."
    tail = (most["alternative"], most["outliers"]) if total else ("", "")
    chance = number(outliers.expected, digits=2) if outliers.adjust == "none" else ""
    yield Sentence(
        _fill(text, total, outliers.tested, chance, *tail),
        "condition-response",
    )


def _effects(results: Results) -> Iterator[Sentence]:
    if results.effects is None:
        return
    influence = results.effects.influence.drop_nulls("influence")
    ranked = influence.sort("influence", descending=True, maintain_order=True)
    if not ranked.is_empty() and ranked["influence"][0] > 0:
        row = ranked.row(0, named=True)
        text = (
            "<b>{}</b> has the widest influence: significant at p < 0.01 on <b>{}</b> and at "
            "p < 0.05 on another <b>{}</b> of {} responses (Ψ = <b>{}</b>)."
        )
        yield Sentence(
            _fill(
                text,
                results.names.factor(row["factor"]),
                row["at_1_percent"],
                row["at_5_percent"],
                row["responses"],
                number(row["influence"], digits=2),
            ),
            "main-effects",
        )
    if results.congestion is None:
        return
    mine = results.effects.frame.filter(
        (pl.col("response") == results.congestion.response) & (pl.col("p") < _SURE)
    ).sort("p", maintain_order=True)
    if mine.is_empty():
        return
    row = mine.row(0, named=True)
    low, high = results.names.levels(row["factor"])
    text = (
        "{} depends most on <b>{}</b>: from {} to {} its mean goes from <b>{}</b> to <b>{}</b> "
        "({} of the overall mean, p {})."
    )
    p = probability(row["p"])
    yield Sentence(
        _fill(
            text,
            results.names.response(results.congestion.response),
            _lower(results.names.factor(row["factor"])),
            low,
            high,
            number(row["low"], digits=2),
            number(row["high"], digits=2),
            percent(row["relative"]),
            p if p.startswith("<") else f"= {p}",
        ),
        "main-effects",
    )


def _fill(text: str, *values: object) -> Markup:
    """Fills values into trusted HTML, escaping them."""
    return Markup(text.replace("p < 0", "p &lt; 0")).format(*values)


def _count(number_of: int, noun: str) -> str:
    return f"{number_of:,} {noun}{'' if number_of == 1 else 's'}".replace(",", "\N{THIN SPACE}")


def _lower(text: str) -> str:
    """A name in the middle of a sentence; acronyms and symbols keep their capitals."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _list(labels: tuple[str, ...]) -> Markup:
    shown = [Markup("<b>{}</b>").format(label) for label in labels]
    if len(shown) < 2:
        return Markup("").join(shown) or escape("nothing")
    return Markup(", ").join(shown[:-1]) + Markup(" and ") + shown[-1]
