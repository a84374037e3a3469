"""Published claims on CUBIC and BBR side by side, and the figures that decide them.

All of it speaks of long-lived flows at one bottleneck, so the runs there decide; the national
network has no published counterpart.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import polars as pl

from mesonet.studies.deployment.bottleneck import DEEP, FLOWS
from mesonet.studies.deployment.game import Step, crossing
from mesonet.studies.rules import between, ordered, same_sign
from mesonet.studies.scorecard import Claim

_MIXED = (
    "A. Mishra, W. H. Tiu, B. Leong, Are we heading towards a BBR-dominant Internet?, "
    "IMC 2022, abstract"
)
_BLOG = (
    "A. Mishra et al., Conjecture: Existence of Nash Equilibria in Modern Internet Congestion "
    "Control, APNet 2021; key points of its summary at blog.apnic.net, 24 August 2021"
)
_WARE = (
    "R. Ware, M. K. Mukerjee, S. Seshan, J. Sherry, Modeling BBR's Interactions with Loss-Based "
    "Congestion Control, IMC 2019; findings of its summary at blog.apnic.net, 24 January 2020"
)
_RFC = "RFC 9743, section 5.1.3"

MIDDLE = 3
"""Buffer of the claims on mixes [bandwidth-delay products], between shallow and deep."""
NEEDS = ("cubic", "bbr1", "bbr3")
"""Algorithms that the claims are about; without them they cannot be computed."""

CLAIMS = (
    Claim(
        "advantage-diminishes",
        "The throughput advantage of BBR flows over CUBIC flows shrinks as more flows use BBR",
        "diminished as the proportion of BBR flows increases",
        _MIXED,
        ordered("bbr1.advantage.1", "bbr1.advantage.5", "bbr1.advantage.9"),
    ),
    Claim(
        "mixed-equilibrium",
        "Flows that switch for throughput come to rest in a mix of CUBIC and BBR",
        "a stable mixed distribution",
        _MIXED,
        between(f"bbr1.equilibrium.{MIDDLE}", 0.05, 0.95),
    ),
    Claim(
        "equilibrium-follows-buffer",
        "Where the mix comes to rest depends mainly on the size of the buffer",
        "mainly on the bottleneck buffer size",
        _BLOG,
        between("bbr1.equilibrium.spread", low=0.1),
    ),
    Claim(
        "switching-can-lose",
        "There are mixes in which a flow that switches to BBR gets less than before",
        "does not always translate into better performance",
        _BLOG,
        same_sign("bbr1.worst_gain", -1),
    ),
    Claim(
        "share-of-one",
        "What a single BBR flow gets does not depend on how many CUBIC flows it meets",
        "does not depend on the number",
        _WARE,
        # Between 1 and 15 rivals the fair share falls by a factor of 8.
        between("bbr1.one.spread", high=2.0),
    ),
    Claim(
        "bbr1-loses-in-shallow-buffers",
        "Several flows of the first BBR cause sustained losses where the buffer holds less than "
        "about 1.5 bandwidth-delay products",
        "a sustained rate of packet loss",
        _RFC,
        # Losses with a buffer of 1 less the larger of those with 3 and 10.
        same_sign("bbr1.shallow_loss", 1),
    ),
    Claim(
        "later-bbr-repairs-it",
        "Later versions of BBR repair this",
        "further versions provided a fix",
        _RFC,
        # Losses of version 1 less those of version 3, both with a buffer of 1.
        same_sign("bbr3.repaired_loss", 1),
    ),
)


def figures(game: pl.DataFrame, rivals: pl.DataFrame) -> dict[str, float]:
    """The figures of the claims, as far as the runs were made.

    Args:
        game: Frame of `bottleneck.play`; equilibria are in shares of flows.
        rivals: Frame of `bottleneck.face`.

    Returns:
        Of BBR version 1 against CUBIC, by name: advantages (newcomers less incumbents, in fair
        shares) by number of flows, equilibria by buffer and their spread, the gain of the step in
        which switching costs most (in fair shares), the largest share of a single flow over the
        smallest; losses by version and buffer, and what the claims take from them.
    """
    found: dict[str, float] = {}
    for count in (1, FLOWS // 2, FLOWS - 1):
        row = _means(game, "bbr1", MIDDLE).filter(pl.col("count") == count)
        if row.height:
            advantage = row["newcomer_goodput"][0] - row["incumbent_goodput"][0]
            found[f"bbr1.advantage.{count}"] = advantage
    gains = []
    for buffer in game.filter(pl.col("newcomer") == "bbr1")["buffer"].unique().sort():
        steps = game_steps(game, "bbr1", int(buffer))
        found[f"bbr1.equilibrium.{buffer}"] = crossing(steps)
        gains += [step.gain for step in steps]
    rest = [value for name, value in found.items() if name.startswith("bbr1.equilibrium.")]
    if rest and not any(math.isnan(value) for value in rest):
        found["bbr1.equilibrium.spread"] = max(rest) - min(rest)
        found["bbr1.worst_gain"] = min(gains)
    alone = rivals.filter(pl.col("newcomer") == "bbr1")
    shares = alone.group_by("rivals").agg(pl.col("share").mean())["share"].to_list()
    if len(shares) > 1:
        found["bbr1.one.spread"] = max(shares) / min(shares)
    for version in ("bbr1", "bbr3"):
        whole = game.filter((pl.col("newcomer") == version) & (pl.col("count") == FLOWS))
        for buffer, loss in whole.group_by("buffer").agg(pl.col("loss").mean()).iter_rows():
            found[f"{version}.loss.{buffer}"] = loss
    deep = [f"bbr1.loss.{buffer}" for buffer in (MIDDLE, DEEP)]
    if all(name in found for name in ("bbr1.loss.1", *deep)):
        found["bbr1.shallow_loss"] = found["bbr1.loss.1"] - max(found[name] for name in deep)
    if "bbr1.loss.1" in found and "bbr3.loss.1" in found:
        found["bbr3.repaired_loss"] = found["bbr1.loss.1"] - found["bbr3.loss.1"]
    return found


def _means(game: pl.DataFrame, newcomer: str, buffer: int) -> pl.DataFrame:
    mine = game.filter((pl.col("newcomer") == newcomer) & (pl.col("buffer") == buffer))
    goodputs = ("incumbent_goodput", "newcomer_goodput")
    return mine.group_by("count").agg(pl.col(goodputs).mean()).sort("count")


def game_steps(game: pl.DataFrame, newcomer: str, buffer: int) -> Sequence[Step]:
    """Gain of a flow that switches while the others stay [fair shares].

    Means over replicates; shares of the newcomer are of flows.
    """
    rows = _means(game, newcomer, buffer).rows(named=True)
    return [
        Step(
            one["count"] / FLOWS,
            other["count"] / FLOWS,
            other["newcomer_goodput"] - one["incumbent_goodput"],
        )
        for one, other in itertools.pairwise(rows)
    ]
