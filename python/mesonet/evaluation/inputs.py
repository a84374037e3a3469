"""What an evaluation is asked, checked before anything is written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from mesonet.controller import Controller
from mesonet.errors import InputError, Problem, did_you_mean, gathered
from mesonet.evaluation.candidate import described, name_of, refuse
from mesonet.evaluation.counter import counters
from mesonet.evaluation.counter import sections as added_sections
from mesonet.evaluation.criteria import Size, chosen, criteria
from mesonet.evaluation.plans import Designed, designed, placed
from mesonet.evaluation.result import Candidate
from mesonet.writing import write_atomically

BASELINES = ("cubic", "reno")
INPUTS = "inputs.json"
"""File that says whose evaluation a folder is."""


@dataclass(frozen=True)
class Inputs:
    """A checked question.

    Attributes:
        candidate: The algorithm with the hash of its code.
        baselines: Algorithms that it is compared with.
        size: Size of all experiments.
        seed: First seed of all experiments.
        sections: Criteria that are asked for.
        plans: All experiments, asked for or not.
        folder: Folder of the evaluation.
    """

    candidate: Candidate
    baselines: tuple[str, ...]
    size: Size
    seed: int
    sections: tuple[str, ...]
    plans: tuple[Designed, ...]
    folder: Path

    def to_dict(self) -> dict[str, Any]:
        """What another evaluation in the same folder has to share."""
        return {
            "candidate": self.candidate.model_dump(mode="json"),
            "baselines": list(self.baselines),
            "size": self.size,
            "seed": self.seed,
        }

    def write(self) -> None:
        """Makes the folder, and says in it whose it is."""
        self.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.to_dict(), indent=1) + "\n"
        write_atomically(self.folder / INPUTS, text.encode())


def inputs(
    candidate: str | type[Controller],
    *,
    size: str,
    sections: Iterable[str] | None,
    baseline: Iterable[str] | None,
    out: str | Path | None,
    seed: int,
) -> Inputs:
    """Checks a question, down to the scenario of every run that it asks for."""
    name = name_of(candidate)
    baselines = tuple(baseline) if baseline is not None else _others(name)
    problems = refuse(name, baselines)
    selected: tuple[str, ...] = ()
    with gathered(problems):
        selected = () if sections == () else chosen(sections)
    if size not in get_args(Size):
        message = f"expected {', '.join(get_args(Size))}, got {size}"
        hint = did_you_mean(size, get_args(Size))
        problems.append(Problem("size", "unknown_size", f"{message}{hint}"))
    if problems:
        raise InputError(problems)
    valid_size = cast("Size", size)
    folder = folder_of(candidate, out)
    added = counters(folder, candidate=name, baselines=baselines, size=valid_size, seed=seed)
    plans = (*_plans(name, baselines, valid_size, seed), *added)
    selected += tuple(added_sections(folder))
    checked = Inputs(described(name), baselines, valid_size, seed, selected, plans, folder)
    _refuse_other(checked.folder, checked.to_dict())
    for each in plans:
        if each.criterion.section in selected:
            with placed(each.place):
                each.plan.runs()
    return checked


def refuse_other_candidate(candidate: str | type[Controller], out: str | Path | None) -> None:
    """Refuses a folder of another candidate, before anything in it is read or added to."""
    folder = folder_of(candidate, out)
    if (folder / INPUTS).is_file():
        about = described(name_of(candidate)).model_dump(mode="json")
        _refuse_other(folder, {"candidate": about})


def _others(name: str) -> tuple[str, ...]:
    return tuple(it for it in BASELINES if it != name)


def folder_of(candidate: str | type[Controller], out: str | Path | None) -> Path:
    """Folder of an evaluation: without `out` by the class, or what a library calls it."""
    if out is not None:
        return Path(out)
    name = name_of(candidate)
    short = name.rpartition(".")[2] if name.startswith("python:") else name.rpartition(":")[2]
    return Path(f"{short}-evaluation")


def _refuse_other(folder: Path, about: dict[str, Any]) -> None:
    """Refuses a folder of another evaluation, or with other files in it."""
    if not folder.exists():
        return
    place = folder / INPUTS
    entries = sorted(it.name for it in folder.iterdir()) if folder.is_dir() else ["a file"]
    if not place.is_file():
        if entries:
            message = f"{folder} is no folder of an evaluation: it has {', '.join(entries[:3])}"
            raise InputError([Problem("out", "not_empty", f"{message}; choose a new one")])
        return
    there = json.loads(place.read_text("utf-8"))
    other = [key for key, value in about.items() if there.get(key) != value]
    if other:
        differences = "; ".join(
            f"{key} {_words(there.get(key))}, not {_words(about[key])}" for key in other
        )
        message = f"{folder} is of another evaluation: {differences}; choose a new folder"
        raise InputError([Problem("out", "other_evaluation", message)])


def _words(value: Any) -> str:
    if isinstance(value, dict):
        code = f" ({value['sha256'][:12]})" if value.get("sha256") else ""
        return f"{value.get('name')}{code}"
    return ", ".join(value) if isinstance(value, list) else str(value)


def _plans(candidate: str, baselines: Sequence[str], size: Size, seed: int) -> list[Designed]:
    return [
        designed(
            criterion,
            experiment,
            candidate=candidate,
            baselines=baselines,
            size=size,
            seed=seed,
            profile=profile,
        )
        for criterion in criteria()
        for experiment in criterion.experiments
        for profile in ("rfc", *experiment.profiles)
    ]
