"""Executes a search: start, evolution, reduction, a last look with fresh seeds, JSON and page."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import tomli_w

from mesonet.adversary.question import Question, Response, question
from mesonet.adversary.result import Judged, Search, Trial
from mesonet.adversary.strategy import Reduction, evolved, start_points
from mesonet.adversary.trials import Trials
from mesonet.analysis.two_way import mean_interval
from mesonet.campaign import Campaign, run_campaign
from mesonet.controller import Controller, command_line
from mesonet.evaluation.inputs import claim
from mesonet.plan import Plan
from mesonet.scenario.transport import Profile
from mesonet.workers import Progress
from mesonet.writing import write_atomically

if TYPE_CHECKING:
    from distributed import Client

RESULT, PAGE, MINIMAL = "search.json", "index.html", "minimal.toml"
"""Files of a search's folder, beside its campaigns."""
BUDGET = 1400
Bounds = str | float | Sequence[str] | Sequence[float]


def search(
    candidate: str | type[Controller],
    *,
    parameters: Mapping[str, float] | None = None,
    against: str = "cubic",
    response: Response = "excess",
    rate: Bounds = ("1 Mbit/s", "100 Mbit/s"),
    rtt: Bounds = ("5 ms", "300 ms"),
    buffer: Bounds = ("0.1 bdp", "16 bdp"),
    loss: Bounds = (0.0, 0.01),
    flows: Bounds = (1, 8),
    victims: Bounds = (1, 8),
    start: Bounds | None = None,
    queue: str | Sequence[str] = "droptail",
    duration: str = "30 s",
    profile: Profile = "rfc",
    budget: int = BUDGET,
    out: str | Path | None = None,
    seed: int = 1,
    workers: int | None = None,
    cluster: str | Client | None = None,
    progress: Callable[[Progress], None] | None = None,
    before: Callable[[str], None] | None = None,
) -> Search:
    """Finds the condition in which an algorithm harms others most, and the simplest nearly as bad.

    What spans the space, from `rate` to `start`, is a value, or the least and the largest. The same
    call resumes a search that was stopped. The folder has the runs as campaigns, `search.json`, a
    page, `index.html`, and `minimal.toml`, the simplest condition as a scenario.

    Args:
        candidate: Name of an algorithm, a class of Python's, a file of Python or a library that has
            one controller.
        parameters: Values of its parameters; the others have their defaults.
        against: Algorithm of the victims.
        response: "excess" for the harm to their goodput beyond what they do to each other, "harm"
            for all of it.
        rate: Capacity of the bottleneck.
        rtt: Base round-trip time.
        buffer: Room for waiting packets, in bandwidth-delay products.
        loss: Probability of a random loss; half of the conditions from zero have none.
        flows: Flows of the candidate.
        victims: Flows of the victims.
        start: Time by which the candidate's flows begin after the victims'; by default up to a
            sixth of the duration, 5 s at most.
        queue: Queue disciplines; the first is the usual one.
        duration: Simulated time of a run.
        profile: TCP options of all hosts.
        budget: Runs in all.
        out: Folder, by default the name of the candidate with "-search" behind it.
        seed: First seed.
        workers: Processes; one per core by default.
        cluster: Address of a Dask scheduler, or a client, instead.
        progress: Called with how far a batch of runs is.
        before: Called with words on each batch before it begins.
    """
    bounds: dict[str, Any] = {"rate": rate, "rtt": rtt, "buffer": buffer, "loss": loss}
    bounds |= {"flows": flows, "victims": victims, "start": start, "queue": queue}
    asked: dict[str, Any] = {"against": against, "response": response, "duration": duration}
    asked |= {"profile": profile, "budget": budget, "seed": seed, "out": out}
    checked = question(candidate, parameters=parameters, bounds=bounds, **asked)
    tell = before or (lambda _: None)
    execute = partial(run_campaign, workers=workers, cluster=cluster, progress=progress)

    def run(plan: Plan, place: str) -> Campaign:
        tell(plan.title)
        return execute(plan, out=checked.folder / place)

    trials = Trials(checked, run)
    trials.check()
    begun = start_points(checked.space, checked.shares.start, checked.seed)
    claim(checked.folder, checked.about())
    scores = trials("start", begun)
    worst = evolved(
        trials, begun, scores, generations=checked.shares.generations, seed=checked.seed
    )
    evolution = list(trials.tried)
    minimal = Reduction(trials, checked.space, worst, points=checked.shares.reduction)
    both = [checked.space.values(point) for point in (worst, minimal.point)]
    # The reduction measures the worst again; it was chosen by what came before.
    searched = (evolution, list(trials.tried))
    fresh = {it.values: it for it in trials.measured("fresh", both)}
    judged = [
        _judged(checked, fresh[values], tried) for values, tried in zip(both, searched, strict=True)
    ]
    scenario = trials.scenario(both[1], checked.candidate.name)
    outcome = Search(
        candidate=checked.candidate.name,
        parameters=checked.candidate.parameters,
        against=checked.against,
        response=checked.response,
        bounds=checked.space.bounds(),
        seed=checked.seed,
        budget=checked.budget,
        runs=trials.runs,
        command=checked.command,
        worst=judged[0],
        minimal=judged[1],
        complete=minimal.complete,
        shown=judged[1].shown,
        replay=command_line("mesonet", "simulate", checked.folder / MINIMAL, names=scenario),
        trials=tuple(trials.tried),
    )
    from mesonet.adversary.page import render_page

    write_atomically(checked.folder / MINIMAL, tomli_w.dumps(scenario).encode())
    write_atomically(checked.folder / RESULT, outcome.to_json().encode())
    write_atomically(checked.folder / PAGE, render_page(outcome).encode())
    return outcome


def _judged(checked: Question, fresh: Trial, searched: Sequence[Trial]) -> Judged:
    values = checked.space.named(fresh.values)
    usual = checked.space.named(checked.space.values(checked.space.home))
    chosen = [it.mean for it in searched if it.values == fresh.values]
    _, low, high, *_ = mean_interval(np.array(fresh.scores or [math.nan]), 0.95)
    return Judged(
        values=values,
        unusual={name: it for name, it in values.items() if it != usual[name]},
        searched=chosen[-1],
        mean=fresh.mean if fresh.scores else None,
        low=low if math.isfinite(low) else None,
        high=high if math.isfinite(high) else None,
        n=len(fresh.scores),
        broken=fresh.broken,
        error=fresh.error,
    )
