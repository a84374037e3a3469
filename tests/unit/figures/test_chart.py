"""The chart of all figures gives the specification that Altair's own gives."""

import json
import re

import altair as alt

from mesonet.figures.chart import Chart
from mesonet.figures.style import data


def composed(chart):
    base = chart(data([{"a": 1, "b": 2, "c": "x"}])).encode(
        x="a:Q", y=alt.Y("b:Q", title="y"), color="c:N", tooltip=["a:Q", alt.Tooltip("b:Q")]
    )
    points, rule = base.mark_point(), base.mark_rule().encode(y2="b:Q", strokeDash="c:N")
    highlight = alt.selection_point(fields=["c"], name="highlight")
    both = alt.layer(points.add_params(highlight), rule).properties(width=100)
    return alt.hconcat(both, rule.properties(height=50), points).configure(font="serif")


def specification(chart):
    text = json.dumps(composed(chart).to_dict(), sort_keys=True)
    names = {}
    return re.sub(r"view_\w+", lambda it: names.setdefault(it[0], f"view {len(names)}"), text)


def test_the_specification_is_that_of_altair():
    assert specification(Chart) == specification(alt.Chart)


def test_the_copy_of_a_chart_can_be_changed_alone():
    chart = Chart(data([{"a": 1}])).mark_bar().encode(x="a:Q")
    changed = chart.encode(y="a:Q").properties(width=7)
    assert "y" not in chart.to_dict()["encoding"]
    assert changed.to_dict()["width"] == 7
