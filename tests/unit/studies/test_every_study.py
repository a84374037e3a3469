"""What every study that comes with mesonet keeps to, whatever it is about."""

import inspect

import pytest

from mesonet.errors import InputError
from mesonet.simulation import check
from mesonet.studies import CATALOGUE, Options, RunResults, StudyError, find_study
from mesonet.studies.page import render_study


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_catalogue_is_true(name):
    study = find_study(name)
    assert study.name == name
    assert len({claim.id for claim in study.claims}) == len(study.claims)
    assert all(claim.source and claim.published and claim.text for claim in study.claims)
    slips = [claim for claim in study.claims if claim.standing == "slip"]
    assert [claim.id for claim in slips if claim.rule.needs] == []


@pytest.mark.parametrize("name", CATALOGUE)
def test_functions_that_the_engine_calls_take_what_it_passes(name):
    """A helper of the study's own must not have the name of one of them by accident."""
    before = "runs", "plans", "settings"
    hooks = find_study(name).code.hooks.items()
    passed = {hook: next(iter(inspect.signature(code).parameters.values())) for hook, code in hooks}
    passed.pop("with_algorithms", None)
    assert {hook: argument.annotation for hook, argument in passed.items()} == {
        hook: "Options" if hook in before else "RunResults" for hook in passed
    }


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_unknown_algorithm_is_refused(name):
    with pytest.raises(InputError):
        resolve(find_study(name), "renno")


def resolve(study, algorithm):
    """Resolves the runs of a study with an algorithm; none is simulated."""
    prepared = study.prepare(Options(algorithms=(algorithm,)))
    for plan in prepared.plans.values():
        plan.runs()
    for item in prepared.items:
        check(item.scenario)


@pytest.mark.parametrize("name", CATALOGUE)
def test_sizes_with_values_of_their_own_lay_out_their_runs(name):
    study = find_study(name)
    # Two algorithms of its own will do where it takes some: runs of the others are made alike.
    some = None if "algorithms" in study.refuses else study.algorithms.own[:2] or None
    for size, about in study.sizes.items():
        assert not about.values or study.prepare(Options(size, some)).cells


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_bench_whose_runs_failed_has_a_page_and_no_verdicts(name, tmp_path):
    prepared = find_study(name).prepare(Options("pocket"))
    if prepared.plans:
        return
    failures = {item.name: "failed" for item in prepared.items}
    results = RunResults({}, {}, failures, tmp_path)
    if name == "edge":
        # Its text has figures in it, so it says what failed in place of a page.
        with pytest.raises(StudyError) as caught:
            prepared.evaluate(results)
        assert len(caught.value.problems) > len(failures)
        return
    output = prepared.evaluate(results)
    card = output.scorecard
    assert card is None or {entry.verdict for entry in card.entries} == {"not computable"}
    identifiers = [section.identifier for section in output.sections]
    assert len(set(identifiers)) == len(identifiers)
    assert render_study(output)
