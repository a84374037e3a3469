"""What the code of a study sees: options, results, and marks of functions that a page can name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from mesonet.campaign import Campaign
    from mesonet.studies.rules import Figures

Size = Literal["pocket", "desk", "population", "full"]
SIZES: tuple[Size, ...] = ("pocket", "desk", "population", "full")
"""Sizes: minutes, about an hour, as published for a chosen time, and as published; on two cores."""

Results = Mapping[str, Mapping[str, Any]]
"""Stored numbers of runs, by the names of the runs."""

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


@dataclass(frozen=True)
class Options:
    """Options of a run of a study: those that were asked for, None for the study's own.

    `duration` is the simulated time of a run at size population [s]; `conditions` are those whose
    runs are made now; `variants` are ids, or "all". The code of a study sees them with the name of
    the `study`, the algorithms `chosen` for runs one by one, the constants of size and variant as
    `values`, the id of the `variant`, empty for scored runs, and `words` of the size.
    """

    size: Size = "pocket"
    algorithms: tuple[str, ...] | None = None
    seed: int | None = None
    replicates: int | None = None
    variants: tuple[str, ...] | None = None
    duration: float | None = None
    conditions: tuple[int, ...] | None = None
    study: str = ""
    chosen: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    variant: str = ""
    words: str = ""

    @property
    def run_seed(self) -> int:
        """Seed of runs one by one: the one asked for, or 1."""
        return 1 if self.seed is None else self.seed

    def plan_changes(self) -> dict[str, int]:
        """Entries of a plan that the options change."""
        changes = {"seed": self.seed, "replicates": self.replicates}
        return {name: value for name, value in changes.items() if value is not None}


@dataclass(frozen=True)
class RunResults:
    """Results of a study's runs.

    Attributes:
        results: Stored numbers of the items that succeeded, by name.
        campaigns: Campaigns of the plans, by name.
        failures: Errors of runs, by name; claims that rest on them cannot be computed.
        folder: Folder of the study.
        finished: Time at which the last of the runs was finished (UTC); empty without any.
        options: Options of the runs.
        figures: Figures of the runs, once they are known.
        variants: Results under each variant that was run, by its id.
    """

    results: Results
    campaigns: Mapping[str, Campaign]
    failures: Mapping[str, str]
    folder: Path
    finished: str = ""
    options: Options = field(default_factory=Options)
    figures: Figures = field(default_factory=dict)
    variants: Mapping[str, RunResults] = field(default_factory=dict)


@dataclass(frozen=True)
class Noted:
    """A chart, table or frame with the sentences that stand below it; None is left out."""

    shown: Any
    notes: tuple[str, ...]


KIND = "__study_part__"
"""Attribute of marked functions: "chart", "table" or "value"."""


def _marked(kind: str, function: F) -> F:
    setattr(function, KIND, kind)
    return function


def chart(function: F) -> F:
    """Marks a function of `RunResults` and arguments of the page that returns an Altair chart."""
    return _marked("chart", function)


def table(function: F) -> F:
    """Marks a function of `RunResults` and arguments of the page that returns a table or frame."""
    return _marked("table", function)


def value(function: F) -> F:
    """Marks a function of `RunResults` whose result is a variable of the page, under its name."""
    return _marked("value", function)


def once(function: Callable[[RunResults], T]) -> Callable[[RunResults], T]:
    """Makes a function keep its result for the last runs, as charts and tables share it."""
    kept: list[tuple[RunResults, T]] = []

    @wraps(function)
    def shared(run: RunResults) -> T:
        last = kept[0][0] if kept else None
        if not last or run.results is not last.results or run.campaigns is not last.campaigns:
            kept[:] = [(run, function(run))]
        return kept[0][1]

    return shared
