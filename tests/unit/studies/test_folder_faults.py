"""Faults of a study's folder: each is told at once, whatever else is wrong."""

import pytest
from study_folders import change

from mesonet.errors import PlanError
from mesonet.studies import StudyError, find_study, run_study
from mesonet.studies.folders.template import new_study

SEVERAL = """
[[claim]]
id = "a"
text = "A {target}"
published = 3
source = "x"
rule = { kind = "sgn", figure = "CUBIC.utilization.mean" }

[[claim]]
id = "a"
text = "B"
published = "more"
rule = { kind = "between", figure = "{other}", lo = 1, high = 2 }

[[claims]]
foreach.k = ["b", "b"]
id = "{k}"
text = "C"
published = "less"
source = "x"
rule = { kind = "correlates", printed = { file = "none.csv", figure = "f", value = "v" }, rho = 2 }
"""


@pytest.fixture
def folder(tmp_path):
    return new_study(tmp_path / "mine")


def problems(folder):
    with pytest.raises(StudyError) as caught:
        find_study(folder)
    return [str(each).removeprefix(f"{folder}/") for each in caught.value.problems]


def test_a_claim_tells_all_its_faults_at_once(folder):
    (folder / "claims.toml").write_text(SEVERAL.lstrip())
    found = problems(folder)
    assert [each.partition(";")[0].partition(" (did")[0] for each in found] == [
        'claims.toml:3: text: "{target}" stands for nothing',
        "claims.toml:4: published: expected text, got 3",
        'claims.toml:6: rule.kind: no rule "sgn"',
        'claims.toml:12: rule.figure: "{other}" stands for nothing',
        "claims.toml:8: source: missing",
        "claims.toml:12: rule.lo: unknown key",
        found[6],
        "claims.toml:20: rule.rho: expected a number of at most 1.0, got 2",
        f'claims.toml:12: the claim "a" is there already, at {folder}/claims.toml:6',
        f'claims.toml:20: the claim "b" is there already, at {folder}/claims.toml:20',
    ]
    assert "none.csv cannot be read" in found[6]


@pytest.mark.parametrize("rule", ['{ figure = "x" }', '{ kind = ["sign"], figure = "x" }'])
def test_a_rule_has_a_kind(folder, rule):
    (folder / "claims.toml").write_text(
        f'[[claim]]\nid = "a"\ntext = "A"\npublished = "1"\nsource = "x"\nrule = {rule}\n'
    )
    (found,) = problems(folder)
    assert found.startswith("claims.toml:6: rule.kind: ")
    assert "there are within, between" in found


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ('{ kind = "within", figure = "x", value = nan, relative = 0.1 }', "rule.value: expected"),
        ('{ kind = "above", prefix = "x", higher = ["a"], lower = ["b"], slack = inf }', "slack"),
        ('{ kind = "between", figure = "x", low = 1, high = nan }', "rule.high: expected a number"),
    ],
)
def test_limits_are_numbers(folder, rule, said):
    (folder / "claims.toml").write_text(
        f'[[claim]]\nid = "a"\ntext = "A"\npublished = "1"\nsource = "x"\nrule = {rule}\n'
    )
    (found,) = problems(folder)
    assert said in found
    assert "got " in found


def test_a_fault_of_the_study_hides_none_of_its_plan(folder):
    change(folder, "study.toml", "question =", "questoin =")
    change(folder, "study.toml", 'words = "four', 'wrods = "four')
    change(folder, "plan.toml", "seed = 1", "seed = -1")
    found = problems(folder)
    for start in ("study.toml: question: missing", "plan.toml:7: seed: expected"):
        assert any(each.startswith(start) for each in found), found


