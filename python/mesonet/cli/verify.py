"""The command `verify`."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mesonet.cli.common import FAILED, Folder, Json, friendly, print_json, stderr
from mesonet.cli.trust import Trust
from mesonet.errors import DamageError

if TYPE_CHECKING:
    from mesonet.campaign.verification import Finding

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

    Some of its runs are simulated again and compared with their record. What is damaged moves to
    `damaged/`, and `mesonet run` makes it again. Exit status 1 says that something is damaged, 2
    that `--trust` found no code to run. Runs with controllers that are not built in are simulated
    with `--trust` only.
    """
    from mesonet.campaign import Campaign
    from mesonet.campaign import verify as verify_folder
    from mesonet.campaign.provenance import looked_in
    from mesonet.controller import look_in

    # A damaged campaign is told by the verification.
    with contextlib.suppress(DamageError):
        look_in(Path.cwd(), *looked_in(Campaign.open(folder)))
    verification = verify_folder(
        folder,
        sample=sample,
        seed=seed,
        code=trust,
        progress=stderr.print,
        report=None if json else _show,
    )
    if json:
        findings = [asdict(it) for it in verification.findings]
        print_json({"sound": verification.sound, "findings": findings})
    for name, to in verification.moved.items():
        stderr.print(f"{name} -> {to}")
    if not verification.sound:
        raise typer.Exit(FAILED)


def _show(finding: Finding) -> None:
    """Prints a finding at once: what comes next can be code that ends or loops."""
    print(f"{finding.place:<{_WIDTH}} {finding.state:<8} {finding.text}".rstrip(), flush=True)
