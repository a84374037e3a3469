"""Parts of the network of twenty parameters: the types and the tables of its fields."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from mesonet.controller import algorithm_name
from mesonet.errors import Problem, did_you_mean, refused, show
from mesonet.scenario.by_tier import ByTier
from mesonet.scenario.ecn_impairment import EcnImpairment, read_impairment
from mesonet.scenario.queues import DEFAULT, Queue, read_queue
from mesonet.scenario.tiers import BufferRule
from mesonet.scenario.topology import PathKind
from mesonet.scenario.types import FlowName, Frozen, Given, PositiveNumber, Probability, Written

MAX_BUFFER_FACTOR = 1e9
"""Largest factor of buffers on rtt*c."""


def _sums_to_one(shares: Any) -> Any:
    total = math.fsum(shares.values() if isinstance(shares, dict) else shares)
    if abs(total - 1) > 1e-9:
        hint = '; for one third each, write "uniform"' if abs(total - 0.99) < 1e-9 else ""
        raise ValueError(f"expected probabilities that sum to 1, got {total:.6g}{hint}")
    return shares


def _sum_at_most_one(shares: tuple[float, ...]) -> tuple[float, ...]:
    if math.fsum(shares) > 1 + 1e-9:
        total = f"{math.fsum(shares):.6g}"
        raise ValueError(f"expected probabilities that sum to at most 1, got {total}")
    return shares


class LargerFiles(Frozen):
    """X12: files larger than Web objects."""

    probability: Annotated[
        tuple[Probability, Probability, Probability], AfterValidator(_sum_at_most_one)
    ] = (0.1, 0.0, 0.0)
    """Probabilities of document, service pack and movie; the rest are Web objects."""
    factor: tuple[PositiveNumber, PositiveNumber, PositiveNumber] = (10.0, 1_000.0, 10_000.0)
    """Their factors on the size of a Web object."""


class Jumbo(Frozen):
    """X13: for part of the run, files from D-class access routers are larger."""

    start: Probability
    """From, as a fraction of the duration."""
    end: Probability
    """To, as a fraction of the duration."""
    factor: PositiveNumber
    """Factor on file sizes."""
    receivers: Literal["D", "all"] = "D"
    """Access routers of the receivers that such files go to."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        message = f"expected at least start ({self.start:g}), got {self.end:g}"
        problem = Problem("end", "too_small", message)
        return refused(self, [problem] if self.end < self.start else [])


class LongFlow(Frozen):
    """X14: one long-lived flow, recorded in detail."""

    name: FlowName
    """Name in the results, such as L1."""
    path: PathKind | None = None
    """Between the backbone routers of longest, most average or shortest round trip ..."""
    source: str | None = None
    """... or from the access router of this name ..."""
    receiver: str | None = None
    """... to this one."""
    start: Probability = 0.4
    """Time at which it connects, as a fraction of the duration."""
    algorithm: Given[Annotated[str | None, BeforeValidator(algorithm_name)]] = None
    """Congestion control; when not given, the first of `algorithms`."""


class EarlyShare(Frozen):
    """Part of the sources that leave their first thinking early."""

    share: Probability
    """Share of all sources."""
    factor: PositiveNumber
    """Factor on the mean of their first think time."""


class Startup(Frozen):
    """X20: how sources enter the run; the rest think for a full exponential time."""

    connecting: Probability = 0.0
    """Share of sources that begin by connecting."""
    early: Given[tuple[EarlyShare, ...]] = ()
    """Shares that leave the first thinking early."""

    @model_validator(mode="after")
    def _at_most_all(self) -> Self:
        _sum_at_most_one((self.connecting, *(early.share for early in self.early)))
        return self


JUMBO: dict[str, Jumbo] = {
    "on": Jumbo(start=0.6, end=0.9, factor=100),
    "none": Jumbo(start=1, end=1, factor=1),
}
LONG_FLOWS: dict[str, tuple[LongFlow, ...]] = {
    "none": (),
    "three": (
        LongFlow(name="L1", path="farthest"),
        LongFlow(name="L2", path="mean"),
        LongFlow(name="L3", path="nearest"),
    ),
}
STARTUP: dict[str, Startup] = {
    "exponential": Startup(),
    "early": Startup(
        connecting=0.25,
        early=(EarlyShare(share=0.08, factor=1 / 3), EarlyShare(share=0.17, factor=2 / 3)),
    ),
}


def named(values: dict[str, Any], otherwise: str) -> WrapValidator:
    """Accepts the names of common values in place of the values."""

    def validate(value: object, handler: ValidatorFunctionWrapHandler) -> Any:
        if not isinstance(value, str):
            return handler(value)
        if value not in values:
            names = ", ".join(f'"{name}"' for name in values)
            hint = did_you_mean(value, values)
            raise ValueError(f"expected {names} or {otherwise}, got {show(value)}{hint}")
        return values[value]

    return WrapValidator(validate)


def read_buffers(value: object) -> BufferRule:
    """Rule for the sizes of buffers, or a factor on rtt*c."""
    if value == "rtt*c" or value == "rtt*c/sqrt(n)":
        return value
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value <= MAX_BUFFER_FACTOR:  # type: ignore[operator]
        hint = did_you_mean(value, ("rtt*c", "rtt*c/sqrt(n)")) if isinstance(value, str) else ""
        expected = (
            '"rtt*c", "rtt*c/sqrt(n)" or a factor on rtt*c, above zero and at most '
            f"{MAX_BUFFER_FACTOR:g}"
        )
        raise ValueError(f"expected {expected}, got {show(value)}{hint}")
    return float(value)  # type: ignore[arg-type]


def _algorithms(value: object) -> object:
    if isinstance(value, str | type):
        return {algorithm_name(value): 1.0}
    if isinstance(value, dict):
        return {algorithm_name(name): share for name, share in value.items()}
    return value


Distribution = Given[
    Annotated[
        tuple[Probability, Probability, Probability],
        AfterValidator(_sums_to_one),
        named({"uniform": (1 / 3, 1 / 3, 1 / 3)}, "three probabilities for N, F and D"),
    ]
]
Mix = Given[
    Annotated[
        dict[str, Probability],
        BeforeValidator(_algorithms),
        Field(min_length=1, max_length=64),
        AfterValidator(_sums_to_one),
    ]
]


def read_queues(value: object) -> ByTier[Queue]:
    """Queue disciplines of routers, by tier."""
    return ByTier.of(value, read_queue, Queue(DEFAULT))


QueueByTier = Given[
    Annotated[
        ByTier[Queue],
        PlainValidator(read_queues),
        PlainSerializer(ByTier.to_table),
        Written(
            'name such as "fq_codel", table such as { kind = "codel", target = "5 ms" }, or by '
            'tier such as { access = { kind = "fq_codel", share = 0.6 } }'
        ),
    ]
]


def read_impairments(value: object) -> ByTier[EcnImpairment]:
    """Changes of the ECN field by routers, by tier."""
    return ByTier.of(value, read_impairment, EcnImpairment())


ImpairmentByTier = Given[
    Annotated[
        ByTier[EcnImpairment],
        PlainValidator(read_impairments),
        PlainSerializer(ByTier.to_table),
        Written(
            'name such as "bleach", or by tier such as { N = { kind = "bleach", share = 0.1 } }'
        ),
    ]
]
