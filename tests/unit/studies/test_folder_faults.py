"""Faults of a study: those of its files before a run, those of its code with their line."""

import pytest
from study_folders import change

from mesonet.studies import StudyError, find_study, run_study
from mesonet.studies.new_study import new_study


def faults(folder):
    with pytest.raises(StudyError) as caught:
        run_study(folder, out=folder.parent / "out", variants=())
    return [(each.loc.removeprefix(f"{folder}/"), each.kind) for each in caught.value.problems]


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ("for name in options.chosen", "options.nothing\n    for name in options.chosen", ":10"),
        ("yield Item(name, scenario, acked, seed=options.run_seed)", "yield name", ""),
        ("yield Item(name, ", 'yield Item("x", ', ""),
        ('it["acked"]', 'it["akced"]', ":22"),
        ('return pl.DataFrame({"algorithm": list(run.results)})', 'return "rows"', ""),
        ("return None", "return 3", ""),
    ],
)
def test_code_that_gives_something_else_is_told_with_its_line(folder, before, after, place):
    change(folder, "measure.py", before, after)
    assert [loc for loc, _ in faults(folder)] == [f"measure.py{place}"]


def test_a_figure_that_is_none_is_not_a_number(folder):
    change(folder, "measure.py", '{"none": 0.0}', '{"none": None}')
    card = run_study(folder, out=folder.parent / "out", variants=()).scorecard
    assert card.entries[-1].verdict == "not computable"


def test_runs_that_failed_are_told_beside_what_fails_without_them(folder):
    change(folder, "measure.py", 'int(run.flows["acked"].sum())', 'run.totals["akced"]')
    change(folder, "measure.py", "return list(run.results)", 'return run.results["reno"]')
    assert sorted(faults(folder)) == [
        ("measure.py:36", "code"),
        ("run cubic", "failed"),
        ("run reno", "failed"),
    ]


@pytest.fixture
def stock(tmp_path):
    return new_study(tmp_path / "mine")


def file_faults(folder):
    with pytest.raises(StudyError) as caught:
        find_study(folder)
    return {(each.loc.removeprefix(f"{folder}/"), each.kind) for each in caught.value.problems}


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
    assert place in {loc for loc, _ in file_faults(stock)}


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
