"""Variants of Experiments 1 and 2: each changes its subject and nothing else."""

from dataclasses import replace
from functools import cache

import pytest

from mesonet.controller import built_in
from mesonet.studies import find_study
from mesonet.studies.study import Options

STUDIES = ("nist-1a", "nist-1b", "nist-2a")
TUNED = {"nist-1b", "nist-2a"}
"""Those with FAST-AT."""


@cache
def prepared(name):
    return find_study(name).prepare(Options("pocket"))


@cache
def under(name, variant):
    """The study under a variant; None if it lacks what that changes."""
    study = find_study(name)
    if variant not in {each.id for each in study.variants}:
        return None
    changed = study.prepare(Options("pocket", variants=(variant,)))
    # Runs that a variant changes follow those of the study.
    own = {item.name: item for item in prepared(name).items}
    theirs = {item.name.removesuffix(f", {variant}"): item for item in changed.items}
    items = [replace(theirs[each], name=each) for each in own]
    plans = {key: each for key, each in changed.plans.items() if key.startswith("variants/")}
    return replace(changed, items=items, plans=plans)


def resolved(study, labels=("BIC",)):
    """The resolved scenario of the first condition by alternative."""
    (plan,) = study.plans.values()
    return {
        each.label: plan.scenario_of(1, each).resolve()
        for each in plan.alternatives
        if each.label in labels
    }


def part(world, name):
    """Subjects of the variants, by name."""
    match name:
        case "shape":
            return world["population"]["files"]["shape"]
        case "rto":
            return world["transport"]["rto_initial"], world["transport"]["rto_min"]
        case "slow start":
            return world["transport"].get("slow_start", "acks")
        case "repairs":
            return world["transport"]["recovery"]
        case "syn":
            return world["transport"]["syn_timeout"]
        case "rates":
            return tuple(each["rate"]["packets_per_second"] for each in world["interfaces"])
        case "D":
            places = [site["station"] for site in world["sites"] if site["class"] == 0]
            return [
                world["stations"][world["stations"][place]["region"]]["name"] for place in places
            ]
    return {each["name"]: each["params"] for each in world["algorithms"] if each["params"]}


PARTS = ("shape", "rto", "repairs", "syn", "slow start", "rates", "D", "parameters")


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize(
    ("name", "changed", "expected"),
    [
        ("seed", "", None),
        ("pareto-1.35", "shape", 1.35),
        ("pareto-1.2", "shape", 1.2),
        ("rto-200ms", "rto", (1.0, 0.2)),
        ("without-sack", "repairs", "newreno"),
        ("syn-1s", "syn", 1.0),
        ("slow-start-rounds", "slow start", "rounds"),
        ("letters", "D", ["NYCM", "ATLA", "CHIN", "HSTN", "LOSA", "STTL"]),
        ("interfaces", "rates", (800.0, 8000.0)),
    ],
)
def test_a_variant_changes_its_subject_and_nothing_else(study, name, changed, expected):
    ours = prepared(study)
    other = under(study, name)
    before, after = resolved(ours), resolved(other)
    assert list(before) == list(after)
    for label, world in after.items():
        assert changed == "" or part(world, changed) == expected != part(before[label], changed)
        for same in set(PARTS) - {changed}:
            assert part(world, same) == part(before[label], same)
    (plan,), (own,) = other.plans.values(), ours.plans.values()
    assert (plan.seed != own.seed) == (name == "seed")
    if name != "seed":
        assert other.items == list(ours.items)


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize(
    ("name", "label", "algorithm", "parameters"),
    [
        ("bic-paper", "BIC", "bic:nist", {"s_max": 32, "s_min": 0.01, "decrease": 0.125}),
        ("fast-80", "FAST", "fast:nist", {"alpha": 80}),
        ("fast-20", "FAST", "fast:nist", {"alpha": 20}),
        (
            "fast-at-200",
            "FAST-AT",
            "fast-at:nist",
            {"alpha_low": 200, "alpha_middle": 200, "alpha_high": 200},
        ),
        (
            "fast-at-fitted",
            "FAST-AT",
            "fast-at:nist",
            {
                "first": 0,
                "crossing": 0,
                "low_up": 12_000,
                "low_down": 10_000,
                "high_up": 20_000,
                "high_down": 18_000,
            },
        ),
    ],
)
def test_parameters_are_those_of_one_algorithm(study, name, label, algorithm, parameters):
    ours = prepared(study)
    other = under(study, name)
    if label == "FAST-AT" and study not in TUNED:
        assert other is None
        return
    for each, world in resolved(other, ("BIC", "CTCP", "FAST", "FAST-AT")).items():
        assert part(world, "parameters") == ({algorithm: parameters} if each == label else {})
    changed = [new for new, old in zip(other.items, ours.items, strict=True) if new != old]
    assert [item.name for item in changed] == ([f"cut-{algorithm}"] if study == "nist-1b" else [])
    for item in changed:
        assert item.scenario.parameters == {algorithm: parameters}


@pytest.mark.parametrize("study", STUDIES)
def test_both_fasts_have_their_own_rule_but_in_one_variant(study):
    other = under(study, "fast-standard-repairs")
    parameters = {
        label: part(world, "parameters")
        for label, world in resolved(other, ("BIC", "CTCP", "FAST", "FAST-AT")).items()
    }
    standard = {"own_rule": 0}
    assert parameters["BIC"] == parameters["CTCP"] == {}
    assert parameters["FAST"] == {"fast:nist": standard}
    assert parameters.get("FAST-AT") == ({"fast-at:nist": standard} if study in TUNED else None)
    known = {each.name: each.parameters for each in built_in()}
    for name in ("fast:nist", "fast-at:nist"):
        assert {each.name: each.default for each in known[name]}["own_rule"] == 1
