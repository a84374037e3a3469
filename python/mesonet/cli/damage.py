"""Commands for damaged folders: `verify` and `repair`."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mesonet.cli.campaigns import Folder, Json
from mesonet.cli.common import BAD_INPUT, FAILED, friendly, print_json, stderr
from mesonet.cli.trust import Trust
from mesonet.errors import MesonetError

if TYPE_CHECKING:
    from mesonet.campaign.inspection import Finding

_WIDTH = 22


@friendly
def verify(
    folder: Folder,
    sample: Annotated[int, typer.Option(min=0, help="Finished runs to simulate again.")] = 3,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draw of these runs.")] = 1,
    trust: Trust = False,
    json: Json = False,
) -> None:
    """Read everything in a campaign folder.

    Some of its runs are simulated again and compared with their record. Nothing is changed. Exit
    status 1 says that something is damaged, 2 that `--trust` found no code to run. Runs with
    controllers that are not built in are simulated with `--trust` only.
    """
    from mesonet.campaign import Campaign
    from mesonet.campaign import verify as verify_folder
    from mesonet.campaign.verification import SIMULATED
    from mesonet.controller import look_in

    if trust:
        # A folder that cannot be opened is what the verification says.
        with contextlib.suppress(MesonetError):
            look_in(Path.cwd(), *Campaign.open(folder).looked_in())
    findings: list[Finding] = []
    with _kept(findings) if json else contextlib.nullcontext():
        done = verify_folder(
            folder,
            sample=sample,
            seed=seed,
            code=trust,
            progress=stderr.print,
            found=findings.append if json else _show,
        )
    if json:
        _print_findings(done.findings, sound=done.sound)
    damaged = {finding.place for finding in done.findings if finding.state == "damaged"}
    if damaged - SIMULATED:
        stderr.print(
            f"something is damaged; `mesonet repair {shlex.quote(str(folder))}` sets it aside"
        )
    elif damaged == {"replays"}:
        stderr.print(
            f"`mesonet repair {shlex.quote(str(folder))} --run ID` sets the result of a run aside"
        )
    if done.unloaded:
        stderr.print(f"error: {done.unloaded}")
    if damaged:
        raise typer.Exit(FAILED)
    if done.unloaded:
        raise typer.Exit(BAD_INPUT)


@contextlib.contextmanager
def _kept(findings: Sequence[Finding]) -> Iterator[None]:
    """Prints what was found if a verification does not come to its end."""
    try:
        yield
    except BaseException:
        _print_begun(findings)
        raise


def _print_begun(findings: Sequence[Finding]) -> None:
    """Prints findings of a verification without an end: nothing is known to be sound."""
    damaged = any(finding.state == "damaged" for finding in findings)
    if findings:
        _print_findings(findings, sound=False if damaged else None)


def _print_findings(findings: Iterable[Finding], *, sound: bool | None) -> None:
    rows = [
        {"place": finding.place, "state": finding.state, "text": finding.text}
        for finding in findings
    ]
    print_json({"sound": sound, "findings": rows})


def _show(finding: Finding) -> None:
    """Prints a finding at once: what comes next can be code that ends or loops."""
    print(f"{finding.place:<{_WIDTH}} {finding.state:<8} {finding.text}".rstrip(), flush=True)


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
    if done.restored:
        stderr.print(f"written again: {', '.join(done.restored)}")
    elif not done.moved:
        stderr.print("nothing was damaged")
    if done.pending:
        stderr.print(f"{done.pending} runs have no result")
    if done.advice:
        stderr.print(done.advice)
