"""Rules as data are the rules of `mesonet.studies.rules`, and faults name their field."""

import math
from pathlib import Path

import pytest

from mesonet.studies import rules
from mesonet.studies.entries import StudyError
from mesonet.studies.rules import KINDS, read_rule

FIGURES = {"a": 2.0, "b": 1.0, "x.one": 3.0, "x.two": 1.0, "x.three": 2.0}
PAIRS = [
    (
        {"kind": "within", "figure": "a", "value": 2.1, "relative": 0.1, "unit": "s"},
        rules.within("a", 2.1, relative=0.1, unit="s"),
    ),
    ({"kind": "between", "figure": "a", "low": 1, "high": 3}, rules.between("a", 1, 3)),
    ({"kind": "occurs", "figure": "b"}, rules.occurs("b")),
    ({"kind": "sign", "figure": "a", "sign": "-"}, rules.same_sign("a", "-")),
    (
        {"kind": "sign", "figure": "a", "sign": "+", "relative": "b", "p": "x.one"},
        rules.same_sign("a", "+", relative="b", p="x.one"),
    ),
    (
        {"kind": "ordered", "figures": ["a", "b"], "called": ["A", "B"], "slack": 0.1, "unit": "s"},
        rules.ordered(("a", "b"), called=("A", "B"), slack=0.1, unit="s"),
    ),
    (
        {"kind": "each", "prefix": "x.", "labels": ["one", "two"], "low": 2},
        rules.each("x.", ("one", "two"), 2),
    ),
    (
        {"kind": "above", "prefix": "x.", "higher": ["one"], "lower": ["two"], "slack": 0.5},
        rules.above("x.", ("one",), ("two",), slack=0.5),
    ),
    (
        {
            "kind": "placed",
            "prefix": "x.",
            "label": "three",
            "labels": ["one", "two", "three"],
            "first": 2,
            "last": 2,
        },
        rules.placed("x.", "three", ("one", "two", "three"), 2, 2),
    ),
    (
        {"kind": "correlates", "printed": {"a": 2, "b": 1}, "rho": 0.5},
        rules.correlates({"a": 2, "b": 1}, rho=0.5),
    ),
    ({"kind": "not_computable", "reason": "why"}, rules.not_computable("why")),
]


@pytest.mark.parametrize(("table", "rule"), PAIRS)
def test_a_rule_as_data_is_the_rule(table, rule):
    made = read_rule(table, Path("claims.toml"), "claim[0].rule")
    assert (made.needs, made.words, made.plain) == (rule.needs, rule.words, rule.plain)
    assert made.measured(FIGURES) == rule.measured(FIGURES)
    assert made.holds(FIGURES) == rule.holds(FIGURES)


def test_an_effect_is_shown_over_what_it_is_compared_with_and_with_stars():
    rule = rules.same_sign("a", "-", unit="s", relative="r", p="p")
    assert rule.needs == ("a", "r", "p")
    assert rule.measured({"a": -2.0, "r": -0.041, "p": 0.004}) == "-4.1% **"
    assert rule.measured({"a": -2.0, "r": -0.041, "p": 0.4}) == "-4.1% (p ≥ .05)"
    assert rule.measured({"a": -2.0, "r": math.nan, "p": math.nan}) == "-2 s"


def test_every_kind_is_tried():
    assert {table["kind"] for table, _ in PAIRS} == set(KINDS)


@pytest.mark.parametrize(
    ("table", "key", "kind"),
    [
        ({}, ".kind", "unknown_rule"),
        ({"kind": "ordred"}, ".kind", "unknown_rule"),
        ({"kind": "within", "figure": "a"}, ".value", "missing"),
        ({"kind": "within", "figure": "a", "value": 1, "valu": 1}, ".valu", "unknown_key"),
        ({"kind": "between", "figure": "a"}, "", "range"),
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


def test_ranges_without_an_end_are_open():
    table = {"kind": "between", "figure": "a", "high": math.inf, "low": 1}
    assert read_rule(table, Path("claims.toml"), "").words == "at least 1"
