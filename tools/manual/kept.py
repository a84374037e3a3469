"""Scorecards as they are kept in scorecards/SIZE/NAME.json: verdicts and measured values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fnmatch import fnmatchcase as fnmatch
from pathlib import Path
from typing import Any

from mesonet.studies import CATALOGUE, SIZES

KEPT = Path(__file__).resolve().parents[2] / "scorecards"
CARD = ("study", "size", "result_version", "claims")
"""Keys of a study's scorecard in the data beside its page."""
_VARIANTS = ("variants", "variants_of", "variants_on")
StoredScorecard = dict[str, Any]


def kept(name: str) -> dict[str, StoredScorecard]:
    """The scorecards of a study by size, smallest first."""
    files = {size: KEPT / size / f"{name}.json" for size in SIZES}
    return {
        size: json.loads(file.read_text("utf-8")) for size, file in files.items() if file.exists()
    }


def keep(folders: Sequence[Path], only: Sequence[str] = ()) -> int:
    """Copies the scorecards of study folders, or of some of their claims; returns how many.

    Raises:
        ValueError: a pattern fits no claim.
    """
    cards = [
        card
        for folder in folders
        for file in sorted(folder.glob("*.json"))
        if file.stem in CATALOGUE and set(CARD) <= set(card := json.loads(file.read_text("utf-8")))
    ]
    for card in cards:
        file = KEPT / card["size"] / f"{card['study']}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        new = to_keep(card)
        if only:
            new = some_of(new, json.loads(file.read_text("utf-8")) if file.exists() else {}, only)
        elif file.exists() and "variants" not in new:
            before = json.loads(file.read_text("utf-8"))
            if "variants" in before and before["verdicts"].items() <= new["verdicts"].items():
                new |= {key: before[key] for key in _VARIANTS if key in before}
                if len(new["verdicts"]) > len(before["verdicts"]):
                    # Of a claim that is new, variants say nothing yet.
                    new.setdefault("variants_on", list(before["verdicts"]))
        file.write_text(as_text(new), "utf-8")
    return len(cards)


def to_keep(card: StoredScorecard) -> StoredScorecard:
    """A scorecard as it is kept: verdicts and measured values, and no words of the claims.

    `verdicts` has both by the id of the claim; `variants`, if any were run, has by the id of each
    the verdicts that differ.
    """
    verdicts = {row["id"]: [row["verdict"], row["measured"]] for row in card["claims"]}
    kept = {**{key: card[key] for key in CARD[:3]}, "verdicts": verdicts}
    if card.get("variants"):
        kept["variants"] = {
            name: {each: verdict for each, verdict in own.items() if verdict != verdicts[each][0]}
            for name, own in card["variants"].items()
        }
    return kept


def some_of(card: StoredScorecard, before: StoredScorecard, only: Sequence[str]) -> StoredScorecard:
    """Verdicts on some claims and what variants make of them, beside those that are kept already.

    Variants of an earlier result version stay as they are.

    Raises:
        ValueError: a pattern fits no claim.
    """
    names = [name for name in card["verdicts"] if any(fnmatch(name, each) for each in only)]
    if lost := [each for each in only if not any(fnmatch(name, each) for name in names)]:
        raise ValueError(f"{card['study']}: no claim {', '.join(lost)}")
    kept = {**before.get("verdicts", {}), **{name: card["verdicts"][name] for name in names}}
    ordered = {name: kept[name] for name in card["verdicts"] if name in kept}
    variants = dict(before.get("variants", {}))
    if "variants_of" not in before:
        for variant, changes in card.get("variants", {}).items():
            old = variants.get(variant, {})
            variants[variant] = {name: each for name, each in old.items() if name not in names} | {
                name: each for name, each in changes.items() if name in names
            }
    told = {key: before[key] for key in _VARIANTS if key in before}
    told |= {"variants": variants} if variants else {}
    return {**{key: card[key] for key in CARD[:3]}, "verdicts": ordered, **told}


def as_text(card: StoredScorecard) -> str:
    """A kept scorecard as JSON, a line for each claim."""
    head = [
        key
        for key in ("study", "size", "result_version", "variants_of", "variants_on")
        if key in card
    ]
    lines = [f' "{key}": {json.dumps(card[key])}' for key in head]
    tables = {"verdicts": card["verdicts"]} | (
        {"variants": card["variants"]} if "variants" in card else {}
    )
    for key, table in tables.items():
        rows = [
            f"  {json.dumps(name, ensure_ascii=False)}: {json.dumps(row, ensure_ascii=False)}"
            for name, row in table.items()
        ]
        lines.append(f' "{key}": {{\n' + ",\n".join(rows) + "\n }")
    return "{\n" + ",\n".join(lines) + "\n}\n"
