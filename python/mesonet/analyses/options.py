"""Kinds of options that analyses have, each with its check."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, PlainValidator, ValidationInfo

from mesonet.errors import Problem, ProblemsError, did_you_mean, show


@dataclass(frozen=True)
class Known:
    """Names that options may refer to."""

    labels: Sequence[str]
    responses: Sequence[str]
    columns: Sequence[str]
    """Columns of the frame of results."""


class Options(BaseModel):
    """Options of an analysis.

    Names of alternatives, responses and columns are checked where the names are known: a `Known` as
    the context of the validation.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def given(self) -> dict[str, Any]:
        """The options that were set, as keyword arguments; `None` is the default."""
        return {
            name: getattr(self, name)
            for name in type(self).model_fields
            if name in self.model_fields_set and getattr(self, name) is not None
        }


@dataclass(frozen=True)
class Expected:
    """Description of the values that an option takes, for the reference."""

    text: str


Found = Iterator[tuple[str, str, str]]
"""Place in the option, kind and message of each problem."""
Check = Callable[[Any, Known | None], Found]


def _checked(check: Check, *, optional: bool = False) -> PlainValidator:
    def validate(value: Any, info: ValidationInfo) -> Any:
        if value is None and optional:
            return None
        problems = [Problem(*found) for found in check(value, info.context)]
        if problems:
            raise ProblemsError(problems)
        return value

    return PlainValidator(validate)


def _label(value: object, known: Known | None) -> Found:
    if known is not None and value not in known.labels:
        hint = did_you_mean(value, known.labels) or f"; there are {', '.join(known.labels)}"
        message = f"expected the label of an alternative, got {show(value)}{hint}"
        yield "", "unknown_label", message


def _response(value: object, known: Known | None) -> Found:
    if known is not None and value not in known.responses:
        message = f"{show(value)} is not in responses{did_you_mean(value, known.responses)}"
        yield "", "unknown_response", message


def _responses(value: object, known: Known | None) -> Found:
    yield from _texts(value, known)
    if isinstance(value, list):
        for place, name in enumerate(value):
            yield from ((f"[{place}]", kind, text) for _, kind, text in _response(name, known))


def _column(value: object, known: Known | None) -> Found:
    if known is not None and value not in known.columns:
        hint = did_you_mean(value, known.columns)
        message = f"expected a column of the results such as alternative, got {show(value)}{hint}"
        yield "", "unknown_column", message


def _text(value: object, _: Known | None) -> Found:
    if not isinstance(value, str):
        yield "", "type", f"expected text, got {show(value)}"


def _texts(value: object, _: Known | None) -> Found:
    listed = isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
    if not listed and not isinstance(value, str):
        yield "", "type", f"expected a text or a list of texts, got {show(value)}"


def _truth(value: object, _: Known | None) -> Found:
    if not isinstance(value, bool):
        yield "", "type", f"expected true or false, got {show(value)}"


def _one_of(*choices: str) -> Check:
    def check(value: object, _: Known | None) -> Found:
        if value not in choices:
            expected = " or ".join(f'"{choice}"' for choice in choices)
            hint = did_you_mean(value, choices)
            yield "", "choice", f"expected {expected}, got {show(value)}{hint}"

    return check


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _share(value: Any, _: Known | None) -> Found:
    if not (_is_number(value) and 0.0 < value < 1.0):
        yield "", "range", f"expected a number between 0 and 1, got {show(value)}"


def _positive(value: Any, _: Known | None) -> Found:
    if not (_is_number(value) and 0.0 <= value < math.inf):
        yield "", "range", f"expected a number of at least 0, got {show(value)}"


def _count(value: object, _: Known | None) -> Found:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        yield "", "range", f"expected a whole number of at least 1, got {show(value)}"


