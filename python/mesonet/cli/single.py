"""Commands for one simulation: `simulate` and `replay`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mesonet.cli.common import (
    FAILED,
    INTERRUPTED,
    Folder,
    Json,
    Quiet,
    RunFolder,
    Threads,
    aside,
    friendly,
    print_json,
    refuse_beside,
    stderr,
)
from mesonet.cli.packets import FlowNames, PacketFiles, PcapngFile, QlogFile, Vantage
from mesonet.cli.trust import Trust, require
from mesonet.errors import CampaignError, InputError, Problem, gathered

if TYPE_CHECKING:
    from mesonet.campaign.reading import Cell
    from mesonet.run import Run
    from mesonet.scenario import Scenario


@friendly
def simulate(
    scenario: Annotated[Path, typer.Argument(help="Scenario file (TOML).")],
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random numbers.")] = 1,
    trace: Annotated[
        Path | None, typer.Option(help="File of a recorded link, in place of the scenario's rate.")
    ] = None,
    out: RunFolder = None,
    threads: Threads = 1,
    html: Annotated[
        Path | None, typer.Option(help="Page to write, with flows and queues over time.")
    ] = None,
    pcapng: PcapngFile = None,
    qlog: QlogFile = None,
    flow: FlowNames = None,
    vantage: Vantage = "sender",
    trust: Trust = False,
    every: Annotated[bool, typer.Option("--all", help="Print all responses.")] = False,
    json: Json = False,
    _quiet: Quiet = False,
) -> None:
    """Simulate one scenario and print its first numbers.

    Ctrl-C ends it early: what was measured until then is shown and written as such, with exit
    status 130.
    """
    from mesonet.controller import look_in, outside_names
    from mesonet.scenario import load_scenario
    from mesonet.scenario.toml import with_lines
    from mesonet.writing import refuse_name

    look_in(scenario.parent, Path.cwd())
    packets = PacketFiles(pcapng, qlog, flow, vantage)
    loaded, problems = load_scenario(scenario), list[Problem]()
    require(scenario, outside_names(loaded.to_dict()), trust=trust)
    if trace is not None:
        from mesonet.scenario.rate_trace import rate_trace

        loaded = loaded.replace(rate_trace(trace))
    with gathered(problems):
        loaded = packets.recorded(loaded)
    with gathered(problems):
        _refuse_occupied(out)
    with gathered(problems):
        if html is not None:
            refuse_name(html, "--html")
    if problems:
        raise InputError(problems)
    for note in loaded.notes():
        stderr.print(f"note: {note}")
    with with_lines(scenario):
        run = _run(loaded, seed=seed, threads=threads)
    if out is not None:
        run.write(out)
    if html is not None:
        run.save(html)
        stderr.print(f"page: {html}")
    packets.write(run)
    if every or json:
        _print_responses(run.responses, json=json)
    else:
        _print_first(run)
    if run.interrupted_at is not None:
        raise typer.Exit(INTERRUPTED)


def _run(scenario: Scenario, *, seed: int, threads: int) -> Run:
    """Simulates with a line of progress; a note says so where it was interrupted."""
    import warnings

    from mesonet.errors import InterruptedWarning
    from mesonet.simulation import simulate as run_simulation

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InterruptedWarning)
        with aside():
            run = run_simulation(scenario, seed=seed, threads=threads, progress=True)
    if run.interrupted_at is not None:
        stderr.print(f"interrupted: all numbers are of the first {run.length.split(',')[0]}")
        if run.interrupted_at <= scenario.warm_up * scenario.duration:
            stderr.print("note: the warm-up was not over, so most responses are undefined")
    return run


@friendly
def replay(
    context: typer.Context,
    folder: Folder,
    run: Annotated[str, typer.Argument(help="Run id, or the beginning of one.")],
    out: RunFolder = None,
    threads: Threads = 1,
    pcapng: PcapngFile = None,
    qlog: QlogFile = None,
    flow: FlowNames = None,
    vantage: Vantage = "sender",
    show: Annotated[
        bool, typer.Option("--show", help="Show what was recorded of it; nothing is simulated.")
    ] = False,
    trust: Trust = False,
    json: Json = False,
) -> None:
    """Simulate one run of a campaign again and compare it with what was recorded.

    Exit status 1 says that a response differs.
    """
    from mesonet.campaign import Campaign
    from mesonet.campaign.provenance import looked_in, what_changed
    from mesonet.campaign.verification import same
    from mesonet.controller import look_in, outside_names
    from mesonet.responses import compute
    from mesonet.showing import progress_line

    if show:
        refuse_beside(context, "--show", "out", "threads", "pcapng", "qlog", "flow", "vantage")
        _show(folder, run, json=json)
        return
    campaign = Campaign.open(folder)
    scenario, cell = campaign.find(run)
    require(folder, outside_names(scenario.to_dict()), trust=trust)
    packets = PacketFiles(pcapng, qlog, flow, vantage)
    packets.recorded(scenario)
    look_in(Path.cwd(), *looked_in(campaign))
    _refuse_occupied(out)
    with progress_line("simulating", "s", scenario.duration) as progress, aside():
        again = campaign.replay(
            cell.run, threads=threads, progress=progress, record_packets=packets.wanted
        )
    if out is not None:
        again.write(out)
    packets.write(again)
    recorded = campaign.recorded(cell.run)
    measured = compute(again.measurements, campaign.plan.responses)
    _print_responses(measured, json=json)
    place = _place(cell)
    if recorded is None:
        stderr.print(f"{cell.run} ({place}): the campaign has no result of it to compare with")
        return
    different = [name for name in measured if not same(measured[name], recorded.get(name))]
    if different:
        changed = what_changed(campaign, cell.run)
        why = f": {'; '.join(changed)}" if changed else ""
        stderr.print(f"{cell.run} ({place}) differs from its record in {', '.join(different)}{why}")
        raise typer.Exit(FAILED)
    stderr.print(f"{cell.run} ({place}): all {len(measured)} responses are as recorded")


def _show(folder: str, run: str, *, json: bool) -> None:
    from mesonet.campaign import Campaign

    campaign = Campaign.open(folder)
    _, cell = campaign.find(run)
    recorded = campaign.recorded(cell.run)
    stderr.print(f"{cell.run} ({_place(cell)})")
    if recorded is None:
        error = campaign.failures().get(cell.run)
        raise CampaignError(f"{cell.run}: {error.splitlines()[0] if error else 'not finished'}")
    _print_responses(recorded, json=json)


def _place(cell: Cell) -> str:
    return f"condition {cell.condition}, {cell.alternative}, seed {cell.seed}"


def _refuse_occupied(out: Path | None) -> None:
    from mesonet.writing import refuse_occupied

    if out is not None:
        refuse_occupied(out, loc=f"--out {out}")


def _print_first(run: Run) -> None:
    from mesonet.report.headlines import flow_rows, headlines
    from mesonet.text import table

    print(table(headlines(run.scenario, {"": run.responses})))
    if flows := flow_rows(run):
        print(f"\n{table(flows)}")
    others = sum(value == value for value in run.responses.values())
    stderr.print(f"{others} responses: --all")


def _print_responses(responses: dict[str, float], *, json: bool) -> None:
    from mesonet.responses import in_lines

    if json:
        print_json(responses)
    else:
        print("\n".join(in_lines(responses)))
