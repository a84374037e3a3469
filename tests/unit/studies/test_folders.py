"""Studies as folders: what is read, what is refused, and what comes out."""

import json
import tomllib

import pytest
from study_folders import change

from mesonet.errors import DamageError, PlanError
from mesonet.studies import Options, StudyError, find_study, run_study
from mesonet.studies.new_study import new_study
from mesonet.studies.scoring import failed, score_results


def faults(folder):
    with pytest.raises(StudyError) as caught:
        find_study(folder)
    return {(each.loc.removeprefix(f"{folder}/"), each.kind) for each in caught.value.problems}


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
    for options in ({"variants": ["slo"]}, {"size": "full"}, {"replicates": 2}):
        with pytest.raises(PlanError):
            run_study(folder, out=tmp_path, **options)


def test_other_algorithms_leave_claims_open(folder, tmp_path):
    done = run_study(folder, out=tmp_path / "out", algorithms=["reno"], variants=())
    verdicts = {entry.claim.id: entry.verdict for entry in done.scorecard.entries}
    assert (verdicts["some"], verdicts["much-cubic"]) == ("agrees", "not computable")


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


def test_a_figure_that_no_run_gives_is_told_when_all_are_there(folder, tmp_path):
    change(folder, "claims.toml", 'figure = "reno.acked"', 'figure = "reno.acke"')
    with pytest.raises(StudyError) as caught:
        run_study(folder, out=tmp_path / "out", variants=())
    (problem,) = caught.value.problems
    assert problem.kind == "unknown_figure"
    assert problem.loc.endswith('claims.toml: claim[0] ("some")')


def test_a_variant_may_change_figures_of_the_same_runs(folder, tmp_path):
    change(folder, "measure.py", '{"none": 0.0}', '{"none": run.options.values.get("none", 0.0)}')
    change(folder, "variants.toml", 'rate = "0.01 p/ms"', "none = 1.0")
    run = run_study(folder, out=tmp_path / "out", variants=("slow",))
    assert len(list((tmp_path / "out" / "runs").iterdir())) == 2
    assert dict(run.scorecard.variants["slow"])["no-more"] == "agrees"


def test_a_bench_takes_replicates_if_it_says_so(folder):
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
    change(folder, "page.md", "Size: {{ options.size }}.", "")
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
        ("printed.csv", "wide.csv", "cells"),
    ],
)
def test_faults_of_printed_tables_are_told(folder, before, after, kind):
    (folder / "printed.csv").write_text(PRINTED, encoding="utf-8")
    (folder / "wide.csv").write_text(PRINTED + "two,bic,1,2,3\n", encoding="utf-8")
    (folder / "claims.toml").write_text(ORDER, encoding="utf-8")
    change(folder, "claims.toml", before, after)
    assert [each[1] for each in faults(folder)] == [kind]


def test_lists_of_loops_can_be_constants(folder):
    study = folder / "study.toml"
    loop = '[{ name = "reno", title = "Reno" }, { name = "cubic", title = "CUBIC" }]'
    change(folder, "claims.toml", loop, '"{both}"')
    change(folder, "study.toml", "[values]", f"[values]\nboth = {loop}")
    ids = [claim.id for claim in find_study(study.parent).claims]
    assert ids == ["some", "much-reno", "much-cubic", "no-more"]


def test_measures_travel_to_other_processes_and_follow_the_text(folder, tmp_path, processes):

    done = run_study(folder, out=tmp_path / "out", variants=(), workers=2)
    assert not done.failures
    files = {path.name for path in (tmp_path / "out" / "runs").iterdir()}
    run_study(folder, out=tmp_path / "out", variants=(), workers=1)
    assert {path.name for path in (tmp_path / "out" / "runs").iterdir()} == files
    with (folder / "measure.py").open("a") as file:
        file.write("\n# changed\n")
    run_study(folder, out=tmp_path / "out", variants=(), workers=1)
    assert len(list((tmp_path / "out" / "runs").iterdir())) == 2 * len(files)


def test_a_new_study_runs_and_its_results_can_be_scored(tmp_path):
    mine = new_study(tmp_path / "mine")
    done = run_study(mine, out=tmp_path / "out", workers=1)
    assert done.scorecard.scored == 3
    # The example teaches to ask for more than chance could make.
    claims = tomllib.loads((mine / "claims.toml").read_text("utf-8"))["claim"]
    asked = [claim["rule"]["figure"] for claim in claims if " - " in claim["rule"]["figure"]]
    assert len(asked) == 2
    assert all(figure.rpartition(".")[2] == "lower" for figure in asked)
    page = (tmp_path / "out" / "mine.html").read_text("utf-8")
    assert "no variance at all" not in page
    card = score_results(tmp_path / "out", mine / "claims.toml")
    assert [entry.measured for entry in card.entries] == [
        entry.measured for entry in done.scorecard.entries
    ]
    assert failed(card) == [entry for entry in card.entries if entry.verdict == "disagrees"]
    other = tmp_path / "other.toml"
    other.write_text(
        '[[claim]]\nid = "a"\ntext = "b"\npublished = "c"\nsource = "d"\n'
        'rule = { kind = "between", figure = "Reno.utilisation.mean", low = 2 }\n'
    )
    for folder, kind in ((tmp_path / "out", "unknown_figure"), (mine, "no_campaign")):
        with pytest.raises(StudyError) as caught:
            score_results(folder, other)
        assert [each.kind for each in caught.value.problems] == [kind]
    for manifest in (tmp_path / "out").rglob("manifest.json"):
        manifest.write_bytes(b"{}")
    with pytest.raises(DamageError):
        score_results(tmp_path / "out", mine / "claims.toml")


def test_folders_that_are_no_study_are_refused(tmp_path):
    for folder in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(PlanError):
            find_study(folder)
