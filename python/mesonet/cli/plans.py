"""The command that shows what a plan stands for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mesonet.cli.common import Json, friendly, print_frame, print_json, refuse_beside
from mesonet.cli.trust import Trust, require
from mesonet.errors import InputError, Problem
from mesonet.text import plain

if TYPE_CHECKING:
    from mesonet.design import Design
    from mesonet.plan import Plan, RunSpec

_WORDS_SHOWN = 15


@friendly
def plan(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Plan file (TOML).")],
    json: Json = False,
    csv: Annotated[
        bool,
        typer.Option(
            "--csv", help="Print the codes of every condition as CSV, as a custom design reads it."
        ),
    ] = False,
    all_runs: Annotated[bool, typer.Option("--runs", help="Print every run, too.")] = False,
    screen: Annotated[
        bool,
        typer.Option("--screen", help="Print means and effects by the fluid model instead."),
    ] = False,
    trust: Trust = False,
) -> None:
    """Show a plan's factors, design, aliases and cost; simulates nothing."""
    if csv:
        refuse_beside(context, "--csv", "json", "all_runs", "screen")
    loaded = read_plan(file, trust=trust)
    if screen:
        from mesonet.cli.screen import print_screen

        print_screen(loaded, json=json, every=all_runs)
        return
    runs = loaded.runs()
    if csv:
        if loaded.design is None:
            message = "expected a plan with a design, this one has one condition"
            raise InputError([Problem("--csv", "no_design", message)])
        sys.stdout.write(loaded.design.matrix.write_csv())
        return
    rows = [_row(loaded, run) for run in runs]
    if json:
        about = _as_data(loaded.design) if loaded.design else {"design": "one condition"}
        cost = _cost(runs)
        print_json({"name": loaded.name, "design": about, "cost": cost, "runs": rows})
        return
    import polars as pl

    for line in _lines(loaded, runs, _cost(runs)):
        print(fill(line, get_terminal_size().columns, subsequent_indent="  "))
    print()
    print(_factor_table(loaded))
    if all_runs:
        print()
        print_frame(pl.DataFrame(rows))


def read_plan(file: Path, *, trust: bool) -> Plan:
    """The plan in a file, whose controllers are looked for beside it and in the current folder."""
    from mesonet.controller import look_in, outside_names
    from mesonet.plan import load_plan

    look_in(file.parent, Path.cwd())
    plan = load_plan(file)
    require(file, outside_names(plan.to_dict()), trust=trust)
    return plan


def _factor_table(plan: Plan) -> str:
    """Levels of the factors, and the alternatives."""
    from mesonet.text import table

    rows = [
        [factor.name, ", ".join(factor.text(code) for code in factor.codes)]
        for factor in plan.factors
    ]
    alternatives = ", ".join(alternative.label for alternative in plan.alternatives)
    return table([*rows, ["alternatives", alternatives]], left=2)


def _row(plan: Plan, run: RunSpec) -> dict[str, Any]:
    coded = plan.coded(run.condition)
    return {
        "run": run.id,
        "condition": run.condition,
        "alternative": run.alternative,
        "replicate": run.replicate,
        "seed": run.seed,
        **{factor.name: factor.text(coded[factor.name]) for factor in plan.factors},
        "expected_packets": round(run.cost),
    }


def _cost(runs: list[RunSpec]) -> dict[str, Any]:
    """Packets and processor hours of distinct runs, and the source of the hours."""
    from mesonet.plan import SECONDS_PER_EVENT, cpu_seconds

    distinct = list({run.id: run.expected for run in runs}.values())
    packets, events = sum(run.packets for run in distinct), sum(run.events for run in distinct)
    seconds = cpu_seconds(distinct)
    return {
        "packets": packets,
        "events": events,
        "cpu_hours": seconds / 3600,
        "packets_per_cpu_second": packets / seconds,
        "basis": f"{SECONDS_PER_EVENT * 1e9:.0f} ns per event, see Performance in the manual",
    }


