"""Charts on paper: the same picture in black on white, of the width asked for."""

import io
import json
import re
from xml.etree import ElementTree

import pytest
import synthetic
from refusals import refused

from mesonet import figures
from mesonet.analysis import paired_differences
from mesonet.errors import InputError
from mesonet.figures import Look, Names, printed, save


@pytest.fixture(scope="module")
def chart():
    frame = synthetic.campaign(conditions=4)
    paired = paired_differences(frame, response=["loss_rate", "goodput_DD"], baseline="reno")
    return figures.forest_chart(paired, look=Look.of(synthetic.ALTERNATIVES), names=Names())


@pytest.fixture(scope="module")
def drawing(chart):
    return printed(chart).decode()


def test_the_ink_is_black_and_the_ground_white(chart, drawing):
    assert "currentColor" in json.dumps(chart.to_dict(validate=False))
    assert "currentColor" not in drawing
    assert 'fill="white"' in drawing
    assert "system-ui" not in drawing


def test_everything_that_the_chart_says_is_there(chart, drawing):
    said = [
        value for row in json.loads(chart.to_dict()["data"]["values"]) for value in row.values()
    ]
    words = [
        value for value in said if isinstance(value, str) and "%" in value and "·" not in value
    ]
    assert len(words) == 4
    for word in words:
        assert word in drawing


def test_a_drawing_is_the_same_bytes_again(chart, drawing):
    assert printed(chart).decode() == drawing


def test_files_are_what_their_names_say(chart, tmp_path):
    starts = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}
    for kind, start in starts.items():
        assert save(chart, tmp_path / f"a.{kind}").read_bytes().startswith(start)
    with refused(InputError, ("kind", "unknown_kind")):
        save(chart, tmp_path / "a.pfd")
    assert not (tmp_path / "a.pfd").exists()


def test_a_pdf_file_has_72_points_where_the_drawing_has_96_pixels(chart, drawing):
    box = re.search(rb"MediaBox ?\[0 0 ([\d.]+) ", printed(chart, kind="pdf"))
    width = float(re.search(r'width="([\d.]+)"', drawing)[1])
    assert float(box[1]) == pytest.approx(width * 72 / 96, abs=1)


def test_any_label_gives_well_formed_svg():
    label = "\\\\frac $x$ <b> _i_ 🙂 \u05d0"
    axes = {
        "x": {"field": "a", "type": "quantitative", "title": "\\\\frac{1} & $ <i>"},
        "y": {"field": "b", "type": "nominal"},
    }
    chart = {"data": {"values": [{"a": 1, "b": label}]}, "mark": "point", "encoding": axes}
    tree = ElementTree.parse(io.BytesIO(printed(chart)))
    assert "$x$ <b> _i_" in "".join(tree.getroot().itertext())
