"""Descriptions of the fields of scenarios, for the reference page."""

from __future__ import annotations

import ast
import inspect
import json
import math
import sys
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel, PlainSerializer
from pydantic.fields import FieldInfo

from mesonet.scenario.base import ScenarioBase
from mesonet.scenario.laboratory import Laboratory
from mesonet.scenario.types import Written


class FieldText(NamedTuple):
    """A field of a scenario, in words."""

    name: str
    """Its key in a file, and its keyword in Python."""
    meaning: str
    """Meaning, with the unit where values are plain numbers."""
    values: str
    """Values that may be given."""
    default: str
    """Default as written in a file; "required", or "" where `meaning` says it."""


def field_texts(model: type[BaseModel]) -> list[FieldText]:
    """The fields of a part of a scenario, its own before those that it shares with others.

    Those of one value only are left out.
    """
    meanings, nearest = _meanings(model), {}
    for rank, part in enumerate(model.__mro__):
        shared = rank if part in (Laboratory, ScenarioBase) else 0
        nearest = dict.fromkeys(inspect.get_annotations(part), shared) | nearest
    return [
        FieldText(
            name,
            " ".join(meanings.get(name, "").split()),
            _values(field.annotation, field.metadata),
            _default(field),
        )
        for name, field in sorted(model.model_fields.items(), key=lambda item: nearest[item[0]])
        if len(get_args(field.annotation)) != 1 or get_origin(field.annotation) is not Literal
    ]


def _meanings(model: type[BaseModel]) -> dict[str, str]:
    """The docstrings below the fields of a model, its bases included."""
    meanings: dict[str, str] = {}
    for part in (it for it in reversed(model.__mro__) if it not in BaseModel.__mro__):
        meanings |= _docstrings(part.__module__).get(part.__qualname__, {})
    return meanings


@cache
def _docstrings(module: str) -> Mapping[str, Mapping[str, str]]:
    """The docstrings below the fields of every class of a module."""
    source = inspect.getsource(sys.modules[module])
    return {
        part.name: {
            field.target.id: inspect.cleandoc(below.value.value)
            for field, below in pairwise(part.body)
            if isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        }
        for part in ast.parse(source).body
        if isinstance(part, ast.ClassDef)
    }


def _values(annotation: Any, metadata: list[Any]) -> str:
    """Values that a type admits; empty where only the meaning can tell."""
    for mark in metadata:
        if isinstance(mark, Written):
            return mark.how
    if annotation is bool:
        return "true or false"
    if annotation in (int, float):
        return f"{'whole ' if annotation is int else ''}number{_range(metadata)}"
    if annotation is str:
        return "text"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "table"
    if get_origin(annotation) is Literal:
        *some, last = (json.dumps(value) for value in get_args(annotation))
        return f"{', '.join(some)} or {last}"
    inner = [part for part in get_args(annotation) if part is not type(None)]
    if hasattr(annotation, "__metadata__"):
        return _values(inner[0], _flat(annotation.__metadata__))
    if type(None) in get_args(annotation) and len(inner) == 1:
        return _values(inner[0], metadata)
    return ""


def _flat(metadata: tuple[Any, ...]) -> list[Any]:
    """The annotations of a type; pydantic keeps some of them inside a field of its own."""
    return [
        mark
        for outer in metadata
        for mark in (outer.metadata if isinstance(outer, FieldInfo) else [outer])
    ]


def _range(metadata: list[Any]) -> str:
    low = high = ""
    for mark in metadata:
        match mark:
            case object(ge=limit):
                low = f" from {limit}"
            case object(gt=limit):
                low = f" above {limit}"
            case object(le=limit):
                high = f" to {limit}"
            case object(lt=limit):
                high = f" to below {limit}"
    return low + high


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = _plain_default(field)
    return json.dumps(value) if isinstance(value, bool | int | float | str) else ""


def _plain_default(field: FieldInfo) -> Any:
    """A default as it would be given."""
    value = field.default
    for mark in field.metadata:
        if isinstance(mark, PlainSerializer) and value is not None:
            value = mark.func(value)  # type: ignore[call-arg]  # ours take the value alone
    if isinstance(value, float) and value.is_integer() and math.isfinite(value):
        return int(value)
    return value
