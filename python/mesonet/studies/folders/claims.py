"""Claims as data: `claims.toml`, with loops, claims of other files, and shared explanations."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from mesonet.errors import Problem, did_you_mean, from_pydantic, show
from mesonet.studies.folders.groups import (
    PlacedClaim,
    explained,
    is_texts,
    judged_apart,
    tables,
)
from mesonet.studies.folders.names import UnknownNameError, filled
from mesonet.studies.folders.printed import read_printed, read_rows
from mesonet.studies.folders.rules import read_rule
from mesonet.studies.folders.sources import Key, Source, StudyError, plain_text
from mesonet.studies.scorecard import Claim


class ClaimTable(BaseModel):
    """A claim as it is written: a statement, the published value, its place, and a rule."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="claim")

    id: str
    text: str
    published: str
    source: str
    rule: dict[str, Any]
    fitted: bool = False
    explanation: str = ""


_KEYS = ("include", "claim", "claims", "explanation", "standing")


def read_claims(
    path: Path, values: Mapping[str, Any], *, problems: list[Problem] | None = None
) -> list[PlacedClaim]:
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


class _Reader:
    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.problems: list[Problem] = []

    def read(self, path: Path, above: tuple[Path, ...]) -> list[PlacedClaim]:
        try:
            source = Source.read(path)
        except StudyError as error:
            self.problems += error.problems
            return []
        problems = [
            source.problem((key,), "unknown_key", f"unknown key{did_you_mean(key, _KEYS)}")
            for key in source.table
            if key not in _KEYS
        ]
        found: list[PlacedClaim] = []
        for key, table in _in_order(source, problems):
            try:
                if key[0] == "include":
                    found += self._included(source, int(key[1]), table, (*above, path))
                else:
                    found += self._block(source, key, table)
            except StudyError as error:
                problems += error.problems
        problems += _twice(found)
        if not problems and not self.problems:
            # Otherwise the explanation of a claim that could not be read would seem to have none.
            found = explained(source, found, self.values, problems)
            found = judged_apart(source, found, self.values, problems)
        self.problems += problems
        return found

    def _included(
        self, source: Source, place: int, table: Mapping[str, Any], above: tuple[Path, ...]
    ) -> list[PlacedClaim]:
        asked = read_include(source, place, table, above)
        claims = self.read(asked.path, above)
        ids = [each.claim.id for each in claims]
        kept = asked.kept(ids)
        return [each for each in claims if each.claim.id in kept]

    def _block(
        self, source: Source, key: tuple[Key, ...], table: Mapping[str, Any]
    ) -> Iterator[PlacedClaim]:
        table = dict(table)
        cases: Sequence[Mapping[str, Any]] = ({},)
        if key[0] == "claims":
            cases = _cases(source, key, table.pop("foreach", None), self.values)
        problems: list[Problem] = []
        made = []
        for case in cases:
            try:
                made.append(self._claim(source, key, table, {**self.values, **case}))
            except StudyError as error:
                problems += error.problems
        if problems:
            raise StudyError(problems)
        return iter(made)

    def _claim(
        self,
        source: Source,
        key: tuple[Key, ...],
        table: Mapping[str, Any],
        names: Mapping[str, Any],
    ) -> PlacedClaim:
        problems: list[Problem] = []
        content: dict[str, Any] = {}
        for name, value in table.items():
            try:
                entry = filled(value, names)
            except (UnknownNameError, ValueError) as error:
                problems.append(source.problem((*key, name), "name", str(error), under=len(key)))
                continue
            content[name] = plain_text(entry) if isinstance(entry, str) else entry
        if problems:
            raise StudyError(problems)
        try:
            made = ClaimTable.model_validate(content)
        except ValidationError as error:
            raise _placed(source, key, from_pydantic(error, StudyError)) from None
        rule_table = made.rule
        if isinstance(printed := rule_table.get("printed"), dict) and "file" in printed:
            where = (*key, "rule", "printed")
            rule_table = {**rule_table, "printed": read_printed(source, where, printed)}
        try:
            rule = read_rule(rule_table)
        except StudyError as error:
            raise _placed(source, (*key, "rule"), error) from None
        claim = Claim(
            made.id, made.text, made.published, made.source, rule, made.fitted, made.explanation
        )
        return PlacedClaim(claim, source.place(*key, "rule"))