def _lines(plan: Plan, runs: list[RunSpec], cost: dict[str, Any]) -> Iterator[str]:
    yield plain(f"{plan.name}: {plan.title}")
    if plan.question:
        yield plain(plan.question)
    yield from _design_lines(plan.design) if plan.design else ["design: one condition"]
    notes = dict.fromkeys(note for run in runs for note in run.scenario.notes())
    yield from (f"note: {note}" for note in notes)
    yield (
        f"{plan.conditions} conditions x {len(plan.alternatives)} alternatives x "
        f"{plan.replicates} replicates = {len(runs)} runs"
    )
    if (distinct := len({run.id for run in runs})) < len(runs):
        yield (
            f"note: {distinct} of these runs differ; the others are the same under another "
            "condition or alternative. Each is simulated once and is evidence once"
        )
    yield (
        f"cost: about {cost['packets']:.2g} packets, {cost['cpu_hours']:.2g} CPU-hours at "
        f"{cost['packets_per_cpu_second']:.2g} packets per CPU-second ({cost['basis']})"
    )
    if rule := plan.stopping:
        maximum = plan.conditions * len(plan.alternatives) * rule.max_replicates
        yield (
            f"stopping: more replicates until {rule.words()}, at most {rule.max_replicates}: "
            f"{maximum} runs"
        )
    elif plan.replicates == 1:
        yield "n = 1: one replicate; differences cannot be told from chance within a condition"


def _design_lines(design: Design) -> Iterator[str]:
    from mesonet.design import roman

    kind = f", {design.kind.replace('_', ' ')}" if design.regular else ""
    yield f"design: {design.name}{kind}"
    if design.resolution is not None:
        yield f"resolution: {roman(design.resolution)}"
    if design.word_lengths:
        pattern = ", ".join(f"A{length} = {n:.4g}" for length, n in design.word_lengths.items())
        what = "word-length pattern" if design.regular else "generalised word-length pattern"
        yield f"{what}: {pattern}"
    if design.generators:
        yield "generators: " + ", ".join(f"{n} = {p}" for n, p in design.generators.items())
    if words := [str(word) for word in design.words]:
        rest = f" = ... ({len(words)} words)" if len(words) > _WORDS_SHOWN else ""
        yield f"defining relation: I = {' = '.join(words[:_WORDS_SHOWN])}{rest}"
    yield f"balance: {_balance(design)}"
    yield f"orthogonality: {_orthogonality(design)}"
    yield from _alias_lines(design)
    yield from (f"note: {note}" for note in design.notes)


def _balance(design: Design) -> str:
    uneven = [name for name, counts in design.balance.items() if len(set(counts.values())) > 1]
    if uneven:
        return f"not all levels of {', '.join(uneven)} occur equally often"
    levels = sorted(set(design.level_counts.values()))
    if levels == [len(design.coded)]:
        return "every condition has levels of its own"
    return "every level of a factor occurs equally often"


def _orthogonality(design: Design) -> str:
    if design.orthogonal:
        return "all main effects are orthogonal"
    return f"not orthogonal; the largest correlation of two factors is {design.correlation:.3g}"


def _alias_lines(design: Design) -> Iterator[str]:
    if design.resolution is None:
        return
    if design.aliases:
        yield "confounded, up to two-factor interactions:"
        for effect, others in design.aliases.items():
            yield f"  {effect} = {' = '.join(others)}"
    elif any(design.partial_aliases.values()):
        yield "partly confounded, up to two-factor interactions, with the share:"
        for factor, parts in design.partial_aliases.items():
            if parts:
                shares = ", ".join(f"{share:.2g} {product}" for product, share in parts)
                yield f"  {factor}: {shares}"
    elif design.regular or 4 not in design.word_lengths:
        yield "confounded, up to two-factor interactions: none"
    else:
        yield "confounded: interactions of two factors with each other; no main effect with them"


def _as_data(design: Design) -> dict[str, Any]:
    from mesonet.design import roman

    return {
        "design": f"{design.name} {design.kind.replace('_', ' ')}",
        "kind": design.kind,
        "conditions": design.runs,
        "resolution": None if design.resolution is None else roman(design.resolution),
        "word_lengths": design.word_lengths,
        "generators": {name: str(product) for name, product in design.generators.items()},
        "words": [str(word) for word in design.words],
        "aliases": {effect: list(products) for effect, products in design.aliases.items()},
        "partial_aliases": {
            factor: [{"effect": str(product), "share": share} for product, share in products]
            for factor, products in design.partial_aliases.items()
        },
        "balanced": design.balanced,
        "orthogonal": design.orthogonal,
        "largest_correlation": design.correlation,
        "notes": list(design.notes),
        "codes": design.matrix.to_dicts(),
    }
