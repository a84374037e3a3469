"""Writes the page on the conclusions of NIST SP 500-282 from kept scorecards.

`scorecards.py write` calls it. Answers are written by hand in conclusions.toml; counts, sizes and
measured values come from the scorecards. A name that is not there is an error, and so is a sentence
whose expectation the measured values do not meet.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase as fnmatch
from itertools import pairwise
from pathlib import Path
from typing import Any

from templating import environment

FILE = Path(__file__).resolve().with_name("conclusions.toml")
ANSWERS = (
    *("stands", "stands in part", "falls here", "hangs on a choice", "not decided"),
    "by construction",
)
_NAMED = r"\{(!?)([\w@-]+)/([\w.-]+)(?::([^}]*))?\}"
_TOLD = re.compile(
    r"\d|\b(more|less|fewer|than|most|all|none|every|same|nearly|larger|smaller|largest|smallest|"
    r"highest|lowest|first|second|third|fourth|last|above|below|ahead|behind|fairest|quickest|"
    r"gains?|loses?|agree)\b",
    re.IGNORECASE,
)
_UNKEPT = (
    "measured once",
    "kept runs",
    "by the settings",
    "in print",
    "not printed",
    "not be measured",
    "(variant",
    "counting.md",
)
Entries = Mapping[str, Mapping[str, Any]]
"""Entry of each study that has a kept scorecard, by its name."""


def page(studies: Sequence[Mapping[str, Any]], file: Path = FILE) -> str:
    """Text of the page.

    Args:
        studies: entries of the studies, as `scorecards.entries` makes them.
        file: conclusions and the statements that bear on them.

    Raises:
        ValueError: a statement, a value or an answer is not there.
    """
    entries = {entry["study"].name: entry for entry in studies}
    table = tomllib.loads(file.read_text("utf-8"))
    return (
        environment()
        .get_template("conclusions.md.j2")
        .render(
            conclusions=[_read(each, entries) for each in table["conclusion"]],
            answers={each["answer"] for each in table["conclusion"]},
            recommendations=[_read(each, entries) for each in table["recommendation"]],
            filled=lambda text: _filled(text, entries),
        )
    )


def _read(each: Mapping[str, Any], entries: Entries) -> dict[str, Any]:
    if each["answer"] not in ANSWERS:
        raise ValueError(f"{each['said']}: no answer {each['answer']}")
    if untold := unfounded(each["text"]):
        raise ValueError(f"{each['said']}: rests on nothing: {' '.join(untold)}")
    rows = [
        row
        for _, claims in statements(each["statements"], entries)
        for row in claims
        if row["standing"] not in ("input", "trivial")
    ]
    verdicts = Counter(row["verdict"] for row in rows)
    wrong = {"stands": verdicts["disagrees"], "falls here": verdicts["agrees"]}
    if wrong.get(each["answer"]):
        raise ValueError(f"{each['said']}: not all of its statements say that it {each['answer']}")
    judged = [row for row in rows if row["verdict"] in ("agrees", "disagrees")]
    sizes = Counter(row["size"] for row in judged)
    return {
        "said": each["said"],
        "where": each.get("where", "Recommendations"),
        "answer": each["answer"],
        "agree": f"{verdicts['agrees']} of {len(judged)}" if judged else "-",
        "size": ", ".join(size for size, _ in sizes.most_common()) or "-",
        "text": _filled(each["text"], entries),
        "turned": _turned(each["statements"], entries),
        "places": _places(each["statements"], entries),
    }


def statements(
    texts: Sequence[str], entries: Entries
) -> Iterator[tuple[Mapping[str, Any], list[Mapping[str, Any]]]]:
    """Each study that is named, and the rows of its statements in their order."""
    for text in texts:
        study, patterns = _parted(text)
        if study not in entries:
            raise ValueError(f"{text}: no study {study} has a kept scorecard")
        rows = entries[study]["claims"]
        for pattern in patterns:
            if not any(fnmatch(row["id"], pattern) for row in rows):
                raise ValueError(f"{study}: no statement {pattern}")
        chosen = [row for row in rows if any(fnmatch(row["id"], each) for each in patterns)]
        yield entries[study], chosen


def _parted(text: str) -> tuple[str, list[str]]:
    head, _, names = text.partition(":")
    return head, [name.strip() for name in names.split(",")]


def _places(texts: Sequence[str], entries: Entries) -> str:
    """Links to the studies, with the names of the statements."""
    names = [", ".join(f"`{name}`" for name in _parted(text)[1]) for text in texts]
    studies = [entry["study"].name for entry, _ in statements(texts, entries)]
    parts = [
        f"[`{study}`]({_page(entries[study])}): {listed}"
        for study, listed in zip(studies, names, strict=True)
    ]
    return "; ".join(parts)


def _page(entry: Mapping[str, Any]) -> str:
    return f"../studies/{entry['folder']}/index.md"


def _row(entries: Entries, place: str, name: str) -> Mapping[str, Any]:
    """The row of a statement, at a size behind an @ or at that at which it counts."""
    study, _, size = place.partition("@")
    entry = entries.get(study, {"claims": [], "cards": {}})
    card = entry["cards"].get(size, {"claims": []}) if size else entry
    for row in card["claims"]:
        if row["id"] == name:
            return row  # type: ignore[no-any-return]
    raise ValueError(f"no kept statement {place}/{name}")


def _filled(text: str, entries: Entries) -> str:
    """Text with measured values in the place of names in braces.

    Raises:
        ValueError: values do not meet the expectation that stands beside their name.
    """

    def value(match: re.Match[str]) -> str:
        hidden, study, name, expected = match.groups()
        measured = shortened(_row(entries, study, name)["measured"])
        for chain in (expected or "").split(";"):
            if not meets(measured, chain):
                raise ValueError(f"{study}/{name}: expected{chain}, measured {measured}")
        return "" if hidden else measured

    return re.sub(_NAMED, value, text)


def meets(measured: str, chain: str) -> bool:
    """True if measured values are in an order.

    Args:
        measured: values with their names, as `shortened` makes them.
        chain: names and numbers in descending order, such as "CTCP > 0.9 * FAST > 0". "each" stands
            for all values, "rest" for those that the chain does not name.

    Examples:
        >>> meets("CTCP 5.1, FAST-AT 4.6, FAST 3", "CTCP > 4.9 > rest")
        True
        >>> meets("0.919", "each > 0.95")
        False
    """
    parts = [part.strip() for part in chain.split(">") if part.strip()]
    pairs = [part.rpartition(" ")[::2] for part in re.sub(r" \(.*?\)", "", measured).split(", ")]
    values = {name: float(value) for name, value in pairs} if parts else {}
    named = {part.rpartition("*")[2].strip() for part in parts}

    def ends(part: str) -> tuple[float, float]:
        factor, _, name = (each.strip() for each in part.rpartition("*"))
        chosen = {
            "each": [*values.values()],
            "rest": [value for other, value in values.items() if other not in named],
        }.get(name) or [values[name] if name in values else float(name)]
        return float(factor or 1) * min(chosen), float(factor or 1) * max(chosen)

    return all(ends(upper)[0] > ends(lower)[1] for upper, lower in pairwise(parts))


def shortened(measured: str) -> str:
    """Measured values without what the names of all of them have in common.

    Examples:
        >>> shortened("Reno.swing 0.2, next_to_fast.swing 0.3")
        'Reno 0.2, next to fast 0.3'
        >>> shortened("size.movies 0.1, size.Web objects 0.2")
        'movies 0.1, Web objects 0.2'
        >>> shortened("0.13 (-2.0%)")
        '0.13 (-2.0%)'
    """
    pairs = [part.rpartition(" ")[::2] for part in measured.split(", ")]
    names = [name.split(".") for name, _ in pairs]
    if len(pairs) < 2 or any(len(name) != len(names[0]) or len(name) < 2 for name in names):
        return measured
    varying = [place for place in range(len(names[0])) if len({name[place] for name in names}) > 1]
    kept = [".".join(name[place] for place in varying).replace("_", " ") for name in names]
    return ", ".join(f"{name} {value}" for name, (_, value) in zip(kept, pairs, strict=True))


def unfounded(text: str) -> list[str]:
    """Sentences that state a number or an order and neither name a kept value nor say why not.

    Examples:
        >>> unfounded("FAST loses more. Reno, too{!nist-1a/a: each > 0}, loses 2 (measured once).")
        ['FAST loses more.']
    """

    def hide(match: re.Match[str]) -> str:
        return "code" if match[0].startswith("`") else "\0"

    sentences = re.split(
        r"(?<=[.;])\s+(?=[A-Z\0])", re.sub(rf"{_NAMED}|`[^`]*`", hide, text.strip())
    )
    known = ("\0", *_UNKEPT)
    return [it for it in sentences if _TOLD.search(it) and not any(word in it for word in known)]


def _turned(texts: Sequence[str], entries: Entries) -> list[str]:
    """Lines on the variants that turn the verdict on a statement, by study and size."""
    lines = []
    for entry, rows in statements(texts, entries):
        names = [row["id"] for row in rows]
        for size, variants in entry["variants"].items():
            moves = [
                f"{sign} {', '.join(f'`{name}`' for name in turned)} with `{variant['id']}`"
                for variant in variants
                for key, sign in (("gained", "+"), ("lost", "−"))
                if (turned := [name for name in variant[key].split(", ") if name in names])
            ]
            if moves:
                lines.append(f"{entry['study'].name} at {size}: {'; '.join(moves)}")
    return lines
