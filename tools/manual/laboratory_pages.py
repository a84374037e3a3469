"""Writes the pages of laboratories in docs/reference from the descriptions of their fields."""

from __future__ import annotations

import inspect
from pathlib import Path as File
from typing import NamedTuple

from field_texts import FieldText, field_texts
from pydantic import BaseModel
from templating import environment

from mesonet.scenario.applications import Call, Rpc, Trace, Video, Web
from mesonet.scenario.custom import Custom, CustomFlow, CustomLink
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.flows import Flow
from mesonet.scenario.link import PacketSizes
from mesonet.scenario.named_paths import named_paths
from mesonet.scenario.parking_lot import ParkingLot
from mesonet.scenario.path import DelayChange, JitterChange, LossChange, Path, Reordering, Switch
from mesonet.scenario.path_models import Cellular, DelayWalk, GilbertElliott, Leo, Wifi
from mesonet.scenario.rate_changes import RateChange

PAGES = File(__file__).resolve().parents[2] / "docs" / "reference"


class _Table(NamedTuple):
    """A section of a page: a model's fields, or those that it declares itself."""

    title: str
    text: str
    model: type[BaseModel]
    own: bool = False

    def rows(self) -> list[FieldText]:
        rows, declared = field_texts(self.model), inspect.get_annotations(self.model)
        return [row for row in rows if row.name in declared] if self.own else rows


_DUMBBELL = (
    _Table("The scenario", "Where no default stands, the meaning says what counts.", Dumbbell),
    _Table(
        "A flow",
        "An entry of `flows`: a table in a file, `mesonet.flow(...)` in Python, or the name of "
        "an algorithm alone.",
        Flow,
    ),
    *(
        _Table(
            f"The application `{model.__name__.lower()}`",
            f"{model.__doc__} [Applications](../models/applications.md) has the rules.",
            model,
        )
        for model in (Rpc, Web, Video, Call, Trace)
    ),
    _Table(
        "A change of the rate",
        'An entry of `rate_changes`; a pair such as `["10 s", "5 Mbit/s"]` is short for it. '
        "[Links that vary](../howto/varying-links.md) has examples.",
        RateChange,
    ),
    _Table(
        "A path",
        "The tables `path` and `reverse_path`. [Links that vary](../howto/varying-links.md"
        "#a-path-like-mine) has examples, and [Paths](../models/paths.md) the models.",
        Path,
    ),
    *(
        _Table(title, "An entry of its list; a pair is short for the time and the value.", entry)
        for title, entry in (
            ("A change of the delay", DelayChange),
            ("A change of the jitter", JitterChange),
            ("A change of the loss", LossChange),
            ("A switch", Switch),
        )
    ),
    _Table("Reordering", "The table `path.reordering`: either a delay or a depth.", Reordering),
    *(
        _Table(
            f'The model "{name}"',
            "The table `path.model`, whose name alone has the defaults.",
            model,
        )
        for name, model in (
            ("gilbert_elliott", GilbertElliott),
            ("cellular", Cellular),
            ("leo", Leo),
            ("delay_walk", DelayWalk),
            ("wifi", Wifi),
        )
    ),
    _Table(
        "Packet sizes",
        "The table `packet`, in bytes. For `transport`, see [TCP profiles]"
        "(parameters.md#tcp-profiles).",
        PacketSizes,
    ),
)
_TOPOLOGIES = (
    _Table(
        "A parking lot",
        "`parking_lot(...)` puts bottlenecks in a row. Each is what the keys of a dumbbell say.",
        ParkingLot,
        own=True,
    ),
    _Table(
        "A custom network",
        "`custom(...)` has named hosts. Packets take the way of least delay; of those the one of "
        "fewest links; of those the one of the links that stand first.",
        Custom,
        own=True,
    ),
    _Table(
        "A link of a custom network",
        "An entry of `links`: a table in a file, a dictionary in Python. Every key of a dumbbell's "
        "link belongs here, too: `rate`, `loss`, `queue`, `half_duplex` and so on.",
        CustomLink,
        own=True,
    ),
    _Table(
        "A flow of a custom network",
        "An entry of `flows`, with the keys of [a flow of a dumbbell](dumbbell.md#a-flow). Its "
        "`rtt` is that of its links unless given; the rest of a longer one is at its hosts.",
        CustomFlow,
        own=True,
    ),
)


def pages() -> dict[str, str]:
    """The pages as Markdown, by the name of their file."""
    tables = {"dumbbell.md": _DUMBBELL, "topologies.md": _TOPOLOGIES}
    return {
        name: environment()
        .get_template(f"{name}.j2")
        .render(
            tables=[(it.title, it.text, it.rows()) for it in parts],
            paths=named_paths(),
        )
        for name, parts in tables.items()
    }


if __name__ == "__main__":
    for name, page in pages().items():
        (PAGES / name).write_text(page, encoding="utf-8")
