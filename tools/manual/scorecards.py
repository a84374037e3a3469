"""Keeps the scorecards of the studies, and writes docs/validation.md from them.

    mesonet study hcc --size desk --out results/hcc-desk
    python tools/manual/scorecards.py keep results/hcc-desk results/hcc-pocket
    python tools/manual/scorecards.py write

`keep` copies the scorecards of study folders to scorecards/SIZE/NAME.json. `write` brings the words
of all kept scorecards up to date with the claims in the code, and writes docs/validation.md and
docs/validation/NAME.md; measured values and verdicts stay those that were kept. Nothing is
simulated.
simulated.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from templating import environment

from mesonet.simulate import result_version
from mesonet.studies import CATALOGUE, SIZES, Study, find_study

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "scorecards"
VERDICTS = ("agrees", "disagrees", "fitted", "not computable")
CARD = ("study", "size", "result_version", "claims")
"""Keys of a scorecard."""
StoredScorecard = dict[str, Any]


def kept(name: str) -> dict[str, StoredScorecard]:
    """The scorecards of a study by size, smallest first."""
    files = {size: KEPT / size / f"{name}.json" for size in SIZES}
    return {
        size: json.loads(file.read_text("utf-8")) for size, file in files.items() if file.exists()
    }


def keep(folders: Sequence[Path]) -> int:
    """Copies the scorecards of study folders; returns how many."""
    found = [
        card
        for folder in folders
        for file in sorted(folder.glob("*.json"))
        if file.stem in CATALOGUE and set(CARD) <= set(card := json.loads(file.read_text("utf-8")))
    ]
    for card in found:
        folder = KEPT / card["size"]
        folder.mkdir(parents=True, exist_ok=True)
        # The rest of the file is the page as data.
        text = json.dumps({key: card[key] for key in CARD}, indent=1, ensure_ascii=False)
        (folder / f"{card['study']}.json").write_text(text + "\n", "utf-8")
    return len(found)


def refreshed(study: Study, card: StoredScorecard) -> StoredScorecard:
    """A kept scorecard with the words that the study's claims have now.

    Raises:
        ValueError: the claims are no longer those that were scored.
    """
    rows = {row["id"]: row for row in card["claims"]}
    ids = [claim.id for claim in study.claims]
    if sorted(rows) != sorted(ids):
        lost = ", ".join(sorted(set(rows) ^ set(ids)))
        raise ValueError(f"{study.name}, {card['size']}: run it again, its claims differ: {lost}")
    claims = []
    for claim in study.claims:
        words = {
            "claim": claim.text,
            "source": claim.source,
            "published": claim.published,
            "rule": claim.rule.words,
            "account": claim.explanation,
        }
        claims.append({**rows[claim.id], **words})
    return {**card, "claims": claims}


def counts(card: Mapping[str, Any]) -> dict[str, int]:
    """Claims by verdict, and `scored`: those that agree or disagree."""
    found = Counter(row["verdict"] for row in card["claims"])
    return {verdict: found[verdict] for verdict in VERDICTS} | {
        "scored": found["agrees"] + found["disagrees"]
    }


def by_explanation(rows: Sequence[StoredScorecard]) -> Mapping[str, list[StoredScorecard]]:
    """Claims that disagree, by what we have to say of them, in their order."""
    missed: dict[str, list[StoredScorecard]] = {}
    for row in rows:
        if row["verdict"] == "disagrees":
            missed.setdefault(row["account"] or "No explanation yet.", []).append(row)
    return missed


def pages() -> Iterator[tuple[Path, str]]:
    """The pages of the manual that scorecards give, and their text.

    Raises:
        ValueError: a scorecard does not fit its study.
    """
    templates = environment()
    studies = []
    for name in CATALOGUE:
        study = find_study(name)
        if not study.claims:
            continue
        cards = {size: refreshed(study, card) for size, card in kept(name).items()}
        if not cards:
            continue
        largest = list(cards)[-1]
        entry = {
            "study": study,
            "cards": cards,
            "counts": {size: counts(card) for size, card in cards.items()},
            "size": largest,
            "card": cards[largest],
            "missed": by_explanation(cards[largest]["claims"]),
            "old": cards[largest]["result_version"] != result_version(),
        }
        studies.append(entry)
        text = templates.get_template("validation-study.md.j2").render(entry)
        yield ROOT / "docs" / "validation" / f"{name}.md", text
    total = {
        verdict: sum(entry["counts"][entry["size"]][verdict] for entry in studies)
        for verdict in (*VERDICTS, "scored")
    }
    text = templates.get_template("validation.md.j2").render(
        studies=studies, total=total, version=result_version()
    )
    yield ROOT / "docs" / "validation.md", text


def write() -> int:
    """Writes words and pages; returns how many pages."""
    for size in SIZES:
        for file in sorted((KEPT / size).glob("*.json")):
            card = refreshed(find_study(file.stem), json.loads(file.read_text("utf-8")))
            file.write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", "utf-8")
    written = 0
    for path, text in pages():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        written += 1
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    keeping = commands.add_parser("keep", help="copy the scorecards of study folders")
    keeping.add_argument("folders", type=Path, nargs="+")
    commands.add_parser("write", help="write the pages of the manual")
    given = parser.parse_args(arguments)
    try:
        if given.command == "keep":
            print(f"{keep(given.folders)} scorecards")
        else:
            print(f"{write()} pages")
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
