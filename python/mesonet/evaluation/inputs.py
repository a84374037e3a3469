"""What an evaluation or a search is asked, checked before anything is written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from mesonet.controller import (
    PREFIX,
    Controller,
    fingerprints,
    is_outside,
    name_of,
    name_problems,
    short,
    written_in,
)
from mesonet.errors import InputError, Problem, gathered, unknown, unread
from mesonet.evaluation.counter import counters
from mesonet.evaluation.criteria import Size, chosen, criteria
from mesonet.evaluation.plans import Designed, designed, placed
from mesonet.evaluation.result import Candidate
from mesonet.writing import refuse_occupied, write_atomically

BASELINES = ("cubic", "reno")
INPUTS = "inputs.json"
"""File that says whose evaluation or search a folder is."""


@dataclass(frozen=True)
class Inputs:
    """A checked question: `sections` of all `plans`; `called` is the candidate as users gave it."""

    called: str
    candidate: Candidate
    baselines: tuple[str, ...]
    size: Size
    seed: int
    sections: tuple[str, ...]
    plans: tuple[Designed, ...]
    folder: Path

    def about(self) -> dict[str, Any]:
        """What another evaluation in the same folder has to share."""
        return {
            "candidate": str(self.candidate),
            "baselines": list(self.baselines),
            "size": self.size,
            "seed": self.seed,
        }


def inputs(
    candidate: str | type[Controller],
    *,
    parameters: Mapping[str, float],
    size: str,
    sections: Iterable[str] | None,
    baseline: Iterable[str] | None,
    folder: Path,
    seed: int,
) -> Inputs:
    """Checks a question, down to the scenario of every cell that it asks for."""
    name = name_of(candidate)
    others = tuple(it for it in BASELINES if it != name)
    baselines = others if baseline is None else tuple(map(name_of, baseline))
    problems = refuse(name, baselines, parameters=parameters)
    selected: tuple[str, ...] = ()
    with gathered(problems):
        selected = () if sections == () else chosen(sections)
    problems += unknown("size", "unknown_size", size, get_args(Size))
    if problems:
        raise InputError(problems)
    about = described(name, parameters)
    asked: dict[str, Any] = {"candidate": about, "baselines": baselines, "size": size, "seed": seed}
    own = (
        designed(criterion, experiment, profile=profile, **asked)
        for criterion in criteria()
        for experiment in criterion.experiments
        for profile in ("rfc", *experiment.profiles)
    )
    added = list(counters(folder, **asked))
    plans = (*own, *added)
    selected += tuple(dict.fromkeys(it.criterion.section for it in added))
    called = candidate if isinstance(candidate, str) else name
    valid_size = cast("Size", size)
    checked = Inputs(called, about, baselines, valid_size, seed, selected, plans, folder)
    refuse_other(folder, checked.about())
    for each in plans:
        if each.criterion.section in selected:
            with placed(each.place):
                # Replicates differ in draws alone; a campaign lays out all of them.
                each.plan.with_replicates(1).runs()
    return checked


def described(name: str, parameters: Mapping[str, float] | None = None) -> Candidate:
    """A candidate with the hash of its code."""
    values = dict(parameters or {})
    if not is_outside(name):
        return Candidate(name=name, sha256="", files=(), parameters=values)
    digest, files = fingerprints([name])[name], tuple(written_in(name))
    return Candidate(name=name, sha256=digest, files=files, parameters=values)


def refuse(
    name: str,
    baselines: Sequence[str],
    place: str = "baseline",
    parameters: Mapping[str, float] | None = None,
) -> list[Problem]:
    """Problems with the names of a candidate and its baselines, and with its parameters."""
    places: dict[str, list[str]] = {name: ["candidate"]}
    for baseline in baselines:
        places.setdefault(baseline, []).append(place)
    problems = list(name_problems(places, {short(name): parameters} if parameters else {}))
    if name in baselines:
        message = f"expected another algorithm than the candidate, got {name}"
        problems.append(Problem(place, "same_algorithm", message))
    if not baselines or len(set(baselines)) < len(baselines):
        message = f"expected different algorithms, got {', '.join(baselines) or 'none'}"
        problems.append(Problem(place, "duplicate", message))
    return problems


def folder_of(
    candidate: str | type[Controller], out: str | Path | None, kind: str = "evaluation"
) -> Path:
    """Folder of an evaluation: without `out` by the class, or what a library calls it."""
    if out is not None:
        return Path(out)
    name = short(name_of(candidate))
    return Path(f"{name.rpartition('.' if name.startswith(PREFIX) else ':')[2]}-{kind}")


def asked_before(folder: Path) -> dict[str, Any]:
    """What the file of a folder says that it was asked; nothing without the file."""
    file = folder / INPUTS
    try:
        return dict(json.loads(file.read_text("utf-8"))) if file.is_file() else {}
    except ValueError as error:
        raise InputError([unread(file, error)]) from None


def refuse_other(folder: Path, about: Mapping[str, Any]) -> None:
    """Refuses a folder of another question, or with other files in it."""
    there = asked_before(folder)
    if not there:
        refuse_occupied(folder, loc="out")
        return
    other = {
        it: f"{it} {typed(there.get(it))}, not {typed(value)}"
        for it, value in about.items()
        if there.get(it) != value
    }
    if other:
        message = f"{folder} is of another question: {'; '.join(other.values())}; "
        message += "choose a new folder"
        if [*other] == ["candidate"] and "baselines" in there:  # a search reuses nothing
            message += f"; --reuse {folder} takes the runs without the candidate into it"
        raise InputError([Problem("out", "other_question", message)])


def typed(value: object) -> str:
    """The value as an option has it."""
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def refuse_candidate(folder: Path, candidate: Candidate) -> None:
    """Refuses a folder of another candidate, before anything in it is read or added to."""
    if asked_before(folder):
        refuse_other(folder, {"candidate": str(candidate)})


def claim(folder: Path, about: Mapping[str, Any]) -> None:
    """Makes a folder, and says in it what it is asked."""
    refuse_other(folder, about)
    write_atomically(folder / INPUTS, (json.dumps(about, indent=1) + "\n").encode())
