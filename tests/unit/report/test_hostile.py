"""Reports of campaigns with odd values and labels, and among files of the user."""

import json
import re
import subprocess
import sys
from dataclasses import replace

import pages
import polars as pl
import pytest

from mesonet.page.charts import Picture, within
from mesonet.report.page import assemble

FEW = ("loss_rate", "queueing_delay", "goodput_FF")


def inputs(**changes):
    return pages.inputs(
        key_responses=FEW[:1], responses={name: pages.about(name) for name in FEW}, **changes
    )


@pytest.mark.parametrize("odd", [[None], [float("nan")], [float("inf")], [None, float("-inf")]])
@pytest.mark.parametrize("every", [1, 17])
def test_charts_of_missing_and_infinite_values_are_json(odd, every):
    base = inputs()
    frame = base.frame.with_columns(
        pl.Series(
            name,
            [odd[k % len(odd)] if k % every == 0 else v for k, v in enumerate(base.frame[name])],
            dtype=pl.Float64,
        )
        for name in FEW
    )
    content = assemble(replace(base, frame=frame)).content
    for picture in within(content, Picture):
        spec = json.loads(picture.spec, parse_constant=pytest.fail)
        assert not re.search(
            r"[:,\[](NaN|-?Infinity)[,}\]]", str(spec.get("datasets", picture.spec))
        )


def test_too_little_address_space_is_an_error_and_no_trap():
    code = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
from mesonet.errors import MesonetError
from mesonet.figures import printed
try:
    printed({"mark": "point", "data": {"values": []}})
except MesonetError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "charts cannot be drawn: expected 80 GB of address space" in done.stdout
