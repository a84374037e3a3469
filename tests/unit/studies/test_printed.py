import json

import pytest

from mesonet.studies.printed import printed_chart
from mesonet.studies.rules import between, within
from mesonet.studies.scorecard import Claim, score

FIGURES = {"window": 3000.0, "share": 0.05, "delay": 9.0}


def card(**rules):
    claims = [
        Claim(id=name, text=name, published="x", source="y", rule=rule)
        for name, rule in rules.items()
    ]
    return score("study", "pocket", claims, FIGURES)


def test_published_numbers_stand_beside_measured_ones_with_their_range():
    chart = printed_chart(
        card(
            a=within("window", 2000.0, relative=0.1),
            b=within("share", 0.01, factor=2.0),
            c=between("delay", high=10.0),
            d=within("delay", 0.0),
        ),
        FIGURES,
    )
    rows = {row["claim"]: row for row in json.loads(chart.to_dict(validate=True)["data"]["values"])}
    # A range of our own and a printed zero have no ratio; five times the number is at the edge.
    assert list(rows) == ["a", "b"]
    a, b = rows["a"], rows["b"]
    assert (a["printed"], a["ratio"], a["low"], a["high"]) == pytest.approx((1.0, 1.5, 0.9, 1.1))
    assert (b["ratio"], b["low"], b["high"]) == pytest.approx((2.0, 0.5, 2.0))


def test_one_printed_number_needs_no_chart():
    assert printed_chart(card(a=within("window", 2000.0)), FIGURES) is None
