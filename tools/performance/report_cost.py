"""Costs of the analyses and the report of a large campaign: processor seconds and size of the file.

`python tools/performance/report_cost.py [CONDITIONS ALTERNATIVES RESPONSES]`, by default 32 8 102.
The campaign is made up; every response depends on six factors, the alternative and chance.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

from mesonet.design import fractional_factorial
from mesonet.report import ReportInputs, build

_FACTORS = ("delay", "speed", "buffers", "sources", "think", "web")


def _campaign(conditions: int, alternatives: int, responses: int) -> ReportInputs:
    names = [f"y{k}" for k in range(1, responses + 1)]
    extra = tuple(f"extra{k}" for k in range(1, max(conditions.bit_length() - 6, 0) + 1))
    basic = (*_FACTORS[:5], *extra)
    factors = (*basic, "web")
    design = fractional_factorial(factors, generators={"web": "*".join(basic)})
    assert design.runs == conditions, "conditions must be a power of two, 32 or more"
    draw = random.Random(1)
    slopes = {name: [draw.gauss(0, 1) for _ in factors] for name in names}
    gains = {name: [draw.gauss(0, 0.4) for _ in range(alternatives)] for name in names}
    rows = []
    for condition, codes in enumerate(design.coded, start=1):
        for alternative in range(alternatives):
            row: dict[str, object] = {
                "run": f"{condition:04x}{alternative:02x}",
                "condition": condition,
                "alternative": f"algorithm {alternative + 1}",
                "replicate": 1,
                "seed": 1,
            }
            for factor, code in zip(factors, codes, strict=True):
                row |= {factor: int(code), f"{factor}_level": "high" if code > 0 else "low"}
            for name in names:
                mean = sum(s * c for s, c in zip(slopes[name], codes, strict=True))
                row[name] = 10.0 + mean + gains[name][alternative] + draw.gauss(0, 0.3)
            rows.append(row)
    return ReportInputs(
        title="A large campaign",
        frame=pl.DataFrame(rows),
        factors=[{"name": name, "low": "low", "high": "high"} for name in factors],
        design={"name": design.name, "runs": design.runs},
        responses={
            name: {"name": f"response {name}", "better": ("higher", "lower", "neither")[k % 3]}
            for k, name in enumerate(names)
        },
        congestion="y1",
        commands={str(row["run"]): f"mesonet replay results {row['run']}" for row in rows},
    )


def main() -> None:
    """Prints processor seconds and megabytes."""
    conditions, alternatives, responses = map(int, sys.argv[1:] or (32, 8, 102))
    inputs = _campaign(conditions, alternatives, responses)
    begin, clock = time.process_time(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        page = build(inputs, Path(folder) / "report.html")
        spent, passed = time.process_time() - begin, time.monotonic() - clock
        for path in (page, page.with_suffix(".json")):
            print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
    print(f"{spent:.1f} s of processor time, {passed:.1f} s by the clock")


if __name__ == "__main__":
    main()
