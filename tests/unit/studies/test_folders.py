"""Studies as folders: what is read, what is refused, and what comes out."""

import json
import tomllib

import pytest
from study_folders import change

from mesonet.errors import DamageError, PlanError
from mesonet.figures import percent
from mesonet.studies import CATALOGUE, Options, StudyError, bench, find_study, run_study
from mesonet.studies.new_study import new_study
from mesonet.studies.scoring import failed, score_results
from mesonet.workers import Outcome

STUDY = """
name = "tried"
title = "Tried"
question = "Does it work?"
source = "nowhere"
[values]
most = 30
[settings]
Room = "{most} packets"
[algorithms]
own = ["reno", "cubic"]
[sizes.pocket]
words = "two runs"
[sizes.desk]
words = "two longer runs"
values = { seconds = 3 }
"""
CODE = """
from mesonet import dumbbell
from mesonet.studies import Item, chart, table, value


def acked(run):
    return {"acked": int(run.flows["acked"].sum())}


def runs(options):
    for name in options.chosen:
        scenario = dumbbell(
            rate=options.values.get("rate", "1 p/ms"),
            rtt="20 ms",
            buffer=f"{options.values['most']} packets",
            flows=[name],
            duration=f"{options.values.get('seconds', 1)} s",
        )
        yield Item(name, scenario, acked, seed=options.run_seed)


def figures(run):
    found = {f"{name}.acked": float(it["acked"]) for name, it in run.results.items()}
    return found | {"none": 0.0}


def facts(run):
    return {"Algorithms": str(len(run.options.chosen))}


def compared(run):
    return {"Packets": round(run.figures["reno.acked"], -1)}


@value
def algorithms(run):
    return list(run.results)


@table
def rows(run, start=0):
    import polars as pl

    return pl.DataFrame({"algorithm": list(run.results)})


@chart
def bars(run, algorithm):
    import altair as alt

    return alt.Chart(alt.Data(values=[{"a": algorithm}])).mark_bar().encode(x="a:N")


@chart
def nothing(run):
    return None
"""
CLAIMS = """
[[claim]]
id = "some"
text = "Reno delivers
something"
published = "some"
source = "page 1"
rule = { kind = "between", figure = "reno.acked", low = 1 }

[[claim]]
foreach.who = [{ name = "reno", title = "Reno" }, { name = "cubic", title = "CUBIC" }]
id = "much-{who.name}"
text = "{who.title} delivers more than {most:.1f}"
published = "much"
source = "page 2"
rule = { kind = "between", figure = "{who.name}.acked", low = "{most}" }

[[claim]]
id = "no-more"
text = "Nothing comes of nothing"
published = "0"
source = "page 3"
rule = { kind = "sign", figure = "none", sign = "+" }

[[explanation]]
claims = ["no-*"]
text = \"\"\"
Zero has
no sign.
\"\"\"
""".replace("delivers\nsomething", "delivers something")
VARIANTS = """
[[variant]]
id = "slow"
question = "The rate"
ours = "1 packet/ms"
other = "0.01 packets/ms"
values = { rate = "0.01 p/ms" }

[[variant]]
id = "late"
question = "The seed"
ours = "1"
other = "2"
seed = 1
sizes = ["desk"]

[[variant]]
id = "other-figure"
question = "What counts"
ours = "nothing"
other = "what Reno delivers"
figures = { none = "reno.acked" }
"""
PAGE = """
Before the *first* heading.

## All {#all}

A paragraph
in two lines with {{ figures["none"] | number }}.

{% for name in algorithms %}
{{ chart("bars", algorithm=name) }}
Caption of {{ name }}.
{% endfor %}
{{ chart("nothing") }}
Caption of nothing.

{{ table("rows") }}
All of them

> A note.
>
> Another.

```python
print(1)
```

1. Why?
   > Because.

## Open

Verdict: {{ verdicts["some"] }}, {{ measured["some"] }}.

{{ table("variants") }}
Other answers
"""


@pytest.fixture(autouse=True)
def in_process(monkeypatch):
    """Runs in this process; that other processes find the measures is tested below."""

    def execute_all(tasks, execute, *, listener, **_):
        for task in tasks:
            listener.finished([Outcome(task.id, value=execute(task.work))])

    monkeypatch.setattr(bench, "execute_all", execute_all)


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "tried"
    files = {
        "study.toml": STUDY,
        "measure.py": CODE,
        "claims.toml": CLAIMS,
        "variants.toml": VARIANTS,
        "page.md": PAGE,
    }
    path.mkdir()
    for name, text in files.items():
        (path / name).write_text(text.lstrip(), encoding="utf-8")
    return path


