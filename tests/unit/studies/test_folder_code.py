"""Faults of a study's code and page that a run brings to light: each names file and line."""

import pytest
from study_folders import change

from mesonet.studies import StudyError, bench, find_study, run_study
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
    return [str(each).removeprefix(f"{folder}/") for each in caught.value.problems]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "    for name in options.chosen:",
            "    options.nothing\n    for name in options.chosen:",
            "measure.py:12: AttributeError: 'Options' object has no attribute 'nothing'",
        ),
        (
            "yield Item(name, world, acked)",
            "yield name",
            'measure.py:11: runs() gives runs, each an Item; got "reno"',
        ),
        (
            "    for name in options.chosen:",
            "    return 3\n    for name in options.chosen:",
            'measure.py:11: two runs are called "x"; each run has a name of its own',
        ),
        (
            'return {name: found["acked"] for name, found in run.results.items()}',
            "return [1]",
            "measure.py:17: figures() gives numbers by name; got [1]",
        ),
        (
            'return {name: found["acked"] for name, found in run.results.items()}',
            'return {"reno": "many"}',
            'measure.py:17: the figure "reno" is no number: "many"',
        ),
        (
            'return pl.DataFrame({"name": list(run.results)})',
            'return "rows"',
            'measure.py:21: the table "counts" is no polars frame and no table: "rows"',
        ),
        (
            "return None",
            "return 3",
            'measure.py:26: the chart "picture" is no Altair chart: 3',
        ),
    ],
)
def test_code_that_gives_something_else_is_told_with_its_line(folder, before, after, said):
    if "two runs" in said:
        before, after = "yield Item(name,", 'yield Item("x",'
    change(folder, "measure.py", before, after)
    assert faults(folder) == [said]


def test_runs_without_a_loop_are_told(folder):
    code = CODE.replace("    for name in options.chosen:", "    return 3\n").split("        world")
    text = code[0] + "\n\ndef figures" + code[1].partition("def figures")[2]
    (folder / "measure.py").write_text(text)
    assert faults(folder) == ["measure.py:12: runs() gives runs, each an Item; got no list of them"]


def test_a_figure_that_is_none_is_not_a_number(folder):
    change(folder, "measure.py", 'found["acked"] for', "None for")
    card = run_study(folder, out=folder.parent / "out").scorecard
    assert [each.verdict for each in card.entries] == ["not computable"]


def test_runs_that_failed_are_told_beside_what_fails_without_them(folder):
    change(folder, "measure.py", 'run.totals["acked"]', 'run.totals["akced"]')
    change(folder, "measure.py", "list(run.results)", 'run.results["reno"]')
    assert faults(folder) == [
        "run reno: failed: KeyError: 'akced'",
        "run cubic: failed: KeyError: 'akced'",
        "measure.py:23: KeyError: 'reno'",
    ]


def test_an_unknown_filter_is_told_before_anything_runs(folder):
    text = '## All\n\n{{ figures["reno"] | nmber }} {% if some is defned %}{% endif %}'
    change(folder, "page.md", "## All", text)
    with pytest.raises(StudyError) as caught:
        find_study(folder)
    assert [str(each) for each in caught.value.problems] == [
        f'{folder}/page.md:3: no filter "nmber" (did you mean "number"?)',
        f'{folder}/page.md:3: no test "defned" (did you mean "defined"?)',
        f'{folder}/page.md:3: unknown name "some"',
    ]


def test_what_a_page_computes_for_a_chart_is_told_with_the_line_of_the_page(folder):
    """What only filling the page shows: here the plan that is meant."""
    loop = (
        '{% for plan in ["", "b"] %}\n{{ chart("means", response="y", plan=plan) }}\n{% endfor %}'
    )
    change(folder, "page.md", "## All", f"## All\n\n{loop}")
    assert faults(folder) == ["page.md:4: chart \"means\": KeyError: ''"]


def test_code_that_cannot_be_read_is_not_missed_by_the_page(folder):
    change(folder, "measure.py", "def figures(run):", "def figures(run)")
    change(folder, "page.md", "## All", "## All\n\n{{ number | nmber }}")
    with pytest.raises(StudyError) as caught:
        find_study(folder)
    assert [str(each).removeprefix(f"{folder}/") for each in caught.value.problems] == [
        "measure.py:17: SyntaxError: expected ':' (measure.py, line 17)",
        'page.md:3: no filter "nmber" (did you mean "number"?)',
    ]


@pytest.mark.parametrize(
    ("before", "after", "line", "key"),
    [
        ('own = ["reno", "cubic"]', 'own = ["cubik", "reno"]', 7, "algorithms.own"),
        (
            'words = "two runs"',
            'words = "two runs"\nalgorithms = ["cubik"]',
            11,
            "sizes.pocket.algorithms",
        ),
    ],
)
def test_an_algorithm_of_the_study_that_does_not_exist_is_told_where_it_stands(
    folder, before, after, line, key
):
    change(folder, "study.toml", before, after)
    (fault,) = faults(folder)
    assert fault.startswith(f"study.toml:{line}: {key}: expected a congestion controller, got"), (
        fault
    )
    assert '"cubik" (did you mean "cubic"?)' in fault
