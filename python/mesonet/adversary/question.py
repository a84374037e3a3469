"""What a search is asked, checked before anything is written."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal, cast, get_args

from mesonet.adversary.space import Space, space
from mesonet.adversary.strategy import Shares, shares
from mesonet.controller import Controller, name_of
from mesonet.errors import InputError, Problem, gathered, unknown
from mesonet.evaluation.inputs import described, folder_of, refuse, typed
from mesonet.evaluation.result import Candidate
from mesonet.units import UnitError, format_time, parse_time

Response = Literal["excess", "harm"]
REPLICATES = 3
"""Replicates of a trial after the start, which has one, and before the last look."""


@dataclass(frozen=True)
class Question:
    """A checked question; `called` is the candidate as users gave it."""

    called: str
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

    def about(self) -> dict[str, Any]:
        """What another search in the same folder has to share."""
        return {
            "candidate": str(self.candidate),
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
        name, parts = self.called, list[str]()
        for option, value in self.about().items():
            if option != "candidate":
                parts += [f"--{option}", typed(value)]
        parts += self.candidate.options
        if self.folder != folder_of(name, None, "search"):
            parts += ["--out", str(self.folder)]
        return shlex.join(["mesonet", "search", name, *parts])


def question(
    candidate: str | type[Controller],
    *,
    parameters: Mapping[str, float] | None = None,
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
    name, against = name_of(candidate), name_of(against)
    problems = refuse(name, [against], "against", parameters)
    problems += unknown("response", "unknown_response", response, get_args(Response))
    length = 30.0
    try:
        length = parse_time(duration)
    except UnitError as error:
        problems.append(Problem("duration", "quantity", str(error)))
    searched: Space | None = None
    start = bounds["start"] or ("0 s", format_time(min(5.0, float(f"{length / 6:.2g}"))))
    with gathered(problems):
        searched = space({**bounds, "start": start})
    if searched is not None and not searched.varied:
        message = "expected a least and a largest value of something, all have one value"
        problems.append(Problem("rate", "nothing_varies", f"{message}; see `mesonet compare`"))
    n = len(bounds) if searched is None else len(searched.varied)
    parts = shares(budget, replicates=REPLICATES, coordinates=n)
    if parts is None:
        least = next(it for it in count(1) if shares(it, replicates=REPLICATES, coordinates=n))
        message = f"expected at least {least} runs, got {budget}; 1400 are usual"
        problems.append(Problem("budget", "range", message))
    if problems or searched is None or parts is None:
        raise InputError(problems)
    return Question(
        candidate if isinstance(candidate, str) else name,
        described(name, parameters),
        against,
        cast("Response", response),
        searched,
        duration,
        profile,
        budget,
        seed,
        parts,
        folder_of(name, out, "search"),
    )
