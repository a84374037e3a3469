"""Agreement in one sentence: each source by itself, and each of its sentences once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase as fnmatch
from typing import Any, get_args

from kept import StoredScorecard

from mesonet.studies.scorecard import Standing, Verdict

VERDICTS = get_args(Verdict)
SOURCES = {
    "NIST SP 500-282, slides and methodology paper": (
        "nist-sensitivity",
        "nist-[12]*",
        "nist-recovery",
        "two-flow",
    ),
    "slides on HCC TCP": ("hcc",),
    "tests of SLAC": ("slac-*",),
    "report of a student": ("lab-*",),
}
"""The five sources that mesonet was asked to repeat, and their studies."""
LATER = "later literature and tests of others"


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
    parts = {}
    for source in (*SOURCES, LATER):
        rows = [row for entry in studies if source_of(entry["study"].name) == source
                for row in entry["claims"] if row["standing"] == "decidable"]  # fmt: skip
        parts[source] = {
            "sentences": counts({"claims": [row for row in single if row["of"] == source]}),
            "claims": counts({"claims": rows}),
        }
    return parts


def summed(tables: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Sum of counts."""
    every = list(tables)
    return {key: sum(table[key] for table in every) for key in every[0]}


def headline(studies: Sequence[Mapping[str, Any]]) -> str:
    """The rate of the five sources in a sentence, as pages and the README print it."""
    parts = by_source(studies)
    tally = summed(parts[source]["sentences"] for source in SOURCES)
    return (
        f"{tally['agrees']} of {tally['scored']} statements of our five sources that runs can "
        f"decide agree ({percent(tally)})"
    )


def counts(card: Mapping[str, Any]) -> dict[str, int]:
    """Claims by verdict, and `scored`: those that agree or disagree."""
    tally = Counter(row["verdict"] for row in card["claims"])
    return {verdict: tally[verdict] for verdict in VERDICTS} | {
        "scored": tally["agrees"] + tally["disagrees"]
    }


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


def percent(tally: Mapping[str, int]) -> str:
    """Rate of agreement, for people."""
    return f"{100 * tally['agrees'] / tally['scored']:.0f} %" if tally["scored"] else "-"
