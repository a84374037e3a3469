"""Counter-scenarios that join an evaluation, and comparisons with one that was kept."""

import json

import pytest
from refusals import refused
from tiny_criteria import tiny_criteria
from typer.testing import CliRunner

from mesonet.campaign import Campaign
from mesonet.cli import app
from mesonet.errors import InputError
from mesonet.evaluation import counter, page
from mesonet.evaluation.chart import place
from mesonet.evaluation.execution import evaluate
from mesonet.evaluation.inputs import described
from mesonet.evaluation.regression import read_evaluation, worse

COUNTER = """\
kind = "dumbbell"
rate = "4 Mbit/s"
rtt = "30 ms"
buffer = "0.5 bdp"
duration = "6 s"
warm_up = 0.25
flows = [
    { algorithm = "bbr1", count = 2 },
    { algorithm = "reno", count = 2 },
]
"""

GAINED = """\
import mesonet


class Gained(mesonet.Controller):
    cadence = "round"

    def __init__(self, initial, gain=1.0):
        super().__init__(initial)

    def on_round(self, round, flow): ...

    def on_congestion(self, event, flow): ...
"""


@pytest.fixture(scope="module")
def bbr1(tmp_path_factory):
    """An evaluation, to which one counter-scenario was added."""
    folder = tmp_path_factory.mktemp("counter")
    (folder / "shallow.toml").write_text(COUNTER)
    with tiny_criteria(tmp_path_factory.mktemp("criteria")):
        before = evaluate("bbr1", baseline=["reno"], out=folder / "out", workers=1)
        kept = (folder / "out" / "evaluation.json").read_bytes()
        (folder / "base.json").write_bytes(kept)
        after = evaluate("bbr1", add=[folder / "shallow.toml"], out=folder / "out", workers=1)
        yield folder, before, after


def kinds(error):
    return [(problem.loc.rpartition("/")[2], problem.kind) for problem in error.problems]


def test_a_counter_scenario_has_a_section_and_leaves_the_others(bbr1):
    folder, before, after = bbr1
    *others, added = after.criteria
    assert others == list(before.criteria)
    assert (added.section, added.status) == ("added-shallow", "run")
    assert 'id="s-added-shallow"' in (folder / "out" / "index.html").read_text("utf-8")


def test_it_is_measured_as_the_others_are(bbr1):
    """Victims beside the candidate, among their own and alone; BBR 1 takes in shallow buffers."""
    _, before, after = bbr1
    added = after.criteria[-1].experiments[0]
    words = [cell.words for cell in added.cells]
    assert words == list(dict.fromkeys(it.words for it in before.criteria[0].experiments[0].cells))
    goodput = next(cell for cell in added.cells if cell.words == "goodput")
    assert (goodput.baseline, goodput.state) == ("reno", "worse")
    assert added.runs == 3 * added.replicates
    (told,) = (it.text for it in after.sentences if it.section == "added-shallow")
    assert "all conditions" not in told


def test_it_stays_in_the_folder(bbr1):
    folder, _, after = bbr1
    (folder / "shallow.toml").unlink()
    assert evaluate("bbr1", baseline=["reno"], out=folder / "out", workers=1) == after
    (folder / "shallow.toml").write_text(COUNTER)


def test_without_victims_the_candidate_is_set_against_the_baselines(bbr1):
    folder, _, _ = bbr1
    (folder / "alone.toml").write_text(COUNTER.replace('{ algorithm = "reno", count = 2 },', ""))
    after = evaluate("bbr1", add=[folder / "alone.toml"], out=folder / "out", workers=1)
    alone = next(each for each in after.criteria if each.section == "added-alone")
    assert {cell.baseline for cell in alone.experiments[0].cells} == {"reno"}
    assert {cell.statistic for cell in alone.experiments[0].cells} == {"change"}


