"""National networks from keywords; `mesonet.scenario.keywords` offers them, too."""

from __future__ import annotations

from typing import Any

from mesonet.scenario.fields import takes_fields_of
from mesonet.scenario.internet import Internet


@takes_fields_of(Internet)
def internet(**options: Any) -> Internet:
    """A three-tier national network.

    Raises `ScenarioError` with every problem at once.

    Examples:
        >>> internet(speed="600 p/ms", think_time="2.5 s", algorithms="ctcp").think_time
        2.5
    """
    return Internet.from_dict(options)
