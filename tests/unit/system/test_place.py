"""Files that the user names: what mesonet made may be replaced, anything else only by force."""

from __future__ import annotations

import io
import zlib
from pathlib import Path

import altair as alt
import pytest

from mesonet.errors import InputError
from mesonet.figures import printed
from mesonet.system.place import MARK, PICTURES, refuse_foreign, refuse_name

CHART = {
    "data": {"values": [{"a": 1, "b": "\\\\frac $x$ <b> _i_ 🙂 \u05d0"}]},
    "mark": "point",
    "encoding": {
        "x": {"field": "a", "type": "quantitative", "title": "\\\\frac{1} & $ <i>"},
        "y": {"field": "b", "type": "nominal"},
    },
}


def drawn(kind: str) -> bytes:
    return printed(alt.Chart.from_dict(CHART), kind=kind)


@pytest.mark.parametrize("suffix", PICTURES)
def test_pictures_of_mesonet_are_recognised_and_others_are_not(tmp_path: Path, suffix):
    path = tmp_path / f"picture{suffix}"
    content = drawn(suffix[1:])
    path.write_bytes(content)
    refuse_foreign([path])
    refuse_name(path, "--out", PICTURES)
    path.write_bytes(content.replace(MARK, b"made by others!"))
    with pytest.raises(InputError):
        refuse_foreign([path])
    refuse_foreign([path], force=True)


def test_marked_pictures_are_whole():
    png = drawn("png")
    at = png.index(b"tEXt")
    length = int.from_bytes(png[at - 4 : at])
    chunk = png[at : at + 4 + length]
    assert int.from_bytes(png[at + 4 + length : at + 8 + length]) == zlib.crc32(chunk)
    assert png.endswith(b"IEND\xaeB`\x82")
    assert drawn("pdf").startswith(b"%PDF-")
    assert drawn("pdf").rstrip().endswith(b"%%EOF")


def test_any_label_gives_well_formed_svg():
    from xml.etree import ElementTree

    tree = ElementTree.parse(io.BytesIO(drawn("svg")))
    words = "".join(tree.getroot().itertext())
    assert "$x$ <b> _i_" in words


def test_folders_are_never_replaced_and_links_are_not_followed(tmp_path: Path):
    (tmp_path / "page.html").mkdir()
    with pytest.raises(InputError, match="got a folder"):
        refuse_foreign([tmp_path / "page.html"], force=True)
    link = tmp_path / "link.html"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError):
        refuse_foreign([link])