def test_a_queue_that_the_candidate_has_to_itself_is_no_harm_to_others(bbr1):
    """FQ-CoDel keeps flows apart: nobody else waits behind the queue of BBR 1."""
    folder, _, _ = bbr1
    fair = COUNTER.replace('rtt = "30 ms"', 'queue = "fq_codel"\nrtt = "80 ms"')
    fair = fair.replace("0.5 bdp", "4 bdp")
    (folder / "fair.toml").write_text(fair)
    after = evaluate("bbr1", add=[folder / "fair.toml"], out=folder / "out", workers=1)
    fair = next(each for each in after.criteria if each.section == "added-fair")
    (delay,) = (it for it in fair.experiments[0].cells if it.words == "delay")
    assert delay.state != "worse"


def test_flows_that_cross_a_parking_lot_are_victims(bbr1):
    folder, _, _ = bbr1
    lot = COUNTER.replace("dumbbell", "parking_lot").replace(
        '{ algorithm = "reno", count = 2 },', ""
    )
    text = lot.replace("kind =", "hops = 2\nkind =") + 'cross = [{ algorithm = "reno" }]\n'
    (folder / "lot.toml").write_text(text)
    after = evaluate("bbr1", add=[folder / "lot.toml"], out=folder / "out", workers=1)
    lot = next(each for each in after.criteria if each.section == "added-lot")
    goodput = next(cell for cell in lot.experiments[0].cells if cell.words == "goodput")
    assert (goodput.baseline, goodput.state) == ("reno", "worse")


def simulated(folder, stem, label):
    """Flows of an arm of a counter-scenario by name."""
    plan = Campaign.open(folder / "out" / "criteria" / f"added-{stem}").plan
    run = next(it for it in plan.runs() if it.alternative == label)
    return {flow.name: flow for flow in run.scenario.flows}


def test_a_candidate_that_shows_a_film_is_over_at_once_where_victims_are_alone(bbr1):
    folder, _, _ = bbr1
    film = COUNTER.replace("count = 2", 'application = "video"', 1)
    (folder / "film.toml").write_text(film)
    after = evaluate("bbr1", add=[folder / "film.toml"], out=folder / "out", workers=1)
    film = next(each for each in after.criteria if each.section == "added-film")
    assert film.experiments[0].failed == 0
    alone = simulated(folder, "film", "reno alone")
    assert {name for name, flow in alone.items() if flow.size} == {"candidate-1"}
    assert not [flow for flow in alone.values() if flow.application]


def test_a_name_that_others_have_makes_no_victim_of_them(bbr1):
    """The names are those of `mesonet search`."""
    folder, _, _ = bbr1
    named = '{ name = "victim", algorithm = "cubic" },\n    { name = "other", algorithm = "reno" }'
    text = COUNTER.replace('{ algorithm = "reno", count = 2 }', named)
    (folder / "both.toml").write_text(text)
    after = evaluate("bbr1", add=[folder / "both.toml"], out=folder / "out", workers=1)
    both = next(each for each in after.criteria if each.section == "added-both")
    assert [it.cells[0].baseline for it in both.experiments] == ["cubic", "reno"]
    for each in both.experiments:
        scenario = Campaign.open(folder / "out" / each.folder).plan.scenario
        names = {name: it.algorithm for name, it in scenario.named_flows().items()}
        victims = {kind for name, kind in names.items() if name.startswith("victim")}
        assert victims == {each.cells[0].baseline}


