"""Writing the page."""

from __future__ import annotations

import contextlib
import os
from functools import cache
from pathlib import Path

import vl_convert
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from mesonet.errors import MesonetError
from mesonet.report.charts import packed, packed_pictures
from mesonet.report.inputs import ReportInputs
from mesonet.report.results import analysed
from mesonet.report.sections import contexts
from mesonet.report.summary import summarise

# In the order of the page: what was found stands before how it was found out.
_SECTIONS = (
    ("summary", "Summary"),
    ("network", "The network"),
    ("design", "The experiment"),
    ("congestion", "How congested"),
    ("paired", "Differences from the baseline"),
    ("ranks", "Ranks"),
    ("condition-response", "Condition by condition"),
    ("main-effects", "Main effects"),
    ("responses", "Responses"),
    ("provenance", "Provenance"),
    ("runs", "Every run"),
)


def build(inputs: ReportInputs, out: str | Path) -> Path:
    """Writes the report of a campaign.

    Args:
        inputs: What to show.
        out: The file to write; an existing one is replaced at once, never in part.

    Returns:
        The path of the file.

    Raises:
        InputError: The frame lacks columns that the inputs name.
        MesonetError: The file cannot be written.
    """
    return write(render(inputs), out)


def write(page: str, out: str | Path) -> Path:
    """Writes a page; an existing file is replaced at once, never in part.

    Raises:
        MesonetError: The file cannot be written.
    """
    path = Path(out)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(page, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise MesonetError(f"{path}: cannot be written: {error.strerror or error}") from error
    return path


def render(inputs: ReportInputs) -> str:
    """The report as HTML. It loads nothing, and the same inputs give the same text.

    Raises:
        InputError: The frame lacks columns that the inputs name.
    """
    results = analysed(inputs)
    content = contexts(results)
    sections = [
        (identifier, title)
        for identifier, title in _SECTIONS
        if identifier == "summary" or content.get(identifier) is not None
    ]
    template = environment().get_template("page.html.j2")
    return template.render(
        inputs=inputs,
        sections=sections,
        titles=dict(_SECTIONS),
        content=content,
        sentences=summarise(results),
        look=list(zip(results.look.alternatives, results.look.colours, strict=True)),
        replicates=results.replicates,
        conditions=results.conditions_count,
        pictures=packed_pictures(content),
        bundle=bundle(),
    )


@cache
def environment(*packages: str) -> Environment:
    """Templates of the report, and before them those of other packages."""
    return Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in (*packages, "mesonet.report")]),
        autoescape=select_autoescape(["html", "j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def bundle() -> Markup:
    """Vega, Vega-Lite and Vega-Embed, once for all charts."""
    return packed(vl_convert.javascript_bundle())  # type: ignore[call-arg]  # the stub lacks the default
