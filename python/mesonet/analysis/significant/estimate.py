"""Influence of factors on responses: the significance summary and the influence fraction.

K. L. Mills et al., the methodology paper, section 5.5: Table 7 has a row per response and a column
per factor, equation (5) condenses a table to one number per factor, and Table 8 averages these
numbers over several sets of responses with weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from mesonet.analysis.columns import Column, columns
from mesonet.analysis.effects.entry import INFLUENCE
from mesonet.analysis.effects.estimate import MainEffects, main_effects
from mesonet.analysis.result import Result
from mesonet.analysis.significant.entry import SIGNIFICANCE
from mesonet.analysis.subject import Subject
from mesonet.errors import InputError, Problem


class Significance(Result, chart="significance_chart", frame=SIGNIFICANCE, influence=INFLUENCE):
    """The significance of every factor for every response.

    `frame` has a row for each response.

    `influence` is that of `MainEffects`. `tests` is the number of effects tested, `at_1_percent`
    how many have p < 0.01; were no factor of any influence, `expected_at_1_percent` would be there
    by chance.
    """

    influence: pl.DataFrame
    factors: tuple[str, ...]
    tests: int
    at_1_percent: int
    expected_at_1_percent: float


def significance(effects: MainEffects) -> Significance:
    """Condenses main effects to signs and stars.

    Args:
        effects: Main effects averaged over alternatives; of one alternative alone, if they were
            estimated for a frame with that alternative only.
    """
    groups = effects.frame["group"].unique(maintain_order=True).to_list()
    if len(groups) > 1:
        problem = f"expected main effects of one group, got {', '.join(groups)}"
        raise InputError([Problem("effects", "several_groups", problem)])
    starred = pl.when(pl.col("stars") != "").then(pl.col("sign") + pl.col("stars"))
    text = pl.when(pl.col("p").is_not_nan()).then(starred.otherwise(pl.lit("")))
    long = effects.frame.with_columns(text.alias("text"))
    factors = tuple(effects.influence["factor"])
    wide = long.pivot("factor", index="response", values="text", maintain_order=True)
    count = int(effects.frame["p"].is_not_nan().sum())
    return Significance(
        frame=wide.select("response", *factors) if factors else wide,
        notes=effects.notes,
        influence=effects.influence,
        factors=factors,
        tests=count,
        at_1_percent=int((effects.frame["stars"] == "**").sum()),
        expected_at_1_percent=0.01 * count,
    )


_INFLUENCE = columns(
    "set weight factor responses at_1_percent at_5_percent influence",
    Column("set", pl.String, "", "set of responses"),
    Column("responses", pl.Int64, "", "number of responses that had a value"),
    Column("at_1_percent", pl.Int64, "", "number of responses with p < 0.01"),
    Column("at_5_percent", pl.Int64, "", "number of responses with 0.01 <= p < 0.05"),
)

_INFLUENCE_OVERALL = columns("factor influence position")


class Influence(Result, chart="influence_sets_chart", frame=_INFLUENCE, overall=_INFLUENCE_OVERALL):
    """The influence of every factor over sets of responses.

    `frame` has a row for each set and factor; `overall` for each factor.
    """

    overall: pl.DataFrame
    sets: tuple[str, ...]


def influence(
    sets: Mapping[str, MainEffects], *, weights: Mapping[str, float] | None = None
) -> Influence:
    """Averages the influence fraction over sets of responses.

    Args:
        sets: Main effects by the name of the set, such as the responses of a time period, or the
            goodputs under one algorithm; at least one.
        weights: Weights of the sets, in any unit; equal if not given. The study weighs each of
            three time periods at 1/6 and each of two algorithms at 1/4.
    """
    factors = next(iter(sets.values())).influence["factor"].to_list()
    shares = dict.fromkeys(sets, 1.0) if weights is None else dict(weights)
    problems = [
        Problem(f"sets.{name}", "other_factors", f"expected {factors}, got {names}")
        for name, effects in sets.items()
        if (names := effects.influence["factor"].to_list()) != factors
    ]
    if shares.keys() != sets.keys() or not all(share > 0.0 for share in shares.values()):
        message = f"expected a positive number for each of {', '.join(sets)}, got {shares}"
        problems.append(Problem("weights", "sets", message))
    if problems:
        raise InputError(problems)
    total = sum(shares.values())
    table = pl.concat(
        effects.influence.select(
            pl.lit(name).alias("set"), pl.lit(shares[name] / total).alias("weight"), pl.all()
        )
        for name, effects in sets.items()
    )
    has = pl.col("influence").is_not_null()
    mean = (pl.col("influence") * pl.col("weight")).sum() / pl.col("weight").filter(has).sum()
    overall = table.group_by("factor", maintain_order=True).agg(
        pl.when(has.any()).then(mean).alias("influence")
    )
    position = pl.col("influence").rank("ordinal", descending=True).cast(pl.Int64)
    notes = [
        f"{name}: {note}" if len(sets) > 1 else note
        for name, effects in sets.items()
        for note in effects.notes
    ]
    empty = table.filter(~has)["set"].unique(maintain_order=True).to_list()
    if empty and len(sets) > 1:
        notes.insert(0, f"Without a value, so left out of the mean: {', '.join(empty)}.")
    return Influence(
        frame=table,
        notes=tuple(notes),
        overall=overall.with_columns(position.alias("position")),
        sets=tuple(sets),
    )


def tabled_significance(subject: Subject, options: dict[str, Any]) -> Significance:
    """Says which factors matter for each of all responses."""
    part = subject.part
    names = subject.responses
    effects = main_effects(part.frame, factors=part.factors, responses=names, **options)
    return significance(effects)
