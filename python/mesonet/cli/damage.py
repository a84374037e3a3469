"""Commands for damaged folders: `verify` and `repair`."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from mesonet.cli.budget import MaxMemory, MaxTime, Trust, limit_code
from mesonet.cli.campaigns import Folder, Json
from mesonet.cli.common import FAILED, friendly, print_json, stderr
from mesonet.errors import MesonetError

_WIDTH = 22


@friendly
def verify(
    folder: Folder,
    sample: Annotated[int, typer.Option(min=0, help="Finished runs to simulate again.")] = 3,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draw of these runs.")] = 1,
    trust: Trust = False,
    max_time: MaxTime = None,
    max_memory: MaxMemory = None,
    json: Json = False,
) -> None:
    """Read everything in a campaign folder.

    Some of its runs are simulated again and compared with their record. Nothing is changed. Exit
    status 1 says that something is damaged. Runs with controllers that are not built in are
    simulated with `--trust` only.
    """
    from mesonet.campaign import Campaign
    from mesonet.campaign import verify as verify_folder
    from mesonet.controller import look_in

    limit_code(max_time=max_time, max_memory=max_memory)
    if trust:
        # A folder that cannot be opened is what the verification says.
        with contextlib.suppress(MesonetError):
            look_in(Path.cwd(), *Campaign.open(folder).looked_in())
    found = verify_folder(folder, sample=sample, seed=seed, code=trust, progress=stderr.print)
    if json:
        print_json({"sound": found.sound, "findings": found.to_frame().to_dicts()})
    else:
        for finding in found.findings:
            print(f"{finding.place:<{_WIDTH}} {finding.state:<8} {finding.text}".rstrip())
    if not found.sound:
        stderr.print(f"something is damaged; `mesonet repair {folder}` sets it aside")
        raise typer.Exit(FAILED)


@friendly
def repair(
    folder: Folder,
    run: Annotated[
        list[str] | None,
        typer.Option(help="Run whose result is set aside, too; may be repeated.", metavar="ID"),
    ] = None,
) -> None:
    """Move what is damaged in a campaign folder to `damaged/`.

    It prints what was moved. Nothing is deleted. What it held can then be run again.
    """
    from mesonet.campaign import repair as repair_folder

    done = repair_folder(folder, runs=run or ())
    for name, to in done.moved.items():
        print(f"{name} -> {to}")
    if not done.moved:
        stderr.print("nothing was damaged")
    if done.pending:
        stderr.print(f"{done.pending} runs have no result")
    if done.advice:
        stderr.print(done.advice)
