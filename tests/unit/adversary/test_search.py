"""A search from end to end at a tiny size, and what is refused."""

import json
from pathlib import Path

import polars as pl
import pytest
from refusals import refused
from tiny_criteria import CRASHING
from typer.testing import CliRunner

import mesonet
from mesonet.adversary import execution
from mesonet.adversary.question import question
from mesonet.adversary.trials import Trials
from mesonet.campaign import run_campaign
from mesonet.cli import app
from mesonet.errors import InputError

TINY = {
    "rate": "4 Mbit/s",
    "rtt": ("20 ms", "80 ms"),
    "buffer": ("0.3 bdp", "3 bdp"),
    "loss": 0.0,
    "flows": 1,
    "victims": 1,
    "start": "0 s",
    "duration": "10 s",
    "budget": 300,
    "workers": 1,
}
OPTIONS = [
    part
    for name, value in TINY.items()
    for part in (f"--{name}", ",".join(map(str, value)) if isinstance(value, tuple) else str(value))
]
PLANTED = Path(__file__).with_name("planted.py")


def search(name, **options):
    return mesonet.search(name, **TINY | options)


@pytest.fixture(scope="module")
def bbr1(tmp_path_factory):
    """BBR 1 takes from Reno in shallow buffers: Ware and others, IMC 2019."""
    out = tmp_path_factory.mktemp("search") / "bbr1"
    return out, search("bbr1", against="reno", out=out)


def test_harm_is_shown_with_seeds_that_chose_nothing(bbr1):
    out, outcome = bbr1
    assert outcome.shown
    assert outcome.minimal.mean > 0.3
    assert outcome.minimal.low < outcome.minimal.mean < outcome.minimal.high
    seeds = [set(mesonet.Campaign.open(folder).plan.seeds) for folder in (out / "trials").iterdir()]
    fresh = set(mesonet.Campaign.open(out / "trials" / "fresh").plan.seeds)
    assert sum(bool(fresh & each) for each in seeds) == 1


def test_victims_beside_among_their_own_and_alone_have_the_same_seeds(bbr1):
    out, _ = bbr1
    results = mesonet.Campaign.open(out / "trials" / "fresh").results()
    arms = results.group_by("condition", "replicate").agg(
        pl.col("seed").n_unique(), pl.len().alias("runs")
    )
    assert set(arms["seed"]) == {1}
    assert set(arms["runs"]) == {3}


def test_the_candidate_begins_within_a_short_run(tmp_path):
    """The default of `start` follows the duration."""
    asked = {name: it for name, it in TINY.items() if name not in ("start", "workers")}
    bounds = {name: asked.pop(name) for name in ("rate", "rtt", "buffer", "loss", "flows")}
    bounds |= {"victims": asked.pop("victims"), "start": None, "queue": "droptail"}
    short = question(
        "bbr1",
        against="reno",
        response="excess",
        bounds=bounds,
        profile="rfc",
        seed=1,
        out=tmp_path / "out",
        **asked | {"duration": "5 s"},
    )
    Trials(short, run_campaign).check()
    assert short.space.bounds()["start"][-1] == "830 ms"
    assert f"--out {tmp_path / 'out'}" in short.command


def test_the_budget_is_kept(bbr1):
    _, outcome = bbr1
    assert 200 < outcome.runs <= 300


def test_a_search_ends_with_the_same_when_it_is_begun_again(bbr1, monkeypatch):
    """Also where it was stopped in the middle; what is there is not run again."""
    out, outcome = bbr1
    text = (out / "search.json").read_text("utf-8")
    (out / "search.json").unlink()
    ran = []
    whole = execution.run_campaign

    def watched(*args, progress, **options):
        return whole(*args, progress=lambda it: ran.append(it.executed), **options)

    monkeypatch.setattr(execution, "run_campaign", watched)
    assert search("bbr1", against="reno", out=out) == outcome
    assert (out / "search.json").read_text("utf-8") == text
    assert not any(ran)


def test_what_finished_before_an_interrupt_is_kept(tmp_path, monkeypatch):
    whole, begun = execution.run_campaign, []

    def stopped(plan, **options):
        begun.append(plan.name)
        if len(begun) == 2:
            raise KeyboardInterrupt
        return whole(plan, **options)

    monkeypatch.setattr(execution, "run_campaign", stopped)
    with pytest.raises(KeyboardInterrupt):
        search("vegas", out=tmp_path / "out")
    assert mesonet.Campaign.open(tmp_path / "out" / "trials" / "start").status()["pending"] == 0


def test_the_minimal_condition_is_a_scenario_and_a_command(bbr1):
    out, outcome = bbr1
    scenario = mesonet.load_scenario(out / "minimal.toml")
    assert [flow.algorithm for flow in scenario.flows] == ["bbr1", "reno"]
    assert outcome.replay == f"mesonet simulate {out / 'minimal.toml'}"


