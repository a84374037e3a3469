"""Command `compare`: algorithms over one bottleneck, in seconds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, TypedDict, cast

import typer

from mesonet.cli.browser import open_page
from mesonet.cli.common import Json, aside, friendly, print_json, stderr
from mesonet.cli.completion import disciplines, profiles, several_algorithms
from mesonet.errors import InputError, Problem, gathered
from mesonet.system.showing import progress_line

if TYPE_CHECKING:
    from mesonet.comparison import Comparison
    from mesonet.scenario.transport import Profile


@friendly
def compare(
    algorithms: Annotated[
        list[str],
        typer.Argument(
            help="Algorithms, with blanks or commas between them; `mesonet list controllers` has "
            "them.",
            autocompletion=several_algorithms,
        ),
    ],
    rate: Annotated[str, typer.Option(help="Capacity; several with commas, as below.")] = (
        "50 Mbit/s"
    ),
    rtt: Annotated[str, typer.Option(help="Base round-trip time, such as 10ms,40ms.")] = "40 ms",
    buffer: Annotated[str, typer.Option(help="Room for waiting packets.")] = "1 bdp",
    loss: Annotated[str, typer.Option(help="Probability of random loss.")] = "0",
    queue: Annotated[
        str,
        typer.Option(
            help="Queue discipline; `mesonet list queues` has them.", autocompletion=disciplines
        ),
    ] = "droptail",
    beside: Annotated[
        str,
        typer.Option(
            "--with",
            help="Algorithms that each one shares the bottleneck with; else each other.",
            autocompletion=several_algorithms,
        ),
    ] = "",
    flows: Annotated[int, typer.Option(help="Flows of each algorithm.")] = 1,
    repeat: Annotated[int, typer.Option(help="Repeats of every match.")] = 5,
    duration: Annotated[str, typer.Option(help="Simulated time of a run.")] = "60 s",
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
        int | None, typer.Option(min=1, help="Runs at a time; all cores if none.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Page to write (HTML), or the chart alone (SVG, PDF, PNG)."
        ),
    ] = None,
    show: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser; needs --out.")
    ] = False,
    json: Json = False,
) -> None:
    """Compare algorithms over one bottleneck: each alone, and beside each other.

    Prints a table with 95 % intervals and what can be told apart. With `--out page.html`, it writes
    a page that shows every match over time.
    """
    from mesonet.comparison import compare as compare_algorithms

    algorithms = [name for word in algorithms for name in _several(word) if name]
    problems: list[Problem] = []
    with gathered(problems):
        _refuse(out, show=show)
    losses = [0.0]
    with gathered(problems):
        losses = _numbers(loss)
    options = _Options(
        rate=_several(rate),
        rtt=_several(rtt),
        buffer=_several(buffer),
        loss=losses,
        queue=_several(queue),
        beside=_several(beside) if beside else (),
        flows=flows,
        repeats=repeat,
        duration=duration,
        seed=seed,
        profile=cast("Profile", profile) if profile else None,
        ecn=ecn,
        host_jitter=host_jitter,
    )
    if problems:
        _refuse_with(problems, algorithms, options)
    with progress_line("comparing", "runs") as progress, aside():
        found = compare_algorithms(*algorithms, **options, threads=threads, progress=progress)
    _print(found, json=json)
    if out is not None:
        found.save(out)
        stderr.print(f"page: {out}")
        if show:
            open_page(out)
    if found.interrupted:
        # Its answer is of use all the same; scripts are told that it is not the whole.
        total = found.question.total()
        interrupt = KeyboardInterrupt()
        interrupt.add_note(f"interrupted: {found.executed} of {total} runs are done")
        raise interrupt


class _Options(TypedDict):
    """Keywords of a comparison."""

    rate: list[str]
    rtt: list[str]
    buffer: list[str]
    loss: list[float]
    queue: list[str]
    beside: Sequence[str]
    flows: int
    repeats: int
    duration: str
    seed: int
    profile: Profile | None
    ecn: bool
    host_jitter: str | None


def _refuse_with(problems: list[Problem], algorithms: Sequence[str], options: _Options) -> NoReturn:
    """Refuses a command, also for what cannot be asked."""
    from mesonet.comparison.question import question

    with gathered(problems):
        question(algorithms, **options)
    raise InputError(problems)


def _print(found: Comparison, *, json: bool) -> None:
    if json:
        print_json(
            {
                "means": found.frame.to_dicts(),
                "differences": found.differences.to_dicts(),
                "sentences": list(found.sentences()),
                "notes": list(found.notes),
            }
        )
    else:
        print(found)


def _refuse(out: Path | None, *, show: bool) -> None:
    """Refuses what could not be written before anything is simulated."""
    if out is None:
        if show:
            raise InputError([Problem("--open", "missing", "expected --out with the page's name")])
        return
    from mesonet.system.place import PAGES, PICTURES, refuse_name

    refuse_name(out, "--out", (*PAGES, *PICTURES))


def _several(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _numbers(text: str) -> list[float]:
    found, problems = [], []
    for part in _several(text):
        try:
            found.append(float(part))
        except ValueError:
            message = f'expected numbers from 0 to below 1, got "{part}"'
            problems.append(Problem("loss", "value", message))
    if problems:
        raise InputError(problems)
    return found
