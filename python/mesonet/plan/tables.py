"""The tables of a plan file: which keys there are, and of which kind their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from mesonet.analysis import REGISTRY
from mesonet.design import Scale
from mesonet.errors import Problem, refused, show
from mesonet.plan.design_tables import AnyDesignTable, FullFactorial
from mesonet.plan.spread import Spread
from mesonet.scenario.types import Line, Number, WholeNumber

MAX_RUNS = 1_000_000
"""Most runs of one plan."""
MAX_SEED = 2**63 - 1
"""Largest seed of any run."""
SeedPer = Literal["replicate", "condition"]
CONGESTION = "loss_rate"
"""Response by which conditions are ordered unless a plan names another."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class FactorTable(_Table):
    """One factor of a plan file."""

    path: str | list[str] | None = None
    low: Any = None
    high: Any = None
    levels: list[Any] | dict[str, Any] | None = None
    """Levels in a list, or by name; by name and without `path`, each is a table of what it sets."""
    scale: Scale = "linear"
    symbol: Line = ""
    label: Line = ""

    @model_validator(mode="after")
    def _ends_or_levels(self) -> FactorTable:
        ends = {"low": self.low, "high": self.high}
        if self.levels is None:
            missing = [name for name, value in ends.items() if value is None]
            message = "missing; expected low and high, or a list of levels"
            problems = [Problem(name, "missing", message) for name in missing]
        else:
            message = "a factor has either low and high, or a list of levels"
            set_ends = [name for name, value in ends.items() if value is not None]
            problems = [Problem(name, "conflict", message) for name in set_ends]
            if len(self.levels) < 2:
                message = f"expected at least two levels, got {show(self.levels)}"
                problems.append(Problem("levels", "too_short", message))
            if self.path is None and isinstance(self.levels, dict):
                problems += [
                    Problem(f"levels.{name}", "type", "expected a table of values by path")
                    for name, level in self.levels.items()
                    if not isinstance(level, dict) or not level
                ]
            if self.scale == "log":
                message = "between listed levels there is nothing, so there is no scale"
                problems.append(Problem("scale", "conflict", message))
        if self.path is None and not isinstance(self.levels, dict):
            problems.append(Problem("path", "missing", "missing; only named levels go without"))
        return refused(self, problems)


class Alternative(_Table):
    """One of the things compared: what it sets in the scenario, by path."""

    label: Line = Field(min_length=1)
    set: dict[str, Any] = Field(default_factory=dict)
    names: dict[str, str] = Field(default_factory=dict)
    """Names in the scenario's `algorithms` and what they stand for here, so that a factor can vary
    the share of an algorithm and alternatives say which: `{ alternate = "ctcp" }`."""

    def paths(self) -> list[str]:
        """Paths in the scenario that it sets, those of what its names stand for among them."""
        return [*self.set, *(f"algorithms.{name}" for name in self.names.values())]

    def before_names(self) -> dict[str, Any]:
        """Settings that precede the names: all but the parameters of what they stand for."""
        late = self.after_names()
        return {path: value for path, value in self.set.items() if path not in late}

    def after_names(self) -> dict[str, Any]:
        """Settings that follow the names; empty without names."""
        if not self.names:
            return {}
        return {
            path: value
            for path, value in self.set.items()
            if path.partition(".")[0] == "parameters"
        }


class StoppingTable(_Table):
    """Stopping rule of a plan."""

    # Texts and numbers; `read_stopping` says what a wrong one should have been.
    responses: dict[str, Any] = Field(min_length=1)
    max_replicates: WholeNumber = Field(ge=2, le=MAX_RUNS)
    confidence: Number = Field(default=0.95, gt=0, lt=1)


class _AskedAnalyses(_Table):
    """Analyses to make: a table of options for each, named as in `mesonet.analysis`."""

    responses: tuple[str, ...] = ()
    """Responses to analyse; all of the plan when empty."""

    def kinds(self) -> dict[str, dict[str, Any]]:
        """Options of the analyses that are asked for, by name; empty if none is named."""
        return {name: options for name in REGISTRY if (options := getattr(self, name)) is not None}

    @property
    def congestion_response(self) -> str:
        """The response by which conditions are ordered."""
        return str(self.kinds().get("congestion", {}).get("response", CONGESTION))


if TYPE_CHECKING:
    Analysis = _AskedAnalyses
else:
    Analysis = create_model(
        "Analysis",
        __base__=_AskedAnalyses,
        **dict.fromkeys(REGISTRY, (dict[str, Any] | None, None)),
    )


class ReportTable(_Table):
    """Contents of the report beyond the analyses."""

    notes: tuple[str, ...] = ()
    """Sentences printed at its head."""
    sections: tuple[str, ...] = ()
    """Sections to show, by identifier; all that the campaign can fill when empty."""


class PlanTable(_Table):
    """A plan file but for its scenario."""

    name: Line = Field(min_length=1, max_length=80)
    title: str = ""
    question: str = ""
    factors: dict[str, FactorTable] = Field(default_factory=dict)
    design: AnyDesignTable = FullFactorial()
    alternatives: list[Alternative] = Field(default_factory=list)
    replicates: WholeNumber = Field(default=1, ge=1, le=MAX_RUNS)
    seed: WholeNumber = Field(default=1, ge=0, le=MAX_SEED)
    seed_per: SeedPer = "replicate"
    """Unit that has a seed of its own: a replicate (default), or every condition of a replicate."""
    spread: Spread | None = None
    """Differences between replicates beside their seeds."""
    stopping: StoppingTable | None = None
    responses: list[str] | None = None
    analysis: Analysis = Analysis()
    report: ReportTable = ReportTable()
