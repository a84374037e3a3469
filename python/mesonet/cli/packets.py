"""Packets of named flows as files, for the commands that simulate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mesonet.cli.common import stderr
from mesonet.errors import InputError, Problem, gathered

if TYPE_CHECKING:
    from mesonet.run import Run
    from mesonet.scenario import Scenario

PcapngFile = Annotated[
    Path | None, typer.Option("--pcapng", help="File of packets to write, for Wireshark.")
]
QlogFile = Annotated[
    Path | None, typer.Option("--qlog", help="File of congestion state to write, for qvis.")
]
FlowNames = Annotated[
    list[str] | None,
    typer.Option("--flow", help="Named flow in these files; may be repeated. All if none."),
]
Vantage = Annotated[
    Literal["sender", "receiver"], typer.Option(help="Host at which --pcapng sees packets.")
]


@dataclass(frozen=True)
class PacketFiles:
    """Files of packets of some named flows that a command is to write, if any; of all if `None`."""

    pcapng: Path | None
    qlog: Path | None
    flows: Sequence[str] | None
    vantage: str

    @property
    def wanted(self) -> bool:
        """A file is to be written."""
        return self.pcapng is not None or self.qlog is not None

    def recorded(self, scenario: Scenario) -> Scenario:
        """The scenario with its packets recorded, if a file is wanted."""
        if problems := list(self._problems(scenario)):
            raise InputError(problems)
        return scenario.replace({"record_packets": True}) if self.wanted else scenario

    def write(self, run: Run) -> None:
        """Writes the files that are wanted."""
        if self.pcapng is not None:
            rows = run.packets.height
            with stderr.status(f"writing {self.pcapng}: {rows:,} packets seen by hosts"):
                run.to_pcapng(self.pcapng, flow=self.flows, vantage=self.vantage)
            stderr.print(f"packets: {self.pcapng}")
        if self.qlog is not None:
            with stderr.status(f"writing {self.qlog}: {run.senders.height:,} states of senders"):
                run.to_qlog(self.qlog, flow=self.flows)
            stderr.print(f"congestion state: {self.qlog}")
        flows = self.flows or run.scenario.named_flows()
        if self.wanted and (empty := sorted(set(flows) - set(run.packets["flow"]))):
            stderr.print(
                f"no packets are recorded of {', '.join(empty)}; they sent none, or over UDP"
            )

    def _problems(self, scenario: Scenario) -> Iterable[Problem]:
        from mesonet.capture import NO_FLOWS, chosen_flows
        from mesonet.writing import name_problems

        if self.pcapng is not None:
            yield from name_problems(self.pcapng, "--pcapng", (".pcapng",))
        if self.qlog is not None:
            yield from name_problems(self.qlog, "--qlog", (".qlog",))
        if self.flows and not self.wanted:
            yield Problem("--flow", "conflict", "expected --pcapng or --qlog with it")
        if self.vantage != "sender" and self.pcapng is None:
            yield Problem("--vantage", "conflict", "expected --pcapng with it")
        flows = list(scenario.named_flows())
        if self.wanted and not flows:
            yield NO_FLOWS
        elif self.wanted:
            problems: list[Problem] = []
            with gathered(problems):
                chosen_flows(flows, self.flows)
            yield from (problem._replace(loc="--flow") for problem in problems)
