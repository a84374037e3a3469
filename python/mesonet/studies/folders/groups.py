"""Explanations and standings that `claims.toml` gives to several claims at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ConfigDict, Field

from mesonet.errors import Problem, gathered
from mesonet.studies.folders.entries import Table, filled_at, fits, read_entry, unknown_ids
from mesonet.studies.folders.sources import Source
from mesonet.studies.scorecard import Claim, Standing


class GroupTable(Table):
    """Something that is said of several claims; fields have the names of those of `Claim`."""

    claims: tuple[str, ...] = Field(min_length=1)


class ExplanationTable(GroupTable):
    """An explanation of several claims."""

    model_config = ConfigDict(title="explanation")

    explanation: str = Field(alias="text")


class StandingTable(GroupTable):
    """Weight of the verdicts on several claims, and the reason."""

    model_config = ConfigDict(title="standing")

    standing: Standing = Field(alias="is")
    reason: str


GROUPS: Mapping[str, type[GroupTable]] = {
    "explanation": ExplanationTable,
    "standing": StandingTable,
}


def grouped(
    source: Source,
    groups: Iterable[tuple[tuple[str, int], Mapping[str, Any]]],
    found: Sequence[Claim],
    values: Mapping[str, Any],
    problems: list[Problem],
) -> list[Claim]:
    """The claims with what the file says of several of them.

    Args:
        source: the file.
        groups: its entries of the names in `GROUPS`.
        found: the claims.
        values: constants, which names in braces stand for.
        problems: takes every problem, with file and line.
    """
    said: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in GROUPS}
    ids = [each.id for each in found]
    for key, table in groups:
        with gathered(problems):
            content = {
                name: value if name == "claims" else filled_at(source, (*key, name), value, values)
                for name, value in table.items()
            }
            group = read_entry(GROUPS[key[0]], source, content, *key)
            mine = group.model_dump(exclude={"claims"})
            place, others = source.place(*key, "claims"), said[key[0]]
            problems += unknown_ids(group.claims, ids, "claim", place)
            for pattern in group.claims:
                covered = [each for each in ids if fits(each, [pattern])]
                if again := [each for each in covered if each in others]:
                    article = "an" if key[0][0] in "aeiou" else "a"
                    message = f'"{again[0]}" has {article} {key[0]} already'
                    problems.append(Problem(place, "duplicate", message))
                others |= dict.fromkeys(covered, mine)
    return [
        replace(each, **more)
        for each in found
        for more in [{k: v for group in said.values() for k, v in group.get(each.id, {}).items()}]
    ]
