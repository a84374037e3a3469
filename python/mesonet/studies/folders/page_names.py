"""Names in the text of a page that are checked before it is filled."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import nodes

from mesonet.errors import Problem, did_you_mean
from mesonet.plan import Plan
from mesonet.studies.folders.stock import close

Plans = Mapping[str, Sequence[Plan]]
"""Plans of a study by name, each as it is at every size."""


def unknown_filters(path: Path, tree: nodes.Template) -> list[Problem]:
    """Filters and tests of a page that Jinja lacks and mesonet does not add."""
    environment = tree.environment
    assert environment is not None
    found = []
    for kind, node, known in (
        ("filter", nodes.Filter, environment.filters),
        ("test", nodes.Test, environment.tests),
    ):
        unknown = [each for each in tree.find_all(node) if each.name not in known]
        for each in unknown:
            message = f'no {kind} "{each.name}"{did_you_mean(each.name, known)}'
            found.append(Problem(f"{path}:{each.lineno}", f"unknown_{kind}", message))
        # Jinja looks no further once one is unknown; with stand-ins it tells unknown names, too.
        known.update({each.name: _stand_in for each in unknown})
    return found


def unknown_entries(
    path: Path, tree: nodes.Template, known: Mapping[str, Collection[str]]
) -> Iterator[Problem]:
    """Entries that a page asks tables for and that these lack.

    Args:
        path: The file.
        tree: Its text, parsed.
        known: Names of the entries by table, such as "figures".
    """
    what = {"figures": "figure", "verdicts": "claim", "measured": "claim"}
    for node in tree.find_all(nodes.Getitem):
        table = node.node.name if isinstance(node.node, nodes.Name) else ""
        key = node.arg
        if table in known and isinstance(key, nodes.Const) and key.value not in known[table]:
            hint = did_you_mean(key.value, known[table])
            message = f'no {what[table]} "{key.value}"{hint}'
            yield Problem(f"{path}:{node.lineno}", f"unknown_{what[table]}", message)


def unfit_arguments(place: str, shown: str, call: nodes.Call, plans: Plans) -> Iterator[Problem]:
    """Arguments of a built-in chart or table that name nothing of the study's plans.

    Args:
        place: File and line of the call.
        shown: Kind and name of what is called, for the message.
        call: The call; arguments that are computed are not looked at.
        plans: The plans.
    """
    given = {each.key: each.value for each in call.kwargs}
    name = _constant(given.get("plan", nodes.Const("")))
    if not isinstance(name, str):
        return
    if name not in plans:
        there = [f'"{each}"' for each in plans]
        message = f'{shown}: no plan "{name}"{close(name, there)}'
        yield Problem(place, "unknown_plan", message)
        return
    responses = list(dict.fromkeys(each for plan in plans[name] for each in plan.responses))
    labels = list(dict.fromkeys(each.label for plan in plans[name] for each in plan.alternatives))
    for argument, kind, known in (
        ("response", "response", responses),
        ("responses", "response", responses),
        ("baseline", "alternative", labels),
    ):
        for asked in _texts(given.get(argument)):
            if asked and asked not in known:
                message = f'{shown}: the plan has no {kind} "{asked}"{close(asked, known)}'
                yield Problem(place, f"unknown_{kind}", message)


def _texts(value: nodes.Expr | None) -> Iterable[str]:
    found = None if value is None else _constant(value)
    texts = found if isinstance(found, list | tuple) else [found]
    return [each for each in texts if isinstance(each, str)]


def _constant(value: nodes.Expr) -> Any:
    """The value that an expression has whatever the page is filled with; None without one."""
    try:
        return value.as_const()
    except nodes.Impossible:
        return None


def _stand_in(value: Any) -> Any:
    return value
