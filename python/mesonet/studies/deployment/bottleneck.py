"""Mixes of algorithms in the setting of the publications: long-lived flows at one bottleneck."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from mesonet.responses import compute
from mesonet.run import Run
from mesonet.scenario.dumbbell import Flow
from mesonet.scenario.keywords import dumbbell
from mesonet.studies import Item, Options
from mesonet.studies.bench import Results
from mesonet.studies.deployment.game import Step, crossing

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
    """Long-lived flows at 50 Mbit/s and 40 ms.

    Args:
        incumbents: Algorithm and number of flows.
        newcomers: Algorithm and number of flows.
        buffer: Bandwidth-delay products.
        duration: Simulated time.
        replicate: Seed of the order in which flows start, within three seconds.
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
    """Numbers of a run, after its warm-up.

    Returns:
        `goodput`: means per flow by algorithm [segments/s]. `capacity` [segments/s]. `loss`.
        `queueing`: median delay at the bottleneck [s].
    """
    window = run.measurements.windows[0]
    acked = window.flows.group_by("flow", maintain_order=True).agg(
        pl.col("acked").cast(pl.Float64).sum()
    )
    algorithms = run.measurements.flow_algorithms
    named = acked.with_columns(
        pl.col("flow").replace_strict(algorithms, return_dtype=pl.String).alias("algorithm")
    )
    means = (
        named.group_by("algorithm", maintain_order=True)
        .agg(pl.col("acked").mean() / window.seconds)
        .sort("algorithm")
    )
    found = compute(run.measurements, ["loss_rate", "bottleneck_delay_p50"])
    return {
        "goodput": dict(means.iter_rows()),
        "capacity": run.measurements.bottleneck,
        "loss": found["loss_rate"],
        "queueing": found["bottleneck_delay_p50"],
    }


def rivalling(options: Options) -> list[str]:
    """The newcomers, and, unless other algorithms are asked for, what publications speak of."""
    published = ["bbr1"] if options.algorithms is None else []
    return [*options.chosen[1:], *published]


def _games(options: Options) -> Iterator[tuple[str, int, int, int, str]]:
    """Newcomer, replicate, buffer, flows of it among `FLOWS`, and name of the run."""
    extent = options.values["bottleneck"]
    replicates = range(1, extent["replicates"] + 1)
    every = itertools.product(rivalling(options), extent["buffers"], range(FLOWS + 1), replicates)
    for newcomer, buffer, count, replicate in every:
        name = f"{newcomer} {count} of {FLOWS}, {buffer} bdp, replicate {replicate}"
        yield newcomer, replicate, buffer, count, name


def _meetings(options: Options) -> Iterator[tuple[str, int, int, str]]:
    """Newcomer, replicate, number of rivals of its only flow, and name of the run."""
    replicates = range(1, options.values["bottleneck"]["replicates"] + 1)
    for newcomer, rivals, replicate in itertools.product(rivalling(options), RIVALS, replicates):
        yield newcomer, replicate, rivals, f"{newcomer} against {rivals}, replicate {replicate}"


def bottleneck_items(options: Options) -> list[Item]:
    """All runs at the bottleneck."""
    duration = options.values["bottleneck"]["duration"]
    runs = [
        (name, newcomer, (FLOWS - count, count), buffer, replicate)
        for newcomer, replicate, buffer, count, name in _games(options)
    ] + [
        (name, newcomer, (rivals, 1), DEEP, replicate)
        for newcomer, replicate, rivals, name in _meetings(options)
    ]
    items = []
    for name, newcomer, (old, new), buffer, replicate in runs:
        scenario = bottleneck(
            (options.chosen[0], old),
            (newcomer, new),
            buffer=buffer,
            duration=duration,
            replicate=replicate,
        )
        packets = (scenario.bottleneck() or 1.0) * scenario.duration
        items.append(Item(name, scenario, measure_bottleneck, seed=replicate, cost=packets))
    return items


GAME_SCHEMA = {
    "newcomer": pl.String,
    "buffer": pl.Int64,
    "count": pl.Int64,
    "replicate": pl.Int64,
    **dict.fromkeys(("incumbent_goodput", "newcomer_goodput", "loss", "queueing"), pl.Float64),
}