def test_a_plan_that_is_no_toml_hides_no_fault_of_another(folder):
    (folder / "plan-b.toml").write_text("name =")
    change(folder, "plan.toml", "replicates = 4", "replicates = 0")
    assert any(each.startswith("plan.toml:6: replicates") for each in problems(folder))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("variants.toml", "variant = 3", "variant: expected tables, each below a line [[variant]]"),
        ("variants.toml", "include = 3", "include: expected tables, each below a line [[include]]"),
        ("plan.toml", 'name = "x"\nscenario = 3', "scenario: expected the path of a scenario file"),
        ("plan.toml", 'name = "x"\nscenario = "no.toml"', "no.toml: cannot be read"),
        ("plan.toml", 'name = "x"\nfactors = 3', "factors: expected a table, got 3"),
        ("plan.toml", 'name = "x"\n[factors]\na = 3', "factors.a: expected a table, got 3"),
    ],
)
def test_what_is_no_table_is_said_so(folder, name, text, said):
    change(folder, "study.toml", "plan = {", "plan = { factors = { a = { low = 1 } },")
    (folder / name).write_text(text)
    found = problems(folder)
    assert any(said in each for each in found), found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[sizes.pocket]", "[size.pocket]\n[sizes.huge]"),
        ("[list]", "values = 3\n[list]"),
        ("[list]", "measure = 3\n[list]"),
    ],
)
def test_a_study_of_which_too_little_is_left_is_refused(folder, before, after):
    change(folder, "study.toml", before, after)
    assert any(each.startswith("study.toml") for each in problems(folder))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{{ chart("means", response="utilisation") }}',
            'no response "utilisation" (did you mean "u',
        ),
        (
            '{{ chart("differences", baseline="CUBC") }}',
            'no alternative "CUBC" (did you mean "CUBIC"?)',
        ),
        (
            '{{ table("means", responses=["loss_rate", "los"]) }}',
            'no response "los"; there are utilization',
        ),
        ('{{ table("differences", plan="b") }}', 'table "differences": no plan "b"; there are ""'),
        ('{{ verdicts["nothing"] }}', 'no claim "nothing"'),
        ('{{ measured["nothing"] }}', 'no claim "nothing"'),
    ],
)
def test_what_a_page_asks_of_plans_and_claims_is_there(folder, text, said):
    """Told before anything runs, with the line of the page."""
    page = folder / "page.md"
    page.write_text(f"{page.read_text('utf-8')}\n{text}\n", "utf-8")
    line = len(page.read_text("utf-8").splitlines())
    (found,) = problems(folder)
    assert found.startswith(f"page.md:{line}: ")
    assert said in found


def test_arguments_that_a_page_computes_are_left_to_it(folder):
    page = folder / "page.md"
    text = '{% for it in ["loss_rate"] %}{{ chart("means", response=it) }}{% endfor %}'
    page.write_text(f"{page.read_text('utf-8')}\n{text}\n", "utf-8")
    find_study(folder)


def test_a_fault_of_a_size_is_told_where_the_size_says_it(folder):
    desk = '[sizes.desk]\nwords = "more"\nplan = {{ {} }}\n'
    text = (folder / "study.toml").read_text("utf-8").partition("[sizes.desk]")[0]
    line = len(text.splitlines()) + 3
    for change_of_desk, said in (
        ("replictes = 5", 'sizes.desk.plan.replictes: unknown key (did you mean "replicates"?)'),
        ('scenario = { rtt = "3 cm" }', "sizes.desk.plan.scenario.rtt: expected a time"),
    ):
        (folder / "study.toml").write_text(text + desk.format(change_of_desk), "utf-8")
        (found,) = problems(folder)
        assert found.startswith(f"study.toml:{line}: {said}")


def test_faults_of_variants_are_told_at_once_with_their_places(folder):
    variant = (
        '[[variant]]\nid = "{0}"\nquestion = "Q"\nours = "a"\nother = "b"\n'
        "plan = {{ scenario = {{ transport = {{ {1} }} }} }}\n"
    )
    text = variant.format("one", "recovry = 'newreno'") + variant.format("two", "recovery = 'new'")
    (folder / "variants.toml").write_text(text, "utf-8")
    with pytest.raises(PlanError) as caught:
        run_study(folder, out=folder.parent / "out")
    told = [
        str(each).removeprefix(f"{folder}/").partition(" (did")[0] for each in caught.value.problems
    ]
    one, two = told
    assert one == 'variants.toml:1: the variant "one": scenario.transport.recovry: unknown key'
    assert two.startswith('variants.toml:7: the variant "two": scenario.transport.recovery: exp')
    assert not (folder.parent / "out").exists()


@pytest.mark.parametrize(
    "change_of_plan",
    [
        'scenario = { transport = { recovery = "sack" } }',
        'scenario = { rate = "20000 kbit/s" }',
        'scenario = { profile = "rfc" }',
    ],
)
def test_a_variant_that_says_the_same_in_other_words_changes_nothing(folder, change_of_plan):
    (folder / "variants.toml").write_text(
        '[[variant]]\nid = "same"\nquestion = "Q"\nours = "a"\nother = "b"\n'
        f"plan = {{ {change_of_plan} }}\n"
    )
    with pytest.raises(StudyError) as caught:
        run_study(folder, out=folder.parent / "out")
    (found,) = caught.value.problems
    assert str(found) == (
        f'{folder}/variants.toml:1: the variant "same" changes no run and no figure'
    )


@pytest.mark.parametrize("name", ["../../secret.md", "link.md", "{outside}"])
def test_a_page_includes_what_lies_in_the_folder_above_alone(tmp_path, name):
    secret = tmp_path / "secret.md"
    secret.write_text("secret", "utf-8")
    folder = new_study(tmp_path / "above" / "mine")
    (folder / "link.md").symlink_to(secret)
    page = folder / "page.md"
    page.write_text(f'{{% include "{name.format(outside=secret)}" %}}\n', "utf-8")
    with pytest.raises(StudyError) as caught:
        find_study(folder)
    assert [(each.loc, each.kind) for each in caught.value.problems] == [(f"{page}:1", "include")]
