"""The evaluation as data; its JSON schema is published with mesonet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import Field

from mesonet.controller import short
from mesonet.evaluation.criteria import FOLDER, Asked, Data, Size
from mesonet.evaluation.statistics import State

FORMAT: Literal["mesonet-evaluation-1"] = "mesonet-evaluation-1"
"""Name of the schema; a change that readers notice raises the number."""
StatementVerdict = Literal["agrees", "disagrees", "not testable here", "not measured"]
SCHEMA = FOLDER / "schema.json"


class Cell(Data):
    """One condition of an experiment, one baseline and one measure.

    `excess` is what the candidate loses for the others beyond what the baseline does, from -1 to
    1, but for points, which have the unit of the response, and for a line, where it is the part of
    the replicates beyond it. `reference` and `candidate` are means over replicates: of harm where
    the statistic is harm, else of the response.
    """

    condition: int
    levels: dict[str, str]
    """Level of each factor, in words."""
    baseline: str
    response: str
    words: str
    """What the response is, in words."""
    statistic: str
    margin: float
    """Excess up to which it counts as none."""
    unit: str
    factor: float
    """Value in `unit` of 1 in the unit of the response."""
    n: int
    """Replicates that have a value."""
    reference: float | None
    candidate: float | None
    excess: float | None
    low: float | None
    high: float | None
    p: float | None
    """Adjusted by Holm's method over the cells of the criterion."""
    state: State
    needed: int | None
    """Replicates that would decide, as far as can be said."""
    errors: tuple[str, ...] = ()
    """Errors of runs of the candidate that failed here."""
    run: str
    """Run of the candidate in the first replicate that did not fail."""

    @property
    def versus(self) -> str:
        """What it is compared with: a line is the same for all baselines."""
        return "the limit" if self.statistic == "line" else self.baseline


def by_measure(cells: Iterable[Cell]) -> dict[str, list[Cell]]:
    """Cells by what they measure, in words."""
    groups: dict[str, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(cell.words, []).append(cell)
    return groups


class Effect(Data):
    """Change of the excess from the low to the high level of a factor, its interval unadjusted."""

    baseline: str
    response: str
    words: str
    factor: str
    low_level: str
    high_level: str
    change: float
    low: float | None
    high: float | None
    p: float | None


class Slope(Data):
    """The power of a factor with which a measure goes, with its 95 % interval; the baseline's."""

    baseline: str
    words: str
    factor: str
    candidate: float
    low: float | None
    high: float | None
    reference: float


class Share(Data):
    """Goodput of a flow of both sides [segments/s] where `count` of the flows are the candidate's.

    `probability` is the share of resampled means over replicates in which no flow gains by
    switching alone.
    """

    condition: int
    levels: dict[str, str]
    baseline: str
    count: int
    flows: int
    candidate: float | None
    reference: float | None
    probability: float


class ExperimentResult(Data):
    """An experiment that was run: its design, its cells, and effects of factors."""

    id: str
    title: str
    question: str
    line: str
    """Proposal for a line, in words."""
    arms: Literal["mix", "alone", "shares"]
    profile: str
    folder: str
    """Campaign folder, in that of the evaluation."""
    design: str
    factors: dict[str, tuple[str, str]]
    """Low and high level of each factor, in words."""
    aliases: tuple[str, ...]
    scenario: dict[str, Any]
    """As in a scenario file, before the factors are set."""
    conditions: int
    replicates: int
    duration: str
    runs: int
    failed: int
    cells: tuple[Cell, ...]
    effects: tuple[Effect, ...]
    slopes: tuple[Slope, ...] = ()
    shares: tuple[Share, ...] = ()

    @property
    def worst(self) -> Cell | None:
        """The cell with the most excess, decided ones first; none without a value."""
        measured = [cell for cell in self.cells if cell.excess is not None]
        return max(measured, key=lambda it: (it.state == "worse", it.excess), default=None)


class CriterionResult(Asked):
    """A criterion: what was asked, and what came of it."""

    status: Literal["run", "not asked for", "covered", "not modelled"]
    experiments: tuple[ExperimentResult, ...]

    @property
    def cells(self) -> list[Cell]:
        """Cells under the profile `rfc`."""
        return [it for each in self.experiments if each.profile == "rfc" for it in each.cells]


class Sentence(Data):
    """A sentence on where the candidate is worse or better, and the section it is from."""

    section: str
    experiment: str
    """Title of the experiment."""
    others: bool
    """Whether it speaks of flows that share the candidate's path, not of its own."""
    state: State
    text: str
    cells: int
    excess: float
    """The largest of its cells."""


class StatementResult(Data):
    """A statement with what was measured versus what is expected."""

    id: str
    text: str
    source: str
    published: str
    expected: str
    measured: str
    verdict: StatementVerdict
    remark: str


class PackResult(Data):
    """The statements of a pack, tested on one algorithm."""

    name: str
    title: str
    source: str
    scope: str
    statements: tuple[StatementResult, ...]


class Candidate(Data):
    """The algorithm that is evaluated, and a SHA-256 of its code; empty if it is built in."""

    name: str
    sha256: str
    files: tuple[str, ...]
    parameters: dict[str, float] = Field(default_factory=dict)
    """Those that were set; the others have their defaults."""

    def __str__(self) -> str:
        return " ".join(it for it in (self.name, self.sha256[:12], self.settings) if it)

    @property
    def settings(self) -> str:
        """The parameters that were set, in words."""
        return ", ".join(f"{name} = {value}" for name, value in self.parameters.items())

    @property
    def options(self) -> list[str]:
        """The same on the command line."""
        return [it for key, value in self.parameters.items() for it in ("--set", f"{key}={value}")]

    def keys(self, scenario: Mapping[str, Any]) -> dict[str, Any]:
        """What a scenario with it has beside that of others: the parameters that were set."""
        own = {short(self.name): self.parameters}
        return {"parameters": scenario.get("parameters", {}) | own} if self.parameters else {}


class Provenance(Data):
    """What may differ between two evaluations of the same: when and where they were made."""

    mesonet: str
    result_version: str
    python: str
    platform: str
    date: str


class Evaluation(Data):
    """The evidence that RFC 9743 asks for, of one algorithm."""

    format: Literal["mesonet-evaluation-1"] = FORMAT
    candidate: Candidate
    baselines: tuple[str, ...]
    size: Size
    seed: int
    level: float
    command: str
    criteria: tuple[CriterionResult, ...]
    sentences: tuple[Sentence, ...]
    packs: tuple[PackResult, ...] = ()
    deployment: tuple[str, ...] = ()
    """Paragraphs of the study `deployment-mix`, which sizes desk and full run."""
    deployment_errors: dict[str, str] = Field(default_factory=dict)
    """Errors of its runs that failed, by name."""
    provenance: Provenance


def schema() -> dict[str, Any]:
    """The JSON schema of an evaluation."""
    return Evaluation.model_json_schema() | {"$id": FORMAT}