def faults(folder):
    with pytest.raises(StudyError) as caught:
        find_study(folder)
    return {(each.loc.removeprefix(f"{folder}/"), each.kind) for each in caught.value.problems}


def test_a_folder_runs_scores_and_renders(folder, tmp_path):
    done = run_study(folder, out=tmp_path / "out")
    verdicts = {entry.claim.id: entry.verdict for entry in done.scorecard.entries}
    assert verdicts == {
        "some": "agrees",
        "much-reno": "agrees",
        "much-cubic": "agrees",
        "no-more": "disagrees",
    }
    html = done.page.read_text("utf-8")
    for shown in (
        "<p>Before the <em>first</em> heading.</p>",
        "<p>A paragraph in two lines with 0.</p>",
        "<figcaption>Caption of reno.</figcaption>",
        'data-chart="bars-cubic"',
        '<p class="note">A note.</p><p class="note">Another.</p>',
        '<pre class="program">print(1)\n</pre>',
        "<li>Why?<details><summary>Answer</summary><p>Because.</p></details></li>",
        "CUBIC delivers more than 30.0",
        "<dd>30 packets</dd>",
        "<h3>All of them</h3>",
    ):
        assert shown in html, shown
    assert "Caption of nothing" not in html
    data = json.loads(done.page.with_suffix(".json").read_text("utf-8"))
    assert list(data["sections"]) == ["all", "open"]
    assert data["sections"]["all"]["text"] == ["A paragraph in two lines with 0."]
    assert data["sections"]["all"]["notes"] == ["A note.", "Another."]
    assert data["facts"]["Algorithms"] == "2"
    missed = next(row for row in data["claims"] if row["id"] == "no-more")
    assert missed["account"] == "Zero has no sign."


def test_variants_are_scored_by_the_same_claims(folder, tmp_path):
    done = run_study(folder, out=tmp_path / "out")
    card = done.scorecard
    assert list(card.variants) == ["slow", "other-figure"]
    assert card.variants["slow"]["much-reno"] == "disagrees"
    assert card.variants["other-figure"]["no-more"] == "agrees"
    columns = json.loads(done.page.with_suffix(".json").read_text("utf-8"))["sections"]["open"][
        "tables"
    ]["tried-variants"]["columns"]
    assert columns["variant"] == ["as scored", "slow", "other-figure"]
    assert columns["agrees"] == [3, 1, 4]
    assert columns["Packets"] == [900, 10, 900]
    assert columns["changed"] == [
        "none",
        "Now disagree: Reno delivers more than 30.0; CUBIC delivers more than 30.0.",
        "Now agree: Nothing comes of nothing.",
    ]


def test_runs_that_a_variant_shares_are_run_once(folder):
    def names(**options):
        return [item.name for item in find_study(folder).prepare(Options(**options)).items]

    assert names(variants=()) == ["reno", "cubic"]
    assert names() == ["reno", "cubic", "reno, slow", "cubic, slow"]
    assert names(variants=("other-figure",)) == ["reno", "cubic"]
    assert len(names(variants=("all",))) == 6
    # Of a parameter of CUBIC, Reno knows nothing.
    change(
        folder,
        "variants.toml",
        'values = { rate = "0.01 p/ms" }',
        "parameters = { cubic = { c = 0.8 } }",
    )
    assert names(variants=("slow",)) == ["reno", "cubic", "cubic, slow"]


def test_unknown_variants_and_sizes_are_refused(folder, tmp_path):
    with pytest.raises(PlanError, match=r'no variant "slo" .did you mean "slow"'):
        run_study(folder, out=tmp_path, variants=["slo"])
    with pytest.raises(PlanError, match="has no other size"):
        run_study(folder, out=tmp_path, size="full")
    with pytest.raises(PlanError, match="a bench has one run of each"):
        run_study(folder, out=tmp_path, replicates=2)


def test_other_algorithms_leave_claims_open(folder, tmp_path):
    done = run_study(folder, out=tmp_path / "out", algorithms=["reno"], variants=())
    verdicts = {entry.claim.id: entry.verdict for entry in done.scorecard.entries}
    assert (verdicts["some"], verdicts["much-cubic"]) == ("agrees", "not computable")


def test_every_fault_is_told_at_once_with_its_place(folder):
    change(folder, "claims.toml", "low = 1 }", "lo = 1 }")
    change(folder, "claims.toml", "{who.title}", "{who.titel}")
    change(folder, "measure.py", "def acked", "de acked")
    assert faults(folder) == {
        ("claims.toml: claim[0].rule.lo", "unknown_key"),
        ("claims.toml: claim[1]", "name"),
        ("measure.py:5", "code"),
    }


