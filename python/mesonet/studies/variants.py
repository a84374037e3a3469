"""Variants of a study: what its source leaves open, decided otherwise, and scored again."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from mesonet.errors import PlanError, Problem, did_you_mean, gathered
from mesonet.page.tables import Column, Table, counts, numbers, table, words
from mesonet.plan import Plan, plan_from_dict
from mesonet.scenario.toml import read_toml
from mesonet.studies.bench import Item
from mesonet.studies.entries import (
    StudyError,
    duplicates,
    filled,
    fits,
    included,
    lists,
    read_entry,
)
from mesonet.studies.rules import Figures, joined
from mesonet.studies.scorecard import Claim, Scorecard, Verdict, score
from mesonet.studies.study import Options
from mesonet.studies.tables import PlanChanges, VariantTable

Verdicts = Mapping[str, Verdict]


def read_variants(path: Path, above: tuple[Path, ...] = ()) -> list[VariantTable]:
    """The variants of a file, those of the files that it includes first.

    Args:
        path: the file.
        above: files that include this one.
    """
    problems: list[Problem] = []
    variants: list[VariantTable] = []
    for name, loc, entry in lists(
        read_toml(path, StudyError), ("include", "variant"), path, problems
    ):
        with gathered(problems):
            if name == "include":
                variants += included(
                    entry, path, loc, above, lambda file: read_variants(file, (*above, path))
                )
                continue
            variant = read_entry(VariantTable, entry, path, loc)
            if not variant.runs and not variant.figures:
                message = "expected values, plan, plans, parameters, seed or figures that change"
                problems.append(Problem(f"{path}: {loc}", "no_change", message))
            variants.append(variant)
    problems += duplicates((each.id for each in variants), path)
    if problems:
        raise StudyError(problems)
    return variants


def asked_for(variants: Sequence[VariantTable], options: Options) -> list[VariantTable]:
    """The variants that run: those asked for, or those of the size.

    Raises:
        PlanError: one that is asked for does not exist.
    """
    asked = options.variants
    if asked is None:
        return [each for each in variants if options.size in each.sizes]
    if asked == ("all",):
        return list(variants)
    known = [each.id for each in variants]
    unknown = [name for name in asked if name not in known]
    if unknown:
        there = ", ".join(known) or "none"
        raise PlanError(
            Problem(
                "variants",
                "unknown_variant",
                f'no variant "{name}"{did_you_mean(name, known) or f"; there are {there}"}',
            )
            for name in unknown
        )
    return [each for each in variants if each.id in asked]


def changed_plan(
    plan: Plan, name: str, variant: VariantTable, values: Mapping[str, Any] | None = None
) -> Plan:
    """A plan under a variant.

    Args:
        plan: the plan.
        name: name of the plan.
        variant: the variant.
        values: constants, which names in braces stand for.

    Raises:
        PlanError: a change does not fit, or a name stands for nothing.
    """
    content = plan.to_dict()
    try:
        for each in variant.of_plan(name):
            content = merged(content, filled(each, values or {}))
    except ValueError as error:
        raise PlanError([Problem(name or "plan", "name", str(error))]) from None
    content["seed"] = plan.seed + variant.seed
    asked = content.get("alternatives") or [content]
    for alternative, made in zip(asked, plan.alternatives, strict=True):
        scenario = plan.scenario_of(1, made)
        own = _own_parameters(variant, scenario.algorithm_places())
        if own:
            place = "scenario" if alternative is content else "set"
            entries = alternative.get(place, {})
            alternative[place] = {**entries, "parameters": {**scenario.parameters, **own}}
    return plan_from_dict(content)


def changed_item(item: Item, variant: VariantTable) -> Item:
    """A run under the parameters and the seed of a variant."""
    own = _own_parameters(variant, item.scenario.algorithm_places())
    if own:
        parameters = {**item.scenario.parameters, **own}
        item = replace(item, scenario=item.scenario.replace({"parameters": parameters}))
    return replace(item, seed=item.seed + variant.seed)


def _own_parameters(variant: VariantTable, used: Iterable[str]) -> dict[str, dict[str, float]]:
    names = set(used)
    return {name: values for name, values in variant.parameters.items() if name in names}


def merged(table: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A plan's table with entries replaced; of scenario and factors, only those that are given."""
    found = {**table, **changes, "scenario": _under(table, changes, "scenario")}
    every = _under(table, changes, "factors")
    parts = (every, table.get("factors"), changes.get("factors"))
    if all(isinstance(each, Mapping) for each in parts):
        found["factors"] = {
            name: _under(table["factors"], changes["factors"], name) for name in every
        }
    return found


