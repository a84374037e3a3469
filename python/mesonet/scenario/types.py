"""Field types of scenarios: text with units outside, SI floats inside."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationError,
)

from mesonet.errors import Problem, ScenarioError, from_pydantic, join, show
from mesonet.numbers import plain as as_python
from mesonet.text import plain
from mesonet.units import (
    Rate,
    Size,
    format_rate,
    format_size,
    format_time,
    parse_rate,
    parse_size,
    parse_time,
)

T = TypeVar("T")
if TYPE_CHECKING:
    Given: TypeAlias = T | Any
    """A field that reads as `T` and takes other notations, such as a text or a table for it."""
else:
    Given = Annotated[T, "given"]


@dataclass(frozen=True)
class Written:
    """Notation of a type's values in a file, for the reference; stands among its annotations."""

    how: str


MAX_WHOLE = 2**53
"""Largest whole number of a scenario; beyond it floats are no longer exact."""


class Frozen(BaseModel):
    """A frozen model that refuses unknown keys and numbers in disguise."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=False, allow_inf_nan=False, defer_build=True
    )

    if not TYPE_CHECKING:  # Checkers take the keywords from the fields.

        def __init__(self, /, **fields: Any) -> None:
            with _scenario_error(fields, ""):
                super().__init__(**fields)

        # Tables inside of scenarios are validated without it.
        __init__.__pydantic_base_init__ = True

        @classmethod
        def __pydantic_init_subclass__(cls, **_: Any) -> None:
            # As `help` and notebooks show it: names and defaults, without the validators.
            cls.__signature__ = Signature(
                Parameter(
                    name,
                    Parameter.KEYWORD_ONLY,
                    default=(
                        Parameter.empty
                        if field.is_required()
                        else ...
                        if field.default_factory
                        else field.default
                    ),
                )
                for name, field in cls.model_fields.items()
            )

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Values that are not the defaults, as they would stand in a file."""
        values = self.model_dump(mode="json", exclude_defaults=True)
        return [(name, value) for name, value in values.items() if value is not None]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, prefix: str = "") -> Self:
        """Reads plain data; `ScenarioError` with every problem, places below `prefix`."""
        with _scenario_error(data, prefix):
            return cls.model_validate(dict(data))


@contextmanager
def _scenario_error(data: Mapping[str, Any], prefix: str) -> Iterator[None]:
    # Results would follow the order of a set, which is another one in every process.
    sets = [name for name, value in data.items() if isinstance(value, set | frozenset)]
    if sets:
        message = "expected a list, got a set, which has no order"
        raise ScenarioError(Problem(join(prefix, name), "type", message) for name in sets)
    try:
        yield
    except ValidationError as error:
        raise from_pydantic(error, ScenarioError, prefix, data=data) from None


def _above_zero(value: float) -> float:
    if value <= 0:
        raise ValueError("expected a time above zero, got 0 s")
    return value


def _rate(value: object) -> Rate:
    rate = value if isinstance(value, Rate) else parse_rate(value)
    if rate.value <= 0:
        raise ValueError(f"expected a rate above zero, got {show(str(value))}")
    return rate


def _packet_rate(value: object) -> float:
    return _rate(parse_rate(value, of="packets")).value


def _number(value: object) -> object:
    # Pydantic would read "3" and true as numbers; a file that says so has a mistake in it.
    if isinstance(value, bool | str):
        raise ValueError(f"expected a number, got {show(value)}")
    return value


def _truth(value: object) -> object:
    # Pydantic would read "yes", "off" and 1 as well, and not those of numpy.
    value = as_python(value)
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, got {show(value)}")
    return value


def _line(name: str) -> str:
    if plain(name) != name or "\n" in name or "\t" in name:
        raise ValueError(f"expected one line without control characters, got {show(name)}")
    return name