@pytest.mark.parametrize(
    ("file", "before", "after", "place", "kind"),
    [
        ("claims.toml", '"sign"', '"sing"', "claims.toml: claim[2].rule.kind", "unknown_rule"),
        ("claims.toml", 'id = "no-more"', 'id = "some"', "claims.toml", "duplicate"),
        ("claims.toml", '"no-*"', '"n-*"', "claims.toml: explanation[0].claims", "unknown_id"),
        ("claims.toml", "foreach.who", "foreach.wo", "claims.toml: claim[1]", "name"),
        ("claims.toml", ", low = 1 }", " }", "claims.toml: claim[0].rule", "range"),
        ("claims.toml", 'figure = "none", ', "", "claims.toml: claim[2].rule.figure", "missing"),
        ("variants.toml", 'id = "late"', 'id = "slow"', "variants.toml", "duplicate"),
        ("variants.toml", "sizes = [", "claims = [", 'variant "late"', "unknown_id"),
        ("measure.py", "def acked", "de acked", "measure.py:5", "code"),
        ("study.toml", 'words = "two runs"', "", "study.toml: sizes.pocket.words", "missing"),
        ("study.toml", "[settings]", "[setings]", "study.toml: setings", "unknown_key"),
        ("study.toml", "{most} packets", "{least} packets", "study.toml: settings", "name"),
        (
            "study.toml",
            'name = "tried"',
            'extends = "study.toml"\nname = "tried"',
            "study.toml: extends",
            "circle",
        ),
        (
            "study.toml",
            'name = "tried"',
            'measure = "mesure.py"\nname = "tried"',
            "study.toml: measure",
            "missing_file",
        ),
        (
            "claims.toml",
            "foreach.who = [",
            'foreach.x = "{whom}"\nforeach.who = [',
            "claims.toml: claim[1].foreach",
            "name",
        ),
    ],
)
def test_a_fault_is_told_with_its_place(folder, file, before, after, place, kind):
    change(folder, file, before, after)
    assert (place, kind) in faults(folder)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("in algorithms", "in algoritms"),
        ("{% endfor %}", ""),
        ("{% endfor", "{{ " + "(" * 5000 + "{% endfor"),
        ('"rows"', '"rws"'),
        ("{% endfor", '{% include "/etc/passwd" %}{% endfor'),
        ("{% endfor", '{% include "../../secret.md" %}{% endfor'),
        ('figures["none"]', 'figures["one"]'),
        ('chart("bars", algorithm=name)', 'chart("bars", algoritm=name)'),
    ],
)
def test_a_fault_of_the_page_names_it(folder, tmp_path, before, after):
    """Runs are kept: mending the page and asking again makes none anew."""
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    change(folder, "page.md", before, after)
    with pytest.raises(StudyError) as caught:
        run_study(folder, out=tmp_path / "out", variants=())
    (problem,) = caught.value.problems
    assert problem.loc.partition(":")[0].endswith((".md", ".py"))


def test_the_text_of_a_page_is_no_code(folder, tmp_path):
    change(folder, "page.md", "{% endfor", "{{ figures.__class__.__mro__ }}{% endfor")
    with pytest.raises(StudyError, match="access to attribute '__class__'"):
        run_study(folder, out=tmp_path / "out", variants=())


def test_a_figure_that_no_run_gives_is_told_when_all_are_there(folder, tmp_path):
    change(folder, "claims.toml", 'figure = "reno.acked"', 'figure = "reno.acke"')
    with pytest.raises(StudyError) as caught:
        run_study(folder, out=tmp_path / "out", variants=())
    (problem,) = caught.value.problems
    assert problem.kind == "unknown_figure"
    assert problem.loc.endswith('claims.toml: claim[0] ("some")')


def test_a_variant_that_changes_no_run_is_left_out(folder, tmp_path):
    change(folder, "variants.toml", 'rate = "0.01 p/ms"', "most = 30")
    run = run_study(folder, out=tmp_path / "out")
    assert list(run.scorecard.variants) == ["other-figure"]


def test_a_variant_may_change_figures_of_the_same_runs(folder, tmp_path):
    change(folder, "measure.py", '{"none": 0.0}', '{"none": run.options.values.get("none", 0.0)}')
    change(folder, "variants.toml", 'rate = "0.01 p/ms"', "none = 1.0")
    run = run_study(folder, out=tmp_path / "out", variants=("slow",))
    assert len(list((tmp_path / "out" / "runs").iterdir())) == 2
    assert dict(run.scorecard.variants["slow"])["no-more"] == "agrees"


