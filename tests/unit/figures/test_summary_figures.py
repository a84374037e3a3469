"""Pictures of descriptions show the numbers they are of."""

import polars as pl
import pytest
import synthetic
from drawings import values, words

from mesonet.analysis import describe
from mesonet.figures import Look, Names, describe_chart

NAMES = Names(responses={"loss_rate": ("Loss rate", ""), "goodput_DD": ("Goodput", "segments/s")})


@pytest.fixture(scope="module")
def campaign():
    return synthetic.campaign()


def look_of(frame):
    return Look.of(frame["alternative"].unique(maintain_order=True))


def test_a_description_draws_its_rows(campaign):
    description = describe(campaign, responses=["loss_rate", "goodput_DD"])
    chart = describe_chart(description, look=look_of(campaign), names=NAMES)
    drawn = values(chart, response="goodput_DD")
    wanted = description.frame.filter(pl.col("response") == "goodput_DD")
    assert [row["median"] for row in drawn] == wanted["median"].to_list()
    assert "Goodput (segments/s)" in words(chart)
    some = describe_chart(description, look=look_of(campaign), names=NAMES, only=["loss_rate"])
    assert not values(some, response="goodput_DD")
