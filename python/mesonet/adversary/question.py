"""What a search is asked, checked before anything is written."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from mesonet.adversary.space import Space, space
from mesonet.adversary.strategy import Shares, shares
from mesonet.controller import Controller
from mesonet.errors import InputError, Problem, did_you_mean, gathered
from mesonet.evaluation import inputs
from mesonet.evaluation.candidate import described, name_of, refuse
from mesonet.evaluation.result import Candidate
from mesonet.units import UnitError, parse_time
from mesonet.writing import refuse_occupied, write_atomically

Response = Literal["excess", "harm"]
REPLICATES = 3
"""Replicates of a trial after the start, which has one, and before the last look."""
INPUTS = "inputs.json"
"""File that says whose search a folder is."""


@dataclass(frozen=True)
class Question:
    """A checked question.

    Attributes:
        candidate: Algorithm that is searched for its harm, with the hash of its code.
        against: Algorithm of the victims.
        response: "excess" for harm beyond that among their own, "harm" for all of it.
        space: Space of the conditions.
        duration: Simulated time of a run.
        profile: TCP options of all hosts.
        budget: Runs in all.
        seed: First seed.
        shares: How the budget is shared.
        folder: Folder of the search.
    """

    candidate: Candidate
    against: str
    response: Response
    space: Space
    duration: str
    profile: str
    budget: int
    seed: int
    shares: Shares
    folder: Path

    def to_dict(self) -> dict[str, Any]:
        """What another search in the same folder has to share."""
        return {
            "candidate": self.candidate.model_dump(mode="json"),
            "against": self.against,
            "response": self.response,
            **self.space.bounds(),
            "duration": self.duration,
            "profile": self.profile,
            "budget": self.budget,
            "seed": self.seed,
        }

    @property
    def command(self) -> str:
        """The line that makes the same search."""
        parts = ["mesonet", "search", self.candidate.name]
        for name, value in self.to_dict().items():
            if name != "candidate":
                text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
                parts += [f"--{name}", text]
        return shlex.join(parts)

    def claim(self) -> None:
        """Makes the folder, and says in it whose it is; refuses that of another search."""
        file = self.folder / INPUTS
        about = self.to_dict()
        if not file.is_file():
            refuse_occupied(self.folder, loc="out")
            write_atomically(file, (json.dumps(about, indent=1) + "\n").encode())
            return
        there = json.loads(file.read_text("utf-8"))
        if other := [key for key, value in about.items() if there.get(key) != value]:
            message = f"{self.folder} is of a search with another {', '.join(other)}"
            if "budget" not in there:
                message = f"{self.folder} is no folder of a search"
            raise InputError([Problem("out", "other_search", f"{message}; choose a new folder")])


def question(
    candidate: str | type[Controller],
    *,
    against: str,
    response: str,
    bounds: Mapping[str, Any],
    duration: str,
    profile: str,
    budget: int,
    seed: int,
    out: str | Path | None,
) -> Question:
    """Checks what does not need a scenario; `InputError` has all that is wrong."""
    name = name_of(candidate)
    problems = [
        it._replace(loc="against") if it.loc == "baseline" else it for it in refuse(name, [against])
    ]
    if response not in get_args(Response):
        hint = did_you_mean(response, get_args(Response))
        message = f"expected {' or '.join(get_args(Response))}, got {response}{hint}"
        problems.append(Problem("response", "unknown_response", message))
    try:
        parse_time(duration)
    except UnitError as error:
        problems.append(Problem("duration", "quantity", str(error)))
    searched: Space | None = None
    with gathered(problems):
        searched = space(bounds)
    if searched is not None and not searched.varied:
        message = "expected a least and a largest value of something, all have one value"
        problems.append(Problem("rate", "nothing_varies", f"{message}; see `mesonet compare`"))
    parts = shares(budget, arms=3 if response == "excess" else 2, replicates=REPLICATES)
    if parts is None:
        message = f"expected runs for a start, a generation and a reduction, got {budget}"
        problems.append(Problem("budget", "range", f"{message}; 200 are few, 1400 usual"))
    if problems or searched is None or parts is None:
        raise InputError(problems)
    return Question(
        described(name),
        against,
        cast("Response", response),
        searched,
        duration,
        profile,
        budget,
        seed,
        parts,
        folder_of(candidate, out),
    )


def folder_of(candidate: str | type[Controller], out: str | Path | None) -> Path:
    """Folder of a search; without `out`, it has the name of the candidate."""
    if out is not None:
        return Path(out)
    evaluation = inputs.folder_of(candidate, None).name
    return Path(f"{evaluation.removesuffix('-evaluation')}-search")
