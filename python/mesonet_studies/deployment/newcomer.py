"""Results on one newcomer: effects and their families, and the parts of sentences about them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from mesonet.figures import percent
from mesonet_studies.deployment.cohorts import FILES
from mesonet_studies.deployment.game import Step, outlook
from mesonet_studies.deployment.outcomes import Family, Outcomes, at


@dataclass(frozen=True)
class Newcomer:
    """Deployment of one newcomer in the place of the incumbent.

    `end` is that of the identifiers of its charts and tables, `outcomes` are those of the runs;
    sentences say where replicates are fewer than planned.
    """

    name: str
    incumbent: str
    end: str
    outcomes: Outcomes
    conditions: Mapping[int, str]
    replicates: int

    def rows(self, frame: pl.DataFrame, **where: object) -> pl.DataFrame:
        """Rows of this newcomer."""
        return frame.filter(newcomer=self.name, **where)

    def gains(self, who: str) -> pl.DataFrame:
        """Goodput of some sources over what they got before, less 1."""
        rows = self.rows(self.outcomes.ratios, who=who, measure="goodput")
        return rows.with_columns(pl.col("mean", "lower", "upper") - 1)

    @cached_property
    def switching(self) -> Family:
        """Gains of those who switch: all steps, conditions and kinds of file."""
        return Family(self.gains("switchers"))

    @cached_property
    def harmed(self) -> Family:
        """Harm to the goodput of those who stay."""
        return Family(self.rows(self.outcomes.harm, measure="goodput"))

    @cached_property
    def slowed(self) -> Family:
        """Harm to the completion times of those who stay."""
        return Family(self.rows(self.outcomes.harm, measure="duration"))

    @cached_property
    def switched(self) -> Family:
        """Gains where all have switched."""
        return Family(self.gains("adopters").filter(percent=100))

    def steps(self, condition: int, file: str) -> list[Step]:
        """Steps of the gain in goodput of those who switch; p for all steps of `switching`."""
        rows = self.switching.frame.filter(condition=condition, file=file).sort("percent")
        return [
            Step(
                row["before"] / 100,
                row["percent"] / 100,
                **{name: row[name] for name in ("lower", "upper", "p_holm", "n")},
                gain=row["mean"],
            )
            for row in rows.to_dicts()
        ]

    def few(self, n: float) -> str:
        """The number of replicates if it is smaller than planned, else nothing."""
        return f"from n = {n:.0f} replicate{'s' * (n != 1)}" if n < self.replicates else ""

    def interval(self, row: Mapping[str, float], *, signed: bool = True) -> str:
        """A part with its interval, in percent, and its replicates if they are few."""
        mean, *ends = (percent(row[name], signed=signed) for name in ("mean", "lower", "upper"))
        texts = [] if math.isnan(row["lower"]) else [" to ".join(ends)]
        texts += [few] if (few := self.few(row["n"])) else []
        return f"{mean} ({', '.join(texts)})" if texts else mean

    def thin(self, family: Family) -> str:
        """A sentence on the cells of a family with too few replicates, or nothing."""
        few = family.thinner_than(self.replicates)
        if not few:
            return ""
        verb = "rests" if few == 1 else "rest"
        return (
            f" {few} of the {family.size} cells {verb} on fewer than {self.replicates} replicates."
        )

    def worst_harm(self) -> Mapping[str, object] | None:
        """The most harm that is certain, or else whose interval excludes zero; `file` in words."""
        certain = self.harmed.above(certain=True)
        among = self.harmed.above() if certain.is_empty() else certain
        worst = among.sort("mean", descending=True)
        if worst.is_empty():
            return None
        row = worst.row(0, named=True)
        return row | {"file": FILES[row["file"]]}

    def slowdowns(self) -> str:
        """Harm to completion times by kind of file: mean, least and most over all cells."""
        parts = []
        for file, words in FILES.items():
            values = self.slowed.cells.filter(file=file)["mean"].drop_nans()
            if len(values):
                numbers = (values.mean(), values.min(), values.max())
                mean, low, high = (percent(float(value)) for value in numbers)  # type: ignore[arg-type]
                parts.append(f"{words} {mean} (cells from {low} to {high})")
        return ", ".join(parts) or "unknown"

    def starved(self) -> Mapping[str, Mapping[str, float]]:
        """Parts that starve: at most of those who stay, before anybody switched, after all have.

        Nothing without any run.
        """
        rows = self.rows(self.outcomes.starved, who="incumbent").filter(pl.col("percent") > 0)
        if rows.is_empty():
            return {}
        worst = rows.sort("mean", descending=True).row(0, named=True)
        here = {"newcomer": self.name, "condition": worst["condition"]}
        before = at(self.outcomes.starved, percent=0, who="incumbent", **here)
        after = at(self.outcomes.starved, percent=100, who="newcomer", **here)
        return {"most": worst, "before": before, "after": after}

    def losses_and_delays(self) -> str:
        """Losses and queueing delays of each condition, before and after."""
        parts = []
        for number, words in self.conditions.items():
            here = {"newcomer": self.name, "condition": number}
            loss, delay = (
                [at(self.outcomes.network, percent=p, measure=measure, **here) for p in (0, 100)]
                for measure in ("loss", "queueing")
            )
            few = self.few(min(row["n"] for row in (*loss, *delay)))
            losses = " → ".join(percent(row["mean"], signed=False) for row in loss)
            delays = " → ".join(f"{1000 * row['mean']:.3g}" for row in delay)
            parts.append(
                f"{words}: losses {losses}, mean queueing delay {delays} ms{few and f' ({few})'}"
            )
        return "; ".join(parts)

    def outlooks(self, *, certain: bool) -> str:
        """Outlooks of deployment, with the conditions and files that each applies to."""
        cells: dict[str, list[str]] = {}
        for (number, file), cell in self._cells().items():
            expected = outlook(self.steps(number, file), certain=certain)
            if expected.decided:
                cells.setdefault(expected.words(), []).append(cell)
        return " ".join(
            f"{words[0].upper()}{words[1:]}: {', '.join(of)}." for words, of in cells.items()
        )

    def listed(self, cells: pl.DataFrame) -> str:
        """Effects with the cells that they were found in."""
        rows = {(row["condition"], row["file"]): row for row in cells.to_dicts()}
        return (
            ", ".join(
                f"{FILES[file]} {percent(rows[number, file]['mean'])} ({self.conditions[number]}"
                f"{(few := self.few(rows[number, file]['n'])) and f', {few}'})"
                for number, file in self._cells()
                if (number, file) in rows
            )
            or "nothing"
        )

    def vain(self) -> str:
        """Cells in which the last to switch still gain, and yet nothing is left of it."""
        gained = set(self.switched.above().select("condition", "file").iter_rows())
        return ", ".join(
            words
            for cell, words in self._cells().items()
            if cell not in gained and outlook(self.steps(*cell)).universal
        )

    def _cells(self) -> dict[tuple[int, str], str]:
        """Conditions and kinds of file, in words."""
        return {
            (number, file): f"{words} ({condition})"
            for number, condition in self.conditions.items()
            for file, words in FILES.items()
        }
