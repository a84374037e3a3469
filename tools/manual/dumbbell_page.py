"""Writes docs/reference/dumbbell.md from the descriptions of the fields of a dumbbell."""

from __future__ import annotations

from pathlib import Path as File

from field_texts import field_texts
from pydantic import BaseModel
from templating import environment

from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.flows import Flow
from mesonet.scenario.link import PacketSizes
from mesonet.scenario.path import DelayChange, JitterChange, LossChange, Path, Reordering, Switch
from mesonet.scenario.path_models import Cellular, DelayWalk, GilbertElliott, Leo, Wifi
from mesonet.scenario.rate_changes import RateChange

PAGE = File(__file__).resolve().parents[2] / "docs" / "reference" / "dumbbell.md"

_TABLES: tuple[tuple[str, str, type[BaseModel]], ...] = (
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
    (
        "A path",
        (
            "The tables `path` and `reverse_path`. [Links that vary](../howto/varying-links.md"
            "#a-path-like-mine) has examples, and [Paths](../models/paths.md) the models."
        ),
        Path,
    ),
    *(
        (title, "An entry of its list; a pair is short for the time and the value.", entry)
        for title, entry in (
            ("A change of the delay", DelayChange),
            ("A change of the jitter", JitterChange),
            ("A change of the loss", LossChange),
            ("A switch", Switch),
        )
    ),
    ("Reordering", "The table `path.reordering`: either a delay or a depth.", Reordering),
    *(
        (f'The model "{name}"', "The table `path.model`, whose name alone has the defaults.", model)
        for name, model in (
            ("gilbert_elliott", GilbertElliott),
            ("cellular", Cellular),
            ("leo", Leo),
            ("delay_walk", DelayWalk),
            ("wifi", Wifi),
        )
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
