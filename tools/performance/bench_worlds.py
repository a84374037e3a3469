"""Resolves the scenarios of the engine's benches, crates/sim/benches/worlds, for Rust to read.

    python tools/performance/bench_worlds.py

Each .toml gets the .json beside it; `make golden` does it, too.
"""

from __future__ import annotations

import json
from pathlib import Path

from mesonet import load_scenario

WORLDS = Path(__file__).resolve().parents[2] / "crates" / "sim" / "benches" / "worlds"
FILES = tuple(sorted(WORLDS.glob("*.toml")))


def resolved(file: Path) -> str:
    """The resolved scenario as it is kept."""
    spec = load_scenario(file).resolve()
    return json.dumps(spec, sort_keys=True, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    for file in FILES:
        file.with_suffix(".json").write_text(resolved(file), encoding="utf-8")
