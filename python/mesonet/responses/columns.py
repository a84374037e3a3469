"""Columns of the tables of a run and of a campaign: unit and meaning of each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources

from mesonet.tables.datasets import About

_TABLE = json.loads((resources.files("mesonet") / "data" / "columns.json").read_text("utf-8"))


def _abouts(columns: Mapping[str, tuple[str, str]]) -> dict[str, About]:
    return {name: About(*about) for name, about in columns.items()}


COLUMNS: Mapping[str, Mapping[str, About]] = {
    name: _abouts(columns) for name, columns in _TABLE["run"].items()
}
"""Columns of the tables of a run, by table. Counts are of what happened during an interval."""
CAMPAIGN: Mapping[str, About] = _abouts(_TABLE["campaign"])
"""Columns of the tables of a campaign; those of factors and responses come from its plan."""
