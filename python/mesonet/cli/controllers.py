"""Commands of controllers: check-controller, ladder, new-controller, build-kernel-module."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from mesonet.cli.common import (
    FAILED,
    Assignments,
    Json,
    aside,
    friendly,
    parameters_in,
    print_json,
    refuse_beside,
    stderr,
)
from mesonet.cli.completion import algorithms
from mesonet.cli.tables import All, print_table
from mesonet.controller import Demand
from mesonet.errors import ControllerError, InputError, Problem
from mesonet.scenario.transport import Profile


@friendly
def check_controller(
    context: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            help="A built-in algorithm, python:package.module.Class, library:PATH:NAME, or a file "
            "with one controller.",
            autocompletion=algorithms,
        ),
    ],
    seed: Annotated[int, typer.Option(min=0, help="Seed of the events played at random.")] = 1,
    steps: Annotated[int, typer.Option(min=1, help="Number of events played at random.")] = 4000,
    assignments: Assignments = None,
    response: Annotated[
        bool,
        typer.Option(help="Measure the response function, too; it takes most of the time."),
    ] = True,
    pack: Annotated[
        str | None,
        typer.Option(
            help="Test the statements of a conformance pack instead: bbr, cubic, l4s or principles."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Test that a controller meets the demands on every controller, or those of a pack.

    Exit status 1 says that it does not.
    """
    if pack is not None:
        refuse_beside(context, "--pack", "steps", "assignments", "response")
        _check_pack(name, pack, seed, json=json)
        return
    from mesonet.conformance import check_controller as try_controller
    from mesonet.controller import name_of

    parameters = parameters_in(assignments or ())
    try:
        with aside():
            demands = try_controller(
                name_of(name), seed=seed, steps=steps, response=response, parameters=parameters
            )
    except ControllerError as error:
        problems = [Problem("", "unknown_algorithm", line) for line in str(error).splitlines()]
        raise InputError(problems) from None
    if json:
        print_json([demand._asdict() for demand in demands])
    else:
        _print_response_function(demands)
        print(demands)
    if any(demand.problem for demand in demands):
        raise typer.Exit(FAILED)


@friendly
def build_kernel_module(
    sources: Annotated[
        list[Path], typer.Argument(help="C files of the module, such as net/ipv4/tcp_cubic.c.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Library; by default NAME.so here.", show_default=False),
    ] = None,
    kernel: Annotated[str, typer.Option(help="Version of Linux that it is from.")] = "6.12",
    hz: Annotated[int, typer.Option(min=100, max=1000, help="Ticks per second (CONFIG_HZ).")] = 250,
    ecn_low: Annotated[
        bool, typer.Option("--ecn-low", help="The route has this feature: BBR 3 answers marks.")
    ] = False,
    compiler: Annotated[str, typer.Option(help="C compiler.")] = "cc",
) -> None:
    """Build a congestion-control module of Linux into a library, from the file as it is.

    Prints the names under which scenarios, `compare`, `evaluate` and campaigns know it.
    """
    from mesonet.controller.kernel import build_kernel_module as build

    for name in build(sources, out=out, kernel=kernel, hz=hz, ecn_low=ecn_low, compiler=compiler):
        print(name)


def _check_pack(name: str, pack: str, seed: int, *, json: bool) -> None:
    from mesonet.evaluation.packs import check_pack

    with aside():
        tested = check_pack(name, pack, seed=seed)
    if json:
        print_json(tested.model_dump())
    else:
        print(f"{tested.title}\n{tested.source}\n{tested.scope}\n")
        for each in tested.statements:
            print(f"{each.verdict:<18}{each.id:<18}{each.text}")
            if each.measured:
                print(f"{'':<36}measured {each.measured}, expected {each.expected}")
            if each.remark and each.verdict != "agrees":
                print(f"{'':<36}{each.remark}")
    if any(each.verdict in ("disagrees", "not measured") for each in tested.statements):
        raise typer.Exit(FAILED)


@friendly
def ladder(
    names: Annotated[
        list[str],
        typer.Argument(
            help="Algorithms, built in, python:package.module.Class or library:PATH:NAME.",
            autocompletion=algorithms,
        ),
    ],
    figure: Annotated[
        Path | None, typer.Option(help="File for the chart: .svg, .pdf or .png.")
    ] = None,
    probabilities: Annotated[
        list[float] | None,
        typer.Option(
            "--probability",
            help="Probability of a signal; may be repeated. 0.3 to 0.0001 if none.",
        ),
    ] = None,
    rtt: Annotated[str, typer.Option(help="Round-trip time.")] = "100 ms",
    profile: Annotated[Profile, typer.Option(help="Profile of the transport.")] = "linux-4.18",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the runs.")] = 1,
    every: All = False,
    json: Json = False,
) -> None:
    """Measure how algorithms respond to a rising probability of marks, and of drops.

    One flow at a time, without a queue. Rates are in segments per round trip, versus the published
    response function.
    """
    from mesonet.figures import save, signal_ladder_chart
    from mesonet.ladder import PROBABILITIES, ladder_problems, signal_ladder
    from mesonet.writing import PICTURES, name_problems

    options: dict[str, Any] = {
        "probabilities": probabilities or PROBABILITIES,
        "rtt": rtt,
        "profile": profile,
    }
    problems = name_problems(figure, "--figure", PICTURES) if figure else []
    if problems:
        raise InputError([*problems, *ladder_problems(names, **options)])
    with stderr.status("") as status, aside():
        result = signal_ladder(names, **options, seed=seed, progress=status.update)
    for note in result.notes:
        stderr.print(f"note: {note}")
    if figure is not None:
        save(signal_ladder_chart(result), figure)
    if json:
        print_json(result.frame.to_dicts())
    else:
        print_table(result.frame, every=every)


@friendly
def new_controller(
    name: Annotated[str, typer.Argument(help="Name of the new controller.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="New folder; NAME by default.")
    ] = None,
) -> None:
    """Make a folder with a controller in Rust that `make` builds, tries and simulates."""
    from mesonet.controller.template import new_controller as make

    folder = make(name, out=out)
    print(folder)
    stderr.print(f"now: cd {shlex.quote(str(folder))} && make")


def _print_response_function(demands: Sequence[Demand]) -> None:
    from mesonet.conformance import ResponsePoint, beside_reno, exponent

    measured = next((demand.measured for demand in demands if demand.measured), ())
    points = [ResponsePoint(row["loss"], row["window"], row["reno"]) for row in measured]
    if not points:
        return
    print("Segments delivered per round trip, and Reno's sqrt(3 / (2 p)):")
    print(f"{'loss p':>8}{'window':>10}{'Reno':>10}{'ratio':>8}")
    for point in points:
        mark = "  limited by the path" if point.is_limited else ""
        print(
            f"{exponent(point.loss):>8}{point.window:>10.1f}{point.reno:>10.1f}"
            f"{point.ratio:>8.2f}{mark}"
        )
    print(f"It takes {beside_reno(points[0])}, {beside_reno(points[2])}.\n")
