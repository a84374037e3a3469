"""What the page asks a worker for, and what comes back; light, for the server imports it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mesonet.errors import Problem


class Job(NamedTuple):
    """A run to make: the knobs, and the program in the editor with the folder that it goes to."""

    values: Mapping[str, Any]
    code: str
    folder: Path


class Answer(NamedTuple):
    """What the page shows, as JSON: a run, or `problems` by place."""

    shown: str
    legend: tuple[str, ...] = ()
    """Entries of the legend; their colours are given where charts are known. Empty for problems."""

    @classmethod
    def refusal(cls, problems: Iterable[Problem], printed: str = "") -> Answer:
        """The problems in place of a run, and what the program had printed."""
        listed = [{"loc": it.loc, "message": it.message} for it in problems]
        return cls(json.dumps({"problems": listed, "printed": printed}))


def perform(job: Job) -> Answer:
    """Makes a run; a worker's function, which imports there what simulates and measures."""
    from mesonet.lab import experiment

    return experiment.perform(job)
