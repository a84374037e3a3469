"""Asks of statements whether chance could turn their verdicts, by more seeds of some conditions.

    mesonet study nist-1b --size pocket --replicates 3 --conditions 1,6 --out FOLDER
    python tools/manual/chance.py keep FOLDER/nist-1b ...

The folder holds a run of every condition, and those of more seeds where conditions were named.
`keep` judges the statements that rest on these conditions alone, with the jackknife of a study with
replicates, and keeps verdicts in scorecards/seeds/NAME.json. `scorecards.py write` tells them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
from kept import KEPT

from mesonet.campaign import Campaign
from mesonet.studies import Options, RunResults, Study, find_study
from mesonet.studies.scorecard import score

FOLDER = KEPT / "seeds"
CLAIMS: Mapping[str, tuple[str, ...]] = {
    "nist-1": tuple(
        f"{name}-{it}"
        for name in ("fast", "fast-at")
        for it in ("retransmission", "connecting", "completed", "oscillates")
    ),
    "nist-2": ("severe-fast", "severe-ctcp-htcp", "bic-below-reno", "fast-at-above-fast"),
}
"""Statements on the congested conditions with few buffers of Experiment 1, and on the eight most
congested ones of Experiment 2."""


def judged(study: Study, frame: pl.DataFrame, campaign: Campaign) -> dict[str, Any]:
    """Verdicts and measured values with all seeds, where more than one seed decides."""
    cell = study.prepare(Options("pocket", variants=())).cells[0]

    def figures(rows: pl.DataFrame) -> Mapping[str, float]:
        part: Any = SimpleNamespace(plan=campaign.plan, results=lambda: rows)
        run = RunResults({}, dict.fromkeys(cell.plans, part), {}, Path(), options=cell.options)
        return study.code.figures(run)

    several = frame.filter(pl.col("replicate") > 1)["condition"].unique().to_list()
    more = pl.col("condition").is_in(several)
    seeds = frame["replicate"].unique().sort().to_list()
    without = [figures(frame.filter(~(more & (pl.col("replicate") == seed)))) for seed in seeds]
    names = CLAIMS[study.name.rstrip("abc")]
    claims = [replace(it, fitted=False) for it in study.claims if it.id in names]
    card = score(study.name, "pocket", claims, figures(frame), without)
    return {
        "study": study.name,
        "seeds": len(seeds),
        "conditions": sorted(several),
        "verdicts": {row.claim.id: [row.verdict, row.measured] for row in card.entries},
    }


def keep(folders: Sequence[Path]) -> None:
    """Judges the statements of study folders, and keeps their verdicts."""
    FOLDER.mkdir(exist_ok=True)
    for folder in folders:
        study = find_study(folder.name.removesuffix("-seeds"))
        (name,) = study.prepare(Options("pocket", variants=())).plans
        campaign = Campaign.open(folder / name)
        table = judged(study, campaign.results(), campaign)
        (FOLDER / f"{study.name}.json").write_text(
            json.dumps(table, indent=1, ensure_ascii=False) + "\n", "utf-8"
        )


def kept_seeds() -> dict[str, dict[str, Any]]:
    """What is kept, by study."""
    return {
        file.stem: json.loads(file.read_text("utf-8")) for file in sorted(FOLDER.glob("*.json"))
    }


if __name__ == "__main__":
    keep([Path(it) for it in sys.argv[2:]])
