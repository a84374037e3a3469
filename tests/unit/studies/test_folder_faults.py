"""Faults of a study: those of its files before a run, those of its code with their line."""

import pytest
from study_folders import change

from mesonet.studies import StudyError, bench, find_study, run_study
from mesonet.studies.new_study import new_study
from mesonet.workers import Outcome

STUDY = """
name = "coded"
title = "Coded"
question = "What?"
source = "ours"

[algorithms]
own = ["reno", "cubic"]

[sizes.pocket]
words = "two runs"
"""
CODE = """
import polars as pl

from mesonet import dumbbell
from mesonet.studies import Item, chart, table


def acked(run):
    return {"acked": run.totals["acked"]}


def runs(options):
    for name in options.chosen:
        world = dumbbell(rate="1 p/ms", rtt="20 ms", flows=[name], duration="1 s")
        yield Item(name, world, acked)


def figures(run):
    return {name: found["acked"] for name, found in run.results.items()}


@table
def counts(run):
    return pl.DataFrame({"name": list(run.results)})


@chart
def picture(run):
    return None
"""
CLAIMS = """
[[claim]]
id = "some"
text = "Some"
published = "some"
source = "ours"
rule = { kind = "between", figure = "reno", low = 1 }
"""
PAGE = """
## All

{{ table("counts") }}
All

{{ chart("picture") }}
None
"""


@pytest.fixture(autouse=True)
def in_process(monkeypatch):
    """Runs in this process; a run that fails is told as workers tell it."""

    def execute_all(tasks, execute, *, listener, **_):
        for task in tasks:
            try:
                outcome = Outcome(task.id, value=execute(task.work))
            except KeyError as error:
                outcome = Outcome(task.id, error=f"{type(error).__name__}: {error}")
            listener.finished([outcome])

    monkeypatch.setattr(bench, "execute_all", execute_all)


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "coded"
    path.mkdir()
    texts = {"study.toml": STUDY, "measure.py": CODE, "claims.toml": CLAIMS, "page.md": PAGE}
    for name, text in texts.items():
        (path / name).write_text(text.lstrip(), encoding="utf-8")
    return path


def faults(folder):
    with pytest.raises(StudyError) as caught:
        run_study(folder, out=folder.parent / "out")
    return [(each.loc.removeprefix(f"{folder}/"), each.kind) for each in caught.value.problems]


@pytest.mark.parametrize(
    ("before", "after", "places"),
    [
        ("for name in options.chosen", "options.nothing\n    for name in options.chosen", [12]),
        ("yield Item(name, world, acked)", "yield name", [0]),
        ("yield Item(name, ", 'yield Item("x", ', [0]),
        ('found["acked"] for', 'found["akced"] for', [18]),
        ('return pl.DataFrame({"name": list(run.results)})', 'return "rows"', [0]),
        ("return None", "return 3", [0]),
    ],
)
def test_code_that_gives_something_else_is_told_with_its_line(folder, before, after, places):
    change(folder, "measure.py", before, after)
    found = [place for place, _ in faults(folder)]
    assert found == [f"measure.py:{line}" if line else "measure.py" for line in places]


def test_a_figure_that_is_none_is_not_a_number(folder):
    change(folder, "measure.py", 'found["acked"] for', "None for")
    card = run_study(folder, out=folder.parent / "out").scorecard
    assert [each.verdict for each in card.entries] == ["not computable"]


def test_runs_that_failed_are_told_beside_what_fails_without_them(folder):
    change(folder, "measure.py", 'run.totals["acked"]', 'run.totals["akced"]')
    change(folder, "measure.py", "list(run.results)", 'run.results["reno"]')
    assert faults(folder) == [
        ("run reno", "failed"),
        ("run cubic", "failed"),
        ("measure.py:23", "code"),
    ]


CLAIM = '[[claim]]\nid = "a"\ntext = "A"\npublished = "1"\nsource = "x"\nrule = {}\n'


@pytest.fixture
def stock(tmp_path):
    return new_study(tmp_path / "mine")


def file_faults(folder):
    with pytest.raises(StudyError) as caught:
        find_study(folder)
    return {(each.loc.removeprefix(f"{folder}/"), each.kind) for each in caught.value.problems}


@pytest.mark.parametrize(
    ("rule", "key", "kind"),
    [
        ('{ figure = "x" }', ".kind", "unknown_rule"),
        ('{ kind = ["sign"], figure = "x" }', ".kind", "unknown_rule"),
        ('{ kind = "within", figure = "x", value = nan }', ".value", "finite_number"),
        (
            '{ kind = "above", prefix = "x", higher = ["a"], lower = ["b"], slack = inf }',
            ".slack",
            "finite_number",
        ),
        ('{ kind = "between", figure = "x", low = 1, high = nan }', "", "range"),
        ('{ kind = "between", figure = "x", low = 2, high = 1 }', "", "range"),
        ('{ kind = "ordered", figures = ["a", "b"], called = ["A"] }', "", "range"),
        (
            '{ kind = "placed", prefix = "x", label = "c", labels = ["a"], first = 1, last = 1 }',
            "",
            "range",
        ),
    ],
)
def test_a_rule_that_does_not_fit_names_its_entry(stock, rule, key, kind):
    (stock / "claims.toml").write_text(CLAIM.replace("{}", rule))
    assert file_faults(stock) == {(f"claims.toml: claim[0].rule{key}", kind)}


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("variants.toml", "variant = 3", "variants.toml: variant"),
        ("variants.toml", "variant = [3]", "variants.toml: variant[0]"),
        ("plan.toml", 'name = "x"\nscenario = 3', "plan.toml: scenario"),
        ("plan.toml", 'name = "x"\nfactors = 3', "plan.toml: factors"),
        ("plan.toml", 'name = "x"\n[factors]\na = 3', "plan.toml: factors.a"),
        ("plan.toml", "name =", "plan.toml"),
    ],
)
def test_what_is_no_table_is_told(stock, name, text, place):
    (stock / name).write_text(text)
    assert place in {found for found, _ in file_faults(stock)}


def test_a_fault_of_a_size_is_told_with_its_plan(stock):
    change(stock, "study.toml", "plan = {", "plan = { replictes = 5,")
    assert file_faults(stock) == {("plan.toml: replictes", "unknown_key")}


def test_faults_of_variants_are_told_at_once(stock):
    variant = (
        '[[variant]]\nid = "{0}"\nquestion = "Q"\nours = "a"\nother = "b"\n'
        "plan = {{ scenario = {{ {1} }} }}\n"
    )
    changes = {"one": "rtts = '1 ms'", "two": "rtt = '3 cm'"}
    text = "".join(variant.format(*each) for each in changes.items())
    (stock / "variants.toml").write_text(text, "utf-8")
    with pytest.raises(StudyError) as caught:
        run_study(stock, out=stock.parent / "out")
    assert [each.loc for each in caught.value.problems] == [f'variant "{name}"' for name in changes]
    assert not (stock.parent / "out").exists()


@pytest.mark.parametrize("name", ["../../secret.md", "{outside}"])
def test_a_page_includes_what_lies_in_the_folder_above_alone(folder, tmp_path, name):
    secret = tmp_path.parent / "secret.md"
    secret.write_text("secret", "utf-8")
    change(folder, "page.md", "## All", f'{{% include "{name.format(outside=secret)}" %}}')
    assert faults(folder) == [("page.md:1", "page")]
