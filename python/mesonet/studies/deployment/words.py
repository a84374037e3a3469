"""Sentences of the page: demands of RFC 9743 on a newcomer, and the results on them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from mesonet.figures import percent
from mesonet.studies.deployment.certainty import Family
from mesonet.studies.deployment.cohorts import FILES
from mesonet.studies.deployment.game import Step, outlook
from mesonet.studies.deployment.outcomes import Outcomes, at

FILE_WORDS = {"web_object": "Web objects", "document": "documents", "service_pack": "service packs"}
ADJUSTED = "p adjusted by Holm for all of them below 0.05"
"""Definition of "certain"."""


@dataclass(frozen=True)
class Deployment:
    """Deployment of one newcomer, as far as the sentences need it.

    Attributes:
        found: Outcomes of the runs.
        incumbent: Name of its algorithm.
        newcomer: Name of its algorithm.
        conditions: Description of each condition in words, by number.
        replicates: Planned replicates of every run; sentences say where there are fewer.
    """

    found: Outcomes
    incumbent: str
    newcomer: str
    conditions: Mapping[int, str]
    replicates: int

    def gains(self, who: str) -> pl.DataFrame:
        """Goodput of some sources over what they got before, less 1."""
        return self.found.ratios.filter(
            (pl.col("newcomer") == self.newcomer)
            & (pl.col("who") == who)
            & (pl.col("measure") == "goodput")
        ).with_columns(pl.col("mean", "lower", "upper") - 1)

    def switching(self) -> Family:
        """Gains of those who switch: all steps, conditions and kinds of file."""
        return Family(self.gains("switchers"))

    def steps(self, condition: int, file: str) -> list[Step]:
        """Steps of the gain in goodput of those who switch; p for all steps of `switching`."""
        rows = self.switching().frame.filter(
            (pl.col("condition") == condition) & (pl.col("file") == file)
        )
        return [
            Step(
                row["before"] / 100,
                row["percent"] / 100,
                row["mean"],
                row["lower"],
                row["upper"],
                row["p_holm"],
                row["n"],
            )
            for row in rows.sort("percent").iter_rows(named=True)
        ]

    def few(self, n: float) -> str:
        """The number of replicates if it is smaller than planned, else nothing."""
        return f"from n = {n:.0f} replicate{'s' * (n != 1)}" if n < self.replicates else ""

    def interval(self, row: Mapping[str, float], *, signed: bool = True) -> str:
        """A part with its interval, in percent, and its replicates if they are few."""
        said = [] if math.isnan(row["lower"]) else [_ends(row, signed=signed)]
        said += [few] if (few := self.few(row["n"])) else []
        middle = percent(row["mean"], signed=signed)
        return f"{middle} ({', '.join(said)})" if said else middle

    def thin(self, family: Family) -> str:
        """A sentence on the cells of a family with too few replicates, or nothing."""
        few = family.thinner_than(self.replicates)
        if not few:
            return ""
        verb = "rests" if few == 1 else "rest"
        return (
            f" {few} of the {family.size} cells {verb} on fewer than {self.replicates} replicates."
        )


def summary(deployment: Deployment) -> list[str]:
    """One paragraph for every demand of RFC 9743 that the runs speak to."""
    return [
        _harm(deployment),
        _short_and_long(deployment),
        _starvation(deployment),
        _loss_and_delay(deployment),
        _deployment(deployment),
        _in_the_end(deployment),
    ]


def _ends(row: Mapping[str, float], *, signed: bool) -> str:
    return " to ".join(percent(row[name], signed=signed) for name in ("lower", "upper"))


def _harm(it: Deployment) -> str:
    cells = Family(
        it.found.harm.filter((pl.col("newcomer") == it.newcomer) & (pl.col("measure") == "goodput"))
    )
    if not cells.size:
        return "Harm to existing traffic (section 5.2.1): no run says anything."
    harmed, helped = cells.above(), cells.below()
    sure = cells.above(certain=True)
    said = (
        f"Harm to existing traffic (sections 5.2 and 5.2.1). Sources that keep {it.incumbent} "
        f"while others turn to {it.newcomer} get less goodput for certain in {sure.height} "
        f"of {cells.size} cells of condition, share and kind of file, and more in "
        f"{cells.below(certain=True).height} ({ADJUSTED}). The 95 % interval excludes "
        f"zero in {harmed.height} for less and in {helped.height} for more; chance alone would "
        f"give about {cells.chance:.2g} each.{it.thin(cells)}"
    )
    if harmed.height:
        among = sure if sure.height else harmed
        worst = among.sort("mean", descending=True).row(0, named=True)
        said += (
            f" The most harm {'that is certain' if sure.height else 'whose interval excludes zero'}"
            f" is {it.interval(worst)}, to "
            f"{FILE_WORDS[worst['file']]} at a share of {worst['percent']} % "
            f"({it.conditions[worst['condition']]})."
        )
    return said + " The RFC sets no bar: how much is too much is for the community to say."


def _short_and_long(it: Deployment) -> str:
    mine = it.found.harm.filter(
        (pl.col("newcomer") == it.newcomer) & (pl.col("measure") == "duration")
    )
    parts = []
    for file in FILES:
        values = mine.filter(pl.col("file") == file)["mean"].drop_nans()
        if len(values):
            parts.append(
                f"{FILE_WORDS[file]} {percent(float(values.mean()))} "  # type: ignore[arg-type]
                f"(from {percent(float(values.min()))} to {percent(float(values.max()))})"  # type: ignore[arg-type]
            )
    return (
        f"Short and long flows (sections 5.1.5 and 5.2.3). Harm to the completion times of sources "
        f"that keep {it.incumbent}, mean over conditions and shares: "
        f"{', '.join(parts) or 'unknown'}.{it.thin(Family(mine))}"
    )


def _starvation(it: Deployment) -> str:
    mine = it.found.starved.filter(pl.col("newcomer") == it.newcomer)
    worst = mine.filter((pl.col("who") == "incumbent") & (pl.col("percent") > 0)).sort(
        "mean", descending=True
    )
    if worst.is_empty():
        return "Starvation (section 5.2): no run says anything."
    row = worst.row(0, named=True)
    here = {"newcomer": it.newcomer, "condition": row["condition"]}
    before = at(it.found.starved, percent=0, who="incumbent", **here)
    after = at(it.found.starved, percent=100, who="newcomer", **here)
    return (
        f"Starvation (section 5.2). At most {it.interval(row, signed=False)} of the transfers of "
        f"sources that keep {it.incumbent} get less than a tenth of the usual goodput of their "
        f"kind ({it.conditions[row['condition']]}, share {row['percent']} %); without "
        f"{it.newcomer} it is {it.interval(before, signed=False)}, and where all use "
        f"{it.newcomer}, {it.interval(after, signed=False)}. Transfers that never complete are not "
        "counted."
    )


def _loss_and_delay(it: Deployment) -> str:
    parts = []
    for number, words in it.conditions.items():
        here = {"newcomer": it.newcomer, "condition": number}
        loss, delay = (
            [at(it.found.network, percent=p, measure=measure, **here) for p in (0, 100)]
            for measure in ("loss", "queueing")
        )
        few = it.few(min(row["n"] for row in (*loss, *delay)))
        losses = " → ".join(percent(row["mean"], signed=False) for row in loss)
        delays = " → ".join(f"{1000 * row['mean']:.3g}" for row in delay)
        parts.append(
            f"{words}: losses {losses}, mean queueing delay {delays} ms{few and f' ({few})'}"
        )
    return (
        f"Losses and queues (sections 5.1.2 and 5.1.3), from the network without {it.newcomer} to "
        f"the network with nothing else: {'; '.join(parts)}."
    )


def _deployment(it: Deployment) -> str:
    steps = it.switching()
    signs = steps.above().height + steps.below().height
    certain, told = (_outlooks(it, certain=only) for only in (True, False))
    said = (
        "Incremental deployment (section 5.3.2), by the goodput of those who switch. Certain of "
        f"{steps.size} steps ({ADJUSTED}): {certain or 'nothing.'} The 95 % intervals of {signs} "
        f"exclude zero; chance alone would give about {2 * steps.chance:.2g}.{it.thin(steps)}"
    )
    return said if told in ("", certain) else f"{said} By the signs of intervals: {told}"


def _outlooks(it: Deployment, *, certain: bool) -> str:
    """Outlooks of deployment, with the conditions and files that each applies to."""
    cells: dict[str, list[str]] = {}
    for number, condition in it.conditions.items():
        for file in FILES:
            expected = outlook(it.steps(number, file), certain=certain)
            if expected.told:
                cells.setdefault(expected.words(), []).append(_cell(file, condition))
    return " ".join(
        f"{words[0].upper()}{words[1:]}: {', '.join(of)}." for words, of in cells.items()
    )


def _cell(file: str, condition: str) -> str:
    return f"{FILE_WORDS[file]} ({condition})"


def _in_the_end(it: Deployment) -> str:
    cells = Family(it.gains("adopters").filter(pl.col("percent") == 100))
    better, worse = cells.above(), cells.below()
    said = (
        "When all have switched (section 5.1). Compared with the network before, goodput is "
        f"certainly higher for {_listed(it, cells.above(certain=True))}, and certainly lower for "
        f"{_listed(it, cells.below(certain=True))} (of {cells.size} cells of condition and kind of "
        f"file; {ADJUSTED}). By 95 % intervals it is higher for {_listed(it, better)}, and lower "
        f"for {_listed(it, worse)}; chance alone would give about {cells.chance:.2g} each."
        f"{it.thin(cells)}"
    )
    gained = set(better.select("condition", "file").iter_rows())
    vain = [
        _cell(file, condition)
        for number, condition in it.conditions.items()
        for file in FILES
        if (number, file) not in gained and outlook(it.steps(number, file)).universal
    ]
    if vain:
        said += (
            f" For {', '.join(vain)} the last to switch still gained by it, as far as intervals "
            "tell, and yet none tells of anything that is left of it now that all have: each step "
            "takes from others what it gives."
        )
    return said


def _listed(it: Deployment, cells: pl.DataFrame) -> str:
    """Effects with the cells that they were found in."""
    found = {
        (row["condition"], row["file"]): f"{FILE_WORDS[row['file']]} {percent(row['mean'])} "
        f"({it.conditions[row['condition']]}{(few := it.few(row['n'])) and f', {few}'})"
        for row in cells.iter_rows(named=True)
    }
    order = [(number, file) for number in it.conditions for file in FILES]
    return ", ".join(found[cell] for cell in order if cell in found) or "nothing"
