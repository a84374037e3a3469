"""Chance in verdicts: intervals over replicates, and margins of rules."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from scipy.stats import t

from mesonet.studies import Options, find_study, rules, run_study
from mesonet.studies.entries import StudyError
from mesonet.studies.scorecard import Claim, jackknife, score, undecided

NAMES = ("x.a", "x.b", "x.c")
LABELS = ("a", "b", "c")
RULES = [
    rules.within("x.a", 1.0, relative=0.5),
    rules.between("x.a", -1, 1),
    rules.between("x.a", low=0.5),
    rules.ordered(NAMES),
    rules.each("x.", LABELS, -1, 2),
    rules.above("x.", ("a",), ("b", "c"), slack=0.3),
    rules.placed("x.", "a", LABELS, 1, 1),
    rules.placed("x.", "a", LABELS, 2, 2),
    rules.placed("x.", "a", LABELS, 2, 3),
    rules.correlates(dict(zip(NAMES, (1, 2, 3), strict=True)), rho=0.5),
    rules.same_sign("x.a", "-"),
]
STUDY = """
name = "tried"
title = "Tried"
question = "Does it work?"
source = "nowhere"
replicate = '-([0-9]+)$'
[sizes.pocket]
words = "four runs"
"""
CODE = """
from mesonet import dumbbell
from mesonet.studies import Item


def acked(run):
    return {"acked": int(run.flows["acked"].sum())}


def runs(options):
    for k in range(4):
        scenario = dumbbell(
            rate="1 p/ms", rtt="20 ms", buffer="30 packets", flows=["reno"], duration=f"{k + 2} s"
        )
        yield Item(f"reno-{k}", scenario, acked)


def figures(run):
    counts = [it["acked"] for it in run.results.values()]
    return {"acked": sum(counts) / len(counts)}
"""
CLAIMS = """
[[claim]]
id = "much"
text = "Much"
published = "much"
source = "page 1"
rule = { kind = "between", figure = "acked", low = 1 }

[[claim]]
id = "near"
text = "Near the mean"
published = "3400"
source = "page 1"
rule = { kind = "between", figure = "acked", low = 3400 }
"""


def replicates(values):
    """Figures of all replicates, and without each of them, where a figure is a mean."""
    total, count = sum(values), len(values)
    return {"x": total / count}, [{"x": (total - each) / (count - 1)} for each in values]


@given(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=12))
def test_the_interval_of_a_mean_is_that_of_student(values):
    figures, without = replicates(values)
    interval = jackknife(figures["x"], [each["x"] for each in without])
    mean, count = figures["x"], len(values)
    deviation = math.sqrt(sum((each - mean) ** 2 for each in values) / (count - 1))
    half = t.ppf(0.975, count - 1) * deviation / math.sqrt(count)
    assert interval == pytest.approx((mean - half, mean + half), abs=1e-6)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.words)
@given(values=st.lists(st.integers(-3, 3), min_size=3, max_size=3))
def test_a_rule_holds_where_no_margin_is_negative(rule, values):
    figures = dict(zip(NAMES, map(float, values), strict=True))
    margins = rule.margins(figures)
    assert margins
    # At its limit a rule may go either way: above zero, say, does not have zero.
    if all(abs(margin) > 1e-9 for margin in margins):
        assert rule.holds(figures) == all(margin > 0 for margin in margins)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1.0, 2.0, 3.0], "-0.4841 to 4.484 over 3 replicates"),
        ([2.0, 2.1, 1.9], ""),
        ([-2.0, -2.1, -1.9], ""),
        ([-5.0, 9.0], ""),
    ],
)
def test_chance_decides_where_the_interval_has_both(values, words):
    assert undecided(rules.between("x", low=0), *replicates(values)) == words


def test_a_rule_of_several_figures_tells_its_least_margin():
    figures = {"x.a": 2.0, "x.b": 1.0}
    without = [{"x.a": 2.0, "x.b": other} for other in (0.5, 1.0, 1.5)]
    sentence = undecided(rules.ordered(("x.a", "x.b")), figures, without)
    assert sentence.startswith("least margin -1.48")
    assert sentence.endswith("over 3 replicates")


def test_a_verdict_that_chance_turns_is_undecided_and_not_scored():
    figures, without = replicates([1.0, 2.0, 3.0])
    claims = [Claim("x", "text", "0", "page 1", rules.between("x", low=0))]
    card = score("study", "pocket", claims, figures, without)
    assert card.entries[0].verdict == "undecided at this size"
    assert card.scored == 0
    assert card.counts()["undecided at this size"] == 1
    assert score("study", "pocket", claims, figures).entries[0].verdict == "agrees"


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "tried"
    path.mkdir()
    for name, text in {"study.toml": STUDY, "measure.py": CODE, "claims.toml": CLAIMS}.items():
        (path / name).write_text(text.lstrip(), encoding="utf-8")
    (path / "page.md").write_text("## Runs {#runs}\n\nFour.\n", encoding="utf-8")
    return path


def test_a_study_names_its_replicates(folder, tmp_path):
    card = run_study(folder, out=tmp_path / "out").scorecard
    verdicts = {entry.claim.id: entry.verdict for entry in card.entries}
    assert verdicts == {"much": "agrees", "near": "undecided at this size"}
    assert "over 4 replicates" in card.entries[1].measured


def test_a_size_repeats_runs_with_other_seeds(folder, tmp_path):
    once = run_study(folder, out=tmp_path / "once").scorecard
    text = STUDY.replace("replicate = '-([0-9]+)$'", "") + "replicates = 3"
    (folder / "study.toml").write_text(text.lstrip(), encoding="utf-8")
    items = {item.name: item.seed for item in find_study(folder).prepare(Options()).items}
    assert len(items) == 12
    assert [items[f"reno-0-{at}"] for at in (1, 2, 3)] == [1, 2, 3]
    # Nothing is random here: means are those of one replicate, and chance turns nothing.
    card = run_study(folder, out=tmp_path / "thrice").scorecard
    assert card.entries[0].measured == once.entries[0].measured
    assert card.entries[1].verdict in ("agrees", "disagrees")


@pytest.mark.parametrize("pattern", ["-[0-9]+$", "("])
def test_a_pattern_of_replicates_has_one_group(folder, pattern):
    text = (folder / "study.toml").read_text("utf-8").replace("-([0-9]+)$", pattern)
    (folder / "study.toml").write_text(text, encoding="utf-8")
    with refused(StudyError, (f"{folder / 'study.toml'}: replicate", "value_error")):
        find_study(folder)
