"""Counter-scenarios: what somebody else says an evaluation should have tried.

Each is a criterion of its own. Its file is kept in the folder of the evaluation, so that it is part
of whatever is made of that folder later.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mesonet.controller import code, short
from mesonet.errors import InputError, Problem, gathered
from mesonet.evaluation.criteria import Criterion, Experiment, Measure, Size, SizeTable, criteria
from mesonet.evaluation.plans import TABLES, Designed, designed, placed
from mesonet.evaluation.result import Candidate
from mesonet.scenario import Scenario, load_scenario, scenario_from_dict
from mesonet.writing import write_atomically

FOLDER = "added"
"""Folder of the scenarios, in that of the evaluation."""
_MODELS = "5.2.1", "5.2.2", "5.2.3"
"""Criteria whose measures are taken: of long flows, of calls, of films, files and requests."""
_FILE = "file"
_REPLICATES: dict[Size, int] = {"pocket": 10, "desk": 20, "full": 30}


def read(file: Path) -> Scenario:
    """A scenario; its problems name the file, of which there may be several."""
    with placed(str(file)):
        return load_scenario(file)


def files(folder: Path) -> list[Path]:
    """The counter-scenarios that a folder has."""
    return sorted((folder / FOLDER).glob("*.toml"))


def add(
    scenarios: Iterable[str | Path],
    folder: Path,
    *,
    candidate: Candidate,
    baselines: Sequence[str],
    size: Size,
    seed: int,
    before: Candidate | None = None,
) -> None:
    """Keeps scenarios in the folder of an evaluation; all that is wrong is told before.

    In those of an evaluation of the candidate `before` this one takes its place. What cannot be
    laid out is refused here: in the folder, it would stop every later command.
    """
    asked: dict[str, Any] = {"baselines": baselines, "size": size, "seed": seed}
    problems: list[Problem] = []
    texts: dict[Path, str] = {}
    for file in map(Path, scenarios):
        place = folder / FOLDER / file.name
        with gathered(problems):
            scenario = read(file) if before is None else _instead(read(file), before, candidate)
            texts[place] = scenario.to_toml()
            table = _named(scenario.to_dict(), candidate)
            wrong = list(_problems(file, table, candidate))
            problems += wrong
            if place.is_file() and place.read_text("utf-8") != texts[place]:
                message = f"{folder} has another scenario of this name; rename the file"
                wrong = [Problem(str(file), "other_scenario", message)]
                problems += wrong
            with placed(str(file)):
                for each in () if wrong else _counters(file.stem, table, candidate, **asked):
                    each.plan.with_replicates(1).runs()
    if problems:
        raise InputError(problems)
    for place, text in texts.items():
        write_atomically(place, text.encode())


def _named(table: dict[str, Any], candidate: Candidate) -> dict[str, Any]:
    """A scenario that calls the candidate as the evaluation does, where it has another name."""
    flows, parameters = _all_flows(table), table.get("parameters", {})
    if any(flow["algorithm"] == candidate.name for flow in flows):
        return table
    for flow in flows:
        called = flow["algorithm"]
        if code(called) == code(candidate.name):
            flow["algorithm"] = candidate.name
            if short(called) in parameters:
                parameters[short(candidate.name)] = parameters.pop(short(called))
    return table


def _instead(scenario: Scenario, before: Candidate, now: Candidate) -> Scenario:
    """The scenario with another candidate, and without code or parameters of the one before."""
    table = scenario.to_dict()
    for flow in _all_flows(table):
        if code(flow["algorithm"]) == code(before.name):
            table.get("parameters", {}).pop(short(flow["algorithm"]), None)
            flow["algorithm"] = now.name
    return scenario_from_dict(table)


def _problems(file: Path, table: dict[str, Any], candidate: Candidate) -> Iterator[Problem]:
    if not re.fullmatch(r"[\w-]+\.toml", file.name):
        message = "expected a name of letters, digits, _ and - that ends with .toml"
        yield Problem(str(file), "name", f"{message}, got {file.name}")
    there = dict.fromkeys(flow["algorithm"] for flow in _all_flows(table))
    if candidate.name not in there:
        have = ", ".join(there) or "none with an algorithm of its own"
        message = f"expected a flow of {candidate.name}, got {have}"
        yield Problem(f"{file}: flows", "no_candidate", message)
    name = short(candidate.name)
    for key, value in table.get("parameters", {}).get(name, {}).items():
        if candidate.parameters.get(key) != value:
            message = f"got {value}; the evaluation has {candidate.settings or 'the defaults'}"
            message += f": give it --set {key}={value} in another folder"
            yield Problem(f"{file}: parameters.{name}.{key}", "other_candidate", message)


def counters(
    folder: Path, *, candidate: Candidate, baselines: Sequence[str], size: Size, seed: int
) -> Iterator[Designed]:
    """The experiments of the scenarios that a folder has."""
    for file in files(folder):
        table = _named(load_scenario(file).to_dict(), candidate)
        yield from _counters(file.stem, table, candidate, baselines=baselines, size=size, seed=seed)


def _counters(
    stem: str,
    table: dict[str, Any],
    candidate: Candidate,
    *,
    baselines: Sequence[str],
    size: Size,
    seed: int,
) -> Iterator[Designed]:
    """The experiments of a scenario: one for each algorithm of others."""
    if "parameters" in table:
        # Those of the candidate are the evaluation's; no other arm has flows for them.
        rest = {k: it for k, it in table["parameters"].items() if k != short(candidate.name)}
        table = {**table, "parameters": rest}
    others = [it["algorithm"] for it in _all_flows(table) if it["algorithm"] != candidate.name]
    victims = list(dict.fromkeys(others)) or [""]
    numbers = [f"-{place}" for place, _ in enumerate(victims, 1)] if victims[1:] else [""]
    experiments = tuple(
        _experiment(stem, table, candidate.name, victim, size, number)
        for victim, number in zip(victims, numbers, strict=True)
    )
    criterion = Criterion(
        section=f"{FOLDER}-{stem}",
        title="Counter-scenario",
        strength="added",
        asks="A scenario that was added to this evaluation, as it stands in its folder.",
        experiments=experiments,
    )
    for experiment, victim in zip(experiments, victims, strict=True):
        names = [victim] if victim else list(baselines)
        yield designed(
            criterion, experiment, candidate=candidate, baselines=names, size=size, seed=seed
        )


def _all_flows(table: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [flow for key in TABLES for flow in table.get(key) or ()]


def _experiment(
    stem: str, table: dict[str, Any], candidate: str, victim: str, size: Size, identifier: str
) -> Experiment:
    """The experiment of one algorithm of victims; of the candidate alone without any."""
    model = _model(_all_flows(table), victim or candidate)
    measures = [
        each.model_copy(update={"response": _of_victims(each.response)}) for each in model.measures
    ]
    question = (
        f"What do the flows of {victim} lose to the candidate, and what to their own kind?"
        if victim
        else "What is it like alone, against the baseline?"
    )
    flows = {key: list(_flows(table[key], candidate, victim)) for key in TABLES if table.get(key)}
    recorded = {key: it for key, it in model.scenario.items() if key == "record_transfers"}
    return Experiment(
        id=identifier,
        title=f"{stem}: flows of {victim}" if victim else stem,
        question=question,
        arms="mix" if victim else "alone",
        scenario={**table, **flows, **recorded},
        measures=tuple(measures if victim else map(_alone, measures)),
        sizes={size: SizeTable(replicates=_REPLICATES[size], duration=table["duration"])},
        line=model.line,
    )


def _model(flows: Sequence[Mapping[str, Any]], judged: str) -> Experiment:
    """The experiment whose victims do the same: a film is judged as one, a request as a file.

    Measures of calls and films are of all in a run; so others may have none.
    """
    own, others = (
        {_kind(flow) for flow in flows if (flow["algorithm"] == judged) == there}
        for there in (True, False)
    )
    models = [it for each in criteria() if each.section in _MODELS for it in each.experiments]
    for model in models:
        like = {_kind(it) for it in model.scenario["flows"] if it["algorithm"] == "victim"}
        if own == like and (own == {_FILE} or not own & others):
            return model
    return models[0]


def _kind(flow: Mapping[str, Any]) -> str:
    application = flow.get("application") or ""
    kind = str(application["kind"] if isinstance(application, Mapping) else application)
    return _FILE if flow.get("size") or kind in ("rpc", "trace") else kind


def _flows(
    flows: Iterable[dict[str, Any]], candidate: str, victim: str
) -> Iterator[dict[str, Any]]:
    """The flows one by one under names of ours: measures are of those called `victim` alone."""
    kinds = {candidate: "candidate", victim: "victim"}
    numbers: Counter[str] = Counter()
    for flow in flows:
        name = kinds.get(flow["algorithm"], "other")
        for _ in range(flow.get("count", 1)):
            numbers[name] += 1
            numbered = {"name": f"{name}-{numbers[name]}", "count": 1}
            yield {**flow, **numbered, "algorithm": kinds.get(flow["algorithm"], flow["algorithm"])}


def _of_victims(response: str) -> str:
    """The response of the victims alone: a queue may keep flows apart, files may be of all."""
    delay = "queueing_delay_p95:victim"
    return delay if response == "sojourn_p95" else response.replace("{victim}", "@victim")


def _alone(measure: Measure) -> Measure:
    change = {"response": measure.response.partition(":")[0]}
    if measure.statistic == "harm":
        change["statistic"] = "change"
    return measure.model_copy(update=change)
