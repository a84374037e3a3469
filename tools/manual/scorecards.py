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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase as fnmatch
from pathlib import Path
from typing import Any, get_args

import conclusions
import figures_index
from chance import kept_seeds
from kept import StoredScorecard, keep, kept
from templating import environment

from mesonet.studies import CATALOGUE, Study, find_study
from mesonet.studies.entries import fits
from mesonet.studies.scorecard import Standing, Verdict
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
CHANGED = Path(__file__).resolve().with_name("counting.toml")
VERDICTS = get_args(Verdict)
SOURCES = {
    "NIST SP 500-282, slides and methodology paper": ("nist-sensitivity", "nist-[12]*", "two-flow"),
    "slides on HCC TCP": ("hcc",),
    "tests of SLAC": ("slac-*",),
    "report of a student": ("lab-*",),
}
"""The five sources that mesonet was asked to repeat, and their studies."""
LATER = "later literature and tests of others"


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


def source_of(study: str) -> str:
    """The source that a study repeats."""
    fits = (it for it, names in SOURCES.items() if any(fnmatch(study, name) for name in names))
    return next(fits, LATER)


def sentences(studies: Sequence[Mapping[str, Any]]) -> list[StoredScorecard]:
    """A row for each decidable sentence of a source, whose verdict is the worst of its claims.

    A source says some sentences of several experiments. They are one claim in each study, with the
    same text, published value and place.
    """
    rows: dict[tuple[str, ...], StoredScorecard] = {}
    for entry in studies:
        source = source_of(entry["study"].name)
        for row in entry["claims"]:
            if row["standing"] == "decidable":
                key = (source, row["claim"], row["published"], row["source"])
                before = rows.get(key)
                if before is None or WORST.index(row["verdict"]) < WORST.index(before["verdict"]):
                    rows[key] = row | {"of": source}
    return list(rows.values())


WORST = ("disagrees", "undecided at this size", "agrees", "fitted", "not computable")


def by_source(studies: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Counts of each source: its sentences, and its claims in each experiment."""
    single = sentences(studies)
    found = {}
    for source in (*SOURCES, LATER):
        rows = [row for entry in studies if source_of(entry["study"].name) == source
                for row in entry["claims"] if row["standing"] == "decidable"]  # fmt: skip
        found[source] = {
            "sentences": counts({"claims": [row for row in single if row["of"] == source]}),
            "claims": counts({"claims": rows}),
        }
    return found


def summed(tables: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Sum of counts."""
    every = list(tables)
    return {key: sum(table[key] for table in every) for key in every[0]}


def headline(studies: Sequence[Mapping[str, Any]]) -> str:
    """The rate of the five sources in a sentence, as pages and the README print it."""
    parts = by_source(studies)
    found = summed(parts[source]["sentences"] for source in SOURCES)
    return (
        f"{found['agrees']} of {found['scored']} statements of our five sources that runs can "
        f"decide agree ({percent(found)})"
    )


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
        found = Counter(
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
                "agrees": found["agrees"],
                "scored": found["agrees"] + found["disagrees"],
                **{key: ", ".join(values) or "-" for key, values in moves.items()},
            }
        )
    return rows


_GAINED, _LOST = ("disagrees", "agrees"), ("agrees", "disagrees")


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


def by_reason(rows: Sequence[StoredScorecard]) -> Mapping[tuple[str, str], list[StoredScorecard]]:
    """Claims that are not decidable, by their standing and the reason, in their order."""
    apart: dict[tuple[str, str], list[StoredScorecard]] = {}
    for row in rows:
        if row["standing"] != "decidable":
            apart.setdefault((row["standing"], row["reason"]), []).append(row)
    return apart


def folders() -> dict[str, str]:
    """Folder of the manual by study, as the table of docs/studies/index.md has them."""
    found = {}
    for line in (DOCS / "studies" / "index.md").read_text("utf-8").splitlines():
        if page := re.search(r"\]\(([\w-]+)/index\.md\) \|$", line):
            found |= dict.fromkeys(re.findall(r"`([\w-]+)`", line), page[1])
    return found


