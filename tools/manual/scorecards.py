"""Keeps the scorecards of the studies, and writes pages of the manual from them.

    mesonet study hcc --size desk --out results/hcc-desk
    python tools/manual/scorecards.py keep results/hcc-desk results/hcc-pocket
    python tools/manual/scorecards.py write

`keep` keeps verdicts and measured values of study folders in scorecards/SIZE/NAME.json, with
`--only` those of the claims that a part of the runs decides. A claim counts at the largest size at
which its verdict is kept. `write` joins verdicts with the words of the claims and writes
docs/validation.md, the rate in the README, and counting.md, figures.md, misses.md and nist.md in
docs/validation. The pages of results beside the page of each study,
docs/studies/FOLDER/results-NAME.md, are not kept: Sphinx has them written when it builds the manual
(docs/conf.py). Nothing is simulated.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase as fnmatch
from pathlib import Path
from typing import Any

import conclusions
import figures_index
from chance import kept_seeds
from counting import counting
from headline import (
    SOURCES,
    STANDINGS,
    VERDICTS,
    by_source,
    by_standing,
    counts,
    headline,
    percent,
    source_of,
    summed,
)
from kept import StoredScorecard, keep, kept
from templating import environment

from mesonet.studies import CATALOGUE, Study, find_study
from mesonet.studies.entries import fits
from mesonet.tables import result_version

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGE = DOCS / "validation.md"
MISSES_PAGE = DOCS / "validation" / "misses.md"
CONCLUSIONS = DOCS / "validation" / "nist.md"
MISSES = Path(__file__).resolve().with_name("misses.toml")
COUNTING = DOCS / "validation" / "counting.md"
FIGURES = DOCS / "validation" / "figures.md"


def with_words(study: Study, card: StoredScorecard) -> StoredScorecard:
    """A kept scorecard with the words of the study's claims.

    Raises:
        ValueError: the claims are no longer those that were scored.
    """
    verdicts = card["verdicts"]
    ids = {claim.id for claim in study.claims}
    # Larger sizes keep the claims that they have judged by today's rules.
    wrong = set(verdicts) ^ ids if card["size"] == "pocket" else set(verdicts) - ids
    if wrong:
        lost = ", ".join(sorted(wrong))
        raise ValueError(f"{study.name}, {card['size']}: run it again, its claims differ: {lost}")
    claims = [
        {
            "id": claim.id,
            "claim": claim.text,
            "source": claim.source,
            "published": claim.published,
            "rule": claim.rule.words,
            "measured": verdicts[claim.id][1],
            "verdict": verdicts[claim.id][0],
            "account": claim.explanation,
            "standing": claim.standing,
            "reason": claim.reason,
            "size": card["size"],
        }
        for claim in study.claims
        if claim.id in verdicts
    ]
    return {**card, "claims": claims}


_LACKING = "not computable"


def decisive(study: Study, cards: Mapping[str, StoredScorecard]) -> list[StoredScorecard]:
    """The row of each claim at the largest size that could compute it, else at the largest.

    At pocket size, what more seeds leave undecided is undecided.
    """
    rows: dict[str, StoredScorecard] = {}
    for card in cards.values():
        for row in card["claims"]:
            before = rows.get(row["id"], row)
            if row["verdict"] != _LACKING or before["verdict"] == _LACKING:
                rows[row["id"]] = row
    asked = kept_seeds().get(study.name, {"verdicts": {}})["verdicts"]
    for name, (verdict, measured) in asked.items():
        if rows[name]["size"] == "pocket" and verdict == "undecided at this size":
            rows[name] = rows[name] | {"verdict": verdict, "measured": measured}
    return [rows[claim.id] for claim in study.claims]


def with_headline(text: str) -> str:
    """Text in which the sentence of the headline is today's."""
    return re.sub(r"\d+ of \d+ statements of our five sources [^)]+\)", headline(entries()), text)


def sizes_of(rows: Sequence[StoredScorecard]) -> str:
    """The size that most claims count at, and how many count at others."""
    (most, _), *others = Counter(row["size"] for row in rows).most_common()
    told = ", ".join(f"{number} at {size}" for size, number in others)
    return f"{most}; {told}" if told else most


