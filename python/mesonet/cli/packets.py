"""Packets of named flows as files, for the commands that simulate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mesonet.cli.common import stderr
from mesonet.errors import InputError, Problem

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
    str, typer.Option(help="Host at which --pcapng sees packets: sender or receiver.")
]


@dataclass(frozen=True)
class PacketFiles:
    """Files of packets that a command is to write, if any.

    Attributes:
        pcapng: File for Wireshark.
        qlog: File for qvis.
        flows: Named flows in them; all if `None`.
        vantage: Host at which packets are seen.
        force: True to replace files that mesonet did not write.
    """

    pcapng: Path | None
    qlog: Path | None
    flows: tuple[str, ...] | None
    vantage: str = "sender"
    force: bool = False

    @property
    def wanted(self) -> bool:
        """A file is to be written."""
        return self.pcapng is not None or self.qlog is not None

    def recorded(self, scenario: Scenario) -> Scenario:
        """The scenario with its packets recorded, if a file is wanted.

        Raises:
            InputError: A file cannot be written there, a flow does not exist; all such problems.
        """
        problems = list(self._problems(scenario))
        if problems:
            raise InputError(problems)
        return scenario.replace({"record_packets": True}) if self.wanted else scenario

    def write(self, run: Run) -> None:
        """Writes the files that are wanted."""
        if self.pcapng is not None:
            rows, force = run.packets.height, self.force
            with stderr.status(f"writing {self.pcapng}: {rows:,} packets seen by hosts"):
                run.to_pcapng(self.pcapng, flow=self.flows, vantage=self.vantage, overwrite=force)
            stderr.print(f"packets: {self.pcapng}")
        if self.qlog is not None:
            with stderr.status(f"writing {self.qlog}: {run.senders.height:,} states of senders"):
                run.to_qlog(self.qlog, flow=self.flows, overwrite=self.force)
            stderr.print(f"congestion state: {self.qlog}")

    def _problems(self, scenario: Scenario) -> Iterable[Problem]:
        from mesonet.capture import NO_FLOWS, chosen_flows, vantage_problems
        from mesonet.system.place import name_problems

        if self.pcapng is not None:
            yield from name_problems(self.pcapng, "--pcapng", (".pcapng",), force=self.force)
        if self.qlog is not None:
            yield from name_problems(self.qlog, "--qlog", (".qlog",), force=self.force)
        yield from vantage_problems(self.vantage, "--vantage")
        if self.vantage == "receiver" and self.pcapng is None:
            message = "says where --pcapng sees packets; expected it, too"
            yield Problem("--vantage", "missing", message)
        if not self.wanted:
            if self.flows is not None:
                message = "chooses what --pcapng and --qlog write; expected one of them, too"
                yield Problem("--flow", "missing", message)
            return
        known = list(scenario.named_flows())
        if not known:
            yield NO_FLOWS
            return
        try:
            chosen_flows(known, self.flows)
        except InputError as error:
            yield from (problem._replace(loc="--flow") for problem in error.problems)