def test_a_bench_takes_replicates_if_it_says_so(folder):
    with pytest.raises(PlanError, match="a bench has one run of each"):
        find_study(folder).prepare(Options(replicates=2))
    change(folder, "study.toml", "[values]", '[refuses]\nreplicates = ""\n[values]')
    assert find_study(folder).prepare(Options(replicates=2)).items


PRINTED = """table,who,here,there
one,reno,3,4
one,cubic,2.5,
one,bic,1,2
two,reno,9,9
"""
ORDER = """
[[claim]]
id = "order"
text = "The order is as printed"
published = "a table"
source = "page 4"
rule.kind = "correlates"
rule.rho = 0.5
rule.printed.file = "printed.csv"
rule.printed.figure = "{{who}}.acked"
rule.printed.value = "here"
rule.printed.where = { table = "one" }
rule.printed.without = ["bic.*"]
"""


def test_printed_tables_are_read_from_files(folder):
    (folder / "printed.csv").write_text(PRINTED, encoding="utf-8")
    (folder / "claims.toml").write_text(ORDER, encoding="utf-8")
    change(folder, "page.md", 'Verdict: {{ verdicts["some"] }}, {{ measured["some"] }}.', "")
    (claim,) = find_study(folder).claims
    assert claim.rule.needs == ("reno.acked", "cubic.acked")
    assert claim.rule.holds({"reno.acked": 2.0, "cubic.acked": 1.0})
    assert not claim.rule.holds({"reno.acked": 1.0, "cubic.acked": 2.0})
    change(folder, "claims.toml", '"here"', '"there"')
    change(folder, "claims.toml", '["bic.*"]', "[]")
    (claim,) = find_study(folder).claims
    assert claim.rule.needs == ("reno.acked", "bic.acked")


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("printed.csv", "print.csv", "missing_file"),
        ('"here"', '"her"', "unknown_column"),
        ("{{who}}", "{{whom}}", "name"),
        ("without", "witout", "unknown_key"),
        ('"one"', '"none"', "too_short"),
    ],
)
def test_faults_of_printed_tables_are_told(folder, before, after, kind):
    (folder / "printed.csv").write_text(PRINTED, encoding="utf-8")
    (folder / "claims.toml").write_text(ORDER, encoding="utf-8")
    change(folder, "claims.toml", before, after)
    assert [each[1] for each in faults(folder)] == [kind]


def test_a_row_of_too_many_cells_is_told(folder):
    (folder / "printed.csv").write_text(PRINTED + "two,bic,1,2,3\n", encoding="utf-8")
    (folder / "claims.toml").write_text(ORDER, encoding="utf-8")
    assert faults(folder) == {("printed.csv", "cells")}


def test_explanations_of_several_claims_know_the_constants(folder):
    change(folder, "claims.toml", "Zero has\nno sign.", "Zero has {most} signs.")
    assert find_study(folder).claims[-1].explanation == "Zero has 30 signs."


def test_lists_of_loops_can_be_constants(folder):
    study = folder / "study.toml"
    loop = '[{ name = "reno", title = "Reno" }, { name = "cubic", title = "CUBIC" }]'
    change(folder, "claims.toml", loop, '"{both}"')
    change(folder, "study.toml", "[values]", f"[values]\nboth = {loop}")
    ids = [claim.id for claim in find_study(study.parent).claims]
    assert ids == ["some", "much-reno", "much-cubic", "no-more"]


def test_a_table_of_figures_needs_no_code(folder, tmp_path):
    line = (
        '{{ table("figures", id="acks", rows=["cubic", "bbr", "reno"], heading="Who", '
        'columns={"Sent": "{}.acked", "Part": "{}.acked", "Said": {"reno": "much"}}, '
        'names={"reno": "Reno"}, '
        'formats={"Sent": ",.1f", "Part": "percent"}) }}\nAcknowledged\n\n'
        '{{ table("figures", id="gone", rows=["bbr"], columns={"Sent": "{}.acked"}) }}\n\n'
    )
    change(folder, "page.md", '{{ chart("nothing") }}', line + '{{ chart("nothing") }}')
    done = run_study(folder, out=tmp_path / "out")
    tables = json.loads(done.page.with_suffix(".json").read_text())["sections"]["all"]["tables"]
    assert "gone" not in tables
    columns = tables["acks"]["columns"]
    assert (columns["Who"], columns["Said"]) == (["cubic", "Reno"], [None, "much"])
    page = done.page.read_text("utf-8")
    assert f"{columns['Sent'][1]:,.1f}" in page
    assert percent(columns["Part"][1]) in page