def under_variants(study: Study, card: StoredScorecard) -> list[dict[str, Any]]:
    """A row for each variant of a kept scorecard: its words, counts, and verdicts that change.

    Variants that were run with an earlier result version than the scorecard are beside the
    verdicts of that version: `variants_of` has it, and those of its `verdicts` that were others.

    Raises:
        ValueError: a variant is gone from the study.
    """
    ours = {name: verdict for name, (verdict, _) in card["verdicts"].items()}
    ours |= card.get("variants_of", {}).get("verdicts", {})
    known = {each.id: each for each in study.variants}
    # Variants of which a part of the runs was made decide some claims alone.
    ours = {name: it for name, it in ours.items() if fits(name, card.get("variants_on", ["*"]))}
    rows = []
    for name, changes in card.get("variants", {}).items():
        if name not in known:
            raise ValueError(f"{study.name}, {card['size']}: run it again, no variant {name}")
        about = known[name]
        tally = Counter(
            (ours | changes)[each.id] for each in study.concerned(about) if each.id in ours
        )
        pairs = {each: (ours[each], verdict) for each, verdict in changes.items()}
        moves = {
            "gained": [each for each, pair in pairs.items() if pair == _GAINED],
            "lost": [each for each, pair in pairs.items() if pair == _LOST],
            "changed": [
                f"{each} ({before} → {after})"
                for each, (before, after) in pairs.items()
                if (before, after) not in (_GAINED, _LOST)
            ],
        }
        rows.append(
            {
                **{key: getattr(about, key) for key in ("id", "question", "ours", "other")},
                "agrees": tally["agrees"],
                "scored": tally["agrees"] + tally["disagrees"],
                **{key: ", ".join(values) or "-" for key, values in moves.items()},
            }
        )
    return rows


_GAINED, _LOST = ("disagrees", "agrees"), ("agrees", "disagrees")


def by_explanation(rows: Sequence[StoredScorecard]) -> Mapping[str, list[StoredScorecard]]:
    """Claims that disagree, by what we have to say of them, in their order."""
    missed: dict[str, list[StoredScorecard]] = {}
    for row in rows:
        if row["verdict"] == "disagrees":
            missed.setdefault(row["account"] or "No explanation yet.", []).append(row)
    return missed


def by_reason(rows: Sequence[StoredScorecard]) -> Mapping[tuple[str, str], list[StoredScorecard]]:
    """Claims that are not decidable, by their standing and the reason, in their order."""
    apart: dict[tuple[str, str], list[StoredScorecard]] = {}
    for row in rows:
        if row["standing"] != "decidable":
            apart.setdefault((row["standing"], row["reason"]), []).append(row)
    return apart


def folders() -> dict[str, str]:
    """Folder of the manual by study, as the table of docs/studies/index.md has them."""
    homes = {}
    for line in (DOCS / "studies" / "index.md").read_text("utf-8").splitlines():
        if page := re.search(r"\]\(([\w-]+)/index\.md\) \|$", line):
            homes |= dict.fromkeys(re.findall(r"`([\w-]+)`", line), page[1])
    return homes


def entries() -> list[dict[str, Any]]:
    """Entry of each study that has a kept scorecard, for the templates.

    Raises:
        ValueError: a scorecard does not fit its study, or the manual has no page for one.
    """
    listed = []
    places = folders()
    for name in CATALOGUE:
        study = find_study(name)
        cards = {size: with_words(study, card) for size, card in kept(name).items()}
        if not (study.claims and cards):
            continue
        if name not in places:
            raise ValueError(f"docs/studies/index.md: no row names the study {name}")
        rows = decisive(study, cards)
        used = [size for size in cards if any(row["size"] == size for row in rows)]
        versions = {size: cards[size]["result_version"] for size in used}
        listed.append(
            {
                "study": study,
                "folder": places[name],
                "cards": cards,
                "counts": {size: counts(card) for size, card in cards.items()},
                "variants": {size: under_variants(study, card) for size, card in cards.items()},
                "size": sizes_of(rows),
                "claims": rows,
                "found": counts({"claims": rows}),
                "missed": by_explanation(rows),
                "apart": by_reason(rows),
                "old": {k: v for k, v in versions.items() if v != result_version()},
            }
        )
    return listed


