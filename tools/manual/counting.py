"""Text of docs/validation/counting.md: what counts otherwise than before, and why."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import conclusions
from chance import kept_seeds
from headline import SOURCES, STANDINGS, by_source, counts, percent
from kept import StoredScorecard
from templating import environment

CHANGED = Path(__file__).resolve().with_name("counting.toml")


def counting(studies: Sequence[Mapping[str, Any]]) -> str:
    """Text of the page.

    Raises:
        ValueError: a pattern of counting.toml fits no statement.
    """
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


def _of(tally: Mapping[str, int]) -> str:
    return f"{tally['agrees']} of {tally['scored']}"
