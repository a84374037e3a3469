"""Schemas of everything that a campaign folder holds: what is read fits, or is named as damaged.

JSON goes through pydantic models, tables through declared columns. Whatever does not fit is one
`DamageError`: file, column or key, what was found, what was expected, and what can be done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import polars as pl
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from mesonet.errors import DamageError, InputError, Problem, from_pydantic, show
from mesonet.system.tables import UnreadableError, read_parquet

RESUME = "resume the campaign, which sets it aside and runs again what it held"
"""Remedy for rows that are lost with their file."""
REWRITE = "resume the campaign, which writes it again"
"""Remedy for a table that follows from the plan."""
REPAIR = "`mesonet repair` sets it aside"
"""Remedy for anything else."""
RUN_ID = r"^[0-9A-Za-z_-]{1,64}$"
"""Pattern of a run's id, which is part of file names."""

_JSON: TypeAdapter[Any] = TypeAdapter(Any)

ModelT = TypeVar("ModelT", bound=BaseModel)


class Document(BaseModel):
    """Content of a JSON file. Keys of later versions are kept; those that are known must fit."""

    model_config = ConfigDict(
        extra="allow", strict=True, frozen=True, allow_inf_nan=False, defer_build=True
    )


class ManifestDocument(Document):
    """Manifest of a campaign; everything but these keys may be missing."""

    format: int
    name: str
    responses: list[str]
    plan: dict[str, Any]
    identity: str = ""
    runs: int = 0
    seeds: list[int] = []
    hashes: dict[str, str] = {}
    controllers: dict[str, str] = {}
    looked_in: list[str] = []
    result_version: str = ""
    created: str = ""
    recovered: str = ""
    versions: dict[str, str] = {}
    platform: str = ""
    git_revision: str | None = None


class LockDocument(Document):
    """Holder of a campaign's lock."""

    host: str
    pid: int
    since: float = 0.0
    beat: float = 0.0
    token: str = ""


class _Running(Document):
    id: str
    label: str
    where: str
    seconds: float
    simulated: float
    until: float


class _Eta(Document):
    seconds: float
    low: float
    high: float


class ProgressDocument(Document):
    """Progress that the executing process leaves in the ledger."""

    at: float
    total: int
    done: int
    failed: int
    running: list[_Running]
    workers: int
    eta: _Eta | None
    stopping: bool
    notes: list[str]


def read_document(
    content: bytes | str, model: type[ModelT], *, file: str, remedy: str
) -> dict[str, Any]:
    """Data of a JSON file, as it stands there.

    Raises:
        DamageError: it is no JSON, or a key is missing or of another type; names all of them.
    """
    try:
        data = _JSON.validate_json(content)
    except ValidationError as error:
        message = error.errors(include_url=False, include_input=False)[0]["msg"]
        raise DamageError(file, [Problem("", "json", message)], remedy) from None
    if not isinstance(data, dict):
        problem = Problem("", "type", f"expected an object, got {show(data)}")
        raise DamageError(file, [problem], remedy)
    try:
        model.model_validate(data)
    except ValidationError as error:
        raise DamageError(file, from_pydantic(error, InputError).problems, remedy) from None
    return data


@dataclass(frozen=True)
class Columns:
    """Columns that a table must have; others are left alone."""

    types: Mapping[str, Any]
    """Type by name: `pl.String`, `pl.Int64` or `pl.Float64`."""
    empty: frozenset[str] = field(default_factory=frozenset)
    """Columns that may have no value in a row."""
    patterns: Mapping[str, str] = field(default_factory=dict)
    """Pattern that the texts of a column match."""

    def problems(self, frame: pl.DataFrame) -> Iterator[Problem]:
        """Each column that does not fit, with what was found and what was expected."""
        for name, expected in self.types.items():
            place = f"column {name}"
            if name not in frame.columns:
                yield Problem(place, "missing", f"missing; expected {_WORDS[expected]}")
                continue
            column = frame[name]
            if not _fits(column.dtype, expected):
                yield Problem(place, "type", f"expected {_WORDS[expected]}, got {column.dtype}")
                continue
            if name not in self.empty and (nulls := column.null_count()):
                message = f"expected {_WORDS[expected]}, got {nulls} rows without a value"
                yield Problem(place, "empty", message)
            if name in self.patterns:
                other = column.filter(~column.str.contains(self.patterns[name]))
                if len(other):
                    message = f"expected texts like {self.patterns[name]}, got {show(other[0])}"
                    yield Problem(place, "pattern", message)


_WORDS: dict[Any, str] = {
    pl.String: "text (String)",
    pl.Int64: "whole numbers (Int64)",
    pl.Float64: "numbers (Float64)",
}


def _fits(found: pl.DataType, expected: Any) -> bool:
    if expected == pl.Int64:
        return found == pl.Int64
    if expected == pl.Float64:
        return found.is_float() or found.is_integer()
    return bool(found == expected)


def read_table(content: bytes, columns: Columns, *, file: str, remedy: str) -> pl.DataFrame:
    """Table of a Parquet file, with all its columns.

    Raises:
        DamageError: it is no Parquet, or a column is missing, of another type or empty; names all.
    """
    try:
        frame = read_parquet(content)
    except UnreadableError as error:
        message = f"no Parquet that can be read: {error}"
        raise DamageError(file, [Problem("", "parquet", message)], remedy) from None
    problems = list(columns.problems(frame))
    if problems:
        raise DamageError(file, problems, remedy)
    return frame