def test_a_paragraph_after_an_included_file_is_one_of_its_own(folder, tmp_path):
    (folder / "part.md").write_text("A part.\n", encoding="utf-8")
    change(folder, "page.md", "## Open\n", '## Open\n\n{% include "part.md" %}\n')
    run_study(folder, out=tmp_path / "out", variants=())
    made = json.loads((tmp_path / "out" / "tried.json").read_text("utf-8"))
    assert made["sections"]["open"]["text"][0] == "A part."


def test_a_section_of_which_nothing_is_left_is_left_out(folder, tmp_path):
    shown = {
        "none": '{{ chart("nothing") }}\nOne',
        "some": '{{ chart("nothing") }}\nOne\n\n{{ table("rows") }}\nAll',
        "words": '{{ chart("nothing") }}\nOne\n\nText.',
    }
    text = "\n\n".join(f"## {name} {{#{name}}}\n\n{each}" for name, each in shown.items())
    (folder / "page.md").write_text(f"{text}\n", "utf-8")
    run_study(folder, out=tmp_path / "out", variants=())
    page = json.loads((tmp_path / "out" / "tried.json").read_text("utf-8"))
    assert list(page["sections"]) == ["some", "words"]


def test_failures_of_code_name_the_line(folder, tmp_path):
    change(folder, "measure.py", 'it["acked"]', 'it["lost"]')
    with pytest.raises(StudyError, match=r"measure.py:22: KeyError: 'lost'"):
        run_study(folder, out=tmp_path / "out", variants=())


def test_measures_travel_to_other_processes_and_follow_the_text(folder, tmp_path, monkeypatch):
    monkeypatch.undo()
    done = run_study(folder, out=tmp_path / "out", variants=(), workers=2)
    assert not done.failures
    files = {path.name for path in (tmp_path / "out" / "runs").iterdir()}
    run_study(folder, out=tmp_path / "out", variants=(), workers=1)
    assert {path.name for path in (tmp_path / "out" / "runs").iterdir()} == files
    (folder / "measure.py").write_text(CODE + "\n# changed\n")
    run_study(folder, out=tmp_path / "out", variants=(), workers=1)
    assert len(list((tmp_path / "out" / "runs").iterdir())) == 2 * len(files)


def test_the_folder_does_not_become_a_place_of_modules(folder, monkeypatch):
    import sys

    # Tests of tools may have left one of that name.
    monkeypatch.delitem(sys.modules, "measure", raising=False)
    find_study(folder)
    assert str(folder) not in sys.path
    assert "measure" not in sys.modules


def test_a_new_study_runs_and_its_results_can_be_scored(tmp_path):
    made = new_study(tmp_path / "mine")
    done = run_study(made, out=tmp_path / "out", workers=1)
    assert done.scorecard.scored == 3
    # The example teaches to ask for more than chance could make.
    claims = tomllib.loads((made / "claims.toml").read_text("utf-8"))["claim"]
    asked = [claim["rule"]["figure"] for claim in claims if " - " in claim["rule"]["figure"]]
    assert len(asked) == 2
    assert all(figure.rpartition(".")[2] == "lower" for figure in asked)
    page = (tmp_path / "out" / "mine.html").read_text("utf-8")
    assert "no variance at all" not in page
    card = score_results(tmp_path / "out", made / "claims.toml")
    assert [entry.measured for entry in card.entries] == [
        entry.measured for entry in done.scorecard.entries
    ]
    assert failed(card) == [entry for entry in card.entries if entry.verdict == "disagrees"]
    other = tmp_path / "other.toml"
    other.write_text(
        '[[claim]]\nid = "a"\ntext = "b"\npublished = "c"\nsource = "d"\n'
        'rule = { kind = "between", figure = "Reno.utilisation.mean", low = 2 }\n'
    )
    for folder, kind in ((tmp_path / "out", "unknown_figure"), (made, "no_campaign")):
        with pytest.raises(StudyError) as caught:
            score_results(folder, other)
        assert [each.kind for each in caught.value.problems] == [kind]
    for manifest in (tmp_path / "out").rglob("manifest.json"):
        manifest.write_bytes(b"{}")
    with pytest.raises(DamageError):
        score_results(tmp_path / "out", made / "claims.toml")


def test_folders_that_are_no_study_are_refused(tmp_path):
    with pytest.raises(PlanError, match=r"it has no study.toml"):
        find_study(tmp_path)
    with pytest.raises(PlanError, match="no study and no folder"):
        find_study(tmp_path / "nothing")


def test_built_in_folders_are_in_the_catalogue():
    for name, listed in CATALOGUE.items():
        assert find_study(listed.folder).name == name
