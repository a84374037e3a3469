"""Tables of the paper; effects of twenty factors, their influence, and clusters of responses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl

from mesonet.analysis import MainEffects, correlations, influence, main_effects, response_clusters
from mesonet.analysis.effects.estimate import Method
from mesonet.studies import RunResults, once


def rows_of(name: str) -> list[dict[str, Any]]:
    """Rows of a table of the folder."""
    return pl.read_csv(Path(__file__).with_name(name)).to_dicts()


ALTERNATE = "ctcp:nist"
"""The algorithm that the paper mixes with standard TCP."""
PERIOD = 2
"""The period that Table 7 and figure 10 show."""
FACTORS = {row["number"]: row for row in rows_of("factors.csv")}
"""Factors by the paper's number, with their numbers in the study's slides, printed levels, and the
influence that the paper's prose gives them."""
NAMES = tuple(row["name"] for row in FACTORS.values())
RESPONSES = {row["symbol"]: row for row in rows_of("responses.csv")}
"""Macroscopic responses of Table 6, with our names, units, and factors from our units."""
SAMPLE = {row["symbol"]: row for row in rows_of("sample.csv")}
"""Tables 3 and 4's sample of responses, from which the paper forms seven clusters."""
TABLE_7 = rows_of("table-7.csv")
"""Significant effects of Table 7 whose column is clear. It has lost the lines between its columns
in the text at hand; they were recovered from the blanks that it kept, and one row, which the prose
names, agrees. Effects whose column stays in doubt are in `unplaced.csv`."""
MAIN, LESSER, REST = (
    [number for number, row in FACTORS.items() if row["influence"] == group]
    for group in ("main", "lesser", "little or none")
)


def effects_in(frame: pl.DataFrame, period: int, *, method: Method = "two-sample") -> MainEffects:
    """Effects of the factors on the 18 macroscopic responses in a period, in printed units.

    The paper tests the difference of two means.
    """
    columns = {name: f"{row['response']}@{period}" for name, row in RESPONSES.items()}
    printed = renamed(frame, columns).with_columns(
        pl.col(name) * row["factor"] for name, row in RESPONSES.items()
    )
    return main_effects(printed, factors=NAMES, responses=list(RESPONSES), method=method)


def renamed(frame: pl.DataFrame, responses: Mapping[str, str]) -> pl.DataFrame:
    """The frame with responses under other names: new name to column."""
    return frame.select(
        "run", "condition", "alternative", "replicate", "seed", *NAMES,
        *(pl.col(column).alias(name) for name, column in responses.items()),
    )  # fmt: skip


class Findings:
    """Effects and clusters of the runs; clusters are of all conditions and periods together."""

    def __init__(self, frame: pl.DataFrame, *, alternate: str, threshold: float) -> None:
        """`frame` has one row per run; `threshold` is that of the correlations of clusters."""
        sets = {f"period {period}": effects_in(frame, period) for period in (1, 2, 3)}
        self.second = sets[f"period {PERIOD}"]
        self.rows: Mapping[tuple[str, int], Mapping[str, Any]] = {
            (row["response"], number_of(row["factor"])): row for row in self.second.frame.to_dicts()
        }
        """Effects in the second period, by response (Y1 to Y18) and number of the factor."""
        for label, name in (("TCP goodputs", "reno"), (f"{alternate} goodputs", alternate)):
            groups = [f"g{group}:{name}" for group in range(1, 25)]
            sets[label] = main_effects(frame, factors=NAMES, responses=groups, method="two-sample")
        weights = dict(zip(sets, (1 / 6, 1 / 6, 1 / 6, 1 / 4, 1 / 4), strict=True))
        self.influence = influence(sets, weights=weights)
        """Influence over the five sets of responses of Table 8."""
        overall = dict(self.influence.overall.select("factor", "influence").iter_rows())
        self.shares = {
            k: math.nan if (share := overall[row["name"]]) is None else float(share)
            for k, row in FACTORS.items()
        }
        """Weighted influence by number of the factor; NaN if no response had a value."""
        sample = renamed(frame, {name: row["response"] for name, row in SAMPLE.items()})
        self.correlations = correlations(sample, responses=list(SAMPLE))
        self.clusters = response_clusters(self.correlations, threshold=threshold)

    def members(self, response: str) -> set[str]:
        """The cluster of a response; empty if it did not vary."""
        groups = (set(names.split(", ")) for names in self.clusters.clusters["responses"])
        return next((group for group in groups if response in group), set())

    def partners(self, response: str) -> float:
        """Number of others that it is correlated with; NaN if it did not vary."""
        partners = self.clusters.frame.filter(response=response)["partners"]
        return float(partners.item()) if partners.len() else math.nan


@once
def findings(run: RunResults) -> Findings:
    """Effects and clusters of the runs."""
    threshold = run.options.values["correlated"]
    frame = run.campaigns[""].results()
    return Findings(frame, alternate=run.options.chosen[0], threshold=threshold)


