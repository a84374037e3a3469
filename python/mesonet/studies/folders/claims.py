"""Claims as data: `claims.toml`, with loops, claims of other files, and shared explanations."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ConfigDict

from mesonet.errors import Problem, dotted, gathered, show
from mesonet.studies.folders.entries import (
    Table,
    entries,
    filled_at,
    included,
    read_entry,
    twice,
)
from mesonet.studies.folders.groups import GROUPS, grouped
from mesonet.studies.folders.printed import read_printed, read_rows
from mesonet.studies.folders.rules import read_rule
from mesonet.studies.folders.sources import Key, Source, StudyError, plain
from mesonet.studies.folders.stock import close
from mesonet.studies.rules import Rule
from mesonet.studies.scorecard import Claim


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


def read_claims(
    path: Path, values: Mapping[str, Any], *, problems: list[Problem] | None = None
) -> list[Claim]:
    """The claims of a file, with those of the files that it includes, in their order.

    Args:
        path: the file.
        values: constants of the study, which names in braces stand for.
        problems: takes all problems, with file and line; the claims that have none are returned.

    Raises:
        StudyError: the same, if they are not taken.
    """
    reader = _Reader(values)
    found = reader.read(path, ())
    if problems is None and reader.problems:
        raise StudyError(dict.fromkeys(reader.problems))
    if problems is not None:
        problems += dict.fromkeys(reader.problems)
    return found


def unknown_figures(claims: Iterable[Claim], figures: Collection[str]) -> list[Problem]:
    """Claims that name a figure which is none of these, with file and line."""
    return [
        Problem(
            each.place,
            "unknown_figure",
            f'claim "{each.id}": no figure "{name}"{close(name, figures)}',
        )
        for each in claims
        for name in each.rule.needs
        if name not in figures
    ]


class _PlacedId(NamedTuple):
    """The id of a claim, and file and line of its rule."""

    id: str
    place: str


@dataclass(frozen=True)
class _Reader:
    """Reads files of claims; `problems` takes what is wrong with them."""

    values: Mapping[str, Any]
    problems: list[Problem] = field(default_factory=list)

    def read(self, path: Path, above: tuple[Path, ...]) -> list[Claim]:
        """The claims of a file that can be read."""
        problems: list[Problem] = []
        found: list[Claim] = []
        above = (*above, path)
        with gathered(problems):
            source = Source.read(path)
            blocks = entries(source, ("include", "claim", "claims", *GROUPS), problems)
            ids: list[_PlacedId] = []
            for key, table in blocks:
                with gathered(problems):
                    if key[0] == "include":
                        taken = included(
                            source, key, table, above, lambda file: self.read(file, above)
                        )
                        found += taken
                        ids += [_PlacedId(each.id, each.place) for each in taken]
                    elif key[0] not in GROUPS:
                        found += _block(source, key, table, self.values, ids)
            problems += twice("claim", ids)
            if not problems and not self.problems:
                # Otherwise the explanation of an unreadable claim would seem to have none.
                groups = [(key, table) for key, table in blocks if key[0] in GROUPS]
                found = grouped(source, groups, found, self.values, problems)
        self.problems.extend(problems)
        return found


def _block(
    source: Source,
    key: tuple[str, int],
    table: Mapping[str, Any],
    values: Mapping[str, Any],
    ids: list[_PlacedId],
) -> list[Claim]:
    """The claims of an entry; `ids` takes theirs, also of those that cannot be read.

    Raises:
        StudyError: every problem, with file and line.
    """
    cases: Sequence[Mapping[str, Any]] = ({},)
    if key[0] == "claims":
        cases = _cases(source, key, table.get("foreach"), values)
        table = {name: value for name, value in table.items() if name != "foreach"}
    problems: list[Problem] = []
    made: list[Claim] = []
    for case in cases:
        names, left = {**values, **case}, set[str]()
        content = plain(_filled(source, key, table, names, problems, left, under=len(key)))
        if isinstance(content.get("id"), str):
            ids.append(_PlacedId(content["id"], source.place(*key, "rule")))
        if claim := _claim(source, key, content, problems, left):
            made.append(claim)
    if problems:
        raise StudyError(problems)
    return made


def _filled(
    source: Source,
    key: tuple[Key, ...],
    table: Mapping[str, Any],
    names: Mapping[str, Any],
    problems: list[Problem],
    left: set[str],
    *,
    under: int,
) -> dict[str, Any]:
    """A table with names replaced, without what cannot be filled; of a rule, entry by entry.

    `left` takes the paths of entries that cannot be filled.
    """
    content: dict[str, Any] = {}
    for name, value in table.items():
        where = (*key, name)
        if name == "rule" and isinstance(value, Mapping):
            content[name] = _filled(source, where, value, names, problems, left, under=under)
            continue
        left.add(dotted(where[under:]))
        with gathered(problems):
            content |= filled_at(source, where, {name: value}, names, under=under)
            left.remove(dotted(where[under:]))
    return content


def _claim(
    source: Source,
    key: tuple[Key, ...],
    content: Mapping[str, Any],
    problems: list[Problem],
    left: set[str],
) -> Claim | None:
    """The claim of an entry, or None and everything that is wrong with it."""
    said: list[Problem] = []
    made = rule = None
    with gathered(said):
        made = read_entry(ClaimTable, source, content, *key)
    # What could not be filled is not there, but not missing.
    problems += [each for each in said if each.message.partition(":")[0] not in left]
    if isinstance(given := content.get("rule"), dict):
        rule = _rule(source, (*key, "rule"), given, problems, left)
    if made is None or rule is None:
        return None
    return Claim(**{**dict(made), "rule": rule, "place": source.place(*key, "rule")})


def _rule(
    source: Source,
    key: tuple[Key, ...],
    table: Mapping[str, Any],
    problems: list[Problem],
    left: set[str],
) -> Rule | None:
    """The rule of a claim, or None and everything that is wrong with it."""
    whole = not any(path.startswith("rule.") for path in left)
    printed = table.get("printed")
    if isinstance(printed, dict) and "file" in printed:
        table = {name: value for name, value in table.items() if name != "printed"}
        before = len(problems)
        with gathered(problems):
            table["printed"] = read_printed(source, (*key, "printed"), printed)
        whole = whole and len(problems) == before
    try:
        return read_rule(table)
    except StudyError as error:
        # Without an entry that could not be read, more may seem to be missing than is.
        said = StudyError(each for each in error.problems if whole or each.kind != "missing")
        problems += source.placed(said, *key).problems
        return None


def _cases(
    source: Source, key: tuple[Key, ...], foreach: object, values: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The names of every pass of a loop: a product of lists, or the rows of a CSV file."""
    where = (*key, "foreach")
    foreach = filled_at(source, where, foreach, values)
    if not isinstance(foreach, dict) or not foreach:
        what = "missing" if foreach is None else f"got {show(foreach)}"
        message = f'{what}; expected lists by name, or {{ file = "rows.csv" }}'
        raise StudyError([source.problem(where, "foreach", message)])
    if isinstance(foreach.get("file"), str):
        if len(foreach) > 1:
            message = "expected nothing beside the file"
            raise StudyError([source.problem(where, "foreach", message)])
        return read_rows(source, where, source.path.parent / foreach["file"])
    problems = [
        source.problem((*where, name), "foreach", f"expected a list, got {show(values)}")
        for name, values in foreach.items()
        if not isinstance(values, list) or not values
    ]
    if problems:
        raise StudyError(problems)
    return [dict(zip(foreach, case, strict=True)) for case in itertools.product(*foreach.values())]
