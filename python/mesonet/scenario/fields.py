"""Descriptions of the fields of scenarios: one text for `help()` and for the reference page."""

from __future__ import annotations

import ast
import inspect
import json
import math
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeVar, get_args, get_origin

from pydantic import BaseModel, PlainSerializer
from pydantic.fields import FieldInfo

F = TypeVar("F", bound=Callable[..., Any])

_WIDTH = 96


@dataclass(frozen=True)
class Written:
    """Notation of a type's values in a file; stands among the type's annotations."""

    how: str


@dataclass(frozen=True)
class Given:
    """Type of what callers in Python give, where it is another than the field's own.

    Stands among the type's annotations. With `also`, the field's own will do, too.
    """

    type: Any
    also: bool = False


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
    own = model.__annotations__
    meanings = _meanings(model)
    return [
        FieldText(
            name,
            " ".join(meanings.get(name, "").split()),
            _values(field.annotation, field.metadata),
            _default(field),
        )
        for name, field in sorted(
            model.model_fields.items(),
            key=lambda item: list(own).index(item[0]) if item[0] in own else len(own),
        )
        if len(get_args(field.annotation)) != 1 or get_origin(field.annotation) is not Literal
    ]


def describe(model: type[BaseModel]) -> str:
    """The fields as a section of a docstring."""
    return "Attributes:\n" + "".join(_entries(model))


class FieldsInDocstring:
    """Docstring of a model that goes on with its fields, put together when somebody reads it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __get__(self, _: object, model: type[BaseModel]) -> str:
        return f"{self._text.rstrip()}\n\n{describe(model)}"


def takes_fields_of(model: type[BaseModel], *, but: tuple[str, ...] = ()) -> Callable[[F], F]:
    """Adds the fields of a model to docstring and signature of a function with them as keywords."""

    def add(function: F) -> F:
        own = inspect.signature(function)
        named = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        fields = [text.name for text in field_texts(model) if text.name not in but]
        named += [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=_given_default(model, name)
            )
            for name in fields
        ]
        function.__signature__ = own.replace(parameters=named)  # type: ignore[attr-defined]
        if function.__doc__ is not None:  # Python leaves docstrings out with -OO.
            # Sections are told apart by their indentation, so that of the source has to go.
            text = textwrap.dedent(f"    {function.__doc__}".rstrip())
            function.__doc__ = f"{text}\n\nKeyword Args:\n{''.join(_entries(model, but))}"
        return function

    return add


def _meanings(model: type[BaseModel]) -> dict[str, str]:
    """The docstrings below the fields of a model, its bases included."""
    found: dict[str, str] = {}
    # Reading what is below them takes longer than all of ours, and describes no field.
    bare = BaseModel.__mro__
    for part in (it for it in reversed(model.__mro__) if it not in bare):
        found |= _docstrings(part.__module__).get(part.__qualname__, {})
    return found


@cache
def _docstrings(module: str) -> Mapping[str, Mapping[str, str]]:
    """The docstrings below the fields of every class of a module; none without its source.

    Pydantic would read the module once for each of its models, also where nobody asks for help.
    """
    try:
        source = inspect.getsource(sys.modules[module])
    except (OSError, TypeError):
        return {}
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


def _entries(model: type[BaseModel], but: tuple[str, ...] = ()) -> Iterator[str]:
    for name, meaning, values, default in field_texts(model):
        if name in but:
            continue
        given = default if default in ("", "required") else f"default {default}"
        note = _in_python("; ".join(part for part in (values, given) if part))
        if note:
            meaning = meaning if meaning.endswith("...") else meaning.removesuffix(".")
            note = f" ({note})."
        text = f"{name}: {meaning}{note}"
        yield (
            textwrap.indent(
                textwrap.fill(
                    text,
                    _WIDTH - 4,
                    subsequent_indent="    ",
                    break_long_words=False,
                    break_on_hyphens=False,
                ),
                "    ",
            )
            + "\n"
        )


def _in_python(text: str) -> str:
    """Values in the notation of Python, not of files: {"kind": "codel"} for { kind = "codel" }."""
    text = _KEY.sub(r'"\1": ', text).replace("{ ", "{").replace(" }", "}")
    return _TRUTH.sub(lambda found: found[0].capitalize(), text)


_KEY = re.compile(r"\b(\w+) = ")
_TRUTH = re.compile(r"\b(true|false)\b")


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


def _given_default(model: type[BaseModel], name: str) -> Any:
    """Default in a signature: an ellipsis for what has no short notation."""
    field = model.model_fields[name]
    if field.is_required():
        return inspect.Parameter.empty
    value = _plain_default(field)
    return value if value is None or isinstance(value, bool | int | float | str) else ...