@dataclass(frozen=True)
class Include:
    """Another file whose entries are taken over.

    Attributes:
        path: The file.
        only: Ids or patterns that are taken; everything if empty.
        without: Ids or patterns that are left out.
        place: File and line where it is asked for.
    """

    path: Path
    only: Sequence[str]
    without: Sequence[str]
    place: str

    def kept(self, ids: Sequence[str]) -> set[str]:
        """The ids that are taken.

        Raises:
            StudyError: a pattern fits none.
        """
        problems = [
            Problem(self.place, "unknown_id", f'"{pattern}" fits no id{did_you_mean(pattern, ids)}')
            for pattern in (*self.only, *self.without)
            if not any(fnmatchcase(each, pattern) for each in ids)
        ]
        if problems:
            raise StudyError(problems)
        return {
            each
            for each in ids
            if (not self.only or fits(each, self.only)) and not fits(each, self.without)
        }


def fits(identifier: str, patterns: Sequence[str]) -> bool:
    """Tests whether an id is one of some, or fits a pattern such as "fi-*"."""
    return any(fnmatchcase(identifier, pattern) for pattern in patterns)


def read_include(
    source: Source, place: int, table: Mapping[str, Any], above: tuple[Path, ...]
) -> Include:
    """An entry `[[include]]` of a file.

    Raises:
        StudyError: it is none, or includes a file that includes this one.
    """
    key = ("include", place)
    known = ("file", "only", "without")
    problems = [
        source.problem((*key, name), "unknown_key", f"unknown key{did_you_mean(name, known)}")
        for name in table
        if name not in known
    ]
    file = table.get("file")
    if not isinstance(file, str):
        message = "missing" if file is None else f"expected text, got {show(file)}"
        problems.append(source.problem((*key, "file"), "include", f"{message}; it names a file"))
    for name in ("only", "without"):
        if not is_texts(table.get(name, [])):
            message = f"expected a list of ids, got {show(table[name])}"
            problems.append(source.problem((*key, name), "include", message))
    if problems:
        raise StudyError(problems)
    path = (source.path.parent / str(file)).resolve()
    if path in {each.resolve() for each in above}:
        raise StudyError([source.problem((*key, "file"), "circle", f"{file} includes this file")])
    return Include(path, table.get("only", ()), table.get("without", ()), source.place(*key))


def _in_order(
    source: Source, problems: list[Problem]
) -> list[tuple[tuple[Key, ...], Mapping[str, Any]]]:
    """Claims, loops and included files in the order of the file."""
    blocks: list[tuple[tuple[Key, ...], Mapping[str, Any]]] = [
        ((key, place), table)
        for key in ("include", "claim", "claims")
        for place, table in tables(source, key, problems)
    ]
    return sorted(blocks, key=lambda block: source.lines.get(block[0], 0))


def _cases(
    source: Source, key: tuple[Key, ...], foreach: object, values: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The names of every pass of a loop: a product of lists, or the rows of a CSV file."""
    where = (*key, "foreach")
    try:
        foreach = filled(foreach, values)
    except (UnknownNameError, ValueError) as error:
        raise StudyError([source.problem(where, "name", str(error))]) from None
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


def _twice(found: Sequence[PlacedClaim]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for each in found:
        identifier = each.claim.id
        if identifier in first:
            message = f'the claim "{identifier}" is there already, at {first[identifier]}'
            yield Problem(each.place, "duplicate", message)
        first.setdefault(identifier, each.place)


def _placed(source: Source, key: tuple[Key, ...], error: StudyError) -> StudyError:
    """The problems of an entry with its file and line; each says its path below the file."""
    problems = []
    for problem in error.problems:
        first = problem.loc.partition(".")[0].partition("[")[0]
        place = source.place(*key, first) if first else source.place(*key)
        where = ".".join(str(part) for part in key if isinstance(part, str) and part == "rule")
        name = ".".join(part for part in (where, problem.loc) if part)
        problems.append(Problem(place, problem.kind, f"{name}: {problem.message}"))
    return StudyError(problems)
