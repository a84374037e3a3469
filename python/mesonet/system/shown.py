"""Showing things in notebooks: their picture, what to know of it, or a table."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any, ClassVar

from mesonet.errors import MesonetError
from mesonet.lazy import above


class Shown:
    """Something that a notebook shows as a picture, or as a table where nothing draws it."""

    drawn_by: ClassVar[str] = ""
    """Function that draws it, of a layer above; empty where none does."""

    def plot(self) -> Any:
        """The picture as an Altair chart; `None` where nothing draws it."""
        return above(self.drawn_by)(self) if self.drawn_by else None

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
        above = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
        if chart is None:
            table = self.table_html()
            html = {"text/html": above + table} if above or table else {}
            return {"text/plain": repr(self), **html}
        bundle = chart._repr_mimebundle_(**chosen)
        # Altair adds metadata for some ways of drawing.
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        data["text/plain"] = repr(self)
        if "text/html" in data:
            data["text/html"] = above + data["text/html"]
        return bundle
