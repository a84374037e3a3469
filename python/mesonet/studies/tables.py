"""Models of `study.toml` and `variants.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import ConfigDict, Field, field_validator

from mesonet.studies.entries import Table
from mesonet.studies.study import SIZES, Size

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
"""Pattern of the names of studies and variants, which become names of folders."""


class ListTable(Table):
    """Line of a study in `mesonet list studies`; the source is that of the study by default."""

    summary: str = ""
    source: str = ""
    place: int = 1000


class AlgorithmsTable(Table):
    """Algorithms of runs one by one, if none are asked for, and names for people by algorithm."""

    own: tuple[str, ...] = ()
    labels: dict[str, str] = Field(default_factory=dict)


class PlanChanges(Table):
    """Changes of plans and constants.

    Attributes:
        values: Constants, by name.
        plan: Entries of every plan; of its scenario, only those that are given.
        plans: Entries of one plan, by its name.
    """

    values: dict[str, Any] = Field(default_factory=dict)
    plan: dict[str, Any] = Field(default_factory=dict)
    plans: dict[str, dict[str, Any]] = Field(default_factory=dict)

    def of_plan(self, name: str) -> list[Mapping[str, Any]]:
        """Changes of a plan, in order."""
        return [each for each in (self.plan, self.plans.get(name, {})) if each]


class SizeTable(PlanChanges):
    """A size of a study.

    Attributes:
        words: Description of the size.
        algorithms: Algorithms instead of the study's own; "every" for every built-in one.
        in_proportion: Constants that keep their proportion to `duration` when another is asked for.
    """

    words: str
    in_proportion: tuple[str, ...] = ()
    algorithms: tuple[str, ...] | Literal["every"] | None = None


class StudyTable(Table):
    """The content of `study.toml`.

    Attributes:
        name: Name on the command line.
        title: Title of the page.
        question: Question of the study, in one sentence.
        source: Publication of the experiment.
        measure: File of its code, if it has any.
        list: Its line in lists.
        algorithms: Its algorithms.
        refuses: Options that make no sense, with the reason.
        replicate: Pattern of the names of runs one by one, whose group is the replicate.
        values: Constants by name.
        settings: Settings for the page, in words.
        sizes: Sizes by name.
    """

    model_config = ConfigDict(title="study.toml")

    name: str = Field(pattern=NAME)
    title: str
    question: str
    source: str
    measure: str = "measure.py"
    list: ListTable = ListTable()
    algorithms: AlgorithmsTable = AlgorithmsTable()
    refuses: dict[Literal["algorithms", "replicates", "seed"], str] = Field(default_factory=dict)
    replicate: str = ""
    values: dict[str, Any] = Field(default_factory=dict)
    settings: dict[str, str] = Field(default_factory=dict)
    sizes: dict[Size, SizeTable] = Field(min_length=1)

    @field_validator("replicate")
    @classmethod
    def _one_group(cls, pattern: str) -> str:
        try:
            groups = re.compile(pattern).groups
        except re.error as error:
            raise ValueError(f"expected a regular expression: {error}") from None
        if pattern and groups != 1:
            raise ValueError(f"expected one group, the replicate, got {groups}")
        return pattern


class VariantTable(PlanChanges):
    """One thing that the source leaves open, decided otherwise.

    Attributes:
        id: Unique in the study; kept verdicts are found by it.
        question: Question that the source leaves open.
        ours: Answer of the study.
        other: Answer of the variant.
        sizes: Sizes that run it by default.
        claims: Ids or patterns of the claims that it concerns.
        parameters: Parameters of algorithms wherever they are used.
        seed: Number that is added to the seeds.
        figures: Figures that take the place of others.
    """

    model_config = ConfigDict(title="variant")

    id: str = Field(pattern=NAME)
    question: str
    ours: str
    other: str
    sizes: tuple[Size, ...] = SIZES
    claims: tuple[str, ...] = ("*",)
    parameters: dict[str, dict[str, float]] = Field(default_factory=dict)
    seed: int = 0
    figures: dict[str, str] = Field(default_factory=dict)
