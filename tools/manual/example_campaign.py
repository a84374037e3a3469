"""Writes the bundled examples from finished campaigns.

    mesonet study pocket --out results/pocket
    python tools/manual/example_campaign.py results/pocket

    mesonet run tools/manual/example-mixed.toml --out results/mixed
    python tools/manual/example_campaign.py results/mixed mixed

The examples are records to learn and test on, not golden results: make one anew only on purpose,
for the worked examples of the manual print its numbers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from mesonet import Campaign
from mesonet.responses import lookup

DATA = Path(__file__).resolve().parents[2] / "python" / "mesonet" / "data"


MADE = {
    "campaign": "mesonet study pocket; python tools/manual/example_campaign.py results/pocket",
    "mixed": "mesonet run tools/manual/example-mixed.toml --out results/mixed; "
    "python tools/manual/example_campaign.py results/mixed mixed",
}


def main(folder: str, name: str = "campaign") -> None:
    """Writes the two files of an example from the campaign in a folder."""
    campaign = Campaign.open(folder)
    plan, manifest = campaign.plan, campaign.manifest
    about = {
        "title": plan.title,
        "question": plan.question,
        "made": MADE[name],
        "version": manifest["versions"]["mesonet"],
        "result_version": manifest["result_version"],
        "seed": plan.seed,
        "alternatives": [alternative.label for alternative in plan.alternatives],
        "baseline": plan.alternatives[0].label,
        "factors": [
            {
                "name": factor.name,
                "symbol": factor.symbol,
                "label": factor.label,
                "low": factor.text(-1),
                "high": factor.text(+1),
            }
            for factor in plan.factors
        ],
        "generators": {name: str(word) for name, word in plan.design.generators.items()},
        "responses": [
            {
                "id": name,
                "name": lookup(name).name,
                "unit": lookup(name).response.unit,
                "better": lookup(name).response.better,
            }
            for name in plan.responses
        ],
    }
    results = campaign.results()
    results.write_parquet(DATA / f"example-{name}.parquet", compression="zstd", statistics=False)
    text = json.dumps(about, indent=1, ensure_ascii=False) + "\n"
    (DATA / f"example-{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
