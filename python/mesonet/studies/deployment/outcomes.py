"""Outcomes of every share of a newcomer, with intervals over replicates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from mesonet.analysis import harm
from mesonet.analysis.paired import mean_interval
from mesonet.responses.measurements import divide
from mesonet.studies.bench import Results
from mesonet.studies.deployment.cohorts import FILES, Steps, cohorts
from mesonet.studies.deployment.mixes import Mix, run_name
from mesonet.studies.deployment.starvation import starvation, thresholds

INTERVALS = ("n", "mean", "lower", "upper")


@dataclass(frozen=True)
class Outcomes:
    """Outcomes of the deployment of newcomers.

    All frames have `newcomer`, `condition` and `percent` (share of the newcomer), and `n`
    (replicates), `mean`, `lower`, `upper` (95 % interval over replicates, NaN with one). Where
    something can be without effect there is `p`, of a t-test that it is (NaN with one replicate).

    Neither intervals nor p are adjusted for their number; `certainty.Family` does that.

    Attributes:
        ratios: Ratios to the same sources at the share before, as `cohorts` defines them; with
            `before`, `who`, `file`, `measure` (goodput or duration).
        harm: Harm to the stayers, from 0 (none) to 1 (everything); with `file` and `measure`.
        starved: Part of the transfers that starve; with `who` (incumbent or newcomer).
        network: Responses of the whole network, and `goodput_ratio`, its goodput over that without
            newcomers; with `measure`.
    """

    ratios: pl.DataFrame
    harm: pl.DataFrame
    starved: pl.DataFrame
    network: pl.DataFrame


def outcomes(
    results: Results, mixes: Sequence[Mix], *, conditions: Iterable[int], replicates: int
) -> Outcomes:
    """Puts the runs of all newcomers together; runs that failed leave their steps out.

    Args:
        results: stored numbers of the runs, by name.
        mixes: mixes in the order of their runs, the incumbent's own first.
        conditions: numbers of the conditions.
        replicates: number of replicates of every run.
    """
    incumbent = mixes[0]
    newcomers = dict.fromkeys(mix.newcomer for mix in mixes if mix.newcomer)
    keys = ("newcomer", "condition", "replicate")
    ratios, starved, network = [], [], []
    for newcomer in newcomers:
        steps = {0: incumbent} | {m.percent: m for m in mixes if m.newcomer == newcomer}
        for condition in conditions:
            for replicate in range(1, replicates + 1):
                runs = {
                    percent: results[name]
                    for percent, mix in steps.items()
                    if (name := run_name(mix.label, condition, replicate)) in results
                }
                if 0 not in runs:
                    continue
                here = [
                    pl.lit(v).alias(k)
                    for k, v in zip(keys, (newcomer, condition, replicate), strict=True)
                ]
                path = Steps(incumbent.label, newcomer, runs)
                ratios.append(cohorts(path).with_columns(here))
                starved.append(_starved(path).with_columns(here))
                network.append(_network(path).with_columns(here))
    if not ratios:
        return _nothing()
    long = pl.concat(ratios).unpivot(
        on=["goodput", "duration"],
        index=["newcomer", "condition", "replicate", "percent", "before", "who", "file"],
        variable_name="measure",
        value_name="value",
    )
    by = ["newcomer", "condition", "percent"]
    return Outcomes(
        ratios=over_replicates(long, [*by, "before", "who", "file", "measure"], null=1.0),
        harm=_harm(long),
        starved=over_replicates(pl.concat(starved), [*by, "who"]),
        network=over_replicates(pl.concat(network), [*by, "measure"]),
    )


def _nothing() -> Outcomes:
    cell = {"newcomer": pl.String, "condition": pl.Int64, "percent": pl.Int64}

    def empty(*names: str, null: float | None = None) -> pl.DataFrame:
        schema = {**cell, "replicate": pl.Int64, "value": pl.Float64}
        frame = pl.DataFrame(schema=schema | dict.fromkeys(names, pl.String))
        return over_replicates(frame, [*cell, *names], null=null)

    return Outcomes(
        ratios=empty("who", "file", "measure", null=1.0).with_columns(before=pl.lit(0)),
        harm=empty("file", "measure", null=0.0),
        starved=empty("who"),
        network=empty("measure"),
    )


def _starved(steps: Steps) -> pl.DataFrame:
    limits = thresholds(pl.DataFrame(steps.runs[0]["groups"]))
    rows = [
        (percent, who, starvation(run, limits, name))
        for percent, run in steps.runs.items()
        for who, name in (("incumbent", steps.incumbent), ("newcomer", steps.newcomer))
    ]
    schema = {"percent": pl.Int64, "who": pl.String, "value": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _network(steps: Steps) -> pl.DataFrame:
    before = steps.runs[0]["network"]["goodput"]
    rows = [
        (percent, measure, value)
        for percent, run in steps.runs.items()
        for measure, value in {
            **run["network"],
            "goodput_ratio": divide(run["network"]["goodput"], before),
        }.items()
    ]
    schema = {"percent": pl.Int64, "measure": pl.String, "value": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def over_replicates(
    frame: pl.DataFrame, by: Sequence[str], *, null: float | None = None
) -> pl.DataFrame:
    """Mean and 95 % interval of `value` over the replicates of every cell.

    Undefined values do not count; a cell without any other is left out.

    Args:
        frame: `value`, `replicate` and the columns below.
        by: Columns that identify a cell.
        null: The value without any effect; with it there is a column `p`, of a t-test that the
            mean is no other.
    """
    rows = []
    known = frame.filter(pl.col("value").is_finite()).sort(*by, "replicate")
    for key, part in known.group_by(*by, maintain_order=True):
        values = part["value"].to_numpy()
        mean, lower, upper, *_ = mean_interval(values, 0.95)
        *_, p = mean_interval(values - (null or 0.0), 0.95)
        rows.append((*key, part.height, mean, lower, upper, p))
    numbers = dict.fromkeys(("mean", "lower", "upper", "p"), pl.Float64)
    schema = {name: frame.schema[name] for name in by} | {"n": pl.Int64} | numbers
    found = pl.DataFrame(rows, schema=schema, orient="row")
    return found.drop("p") if null is None else found


_SOLO = "0 %"


def _harm(ratios: pl.DataFrame) -> pl.DataFrame:
    """Harm to stayers, against a network without newcomers, where all ratios are 1."""
    stayers = ratios.filter(pl.col("who") == "stayers")
    found = []
    for newcomer, condition in (
        stayers.select("newcomer", "condition").unique(maintain_order=True).iter_rows()
    ):
        mine = stayers.filter((pl.col("newcomer") == newcomer) & (pl.col("condition") == condition))
        for measure, better in (("goodput", "higher"), ("duration", "lower")):
            wide = (
                mine.filter(pl.col("measure") == measure)
                .with_columns(alternative=pl.format("{} %", "percent"))
                .pivot("file", index=["condition", "alternative", "replicate"], values="value")
            )
            result = harm(wide, response=FILES, solo=_SOLO, better=better)
            found.append(
                result.blocks.select(
                    pl.lit(newcomer).alias("newcomer"),
                    pl.lit(condition).cast(pl.Int64).alias("condition"),
                    pl.col("alternative").str.strip_suffix(" %").cast(pl.Int64).alias("percent"),
                    pl.col("response").alias("file"),
                    pl.lit(measure).alias("measure"),
                    "replicate",
                    pl.col("harm").alias("value"),
                )
            )
    by = ["newcomer", "condition", "percent", "file", "measure"]
    return over_replicates(pl.concat(found), by, null=0.0)


def at(frame: pl.DataFrame, **where: object) -> Mapping[str, float]:
    """The one row of a frame that matches, or NaN for all its numbers."""
    rows = frame.filter([pl.col(name) == value for name, value in where.items()])
    if rows.height != 1:
        return dict.fromkeys(INTERVALS, float("nan"))
    return rows.row(0, named=True)
