"""The command that lists what can be named in files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import Annotated, Any

import typer

from mesonet.cli.common import Json, friendly, print_json
from mesonet.errors import ControllerError, InputError, Problem, unknown

Rows = list[dict[str, Any]]


KINDS = {
    "algorithms": "congestion controllers of flows",
    "queues": "queue disciplines of bottlenecks and routers",
    "paths": "bottlenecks by name: a satellite, a phone, Wi-Fi",
    "profiles": "sets of TCP options",
    "topologies": "networks of routers",
    "responses": "what is measured of a run",
    "designs": "how a plan chooses its conditions",
    "analyses": "what is made of the results of a campaign",
    "studies": "published experiments",
}
"""What can be listed."""


@friendly
def list_names(
    what: Annotated[
        str, typer.Argument(help="Kind of names to list; the kinds if none.", show_default=False)
    ] = "",
    json: Json = False,
    library: Annotated[
        list[Path] | None,
        typer.Option(help="List the algorithms of this library, too (algorithms only)."),
    ] = None,
) -> None:
    """List what can be named in a scenario or plan file."""
    for path in library or ():
        _open(path)
    kind = "algorithms" if what == "controllers" else what
    if kind and (problems := unknown("what", "unknown", kind, KINDS)):
        raise InputError(problems)
    if library and kind != "algorithms":
        raise InputError([Problem("--library", "conflict", "is for the kind algorithms alone")])
    rows = ROWS[kind]() if kind else [{"name": it, "summary": KINDS[it]} for it in KINDS]
    if json:
        print_json(rows)
        return
    width, room = max(len(row["name"]) for row in rows) + 2, get_terminal_size().columns
    for row in rows:
        lines = wrap(row["summary"], max(room - width, 30))
        print(f"{row['name']:<{width}}{f'{chr(10)}{chr(32) * width}'.join(lines)}")


def _open(library: Path) -> None:
    from mesonet.controller.library import names_in

    try:
        names_in(library)
    except ControllerError as error:
        raise InputError([Problem("--library", "library", str(error))]) from None


def _rows(entries: Mapping[str, Any], *attributes: str) -> Rows:
    """Rows of a catalogue: name and summary of each entry, and more of its attributes."""
    return [
        {"name": name} | {key: getattr(entry, key) for key in ("summary", *attributes)}
        for name, entry in entries.items()
    ]


def _controllers() -> Rows:
    from mesonet.controller import controllers

    return _rows({entry.name: entry for entry in controllers()}, "display", "source")


def _studies() -> Rows:
    from mesonet.studies import CATALOGUE

    return _rows(CATALOGUE, "source")


def _queues() -> Rows:
    from mesonet.scenario.mechanisms import queues
    from mesonet.scenario.queues import range_of, values_of, written

    return [
        {
            "name": discipline.name,
            "summary": discipline.summary,
            "source": discipline.source,
            "control": discipline.control,
            "parameters": [
                {
                    "name": parameter.name,
                    "default": written(parameter, parameter.default),
                    "values": values_of(parameter),
                    "range": range_of(parameter),
                    "unit": parameter.unit,
                    "meaning": parameter.doc,
                }
                for parameter in discipline.parameters
            ],
        }
        for discipline in queues()
    ]


def _responses() -> Rows:
    from mesonet.responses import registry

    return [
        {
            "name": response.id,
            "summary": f"{response.name} [{response.unit}]",
            "definition": response.definition,
            "source": response.source,
        }
        for response in registry.values()
    ]


def _designs() -> Rows:
    from mesonet.design import KINDS

    return [{"name": name, "summary": summary} for name, summary in KINDS.items()]


def _topologies() -> Rows:
    from mesonet.scenario.topology import BUILT_IN

    rows = [{"name": name, "summary": _TOPOLOGIES.get(name, "built in")} for name in BUILT_IN]
    return [*rows, {"name": "FILE", "summary": "any GraphML, GML or SNDlib file"}]


_TOPOLOGIES = {
    "abilene": "the Abilene backbone: 11 routers, 14 links, 22 PoPs, 139 access routers",
    "abilene-reversed": "the same with letters, and the routers below, in reverse order",
    "isp": "a US provider: 16 routers, 24 links routed by metric, 32 PoPs, 170 access routers",
}


def _paths() -> Rows:
    from mesonet.scenario.named_paths import named_paths

    return _rows(named_paths(), "keys", "sources")


def _profiles() -> Rows:
    from mesonet.scenario.transport import PROFILES, SUMMARIES

    return [{"name": name, "summary": SUMMARIES[name]} for name in PROFILES]


def _analyses() -> Rows:
    from mesonet.analysis import REGISTRY

    return [
        {
            "name": analysis.name,
            "summary": analysis.summary,
            "options": list(analysis.options.model_fields),
            "tables": [table.name for table in analysis.tables],
        }
        for analysis in REGISTRY.values()
    ]


ROWS: dict[str, Callable[[], Rows]] = {
    "algorithms": _controllers,
    "queues": _queues,
    "responses": _responses,
    "designs": _designs,
    "topologies": _topologies,
    "paths": _paths,
    "profiles": _profiles,
    "analyses": _analyses,
    "studies": _studies,
}
"""Rows of each kind; all have `name` and `summary`."""
