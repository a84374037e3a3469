"""Mixes of algorithms in the setting of the publications: long-lived flows at one bottleneck."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from mesonet.controller import short
from mesonet.responses import compute
from mesonet.run import Run
from mesonet.scenario.flows import Flow
from mesonet.scenario.keywords import dumbbell
from mesonet.studies import Item, Options
from mesonet.studies.study import Results
from mesonet_studies.deployment.game import Step, crossing

if TYPE_CHECKING:
    from mesonet.scenario import Scenario

FLOWS = 10
RIVALS = (1, 3, 7, 15)
"""Incumbents that a single flow of a newcomer meets."""
DEEP = 10
"""Buffer in which it meets them [bandwidth-delay products]."""
MIDDLE = 3
"""Buffer of the claims on mixes [bandwidth-delay products], between shallow and deep."""


def bottleneck(
    incumbents: tuple[str, int],
    newcomers: tuple[str, int],
    *,
    buffer: int,
    duration: str,
    replicate: int,
) -> Scenario:
    """Long-lived flows at 50 Mbit/s and 40 ms, so many of either algorithm.

    The buffer is in bandwidth-delay products; the replicate decides the order of starts within 3 s.
    """
    names = [name for name, count in (incumbents, newcomers) for _ in range(count)]
    # 7 has no factor in common with the numbers of flows in use, so starts differ and are mixed.
    starts = [(7 * place + 3 * (replicate - 1)) % len(names) for place in range(len(names))]
    return dumbbell(
        rate="50 Mbit/s",
        rtt="40 ms",
        buffer=f"{buffer} bdp",
        flows=[
            Flow(algorithm=name, start=f"{round(3000 * start / len(names))} ms")
            for name, start in zip(names, starts, strict=True)
        ],
        profile="linux-6.18",
        duration=duration,
        # In a deep buffer it takes a minute until flows of BBR have all seen it empty.
        warm_up=0.5,
    )


def measure_bottleneck(run: Run) -> dict[str, Any]:
    """Goodput per flow by algorithm and capacity [segments/s], loss, and median delay [s]."""
    window = run.measurements.windows[0]
    flows = window.flows.group_by("flow", maintain_order=True).agg(
        pl.col("acked").cast(pl.Float64).sum()
    )
    algorithms = run.measurements.flow_algorithms
    names = pl.col("flow").replace_strict(algorithms, return_dtype=pl.String)
    means = (
        flows.with_columns(algorithm=names)
        .group_by("algorithm", maintain_order=True)
        .agg(pl.col("acked").mean() / window.seconds)
        .sort("algorithm")
    )
    measures = compute(run.measurements, ["loss_rate", "bottleneck_delay_p50"])
    return {
        "goodput": dict(means.iter_rows()),
        "capacity": run.measurements.bottleneck,
        "loss": measures["loss_rate"],
        "queueing": measures["bottleneck_delay_p50"],
    }


def rivalling(options: Options) -> list[str]:
    """The newcomers, and, unless other algorithms are asked for, what publications speak of."""
    published = ["bbr1"] if options.algorithms is None else []
    return [*options.chosen[1:], *published]


class Mixture(NamedTuple):
    """A run of flows of the incumbent and of a newcomer, `old` and `new` of them."""

    name: str
    newcomer: str
    old: int
    new: int
    buffer: int
    replicate: int


def games(options: Options) -> list[Mixture]:
    """Every division of `FLOWS` among the incumbent and a newcomer, in every buffer."""
    extent = options.values["bottleneck"]
    replicates = range(1, extent["replicates"] + 1)
    every = itertools.product(rivalling(options), extent["buffers"], range(FLOWS + 1), replicates)
    return [
        Mixture(
            f"{newcomer} {count} of {FLOWS}, {buffer} bdp, replicate {replicate}",
            newcomer,
            FLOWS - count,
            count,
            buffer,
            replicate,
        )
        for newcomer, buffer, count, replicate in every
    ]


def meetings(options: Options) -> list[Mixture]:
    """A single flow of a newcomer among rivals, in a deep buffer."""
    replicates = range(1, options.values["bottleneck"]["replicates"] + 1)
    return [
        Mixture(f"{newcomer} against {rivals}, replicate {at}", newcomer, rivals, 1, DEEP, at)
        for newcomer, rivals, at in itertools.product(rivalling(options), RIVALS, replicates)
    ]


def bottleneck_items(options: Options) -> list[Item]:
    """All runs at the bottleneck."""
    items = []
    for run in [*games(options), *meetings(options)]:
        scenario = bottleneck(
            (options.chosen[0], run.old),
            (run.newcomer, run.new),
            buffer=run.buffer,
            duration=options.values["bottleneck"]["duration"],
            replicate=run.replicate,
        )
        packets = (scenario.bottleneck() or 1.0) * scenario.duration
        items.append(Item(run.name, scenario, measure_bottleneck, seed=run.replicate, cost=packets))
    return items


GAME_SCHEMA = {
    "newcomer": pl.String,
    **dict.fromkeys(("buffer", "count", "replicate"), pl.Int64),
    **dict.fromkeys(("incumbent_goodput", "newcomer_goodput", "loss", "queueing"), pl.Float64),
}


def play(results: Results, options: Options) -> pl.DataFrame:
    """Goodput of flows, loss and queueing in every mix of incumbents and newcomers.

    A row has `newcomer`, `buffer` [bandwidth-delay products], `count`, `replicate`, goodputs per
    flow over the fair share (NaN without flows), `loss` and `queueing` [s].
    """
    rows = []
    for run in games(options):
        if outcome := results.get(run.name):
            fair = outcome["capacity"] / FLOWS
            goodputs = (
                outcome["goodput"].get(short(who)) for who in (options.chosen[0], run.newcomer)
            )
            shares = (math.nan if it is None else it / fair for it in goodputs)
            cell = (short(run.newcomer), run.buffer, run.new, run.replicate)
            rows.append((*cell, *shares, outcome["loss"], outcome["queueing"]))
    return pl.DataFrame(rows, schema=GAME_SCHEMA, orient="row")


def face(results: Results, options: Options) -> pl.DataFrame:
    """Parts of the capacity that single flows of newcomers get among incumbents, `share`."""
    rows = [
        (
            short(run.newcomer),
            run.old,
            run.replicate,
            outcome["goodput"][short(run.newcomer)] / outcome["capacity"],
        )
        for run in meetings(options)
        if (outcome := results.get(run.name))
    ]
    schema = {"newcomer": pl.String, "rivals": pl.Int64, "replicate": pl.Int64, "share": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def claimed(game: pl.DataFrame, rivals: pl.DataFrame) -> Mapping[str, float]:
    """The figures of the claims on BBR version 1 and CUBIC, as far as the runs were made.

    Advantages are newcomers less incumbents and gains those of a step, in fair shares; equilibria
    are in shares of flows. `game` is the frame of `play`, `rivals` that of `face`.
    """
    means = _means(game, "bbr1", MIDDLE).filter(pl.col("count").is_in([1, FLOWS // 2, FLOWS - 1]))
    advantages = means.select("count", pl.col("newcomer_goodput") - pl.col("incumbent_goodput"))
    numbers = {f"bbr1.advantage.{count}": value for count, value in advantages.iter_rows()}
    buffers = game.filter(newcomer="bbr1")["buffer"].unique().sort()
    steps = {buffer: game_steps(game, "bbr1", buffer) for buffer in buffers}
    rest = {f"bbr1.equilibrium.{buffer}": crossing(costs) for buffer, costs in steps.items()}
    complete = bool(rest) and not any(math.isnan(value) for value in rest.values())
    gains = [step.gain for path in steps.values() for step in path]
    numbers |= rest
    numbers["bbr1.equilibrium.spread"] = (
        max(rest.values()) - min(rest.values()) if complete else math.nan
    )
    numbers["bbr1.worst_gain"] = min(gains) if complete else math.nan
    alone = rivals.filter(newcomer="bbr1").group_by("rivals", maintain_order=True)
    shares = alone.agg(pl.col("share").mean())["share"].to_list()
    numbers["bbr1.one.spread"] = max(shares) / min(shares) if len(shares) > 1 else math.nan
    whole = game.filter(count=FLOWS).group_by("newcomer", "buffer", maintain_order=True)
    losses = {(who, size): loss for who, size, loss in whole.agg(pl.col("loss").mean()).iter_rows()}
    shallow, *deep = (losses.get(("bbr1", size), math.nan) for size in (1, MIDDLE, DEEP))
    numbers |= {f"{who}.loss.{size}": loss for (who, size), loss in losses.items()}
    numbers["bbr1.shallow_loss"] = shallow - max(deep, key=lambda loss: (math.isnan(loss), loss))
    numbers["bbr3.repaired_loss"] = shallow - losses.get(("bbr3", 1), math.nan)
    return numbers


def _means(game: pl.DataFrame, newcomer: str, buffer: int) -> pl.DataFrame:
    rows = game.filter(newcomer=newcomer, buffer=buffer)
    goodputs = ("incumbent_goodput", "newcomer_goodput")
    return rows.group_by("count", maintain_order=True).agg(pl.col(goodputs).mean()).sort("count")


def game_steps(game: pl.DataFrame, newcomer: str, buffer: int) -> Sequence[Step]:
    """Gain of a flow that switches while the others stay [fair shares], means over replicates."""
    return [
        Step(
            step["count"] / FLOWS,
            following["count"] / FLOWS,
            following["newcomer_goodput"] - step["incumbent_goodput"],
        )
        for step, following in itertools.pairwise(_means(game, newcomer, buffer).to_dicts())
    ]
