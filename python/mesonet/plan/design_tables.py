"""The `[design]` of a plan file: a table for each kind of design, which makes its conditions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from mesonet.design import (
    Design,
    Factor,
    best_fraction,
    custom_design,
    fold_over,
    fractional_factorial,
    full_factorial,
    latin_hypercube,
    named_fraction,
    one_at_a_time,
    plackett_burman,
    read_design,
    roman,
    sobol,
    with_centre,
)
from mesonet.errors import Problem, refused, show
from mesonet.scenario.types import TrueOrFalse, WholeNumber


class DesignTable(BaseModel):
    """Keys that every kind of design has, and what it makes of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    drawn: ClassVar[bool] = False
    """Conditions do not follow from the plan file alone: manifests hold them."""
    two_level: ClassVar[bool] = False
    """Factors have two levels."""

    kind: str
    effects: Literal["main", "two_factor"] | list[str] | None = None

    def make(self, factors: Sequence[Factor], folder: Path) -> Design:
        """The design; paths are relative to `folder`. Raises `PlanError`."""
        raise NotImplementedError

    def count(self, factors: Sequence[Factor]) -> tuple[str, int]:  # noqa: ARG002 - of some kinds
        """Number of conditions, as far as the table tells it, and the place that does."""
        return "factors", 0

    def level_problem(self, factor: Factor) -> Problem | None:  # noqa: ARG002 - of some kinds
        """Problem of a factor whose levels this design has no use for."""
        return None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        return refused(self, list(self._conflicts()))

    def _conflicts(self) -> Iterator[Problem]:
        """Problems of the keys with each other."""
        yield from ()


class _Centred(DesignTable):
    centre: TrueOrFalse = False

    @property
    def _mirrored(self) -> bool | list[str]:
        return getattr(self, "fold_over", False)

    def make(self, factors: Sequence[Factor], folder: Path) -> Design:
        design = self._base(factors, folder)
        if turned := self._mirrored:
            design = fold_over(design, None if turned is True else turned)
        return with_centre(design) if self.centre else design

    def _base(self, factors: Sequence[Factor], folder: Path) -> Design:
        raise NotImplementedError

    def level_problem(self, factor: Factor) -> Problem | None:
        n, loc = len(factor.codes), f"factors.{factor.name}"
        if n > 2 and (self.two_level or self.centre or self._mirrored):
            what = self.kind if self.two_level else "fold_over or centre"
            message = f"has {n} levels; {what} takes factors of two"
            return Problem(f"{loc}.levels", "levels", message)
        if self.centre and not _has_middle(factor):
            message = (
                "has no middle for the centre of the design: expected two numbers of the same unit "
                "as low and high, and 2.0 in place of 2 where a number need not be whole"
            )
            return Problem(loc, "levels", message)
        return None


class _Extended(_Centred):
    fold_over: TrueOrFalse | list[str] = False


class FullFactorial(_Extended):
    """All combinations of all levels."""

    kind: Literal["full_factorial"] = "full_factorial"

    def count(self, factors: Sequence[Factor]) -> tuple[str, int]:
        """Product of the numbers of levels."""
        return "factors", math.prod(len(factor.codes) for factor in factors)

    def _base(self, factors: Sequence[Factor], _folder: Path) -> Design:
        levels = {factor.name: len(factor.codes) for factor in factors}
        return full_factorial(_names(factors), levels=levels)


class FractionalFactorial(_Extended):
    """A fraction with given generators, or with those of minimum aberration."""

    two_level = True
    kind: Literal["fractional_factorial"]
    generators: dict[str, str | list[str]] = Field(default_factory=dict)
    runs: WholeNumber | None = Field(default=None, ge=1)
    resolution: int | str | None = None

    def _conflicts(self) -> Iterator[Problem]:
        searched = self.runs is not None or self.resolution is not None
        if not self.generators and not searched:
            message = "missing; expected generators, or runs or a resolution to find them for"
            yield Problem("generators", "missing", message)
        if self.generators and searched:
            message = "generators say how many runs and which resolution; give one or the other"
            yield Problem("generators", "conflict", message)
        if self.resolution is not None and self._resolution() is None:
            message = f'expected a resolution such as 4 or "IV", got {show(self.resolution)}'
            yield Problem("resolution", "resolution", message)

    def _resolution(self) -> int | None:
        if not isinstance(self.resolution, str):
            return self.resolution
        numerals = {roman(number): number for number in range(1, 11)}
        return numerals.get(self.resolution.strip().upper())

    def count(self, factors: Sequence[Factor]) -> tuple[str, int]:
        """Two to the number of factors without a generator, or `runs`."""
        if self.generators:
            return "design.generators", 2 ** max(len(factors) - len(self.generators), 0)
        return "design.runs", self.runs or 0

    def _base(self, factors: Sequence[Factor], _folder: Path) -> Design:
        if self.generators:
            return fractional_factorial(_names(factors), self.generators)
        return best_fraction(_names(factors), runs=self.runs, resolution=self._resolution())