def test_the_candidate_may_have_another_name_and_its_parameters(tmp_path, monkeypatch):
    """As a reviewer's own file does; other parameters are another candidate."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "gained.py").write_text(GAINED)
    text = COUNTER.replace('"bbr1"', '"mine=python:gained.Gained"')
    (tmp_path / "own.toml").write_text(text + "parameters = { mine = { gain = 2 } }\n")
    asked = {"baselines": ["reno"], "size": "pocket", "seed": 1}
    own = described("python:gained.Gained", {"gain": 2.0})
    counter.add([tmp_path / "own.toml"], tmp_path, candidate=own, **asked)
    ((design,),) = ([*counter.counters(tmp_path, candidate=own, **asked)],)
    arms = {it.alternative: it.scenario for it in design.plan.with_replicates(1).runs()}
    set_to = {label: scenario.to_dict().get("parameters") for label, scenario in arms.items()}
    mine = {"python:gained.Gained": {"gain": 2.0}}
    assert set_to == {
        "reno versus the candidate": mine,
        "reno among its own": None,
        "reno alone": None,
    }
    with refused(
        InputError, (f"{tmp_path / 'own.toml'}: parameters.{own.name}.gain", "other_candidate")
    ):
        counter.add([tmp_path / "own.toml"], tmp_path, candidate=described(own.name), **asked)


def test_scenarios_that_were_added_come_along_with_runs_that_are_reused(bbr1, tmp_path):
    """The next version is asked what reviewers asked the last one."""
    folder, _, after = bbr1
    options = ["--baseline", "reno", "--out", str(tmp_path / "next"), "--workers", "1"]
    for _ in range(2):
        command = ["evaluate", "vegas", *options, "--reuse", str(folder / "out")]
        outcome = CliRunner().invoke(app, command)
        assert outcome.exit_code == 0, outcome.stderr
    now = read_evaluation(tmp_path / "next" / "evaluation.json")
    was, its = (
        next(it.cells for it in each.criteria if it.section == "added-shallow")
        for each in (after, now)
    )
    assert [it.reference for it in its] == [it.reference for it in was]
    assert [it.candidate for it in its] != [it.candidate for it in was]


def test_another_candidate_takes_the_place_of_the_one_before(tmp_path, monkeypatch):
    """Under whatever names, for its code is not asked trust for, and with its own parameters."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "gained.py").write_text(GAINED)
    text = COUNTER.replace('"bbr1"', '"mine=python:gained.Gained"')
    text = text.replace("flows = [", 'flows = [{ algorithm = "python:gained.Gained" },')
    text += "parameters = { mine = { gain = 2 } }\n"
    before = described("python:gained.Gained", {"gain": 2.0})
    (tmp_path / "added").mkdir()
    (tmp_path / "added" / "own.toml").write_text(text)
    asked = {"baselines": ["reno"], "size": "pocket", "seed": 1, "before": before}
    there = counter.files(tmp_path)
    counter.add(there, tmp_path / "next", candidate=described("bbr1"), **asked)
    (copy,) = counter.files(tmp_path / "next")
    scenario = counter.read(copy).to_dict()
    assert [it["algorithm"] for it in scenario["flows"]] == ["bbr1", "bbr1", "reno"]
    assert not scenario.get("parameters")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("none.toml", None, [("none.toml", "missing_file")]),
        ("two words.toml", COUNTER, [("two words.toml", "name")]),
        ("other.toml", COUNTER.replace("bbr1", "vegas"), [("other.toml: flows", "no_candidate")]),
        ("shallow.toml", COUNTER.replace("30 ms", "40 ms"), [("shallow.toml", "other_scenario")]),
        ("bad.toml", COUNTER.replace("30 ms", "30"), [("rtt", "value_error")]),
        (
            "late.toml",
            COUNTER.replace("count = 2", 'start = "5.9999 s"', 1),
            [("late.toml: condition 1, reno versus the candidate", "too_large")],
        ),
    ],
)
def test_bad_counter_scenarios_are_told_and_nothing_is_written(
    bbr1, tmp_path, name, text, expected
):
    folder, _, _ = bbr1
    if text is not None:
        (tmp_path / name).write_text(text)
    before = sorted((folder / "out" / "added").iterdir())
    with pytest.raises(InputError) as caught:
        evaluate("bbr1", add=[tmp_path / name], out=folder / "out")
    assert kinds(caught.value) == expected
    assert sorted((folder / "out" / "added").iterdir()) == before


