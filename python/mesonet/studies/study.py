"""Studies: the runs of a size, and the function that makes figures and sections of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mesonet.campaign import Campaign
from mesonet.page.blocks import Block
from mesonet.plan import Plan
from mesonet.studies.bench import Item, Results
from mesonet.studies.page import Section
from mesonet.studies.rules import Figures
from mesonet.studies.scorecard import Claim, Verdict

Size = Literal["pocket", "desk", "population", "full"]
SIZES: tuple[Size, ...] = ("pocket", "desk", "population", "full")
"""Sizes: minutes, about an hour, as published for a chosen time, and as published; on two cores."""


@dataclass(frozen=True)
class Options:
    """Options of a run of a study.

    Attributes:
        size: Size of the study.
        algorithms: Names of controllers; None for the study's own.
        seed: Seed of the runs; None for the study's own.
        replicates: Number of replicates of every run of a plan; None for the study's own.
        variants: Ids of the variants that run beside the scored runs, or "all"; None for those of
            the size.
        duration: Simulated time of a run at size population [s]; None for the study's own.
        conditions: Conditions whose runs are made now, by number; None for all.
        study: Name of the study, for code that several studies share.
        chosen: Algorithms of runs one by one: those asked for, or the study's own.
        values: Constants of the study, of the size and of the variant, by name.
        variant: Id of the variant; empty for the runs that are scored.
        words: Description of the size.
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
        asked = {"seed": self.seed, "replicates": self.replicates}
        return {name: value for name, value in asked.items() if value is not None}


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
    options: Options = field(default_factory=lambda: Options())
    figures: Figures = field(default_factory=dict)
    variants: Mapping[str, RunResults] = field(default_factory=dict)


@dataclass(frozen=True)
class StudyOutput:
    """Output of a finished study.

    Attributes:
        figures: Figures by name; every figure that a claim needs is there, NaN if it was not
            measured.
        sections: Sections of the page, in order.
        facts: Short facts for the head of the page, by name.
        size: Description of the runs, in words; by default the study's description of its size.
        introduction: Blocks of the page before the first section.
        variants: Verdicts under each variant, by its id and the id of the claim.
        without: Figures without each of the replicates; empty where the study has too few.
    """

    figures: Figures
    sections: Sequence[Section] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    size: str = ""
    introduction: Sequence[Block] = ()
    variants: Mapping[str, Mapping[str, Verdict]] = field(default_factory=dict)
    without: Sequence[Figures] = ()


@dataclass(frozen=True)
class Prepared:
    """A study at one size, ready to run; nothing has been simulated.

    Attributes:
        evaluate: Function that makes the output from the runs; None if the report of the only plan
            is the page.
        items: Runs that are measured one by one.
        plans: Campaigns by name; each gets a folder of this name below the study's, with a report.
            The empty name stands for the study's own folder.
        settings: Everything needed to set the study up again, for the page, by name.
        like: Plans that take over the runs they share with another, and the name of that one; they
            get no report.
        conditions: Conditions whose runs are made now, by number; None for all.
    """

    evaluate: Callable[[RunResults], StudyOutput] | None = None
    items: Sequence[Item] = ()
    plans: Mapping[str, Plan] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    like: Mapping[str, str] = field(default_factory=dict)
    conditions: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Assumption:
    """Something that the source of a study leaves open, and two answers.

    Attributes:
        id: Id of the variant that has the other answer.
        question: Question that the source leaves open.
        ours: Answer of the scored runs.
        other: Answer of the variant.
        claims: Ids of the claims that it concerns.
    """

    id: str
    question: str
    ours: str
    other: str
    claims: frozenset[str]


@dataclass(frozen=True)
class Study:
    """A published experiment under a name.

    Attributes:
        name: Name on the command line.
        title: Title of the page.
        question: Question of the study, in one sentence.
        source: Publication of the experiment.
        sizes: Description of each size, in words; a size that is not there does not exist.
        prepare: The runs. Raises PlanError or ScenarioError for algorithms that do not fit.
        claims: Published claims, and the rules that judge them.
        assumptions: Questions that the source leaves open, where variants have other answers.
    """

    name: str
    title: str
    question: str
    source: str
    sizes: Mapping[Size, str]
    prepare: Callable[[Options], Prepared]
    claims: Sequence[Claim] = ()
    assumptions: Sequence[Assumption] = ()
