"""The experiment: factors, conditions, and what is confounded with what."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from mesonet.page.tables import table
from mesonet.report.results import Results
from mesonet.report.sections.common import Context, symbol_text


def make(results: Results) -> Context:
    """Factors, the design matrix, generators and aliases; empty without factors."""
    inputs = results.inputs
    if not inputs.factors or results.levels is None:
        return {}
    factors = [
        {
            "name": factor["name"],
            "symbol": symbol_text(factor.get("symbol")),
            "label": factor.get("label") or factor["name"],
            "low": factor.get("low"),
            "high": factor.get("high"),
            "levels": factor.get("levels", ()),
            "cells": _cells(results, factor),
        }
        for factor in inputs.factors
    ]
    labels = {str(factor["name"]): str(factor["label"]) for factor in factors}
    resolution = inputs.design.get("resolution")
    return {
        "factors": factors,
        "two_level": results.two_level or bool(inputs.design.get("centre")),
        "notes": inputs.design.get("notes", ()),
        "conditions": results.levels["condition"].to_list(),
        "table": table("design", results.levels, ()),
        "design": inputs.design,
        "resolution": _roman(resolution),
        "meaning": _meaning(resolution),
        "generators": [
            (labels.get(name, name), _spelled(product, labels))
            for name, product in dict(inputs.design.get("generators", {})).items()
        ],
        "words": [_spelled(word, labels) for word in inputs.design.get("words", ())],
        "partial": [
            (
                _spelled(factor, labels),
                [f"{share:.2g} {_spelled(one, labels)}" for one, share in parts],
            )
            for factor, parts in dict(inputs.design.get("partial_aliases", {})).items()
        ],
        "aliases": [
            (_spelled(effect, labels), [_spelled(other, labels) for other in others])
            for effect, others in dict(inputs.design.get("aliases", {})).items()
        ],
    }


def _cells(results: Results, factor: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Class, content and level in words of a factor's cell, for each condition."""
    assert results.levels is not None
    name = str(factor["name"])
    codes = results.levels[name].to_list()
    texts = (
        [str(factor.get("high") if code > 0 else factor.get("low")) for code in codes]
        if results.two_level or results.level_texts is None
        else results.level_texts[f"{name}_level"].to_list()
    )
    looks = ["high" if code == 1 else "low" if code == -1 else "between" for code in codes]
    signs = {"high": "+", "low": "−"}
    return [
        (look, signs[look] if results.two_level else text, text)
        for look, text in zip(looks, texts, strict=True)
    ]


def _spelled(product: object, labels: dict[str, str]) -> str:
    text = str(product)
    sign = "−" if text.startswith("-") else ""
    return sign + " × ".join(labels.get(name, name) for name in text.lstrip("-").split("*"))


_ROMAN = {3: "III", 4: "IV", 5: "V", 6: "VI", 7: "VII", 8: "VIII"}
_MEANINGS = {
    3: "Main effects are confounded with interactions of two factors: read them with care.",
    4: "No main effect is confounded with another or with an interaction of two factors; some "
    "interactions of two factors are confounded with each other.",
    5: "No main effect or interaction of two factors is confounded with another of them.",
}


def _roman(resolution: object) -> str:
    if not isinstance(resolution, int | float) or math.isinf(resolution):
        return ""
    return _ROMAN.get(int(resolution), str(int(resolution)))


def _meaning(resolution: object) -> str:
    if not isinstance(resolution, int | float):
        return ""
    if math.isinf(resolution):
        return "Every combination of levels is simulated, so nothing is confounded."
    return _MEANINGS.get(min(int(resolution), 5), "")
