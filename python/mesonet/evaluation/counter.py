"""Counter-scenarios: what somebody else says an evaluation should have tried.

Each is a criterion of its own. Its file is kept in the folder of the evaluation, so that it is part
of whatever is made of that folder later.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mesonet.errors import InputError, Problem, gathered
from mesonet.evaluation.criteria import Criterion, Experiment, Measure, Size, SizeTable, criteria
from mesonet.evaluation.plans import ALONE, Arms, Designed, placed
from mesonet.plan import plan_from_dict
from mesonet.scenario import Scenario, load_scenario
from mesonet.units import format_time, parse_time
from mesonet.writing import write_atomically

FOLDER = "added"
"""Folder of the scenarios, in that of the evaluation."""
VICTIM = "victim"
"""Name of the flows whose loss is measured."""
_MODEL = "5.2.1"
"""Criterion whose measures are taken."""
_REPLICATES: dict[Size, int] = {"pocket": 10, "desk": 20, "full": 30}


class Kept(NamedTuple):
    """Whose evaluation a folder is, as far as a counter-scenario has to share it."""

    size: Size
    baselines: tuple[str, ...]
    seed: int


def kept(inputs: Path) -> Kept:
    """What the file of an evaluation's folder says."""
    there = json.loads(inputs.read_text("utf-8")) if inputs.is_file() else {}
    if "baselines" not in there:  # a search has such a file, too
        message = f"expected the folder of an evaluation, {inputs.parent} is none"
        raise InputError([Problem("add", "no_evaluation", f"{message}; make one without --add")])
    return Kept(there["size"], tuple(there["baselines"]), there["seed"])


def read(file: Path) -> Scenario:
    """A scenario; its problems name the file, of which there may be several."""
    try:
        return load_scenario(file)
    except InputError as error:
        place = str(file)
        raise InputError(
            it if place in f"{it.loc} {it.message}" else it._replace(loc=f"{place}: {it.loc}")
            for it in error.problems
        ) from None


def files(folder: Path) -> list[Path]:
    """The counter-scenarios that a folder has."""
    return sorted((folder / FOLDER).glob("*.toml"))


def sections(folder: Path) -> list[str]:
    """Their sections."""
    return list(map(_section, files(folder)))


def add(scenarios: Iterable[str | Path], folder: Path, candidate: str) -> None:
    """Keeps scenarios in the folder of an evaluation; all that is wrong is told before."""
    problems: list[Problem] = []
    texts: dict[Path, str] = {}
    for file in map(Path, scenarios):
        place = folder / FOLDER / file.name
        with gathered(problems):
            scenario = read(file)
            problems += _problems(file, scenario, candidate)
            texts[place] = scenario.to_toml()
            if place.is_file() and place.read_text("utf-8") != texts[place]:
                message = f"{folder} has another scenario of this name; rename the file"
                problems.append(Problem(str(file), "other_scenario", message))
    if problems:
        raise InputError(problems)
    for place, text in texts.items():
        write_atomically(place, text.encode())


def _problems(file: Path, scenario: Scenario, candidate: str) -> Iterator[Problem]:
    if not re.fullmatch(r"[\w-]+\.toml", file.name):
        message = "expected a name of letters, digits, _ and - that ends with .toml"
        yield Problem(str(file), "name", f"{message}, got {file.name}")
    flows = scenario.to_dict().get("flows", [])
    there = dict.fromkeys(flow["algorithm"] for flow in flows)
    if candidate not in there:
        have = ", ".join(there) or "none with an algorithm of its own"
        message = f"expected a flow of {candidate}, got {have}"
        yield Problem(f"{file}: flows", "no_candidate", message)


