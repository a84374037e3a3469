"""Entries of the files of a study: lists of tables, their models, and files that they include."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from mesonet.errors import Problem, did_you_mean, from_pydantic, show
from mesonet.studies.folders.names import filled
from mesonet.studies.folders.sources import Key, Source, StudyError, plain

ModelT = TypeVar("ModelT", bound=BaseModel)


class Table(BaseModel):
    """A table of a file; keys that it does not know are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Placed(Protocol):
    """An entry that has an id, and the place where it is written."""

    @property
    def id(self) -> str:
        """Unique in the study."""

    @property
    def place(self) -> str:
        """File and line."""


PlacedT = TypeVar("PlacedT", bound=Placed)


class IncludeTable(Table):
    """Another file whose entries are taken over.

    Attributes:
        file: The file.
        only: Ids or patterns that are taken; everything if empty.
        without: Ids or patterns that are left out.
    """

    model_config = ConfigDict(title="include")

    file: str
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


def read_entry(model: type[ModelT], source: Source, table: Any, *key: Key) -> ModelT:
    """The model of an entry, with texts in one line.

    Raises:
        StudyError: every problem, with file and line.
    """
    content = plain(table)
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise source.placed(from_pydantic(error, StudyError, data=content), *key) from None


def entries(
    source: Source, known: Sequence[str], problems: list[Problem]
) -> list[tuple[tuple[str, int], Mapping[str, Any]]]:
    """The entries of the lists of a file, in its order; what is no list of tables is a problem.

    Args:
        source: the file.
        known: names of lists that it can have.
        problems: takes every problem, with file and line.
    """
    found: list[tuple[tuple[str, int], Mapping[str, Any]]] = []
    for name, tables in source.table.items():
        if name not in known:
            hint = did_you_mean(name, known)
            problems.append(source.problem((name,), "unknown_key", f"unknown key{hint}"))
        elif not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
            message = f"expected tables, each below a line [[{name}]], got {show(tables)}"
            problems.append(source.problem((name,), "type", message))
        else:
            found += [((name, place), table) for place, table in enumerate(tables)]
    return sorted(found, key=lambda entry: source.lines.get(entry[0], 0))


def included(
    source: Source,
    key: tuple[str, int],
    table: Mapping[str, Any],
    above: tuple[Path, ...],
    read: Callable[[Path], Sequence[PlacedT]],
) -> list[PlacedT]:
    """Entries that an entry `[[include]]` takes from another file.

    Raises:
        StudyError: the entry does not fit, or includes one of the files above.
    """
    asked = read_entry(IncludeTable, source, table, *key)
    path = (source.path.parent / asked.file).resolve()
    if path in {each.resolve() for each in above}:
        message = f"{asked.file} includes this file"
        raise StudyError([source.problem((*key, "file"), "circle", message)])
    found = read(path)
    patterns, ids = (*asked.only, *asked.without), [each.id for each in found]
    if problems := list(unknown_ids(patterns, ids, "id", source.place(*key))):
        raise StudyError(problems)
    return [
        each
        for each in found
        if (not asked.only or fits(each.id, asked.only)) and not fits(each.id, asked.without)
    ]


def fits(identifier: str, patterns: Iterable[str]) -> bool:
    """Tests whether an id is one of some, or fits a pattern such as "fi-*"."""
    return any(fnmatchcase(identifier, pattern) for pattern in patterns)


def unknown_ids(
    patterns: Iterable[str], ids: Sequence[str], what: str, place: str
) -> Iterator[Problem]:
    """Patterns that fit no id."""
    for pattern in patterns:
        if not any(fits(each, [pattern]) for each in ids):
            message = f'"{pattern}" fits no {what}{did_you_mean(pattern, ids)}'
            yield Problem(place, "unknown_id", message)


def twice(what: str, found: Iterable[Placed]) -> Iterator[Problem]:
    """Entries whose ids others have before them."""
    first: dict[str, str] = {}
    for each in found:
        if each.id in first:
            message = f'the {what} "{each.id}" is there already, at {first[each.id]}'
            yield Problem(each.place, "duplicate", message)
        first.setdefault(each.id, each.place)


def filled_at(
    source: Source, key: tuple[Key, ...], value: Any, names: Mapping[str, Any], *, under: int = 0
) -> Any:
    """An entry with names in braces replaced.

    Raises:
        StudyError: one stands for nothing, with file and line.
    """
    try:
        return filled(value, names)
    except ValueError as error:
        raise StudyError([source.problem(key, "name", str(error), under=under)]) from None
