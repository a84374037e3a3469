"""Sentences of the summary of a campaign, and the tables that their numbers stand in."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from mesonet.analysis.condition_summary import ConditionSummary, condition_summary
from mesonet.analysis.describe import congestion
from mesonet.analysis.effects import MainEffects
from mesonet.analysis.frames import alternatives
from mesonet.analysis.missing import MissingRuns
from mesonet.analysis.multiplicity import METHOD_NAMES
from mesonet.analysis.paired import PairedDifferences, paired_differences
from mesonet.analysis.ranks import rank_matrix
from mesonet.analysis.sentences import Sentence, SentenceBuilder


class SummaryBuilder:
    """Makes the tables of a summary and, from them, its sentences."""

    def __init__(
        self,
        frame: pl.DataFrame,
        baseline: str,
        better: Mapping[str, str],
        names: Mapping[str, str],
        alpha: float,
        missing: MissingRuns | None,
    ) -> None:
        self.missing = missing
        self.frame, self.baseline, self.better = frame, baseline, better
        self.names, self.alpha = names, alpha
        self.labels = alternatives(frame)
        self.tables: dict[str, pl.DataFrame] = {}
        self.notes: list[str] = []

    def campaign(self) -> Iterator[Sentence]:
        """Yields what was run, and what is missing."""
        conditions = self.frame["condition"].n_unique()
        replicates = self.frame["replicate"].n_unique()
        full = conditions * len(self.labels) * replicates
        missing = full - self.frame.height if self.missing is None else self.missing.missing
        numbers = {
            "runs": self.frame.height,
            "missing": missing,
            "planned": full if self.missing is None else self.missing.planned,
            "failed": 0 if self.missing is None else self.missing.failed,
            "conditions": conditions,
            "alternatives": len(self.labels),
            "replicates": replicates,
        }
        self.tables["campaign"] = pl.DataFrame([numbers])
        builder = SentenceBuilder(self.tables, "campaign")
        runs = builder.count("campaign", 0, "runs", "run")
        under = builder.count("campaign", 0, "conditions", "condition")
        of = builder.count("campaign", 0, "alternatives", "alternative")
        yield builder.build(f"{runs} of {of} ({', '.join(self.labels)}) under {under}.")
        if missing:
            builder = SentenceBuilder(self.tables, "campaign")
            text = self._missing(builder, "is" if missing == 1 else "are")
            yield builder.build(f"{text}; what follows leaves that out.", loud=True)
        builder = SentenceBuilder(self.tables, "campaign")
        each = builder.count("campaign", 0, "replicates", "replicate")
        if replicates == 1:
            yield builder.build(
                f"There is {each} of each condition and alternative: what follows rests on how "
                "results vary across conditions, and says nothing of chance within one.",
                loud=True,
            )
        else:
            most = "" if self.frame.height == full else "up to "
            yield builder.build(f"There are {most}{each} of each condition and alternative.")

    def _missing(self, builder: SentenceBuilder, verb: str) -> str:
        """Number of missing runs, and their places as far as these are known."""
        found = self.missing
        if found is None:
            return f"{builder.count('campaign', 0, 'missing', 'run')} {verb} missing"
        self.tables["missing"] = found.frame
        missing, planned = (builder.whole("campaign", 0, name) for name in ("missing", "planned"))
        failed = f" ({builder.whole('campaign', 0, 'failed')} failed)" if found.failed else ""
        where = found.where(lambda row: builder.whole("missing", row, "runs"))
        return f"{missing} of {planned} planned runs {verb} missing{failed}: {where}"

    def congestion(self, response: str) -> Iterator[Sentence]:
        """Yields between what congestion lies over the conditions."""
        order = congestion(self.frame, response=response).conditions
        self.tables["congestion"] = order
        known = order.drop_nulls("value")
        if known.is_empty():
            self.notes.append(f"{response} is undefined everywhere, so conditions have no order.")
            return
        builder, last = SentenceBuilder(self.tables, "congestion"), known.height - 1
        if known["value"][0] == known["value"][last]:
            value = builder.number("congestion", 0, "value")
            where = ""
            if last:
                count = builder.count("congestion", last, "position", "condition")
                where = f" under all {count}"
            yield builder.build(f"{self._upper(response)} is {value}{where}.")
            return
        low, high = (builder.number("congestion", row, "value") for row in (0, last))
        at_low, at_high = (builder.whole("congestion", row, "condition") for row in (0, last))
        yield builder.build(
            f"{self._upper(response)} goes from {low} (condition {at_low}) to {high} "
            f"(condition {at_high})."
        )

    def paired(self, made: PairedDifferences | None) -> Iterator[Sentence]:
        """Yields how the alternatives do against the baseline."""
        if len(self.labels) < 2 or not self.better:
            self.notes.append(
                "Nothing is compared: "
                + (
                    "there is one alternative."
                    if len(self.labels) < 2
                    else "no response has a better side."
                )
            )
            return
        result = made or paired_differences(
            self.frame, response=list(self.better), baseline=self.baseline
        )
        table = result.frame
        self.tables["paired"] = table
        verdicts = [self._verdict(table, label) for label in self.labels if label != self.baseline]
        self.tables["verdicts"] = pl.DataFrame(verdicts)
        for place, row in enumerate(verdicts):
            yield from self._compared(place, row, result)

    def _side(self, row: Mapping[str, Any]) -> str:
        """Verdict on an alternative in one response: better, worse, open, or "" where undefined."""
        known = row["p_holm"] is not None and not math.isnan(row["p_holm"])
        if not known or row["response"] not in self.better:
            return ""
        if row["p_holm"] >= self.alpha:
            return "open"
        up = self.better[row["response"]] == "higher"
        return "better" if (row["difference"] > 0) == up else "worse"

    def _verdict(self, table: pl.DataFrame, label: str) -> dict[str, Any]:
        mine = table.filter(pl.col("alternative") == label).iter_rows(named=True)
        sides = [self._side(row) for row in mine]
        counts = {side: sides.count(side) for side in ("better", "worse", "open")}
        return {"alternative": label, "judged": sum(counts.values()), **counts}

    def _compared(
        self, place: int, row: Mapping[str, Any], result: PairedDifferences
    ) -> Iterator[Sentence]:
        label, unit = row["alternative"], result.unit
        if not row["judged"]:
            pairs = result.blocks.filter(alternative=label)["replicates"].to_list()
            copies = unit == "replicate" and max(pairs, default=0) > 1
            why = (
                "all replicates are equal and count as a single pair of runs."
                if copies
                else f"fewer than two {unit}s have values of both."
            )
            self.notes.append(f"{label} cannot be judged against {self.baseline}: {why}")
            return
        builder = SentenceBuilder(self.tables, "paired")
        good, bad, judged = (
            builder.whole("verdicts", place, column) for column in ("better", "worse", "judged")
        )
        yield builder.build(
            f"Against {self.baseline}, {label} is better on {good} and worse on {bad} of {judged} "
            f"responses (p adjusted by Holm below {self.alpha:g})."
        )
        if row["open"]:
            builder = SentenceBuilder(self.tables, "paired")
            left = builder.whole("verdicts", place, "open")
            yield builder.build(
                f"On {left} of them no difference is shown, which is not to say that there is none."
            )
        for side in ("better", "worse"):
            yield from self._clearest(label, side, result)
        yield from self._consistent(label, unit)

    def _clearest(self, label: str, side: str, result: PairedDifferences) -> Iterator[Sentence]:
        table = self.tables["paired"]
        rows = [
            (abs(row["t"]), -place)
            for place, row in enumerate(table.iter_rows(named=True))
            if row["alternative"] == label and self._side(row) == side
        ]
        if not rows:
            return
        place = -max(rows)[1]
        row = table.row(place, named=True)
        builder = SentenceBuilder(self.tables, "paired")
        known = math.isfinite(row["relative"])
        write, prefix = (builder.percent, "relative") if known else (builder.number, "difference")
        low, high = ("relative_lower", "relative_upper") if known else ("lower", "upper")
        middle = write("paired", place, prefix)
        ends = [write("paired", place, column) for column in (low, high)]
        p, n = (
            builder.p("paired", place, "p_holm"),
            builder.count("paired", place, "n", result.unit),
        )
        yield builder.build(
            f"{label} is most clearly {side} on {self._lower(row['response'])}: {middle} "
            f"({100 * result.confidence:g} % interval {ends[0]} to {ends[1]}) against "
            f"{self.baseline}, p {p}, over {n}."
        )

    def _consistent(self, label: str, unit: str) -> Iterator[Sentence]:
        """Responses whose direction is certain though the mean difference is not."""
        found = [
            (row["wilcoxon_holm"], place, row)
            for place, row in enumerate(self.tables["paired"].iter_rows(named=True))
            if row["alternative"] == label
            and self._side(row) == "open"
            and (row["wilcoxon_holm"] or math.nan) < self.alpha
        ]
        if not found:
            return
        _, place, row = min(found, key=lambda one: one[:2])
        up = row["above"] >= row["below"]
        builder = SentenceBuilder(self.tables, "paired")
        mostly = builder.whole("paired", place, "above" if up else "below")
        rarely = builder.whole("paired", place, "below" if up else "above")
        p = builder.p("paired", place, "wilcoxon_holm")
        yield builder.build(
            f"With {label}, {self._lower(row['response'])} is {'higher' if up else 'lower'} than "
            f"with {self.baseline} in {mostly} {unit}s and {'lower' if up else 'higher'} in "
            f"{rarely} (signed-rank test, p {p}), though a few {unit}s dominate the mean "
            "difference and leave its size uncertain."
        )

    def ranks(self) -> Iterator[Sentence]:
        """Yields who ranks highest and lowest."""
        if len(self.labels) < 2 or not self.better:
            return
        ranks = rank_matrix(self.frame, response=list(self.better), better=self.better)
        table = ranks.summary.sort("mean", descending=True, nulls_last=True, maintain_order=True)
        self.tables["ranks"] = table
        if table["mean"].null_count():
            self.notes.append("Not every alternative has a rank.")
            return
        builder, last = SentenceBuilder(self.tables, "ranks"), table.height - 1
        if table["mean"][0] == table["mean"][last]:
            mean, of = (
                builder.number("ranks", 0, "mean"),
                builder.whole("campaign", 0, "alternatives"),
            )
            yield builder.build(
                "Over all judged responses and conditions nobody ranks above another (mean "
                f"{mean} of {of})."
            )
            return
        best, sd = builder.number("ranks", 0, "mean"), builder.number("ranks", 0, "sd")
        worst, of = (
            builder.number("ranks", last, "mean"),
            builder.whole("campaign", 0, "alternatives"),
        )
        yield builder.build(
            f"Over all judged responses and conditions {table['alternative'][0]} ranks highest "
            f"(mean {best} of {of}, standard deviation {sd}) and "
            f"{table['alternative'][last]} lowest (mean {worst})."
        )

    def outliers(
        self, responses: Sequence[str], made: ConditionSummary | None
    ) -> Iterator[Sentence]:
        """Yields how many outliers there are, and who is one most often."""
        if len(self.labels) < 3:
            self.notes.append("Grubbs' test for outliers needs three alternatives.")
            return
        found = made or condition_summary(self.frame, responses=responses, alpha=self.alpha)
        if not found.tested:
            self.notes.append("No cell could be tested for outliers.")
            return
        table = found.counts.sort("outliers", descending=True, maintain_order=True)
        self.tables["outliers"] = table.with_columns(
            all=pl.col("outliers").sum(), tested=found.tested, by_chance=found.expected
        )
        builder = SentenceBuilder(self.tables, "outliers")
        tested = builder.count("outliers", 0, "tested", "cell")
        every = builder.whole("outliers", 0, "all")
        text = f"Of {tested} of condition and response Grubbs' test calls {every} an outlier"
        if found.adjust == "none":
            by_chance = builder.number("outliers", 0, "by_chance")
            text += f", without adjustment: chance alone gives about {by_chance}"
        else:
            text += f", adjusted by {METHOD_NAMES[found.adjust]}"
        if table["outliers"][0]:
            most = builder.whole("outliers", 0, "outliers")
            text += f". Most often it is {table['alternative'][0]}: {most} of them"
        yield builder.build(f"{text}.")

    def influence(self, effects: MainEffects) -> Iterator[Sentence]:
        """Yields the factors with the widest influence."""
        table = effects.influence.sort(
            "influence", descending=True, nulls_last=True, maintain_order=True
        )
        self.tables["influence"] = table
        top = table["influence"][0] if table.height else None
        if top is None or not math.isfinite(top) or top <= 0:
            self.notes.append("No factor has a significant effect on any response.")
            return
        builder = SentenceBuilder(self.tables, "factors")
        # Of factors with equal influence the plan's order would choose one.
        first = [row for row in range(table.height) if table["influence"][row] == top]
        found = [
            f"{self._lower(table['factor'][row])}: significant at p < 0.01 on "
            f"{builder.whole('influence', row, 'at_1_percent')} and at p < 0.05 on another "
            f"{builder.whole('influence', row, 'at_5_percent')} of "
            f"{builder.count('influence', row, 'responses', 'response')}"
            for row in first
        ]
        if len(found) == 1:
            yield builder.build(f"The factor with the widest influence is {found[0]}.")
        else:
            equal = "The factors with the widest influence, equally, are "
            yield builder.build(equal + "; ".join(found) + ".")

    def _lower(self, name: str) -> str:
        return self.names.get(name, name)

    def _upper(self, name: str) -> str:
        text = self._lower(name)
        return text[:1].upper() + text[1:]
