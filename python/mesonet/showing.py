"""What notebooks and terminals show: pictures and tables of things, and how far something is."""

from __future__ import annotations

import os
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

from mesonet.errors import MesonetError

if TYPE_CHECKING:
    from rich.console import Console


QUIET = False
"""True to show no progress."""


class Shown:
    """Something that a notebook shows as a picture, or as a table where nothing draws it."""

    def plot(self) -> Any:
        """The picture as an Altair chart; `None` where nothing draws it."""
        return None

    def said(self) -> Iterable[str]:
        """Sentences above the picture, most important first."""
        return ()

    def table_html(self) -> str:
        """Table to show where there is no picture, as HTML; empty for text alone."""
        return ""

    def _repr_mimebundle_(self, **chosen: Any) -> Any:
        """The picture, or a table, with its reservations, in a notebook."""
        sentences = list(self.said())
        try:
            chart = self.plot()
        except MesonetError as error:
            chart, sentences = None, [*sentences, f"No picture: {error}"]
        words = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
        if chart is None:
            table = self.table_html()
            html = {"text/html": words + table} if words or table else {}
            return {"text/plain": repr(self), **html}
        bundle = chart._repr_mimebundle_(**chosen)
        # Altair adds metadata for some ways of drawing.
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        data["text/plain"] = repr(self)
        if "image/svg+xml" in data and words:
            # Names in several drawings of a page would meet; in a picture they are its own.
            drawing = b64encode(data["image/svg+xml"].encode()).decode()
            data["text/html"] = f'<img alt="" src="data:image/svg+xml;base64,{drawing}">'
        if "text/html" in data:
            data["text/html"] = words + data["text/html"]
        return bundle


def moving(console: Console) -> bool:
    """True where lines can be drawn over: at a terminal, but not in a cell of a notebook.

    Cells give commands a terminal, and show what moves the cursor as it is. Jupyter sets this
    variable for kernels, and so for what they start.
    """
    return not QUIET and console.is_terminal and "JPY_PARENT_PID" not in os.environ


@contextmanager
def progress_line(
    doing: str, unit: str, total: float | None = None
) -> Iterator[Callable[..., None]]:
    """Shows how far something is and the time left; call it with what is done, and the total.

    It shows nothing where there is neither a terminal nor a notebook.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=sys.stderr, highlight=False, markup=False)
    bar = Progress(
        TextColumn(doing),
        BarColumn(),
        TextColumn("{task.completed:.4g} of {task.total:g} " + f"{unit}, about"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
        console=console,
        transient=True,
        disable=QUIET or not (moving(console) or console.is_jupyter),
    )
    task = bar.add_task("", total=total or 1)
    with bar:
        yield lambda done, total=total: bar.update(task, completed=done, total=total)
