"""Studies of campaigns without code: figures, variants of plans, options, `mesonet score`."""

import json
import tomllib
from dataclasses import replace

import pytest
from refusals import refused
from typer.testing import CliRunner

from mesonet.analysis import paired_differences
from mesonet.cli import app
from mesonet.errors import PlanError
from mesonet.studies import Options, RunResults, StudyError, find_study, once, run_study
from mesonet.studies.folder import with_named_responses
from mesonet.studies.new_study import new_study

VARIANTS = """
[[variant]]
id = "long-path"
question = "The round trip"
ours = "100 ms"
other = "200 ms"
plan = { scenario = { rtt = "200 ms" } }

[[variant]]
id = "small-step"
question = "CUBIC's constant"
ours = "0.4"
other = "0.1"
parameters = { cubic = { c = 0.1 } }

[[variant]]
id = "buffer"
question = "The buffer, which the plan varies"
ours = "two"
other = "one"
plan = { scenario = { buffer = "1 bdp" } }
"""


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A short study with variants, and its results."""
    folder = new_study(tmp_path_factory.mktemp("studies") / "mine")
    for name in ("plan.toml", "study.toml"):
        text = (folder / name).read_text("utf-8")
        (folder / name).write_text(
            text.replace('"60 s"', '"2 s"').replace('"20 Mbit/s"', '"5 Mbit/s"')
        )
    (folder / "variants.toml").write_text(VARIANTS)
    out = folder.parent / "out"
    return folder, out, run_study(folder, out=out, workers=1)


def test_figures_of_campaigns_are_those_of_the_analyses(place):
    from mesonet.campaign import Campaign
    from mesonet.studies.campaigns import CampaignFigures, figure_keys

    campaign = Campaign.open(place[1])
    figures = CampaignFigures(campaign)
    frame = campaign.results()
    assert list(figures) == list(figure_keys(campaign.plan))
    reno = frame.filter(alternative="Reno")["mean_queue"]
    assert figures["Reno.runs"] == 16
    assert figures["Reno.mean_queue.mean"] == pytest.approx(reno.mean())
    assert figures["Reno.mean_queue.sd"] == pytest.approx(reno.std())
    row = paired_differences(frame, response="mean_queue", baseline="Reno").frame.row(0, named=True)
    for name in ("difference", "lower", "upper", "relative", "p"):
        assert figures[f"CUBIC - Reno.mean_queue.{name}"] == row[name]
    assert "CUBIC - CUBIC.mean_queue.p" not in figures
    assert set(CampaignFigures(campaign, "a.")) == {f"a.{name}" for name in figures}


def test_plans_of_variants_share_runs_and_get_no_report(place):
    folder, out, done = place
    # The plan varies the buffer itself.
    assert list(done.scorecard.variants) == ["long-path", "small-step"]
    prepared = find_study(folder).prepare(Options())
    assert prepared.like == {"variants/long-path": "", "variants/small-step": ""}
    ours, other = (
        {run.id: run for run in prepared.plans[name].runs()} for name in ("", "variants/small-step")
    )
    shared = set(ours) & set(other)
    assert {ours[each].alternative for each in shared} == {"Reno"}
    assert len(shared) == 16
    assert {run.scenario.rtt for run in prepared.plans["variants/long-path"].runs()} == {0.2}
    assert (out / "report.html").exists()
    assert not (out / "variants" / "long-path" / "report.html").exists()


def test_options_change_plans_and_sizes(place):
    study = find_study(place[0])
    (plan,) = study.prepare(Options("desk", replicates=3, seed=9, variants=())).plans.values()
    assert (plan.replicates, plan.seed, plan.scenario.duration) == (3, 9, 120.0)
    chosen = Options(algorithms=("bbr3", "reno"), variants=())
    (plan,) = study.prepare(chosen).plans.values()
    assert [each.label for each in plan.alternatives] == ["bbr3", "reno"]
    assert plan.alternatives[0].set == {"flows[0].algorithm": "bbr3"}
    assert plan.analysis.kinds()["paired_differences"]["baseline"] == "bbr3"
    with pytest.raises(PlanError):
        study.prepare(Options(algorithms=()))


def test_a_study_may_say_what_other_algorithms_mean(tmp_path):
    folder = new_study(tmp_path / "mine")
    (folder / "measure.py").write_text(
        "def with_algorithms(table, names):\n    return {**table, 'title': ' and '.join(names)}\n"
    )
    (plan,) = find_study(folder).prepare(Options(algorithms=("bbr3", "reno"))).plans.values()
    assert plan.title == "bbr3 and reno"
    assert [each.label for each in plan.alternatives] == ["Reno", "CUBIC"]


def test_a_plan_that_does_not_fit_names_its_file(tmp_path):
    folder = new_study(tmp_path / "mine")
    text = (folder / "plan.toml").read_text("utf-8")
    (folder / "plan.toml").write_text(text.replace('rtt = "100 ms"', 'rtt = "100 mss"'))
    with refused(StudyError, (f"{folder / 'plan.toml'}: scenario.rtt", "value_error")):
        find_study(folder)


def test_a_plan_may_extend_another_and_name_constants(tmp_path):
    folder = new_study(tmp_path / "mine")
    (folder / "plan.toml").rename(folder / "base.toml")
    (folder / "plan.toml").write_text('extends = "base.toml"\nscenario.rate = "{rate}"\n')
    with refused(StudyError, (f"{folder / 'plan.toml'}: scenario.rate", "value_error")):
        find_study(folder)
    (folder / "plan.toml").write_text('extends = "base.toml"\nreplicates = 5\n')
    study = (folder / "study.toml").read_text("utf-8")
    assert "[sizes.pocket]\n" in study
    sizes = '[sizes.pocket]\nplan.scenario.rate = "{rate}"\n'
    study = study.replace("[sizes.pocket]\n", sizes)
    (folder / "study.toml").write_text(study)
    with refused(StudyError, (f"{folder / 'study.toml'}: sizes.pocket", "name")):
        find_study(folder)
    values = '[values]\nrate = "7 Mbit/s"\nother = "70 ms"\n'
    (folder / "study.toml").write_text(study.replace("[settings]\n", f"{values}[settings]\n"))
    other = VARIANTS.partition('[[variant]]\nid = "small')[0].replace("200 ms", "{other}")
    (folder / "variants.toml").write_text(other)
    plans = find_study(folder).prepare(Options(variants=("all",))).plans
    assert [plan.scenario.rtt for plan in plans.values()] == [0.1, 0.07]
    assert plans[""].replicates == 5
    assert str(plans[""].scenario.rate) == "7 Mbit/s"
    (folder / "variants.toml").write_text(other.replace("{other}", "{otter}"))
    with pytest.raises(StudyError):
        find_study(folder).prepare(Options(variants=("all",)))


def test_sizes_and_variants_replace_entries_of_factors(tmp_path):
    folder = new_study(tmp_path / "mine")
    study = (folder / "study.toml").read_text("utf-8")
    sizes = '[sizes.pocket]\nplan.factors.buffer = { label = "Room" }\n'
    (folder / "study.toml").write_text(study.replace("[sizes.pocket]\n", sizes))
    own = tomllib.loads((folder / "plan.toml").read_text("utf-8"))["factors"]["buffer"]
    study = find_study(folder)
    (plan,) = study.prepare(Options()).plans.values()
    buffer = plan.to_dict()["factors"]["buffer"]
    assert (buffer["levels"], buffer["label"]) == (own["levels"], "Room")
    (plan,) = study.prepare(Options("desk")).plans.values()
    assert plan.to_dict()["factors"]["buffer"]["label"] == own["label"]


def test_claims_of_another_file_come_first(tmp_path):
    folder = new_study(tmp_path / "mine")
    before = [claim.id for claim in find_study(folder).claims]
    (folder / "more.toml").write_text(
        '[[claim]]\nid = "more"\ntext = "t"\npublished = "p"\nsource = "s"\n'
        'rule = { kind = "not_computable", reason = "why" }\n'
    )
    first, second, rest = (folder / "claims.toml").read_text("utf-8").split("[[claim]]", 2)
    include = f'{first}[[claim]]{second}[[include]]\nfile = "more.toml"\n\n[[claim]]{rest}'
    (folder / "claims.toml").write_text(include)
    ids = [claim.id for claim in find_study(folder).claims]
    assert ids == ["more", *before]


def test_a_result_that_several_parts_need_is_computed_once(place):
    asked = []

    @once
    def count(run):
        asked.append(run)
        return len(asked)

    run = RunResults({}, {}, {}, place[1])
    later = replace(run, figures={"a": 1.0})
    assert [count(run), count(later), count(run)] == [1, 1, 1]
    other = RunResults({}, {}, {}, place[1])
    assert [count(other), count(other)] == [2, 2]


def test_names_of_alternatives_stand_in_responses():
    meanings = [{"label": each, "names": {"new": each}} for each in ("bbr3", "cubic")]
    table = {"responses": ["loss_rate", "g1:{new}", "n1:{new}"], "alternatives": meanings}
    assert with_named_responses(table)["responses"] == [
        "loss_rate", "g1:bbr3", "n1:bbr3", "g1:cubic", "n1:cubic",
    ]  # fmt: skip
    assert with_named_responses({"responses": ["loss_rate"]}) == {"responses": ["loss_rate"]}
    with refused(PlanError, ("responses", "name")):
        with_named_responses({**table, "responses": ["g1:{old}"]})


def test_score_says_that_runs_are_missing(place, monkeypatch):
    folder, out, _ = place
    assert invoke("score", out, folder / "claims.toml").stderr == ""
    counts = {"total": 8, "done": 5, "failed": 1, "running": 0, "pending": 2}
    monkeypatch.setattr("mesonet.campaign.Campaign.status", lambda _: counts)
    said = invoke("score", out, folder / "claims.toml", "--json")
    assert json.loads(said.stdout)["claims"]
    assert said.stderr == (
        f"note: {out}: 3 of 8 runs are missing, of which 1 failed; verdicts rest on the others\n"
    )


def test_score_judges_a_campaign_by_a_file(place, tmp_path):
    folder, out, done = place
    said = invoke("score", out, folder / "claims.toml", "--json")
    data = json.loads(said.stdout)
    verdicts = {row["id"]: row["verdict"] for row in data["claims"]}
    assert verdicts == {entry.claim.id: entry.verdict for entry in done.scorecard.entries}
    claim = (
        '[[claim]]\nid = "{0}"\ntext = "t"\npublished = "p"\nsource = "s"\n'
        'rule = {{ kind = "between", figure = "{1}", {2} }}\n'
    )
    file = tmp_path / "claims.toml"
    file.write_text(claim.format("met", "Reno.runs", "low = 1"))
    said = invoke("score", out, file)
    assert said.exit_code == 0
    assert f"{'agrees':<22}  met" in said.stdout
    assert "1 of 1 claims" in said.stdout
    file.write_text(claim.format("missed", "Reno.runs", "high = 1"))
    assert invoke("score", out, file).exit_code == 1
    file.write_text(claim.format("unknown", "Rino.runs", "high = 1"))
    said = invoke("score", out, file)
    assert said.exit_code == 2
    assert 'claims.toml: claim[0] ("unknown"): ' in said.stderr
    assert "Traceback" not in said.stderr
    # Nothing can decide this one, and it says so.
    file.write_text(
        '[[claim]]\nid = "a"\ntext = "t"\npublished = "p"\nsource = "s"\n'
        'rule = { kind = "not_computable", reason = "why" }\n'
    )
    assert invoke("score", out, file).exit_code == 0
    assert invoke("score", tmp_path, file).exit_code == 2
    file.write_text("")
    said = invoke("score", out, file)
    assert said.exit_code == 2
    assert (
        "claims.toml: expected claims, each below a line [[claim]]; there are none" in said.stderr
    )


def test_equal_replicates_of_one_condition_decide_no_claim(tmp_path):
    """Nothing is random, so every replicate is the same run: no interval, no p, and words on it."""
    folder = new_study(tmp_path / "mine")
    text = (folder / "plan.toml").read_text("utf-8")
    text = text.replace('"60 s"', '"2 s"').replace('"20 Mbit/s"', '"5 Mbit/s"')
    text = text.replace("loss = 2e-4\n", "")
    plan = tomllib.loads(text)
    assert list(plan["factors"]) == ["buffer"]
    head, _, rest = text.partition("[factors.buffer]")
    (folder / "plan.toml").write_text(head + rest[rest.index("[[alternatives]]") :])
    rules = "".join(
        f"""
[[claim]]
id = "{name}"
text = "A difference of {name}"
published = "some"
source = "page 1"
rule = {{ kind = "between", figure = "CUBIC - Reno.mean_queue.{name}", high = 1e9 }}
"""
        for name in ("difference", "p", "lower", "upper")
    )
    (folder / "claims.toml").write_text(rules)
    done = run_study(folder, out=tmp_path / "out", workers=1)
    verdicts = {entry.claim.id: entry.verdict for entry in done.scorecard.entries}
    assert verdicts.pop("difference") == "agrees"
    assert set(verdicts.values()) == {"not computable"}
    shown = (tmp_path / "out" / "mine.html").read_text("utf-8")
    assert shown.count("They count as a single pair of runs") == 1
    report = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "CUBIC is most clearly" not in report


def test_new_study_makes_a_folder_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = invoke("new-study", "mine")
    assert (said.exit_code, said.stdout) == (0, "mine\n")
    names = {path.name for path in (tmp_path / "mine").iterdir()}
    assert names == {"study.toml", "plan.toml", "claims.toml", "page.md"}
    said = invoke("new-study", "mine")
    assert said.exit_code == 2
    assert "expected a new or empty folder" in said.stderr
    assert invoke("new-study", "-a").exit_code == 2
