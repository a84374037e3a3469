"""One simulation: `simulate(scenario, seed=1)` gives a `Run`. The door to the engine."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mesonet.checked import checked
from mesonet.controller import engine_errors
from mesonet.errors import InterruptedWarning, Problem, ScenarioError
from mesonet.machine import refuse_unless_fits, watched
from mesonet.numbers import plain
from mesonet.run import Run
from mesonet.scenario.base import ScenarioBase
from mesonet.tables import Tables

if TYPE_CHECKING:
    from mesonet.scenario import Scenario

MAX_SEED = 2**64 - 1
"""Largest seed."""
MAX_THREADS = 1024
"""Most threads of one run."""


def check(scenario: ScenarioBase) -> dict[str, Any]:
    """The resolved scenario, once everything about it is known to be right."""
    return checked(scenario).spec


def simulate(
    scenario: Scenario,
    *,
    seed: int = 1,
    threads: int = 1,
    progress: bool | Callable[[float], None] | None = None,
    partial: bool = True,
) -> Run:
    """Simulates a scenario; the same scenario and seed give the same numbers on any machine.

    Ctrl-C ends it within a second, and it returns what was measured until then, with an
    `InterruptedWarning`; the run says `interrupted_at`. In a loop over runs, `partial=False` lets
    Ctrl-C end the loop.

    Args:
        scenario: Scenario to simulate.
        seed: Seed of all random numbers.
        threads: Threads of the engine; they change how long it takes and nothing else.
        progress: `True` to show the simulated time and the time left on a line, in a notebook, too.
            A function is called now and then with the simulated time [s]; an exception raised in it
            stops the run.
        partial: `False` to raise `KeyboardInterrupt` for a run that is interrupted.

    Raises:
        ScenarioError: The scenario cannot be simulated, for example because this machine has not
            enough memory for it, or none left for the packets or segments that it records.
        ControllerError: A controller that is not built in fails.
        KeyboardInterrupt: Ctrl-C, before the simulation began, without `partial`, or while code of
            a controller did not come back.
    """
    if progress is True:
        from mesonet.showing import progress_line

        if isinstance(scenario, ScenarioBase):
            with progress_line("simulating", "s", scenario.duration) as report:
                return simulate(
                    scenario, seed=seed, threads=threads, progress=report, partial=partial
                )
    seed, threads = plain(seed), plain(threads)
    if problems := beyond(seed=(seed, 0, MAX_SEED), threads=(threads, 1, MAX_THREADS)):
        raise ScenarioError(problems)
    accepted = checked(scenario)
    with engine_errors():
        handle = accepted.handle()
        refuse_unless_fits(handle.need())
        raw = handle.run(seed, threads, watched(accepted.spec["measure"], progress or None))
    interrupted_at = raw.get("stopped")
    if interrupted_at is not None and not partial:
        raise KeyboardInterrupt
    run = Run(
        scenario=scenario,
        seed=seed,
        tables=Tables(accepted.spec, raw),
        totals=raw["totals"],
        interrupted_at=interrupted_at,
    )
    if interrupted_at is not None:
        warnings.warn(
            f"interrupted: the run has what was measured in the first {run.length.split(',')[0]}",
            InterruptedWarning,
            stacklevel=2,
        )
    return run


def beyond(**numbers: tuple[object, int, int]) -> list[Problem]:
    """Problems of arguments that are no whole numbers from a least to a largest one."""
    return [
        Problem(name, "range", f"expected a whole number from {low} to {high}, got {value!r}")
        for name, (value, low, high) in numbers.items()
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high
    ]