def test_the_page_has_the_picture_and_no_verdict(bbr1):
    out, outcome = bbr1
    page = (out / "index.html").read_text("utf-8")
    assert outcome.replay in page
    assert 'id="tried"' in page
    assert "compliant" not in page.lower()


def test_the_command_prints_the_answer_what_runs_it_again_and_the_page(bbr1):
    out, outcome = bbr1
    command = ["search", "bbr1", "--against", "reno", *OPTIONS, "--out", str(out)]
    printed = CliRunner().invoke(app, command)
    assert printed.exit_code == 0
    lines = [*outcome.sentences(), outcome.replay, str(out / "index.html")]
    assert printed.stdout.splitlines() == lines


def test_a_candidate_with_parameters_is_searched_with_them(tmp_path):
    """Those of the victims are their own."""
    out = tmp_path / "gentle"
    command = ["search", "cubic", "--against", "reno", *OPTIONS, "--set", "beta=0.9"]
    printed = CliRunner().invoke(app, [*command, "--json", "--out", str(out)])
    assert printed.exit_code == 0, printed.stderr
    data = json.loads(printed.stdout)
    assert data["parameters"] == {"beta": 0.9}
    assert "--set beta=0.9" in data["command"]
    minimal = mesonet.load_scenario(out / "minimal.toml")
    assert minimal.to_dict()["parameters"] == {"cubic": {"beta": 0.9}}
    plan = mesonet.Campaign.open(out / "trials" / "fresh").plan
    set_to = {run.alternative: run.scenario.to_dict().get("parameters") for run in plan.runs()}
    assert set_to == {
        "versus the candidate": {"cubic": {"beta": 0.9}},
        "among their own": None,
        "alone": None,
    }


def test_the_same_algorithm_by_another_name_does_no_harm(tmp_path):
    outcome = search("aimd", against="reno", out=tmp_path / "aimd")
    assert not outcome.shown
    assert outcome.minimal.unusual == {}
    assert "does not lie above zero" in outcome.sentences()[0]


def test_a_planted_weakness_shows_where_it_is_and_nowhere_else(tmp_path, monkeypatch):
    """What `test_strategy` searches for as a function, in simulations."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "planted.py").write_text(PLANTED.read_text())
    asked = question(
        "planted.py",
        against="cubic",
        response="excess",
        bounds={name: TINY[name] for name in ("rate", "loss", "flows", "victims", "start")}
        | {"rtt": ("150 ms", "260 ms"), "buffer": ("0.1 bdp", "2 bdp"), "queue": "droptail"},
        duration="30 s",
        profile="rfc",
        budget=300,
        seed=1,
        out=None,
    )
    trials = Trials(asked, lambda plan, place: run_campaign(plan, out=tmp_path / place, workers=1))
    others = (0.0, 2, 2, "0 s", "droptail")
    conditions = [
        ("50 Mbit/s", *where, *others)
        for where in (("200 ms", "0.2 bdp"), ("200 ms", "0.5 bdp"), ("150 ms", "0.2 bdp"))
    ]
    inside, deeper, shorter = (it.mean for it in trials.measured("evolution-1", conditions))
    assert inside > 0.3
    assert max(deeper, shorter) < 0.15


def test_a_run_in_which_the_candidate_breaks_is_the_worst(tmp_path, monkeypatch):
    (tmp_path / "crash.py").write_text(CRASHING)
    monkeypatch.chdir(tmp_path)
    printed = CliRunner().invoke(app, ["search", "crash.py", "--json", *OPTIONS])
    assert printed.exit_code == 1
    data = json.loads(printed.stdout)
    assert data["worst"]["mean"] == 1.0
    assert data["shown"]
    assert set(data["minimal"]["unusual"]) <= {"rtt", "buffer", "rate"}
    assert "out of range" in data["minimal"]["error"]
    assert (tmp_path / "Crash-search" / "index.html").is_file()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"against": "bbr1"}, [("against", "same_algorithm")]),
        (
            {"against": "renoo", "budget": 50},
            [("against", "unknown_algorithm"), ("budget", "range")],
        ),
        ({"parameters": {"gane": 2.0}}, [("parameters.bbr1.gane", "unknown_key")]),
        ({"response": "damage"}, [("response", "unknown_response")]),
        ({"duration": "long", "start": None}, [("duration", "quantity")]),
        ({"rtt": "9 ms", "buffer": "1 bdp"}, [("rate", "nothing_varies")]),
        ({"queue": "fifo"}, [("queue", "unknown")]),
        ({"loss": (0.0, 2.0)}, [("loss", "less_than")]),
    ],
)
def test_bad_input_is_told_and_nothing_is_written(tmp_path, options, expected):
    with refused(InputError, *expected):
        search("bbr1", out=tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_a_folder_of_another_search_is_refused(bbr1):
    out, _ = bbr1
    with refused(InputError, ("out", "other_question")):
        search("bbr1", against="reno", seed=9, out=out)