@pytest.mark.parametrize("place", ["given.toml", "out/added/there.toml"])
def test_code_that_a_counter_scenario_names_needs_trust(tmp_path, monkeypatch, place):
    """Also where the folder has it from somebody else."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "code.py").write_text("raise SystemExit('ran')\n")
    file = tmp_path / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(COUNTER.replace("reno", "python:code.Any"))
    options = ["--out", "out", *(["--add", place] if place == "given.toml" else [])]
    outcome = CliRunner().invoke(app, ["evaluate", "bbr1", *options])
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith(f"error: {place}: python:code.Any")


def test_a_scenario_joins_no_evaluation_by_a_command_that_is_refused(bbr1, tmp_path):
    folder, _, _ = bbr1
    (tmp_path / "new.toml").write_text(COUNTER)
    with refused(InputError, ("packs", "unknown_pack")):
        evaluate("bbr1", add=[tmp_path / "new.toml"], packs=["l5s"], out=folder / "out")
    assert not (folder / "out" / "added" / "new.toml").exists()


def test_a_counter_scenario_needs_an_evaluation(bbr1, tmp_path):
    folder, _, _ = bbr1
    with pytest.raises(InputError) as caught:
        evaluate("bbr1", add=[folder / "shallow.toml"], out=tmp_path / "new")
    assert kinds(caught.value) == [("add", "no_evaluation")]
    assert not (tmp_path / "new").exists()


def shifted(folder, change):
    """The kept evaluation with all excesses changed."""
    data = json.loads((folder / "base.json").read_text("utf-8"))
    for cell in data["criteria"][0]["experiments"][0]["cells"]:
        for key in ("excess", "low", "high"):
            cell[key] = None if cell[key] is None else cell[key] + change
    file = folder / "shifted.json"
    file.write_text(json.dumps(data))
    return file


def compared(folder, file, *more):
    options = ["--baseline", "reno", "--out", str(folder / "out"), "--workers", "1", *more]
    return CliRunner().invoke(app, ["evaluate", "bbr1", *options, "--against", str(file)])


def test_the_same_is_not_worse(bbr1):
    folder, before, _ = bbr1
    outcome = compared(folder, folder / "base.json")
    assert outcome.exit_code == 0
    told = outcome.stderr.replace("\n", "")
    assert str(folder / "base.json") in told
    # Those of added scenarios are not in the base.
    assert f"0 of {len(before.criteria[0].cells)} that both have" in told


def test_what_is_worse_beyond_its_interval_ends_with_status_1(bbr1):
    folder, before, _ = bbr1
    outcome = compared(folder, shifted(folder, -1.9), "--quiet")
    assert outcome.exit_code == 1
    cells = before.criteria[0].experiments[0].cells
    assert outcome.stderr.count("worse: 5.2.1") == len({it.words for it in cells}) < len(cells)


def test_what_is_worse_within_its_interval_or_better_is_not(bbr1):
    folder, before, after = bbr1
    cells = [it for it in before.criteria[0].experiments[0].cells if it.low is not None]
    half = min(cell.high - cell.low for cell in cells) / 2
    # A cell whose replicates are all the same has no interval, and any change counts.
    groups = worse(after, read_evaluation(shifted(folder, -half)))
    assert sum(map(len, groups.values())) < len(cells)
    assert worse(after, read_evaluation(shifted(folder, 1.0))) == {}


def test_the_worst_condition_of_a_measure_comes_first(bbr1):
    folder, before, _ = bbr1
    goodput = [it for it in before.criteria[0].experiments[0].cells if it.words == "goodput"]
    data = json.loads(shifted(folder, -1.9).read_text("utf-8"))
    for cell in data["criteria"][0]["experiments"][0]["cells"]:
        if cell["condition"] == goodput[-1].condition:
            cell |= {"excess": -9.0, "low": None, "high": None}
    file = folder / "worst.json"
    file.write_text(json.dumps(data))
    texts = worse(before, read_evaluation(file))["5.2.1 goodput"]
    assert [place(goodput[-1]) in text for text in texts] == [True] + [False] * (len(goodput) - 1)


def test_a_candidate_that_fails_where_it_did_not_is_worse(bbr1):
    folder, before, _ = bbr1
    experiment = before.criteria[0].experiments[0]
    broken = experiment.cells[0].model_copy(update={"errors": ("out of range",), "excess": None})
    cells = (broken, *experiment.cells[1:])
    criterion = before.criteria[0].model_copy(
        update={"experiments": (experiment.model_copy(update={"cells": cells}),)}
    )
    now = before.model_copy(update={"criteria": (criterion, *before.criteria[1:])})
    ((line,),) = worse(now, read_evaluation(folder / "base.json")).values()
    assert "out of range" in line


def test_a_measure_that_lost_its_value_is_worse(bbr1):
    folder, before, _ = bbr1
    data = json.loads((folder / "base.json").read_text("utf-8"))
    data["criteria"][0]["experiments"][0]["cells"][0] |= {"n": 0, "excess": None}
    file = folder / "lost.json"
    file.write_text(json.dumps(data))
    groups = worse(read_evaluation(file), before)
    assert list(map(len, groups.values())) == [1]
    assert worse(before, read_evaluation(file)) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, [("against", "missing_file")]),
        ("{", [("against", "bad_file")]),
        ('{"format": "another"}', None),
    ],
)
def test_a_base_that_is_no_evaluation_is_refused(tmp_path, text, expected):
    file = tmp_path / "base.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_evaluation(file)
    if expected is not None:
        assert kinds(caught.value) == expected


def test_an_evaluation_of_other_criteria_is_refused(bbr1):
    _, before, _ = bbr1
    for other in ({"criteria": ()}, {"size": "desk"}):
        with pytest.raises(InputError) as caught:
            worse(before, before.model_copy(update=other))
        assert kinds(caught.value) == [("against", "nothing_in_common")]


def test_a_folder_of_another_candidate_is_refused_before_anything_joins_it(bbr1, tmp_path):
    folder, _, _ = bbr1
    mine = tmp_path / "mine.toml"
    mine.write_text(COUNTER.replace("bbr1", "cubic"))
    before = sorted(folder.rglob("*"))
    with pytest.raises(InputError) as caught:
        evaluate("cubic", add=[mine], out=folder / "out", workers=1)
    assert kinds(caught.value) == [("out", "other_question")]
    assert f"--reuse {folder / 'out'}" in str(caught.value)
    assert sorted(folder.rglob("*")) == before


def test_problems_of_a_counter_scenario_name_its_file(bbr1, tmp_path):
    folder, _, _ = bbr1
    empty = tmp_path / "empty.toml"
    empty.touch()
    with pytest.raises(InputError) as caught:
        evaluate("bbr1", add=[empty], out=folder / "out", workers=1)
    assert [it.loc for it in caught.value.problems] == [f"{empty}: kind"]


def test_the_folder_of_a_search_is_no_evaluation(bbr1, tmp_path):
    folder, _, _ = bbr1
    candidate = json.loads((folder / "out" / "inputs.json").read_text("utf-8"))["candidate"]
    (tmp_path / "inputs.json").write_text(json.dumps({"candidate": candidate, "budget": 200}))
    with pytest.raises(InputError) as caught:
        evaluate("bbr1", add=[folder / "shallow.toml"], out=tmp_path)
    assert kinds(caught.value) == [("add", "no_evaluation")]


def test_what_the_folder_has_is_not_asked_again(bbr1):
    folder, _, _ = bbr1
    more = ["--add", str(folder / "shallow.toml"), "--size", "desk"]
    outcome = CliRunner().invoke(app, ["evaluate", "bbr1", "--out", str(folder / "out"), *more])
    assert outcome.exit_code == 2
    assert "--size: " in outcome.stderr


def test_the_answer_names_those_that_were_met(bbr1):
    """Sections without a value are none in which it is not worse."""
    *_, after = bbr1
    (added,) = (it for it in after.criteria if it.section.startswith("added"))
    others = after.model_copy(update={"criteria": (added,), "baselines": ("cubic",)})
    lead = page._lead(others)
    assert "reno" in lead
    assert "cubic" not in lead
    assert page._met(after.criteria).endswith(", and in added scenarios")
    gone = {"excess": None}
    empty = [
        own.model_copy(update={"cells": tuple(it.model_copy(update=gone) for it in own.cells)})
        for own in added.experiments
    ]
    bare = added.model_copy(update={"experiments": tuple(empty)})
    assert " of 1 sections" not in page._lead(after.model_copy(update={"criteria": (bare,)}))