def _table(keys: Check | None, values: Check, example: str) -> Check:
    """A table whose keys, unless `None`, and values are checked one by one."""

    def check(value: object, known: Known | None) -> Found:
        if not isinstance(value, Mapping):
            yield "", "type", f"expected a table such as {example}, got {show(value)}"
            return
        for key, one in value.items():
            found = [*(keys(key, known) if keys else ()), *values(one, known)]
            yield from ((join_place(str(key), place), kind, text) for place, kind, text in found)

    return check


def join_place(key: str, place: str) -> str:
    """Place of a value below a key."""
    return f"{key}.{place}" if place else key


_SIDE = _one_of("higher", "lower")
_SIDES_EXAMPLE = '{ loss_rate = "lower" }'


def _sides(value: object, known: Known | None) -> Found:
    """One word for all responses, or one for some."""
    check = _SIDE if isinstance(value, str) else _table(_response, _SIDE, _SIDES_EXAMPLE)
    yield from check(value, known)


def _annotation(check: Check, expected: str) -> tuple[PlainValidator, Expected]:
    return _checked(check), Expected(expected)


def _optional(check: Check, expected: str) -> tuple[PlainValidator, Expected]:
    return _checked(check, optional=True), Expected(expected)


def _choice(*choices: str) -> tuple[PlainValidator, Expected]:
    return _annotation(_one_of(*choices), " or ".join(f"`{each}`" for each in choices))


_COLUMN = (_column, "a column of the results such as `alternative`")
_SHARE = (_share, "a number between 0 and 1")
_POSITIVE = (_positive, "a number of at least 0")
_COUNT = (_count, "a whole number of at least 1")
_ALGORITHMS_EXAMPLE = '{ "CTCP among Reno" = "ctcp" }'
_MAXIMA_EXAMPLE = "{ g1 = 1000 }"

Label = Annotated[str | None, *_optional(_label, "the label of an alternative")]
ResponseName = Annotated[str | None, *_optional(_response, "a response of the plan")]
ResponseNames = Annotated[str | Sequence[str], *_annotation(_responses, "a list of responses")]
Column = Annotated[str, *_annotation(*_COLUMN)]
OptionalColumn = Annotated[str | None, *_optional(*_COLUMN)]
Text = Annotated[str, *_annotation(_text, "text")]
Texts = Annotated[str | Sequence[str], *_annotation(_texts, "a text or a list of texts")]
Truth = Annotated[bool, *_annotation(_truth, "`true` or `false`")]
Share = Annotated[float, *_annotation(*_SHARE)]
OptionalShare = Annotated[float | None, *_optional(*_SHARE)]
Positive = Annotated[float, *_annotation(*_POSITIVE)]
OptionalPositive = Annotated[float | None, *_optional(*_POSITIVE)]
Count = Annotated[int, *_annotation(*_COUNT)]
OptionalCount = Annotated[int | None, *_optional(*_COUNT)]
Sides = Annotated[
    str | Mapping[str, str] | None,
    *_optional(_sides, f"`higher` or `lower`, or a table such as `{_SIDES_EXAMPLE}`"),
]
SidesByResponse = Annotated[
    Mapping[str, str] | None,
    *_optional(_table(_response, _SIDE, _SIDES_EXAMPLE), f"a table such as `{_SIDES_EXAMPLE}`"),
]
AlgorithmsByLabel = Annotated[
    Mapping[str, str] | None,
    *_optional(
        _table(_label, _text, _ALGORITHMS_EXAMPLE), f"a table such as `{_ALGORITHMS_EXAMPLE}`"
    ),
]
MaximaByGroup = Annotated[
    Mapping[str, float] | None,
    *_optional(_table(None, _positive, _MAXIMA_EXAMPLE), f"a table such as `{_MAXIMA_EXAMPLE}`"),
]
Method = Annotated[str, *_choice("model", "two-sample")]
DifferenceScale = Annotated[str, *_choice("condition", "campaign")]
Adjustment = Annotated[str, *_choice("none", "holm", "fdr_bh")]
