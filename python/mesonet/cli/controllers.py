"""Commands for congestion controllers: `check-controller` and `new-controller`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mesonet.cli.common import FAILED, friendly, print_json, stderr
from mesonet.errors import ControllerError, InputError, Problem


@friendly
def check_controller(
    name: Annotated[
        str,
        typer.Argument(
            help="A built-in algorithm, python:package.module.Class or library:PATH:NAME."
        ),
    ],
    seed: Annotated[int, typer.Option(min=0, help="Seed of the events played at random.")] = 1,
    steps: Annotated[int, typer.Option(min=1, help="Number of events played at random.")] = 4000,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Try whether a controller does what every controller has to do.

    Exit status 1 says that it does not.
    """
    from mesonet.conformance import check_controller as try_controller

    try:
        demands = try_controller(name, seed=seed, steps=steps)
    except ControllerError as error:
        raise InputError([Problem("", "unknown_algorithm", str(error))]) from None
    if json:
        print_json([demand._asdict() for demand in demands])
    else:
        width = max(len(demand.name) for demand in demands)
        for demand in demands:
            verdict = "FAILED" if demand.problem else "passed"
            print(f"{verdict}  {demand.name:<{width}}  {demand.demand}")
            if demand.problem:
                print(f"{'':<{width + 10}}{demand.problem}")
    failed = sum(demand.problem is not None for demand in demands)
    if failed:
        if not json:
            print(f"{failed} of {len(demands)} checks failed")
        raise typer.Exit(FAILED)


@friendly
def new_controller(
    name: Annotated[str, typer.Argument(help="What the controller is to be called.")],
    out: Annotated[Path | None, typer.Option(help="New folder; NAME by default.")] = None,
) -> None:
    """Make a folder with a controller in Rust that `make` builds, tries and simulates."""
    from mesonet.new_controller import new_controller as make

    folder = make(name, out=out)
    print(folder)
    stderr.print(f"now: cd {folder} && make")
