"""Claims as data: `claims.toml`, with loops, claims of other files, and shared explanations."""

from __future__ import annotations

import contextlib
import csv
import itertools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field

from mesonet.errors import Problem, did_you_mean, unread
from mesonet.studies.entries import (
    StudyError,
    Table,
    filled_at,
    fits,
    read_entry,
    read_lists,
    unknown_ids,
)
from mesonet.studies.rules import read_rule
from mesonet.studies.scorecard import Claim, Standing


class ClaimTable(Table):
    """A claim as it is written: a statement, the published value, its place, and a rule."""

    id: str
    text: str
    published: str
    source: str
    rule: dict[str, Any]
    fitted: bool = False
    explanation: str = ""


class ExplanationTable(Table):
    """An explanation of several claims."""

    claims: tuple[str, ...] = Field(min_length=1)
    explanation: str = Field(alias="text")


class StandingTable(Table):
    """Weight of the verdicts on several claims, and the reason."""

    claims: tuple[str, ...] = Field(min_length=1)
    standing: Standing = Field(alias="is")
    reason: str


class PrintedTable(Table):
    """Values of a CSV file beside the claims, by figures that columns in braces name.

    Rows have the entries `where` and a number in the column `value`; figures that fit a pattern of
    `without` are left out.
    """

    file: str
    figure: str
    value: str
    where: dict[str, str | int | float] = Field(default_factory=dict)
    without: tuple[str, ...] = ()


def read_claims(path: Path, values: Mapping[str, Any]) -> list[Claim]:
    """The claims of a file, those of the files that it includes first.

    Names in braces stand for constants of the study.
    """
    groups: list[tuple[str, ExplanationTable | StandingTable]] = []

    def group(model: type[ExplanationTable | StandingTable], table: Any, loc: str) -> list[Claim]:
        content = filled_at(table, values, path, loc) | {"claims": table.get("claims")}
        groups.append((loc, read_entry(model, content, path, loc)))
        return []

    claims: list[Claim] = read_lists(
        path,
        {
            "claim": lambda table, loc: _claims(table, values, path, loc),
            "explanation": lambda table, loc: group(ExplanationTable, table, loc),
            "standing": lambda table, loc: group(StandingTable, table, loc),
        },
        lambda file: read_claims(file, values),
    )
    ids = [claim.id for claim in claims]
    problems = [
        problem
        for loc, concerned in groups
        for problem in unknown_ids(concerned.claims, ids, f"{path}: {loc}.claims")
    ]
    if problems:
        raise StudyError(problems)
    for _, concerned in groups:
        more = concerned.model_dump(exclude={"claims"})
        claims = [
            replace(claim, **more) if fits(claim.id, concerned.claims) else claim
            for claim in claims
        ]
    return claims


def unknown_figures(claims: Iterable[Claim], figures: Collection[str]) -> list[Problem]:
    """Claims that name a figure which is none of these."""
    return [
        Problem(claim.place, "unknown_figure", f'no figure "{name}"{did_you_mean(name, figures)}')
        for claim in claims
        for name in claim.rule.needs
        if name not in figures
    ]


def _claims(
    table: Mapping[str, Any], values: Mapping[str, Any], path: Path, loc: str
) -> list[Claim]:
    """The claims of an entry: one, or one for each pass of its loop."""
    entry = {name: value for name, value in table.items() if name != "foreach"}
    claims = []
    for case in _cases(table["foreach"], values, path, loc) if "foreach" in table else [{}]:
        content = filled_at(entry, {**values, **case}, path, loc)
        written = read_entry(ClaimTable, content, path, loc)
        rule = dict(written.rule)
        if "file" in rule.get("printed", ()):
            rule["printed"] = _printed(rule["printed"], path, f"{loc}.rule.printed")
        place = f'{path}: {loc} ("{written.id}")'
        about = dict(written) | {"rule": read_rule(rule, path, f"{loc}.rule"), "place": place}
        claims.append(Claim(**about))
    return claims


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
    """Values by figure of the table that an entry `printed` names."""
    printed = read_entry(PrintedTable, table, path, loc)
    rows = _rows(path.parent / printed.file)
    if unknown := {printed.value, *printed.where} - set(rows[0] if rows else ()):
        message = f"{printed.file} has no column {', '.join(sorted(unknown))}"
        raise StudyError([Problem(f"{path}: {loc}", "unknown_column", message)])
    by_figure = {
        str(filled_at(printed.figure, row, path, loc)): row[printed.value]
        for row in rows
        if row[printed.value] != "" and printed.where.items() <= row.items()
    }
    return {name: value for name, value in by_figure.items() if not fits(name, printed.without)}


def _rows(path: Path) -> list[dict[str, Any]]:
    """Rows of a CSV file by column; a cell is a whole number, a number or text."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, restval=""))
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError([unread(path, error)]) from None
    if any(None in row for row in rows):
        raise StudyError([Problem(str(path), "cells", "a row has more cells than the first")])
    return [{name: _value(cell) for name, cell in row.items()} for row in rows]


def _value(text: str) -> Any:
    for number in (int, float):
        with contextlib.suppress(ValueError):
            return number(text)
    return text.strip()