def play(results: Results, options: Options) -> pl.DataFrame:
    """Goodput of flows, loss and queueing in every mix of incumbents and newcomers.

    Returns:
        One row per newcomer, buffer, count and replicate that was run: `newcomer`, `buffer`
        [bandwidth-delay products], `count`, `replicate`, `incumbent_goodput` and
        `newcomer_goodput` (means per flow over the fair share; NaN without flows), `loss`,
        `queueing` [s].
    """
    rows = []
    for newcomer, replicate, buffer, count, name in _games(options):
        if name in results:
            run = results[name]
            fair = run["capacity"] / FLOWS
            goodputs = (run["goodput"].get(who, math.nan) for who in (options.chosen[0], newcomer))
            shares = (goodput / fair for goodput in goodputs)
            rows.append((newcomer, buffer, count, replicate, *shares, run["loss"], run["queueing"]))
    return pl.DataFrame(rows, schema=GAME_SCHEMA, orient="row")


def face(results: Results, options: Options) -> pl.DataFrame:
    """Goodput of single flows of newcomers among incumbents.

    Returns:
        One row per newcomer, number of rivals and replicate that was run: `newcomer`, `rivals`,
        `replicate`, `share` (part of the capacity).
    """
    rows = [
        (
            newcomer,
            rivals,
            replicate,
            results[name]["goodput"][newcomer] / results[name]["capacity"],
        )
        for newcomer, replicate, rivals, name in _meetings(options)
        if name in results
    ]
    schema = {"newcomer": pl.String, "rivals": pl.Int64, "replicate": pl.Int64, "share": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def claimed(game: pl.DataFrame, rivals: pl.DataFrame) -> Mapping[str, float]:
    """The figures of the claims on BBR and CUBIC, as far as the runs were made.

    Args:
        game: Frame of `play`; equilibria are in shares of flows.
        rivals: Frame of `face`.

    Returns:
        Of BBR version 1 against CUBIC, by name: advantages (newcomers less incumbents, in fair
        shares) by number of flows, equilibria by buffer and their spread, the gain of the step in
        which switching costs most (in fair shares), the largest share of a single flow over the
        smallest; losses by version and buffer, and what the claims take from them.
    """
    found: dict[str, float] = {}
    means = _means(game, "bbr1", MIDDLE)
    for row in means.filter(pl.col("count").is_in([1, FLOWS // 2, FLOWS - 1])).to_dicts():
        advantage = row["newcomer_goodput"] - row["incumbent_goodput"]
        found[f"bbr1.advantage.{row['count']}"] = advantage
    buffers = game.filter(pl.col("newcomer") == "bbr1")["buffer"].unique().sort()
    steps = {buffer: game_steps(game, "bbr1", buffer) for buffer in buffers}
    rest = {f"bbr1.equilibrium.{buffer}": crossing(each) for buffer, each in steps.items()}
    known = bool(rest) and not any(math.isnan(value) for value in rest.values())
    gains = [step.gain for each in steps.values() for step in each]
    spread = max(rest.values()) - min(rest.values()) if known else math.nan
    found |= rest | {"bbr1.equilibrium.spread": spread}
    found["bbr1.worst_gain"] = min(gains) if known else math.nan
    alone = rivals.filter(pl.col("newcomer") == "bbr1")
    shares = (
        alone.group_by("rivals", maintain_order=True).agg(pl.col("share").mean())["share"].to_list()
    )
    found["bbr1.one.spread"] = max(shares) / min(shares) if len(shares) > 1 else math.nan
    whole = game.filter(pl.col("count") == FLOWS).group_by(
        "newcomer", "buffer", maintain_order=True
    )
    losses = {(who, size): loss for who, size, loss in whole.agg(pl.col("loss").mean()).rows()}
    shallow, *deep = (losses.get(("bbr1", size), math.nan) for size in (1, MIDDLE, DEEP))
    found |= {f"{who}.loss.{size}": loss for (who, size), loss in losses.items()}
    found["bbr1.shallow_loss"] = shallow - max(deep, key=lambda loss: (math.isnan(loss), loss))
    found["bbr3.repaired_loss"] = shallow - losses.get(("bbr3", 1), math.nan)
    return found


def _means(game: pl.DataFrame, newcomer: str, buffer: int) -> pl.DataFrame:
    mine = game.filter((pl.col("newcomer") == newcomer) & (pl.col("buffer") == buffer))
    goodputs = ("incumbent_goodput", "newcomer_goodput")
    return mine.group_by("count", maintain_order=True).agg(pl.col(goodputs).mean()).sort("count")


def game_steps(game: pl.DataFrame, newcomer: str, buffer: int) -> Sequence[Step]:
    """Gain of a flow that switches while the others stay [fair shares].

    Means over replicates; shares of the newcomer are of flows.
    """
    return [
        Step(
            one["count"] / FLOWS,
            other["count"] / FLOWS,
            other["newcomer_goodput"] - one["incumbent_goodput"],
        )
        for one, other in itertools.pairwise(_means(game, newcomer, buffer).to_dicts())
    ]
