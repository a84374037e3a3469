"""Verdicts follow from rules and figures alone."""

import math

import pytest

from mesonet.studies.rules import (
    between,
    correlates,
    not_computable,
    occurs,
    ordered,
    same_sign,
    within,
)
from mesonet.studies.scorecard import Claim, score

FIGURES = {"a": 2.0, "b": 1.0, "c": -3.0, "d": 1.05, "p": 0.04, "none": math.nan}


def claim(rule, name="x", **options):
    return Claim(name, "text", "published", "page 1", rule, **options)


def verdict(rule, **options):
    return score("study", "pocket", [claim(rule, **options)], FIGURES).entries[0].verdict


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (within("a", 2.0), "agrees"),
        (within("a", 2.1, relative=0.05), "agrees"),
        (within("a", 2.1, relative=0.04), "disagrees"),
        (within("a", 1.5, absolute=0.5), "agrees"),
        (within("a", 0.0, relative=0.5), "disagrees"),
        (within("a", 1.0, factor=2), "agrees"),
        (within("a", 0.9, factor=2), "disagrees"),
        (within("a", 4.1, factor=2), "disagrees"),
        (between("a", 2.0, 3.0), "agrees"),
        (between("a", high=1.9), "disagrees"),
        (same_sign("c", "-"), "agrees"),
        (same_sign("c", "+"), "disagrees"),
        (same_sign("c", "-", p="p", level=0.05), "agrees"),
        (same_sign("c", "-", p="b", level=0.05), "disagrees"),
        (ordered(("a", "b", "c")), "agrees"),
        (ordered(("b", "a")), "disagrees"),
        (ordered(("b", "d")), "disagrees"),
        (correlates({"c": 1, "b": 2, "a": 3}, rho=1.0), "agrees"),
        (correlates({"c": 3, "b": 2, "a": 1}, rho=0.0), "disagrees"),
        (within("none", 1.0, relative=9.0), "not computable"),
        (not_computable("the cross traffic is unknown"), "not computable"),
    ],
)
def test_rules_decide(rule, expected):
    assert verdict(rule) == expected


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (within("a", 2.5), "2 (-20.0%)"),
        (within("a", 0.0), "2"),
        (within("none", 2.5), "not computable"),
        (between("none", 1.0), "not computable"),
        (ordered(("a", "none")), "a 2, none not computable"),
    ],
)
def test_measured_in_words(rule, words):
    assert rule.measured(FIGURES) == words


@pytest.mark.parametrize(
    ("rule", "measured", "words"),
    [
        (within("a", 2.5, absolute=0.5, unit="s"), "2 s (-20.0%)", "within 0.5 of 2.5 s"),
        (within("a", 2.0, unit="events"), "2 events", "equal to 2 events"),
        (between("a", 1.0, unit="s"), "2 s", "at least 1 s"),
        (between("none", 1.0, unit="s"), "not computable", "at least 1 s"),
        (same_sign("c", "-", unit="s"), "-3 s", "below zero"),
        (
            ordered(("a", "b"), called=("before", "after"), unit="Mbit/s"),
            "before 2 Mbit/s, after 1 Mbit/s",
            "before > after",
        ),
        (occurs("b"), "yes", "yes"),
        (occurs("a"), "no", "yes"),
        (occurs("none"), "not computable", "yes"),
    ],
)
def test_pages_have_units_and_words(rule, measured, words):
    assert rule.measured(FIGURES) == measured
    assert rule.words == words


def test_constant_figures_do_not_correlate():
    rule = correlates({"a": 1.0, "a2": 2.0}, rho=-1.0)
    card = score("study", "pocket", [claim(rule)], {"a": 1.0, "a2": 1.0})
    assert card.entries[0].verdict == "disagrees"


def test_fitted_claims_do_not_count():
    card = score("study", "pocket", [claim(within("a", 2.0), fitted=True)], FIGURES)
    assert card.entries[0].verdict == "fitted"
    assert card.scored == 0
    assert verdict(within("a", 9.0), fitted=True) == "disagrees"
