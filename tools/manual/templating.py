"""Pages of the manual that tools write."""

from __future__ import annotations

from pathlib import Path

import jinja2


def environment() -> jinja2.Environment:
    """The templates beside the tools; `cell` is text for a cell of a table."""
    jinja = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).resolve().parent / "templates"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        autoescape=False,
    )
    jinja.filters["cell"] = lambda text: str(text).replace("|", "\\|")
    return jinja
