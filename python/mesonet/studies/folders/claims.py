"""Claims as data: `claims.toml`, with loops, claims of other files, and shared explanations."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from mesonet.errors import Problem, did_you_mean, dotted, from_pydantic, show
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
from mesonet.studies.rules import Rule
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
        ids: list[_PlacedId] = []
        for key, table in _in_order(source, problems):
            try:
                if key[0] == "include":
                    taken = self._included(source, int(key[1]), table, (*above, path))
                    found += taken
                    ids += [_PlacedId(each.claim.id, each.place) for each in taken]
                else:
                    found += self._block(source, key, table, ids)
            except StudyError as error:
                problems += error.problems
        problems += _twice(ids)
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
        self, source: Source, key: tuple[Key, ...], table: Mapping[str, Any], ids: list[_PlacedId]
    ) -> list[PlacedClaim]:
        """The claims of an entry; `ids` takes theirs, also of those that cannot be read."""
        table = dict(table)
        cases: Sequence[Mapping[str, Any]] = ({},)
        if key[0] == "claims":
            cases = _cases(source, key, table.pop("foreach", None), self.values)
        problems: list[Problem] = []
        made: list[PlacedClaim] = []
        for case in cases:
            filling = _Filling(source, {**self.values, **case}, [])
            content = filling.entries(key, table, under=len(key))
            content = {k: plain_text(v) if isinstance(v, str) else v for k, v in content.items()}
            if isinstance(content.get("id"), str):
                ids.append(_PlacedId(content["id"], source.place(*key, "rule")))
            claim = _claim(source, key, content, filling)
            problems += filling.problems
            made += [claim] if claim else []
        if problems:
            raise StudyError(problems)
        return made


class _PlacedId(NamedTuple):
    """The id of a claim, and file and line of its rule."""

    id: str
    place: str


@dataclass(frozen=True)
class _Filling:
    """Replaces names in braces.

    Attributes:
        source: The file.
        names: Meanings of the names.
        problems: Takes what is wrong with entries.
        left: Takes the paths of entries that could not be filled.
    """

    source: Source
    names: Mapping[str, Any]
    problems: list[Problem]
    left: set[str] = field(default_factory=set)

    def entries(
        self, key: tuple[Key, ...], table: Mapping[str, Any], *, under: int
    ) -> dict[str, Any]:
        """A table with names replaced, without what cannot be filled; of a rule, entry by entry."""
        content: dict[str, Any] = {}
        for name, value in table.items():
            where = (*key, name)
            if name == "rule" and isinstance(value, Mapping):
                content[name] = self.entries(where, value, under=under)
                continue
            try:
                content |= filled({name: value}, self.names)
            except (UnknownNameError, ValueError) as error:
                self.problems.append(self.source.problem(where, "name", str(error), under=under))
                self.left.add(dotted(where[under:]))
        return content


def _claim(
    source: Source, key: tuple[Key, ...], content: Mapping[str, Any], filling: _Filling
) -> PlacedClaim | None:
    """The claim of an entry, or None and everything that is wrong with it."""
    problems = filling.problems
    made = None
    try:
        made = ClaimTable.model_validate(content)
    except ValidationError as error:
        found = from_pydantic(error, StudyError).problems
        # What could not be filled is not there, but not missing.
        said = StudyError(each for each in found if each.loc not in filling.left)
        problems += _placed(source, key, said).problems
    given = content.get("rule")
    rule = _rule(source, (*key, "rule"), given, filling) if isinstance(given, dict) else None
    if made is None or rule is None:
        return None
    claim = Claim(
        made.id, made.text, made.published, made.source, rule, made.fitted, made.explanation
    )
    return PlacedClaim(claim, source.place(*key, "rule"))


def _rule(
    source: Source, key: tuple[Key, ...], table: Mapping[str, Any], filling: _Filling
) -> Rule | None:
    """The rule of a claim, or None and everything that is wrong with it."""
    problems = filling.problems
    whole = not any(path.startswith("rule.") for path in filling.left)
    if isinstance(printed := table.get("printed"), dict) and "file" in printed:
        try:
            table = {**table, "printed": read_printed(source, (*key, "printed"), printed)}
        except StudyError as error:
            problems += error.problems
            table = {name: value for name, value in table.items() if name != "printed"}
            whole = False
    try:
        return read_rule(table)
    except StudyError as error:
        # Without an entry that could not be read, more may seem to be missing than is.
        said = [each for each in error.problems if whole or each.kind != "missing"]
        problems += _placed(source, key, StudyError(said)).problems
        return None


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


def _twice(ids: Sequence[_PlacedId]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for each in ids:
        if each.id in first:
            message = f'the claim "{each.id}" is there already, at {first[each.id]}'
            yield Problem(each.place, "duplicate", message)
        first.setdefault(each.id, each.place)


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
