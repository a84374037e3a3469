"""The worlds of the engine's benches are what the scenario files beside them resolve to."""


def test_each_committed_world_is_what_its_scenario_resolves_to(load_tool):
    tool = load_tool("bench_worlds")
    assert len(tool.FILES) == 4
    for file in tool.FILES:
        kept = file.with_suffix(".json").read_text("utf-8")
        assert kept == tool.resolved(file), f"{file.stem}: run make golden"
