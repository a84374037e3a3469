"""Sentences of the page: what RFC 9743 asks of a newcomer, and what the runs say to it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import polars as pl

from mesonet.figures import percent
from mesonet.studies.deployment.cohorts import FILES
from mesonet.studies.deployment.game import Step, outlook
from mesonet.studies.deployment.outcomes import Outcomes, at

FILE_WORDS = {"web_object": "Web objects", "document": "documents", "service_pack": "service packs"}


def steps_of(ratios: pl.DataFrame, newcomer: str, condition: int, file: str) -> list[Step]:
    """What those who switch gain in goodput, step by step."""
    rows = ratios.filter(
        (pl.col("newcomer") == newcomer)
        & (pl.col("condition") == condition)
        & (pl.col("file") == file)
        & (pl.col("who") == "switchers")
        & (pl.col("measure") == "goodput")
    ).sort("percent")
    return [
        Step(
            row["before"] / 100,
            row["percent"] / 100,
            row["mean"] - 1,
            row["lower"] - 1,
            row["upper"] - 1,
        )
        for row in rows.iter_rows(named=True)
    ]


def summary(
    found: Outcomes, incumbent: str, newcomer: str, conditions: Mapping[int, str]
) -> list[str]:
    """One paragraph for every demand of RFC 9743 that the runs speak to."""
    return [
        _harm(found, incumbent, newcomer, conditions),
        _short_and_long(found, incumbent, newcomer),
        _starvation(found, incumbent, newcomer, conditions),
        _loss_and_delay(found, newcomer, conditions),
        _deployment(found, newcomer, conditions),
        _in_the_end(found, newcomer, conditions),
    ]


def interval(row: Mapping[str, float], *, signed: bool = True) -> str:
    """A part with its interval, in percent."""
    middle = percent(row["mean"], signed=signed)
    if math.isnan(row["lower"]):
        return middle
    ends = " to ".join(percent(row[name], signed=signed) for name in ("lower", "upper"))
    return f"{middle} ({ends})"


def _harm(found: Outcomes, incumbent: str, newcomer: str, conditions: Mapping[int, str]) -> str:
    goodput = found.harm.filter(
        (pl.col("newcomer") == newcomer) & (pl.col("measure") == "goodput") & (pl.col("n") > 0)
    )
    if goodput.is_empty():
        return "Harm to existing traffic (section 5.2.1): no run says anything."
    sure = goodput.filter(pl.col("lower") > 0)
    better = goodput.filter(pl.col("upper") < 0)
    cells = goodput.height
    said = (
        f"Harm to existing traffic (sections 5.2 and 5.2.1). Sources that keep {incumbent} while "
        f"others turn to {newcomer} get less goodput for certain in {sure.height} of {cells} cells "
        f"of condition, share and kind of file, and more in {better.height}."
    )
    if sure.height:
        worst = sure.sort("mean", descending=True).row(0, named=True)
        said += (
            f" Of those, the most harm is {interval(worst)}, to {FILE_WORDS[worst['file']]} at a "
            f"share of {worst['percent']} % ({conditions[worst['condition']]})."
        )
    return said + " The RFC sets no bar: how much is too much is for the community to say."


def _short_and_long(found: Outcomes, incumbent: str, newcomer: str) -> str:
    mine = found.harm.filter(
        (pl.col("newcomer") == newcomer) & (pl.col("measure") == "duration") & (pl.col("n") > 0)
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
        f"that keep {incumbent}, mean over conditions and shares: {', '.join(parts) or 'unknown'}."
    )


def _starvation(
    found: Outcomes, incumbent: str, newcomer: str, conditions: Mapping[int, str]
) -> str:
    mine = found.starved.filter(pl.col("newcomer") == newcomer)
    worst = mine.filter((pl.col("who") == "incumbent") & (pl.col("percent") > 0)).sort(
        "mean", descending=True
    )
    if worst.is_empty():
        return "Starvation (section 5.2): no run says anything."
    row = worst.row(0, named=True)
    here = {"newcomer": newcomer, "condition": row["condition"]}
    before = at(found.starved, percent=0, who="incumbent", **here)
    after = at(found.starved, percent=100, who="newcomer", **here)
    return (
        f"Starvation (section 5.2). At most {interval(row, signed=False)} of the transfers of "
        f"sources that keep {incumbent} get less than a tenth of the usual goodput of their kind "
        f"({conditions[row['condition']]}, share {row['percent']} %); without {newcomer} it is "
        f"{interval(before, signed=False)}, and where all use {newcomer}, "
        f"{interval(after, signed=False)}. Transfers that never complete are not counted."
    )


def _loss_and_delay(found: Outcomes, newcomer: str, conditions: Mapping[int, str]) -> str:
    parts = []
    for number, words in conditions.items():
        here = {"newcomer": newcomer, "condition": number}
        loss = [at(found.network, percent=p, measure="loss", **here)["mean"] for p in (0, 100)]
        delay = [at(found.network, percent=p, measure="queueing", **here)["mean"] for p in (0, 100)]
        parts.append(
            f"{words}: losses {' → '.join(percent(part, signed=False) for part in loss)}, mean "
            f"queueing delay {' → '.join(f'{1000 * part:.3g}' for part in delay)} ms"
        )
    return (
        f"Losses and queues (sections 5.1.2 and 5.1.3), from the world without {newcomer} to the "
        f"world with nothing else: {'; '.join(parts)}."
    )


def _deployment(found: Outcomes, newcomer: str, conditions: Mapping[int, str]) -> str:
    cells: dict[str, list[str]] = {}
    for number, condition in conditions.items():
        for file in FILES:
            expected = outlook(steps_of(found.ratios, newcomer, number, file))
            if expected.certain:
                cells.setdefault(expected.words(), []).append(_cell(file, condition))
    listed = [f"{words[0].upper()}{words[1:]}: {', '.join(of)}." for words, of in cells.items()]
    return (
        "Incremental deployment (section 5.3.2), by the goodput of those who switch. "
        f"{' '.join(listed) or 'Nothing is certain under any condition.'}"
    )


def _cell(file: str, condition: str) -> str:
    return f"{FILE_WORDS[file]} ({condition})"


def _in_the_end(found: Outcomes, newcomer: str, conditions: Mapping[int, str]) -> str:
    better, worse, vain = [], [], []
    for number, condition in conditions.items():
        for file in FILES:
            row = at(
                found.ratios,
                newcomer=newcomer,
                condition=number,
                percent=100,
                who="adopters",
                file=file,
                measure="goodput",
            )
            what = f"{FILE_WORDS[file]} {percent(row['mean'] - 1)} ({condition})"
            if row["lower"] > 1:
                better.append(what)
                continue
            if row["upper"] < 1:
                worse.append(what)
            if outlook(steps_of(found.ratios, newcomer, number, file)).universal:
                vain.append(_cell(file, condition))
    said = (
        "When all have switched (section 5.1). Over the world before, goodput is certainly higher "
        f"for {', '.join(better) or 'nothing'}, and certainly lower for "
        f"{', '.join(worse) or 'nothing'}."
    )
    if vain:
        said += (
            f" For {', '.join(vain)} the last to switch still gained by it, and yet nothing "
            "certain is left of it now that all have: each step takes from others what it gives."
        )
    return said
