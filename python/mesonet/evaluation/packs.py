"""Conformance packs: statements of a specification, each tested by a short simulation.

A pack is one file in `data/packs`: runs, and statements with the rules of a study's claims, whose
figure is a query on the tables of a run. A verdict is on a statement as it is tested, never on a
specification.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, cast

import polars as pl
from pydantic import Field

from mesonet.controller import Controller, discipline_for, name_of, name_problems, short
from mesonet.errors import ControllerError, InputError, unknown
from mesonet.evaluation.result import PackResult, StatementResult, StatementVerdict
from mesonet.run import Run
from mesonet.scenario.keywords import dumbbell
from mesonet.scenario.toml import read_toml
from mesonet.simulation import simulate
from mesonet.studies.entries import StudyError, Table, filled_at, read_entry
from mesonet.studies.rules import Figures, read_rule
from mesonet.studies.scorecard import Claim, judge

FOLDER = Path(__file__).resolve().parents[1] / "data" / "packs"
FLOW = "flow"
"""Name of the candidate's flow in every run."""


class RunTable(Table):
    """A run: keywords of a dumbbell with `candidate` as an algorithm, and values for queries."""

    scenario: dict[str, Any]
    values: dict[str, float] = Field(default_factory=dict)


class StatementTable(Table):
    """A statement: its words and place, the run and the query of its figure, and the rule.

    The query gives one number, the figure of the rule. Names in braces are values of the run.
    """

    id: str
    text: str
    published: str
    source: str
    run: str = ""
    query: str = ""
    rule: dict[str, Any]
    remark: str = ""


class Pack(Table):
    """A pack; `tables` are queries that others build on, in order."""

    title: str
    source: str
    scope: str
    tables: dict[str, str] = Field(default_factory=dict)
    runs: dict[str, RunTable]
    statements: tuple[StatementTable, ...]


def pack_names() -> list[str]:
    """Names of the packs that come with mesonet."""
    return sorted(file.stem for file in FOLDER.glob("*.toml"))


def check_names(names: Iterable[str], place: str = "packs") -> tuple[str, ...]:
    """The names once each, all of packs that there are."""
    different = tuple(dict.fromkeys(names))
    unknown_names = (unknown(place, "unknown_pack", it, pack_names()) for it in different)
    if problems := list(chain(*unknown_names)):
        raise InputError(problems)
    return different


@cache
def read_pack(name: str) -> Pack:
    """Reads a pack."""
    file = FOLDER / f"{name}.toml"
    return read_entry(Pack, read_toml(file, StudyError), file)


def check_pack(
    candidate: str | type[Controller],
    pack: str,
    *,
    seed: int = 1,
    parameters: Mapping[str, float] | None = None,
) -> PackResult:
    """Tests the statements of a pack on an algorithm.

    A run that the algorithm breaks leaves its statements unmeasured, with the error.
    """
    (name,), algorithm = check_names([pack], "pack"), name_of(candidate)
    own = {short(algorithm): parameters} if parameters else {}
    if problems := list(name_problems({algorithm: ["candidate"]}, own)):
        raise InputError(problems)
    content, file = read_pack(name), FOLDER / f"{name}.toml"
    figures, errors = dict[str, float](), dict[str, str]()
    for key, entry in content.runs.items():
        statements = [each for each in content.statements if each.run == key]
        words = " ".join(each.query for each in statements)
        recorded = any(word in words for word in ("sender", "packets", *content.tables))
        try:
            scenario = {**entry.scenario, "parameters": own}
            run = _simulated(scenario, algorithm, seed, recorded=recorded)
        except (ControllerError, InputError) as error:
            errors[key] = str(error).partition("\n")[0]
            figures |= dict.fromkeys((each.id for each in statements), float("nan"))
            continue
        values = entry.values
        tables = _tables(run, content.tables if recorded else {}, values, file)
        for each in statements:
            figures[each.id] = _number(tables, filled_at(each.query, values, file, each.id))
    results = [
        _result(each, figures, errors.get(each.run, ""), file, f"statements[{at}].rule")
        for at, each in enumerate(content.statements)
    ]
    return PackResult(
        name=name,
        **content.model_dump(include={"title", "source", "scope"}),
        statements=tuple(results),
    )


def _simulated(scenario: Mapping[str, Any], algorithm: str, seed: int, *, recorded: bool) -> Run:
    text = json.dumps(scenario).replace('"candidate"', json.dumps(algorithm))
    options = {"queue": discipline_for(algorithm), "record_packets": recorded}
    return simulate(dumbbell(**options | json.loads(text)), seed=seed, partial=False)


def _tables(
    run: Run, queries: Mapping[str, str], values: Mapping[str, float], file: Path
) -> pl.SQLContext[Any]:
    """Tables that queries see: those of the run, `sender`, and the pack's own.

    `sender` is the candidate's sender event by event: also its state `before`, its pacing rate
    [segments/s], and how long the state `lasts` [s].
    """
    frames = {name: frame for name, frame in run.tables.items() if frame.width}
    if "senders" in frames:
        pacing = pl.when(pl.col("pacing_interval") > 0).then(1 / pl.col("pacing_interval"))
        before = [pl.col(name).shift().alias(f"{name}_before") for name in ("cwnd", "recovery")]
        sender = frames["senders"].filter(flow=FLOW).with_columns(pacing=pacing)
        frames["sender"] = sender.with_columns(
            *before,
            pl.col("pacing").shift().alias("pacing_before"),
            lasts=pl.col("time").shift(-1) - pl.col("time"),
        )
    context = pl.SQLContext(frames)
    for name, query in queries.items():
        frame = context.execute(filled_at(query, values, file, f"tables.{name}"), eager=True)
        context.register(name, frame)
    return context


def _number(tables: pl.SQLContext[Any], query: str) -> float:
    answer = tables.execute(query, eager=True)
    value = answer.item() if answer.height else None
    return float("nan") if value is None else float(value)


def _result(
    statement: StatementTable, figures: Figures, error: str, file: Path, loc: str
) -> StatementResult:
    figure = {"figure": statement.id} if statement.query else {}
    rule = read_rule({**figure, **statement.rule}, file, loc)
    about = statement.model_dump(include={"id", "text", "source", "published"})
    entry = judge(Claim(**about, rule=rule), figures)
    decided = entry.verdict in ("agrees", "disagrees")
    other: StatementVerdict = "not measured" if statement.query else "not testable here"
    return StatementResult(
        **about,
        expected=rule.words if statement.query else "",
        measured=entry.measured if decided else "",
        verdict=cast("StatementVerdict", entry.verdict) if decided else other,
        remark=error or statement.remark if statement.query else rule.words,
    )
