"""The figures of the model pages: what is drawn, what is written, what is missing."""

import json
import math

import numpy as np
import pytest

from mesonet.studies import bench, find_study
from mesonet_studies.two_flow import runs
from mesonet_studies.two_flow.charts import facts, model_chart


@pytest.fixture(scope="module")
def tool(load_tool):
    return load_tool("model_figures")


@pytest.fixture(scope="module")
def result():
    time = np.linspace(2.5, 997.5, 200)
    wave = 2500 + 800 * np.sin(time / 30)
    curves = {"time": time.tolist()}
    for name, values in (("red", wave), ("blue", wave / 2), ("queue", wave / 8)):
        curves |= {
            name: values.tolist(),
            f"{name}_low": (values - 50).tolist(),
            f"{name}_high": (values + 90).tolist(),
        }
    figures = {"alone_use": 0.8, "both_use": 0.99, "red_share": 0.6, "blue_share": 0.39}
    return {"curves": curves, "figures": figures | {"both_queue": 312.5, "loss": 0.00021}}


def test_facts_are_the_figures(result):
    text = facts(result["figures"]).replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert text == (
        "alone 80 % of the path; both 99 %, red 60 %, blue 39 %; queue 312; lost 0.021 %"
    )


def test_the_lines_are_the_curves(result):
    curves = result["curves"]
    chart = model_chart(curves, path=3402, room=680, title="reno", caption="facts")
    spec = chart.to_dict(validate=True)
    points = json.loads(spec["data"]["values"])
    for name in ("red", "blue", "queue"):
        assert [point[name] for point in points] == curves[name]
    windows, queue = spec["hconcat"]
    for panel in (windows, queue):
        assert panel["layer"][0]["encoding"]["y"]["scale"]["domain"][0] == 0
    levels = [
        json.loads(layer["data"]["values"])[0]["level"]
        for layer in windows["layer"]
        if "data" in layer
    ]
    assert levels == [3402, 4082]
    assert (spec["title"]["text"], spec["title"]["subtitle"]) == ("reno", "facts")


def test_what_is_stored_is_drawn_and_what_is_missing_is_named(tool, result, tmp_path, capsys):
    folder, out = tmp_path / "bench", tmp_path / "images"
    (folder / "runs").mkdir(parents=True)
    for item in tool.regular(find_study("two-flow"), "pocket", ("reno", "bic:linux")).values():
        file = folder / "runs" / item.file
        file.write_text(json.dumps(result), "utf-8")
    names = "reno,bic:linux,cubic"
    assert tool.main([str(folder), "--algorithms", names, "--out", str(out)]) == 1
    printed = capsys.readouterr()
    assert printed.out.splitlines()[1].startswith("![bic:linux. Two flows, 162 ms: alone 80")
    assert printed.out.splitlines()[1].endswith("](../images/models/bic-linux.png)")
    assert "no results of cubic; run: mesonet study two-flow" in printed.err
    assert "--variants host-jitter --algorithms cubic" in printed.err
    sizes = {file.name: file.stat().st_size for file in out.iterdir()}
    assert set(sizes) == {"bic-linux.png", "reno.png"}
    assert all(5_000 < size < 40_000 for size in sizes.values())
    before = (out / "reno.png").read_bytes()
    assert tool.main([str(folder), "--algorithms", "reno", "--out", str(out)]) == 0
    assert (out / "reno.png").read_bytes() == before


def test_unknown_algorithms_are_refused(tool, tmp_path, capsys):
    assert tool.main([str(tmp_path), "--algorithms", "renno"]) == 2
    assert 'did you mean "reno"?' in capsys.readouterr().err


def test_results_are_read_without_measuring(tmp_path):
    (item,) = runs.two_flow_items(runs.SETTINGS[:1], ["reno"])
    assert item.name == runs.run_name("reno", 162, math.inf)
    assert bench.stored([item], out=tmp_path) == {}
