"""Writes docs/reference/dumbbell.md from the descriptions of the fields of a dumbbell."""

from __future__ import annotations

from pathlib import Path

from field_texts import field_texts
from templating import environment

from mesonet.scenario.applications import Call, Rpc, Trace, Video, Web
from mesonet.scenario.dumbbell import Dumbbell, PacketSizes
from mesonet.scenario.flows import Flow
from mesonet.scenario.rate_changes import RateChange

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "dumbbell.md"

_TABLES = (
    ("The scenario", "Where no default stands, the meaning says what counts.", Dumbbell),
    (
        "A flow",
        (
            "An entry of `flows`: a table in a file, `mesonet.flow(...)` in Python, or the name of "
            "an algorithm alone."
        ),
        Flow,
    ),
    (
        "A change of the rate",
        (
            'An entry of `rate_changes`; a pair such as `["10 s", "5 Mbit/s"]` is short for it. '
            "[Links that vary](../howto/varying-links.md) has examples."
        ),
        RateChange,
    ),
    *(
        (f"`{model.__name__.lower()}`", f"{model.__doc__} An `application` of a flow.", model)
        for model in (Rpc, Web, Video, Call, Trace)
    ),
    (
        "Packet sizes",
        (
            "The table `packet`, in bytes. For `transport`, see [TCP profiles]"
            "(parameters.md#tcp-profiles)."
        ),
        PacketSizes,
    ),
)


def page() -> str:
    """The page as Markdown."""
    tables = [(title, text, field_texts(model)) for title, text, model in _TABLES]
    return environment().get_template("dumbbell.md.j2").render(tables=tables)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