def counters(
    folder: Path, *, candidate: str, baselines: Sequence[str], size: Size, seed: int
) -> Iterator[Designed]:
    """The experiments of the scenarios that a folder has: one for each algorithm of others."""
    for file in files(folder):
        table = load_scenario(file).to_dict()
        others = [it["algorithm"] for it in table["flows"] if it["algorithm"] != candidate]
        victims = list(dict.fromkeys(others))
        numbers = [f"-{place}" for place, _ in enumerate(victims, 1)] if victims[1:] else [""]
        experiments = tuple(
            _experiment(file.stem, table, victim, size, number)
            for victim, number in zip(victims or [""], numbers, strict=True)
        )
        criterion = Criterion(
            section=_section(file),
            title="Counter-scenario",
            strength="added",
            asks="A scenario that was added to this evaluation, as it stands in its folder.",
            experiments=experiments,
        )
        for experiment, victim in zip(experiments, victims or [""], strict=True):
            names = [victim] if victim else list(baselines)
            yield _designed(criterion, experiment, candidate, names, seed)


def _section(file: Path) -> str:
    return f"{FOLDER}-{file.stem}"


def place(section: str) -> str:
    """File of a section, in the folder of the evaluation."""
    return f"{FOLDER}/{section.removeprefix(f'{FOLDER}-')}.toml"


def _experiment(
    stem: str, table: dict[str, Any], victim: str, size: Size, identifier: str
) -> Experiment:
    """The experiment of one algorithm of victims; of the candidate alone without any."""
    model = next(each for each in criteria() if each.section == _MODEL).experiments[0]
    question = (
        f"What do the flows of {victim} lose beside the candidate, and what beside their own kind?"
        if victim
        else "What is it like alone, against the baseline?"
    )
    return Experiment(
        id=identifier,
        title=f"{stem}: flows of {victim}" if victim else stem,
        question=question,
        arms="mix" if victim else "alone",
        scenario={**table, "record_queues": True, "flows": list(_flows(table["flows"], victim))},
        measures=model.measures if victim else tuple(map(_alone, model.measures)),
        sizes={size: SizeTable(replicates=_REPLICATES[size], duration=table["duration"])},
        line=model.line,
    )


def _flows(flows: Iterable[dict[str, Any]], victim: str) -> Iterator[dict[str, Any]]:
    """The flows, those of the victims with numbers behind one name."""
    number = 0
    for flow in flows:
        if not victim or flow["algorithm"] != victim:
            yield flow
            continue
        for _ in range(flow.get("count", 1)):
            number += 1
            yield {**flow, "name": f"{VICTIM}-{number}", "count": 1}


def _alone(measure: Measure) -> Measure:
    change = {"response": measure.response.partition(":")[0]}
    if measure.statistic == "harm":
        change["statistic"] = "change"
    return measure.model_copy(update=change)


def _designed(
    criterion: Criterion,
    experiment: Experiment,
    candidate: str,
    baselines: Sequence[str],
    seed: int,
) -> Designed:
    flows, mix = experiment.scenario["flows"], experiment.arms == "mix"
    places = [place for place, flow in enumerate(flows) if flow["algorithm"] == candidate]
    arms, alternatives = [], []
    first = f"{VICTIM}s beside the candidate" if mix else "candidate"
    alternatives.append(
        {"label": first, "set": {f"flows[{it}].algorithm": candidate for it in places}}
    )
    for name in baselines:
        own = {f"flows[{it}].algorithm": name for it in places}
        arm = Arms(name, first, f"{VICTIM}s among their own" if mix else name, f"{VICTIM}s alone")
        arms.append(arm)
        alternatives.append({"label": arm.reference, "set": own})
        if mix:
            over = {f"flows[{it}].size": ALONE for it in places}
            alternatives.append({"label": arm.solo, "set": own | over})
    duration = parse_time(experiment.scenario["duration"])
    plan: dict[str, Any] = {
        "name": f"{criterion.section}{experiment.id}",
        "title": f"{criterion.section} {experiment.title}",
        "question": experiment.question,
        "scenario": experiment.scenario,
        "alternatives": alternatives,
        "replicates": next(iter(experiment.sizes.values())).replicates,
        "spread": {"rtt": 0.05, "start": format_time(min(1.0, duration / 20))},
        "seed": seed,
        "responses": list(dict.fromkeys(it.response for it in experiment.measures)),
    }
    with placed(plan["name"]):
        return Designed(criterion, experiment, plan_from_dict(plan), tuple(arms), "rfc")
