"""The worlds of the engine's benches are what the scenario files beside them resolve to."""

import json
from pathlib import Path

import pytest

from mesonet.scenario import load_scenario

WORLDS = Path(__file__).parents[3] / "crates" / "sim" / "benches" / "worlds"
NAMES = ("internet-1b-moderate", "internet-1b-heavy", "internet-1a", "dumbbell-mixed")


def resolved(name: str) -> str:
    spec = load_scenario(WORLDS / f"{name}.toml").resolve()
    return json.dumps(spec, sort_keys=True, separators=(",", ":")) + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_committed_world_is_what_its_scenario_resolves_to(name: str) -> None:
    assert (WORLDS / f"{name}.json").read_text("utf-8") == resolved(name)


if __name__ == "__main__":
    for name in NAMES:
        (WORLDS / f"{name}.json").write_text(resolved(name), "utf-8")
