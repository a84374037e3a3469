"""The load of a shared laboratory, with a handful of visitors."""


def test_visitors_get_pages_and_runs_without_an_error(load_tool, monkeypatch):
    tool = load_tool("lab_load")
    # A run may take as long as a busy machine needs.
    patient = "import mesonet.lab.bench as bench\nbench.SECONDS = 300.0\n"
    monkeypatch.setattr(tool, "SERVER", patient + tool.SERVER)
    seen = tool.measure(visitors=3, turns=2, pause=0.2)
    assert seen["errors"] == 0
    assert seen["runs"] == 6
    assert 0 < seen["delay_median"] <= seen["delay_largest"]
