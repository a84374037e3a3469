"""Command `search`: the condition in which an algorithm harms others most."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from mesonet.cli.common import (
    Assignments,
    Candidate,
    Cluster,
    Json,
    Quiet,
    Workers,
    aside,
    friendly,
    names_in,
    parameters_in,
    print_json,
    report_failures,
    stderr,
)
from mesonet.cli.completion import algorithms, disciplines, profiles
from mesonet.cli.progress import CampaignProgress

if TYPE_CHECKING:
    from mesonet.scenario.transport import Profile


@friendly
def search(
    candidate: Candidate,
    against: Annotated[
        str, typer.Option(help="Algorithm of the victims.", autocompletion=algorithms)
    ] = "cubic",
    response: Annotated[
        str,
        typer.Option(
            help="excess: what they lose beyond what they do among their own; harm: all of it."
        ),
    ] = "excess",
    rate: Annotated[
        str, typer.Option(help="Capacity: least and largest, or one value, as below.")
    ] = "1 Mbit/s,100 Mbit/s",
    rtt: Annotated[str, typer.Option(help="Base round-trip time.")] = "5 ms,300 ms",
    buffer: Annotated[str, typer.Option(help="Room for waiting packets.")] = "0.1 bdp,16 bdp",
    loss: Annotated[str, typer.Option(help="Probability of random loss.")] = "0,0.01",
    flows: Annotated[str, typer.Option(help="Flows of the candidate.")] = "1,8",
    victims: Annotated[str, typer.Option(help="Flows of the victims.")] = "1,8",
    start: Annotated[
        str | None,
        typer.Option(
            help="Time by which the candidate begins after the victims; by default up to a sixth "
            "of the duration, 5 s at most.",
            show_default=False,
        ),
    ] = None,
    queue: Annotated[
        str,
        typer.Option(help="Queue disciplines, the usual one first.", autocompletion=disciplines),
    ] = "droptail",
    duration: Annotated[str, typer.Option(help="Simulated time of a run.")] = "30 s",
    profile: Annotated[
        str, typer.Option(help="TCP options of all hosts.", autocompletion=profiles)
    ] = "rfc",
    assignments: Assignments = None,
    budget: Annotated[int, typer.Option(help="Runs in all.")] = 1400,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder; by default NAME-search.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="First seed.")] = 1,
    workers: Workers = None,
    cluster: Cluster = None,
    json: Json = False,
    _quiet: Quiet = False,
) -> None:
    """Find the condition in which an algorithm harms others most, or resume the search.

    Then simplifies it as far as nine tenths of the harm last, and measures it with fresh seeds.
    Prints the answer, the command that runs the condition again, and the page.
    """
    from mesonet import adversary
    from mesonet.adversary.execution import PAGE
    from mesonet.adversary.question import Response
    from mesonet.evaluation.inputs import folder_of

    bounds = {"rate": rate, "rtt": rtt, "buffer": buffer, "loss": loss, "flows": flows}
    bounds |= {"victims": victims, "queue": queue} | ({} if start is None else {"start": start})
    with CampaignProgress() as progress, aside():
        outcome = adversary.search(
            candidate,
            parameters=parameters_in(assignments or ()),
            against=against,
            response=cast("Response", response),
            **{name: names_in(f"--{name}", text) for name, text in bounds.items()},
            duration=duration,
            profile=cast("Profile", profile),
            budget=budget,
            out=out,
            seed=seed,
            workers=workers,
            cluster=cluster,
            progress=progress,
            before=stderr.print,
        )
    if json:
        print_json(outcome.model_dump(mode="json"))
    else:
        print("\n".join([*outcome.sentences(), outcome.replay]))
        print(folder_of(candidate, out, "search") / PAGE)
    report_failures({"minimal condition": outcome.minimal.error} if outcome.minimal.broken else {})
