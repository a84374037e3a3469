"""Laws of random times, sizes and numbers, each by its mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from mesonet.errors import Problem, refused
from mesonet.scenario.types import (
    DataSize,
    Frozen,
    Given,
    NonNegativeDuration,
    PositiveNumber,
    Written,
)

LawName = Literal["constant", "exponential", "lognormal", "pareto"]


def _as_mean(value: object) -> object:
    """A law, also as its mean alone."""
    return value if isinstance(value, Mapping | Law) else {"mean": value}


class Law(Frozen):
    """A law of random numbers by its mean."""

    mean: Any
    law: LawName = "constant"
    """The law."""
    shape: PositiveNumber | None = None
    """Pareto's shape, above 1, or the standard deviation of the logarithm where it is normal."""

    @model_validator(mode="after")
    def _shaped(self) -> Self:
        needs, problems = self.law in ("lognormal", "pareto"), []
        if needs != (self.shape is not None):
            message = f"{self.law} has {'a' if needs else 'no'} shape"
            problems = [Problem("shape", "conflict", message)]
        elif self.law == "pareto" and self.shape is not None and self.shape <= 1:
            message = f"expected more than 1, or there is no mean, got {self.shape:g}"
            problems = [Problem("shape", "too_small", message)]
        return refused(self, problems)

    def resolved(self, unit: Callable[[Any], float] = float) -> dict[str, Any]:
        """The law as the engine has it, its mean by `unit`."""
        mean = unit(self.mean)
        return {self.law: mean if self.shape is None else [mean, self.shape]}


class TimeLaw(Law):
    """A law of times; a time alone is the mean of exponential ones."""

    mean: NonNegativeDuration
    """Mean time."""
    law: LawName = "exponential"
    """The law."""


class SizeLaw(Law):
    """A law of sizes; a size alone is that of all."""

    mean: DataSize
    """Mean size, which is rounded up to whole segments."""


class CountLaw(Law):
    """A law of numbers, which are rounded up; a number alone is that of all."""

    mean: Annotated[PositiveNumber, Field(le=100_000)]
    """Mean number."""


Times = Given[Annotated[TimeLaw, BeforeValidator(_as_mean), Written("mean time, or a law")]]
Sizes = Given[Annotated[SizeLaw, BeforeValidator(_as_mean), Written("size, or a law")]]
Counts = Given[Annotated[CountLaw, BeforeValidator(_as_mean), Written("number, or a law")]]
