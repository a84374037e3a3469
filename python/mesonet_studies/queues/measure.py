"""Plans and figures of the study `queues`: algorithms by queue disciplines."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from mesonet.analysis import harm
from mesonet.controller import built_in, discipline_for
from mesonet.plan import Plan, load_plan, plan_from_dict
from mesonet.studies import Options, RunResults, table, value

HERE = Path(__file__).parent
INCUMBENT = "cubic"
VERSUS = " versus CUBIC"
"""End of the label of an algorithm that is a second flow, beside one of CUBIC."""
_TABLE = pl.read_csv(HERE / "responses.csv")
RESPONSES = {name: (words, factor, better) for name, words, factor, better, _ in _TABLE.iter_rows()}
"""Responses of the matrix: words, factor, and better end."""
ALONE = _TABLE.filter(flows="one")["response"].to_list()
"""Responses that are shown of the algorithm alone; the others are of two flows."""


def plans(options: Options) -> Mapping[str, Plan]:
    """The designed plan with the algorithms and paths of the size, and the two of settings."""
    plans_by_name = {"matrix": _matrix(options)}
    for name in ("sources", "linux"):
        plans_by_name[name] = load_plan(HERE / f"plan-{name}.toml")
    if options.seed is None:
        return plans_by_name
    return {name: replace(plan, seed=options.seed) for name, plan in plans_by_name.items()}


def _matrix(options: Options) -> Plan:
    table = load_plan(HERE / "plan-matrix.toml").to_dict()
    names = [name for name in options.chosen if name != INCUMBENT]
    if options.algorithms is None:
        # No discipline here speaks to XCP or VCP.
        names = [name for name in names if discipline_for(name) == "droptail"]
    table["alternatives"] = _alternatives([INCUMBENT, *names])
    table["replicates"] = options.replicates or options.values["replicates"]
    if options.values["paths"] == "all":
        table["design"] = {"kind": "full_factorial"}
        table["factors"]["queue"]["levels"] += options.values["more"]
    return plan_from_dict(table, folder=HERE)


def _alternatives(names: Sequence[str]) -> list[dict[str, Any]]:
    """Every algorithm alone, and every one beside CUBIC."""
    company = {"name": "other", "start": "1 s"}
    beside = [{"algorithm": INCUMBENT, "name": "incumbent"}]
    return [{"label": label(name), "set": {"flows": [name]}} for name in names] + [
        {"label": label(name) + VERSUS, "set": {"flows": [*beside, {"algorithm": name, **company}]}}
        for name in names
    ]


def label(name: str) -> str:
    """Name of an algorithm for people; its own name where it is not built in."""
    return next((info.display for info in built_in() if info.name == name), name)


def figures(run: RunResults) -> Mapping[str, float]:
    """Figures of the settings of publications that claims need beside means of responses."""
    numbers: dict[str, float] = {}
    for name, measured in (("linux", _linux), ("sources", _sources)):
        if name in run.campaigns:
            seeds = run.campaigns[name].results().group_by("alternative", maintain_order=True)
            numbers |= measured(seeds.agg(pl.col(pl.Float64).mean()))
    return numbers


def _linux(frame: pl.DataFrame) -> dict[str, float]:
    numbers = {}
    for row in frame.to_dicts():
        name = row["alternative"].lower().replace(", ", "-").removesuffix(" mbit/s")
        name = name.replace(" ", "-")
        # The measured queue does not count the packet in service.
        numbers[f"linux.waiting.{name}"] = row["mean_queue"] - row["utilization"]
        numbers[f"linux.utilization.{name}"] = row["utilization"]
        numbers[f"linux.jain.{name}"] = row["jain_index"]
    return numbers


def _sources(frame: pl.DataFrame) -> dict[str, float]:
    rows = {row["alternative"]: row for row in frame.to_dicts()}

    def of(setting: str, response: str) -> float:
        return float(rows[setting][response]) if setting in rows else math.nan

    numbers = {
        name: of(setting, response) * factor / (of(over, response) if over else 1.0)
        for name, setting, response, factor, over in pl.read_csv(HERE / "sources.csv").iter_rows()
    }
    for flows in (5, 20, 50):
        setting = f"PIE, {flows} reno flows"
        waiting = of(setting, "mean_queue") - of(setting, "utilization")
        numbers[f"pie.{flows}.delay"] = waiting * _PACKET / 10e6 * 1e3
    for name, title in (("droptail", "drop-tail"), ("fq_codel", "FQ-CoDel")):
        rates = [
            of(f"{title}, LEDBAT versus CUBIC", f"flow_goodput:{flow}")
            for flow in ("ledbat", "cubic")
        ]
        numbers[f"ledbat.{name}.share"] = rates[0] / sum(rates)
    for name, setting in (("one", "one dctcp flow"), ("two", "two dctcp flows")):
        marked = of(f"FQ-CoDel, {setting}, 1 ms", "mark_rate")
        sent = of(f"FQ-CoDel, {setting}, 1 ms", "utilization") * 100e6 / _PACKET
        numbers[f"ns3.{name}.marks"] = marked * sent * 0.1
    return numbers


_PACKET = 1514 * 8
"""A full packet on the link [bit]."""


def cells(run: RunResults) -> pl.DataFrame:
    """Means over paths: one row per discipline, algorithm and response of the matrix.

    Columns: `queue`, `algorithm`, `response` and `value` in the units of `RESPONSES`.
    """
    frame = run.campaigns["matrix"].results()
    measured = [name for name in RESPONSES if name not in ("harm", "excess")]
    means = frame.group_by("queue_level", "alternative", maintain_order=True).agg(
        pl.col(measured).drop_nans().mean()
    )
    numbers = {
        (level, who, name): number
        for level, who, *numbers in means.iter_rows()
        for name, number in zip(measured, numbers, strict=True)
    }
    names = dict.fromkeys(who.removesuffix(VERSUS) for _, who, _ in numbers)
    rows = []
    for level in means["queue_level"].unique(maintain_order=True):
        harms = _harms(frame.filter(queue_level=level))
        for name, response in itertools.product(names, RESPONSES):
            who = name if response in ALONE else name + VERSUS
            number = numbers.get((level, who, response), harms.get((name, response)))
            value = math.nan if number is None else number * RESPONSES[response][1]
            rows.append((run.options.values["names"].get(level, level), name, response, value))
    return pl.DataFrame(rows, schema=["queue", "algorithm", "response", "value"], orient="row")


def _harms(frame: pl.DataFrame) -> dict[tuple[str, str], float]:
    """Harm to a flow of CUBIC by algorithm under one discipline, and its excess over CUBIC's own.

    What CUBIC gets alone is compared with what it gets in company, path by path.
    """
    solo = label(INCUMBENT)
    if not {solo, solo + VERSUS} <= set(frame["alternative"]):
        return {}
    company = frame.filter(
        pl.col("alternative").str.ends_with(VERSUS) | (pl.col("alternative") == solo)
    )
    table = harm(company, response=f"flow_goodput:{INCUMBENT}", solo=solo, own=solo + VERSUS).frame
    result = {}
    for row in table.to_dicts():
        name = row["alternative"].removesuffix(VERSUS)
        result[name, "harm"] = row["harm"]
        result[name, "excess"] = 0.0 if name == solo else row["excess"]
    return result


def shaded(run: RunResults) -> pl.DataFrame:
    """Cells with a shade from 0, the worst of a response, to 1, the best, by ranks."""
    better = {name: side for name, (_, _, side) in RESPONSES.items()}
    signed = pl.when(pl.col("better") == "lower").then(-pl.col("value")).otherwise(pl.col("value"))
    rank = signed.rank("average").over("response") - 1
    rivals = pl.col("value").count().over("response") - 1
    return (
        cells(run)
        .with_columns(pl.col("value").fill_nan(None))
        .with_columns(better=pl.col("response").replace_strict(better))
        .with_columns(shade=pl.when(rivals > 0).then(rank / rivals).otherwise(0.5))
        .with_columns(
            shade=pl.when(pl.col("better") == "neither").then(0.5).otherwise(pl.col("shade"))
        )
    )


@table
def numbers(run: RunResults) -> Any:
    """Every response of every cell of the matrix."""
    from mesonet.page.tables import numbers as number_column
    from mesonet.page.tables import table as laid_out
    from mesonet.page.tables import words

    frame = cells(run).pivot(on="response", index=["queue", "algorithm"], values="value")
    columns = [words("queue", "discipline"), words("algorithm", "algorithm")]
    columns += [number_column(name, heading) for name, (heading, *_) in RESPONSES.items()]
    return laid_out("queues-matrix", frame, columns)


@value
def counted(run: RunResults) -> dict[str, int]:
    """Numbers of algorithms and of disciplines."""
    return {
        "algorithms": cells(run)["algorithm"].n_unique(),
        "queues": cells(run)["queue"].n_unique(),
    }
