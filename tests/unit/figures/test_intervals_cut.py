import polars as pl
import pytest

from mesonet.analysis import paired_differences
from mesonet.figures import Look, Names, answer_chart, forest_chart


def domains(chart):
    scales = [
        layer["encoding"].get("x", {}).get("scale") or {}
        for layer in chart.get("spec", chart)["layer"]
    ]
    return [scale for scale in scales if "domain" in scale]


def test_intervals_of_two_conditions_do_not_stretch_the_axis():
    """Differences of 1 and 3 of 10: 20 %, and with 12.7 standard errors of 1 to a side 127 %."""
    rows = [
        {"run": f"{c}{a}", "condition": c, "alternative": a, "replicate": 1, "y": value}
        for c, more in ((1, 1.0), (2, 3.0))
        for a, value in (("reno", 10.0), ("cubic", 10.0 + more))
    ]
    paired = paired_differences(pl.DataFrame(rows), response="y", baseline="reno")
    assert round(100 * paired.frame["relative_upper"].item()) == 20 + 127
    look, names = Look.of(["reno", "cubic"]), Names()
    for chart, edge in (
        (forest_chart(paired, look=look, names=names), 80.0),
        (answer_chart(paired, look=look, names=names, better={"y": "higher"}), 1.06 * 80.0),
    ):
        scales = domains(chart.to_dict())
        assert scales
        for scale in scales:
            assert scale["clamp"]
            assert scale["domain"] == pytest.approx([-edge, edge])
