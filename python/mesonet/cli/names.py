"""The command that lists what can be named in files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from mesonet.cli.common import Json, friendly, print_json
from mesonet.errors import ControllerError, InputError, Problem

Rows = list[dict[str, Any]]


class What(StrEnum):
    """Kinds of names that can be listed."""

    controllers = "controllers"
    queues = "queues"
    responses = "responses"
    designs = "designs"
    topologies = "topologies"
    profiles = "profiles"
    analyses = "analyses"
    studies = "studies"


@friendly
def list_names(
    what: Annotated[What, typer.Argument(help="Kind of names to list.")],
    json: Json = False,
    library: Annotated[
        list[Path] | None,
        typer.Option(help="List the controllers of this library, too (controllers only)."),
    ] = None,
    markdown: Annotated[
        bool,
        typer.Option(
            "--markdown", help="Print the reference page (responses, queues and analyses)."
        ),
    ] = False,
) -> None:
    """List what can be named in a scenario or plan file."""
    problems = list(_conflicts(what, json=json, library=library, markdown=markdown))
    if problems:
        raise InputError(problems)
    if markdown:
        print(_PAGES[what](), end="")
        return
    if library:
        _open(library)
    rows = ROWS[what]()
    if json:
        print_json(rows)
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        print(f"{row['name']:<{width}}  {row['summary']}")


def _conflicts(
    what: What, *, json: bool, library: list[Path] | None, markdown: bool
) -> Iterator[Problem]:
    """Problems of options with each other, or that the kind has no use for."""
    if library and what is not What.controllers:
        message = f'lists controllers; expected "controllers", got "{what.value}"'
        yield Problem("--library", "conflict", message)
    if markdown and what not in _PAGES:
        expected = " or ".join(f'"{kind.value}"' for kind in _PAGES)
        yield Problem("--markdown", "conflict", f'expected {expected}, got "{what.value}"')
    if markdown and json:
        yield Problem("--markdown", "conflict", "expected --json or --markdown, got both")


def _responses_page() -> str:
    from mesonet.responses import to_markdown

    return to_markdown()


def _queues_page() -> str:
    from mesonet.cli import queue_page
    from mesonet.scenario.mechanisms import queues

    return queue_page.to_markdown(queues())


def _analyses_page() -> str:
    from mesonet.analysis import to_markdown

    return to_markdown()


_PAGES: dict[What, Callable[[], str]] = {
    What.responses: _responses_page,
    What.queues: _queues_page,
    What.analyses: _analyses_page,
}


def _open(libraries: list[Path]) -> None:
    from mesonet.controller.library import names_in

    problems = []
    for path in libraries:
        try:
            names_in(path)
        except ControllerError as error:
            problems.append(Problem("--library", "library", str(error)))
    if problems:
        raise InputError(problems)


def _controllers() -> Rows:
    from mesonet.controller import controllers

    return [
        {"name": c.name, "display": c.display, "summary": c.summary, "source": c.source}
        for c in controllers()
    ]


def _queues() -> Rows:
    from mesonet.cli.queue_page import to_row
    from mesonet.scenario.mechanisms import queues

    return [to_row(queue) for queue in queues()]


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


def _studies() -> Rows:
    from mesonet.studies import CATALOGUE

    return [
        {"name": name, "summary": study.summary, "source": study.source}
        for name, study in CATALOGUE.items()
    ]


ROWS: dict[What, Callable[[], Rows]] = {
    What.controllers: _controllers,
    What.queues: _queues,
    What.responses: _responses,
    What.designs: _designs,
    What.topologies: _topologies,
    What.profiles: _profiles,
    What.analyses: _analyses,
    What.studies: _studies,
}
