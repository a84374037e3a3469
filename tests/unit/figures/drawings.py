"""Contents of charts: their data and words."""

import json


def datasets(chart):
    """The data of the chart, which has to be valid, set by set."""
    sets = []

    def search(node):
        if isinstance(node, dict):
            if isinstance(node.get("values"), str):
                sets.append(json.loads(node["values"]))
            for child in node.values():
                search(child)
        elif isinstance(node, list):
            for child in node:
                search(child)

    search(chart.to_dict(validate=True))
    return sets


def values(chart, **which):
    """Rows of the chart's data that have these values."""
    rows = [row for rows in datasets(chart) for row in rows]
    return [row for row in rows if all(row.get(key) == value for key, value in which.items())]


def words(chart):
    """Everything that is written in a chart's data."""
    return json.dumps(chart.to_dict(validate=False), ensure_ascii=False)


def draws(*charts):
    """That charts can be drawn, and show something."""
    for chart in charts:
        assert values(chart)