def _under(table: Mapping[str, Any], changes: Mapping[str, Any], name: str) -> Any:
    below, above = table.get(name, {}), changes.get(name, {})
    if isinstance(below, Mapping) and isinstance(above, Mapping):
        return {**below, **above}
    # The path of a scenario, or what is no part of a plan, as the plan says then.
    return above or below


def values_under(values: Mapping[str, Any], *changes: PlanChanges) -> dict[str, Any]:
    """Constants with those that a size and a variant replace."""
    found = dict(values)
    for each in changes:
        found |= each.values
    return found


def replaced(figures: Figures, variant: VariantTable, *, whole: bool = False) -> Figures:
    """Figures with those that a variant puts in the place of others.

    Args:
        figures: the figures.
        variant: the variant.
        whole: all runs are there, so that all figures have to be.

    Raises:
        StudyError: one of the figures does not exist.
    """
    if not variant.figures:
        return figures
    unknown = {*variant.figures, *variant.figures.values()} - set(figures)
    if unknown and whole:
        place = f'variant "{variant.id}"'
        raise StudyError(
            Problem(place, "unknown_figure", f'no figure "{name}"{did_you_mean(name, figures)}')
            for name in sorted(unknown)
        )
    # Figures of campaigns are many, and each is computed when it is asked for.
    others = {name: figures.get(other, math.nan) for name, other in variant.figures.items()}
    return joined(others, figures)


def verdicts_under(
    study: str,
    claims: Sequence[Claim],
    variant: VariantTable,
    figures: Figures,
    without: Sequence[Figures] = (),
) -> dict[str, Verdict]:
    """Verdicts on the claims that a variant concerns, by their ids."""
    concerned = [each for each in claims if not variant.claims or fits(each.id, variant.claims)]
    card = score(study, "", concerned, figures, without)
    return {entry.claim.id: entry.verdict for entry in card.entries}


_CHANGES: Mapping[Verdict, str] = {
    "agrees": "Now agree",
    "disagrees": "Now disagree",
    "not computable": "Now cannot be computed",
    "undecided at this size": "Now undecided",
}
_WORDS = {"question": "Left open", "ours": "Ours", "other": "Other"}
_COUNTS: Mapping[Verdict, str] = {"agrees": "Agree", "disagrees": "Disagree"}
_ENOUGH = 5
"""Words of a claim that say enough."""
SCORED = "as scored"
"""Name of the row of the scored runs in the table of variants."""


def variants_table(
    card: Scorecard,
    variants: Sequence[VariantTable],
    others: Mapping[str, Verdicts],
    compared: Mapping[str, Mapping[str, object]],
) -> Table:
    """A row for the scored runs and for each variant: both answers, counts, changed verdicts.

    Args:
        card: verdicts on the scored runs.
        variants: variants that were run.
        others: verdicts under each variant, by its id.
        compared: more columns by heading, for each variant by its id and for the scored runs (the
            empty id).
    """
    texts = {entry.claim.id: _short(entry.claim.text) for entry in card.entries}
    ours: dict[str, Verdict] = {entry.claim.id: entry.verdict for entry in card.entries}
    about = {each.id: each for each in variants}
    headings = list(compared.get("", {}))
    rows: list[dict[str, Any]] = []
    for name, found in {"": ours, **{each: others[each] for each in about}}.items():
        tally = Counter(found.values())
        row: dict[str, Any] = {"variant": name or SCORED}
        row |= {key: getattr(about.get(name), key, "") for key in _WORDS}
        row["question"] = row["question"] or SCORED
        for verdict in _COUNTS:
            row[verdict] = tally[verdict]
        row |= {each: compared.get(name, {}).get(each) for each in headings}
        changed = []
        for verdict, said in _CHANGES.items():
            here = [texts[each] for each, now in found.items() if now == verdict != ours[each]]
            changed += [f"{said}: {'; '.join(here)}."] if here else []
        rows.append({**row, "changed": " ".join(changed) or "none"})
    columns = [
        *(words(key, heading) for key, heading in _WORDS.items()),
        *(_column(heading, rows) for heading in headings),
        *(counts(key, heading) for key, heading in _COUNTS.items()),
        words("changed", "Other verdicts than in the first row"),
    ]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    order = ["variant", *(each.name for each in columns)]
    return table(f"{card.study}-variants", frame.select(order), columns)


def _column(heading: str, rows: Sequence[Mapping[str, Any]]) -> Column:
    plain = all(isinstance(row[heading], int | float | None) for row in rows)
    return numbers(heading, heading) if plain else words(heading, heading)


def _short(text: str) -> str:
    """A claim without its unit, and up to a colon if that says enough."""
    text = re.sub(r" \[.*?\]", "", text)
    statement = text.partition(":")[0]
    return statement if len(statement.split()) >= _ENOUGH else text
