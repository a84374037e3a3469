"""Command `compare`: algorithms over one bottleneck, in seconds."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from mesonet.cli.common import Json, Quiet, aside, friendly, names_in, print_json, stderr
from mesonet.cli.completion import disciplines, profiles, several_algorithms
from mesonet.errors import InputError, Problem, gathered

if TYPE_CHECKING:
    from mesonet.scenario.transport import Profile


@friendly
def compare(
    algorithms: Annotated[
        list[str],
        typer.Argument(
            help="Algorithms, with blanks or commas between them; `mesonet list algorithms` has "
            "them.",
            autocompletion=several_algorithms,
        ),
    ],
    path: Annotated[
        str,
        typer.Option(
            help="Path by name, such as lte,starlink; `mesonet list paths` has them. It has a "
            "rate, a round-trip time and a buffer; those below take their place."
        ),
    ] = "",
    rate: Annotated[
        str, typer.Option(help="Capacity, 50 Mbit/s if none; several with commas, as below.")
    ] = "",
    rtt: Annotated[
        str, typer.Option(help="Base round-trip time, such as 10ms,80ms; 40 ms if none.")
    ] = "",
    buffer: Annotated[str, typer.Option(help="Room for waiting packets; 1 bdp if none.")] = "",
    loss: Annotated[str, typer.Option(help="Probability of random loss; 0 if none.")] = "",
    queue: Annotated[
        str,
        typer.Option(
            help="Queue discipline, droptail if none; `mesonet list queues` has them.",
            autocompletion=disciplines,
        ),
    ] = "",
    versus: Annotated[
        str,
        typer.Option(
            "--with",
            help="Algorithms that each one shares the bottleneck with; else each other.",
            autocompletion=several_algorithms,
        ),
    ] = "",
    flows: Annotated[int, typer.Option(help="Flows of each algorithm.")] = 1,
    replicates: Annotated[int, typer.Option(help="Replicates of every match.")] = 5,
    duration: Annotated[str, typer.Option(help="Simulated time of a run; 60 s if none.")] = "",
    scenario: Annotated[
        Path | None,
        typer.Option(help="File of a dumbbell whose link and hosts are taken, without its flows."),
    ] = None,
    trace: Annotated[
        str,
        typer.Option(help="File of a recorded link, in place of --rate; another for the way back."),
    ] = "",
    profile: Annotated[
        str,
        typer.Option(
            help="TCP options of all hosts, such as linux; by default rfc. `mesonet list profiles` "
            "has them.",
            autocompletion=profiles,
        ),
    ] = "",
    ecn: Annotated[
        bool, typer.Option("--ecn", help="ECN at the hosts, also for who does not ask for it.")
    ] = False,
    host_jitter: Annotated[
        str | None,
        typer.Option(
            help="Longest random delay of packets at hosts, such as 0s for none; else the time "
            "that the bottleneck takes for a packet."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 1,
    threads: Annotated[
        int | None,
        typer.Option("--threads", "-j", min=1, help="Runs at a time; all cores if none."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Page to write (HTML), the chart alone (SVG, PDF, PNG), or a folder that keeps "
            "the runs as a campaign.",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Print the tables of each of several conditions.")
    ] = False,
    json: Json = False,
    _quiet: Quiet = False,
) -> None:
    """Compare algorithms over one bottleneck: each alone, and versus each other.

    Prints means with half the width of their 95 % intervals, and the significant differences. With
    `--out page.html`, it writes a page that shows every match over time; with `--out folder`, a
    campaign for `mesonet report`.
    """
    from mesonet.comparison import answer, question
    from mesonet.writing import PAGES, PICTURES, refuse_name

    folder = out if out is not None and not out.suffix else None
    problems: list[Problem] = []
    with gathered(problems):
        if out is not None and folder is None:
            refuse_name(out, "--out", (*PAGES, *PICTURES))
    with gathered(problems):
        asked_question = question(
            [name for word in algorithms for name in _several("algorithms", word.strip(", "))],
            path=_several("--path", path),
            rate=_several("--rate", rate) or None,
            rtt=_several("--rtt", rtt) or None,
            buffer=_several("--buffer", buffer) or None,
            loss=[_number(part) for part in _several("--loss", loss)] or None,
            queue=_several("--queue", queue) or None,
            versus=_several("--with", versus),
            flows=flows,
            replicates=replicates,
            duration=duration or None,
            seed=seed,
            profile=cast("Profile", profile) if profile else None,
            ecn=ecn,
            host_jitter=host_jitter,
            scenario=scenario,
            trace=_several("--trace", trace),
        )
    if problems:
        raise InputError(problems)
    with aside():
        comparison = answer(asked_question, threads=threads, progress=True, out=folder)
    if json:
        print_json(
            {
                "means": comparison.frame.to_dicts(),
                "differences": comparison.differences.to_dicts(),
                "sentences": list(comparison.sentences()),
                "notes": list(comparison.notes),
            }
        )
    else:
        print(comparison.to_text(every=every))
    if folder is not None:
        command = shlex.join(["mesonet", "report", str(folder)])
        stderr.print(f"campaign: {folder}; `{command}` writes its report")
    elif out is not None:
        comparison.save(out)
        stderr.print(f"page: {out}")
    if comparison.interrupted:
        # Its answer is of use all the same; scripts are told that it is not the whole.
        interrupt = KeyboardInterrupt()
        interrupt.add_note(
            f"interrupted: {comparison.executed} of {asked_question.total} runs are done"
        )
        raise interrupt


def _several(option: str, text: str) -> list[str]:
    return names_in(option, text) if text else []


def _number(text: str) -> float:
    """A number; what is none stays as it is, and the scenario says so."""
    try:
        return float(text)
    except ValueError:
        return cast("float", text)
