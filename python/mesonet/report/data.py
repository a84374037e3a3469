"""The report as data: every sentence, every table with all digits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from mesonet.page.charts import within
from mesonet.page.tables import Table, plain_columns
from mesonet.report.results import Results


def as_json(results: Results, shown: Mapping[str, tuple[Any, Any]]) -> str:
    """The JSON file beside the page.

    Keys: `title`, `question`, `sentences` (`topic`, `text`, `warning`), `summary_tables` (what
    sentences rest on), `sections` (`title` and `tables` of each, or `why` there is none) and
    `provenance`; `stopping`, why the plan's stopping rule ended the campaign, if it has one.
    Tables are lists of columns; numbers that are not finite are null.
    """
    plain = results.plain
    about = {
        "title": results.inputs.title,
        "question": results.inputs.question,
        "sentences": [
            {
                "topic": sentence.topic,
                "text": sentence.text,
                "warning": sentence.loud,
            }
            for sentence in (plain.sentences if plain else ())
        ],
        "summary_tables": {
            name: plain_columns(frame) for name, frame in (plain.tables if plain else {}).items()
        },
        "sections": {
            name: {
                "title": section.title,
                **({"why": why} if (why := _why(content)) else {}),
                "notes": [note for one in content.get("parts", ()) for note in one["notes"]],
                "tables": {
                    one.identifier: plain_columns(one.frame) for one in within(content, Table)
                },
            }
            for name, (section, content) in shown.items()
        },
        "provenance": dict(results.inputs.provenance),
    }
    if results.inputs.stopping is not None:
        about["stopping"] = asdict(results.inputs.stopping)
    return json.dumps(about, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _why(content: Mapping[str, Any]) -> str:
    """Why a section shows nothing; empty if it does."""
    return str(content.get("why") or (content.get("page") or {}).get("why", ""))
