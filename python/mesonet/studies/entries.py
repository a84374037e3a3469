"""Files of a study: TOML tables, their models, and names in braces in their texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from string import Formatter
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from mesonet.errors import InputError, Problem, did_you_mean, from_pydantic, gathered, join
from mesonet.scenario.toml import read_toml

ModelT = TypeVar("ModelT", bound=BaseModel)


class StudyError(InputError):
    """A study that cannot be read: every problem with its file and the path of its entry."""


class Table(BaseModel):
    """A table of a file; keys that it does not know are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class IncludeTable(Table):
    """Another file whose entries are taken over: all, or ids and patterns, but for some."""

    file: str
    only: tuple[str, ...] = ("*",)
    without: tuple[str, ...] = ()


def read_entry(model: type[ModelT], table: Any, path: Path, loc: str = "") -> ModelT:
    """The model of an entry at a path in a file, with texts in one line."""
    content = plain(table)
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise placed(from_pydantic(error, StudyError, data=content), path, loc) from None


def placed(error: InputError, path: Path, loc: str = "") -> StudyError:
    """The problems of an entry, with its file and its path there."""
    return StudyError(
        Problem(f"{path}: {join(loc, it.loc)}" if loc or it.loc else str(path), *it[1:])
        for it in error.problems
    )


def extended(path: Path) -> dict[str, Any]:
    """The content of a file, with that of the file that it `extends` underneath."""
    table = read_toml(path, StudyError)
    base = table.pop("extends", None)
    return table if base is None else over(extended(path.parent / str(base)), table)


def over(below: Mapping[str, Any], above: Mapping[str, Any], levels: int = 99) -> dict[str, Any]:
    """A table with the entries of another over it, table by table down to some level."""
    both = {
        name: over(below[name], value, levels - 1)
        for name, value in above.items()
        if levels > 1 and isinstance(value, Mapping) and isinstance(below.get(name), Mapping)
    }
    return {**below, **above, **both}


def read_lists(
    path: Path,
    kinds: Mapping[str, Callable[[Mapping[str, Any], str], list[Any]]],
    read: Callable[[Path], list[Any]],
) -> list[Any]:
    """Entries, each with an `id`, of the lists of a file; those that it includes come first.

    `kinds` has by the name of a list the function that makes entries from a table and its path in
    the file, and `read` reads another file that is included.
    """
    names: Any = {name: (list[dict[str, Any]], []) for name in ("include", *kinds)}
    model = create_model(path.name, __base__=Table, **names)
    tables = read_entry(model, read_toml(path, StudyError), path)
    kinds = {"include": lambda table, loc: _included(table, path, loc, read), **kinds}
    problems, entries = list[Problem](), list[Any]()
    for name, function in kinds.items():
        for number, table in enumerate(getattr(tables, name)):
            with gathered(problems):
                entries += function(table, f"{name}[{number}]")
    ids = [entry.id for entry in entries]
    for name in dict.fromkeys(identifier for identifier in ids if ids.count(identifier) > 1):
        problems.append(Problem(str(path), "duplicate", f'the id "{name}" is there more than once'))
    if problems:
        raise StudyError(problems)
    return entries


def _included(
    table: Mapping[str, Any], path: Path, loc: str, read: Callable[[Path], list[Any]]
) -> list[Any]:
    include = read_entry(IncludeTable, table, path, loc)
    entries = {entry.id: entry for entry in read((path.parent / include.file).resolve())}
    if problems := unknown_ids((*include.only, *include.without), entries, f"{path}: {loc}"):
        raise StudyError(problems)
    return [
        entry
        for name, entry in entries.items()
        if fits(name, include.only) and not fits(name, include.without)
    ]


def fits(identifier: str, patterns: Iterable[str]) -> bool:
    """Returns True for an id that is one of some, or fits a pattern such as "fi-*"."""
    return any(fnmatchcase(identifier, pattern) for pattern in patterns)


def unknown_ids(patterns: Iterable[str], ids: Collection[str], loc: str) -> list[Problem]:
    """Problems of patterns that fit no id."""
    return [
        Problem(loc, "unknown_id", f'"{pattern}" fits no id{did_you_mean(pattern, ids)}')
        for pattern in patterns
        if not any(fits(name, [pattern]) for name in ids)
    ]


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
                hint = did_you_mean(part, map(str, value if isinstance(value, Mapping) else ()))
                raise ValueError(
                    f'"{{{field_name}}}" stands for nothing{hint}; literal braces are doubled'
                )
            value = value[part]
        return value, field_name


def filled(value: Any, names: Mapping[str, Any]) -> Any:
    """Plain data with the names in its texts replaced; a text that is one name keeps its type.

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
