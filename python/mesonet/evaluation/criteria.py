"""Criteria of RFC 9743 as data: one file per criterion, with the experiments that ask it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mesonet.errors import InputError, Problem, from_pydantic, unknown

FOLDER = Path(__file__).resolve().parents[1] / "data" / "evaluation"
"""Folder of the criteria that come with mesonet."""
Size = Literal["pocket", "desk", "full"]
Status = Literal["designed", "covered", "not modelled"]
MARGIN = 0.05
"""Excess harm that still counts as none, unless a measure has another margin."""


class Data(BaseModel):
    """Plain data without any other keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def to_json(self) -> str:
        """The text of its file."""
        return json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"


class Measure(Data):
    """What is measured in every run of an experiment, and how it is judged.

    Statistics of an experiment with arms "mix": `harm` is what the victims lose to the
    candidate, less what they lose to their own kind, both against being alone. `change` is the
    loss to the candidate against that to their own kind, and `points` the same as a plain
    difference. With arms "alone", `change` and `points` compare the candidate with the baseline,
    and `line` asks how often it is beyond a fixed value.
    """

    response: str
    """Response of a run; `{victim}` stands for the victims' algorithm."""
    words: str
    """What it is, in a sentence."""
    better: Literal["higher", "lower"]
    statistic: Literal["harm", "change", "points", "line"]
    margin: Annotated[float, Field(ge=0)] = MARGIN
    """Excess that counts as none."""
    line: float | None = None
    """Value that `line` compares with, in the unit of the response."""
    unit: str = ""
    factor: float = 1.0
    """Shown value of 1 in the unit of the response."""


class SizeTable(Data):
    """How large an experiment is: replicates, simulated time, conditions of the fraction."""

    replicates: Annotated[int, Field(ge=2)]
    duration: str
    most: int | None = None
    """Replicates of conditions in which a cell is undecided after the first `replicates`."""
    conditions: int | None = None
    """Conditions without the centre; all combinations of the levels if there is no number."""


class Experiment(Data):
    """A designed experiment: the table of a plan with the candidate and the victims left open.

    In flows of the scenario, `candidate` and `victim` are algorithms that the arms replace. With
    arms "mix" the candidate's flows and the victims' share the path; with "alone" all flows are
    the candidate's; with "shares" every number of them. A flow with `each` stands for `count` flows
    that start so far apart.
    """

    id: str = ""
    """Letter behind the section, where a criterion has several experiments."""
    title: str
    question: str
    arms: Literal["mix", "alone", "shares"]
    scenario: dict[str, Any]
    factors: dict[str, Any] = {}
    centre: bool = True
    spread: dict[str, Any] = {"rtt": 0.05, "start": "1 s"}
    measures: tuple[Measure, ...]
    sizes: dict[Size, SizeTable]
    slopes: tuple[str, ...] = ()
    """Factors for which the power is shown with which the measures go."""
    profiles: tuple[str, ...] = ()
    """Profiles of the transport under which it is repeated, beside `rfc`."""
    line: str = ""
    """Proposal for a line, in words; RFC 9743 has none."""


class Asked(Data):
    """What RFC 9743 asks for in a section, in our own words."""

    section: str
    title: str
    strength: str
    asks: str
    covered_by: tuple[str, ...] = ()
    """Sections whose experiments give the evidence."""
    why: str = ""
    """Reason of a status other than `designed`."""
    omits: tuple[str, ...] = ()
    """What the simulator leaves out here, in sentences."""


class Criterion(Asked):
    """A criterion with its experiments."""

    status: Status = "designed"
    experiments: tuple[Experiment, ...] = ()


def read_criterion(file: Path) -> Criterion:
    """Reads the file of a criterion; all that is wrong with it is told at once."""
    data = tomllib.loads(file.read_text("utf-8"))
    try:
        return Criterion.model_validate(data)
    except ValidationError as error:
        raise from_pydantic(error, InputError, file.name, data=data) from None


@cache
def criteria() -> tuple[Criterion, ...]:
    """All criteria, in the order of their sections."""
    unsorted = [read_criterion(file) for file in FOLDER.glob("*.toml")]
    return tuple(sorted(unsorted, key=lambda each: section_key(each.section)))


def section_key(section: str) -> list[int]:
    """Numbers of a section, in the order of which sections stand."""
    return [int(part) for part in re.findall(r"\d+", section)]


def chosen(sections: Iterable[str] | None) -> tuple[str, ...]:
    """Sections that are asked for: all with an experiment if none are named.

    A section stands for those below it, too: 5.2 for 5.2.1.
    """
    designed = {each.section: each for each in criteria()}
    if sections is None:
        return tuple(name for name, each in designed.items() if each.experiments)
    problems, names = [], list[str]()
    for section in dict.fromkeys(sections):
        matching = [name for name in designed if name == section or name.startswith(f"{section}.")]
        if not matching:
            problems += unknown("criteria", "unknown_criterion", section, designed)
        elif not any(designed[name].experiments for name in matching):
            only = designed[matching[0]]
            where = f" by {', '.join(only.covered_by)}" if only.covered_by else ""
            message = f"{section} has no experiment of its own: {only.status}{where}"
            problems.append(Problem("criteria", "no_experiment", message))
        names += [name for name in matching if designed[name].experiments]
    if problems:
        raise InputError(problems)
    return tuple(sorted(dict.fromkeys(names), key=section_key))
