"""Models of `study.toml` and `variants.toml`, whose keys stand in the reference."""

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
    """Changes of constants, of entries of every plan, and of those of one plan by its name."""

    values: dict[str, Any] = Field(default_factory=dict)
    plan: dict[str, Any] = Field(default_factory=dict)
    plans: dict[str, dict[str, Any]] = Field(default_factory=dict)

    def of_plan(self, name: str) -> list[Mapping[str, Any]]:
        """Changes of a plan, in order."""
        return [changes for changes in (self.plan, self.plans.get(name, {})) if changes]


class SizeTable(PlanChanges):
    """A size of a study; constants `in_proportion` follow the `duration` that is asked for.

    Runs one by one are made with as many seeds as `replicates` says.
    """

    words: str
    replicates: int = Field(1, ge=1)
    in_proportion: tuple[str, ...] = ()
    algorithms: tuple[str, ...] | Literal["every"] | None = None


class StudyTable(Table):
    """The content of `study.toml`."""

    model_config = ConfigDict(title="study.toml")

    name: str = Field(pattern=NAME)
    title: str
    question: str
    source: str
    measure: str = "measure.py"
    list: ListTable = ListTable()
    algorithms: AlgorithmsTable = AlgorithmsTable()
    refuses: dict[Literal["algorithms", "replicates"], str] = Field(default_factory=dict)
    replicate: str = ""
    handout: bool = False
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

    `parameters` are those of algorithms wherever they are used, `seed` is added to the seeds, and
    `figures` take the place of others.
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
