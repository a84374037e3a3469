"""Claims as data: `claims.toml`, with loops, claims of other files, and shared explanations."""

from __future__ import annotations

import contextlib
import csv
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from mesonet.errors import Problem, did_you_mean, gathered
from mesonet.scenario.toml import read_toml
from mesonet.studies.entries import (
    StudyError,
    Table,
    duplicates,
    filled_at,
    fits,
    included,
    lists,
    read_entry,
    unknown_ids,
)
from mesonet.studies.rules import read_rule
from mesonet.studies.scorecard import Claim, Standing

_LISTS = ("include", "claim", "explanation", "standing")


class ClaimTable(Table):
    """A claim as it is written: a statement, the published value, its place, and a rule."""

    model_config = ConfigDict(title="claim")

    id: str
    text: str
    published: str
    source: str
    rule: dict[str, Any]
    fitted: bool = False
    explanation: str = ""


class ExplanationTable(Table):
    """An explanation of several claims."""

    model_config = ConfigDict(title="explanation")

    claims: tuple[str, ...] = Field(min_length=1)
    explanation: str = Field(alias="text")


class StandingTable(Table):
    """Weight of the verdicts on several claims, and the reason."""

    model_config = ConfigDict(title="standing")

    claims: tuple[str, ...] = Field(min_length=1)
    standing: Standing = Field(alias="is")
    reason: str


class PrintedTable(Table):
    """Values of a printed table by the figures that they belong to.

    Attributes:
        file: CSV file beside the claims.
        figure: Name of the figure; names in braces are columns of the file.
        value: Column of the values; rows that leave it empty are left out.
        where: Rows that are taken: their entries by column; all by default.
        without: Patterns of figures that are left out.
    """

    model_config = ConfigDict(title="printed")

    file: str
    figure: str
    value: str
    where: dict[str, str | int | float] = Field(default_factory=dict)
    without: tuple[str, ...] = ()


def read_claims(path: Path, values: Mapping[str, Any], above: tuple[Path, ...] = ()) -> list[Claim]:
    """The claims of a file, those of the files that it includes first.

    Args:
        path: the file.
        values: constants of the study, which names in braces stand for.
        above: files that include this one.
    """
    problems: list[Problem] = []
    claims: list[Claim] = []
    groups: list[tuple[str, ExplanationTable | StandingTable]] = []
    from_file = read_toml(path, StudyError)
    for name, loc, table in lists(from_file, _LISTS, path, problems):
        with gathered(problems):
            if name == "include":
                claims += included(
                    table, path, loc, above, lambda file: read_claims(file, values, (*above, path))
                )
            elif name == "claim":
                claims += _claims(table, values, path, loc)
            else:
                model: type[ExplanationTable | StandingTable] = (
                    ExplanationTable if name == "explanation" else StandingTable
                )
                patterns = {"claims": table.get("claims")}
                content = filled_at(table, values, path, loc) | patterns
                groups.append((loc, read_entry(model, content, path, loc)))
    problems += duplicates((each.id for each in claims), path)
    ids = [each.id for each in claims]
    seen = set[str]()
    if not problems:
        for loc, group in groups:
            problems += unknown_ids(group.claims, ids, f"{path}: {loc}.claims")
            concerned = (each for each in ids if fits(each, group.claims))
            problems += duplicates(
                (f"{i} ({loc.partition('[')[0]})" for i in concerned), path, seen
            )
            more = group.model_dump(exclude={"claims"})
            claims = [
                replace(each, **more) if fits(each.id, group.claims) else each for each in claims
            ]
    if problems:
        raise StudyError(problems)
    return claims


def unknown_figures(claims: Iterable[Claim], figures: Collection[str]) -> list[Problem]:
    """Claims that name a figure which is none of these."""
    return [
        Problem(each.place, "unknown_figure", f'no figure "{name}"{did_you_mean(name, figures)}')
        for each in claims
        for name in each.rule.needs
        if name not in figures
    ]


def _claims(
    table: Mapping[str, Any], values: Mapping[str, Any], path: Path, loc: str
) -> Iterator[Claim]:
    """The claims of an entry: one, or one for each pass of its loop."""
    entry = {name: value for name, value in table.items() if name != "foreach"}
    cases = _cases(table["foreach"], values, path, loc) if "foreach" in table else [{}]
    for case in cases:
        content = filled_at(entry, {**values, **case}, path, loc)
        claim = read_entry(ClaimTable, content, path, loc)
        rule = claim.rule
        if "file" in rule.get("printed", ()):
            rule = rule | {"printed": _printed(rule["printed"], path, f"{loc}.rule.printed")}
        made = read_rule(rule, path, f"{loc}.rule")
        yield Claim(**{**dict(claim), "rule": made, "place": f'{path}: {loc} ("{claim.id}")'})


def _cases(
    foreach: Any, values: Mapping[str, Any], path: Path, loc: str
) -> Iterable[dict[str, Any]]:
    """The names of every pass of a loop: a product of lists, or the rows of a CSV file."""
    foreach = filled_at(foreach, values, path, f"{loc}.foreach")
    if isinstance(foreach, Mapping) and isinstance(foreach.get("file"), str):
        return _rows(path.parent / foreach["file"])
    if not isinstance(foreach, Mapping) or not all(isinstance(v, list) for v in foreach.values()):
        message = 'expected lists by name, or { file = "rows.csv" }'
        raise StudyError([Problem(f"{path}: {loc}.foreach", "foreach", message)])
    passes = itertools.product(*foreach.values())
    return [dict(zip(foreach, case, strict=True)) for case in passes]


def _printed(table: Mapping[str, Any], path: Path, loc: str) -> dict[str, Any]:
    """Values by figure of the table that an entry `printed` asks for."""
    asked = read_entry(PrintedTable, table, path, loc)
    rows = _rows(path.parent / asked.file)
    if unknown := {asked.value, *asked.where} - set(rows[0] if rows else ()):
        message = f"{asked.file} has no column {', '.join(sorted(unknown))}"
        raise StudyError([Problem(f"{path}: {loc}", "unknown_column", message)])
    taken = [
        row
        for row in rows
        if row[asked.value] != "" and all(row[name] == value for name, value in asked.where.items())
    ]
    by_figure = {str(filled_at(asked.figure, row, path, loc)): row[asked.value] for row in taken}
    if len(by_figure) < len(taken):
        message = f'{asked.file} has several rows for one figure "{asked.figure}"'
        raise StudyError([Problem(f"{path}: {loc}", "duplicate", message)])
    return {name: value for name, value in by_figure.items() if not fits(name, asked.without)}


def _rows(path: Path) -> list[dict[str, Any]]:
    """Rows of a CSV file by column; a cell is a whole number, a number or text."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, restval=""))
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError([Problem(str(path), "missing_file", f"cannot be read: {error}")]) from None
    if any(None in row for row in rows):
        raise StudyError([Problem(str(path), "cells", "a row has more cells than the first")])
    return [{name: _value(cell) for name, cell in row.items()} for row in rows]


def _value(text: str) -> Any:
    for number in (int, float):
        with contextlib.suppress(ValueError):
            return number(text)
    return text.strip()
