"""Numbers for people."""

import pytest

from mesonet.numbers import number, percent


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.994, "+99 %"), (0.995, "+100 %"), (0.997, "+100 %"), (1.004, "+100 %"), (-0.996, "−100 %")],
)
def test_percentages_that_round_to_a_hundred_have_no_exponent(value, text):
    assert percent(value).replace("\N{NARROW NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize(
    ("value", "text"), [(9999.4, "9999"), (9999.6, "10 000"), (-9999.6, "−10 000")]
)
def test_numbers_that_round_to_one_digit_more_have_no_exponent(value, text):
    assert number(value).replace("\N{NARROW NO-BREAK SPACE}", " ") == text
