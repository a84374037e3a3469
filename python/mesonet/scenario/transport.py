"""TCP options: profiles from the literature and of Linux, and overrides by name."""

from __future__ import annotations

import math
import tomllib
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field, create_model

from mesonet.scenario.mechanisms import TRANSPORT_OPTIONS
from mesonet.scenario.types import (
    Duration,
    Frozen,
    NonNegativeDuration,
    Number,
    SegmentsOrInf,
    TrueOrFalse,
    WholeNumber,
)

Profile = Literal["mesonet", "rfc", "linux", "linux-4.18", "linux-6.18", "quic"]

_TABLES = tomllib.loads((resources.files("mesonet") / "data" / "profiles.toml").read_text("utf-8"))


def _with_followed(name: str, part: str) -> dict[str, Any]:
    """Options or parameters of a profile, those of the one that it follows included."""
    table = _TABLES[name]
    followed = _with_followed(table["follows"], part) if "follows" in table else {}
    entries = table.get(part, {}).items()
    return followed | {key: None if value == math.inf else value for key, value in entries}


PROFILES: dict[str, dict[str, Any]] = {
    name: _with_followed(name, "options") for name in get_args(Profile)
}
SUMMARIES: dict[str, str] = {name: _TABLES[name]["summary"] for name in PROFILES}
"""Profiles for `mesonet list profiles`."""
PARAMETERS: dict[str, dict[str, dict[str, float]]] = {
    name: _with_followed(name, "parameters") for name in PROFILES
}
"""Parameters of controllers that go with a profile, unless a scenario gives others."""
OFF: dict[str, Any] = {
    option["name"]: option["default"]
    for option in TRANSPORT_OPTIONS
    if option["default"] is not None
}
"""Options that are off unless a profile says otherwise. They stay out of the resolved transport."""
OF_SCENARIOS: tuple[str, ...] = ("initial_window", "initial_ssthresh")
"""Options that are fields of a scenario."""
NEEDS_SACK: tuple[str, ...] = ("prr", "timeout_rule", "sack_compression")
"""Options that a profile has only where the recovery hears of SACKs."""
NEEDS_RACK: tuple[str, ...] = ("undo", "frto", "reo_wnd")
"""Options that a profile has only where the recovery is RACK."""


def _at_most(high: int, segments: float) -> float:
    if high < segments < math.inf:
        message = f'expected at most {high} segments, or "inf", got {segments:.16g}'
        raise ValueError(message)
    return segments


def _type(option: dict[str, Any]) -> Any:
    """Type of an option's values in scenarios."""
    low, high = (
        int(limit) if limit.is_integer() else limit for limit in (option["min"], option["max"])
    )
    match option:
        case {"kind": "word"}:
            return Literal[tuple(option["words"])]
        case {"kind": "switch"}:
            return TrueOrFalse
        case {"optional": True}:
            return Annotated[SegmentsOrInf, AfterValidator(partial(_at_most, high))]
        case {"unit": "s"}:
            return Duration if low > 0 else NonNegativeDuration
        case {"kind": "whole"}:
            return Annotated[WholeNumber, Field(ge=low, le=high)]
    return Annotated[Number, Field(ge=low, le=high)]


_FIELDS: dict[str, Any] = {
    option["name"]: (_type(option) | None, Field(None, description=option["doc"]))
    for option in TRANSPORT_OPTIONS
    if option["name"] not in OF_SCENARIOS
}


# The engine says which fields there are.
class Transport(create_model("Transport", __base__=Frozen, **_FIELDS)):  # type: ignore[misc]
    """Options of the TCP mechanism that differ from the profile; the others are the profile's."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def resolve_transport(
    profile: Profile,
    overrides: Transport,
    initial_window: float | None,
    initial_ssthresh: float | None,
) -> dict[str, Any]:
    """Every option of the transport in SI units; `None` keeps the profile's, `inf` is no limit."""
    values: dict[str, Any] = {name: getattr(overrides, name) for name in Transport.model_fields}
    values |= {"initial_window": initial_window, "initial_ssthresh": initial_ssthresh}
    unfit: tuple[str, ...] = ()
    if overrides.recovery not in (None, "rack"):
        unfit += NEEDS_RACK
    if overrides.recovery not in (None, "sack", "rack"):
        unfit += NEEDS_SACK
    if overrides.restart_window is not None:
        # The scenario says what window a timeout leaves.
        unfit += ("timeout_rule",)
    if overrides.cwnd_validation is False:
        # A rule of validation is no choice of the scenario then.
        unfit += ("validation_rule",)
    options = {name: value for name, value in PROFILES[profile].items() if name not in unfit}
    options |= {name: value for name, value in values.items() if value is not None}
    for name in ("receive_window", "initial_ssthresh", "syn_loss_window"):
        if options[name] == math.inf:
            options[name] = None
    if options["receive_window"] is not None:
        options["receive_window"] = int(options["receive_window"])
    options["initial_window"] = float(options["initial_window"])
    for name, _ in OFF.items() & options.items():
        del options[name]
    return options
