"""A page has the licences of all libraries that it embeds."""

import html
import re
from functools import cache
from pathlib import Path

import pages
import pytest
import vl_convert

from mesonet.page.bundle import bundle
from mesonet.report import render

FAMILIES = {"vega": "Vega and its packages", "d3": "D3 and its packages"}
INSIDE = {
    # What is inside of these packages, with a text of theirs in the script.
    "fast-json-patch": "TEST_OPERATION_FAILED",
    "semver": "Invalid comparator",
    "fast-deep-equal": ".toString&&",
    "fast-json-stable-stringify": "Converting circular structure to JSON",
    "ColorBrewer": "accent",
}


@cache
def modules():
    """The modules that vl-convert has inside, each with those that it imports."""
    (library,) = Path(vl_convert.__file__).parent.glob("*.so")
    name = rb"/npm/((?:@[\w.-]+/)?[\w.-]+@[\d.]+)/"
    begin = rb"/\*\*\n \* Bundled by jsDelivr[^\n]*\n \* Original file: " + name + rb"[^\n]*\n"
    bundled = re.finditer(
        begin + rb".*?\*/(.*?)//# sourceMappingURL", library.read_bytes(), re.DOTALL
    )
    return {
        module[1].decode(): {
            each[1].decode() for each in re.finditer(rb'"' + name + rb'\+esm"', module[2])
        }
        for module in bundled
    }


def embedded():
    """Names of the packages of the script: those that Vega, Vega-Lite and Vega-Embed import."""
    lite = f"vega-lite@{vl_convert.get_vegalite_versions()[-1]}"
    left = [
        f"vega@{vl_convert.get_vega_version()}",
        f"vega-embed@{vl_convert.get_vega_embed_version()}",
        *(name for name in modules() if name.startswith(f"{lite}.")),
    ]
    assert len(left) == 3
    reached = set()
    while left:
        name = left.pop()
        if name not in reached:
            reached.add(name)
            left += modules()[name]
    return {name.rpartition("@")[0] for name in reached}


@pytest.fixture(scope="module")
def notice():
    page = render(pages.inputs(sections=("runs",)))
    start = page.index('<details class="licences">')
    return html.unescape(page[start : page.index("</details>", start)])


def test_every_embedded_package_has_a_notice(notice):
    names = embedded()
    assert {"delaunator", "topojson-client", "vega-tooltip", "d3-geo-projection"} <= names
    without = {
        name
        for name in names
        if not re.search(rf"^(?:.*: )?{re.escape(name)}[. ]", notice, re.MULTILINE | re.IGNORECASE)
        and FAMILIES.get(name.partition("-")[0], name) not in notice
    }
    assert without == set()


@pytest.mark.parametrize("name", INSIDE)
def test_what_packages_have_inside_has_a_notice(notice, name):
    assert INSIDE[name] in bundle()
    assert name in notice


def test_every_notice_has_its_holder_and_its_licence(notice):
    """Versions of the libraries are those whose notices were read; newer ones want a look."""
    licences = {
        "The BSD 3-Clause License, for": "Redistributions in binary form must reproduce",
        "The ISC License, for": "Permission to use, copy, modify, and/or distribute",
        "The MIT License, for": "Permission is hereby granted, free of charge",
        "Apache-Style Software License": "Licensed under the Apache License, Version 2.0",
    }
    places = [notice.index(licence) for licence in licences] + [len(notice)]
    assert places == sorted(places)
    for start, end, terms in zip(places, places[1:], licences.values(), strict=False):
        section = notice[start:end]
        assert terms in section
        holders = section.split("\n\n")[1].splitlines()
        assert all("Copyright" in line for line in holders)
    assert (
        vl_convert.get_vega_version(),
        vl_convert.get_vega_embed_version(),
        vl_convert.get_vega_themes_version(),
        vl_convert.get_vegalite_versions()[-1],
    ) == ("6.2.0", "7.0.2", "3.0.0", "6.4")