def misses(studies: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Misses of misses.toml with the rows of their claims.

    Raises:
        ValueError: a claim is not there, or it agrees.
    """
    by_name = {entry["study"].name: entry for entry in studies}
    listed = []
    for miss in tomllib.loads(MISSES.read_text("utf-8"))["miss"]:
        entry = by_name[miss["study"]]
        rows = {row["id"]: row for row in entry["claims"] if row["verdict"] == "disagrees"}
        if wrong := [name for name in miss["claims"] if name not in rows]:
            raise ValueError(f"{MISSES.name}, {miss['title']}: no miss: {', '.join(wrong)}")
        shown = [rows[name] for name in miss["claims"]]
        sizes = " and ".join(dict.fromkeys(row["size"] for row in shown))
        listed.append({**miss, "folder": entry["folder"], "size": sizes, "rows": shown})
    return listed


def kinds(studies: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Kinds of misses.toml with the statements of the five sources that runs decide against us.

    Raises:
        ValueError: a miss has no kind.
    """
    table = tomllib.loads(MISSES.read_text("utf-8"))["kind"]
    groups: list[dict[str, Any]] = [{**kind, "studies": {}, "sentences": set()} for kind in table]
    for entry in studies:
        name = entry["study"].name
        for row in entry["claims"] if source_of(name) in SOURCES else ():
            if (row["standing"], row["verdict"]) != ("decidable", "disagrees"):
                continue
            place = f"{name}: {row['id']}"
            fitting = [it for it in groups if any(fnmatch(place, of) for of in it["claims"])]
            if not fitting:
                raise ValueError(f"{MISSES.name}: no kind has the miss {place}")
            kind = fitting[0]
            kind["studies"].setdefault(name, []).append(row["id"])
            kind["sentences"].add((row["claim"], row["published"], row["source"]))
    return groups


def validation() -> str:
    """Text of docs/validation.md: a line for each study.

    Raises:
        ValueError: what is kept does not fit the studies or the manual.
    """
    studies = entries()
    total = {
        verdict: sum(entry["found"][verdict] for entry in studies)
        for verdict in (*VERDICTS, "scored")
    }
    return (
        environment()
        .get_template("validation.md.j2")
        .render(
            studies=studies,
            headline=headline(studies),
            standings=STANDINGS,
            sources=by_source(studies),
            together=summed(by_source(studies)[source]["sentences"] for source in SOURCES),
            total=total,
            apart=by_standing(studies),
            percent=percent,
            version=result_version(),
        )
    )


def misses_page() -> str:
    """Text of docs/validation/misses.md: the misses that matter, with their numbers.

    Raises:
        ValueError: a miss agrees by now, or there is no such claim.
    """
    studies = entries()
    return (
        environment()
        .get_template("misses.md.j2")
        .render(misses=misses(studies), kinds=kinds(studies))
    )


def figures() -> str:
    """Text of docs/validation/figures.md: places in the sources, and their studies."""
    return figures_index.page(entries(), source_of)


def results() -> Iterator[tuple[Path, str]]:
    """Pages of results that the manual is built with, and their text.

    Raises:
        ValueError: a scorecard does not fit its study, or the manual has no page for one.
    """
    template = environment().get_template("results.md.j2")
    for entry in entries():
        name = f"results-{entry['study'].name}.md"
        yield DOCS / "studies" / entry["folder"] / name, template.render(entry)


def write_results() -> None:
    """Writes the pages of results, where they are not there already with the same text."""
    for path, text in results():
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    keeping = commands.add_parser("keep", help="copy the scorecards of study folders")
    keeping.add_argument("folders", type=Path, nargs="+")
    keeping.add_argument("--only", nargs="+", default=(), help="ids or patterns of claims")
    commands.add_parser("write", help="write the pages")
    options = parser.parse_args(arguments)
    try:
        if options.command == "keep":
            print(f"{keep(options.folders, options.only)} scorecards")
        else:
            PAGE.write_text(validation(), "utf-8")
            MISSES_PAGE.write_text(misses_page(), "utf-8")
            COUNTING.write_text(counting(entries()), "utf-8")
            README.write_text(with_headline(README.read_text("utf-8")), "utf-8")
            CONCLUSIONS.write_text(conclusions.page(entries()), "utf-8")
            FIGURES.write_text(figures(), "utf-8")
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