def _segments_or_inf(value: object) -> float:
    if value == "inf" or (isinstance(value, float) and value == math.inf):
        return math.inf
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 1 <= value <= MAX_WHOLE:  # type: ignore[operator]
        raise ValueError(
            f'expected a number of segments from 1 to {MAX_WHOLE}, or "inf", got {show(value)}'
        )
    return float(value)  # type: ignore[arg-type]


def _plain(value: float) -> Any:
    return "inf" if value == math.inf else int(value) if value.is_integer() else value


TrueOrFalse = Annotated[bool, BeforeValidator(_truth)]
"""True or false, and nothing that stands for it."""
Duration = Given[
    Annotated[
        float,
        PlainValidator(parse_time),
        AfterValidator(_above_zero),
        PlainSerializer(format_time),
        Written('time above zero, such as "40 ms"'),
    ]
]
"""A time above zero [s]; `"40 ms"` outside."""
RoundTripTime = Given[
    Annotated[
        float,
        PlainValidator(lambda value: parse_time(value, unit="ms")),
        AfterValidator(_above_zero),
        PlainSerializer(format_time),
        Written('time above zero, such as "40 ms"'),
    ]
]
"""A `Duration` that nobody means in seconds."""
NonNegativeDuration = Given[
    Annotated[
        float,
        PlainValidator(parse_time),
        PlainSerializer(format_time),
        Written('time, such as "0 s" or "2.5 s"'),
    ]
]
"""A time [s]; `"0 s"` is allowed."""
PacketRate = Given[
    Annotated[
        float,
        PlainValidator(_packet_rate),
        PlainSerializer(lambda value: format_rate(Rate(value, "packets"))),
        Written('rate, such as "1200 p/ms"'),
    ]
]
"""Packets per second; `"1200 p/ms"` outside."""
ServiceRate = Given[
    Annotated[
        Rate,
        PlainValidator(_rate),
        PlainSerializer(format_rate),
        Written('rate, such as "100 Mbit/s" or "8 p/ms"'),
    ]
]
"""A rate in bits or packets; `"100 Mbit/s"` outside."""
DataSize = Given[
    Annotated[
        Size,
        PlainValidator(lambda value: parse_size(value, unit="B")),
        PlainSerializer(format_size),
        Written('size, such as "1 MB" or "1000 packets"'),
    ]
]
"""Packets or bytes; `"1 MB"` outside."""
BufferSize = Given[
    Annotated[
        Size,
        PlainValidator(lambda value: parse_size(value, bdp=True)),
        PlainSerializer(format_size),
        Written('size, such as "0.5 bdp", "100 packets" or "60 kB"'),
    ]
]
"""Packets, bytes or bandwidth-delay products; `"1 bdp"` outside."""
SegmentsOrInf = Given[
    Annotated[
        float,
        PlainValidator(_segments_or_inf),
        PlainSerializer(_plain),
        Written('number of at least 1, or "inf"'),
    ]
]
"""A number of segments, at least 1, or `"inf"`."""
Line = Annotated[str, AfterValidator(_line)]
"""Text without control characters, at which drawings would fail."""
FlowName = Annotated[str, Field(min_length=1), AfterValidator(_line)]
"""The name of a flow, which stands in tables, files and messages."""
Number = Annotated[float, BeforeValidator(_number)]
"""Any finite number."""
PositiveNumber = Annotated[float, BeforeValidator(_number), Field(gt=0)]
"""A finite number above zero."""
NonNegativeNumber = Annotated[float, BeforeValidator(_number), Field(ge=0)]
"""A finite number of at least zero."""
PositiveInt = Annotated[int, BeforeValidator(_number), Field(ge=1)]
"""A whole number of at least 1."""
NonNegativeInt = Annotated[int, BeforeValidator(_number), Field(ge=0)]
"""A whole number of at least 0."""
WholeNumber = Annotated[int, BeforeValidator(_number)]
"""Any whole number."""
Probability = Annotated[
    float, BeforeValidator(_number), Field(ge=0, le=1), Written("number from 0 to 1")
]
"""A number from 0 to 1."""