class NamedFraction(_Extended):
    """A fraction of the MesoNet study."""

    two_level = True
    kind: Literal["nist-2^(6-1)", "nist-2^(9-4)", "nist-2^(20-12)"]

    def _base(self, factors: Sequence[Factor], _folder: Path) -> Design:
        return named_fraction(self.kind, _names(factors))


class PlackettBurman(_Extended):
    """A screening design."""

    two_level = True
    kind: Literal["plackett_burman"]
    runs: WholeNumber | None = Field(default=None, ge=1)

    def _base(self, factors: Sequence[Factor], _folder: Path) -> Design:
        return plackett_burman(_names(factors), runs=self.runs)


class OneAtATime(_Centred):
    """The first levels, then every other level of each factor alone."""

    kind: Literal["one_at_a_time"]

    def _base(self, factors: Sequence[Factor], _folder: Path) -> Design:
        levels = {factor.name: len(factor.codes) for factor in factors}
        return one_at_a_time(_names(factors), levels=levels)


class SpaceFilling(DesignTable):
    """Points that fill the space between the levels."""

    drawn = True
    kind: Literal["latin_hypercube", "sobol"]
    points: WholeNumber | None = Field(default=None, ge=1)
    seed: WholeNumber | None = Field(default=None, ge=0, le=2**32 - 1)
    conditions: list[list[float]] | None = None
    """Codes of every condition, one list each. Written into manifests, so that what was drawn by
    lot or read from a file is there to stay."""

    def _conflicts(self) -> Iterator[Problem]:
        if self.conditions is None and self.points is None:
            message = f'missing; a design of kind "{self.kind}" needs it'
            yield Problem("points", "missing", message)

    def make(self, factors: Sequence[Factor], folder: Path) -> Design:  # noqa: ARG002 - no file
        """The design: points that are given, or drawn."""
        if self.conditions is not None:
            return custom_design(factors, self.conditions, kind=self.kind)
        draw = sobol if self.kind == "sobol" else latin_hypercube
        listed = {factor.name: factor.codes for factor in factors if not factor.continuous}
        seed = 1 if self.seed is None else self.seed
        return draw(_names(factors), points=self.points or 0, listed=listed, seed=seed)

    def count(self, factors: Sequence[Factor]) -> tuple[str, int]:
        """Number of conditions that are given, or of points with each combination of levels."""
        if self.conditions is not None:
            return "design.conditions", len(self.conditions)
        listed = math.prod(len(factor.codes) for factor in factors if not factor.continuous)
        return "design.points", (self.points or 0) * listed


class Custom(_Extended):
    """Conditions of a file, or given."""

    drawn = True
    kind: Literal["custom"]
    file: str | None = None
    conditions: list[list[float]] | None = None

    def _conflicts(self) -> Iterator[Problem]:
        if self.file is None and self.conditions is None:
            message = "expected the path of a CSV file with a column of codes for each factor"
            yield Problem("file", "missing", message)
        elif self.file is not None and self.conditions is not None:
            yield Problem("conditions", "conflict", "expected none, for a file has them")

    def count(self, factors: Sequence[Factor]) -> tuple[str, int]:  # noqa: ARG002 - as given
        """Number of conditions that are given."""
        return "design.conditions", len(self.conditions or ())

    def _base(self, factors: Sequence[Factor], folder: Path) -> Design:
        if self.conditions is not None:
            return custom_design(factors, self.conditions, kind=self.kind)
        return read_design(folder / str(self.file), factors)


_AnyTable = (
    FullFactorial
    | FractionalFactorial
    | NamedFraction
    | PlackettBurman
    | OneAtATime
    | SpaceFilling
    | Custom
)


def _with_kind(value: object) -> object:
    return {"kind": "full_factorial", **value} if isinstance(value, dict) else value


AnyDesignTable = Annotated[_AnyTable, Field(discriminator="kind"), BeforeValidator(_with_kind)]
"""A `[design]`; `kind` says which table it is."""


def _names(factors: Sequence[Factor]) -> list[str]:
    return [factor.name for factor in factors]


def _has_middle(factor: Factor) -> bool:
    """True if there is a level exactly halfway, which rounding would miss."""
    if not factor.continuous:
        return False
    whole = isinstance(factor.low, int) and isinstance(factor.high, int)
    return not (whole and factor.scale == "linear" and (factor.low + factor.high) % 2)  # type: ignore[operator]
