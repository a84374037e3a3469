"""Contents of a drawing: the data of charts, the words of figures; and what may never happen."""

from __future__ import annotations

import json

from matplotlib.figure import Figure
from matplotlib.text import Text


def datasets(chart):
    """The data of the chart, which has to be valid, set by set."""
    found = []

    def search(node):
        if isinstance(node, dict):
            if isinstance(node.get("values"), str):
                found.append(json.loads(node["values"]))
            for child in node.values():
                search(child)
        elif isinstance(node, list):
            for child in node:
                search(child)

    search(chart.to_dict(validate=True))
    return found


def values(chart, **which):
    """Rows of the chart's data that have these values."""
    rows = [row for rows in datasets(chart) for row in rows]
    return [row for row in rows if all(row.get(key) == value for key, value in which.items())]


def words(drawing):
    """Everything that is written in a chart's data or on a figure."""
    if isinstance(drawing, Figure):
        return "\n".join(text.get_text() for text in drawing.findobj(Text))
    return json.dumps(drawing.to_dict(validate=False), ensure_ascii=False)


def draws(*drawings):
    """That drawings can be drawn, and show something."""
    for drawing in drawings:
        if isinstance(drawing, Figure):
            drawing.draw_without_rendering()
            assert any(text.get_text().strip() for text in drawing.findobj(Text))
        else:
            assert values(drawing)
