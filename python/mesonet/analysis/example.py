"""Finished campaigns that come with the package: what the manual and the tests analyse.

The first is the study `pocket`: Reno, Scalable TCP and Compound TCP under the 32 conditions of a
2^(6-1) design, one replicate, on a hundredth of a national network. The second, "mixed", is for
what compares flows inside one network: half of the sources use BIC, CTCP, H-TCP or Scalable TCP,
the other half Reno, under 8 conditions. `tools/manual/example_campaign.py` made them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

import polars as pl


@dataclass(frozen=True)
class ExampleCampaign:
    """Campaign for trying the analyses, with the labels that figures need.

    Attributes:
        frame: One row per run: `condition`, `alternative`, `replicate`, `seed`, a column of -1/+1
            per factor and its level as text (`speed_level`), a column per response.
        factors: Columns of the factors.
        responses: Columns of the responses. Some were never defined, as in any campaign: no
            queue was watched for `utilization`, no files of the sizes of `g1` to `g13` were sent.
        alternatives: Labels of the algorithms.
        baseline: The alternative that the others are compared with.
        generators: Generators of the factors beyond the basic ones.
        factor_names: Column to (label, low level, high level), as `mesonet.figures.Names` takes.
        response_names: Identifier to (name, unit), as `mesonet.figures.Names` takes.
        better: Identifier to "higher" or "lower", where one of them is better.
        title: Title of the campaign.
        question: Question that the campaign was to answer.
        origin: The commands that made it.
    """

    frame: pl.DataFrame
    factors: tuple[str, ...]
    responses: tuple[str, ...]
    alternatives: tuple[str, ...]
    baseline: str
    generators: Mapping[str, str]
    factor_names: Mapping[str, tuple[str, str, str]]
    response_names: Mapping[str, tuple[str, str]]
    better: Mapping[str, str]
    title: str
    question: str
    origin: str


@cache
def example_campaign(name: Literal["pocket", "mixed"] = "pocket") -> ExampleCampaign:
    """A bundled campaign.

    >>> campaign = example_campaign()
    >>> campaign.frame.height, len(campaign.factors), len(campaign.responses)
    (96, 6, 87)
    >>> campaign.alternatives
    ('Reno', 'Scalable', 'CTCP')
    >>> example_campaign("mixed").alternatives
    ('BIC', 'CTCP', 'HTCP', 'Scalable')
    """
    folder = resources.files("mesonet") / "data"
    file_name = {"pocket": "example-campaign", "mixed": "example-mixed"}[name]
    about = json.loads((folder / f"{file_name}.json").read_text(encoding="utf-8"))
    with (folder / f"{file_name}.parquet").open("rb") as file:
        frame = pl.read_parquet(file)
    factors, responses = about["factors"], about["responses"]
    return ExampleCampaign(
        frame=frame,
        factors=tuple(factor["name"] for factor in factors),
        responses=tuple(response["id"] for response in responses),
        alternatives=tuple(about["alternatives"]),
        baseline=about["baseline"],
        generators=about["generators"],
        factor_names={
            factor["name"]: (factor["label"], factor["low"], factor["high"]) for factor in factors
        },
        response_names={
            response["id"]: (response["name"], response["unit"]) for response in responses
        },
        better={
            response["id"]: response["better"]
            for response in responses
            if response["better"] != "neither"
        },
        title=about["title"],
        question=about["question"],
        origin=about["made"],
    )
