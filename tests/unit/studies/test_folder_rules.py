"""Rules as data are the rules of `mesonet.studies.rules`, and faults name their field."""

import math
from pathlib import Path

import pytest

from mesonet.studies import rules
from mesonet.studies.entries import StudyError
from mesonet.studies.rules import read_rule


def test_an_effect_is_shown_over_what_it_is_compared_with_and_with_stars():
    rule = rules.same_sign("a", "-", unit="s", relative="r", p="p")
    assert rule.needs == ("a", "r", "p")
    assert rule.measured({"a": -2.0, "r": -0.041, "p": 0.004}) == "-4.1% **"
    assert rule.measured({"a": -2.0, "r": -0.041, "p": 0.4}) == "-4.1% (p ≥ .05)"
    assert rule.measured({"a": -2.0, "r": math.nan, "p": math.nan}) == "-2 s"


def test_equal_figures_are_in_no_order():
    equal, pair = {"a": 1.0, "b": 1.0}, (("a",), ("b",))
    assert not rules.ordered(("a", "b")).holds(equal)
    assert rules.ordered(("a", "b")).holds(equal | {"b": 0.0})
    assert not rules.above("", *pair).holds(equal)
    assert rules.above("", *pair, slack=0.5).holds(equal | {"b": 1.5})
    assert not rules.above("", *pair, slack=0.5).holds(equal | {"b": 1.6})


def test_a_factor_of_a_negative_number_and_a_part_of_a_percent():
    rule = rules.within("a", -10, factor=2)
    assert [rule.holds({"a": value}) for value in (-20, -10, -5, -4, -21)] == [True] * 3 + [
        False
    ] * 2
    assert "0.5%" in rules.within("a", 10, relative=0.005).words


@pytest.mark.parametrize(
    ("table", "key", "kind"),
    [
        ({}, ".kind", "unknown_rule"),
        ({"kind": "ordred"}, ".kind", "unknown_rule"),
        ({"kind": "within", "figure": "a"}, ".value", "missing"),
        ({"kind": "within", "figure": "a", "value": 1, "valu": 1}, ".valu", "unknown_key"),
        ({"kind": "within", "figure": "a", "value": math.nan}, ".value", "finite_number"),
        ({"kind": "within", "figure": "a", "value": 1, "factor": 2, "relative": 0.1}, "", "range"),
        ({"kind": "between", "figure": "a"}, "", "range"),
        ({"kind": "between", "figure": "a", "low": 1, "high": math.nan}, "", "range"),
        ({"kind": "between", "figure": "a", "low": 2, "high": 1}, "", "range"),
        ({"kind": "sign", "figure": "a", "sign": "above"}, ".sign", "literal_error"),
        ({"kind": "ordered", "figures": ["a"]}, ".figures", "too_short"),
        ({"kind": "ordered", "figures": ["a", "b"], "called": ["A"]}, "", "range"),
        (
            {"kind": "placed", "prefix": "", "label": "b", "labels": ["b"], "first": 2, "last": 1},
            "",
            "range",
        ),
        ({"kind": "correlates", "printed": {"a": 1, "b": 2}, "rho": 2}, ".rho", "less_than_equal"),
    ],
)
def test_faults_of_rules_name_their_key(table, key, kind):
    with pytest.raises(StudyError) as caught:
        read_rule(table, Path("claims.toml"), "claim[0].rule")
    assert [(each.loc, each.kind) for each in caught.value.problems] == [
        (f"claims.toml: claim[0].rule{key}", kind)
    ]
