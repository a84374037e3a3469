"""Files that the user names."""

from __future__ import annotations

import io
from pathlib import Path
from xml.etree import ElementTree

import altair as alt
import pytest

from mesonet.errors import InputError
from mesonet.figures import printed
from mesonet.system.place import PICTURES, name_problems, refuse_name

CHART = {
    "data": {"values": [{"a": 1, "b": "\\\\frac $x$ <b> _i_ 🙂 \u05d0"}]},
    "mark": "point",
    "encoding": {
        "x": {"field": "a", "type": "quantitative", "title": "\\\\frac{1} & $ <i>"},
        "y": {"field": "b", "type": "nominal"},
    },
}


def test_any_label_gives_well_formed_svg():
    tree = ElementTree.parse(io.BytesIO(printed(alt.Chart.from_dict(CHART))))
    words = "".join(tree.getroot().itertext())
    assert "$x$ <b> _i_" in words


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("a.svg", []),
        ("a.txt", ["suffix"]),
        ("no/a.svg", ["folder"]),
        ("folder.svg", ["folder"]),
        ("old.svg", []),
    ],
)
def test_a_name_is_looked_at_before_there_is_anything_to_write(tmp_path: Path, name, kinds):
    (tmp_path / "folder.svg").mkdir()
    (tmp_path / "old.svg").touch()
    problems = name_problems(tmp_path / name, "--out", PICTURES)
    assert [(problem.loc, problem.kind) for problem in problems] == [("--out", k) for k in kinds]
    if kinds:
        with pytest.raises(InputError):
            refuse_name(tmp_path / name, "--out", PICTURES)