def number_of(name: str) -> int:
    """The paper's number of a factor."""
    return NAMES.index(name) + 1


def heading(row: Mapping[str, Any]) -> str:
    """The heading of a factor or a response: its symbol and its words."""
    return f"{row.get('symbol') or 'X' + str(row['number'])} {row['words']}"


def figures(run: RunResults) -> Mapping[str, float]:
    """Figures of the claims, which hold for Compound TCP; numbers of sources at full scale."""
    if run.options.chosen[0] != ALTERNATE:
        return {}
    it = findings(run)
    return {
        **_table_7(it),
        **_figure_10(it, run.options.values["scale"]),
        **_table_8(it.shares),
        **_clusters(it),
    }


def _table_7(it: Findings) -> dict[str, float]:
    effects: dict[str, float] = {}
    for effect in TABLE_7:
        row, name = it.rows[effect["response"], effect["factor"]], effect["id"]
        effects |= {name: row["effect"], f"{name}.relative": row["relative"], f"{name}.p": row["p"]}
    tests = [it.rows[response, 1]["p"] for response in RESPONSES]
    complete = all(math.isfinite(p) for p in tests)
    effects["table-7-speed"] = sum(p < 0.05 for p in tests) if complete else math.nan
    return effects | {"table-7-agreement": _agreement(it)}


def _agreement(it: Findings) -> float:
    """Cohen's kappa of the cells printed and measured, in the rows whose columns are all clear.

    A cell is blank, has one star or two, and a sign (J. Cohen, 1960).
    """
    unclear = {row["response"] for row in rows_of("unplaced.csv")}
    cells = [cell for cell in it.rows if cell[0] not in unclear]
    starred = {(row["response"], row["factor"]): row["sign"] + row["stars"] for row in TABLE_7}
    printed = [starred.get(cell, "") for cell in cells]
    ours = []
    for cell in cells:
        effect, p = it.rows[cell]["effect"], it.rows[cell]["p"]
        stars = "**" if p < 0.01 else "*" if p < 0.05 else ""
        ours.append(("+" if effect > 0 else "-") + stars if stars else "")
    same = fmean(a == b for a, b in zip(printed, ours, strict=True))
    chance = sum(printed.count(a) * ours.count(a) for a in {*printed}) / len(cells) ** 2
    return (same - chance) / (1 - chance)


def _figure_10(it: Findings, scale: float) -> dict[str, float]:
    rows = {k: it.rows["Y2", k] for k in FACTORS}
    size = {k: abs(row["effect"]) for k, row in rows.items()}
    printed = {effect["factor"] for effect in TABLE_7 if effect["response"] == "Y2"}
    return {
        "figure-10-low": rows[1]["low"] / scale,
        "figure-10-high": rows[1]["high"] / scale,
        "figure-10-relative": rows[1]["relative"],
        "least of X7, X12, X13": min(size[k] for k in (7, 12, 13)),
        "most of X4, X5": max(size[k] for k in (4, 5)),
        "figure-10-others": float(sum(rows[k]["p"] < 0.05 for k in FACTORS if k not in printed)),
    }


def _table_8(share: Mapping[int, float]) -> dict[str, float]:
    return {
        "influence of X1": share[1],
        "most of all others": max(share[k] for k in FACTORS if k != 1),
        "least of the main eight": min(share[k] for k in MAIN),
        "most of the other twelve": max(share[k] for k in (*LESSER, *REST)),
        "least of X16, X17": min(share[k] for k in LESSER),
        "most of the other ten": max(share[k] for k in REST),
    }


def _clusters(it: Findings) -> dict[str, float]:
    clusters = it.clusters.clusters
    sizes = clusters["size"].to_list()
    largest = [set(names.split(", ")) for names in clusters["responses"]]
    counts = {
        "clusters-pairs": it.clusters.pairs.height,
        "clusters-count": clusters.height,
        "clusters-largest": clusters["pairs"][0],
        "clusters-second": clusters["pairs"][1] if clusters.height > 1 else 0,
        "clusters-packets": it.members("y3") == {"y3", "y4"},
        "clusters-delay": it.members("y15") == {"y15", "y16"},
        "clusters-f-class": it.members("y18") == {"y18", "y20"},
        "clusters-congestion": sizes[0] > 1 and {"y1", "y2"} <= largest[0],
        "clusters-losses": len(sizes) > 1 and sizes[1] > 1 and {"y5", "y10"} <= largest[1],
    }
    complete = len(it.correlations.responses) == len(SAMPLE)
    return {
        **{name: float(number) if complete else math.nan for name, number in counts.items()},
        "clusters-dd-partners": it.partners("y17"),
        "clusters-completions-partners": it.partners("y6"),
    }
