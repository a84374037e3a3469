"""Explanations and standings that `claims.toml` gives to several claims at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, get_args

from mesonet.errors import Problem, did_you_mean, show
from mesonet.studies.folders.names import UnknownNameError, filled
from mesonet.studies.folders.sources import Key, Source, plain_text
from mesonet.studies.scorecard import Claim, Standing


@dataclass(frozen=True)
class PlacedClaim:
    """A claim and the place where it is written.

    Attributes:
        claim: The claim.
        place: File and line of its rule.
    """

    claim: Claim
    place: str


def is_texts(value: object) -> bool:
    """Tests whether a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def tables(
    source: Source, key: str, problems: list[Problem]
) -> list[tuple[int, Mapping[str, Any]]]:
    """The tables of a list by their places; what is no list of tables is a problem."""
    entries = source.table.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        message = f"expected tables, each below a line [[{key}]], got {show(entries)}"
        problems.append(source.problem((key,), "type", message))
        return []
    return list(enumerate(entries))


def explained(
    source: Source,
    found: list[PlacedClaim],
    values: Mapping[str, Any],
    problems: list[Problem],
) -> list[PlacedClaim]:
    """The claims with the explanations that the file gives to several of them."""
    said = _assigned(source, "explanation", ("text",), found, values, problems)
    return [
        replace(each, claim=replace(each.claim, explanation=said[each.claim.id]["text"]))
        if each.claim.id in said
        else each
        for each in found
    ]


def judged_apart(
    source: Source,
    found: list[PlacedClaim],
    values: Mapping[str, Any],
    problems: list[Problem],
) -> list[PlacedClaim]:
    """The claims with what keeps their verdicts from counting as evidence, and the reason."""
    known = get_args(Standing)
    said = _assigned(source, "standing", ("is", "reason"), found, values, problems)
    expected = ", ".join(f'"{each}"' for each in known)
    for place, table in tables(source, "standing", []):
        given = table.get("is")
        if isinstance(given, str) and given not in known:
            message = f"expected one of {expected}, got {show(given)}"
            problems.append(source.problem(("standing", place, "is"), "standing", message))
    return [
        replace(each, claim=_apart(each.claim, said[each.claim.id]))
        if each.claim.id in said
        else each
        for each in found
    ]


def _apart(claim: Claim, said: Mapping[str, str]) -> Claim:
    standing: dict[str, Standing] = {each: each for each in get_args(Standing)}
    # An unknown one is a problem already, and the claims are then not used.
    return replace(claim, standing=standing.get(said["is"], "decidable"), reason=said["reason"])


def _assigned(
    source: Source,
    name: str,
    texts: Sequence[str],
    found: Sequence[PlacedClaim],
    values: Mapping[str, Any],
    problems: list[Problem],
) -> dict[str, dict[str, str]]:
    """Texts of the tables of a name, by the id of each claim that they list."""
    said: dict[str, dict[str, str]] = {}
    ids = [each.claim.id for each in found]
    for place, table in tables(source, name, problems):
        key: tuple[Key, ...] = (name, place)
        claims = table.get("claims")
        written = [isinstance(table.get(text), str) for text in texts]
        if not is_texts(claims) or not claims or not all(written) or len(table) > 1 + len(texts):
            also = " and ".join(f"`{text}`" for text in texts)
            message = f"expected `claims`, a list of ids, and {also}, and nothing else"
            problems.append(source.problem(key, name, message))
            continue
        assert isinstance(claims, list)
        try:
            shown = {text: plain_text(str(filled(table[text], values))) for text in texts}
        except (UnknownNameError, ValueError) as error:
            problems.append(source.problem((*key, texts[-1]), "name", str(error)))
            continue
        for pattern in claims:
            covered = [each for each in ids if fnmatchcase(each, pattern)]
            if not covered:
                message = f'"{pattern}" fits no claim{did_you_mean(pattern, ids)}'
                problems.append(source.problem((*key, "claims"), "unknown_id", message))
            twice = [each for each in covered if each in said]
            if twice:
                article = "an" if name[0] in "aeiou" else "a"
                message = f'"{twice[0]}" has {article} {name} already'
                problems.append(source.problem((*key, "claims"), "duplicate", message))
            said |= dict.fromkeys(covered, shown)
    return said
