"""Rules as data are the rules of `mesonet.studies.rules`, and faults name their field."""

import math

import pytest

from mesonet.studies import rules
from mesonet.studies.rules import KINDS, read_rule
from mesonet.studies.entries import StudyError, lines_of

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
    made = read_rule(table)
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
    ("table", "message"),
    [
        ({}, "kind: missing; there are within, between"),
        ({"kind": "ordred"}, 'no rule "ordred" (did you mean "ordered"?)'),
        ({"kind": "within", "figure": "a"}, "value: missing"),
        ({"kind": "within", "figure": "a", "valu": 1}, 'valu: unknown key (did you mean "value"?)'),
        ({"kind": "between", "figure": "a"}, "low: missing, and so is high"),
        ({"kind": "between", "figure": "a", "low": 2, "high": 1}, "high: expected at least 2"),
        ({"kind": "sign", "figure": "a", "sign": "above"}, "sign: expected '+' or '-'"),
        ({"kind": "ordered", "figures": ["a"]}, "figures: expected at least 2"),
        ({"kind": "ordered", "figures": ["a", "b"], "called": ["A"]}, "called: expected 2 labels"),
        (
            {"kind": "placed", "prefix": "", "label": "A", "labels": ["b"], "first": 2, "last": 1},
            "last: expected at least 2",
        ),
        ({"kind": "correlates", "printed": {"a": 1, "b": 2}, "rho": 2}, "rho: expected a number"),
    ],
)
def test_faults_of_rules_are_told(table, message):
    with pytest.raises(StudyError) as caught:
        read_rule(table)
    assert message in str(caught.value)


def test_ranges_without_an_end_are_open():
    assert read_rule({"kind": "between", "figure": "a", "high": math.inf, "low": 1}).words == (
        "at least 1"
    )


def test_lines_of_entries_are_found():
    text = (
        '# [no.table]\na = """\nb = 1\n"""\n[t."x y"]\nc = [\n  { d = "]" },\n]\n'
        "e.f = 2 # [no]\n[[l]]\n[[l.m]]\ng = '''[''' \n[[l]]\nh = 1\n"
    )
    assert lines_of(text) == {
        ("a",): 2,
        ("t", "x y"): 5,
        ("t", "x y", "c"): 6,
        ("t", "x y", "e"): 9,
        ("t", "x y", "e", "f"): 9,
        ("l", 0): 10,
        ("l", 0, "m", 0): 11,
        ("l", 0, "m", 0, "g"): 12,
        ("l", 1): 13,
        ("l", 1, "h"): 14,
    }
