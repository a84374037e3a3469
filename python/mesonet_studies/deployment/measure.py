"""Runs of mixes of algorithms, their figures, and charts and tables of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from mesonet.controller import short
from mesonet.figures import percent
from mesonet.page.tables import Column, Table, counts, numbers, percents, words
from mesonet.page.tables import table as table_of
from mesonet.responses import compute
from mesonet.run import Run
from mesonet.studies import Item, Options, RunResults, once, table, value
from mesonet_studies.deployment.bottleneck import FLOWS, bottleneck_items, claimed, face, play
from mesonet_studies.deployment.cohorts import FILES
from mesonet_studies.deployment.game import outlook
from mesonet_studies.deployment.mixes import condition_names, mix_plan, mixes_of, run_name
from mesonet_studies.deployment.newcomer import Newcomer
from mesonet_studies.deployment.outcomes import BINS_PER_OCTAVE, STARVED, Outcomes, outcomes

GROUP = ("algorithm", "path_class", "interface", "file")
SOURCE = ("source", "algorithm", "file")
NETWORK = {
    "loss": "loss_rate",
    "queueing": "y8",
    "queueing_p95": "network_queueing_delay_p95",
    "retransmission": "y6",
    "active": "y1",
}
"""Responses of the whole network that are kept, by our short names."""


def measure_mix(run: Run) -> dict[str, Any]:
    """Numbers of the transfers of a run that were completed after the warm-up.

    `network` has responses by the names of `NETWORK`, and `goodput`, segments of completed files
    per second; `groups` sums by algorithm and flow group, and `bins`, pairs of a bin of goodput
    [segments/s] and its count, where bin b holds 2^(b/8) to 2^((b+1)/8); `sources` the sums of
    goodput and duration [s] by source and file; `users` the sources that completed anything at any
    time, by algorithm.
    """
    transfers = run.transfers.with_columns(goodput=pl.col("size") / pl.col("duration"))
    counted_from = run.measurements.groups_from
    ended = pl.col("start") + pl.col("duration")
    counted = transfers.filter(ended >= counted_from)
    responses = compute(run.measurements, list(NETWORK.values()))
    seconds = run.measurements.duration - counted_from
    network = {name: responses[response] for name, response in NETWORK.items()}
    network["goodput"] = float(counted["size"].sum()) / seconds
    users = transfers.group_by("algorithm", maintain_order=True).agg(
        pl.col("source").unique().sort()
    )
    return {
        "network": network,
        "groups": _groups(counted).to_dict(as_series=False),
        "sources": _sources(counted).to_dict(as_series=False),
        "users": dict(sorted(zip(users["algorithm"], users["source"].to_list(), strict=True))),
    }


def _sums() -> list[pl.Expr]:
    return [
        pl.len().alias("transfers"),
        pl.col("goodput").sum().round_sig_figs(5),
        pl.col("duration").sum().round_sig_figs(5),
    ]


def _groups(counted: pl.DataFrame) -> pl.DataFrame:
    octaves = (pl.col("goodput").log(2) * BINS_PER_OCTAVE).floor().cast(pl.Int64)
    bins = (
        counted.with_columns(bin=octaves)
        .group_by(*GROUP, "bin", maintain_order=True)
        .agg(pl.len().alias("count"))
        .sort(*GROUP, "bin")
        .group_by(*GROUP, maintain_order=True)
        .agg(pl.concat_list("bin", "count").alias("bins"))
    )
    volumes = [pl.col("size").sum(), pl.col("sent").sum()]
    sums = counted.group_by(*GROUP, maintain_order=True).agg(*_sums(), *volumes)
    return sums.join(bins, on=list(GROUP)).sort(*GROUP)


def _sources(counted: pl.DataFrame) -> pl.DataFrame:
    return counted.group_by(*SOURCE, maintain_order=True).agg(*_sums()).sort(*SOURCE)


def runs(options: Options) -> Sequence[Item]:
    """The runs of the national network, measured source by source, and those at one bottleneck."""
    items = [
        Item(
            run_name(run.alternative, run.condition, run.replicate),
            run.scenario,
            measure_mix,
            seed=run.seed,
            cost=run.cost,
        )
        for run in mix_plan(options).runs()
    ]
    return [*items, *bottleneck_items(options)]


@dataclass(frozen=True)
class MixResults:
    """Results of all runs; `game` and `rivals` are frames of `play` and `face`."""

    incumbent: str
    newcomers: Sequence[Newcomer]
    conditions: Mapping[int, str]
    outcomes: Outcomes
    game: pl.DataFrame
    rivals: pl.DataFrame


@value
@once
def mix_results(run: RunResults) -> MixResults:
    """Results of the runs."""
    options, plan = run.options, mix_plan(run.options)
    incumbent, *newcomers = map(short, options.chosen)
    conditions, replicates = condition_names(plan), plan.replicates
    mixes = mixes_of(options)
    results = outcomes(run.results, mixes, conditions=conditions, replicates=replicates)
    switched = [
        Newcomer(name, incumbent, f"-{place}" * (place > 1), results, conditions, replicates)
        for place, name in enumerate(newcomers, start=1)
    ]
    game, rivals = play(run.results, options), face(run.results, options)
    return MixResults(incumbent, switched, conditions, results, game, rivals)


def figures(run: RunResults) -> Mapping[str, float]:
    """Figures of the claims, which are on newcomers beside CUBIC."""
    it = mix_results(run)
    return claimed(it.game, it.rivals) if it.incumbent == "cubic" else {}


def facts(run: RunResults) -> Mapping[str, str]:
    """Facts for the head of the page."""
    it = mix_results(run)
    return {
        "Incumbent": it.incumbent,
        "Newcomers": ", ".join(newcomer.name for newcomer in it.newcomers),
        "Conditions": f"{len(it.conditions)}",
        "Replicates": f"{it.newcomers[0].replicates}",
    }


def settings(options: Options) -> Mapping[str, str]:
    """Settings that follow the options."""
    plan, bottleneck = mix_plan(options), options.values["bottleneck"]
    buffers = ", ".join(map(str, bottleneck["buffers"]))
    replicates = f"{bottleneck['replicates']} replicate{'s' * (bottleneck['replicates'] != 1)}"
    return {
        "Command": f"mesonet study deployment-mix --size {options.size} --algorithms "
        f"{','.join(options.chosen)} --seed {plan.seed} --replicates {plan.replicates}",
        "Shares": f"{', '.join(map(str, options.values['percents']))} % of all sources",
        "One bottleneck": f"{FLOWS} flows, 50 Mbit/s, 40 ms, buffers of {buffers} BDP, "
        f"{replicates}, each with its own order of starts",
    }


@value
def starved_below(run: RunResults) -> str:
    """The limit of starvation."""
    del run
    return percent(STARVED, signed=False)


def newcomer_of(run: RunResults, name: str) -> Newcomer:
    """Results on a newcomer."""
    return next(newcomer for newcomer in mix_results(run).newcomers if newcomer.name == name)


_FILE = pl.col("file").replace_strict(FILES, return_dtype=pl.String)


def shown_cells(it: Newcomer, of: str) -> pl.DataFrame:
    """Cells of a newcomer, with names for people: a frame of `Outcomes`, or parts of its ratios.

    These are `gains` of those who switch, and `sides` of those who stay or have switched.
    """
    sides = {"stayers": it.incumbent, "adopters": it.name}
    if of == "gains":
        frame = it.gains("switchers")
    elif of == "sides":
        frame = it.rows(it.outcomes.ratios).filter(pl.col("who").is_in(list(sides)))
    else:
        frame = it.rows(getattr(it.outcomes, of))
    if of in ("sides", "starved"):
        sides |= {"incumbent": it.incumbent, "newcomer": it.name}
        frame = frame.with_columns(pl.col("who").replace_strict(sides, return_dtype=pl.String))
    return frame.with_columns(_FILE) if "file" in frame.columns else frame


@table
def steps(run: RunResults, newcomer: str) -> Table:
    """Signs of the steps of every condition and kind of file, and where they lead."""
    it, rows = newcomer_of(run, newcomer), []
    columns: dict[str, str] = {}
    for number, condition in it.conditions.items():
        for file, name in FILES.items():
            row = {"condition": condition, "file": name}
            for step in it.steps(number, file):
                before, after = (f"{100 * share:.0f}" for share in (step.before, step.after))
                columns[f"{before}-{after}"] = f"{before} → {after} %"
                sign = "0+−"[step.sign] * (2 if step.certain else 1)
                few = it.few(step.n)
                row[f"{before}-{after}"] = f"{sign} ({percent(step.gain)}{few and f', {few}'})"
            rows.append(row | {"outlook": outlook(it.steps(number, file)).words()})
    ordered = sorted(columns, key=lambda key: int(key.split("-")[0]))
    headings = {"condition": "Condition", "file": "Files"}
    headings |= {key: columns[key] for key in ordered} | {"outlook": "Outlook"}
    frame = pl.DataFrame(rows, schema=dict.fromkeys(headings, pl.String))
    return table_of("switching", frame, [words(*heading) for heading in headings.items()])


def _parts(name: str, heading: str) -> Column:
    """A column of parts of a whole, which have no sign."""
    return Column(name, heading, lambda value: percent(value, signed=False))


_HEADINGS = {
    "percent": (counts, "Share (%)"),
    "before": (counts, "Compared with (%)"),
    "algorithm": (words, "Algorithm"),
    "who": (words, "Sources"),
    "file": (words, "Files"),
    "measure": (words, "Measure"),
}
_OTHERS = {"starved": {"who": (words, "Algorithm")}, "network": {"measure": (words, "Response")}}


_FORMS = {"harm": percents, "starved": _parts}


@table
def cells(run: RunResults, of: str, newcomer: str = "") -> Table | None:
    """A frame of `Outcomes`: means with their intervals over replicates, a row for each cell."""
    it = mix_results(run)
    frame = it.outcomes.together.with_columns(_FILE)
    if newcomer:
        frame = shown_cells(newcomer_of(run, newcomer), of)
        frame = frame if of != "ratios" else frame.filter(pl.col("percent") > 0)
    names = pl.col("condition").replace_strict(it.conditions, return_dtype=pl.String)
    frame = frame.with_columns(names.alias("conditions"))
    headings = _HEADINGS | _OTHERS.get(of, {})
    columns_of_sides = [
        make(key, heading) for key, (make, heading) in headings.items() if key in frame.columns
    ]
    ends = [_FORMS.get(of, numbers)(name, name.capitalize()) for name in ("mean", "lower", "upper")]
    columns = [
        words("conditions", "Condition"),
        *columns_of_sides,
        *ends,
        counts("n", "Replicates"),
    ]
    return table_of(of, frame, columns)


@table
def rivals(run: RunResults) -> Table:
    """Parts of the capacity that a single flow of a newcomer gets."""
    it = mix_results(run)
    shares = it.rivals.group_by("newcomer", "rivals", maintain_order=True).agg(
        pl.col("share").mean().alias("mean"),
        pl.col("share").min().alias("lowest"),
        pl.col("share").max().alias("highest"),
    )
    columns = [
        words("newcomer", "Algorithm"),
        counts("rivals", f"Flows of {it.incumbent}"),
        _parts("mean", "Mean"),
        _parts("lowest", "Lowest"),
        _parts("highest", "Highest"),
    ]
    return table_of("rivals", shares, columns)