def entries() -> list[dict[str, Any]]:
    """Entry of each study that has a kept scorecard, for the templates.

    Raises:
        ValueError: a scorecard does not fit its study, or the manual has no page for one.
    """
    found = []
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
        found.append(
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
    return found


def misses(studies: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Misses of misses.toml with the rows of their claims.

    Raises:
        ValueError: a claim is not there, or it agrees.
    """
    by_name = {entry["study"].name: entry for entry in studies}
    found = []
    for miss in tomllib.loads(MISSES.read_text("utf-8"))["miss"]:
        entry = by_name[miss["study"]]
        rows = {row["id"]: row for row in entry["claims"] if row["verdict"] == "disagrees"}
        if wrong := [name for name in miss["claims"] if name not in rows]:
            raise ValueError(f"{MISSES.name}, {miss['title']}: no miss: {', '.join(wrong)}")
        shown = [rows[name] for name in miss["claims"]]
        sizes = " and ".join(dict.fromkeys(row["size"] for row in shown))
        found.append({**miss, "folder": entry["folder"], "size": sizes, "rows": shown})
    return found


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
    return environment().get_template("misses.md.j2").render(misses=misses(entries()))


def by_standing(studies: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Counts of all claims, each at the size that it counts at, by what a verdict can say."""
    rows = [row for entry in studies for row in entry["claims"]]
    return {
        standing: counts({"claims": [row for row in rows if row["standing"] == standing]})
        for standing in get_args(Standing)
    }


STANDINGS: Mapping[Standing, str] = {
    "decidable": "decidable: runs can decide them",
    "undecidable": "undecidable: they hang on what the source does not print",
    "live network": "live network: other traffic on the paths is unknown",
    "slip": "slip: the source contradicts itself",
    "input": "input: we put in what they state",
    "trivial": "trivial: a constant or chance passes the rule",
    "repeated": "repeated: the source says it of another experiment",
    "conformance": "conformance: our own measurement, not published",
}


def figures() -> str:
    """Text of docs/validation/figures.md: places in the sources, and their studies."""
    return figures_index.page(entries(), source_of)


def counting() -> str:
    """Text of docs/validation/counting.md: what counts otherwise than before, and why.

    Raises:
        ValueError: a pattern of counting.toml fits no statement.
    """
    studies = entries()
    table = tomllib.loads(CHANGED.read_text("utf-8"))
    by_name = {entry["study"].name: entry for entry in studies}
    groups = []
    for group in table["group"]:
        rows = [
            row
            for text in group["statements"]
            for _, chosen in conclusions.statements([text], by_name)
            for row in chosen
        ]
        fitted = all(row["verdict"] == "fitted" for row in rows)
        now = ["fitted"] if fitted else sorted({row["standing"] for row in rows})
        after = "-" if fitted else _of(counts({"claims": rows}))
        groups.append({**group, "now": ", ".join(now), "after": after})
    parts = by_source(studies)
    five = [source for source in SOURCES if parts[source]["claims"]["scored"]]
    single = {
        kind: sum(parts[source][kind]["scored"] for source in five)
        for kind in ("claims", "sentences")
    }
    by_study = [
        (name, was, _of(counts({"claims": _decidable(by_name[name]["claims"])})))
        for name, was in table["before"].items()
    ]
    agrees, scored = (
        sum(int(was.split(" of ")[part]) for was in table["before"].values()) for part in (0, 1)
    )
    template = environment().get_template("counting.md.j2")
    return template.render(
        day=table["day"],
        before={"agrees": agrees, "scored": scored},
        groups=groups,
        seeds=_by_seeds(by_name),
        studies=by_study,
        single=single,
        standings=STANDINGS,
        percent=percent,
    )


def _by_seeds(by_name: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of statements that more seeds were asked of, beside their verdicts where they count."""
    rows = []
    for study, table in kept_seeds().items():
        counted = {row["id"]: row for row in by_name[study]["claims"]}
        for name, (verdict, measured) in table["verdicts"].items():
            about = {key: counted[name][key] for key in ("claim", "size")}
            about |= {"counts": counted[name]["verdict"], "study": study}
            rows.append({**about, "verdict": verdict, "measured": measured})
    return rows


def _decidable(rows: Sequence[StoredScorecard]) -> list[StoredScorecard]:
    return [row for row in rows if row["standing"] == "decidable"]


def _of(found: Mapping[str, int]) -> str:
    return f"{found['agrees']} of {found['scored']}"


def percent(found: Mapping[str, int]) -> str:
    """Rate of agreement, for people."""
    return f"{100 * found['agrees'] / found['scored']:.0f} %" if found["scored"] else "-"


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
    given = parser.parse_args(arguments)
    try:
        if given.command == "keep":
            print(f"{keep(given.folders, given.only)} scorecards")
        else:
            PAGE.write_text(validation(), "utf-8")
            MISSES_PAGE.write_text(misses_page(), "utf-8")
            COUNTING.write_text(counting(), "utf-8")
            README.write_text(with_headline(README.read_text("utf-8")), "utf-8")
            CONCLUSIONS.write_text(conclusions.page(entries()), "utf-8")
            FIGURES.write_text(figures(), "utf-8")
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
