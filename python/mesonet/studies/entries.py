"""Files of a study: TOML tables, their models, and names in braces in their texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from string import Formatter
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from mesonet.errors import InputError, Problem, did_you_mean, from_pydantic, join
from mesonet.scenario.toml import read_toml

ModelT = TypeVar("ModelT", bound=BaseModel)
EntryT = TypeVar("EntryT", bound="Table")


class StudyError(InputError):
    """A study that cannot be read: every problem with its file and the path of its entry."""


class Table(BaseModel):
    """A table of a file; keys that it does not know are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


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


def read_entry(model: type[ModelT], table: Any, path: Path, loc: str = "") -> ModelT:
    """The model of an entry, with texts in one line.

    Args:
        model: the model.
        table: the entry.
        path: its file.
        loc: its path in the file.
    """
    content = plain(table)
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise placed(from_pydantic(error, StudyError, data=content), path, loc) from None


def placed(error: InputError, path: Path, loc: str = "") -> StudyError:
    """The problems of an entry, with its file and its path there."""
    return StudyError(
        Problem(f"{path}: {join(loc, each.loc)}" if loc or each.loc else str(path), *each[1:])
        for each in error.problems
    )


def extended(path: Path, above: tuple[Path, ...] = ()) -> dict[str, Any]:
    """The content of a file, with that of the file that it `extends` underneath."""
    table = read_toml(path, StudyError)
    base = table.pop("extends", None)
    if base is None:
        return table
    file = path.parent / str(base)
    if file.resolve() in (*above, path.resolve()):
        raise StudyError([Problem(f"{path}: extends", "circle", f"{base} extends this file")])
    return over(extended(file, (*above, path.resolve())), table)


def over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """A table with the entries of another over it, table by table."""
    both = {
        name: over(below[name], value)
        for name, value in above.items()
        if isinstance(value, Mapping) and isinstance(below.get(name), Mapping)
    }
    return {**below, **above, **both}


def lists(
    table: Mapping[str, Any], names: Iterable[str], path: Path, problems: list[Problem]
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Name, path and content of each entry of the lists of a file, in the order of the names.

    Args:
        table: content of the file.
        names: lists that it can have.
        path: the file.
        problems: takes what is no such list.
    """
    names = list(names)
    for name in table.keys() - set(names):
        message = f"unknown key{did_you_mean(name, names)}"
        problems.append(Problem(f"{path}: {name}", "unknown_key", message))
    for name in names:
        entries = table.get(name, [])
        if not isinstance(entries, list) or not all(isinstance(each, Mapping) for each in entries):
            message = f"expected tables, each below a line [[{name}]]"
            problems.append(Problem(f"{path}: {name}", "type", message))
            continue
        for number, entry in enumerate(entries):
            yield name, f"{name}[{number}]", entry


def included(
    table: Mapping[str, Any],
    path: Path,
    loc: str,
    above: tuple[Path, ...],
    read: Callable[[Path], list[Any]],
) -> list[Any]:
    """Entries, each with an `id`, that an entry `[[include]]` takes from another file."""
    asked = read_entry(IncludeTable, table, path, loc)
    file = (path.parent / asked.file).resolve()
    if file in {each.resolve() for each in above}:
        message = f"{asked.file} includes this file"
        raise StudyError([Problem(f"{path}: {loc}.file", "circle", message)])
    entries = read(file)
    ids = [each.id for each in entries]
    if problems := list(unknown_ids((*asked.only, *asked.without), ids, f"{path}: {loc}")):
        raise StudyError(problems)
    return [
        each
        for each in entries
        if (not asked.only or fits(each.id, asked.only)) and not fits(each.id, asked.without)
    ]


def fits(identifier: str, patterns: Iterable[str]) -> bool:
    """Returns True for an id that is one of some, or fits a pattern such as "fi-*"."""
    return any(fnmatchcase(identifier, pattern) for pattern in patterns)


def unknown_ids(patterns: Iterable[str], ids: list[str], loc: str) -> Iterator[Problem]:
    """Problems of patterns that fit no id."""
    for pattern in patterns:
        if not any(fits(each, [pattern]) for each in ids):
            message = f'"{pattern}" fits no id{did_you_mean(pattern, ids)}'
            yield Problem(loc, "unknown_id", message)


def duplicates(ids: Iterable[str], path: Path, seen: set[str] | None = None) -> Iterator[Problem]:
    """Problems of ids that a file has more than once; `seen` takes all of them."""
    seen = set() if seen is None else seen
    for each in ids:
        if each in seen:
            yield Problem(str(path), "duplicate", f'the id "{each}" is there more than once')
        seen.add(each)


def plain(value: Any) -> Any:
    """Plain data with each text in one line: a line break and the spaces around it are a space."""
    if isinstance(value, str):
        return re.sub(r"[ \t]*\n\s*", " ", value.strip()) if "\n" in value else value
    if isinstance(value, Mapping):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    return value


class _Names(Formatter):
    """Resolves `a.b` by keys of tables and never by attributes."""

    def get_field(self, field_name: str, args: Any, kwargs: Mapping[str, Any]) -> tuple[Any, str]:
        del args
        value: Any = kwargs
        for part in field_name.split("."):
            if not isinstance(value, Mapping) or part not in value:
                names = map(str, value) if isinstance(value, Mapping) else ()
                hint = did_you_mean(part, names)
                raise ValueError(
                    f'"{{{field_name}}}" stands for nothing{hint}; literal braces are doubled'
                )
            value = value[part]
        return value, field_name


def filled(value: Any, names: Mapping[str, Any]) -> Any:
    """Plain data with the names in its texts replaced; a text that is one name keeps its type.

    Raises:
        ValueError: a name stands for nothing, or a format does not fit its value.

    Examples:
        >>> filled({"high": "{room}", "text": "below {room:.1f}"}, {"room": 99})
        {'high': 99, 'text': 'below 99.0'}
    """
    if isinstance(value, str):
        if match := re.fullmatch(r"\{([^{}:!]+)\}", value):
            return _Names().get_field(match[1], (), names)[0]
        return _Names().vformat(value, (), names)
    if isinstance(value, Mapping):
        return {str(filled(key, names)): filled(entry, names) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [filled(entry, names) for entry in value]
    return value


def filled_at(value: Any, names: Mapping[str, Any], path: Path, loc: str) -> Any:
    """An entry with the names in its texts replaced."""
    try:
        return filled(value, names)
    except ValueError as error:
        raise StudyError([Problem(f"{path}: {loc}", "name", str(error))]) from None
