"""Levels of factors: their codes, their text, and what lies between two of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesonet.design import Factor, between, level_text


def test_levels_as_text():
    assert level_text([1 / 3, 1 / 3, 1 / 3]) == "0.3333/0.3333/0.3333"
    assert level_text([[0.02, 0.1], [10, 20]]) == "0.02/0.1; 10/20"
    assert level_text({"ctcp": 0.7, "reno": 0.3}) == "ctcp 0.7, reno 0.3"
    assert level_text({"kind": "codel"}) == "codel"
    assert level_text({"kind": "codel", "ecn": True}) == "codel (ecn true)"
    tiers = {"pop": "step", "access": {"kind": "codel", "target": "5 ms", "share": 0.6}}
    assert level_text(tiers) == "pop step, access codel (target 5 ms, share 0.6)"
    assert level_text("5 s") == "5 s"
    assert level_text("14.3284714931 Mbit/s") == "14.33 Mbit/s"
    assert level_text("a long name of an algorithm") == "a long name of an algorithm"
    assert level_text(True) == "true"
    assert level_text(60) == "60"


def test_levels_that_are_alike_when_short_are_written_out():
    rates = ("100.01 Mbit/s", "100.04 Mbit/s", "7.3333333333 Mbit/s")
    factor = Factor("rate", ("rate",), rates[0], rates[-1], levels=rates)
    assert [factor.text(code) for code in factor.codes] == list(rates)
    near = Factor("loss", ("loss",), 0.1, 0.1000001)
    assert (near.text(-1), near.text(+1)) == ("0.1", "0.1000001")
    assert Factor("loss", ("loss",), 0.1, 0.2000001).text(+1) == "0.2"


def test_factors_with_several_paths_move_together():
    factor = Factor("size", ("a", "b.c"), [1, 2], [3, 4])
    assert factor.settings(-1) == {"a": 1, "b.c": 2}
    assert factor.settings(+1) == {"a": 3, "b.c": 4}
    assert factor.settings(0) == {"a": 2, "b.c": 3}
    assert Factor("mix", ("m",), [1, 2], [3, 4]).settings(+1) == {"m": [3, 4]}
    assert factor.text(+1) == "3/4"


def test_listed_levels_have_equally_spaced_codes():
    factor = Factor("a", ("a",), "reno", "ctcp", levels=("reno", "cubic", "bic", "ctcp"))
    assert factor.codes == (-1, -1 / 3, 1 / 3, 1)
    assert [factor.level(code) for code in factor.codes] == ["reno", "cubic", "bic", "ctcp"]
    assert not factor.continuous
    with pytest.raises(ValueError, match=r"\b0$"):
        factor.level(0)


@pytest.mark.parametrize(
    ("low", "high", "share", "scale", "middle"),
    [
        (1.0, 2.0, 0.5, "linear", 1.5),
        (1, 4, 0.5, "linear", 2),  # whole numbers stay whole
        (1.0, 100.0, 0.5, "log", 10.0),
        ("10 Mbit/s", "40 Mbit/s", 0.5, "log", "20.0 Mbit/s"),
        ("0.25 bdp", "1 bdp", 0.2, "linear", "0.4 bdp"),
        ("1 ms", "1 s", 0.5, "linear", None),  # other units: which one would it be in?
        ([0.1, 0.6, 0.3], [0.5, 0.2, 0.3], 0.5, "linear", [0.3, 0.4, 0.3]),
        ({"a": 0.7, "b": 0.3}, {"a": 0.3, "b": 0.7}, 0.5, "linear", {"a": 0.5, "b": 0.5}),
        ({"a": 1.0}, {"b": 1.0}, 0.5, "linear", None),
        ("reno", "ctcp", 0.5, "linear", None),
        (False, True, 0.5, "linear", None),
        (0.0, 1.0, 0.5, "log", None),
        ([1], [1, 2], 0.5, "linear", None),
    ],
)
def test_what_lies_between(low, high, share, scale, middle):
    assert between(low, high, share, scale=scale) == middle
    assert Factor("f", ("f",), low, high, scale=scale).continuous == (middle is not None)


@given(
    st.floats(0.001, 1e6),
    st.floats(1.001, 1e6),
    st.floats(0, 1),
    st.sampled_from(["linear", "log"]),
)
def test_what_lies_between_is_between(low, ratio, share, scale):
    high = low * ratio
    level = between(low, high, share, scale=scale)
    assert low * (1 - 1e-9) <= level <= high * (1 + 1e-9)


def test_the_ends_are_the_levels_themselves():
    factor = Factor("rate", ("rate",), "10 Mbit/s", "40 Mbit/s", scale="log")
    assert (factor.level(-1), factor.level(1)) == ("10 Mbit/s", "40 Mbit/s")
    assert factor.text(0.5) == "28.28 Mbit/s"
    with pytest.raises(ValueError, match=r"\b1\.5$"):
        factor.level(1.5)


def test_the_code_of_a_text_is_that_of_its_level():
    rate = Factor("rate", ("rate",), "5 Mbit/s", "500 Mbit/s", scale="log")
    assert [rate.code(text) for text in ("5 Mbit/s", "5.0 Mbit/s", "500 Mbit/s")] == [-1, -1, 1]
    assert rate.code("50 Mbit/s") == 0
    assert [rate.code(text) for text in ("50", "50 kbit/s", "4 Mbit/s", "cubic", "")] == [None] * 5
    whole = Factor("count", ("count",), 1, 5)
    assert [whole.code(text) for text in ("1", "2", "2.0", "2.5", "1e0")] == [
        *(-1, -0.5, -0.5, None, -1)
    ]
    mixes = Factor("mix", ("m",), {"reno": 1.0}, {"ctcp": 0.7, "reno": 0.3})
    assert mixes.code("ctcp 0.7, reno 0.3") == 1
