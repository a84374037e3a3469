"""Sentences of the summary of a campaign, and the tables that they rest on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from mesonet.analysis.description.estimate import congestion
from mesonet.analysis.effects.estimate import MainEffects, main_effects
from mesonet.analysis.frames import alternatives
from mesonet.analysis.levels.estimate import LevelMeans
from mesonet.analysis.missing import MissingRuns
from mesonet.analysis.multiplicity import METHOD_NAMES, adjusted
from mesonet.analysis.outliers.estimate import ConditionSummary, condition_summary
from mesonet.analysis.paired.estimate import PairedDifferences, paired_differences
from mesonet.analysis.ranks.estimate import rank_matrix

_ALPHA = 0.05
"""Significance level for an adjusted p."""

_FEW = 2
"""Most degrees of freedom with which a test has next to no power."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Sentence:
    """A sentence of the summary.

    Attributes:
        topic: Subject: "campaign", "missing", "congestion", "paired", "ranks", "outliers",
            "factors".
        text: The sentence.
        loud: True for a warning.
        alternative: Alternative that is judged against the baseline; empty for all others.
    """

    topic: str
    text: str
    loud: bool = False
    alternative: str = ""


@dataclass
class SummaryBuilder:
    """Makes the tables of a summary and, from them, its sentences."""

    frame: pl.DataFrame
    baseline: str
    better: Mapping[str, str]
    names: Mapping[str, str]
    missing: MissingRuns | None
    factors: Sequence[str] = ()
    """Factors of two levels."""

    def __post_init__(self) -> None:
        self.labels = alternatives(self.frame)
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
        runs, under = _count(self.frame.height, "run"), _count(conditions, "condition")
        labels = f"{_count(len(self.labels), 'alternative')} ({', '.join(self.labels)})"
        yield Sentence("campaign", f"{runs} of {labels} under {under}.")
        if missing:
            text = self._missing(missing)
            yield Sentence("missing", f"{text}; what follows leaves that out.", loud=True)
        repeats = _count(replicates, "replicate")
        if replicates == 1:
            text = (
                f"There is {repeats} of each condition and alternative: what follows rests on how "
                "results vary across conditions, and says nothing of chance within one."
            )
            yield Sentence("campaign", text, loud=True)
        else:
            bound = "" if self.frame.height == full else "up to "
            yield Sentence(
                "campaign", f"There are {bound}{repeats} of each condition and alternative."
            )

    def _missing(self, missing: int) -> str:
        """Number of missing runs, and their places as far as these are known."""
        plan, verb = self.missing, "is" if missing == 1 else "are"
        if plan is None:
            return f"{_count(missing, 'run')} {verb} missing"
        self.tables["missing"] = plan.frame
        failed = f" ({plan.failed} failed)" if plan.failed else ""
        return f"{missing} of {plan.planned} planned runs {verb} missing{failed}: {plan.where()}"

    def congestion(self, response: str) -> Iterator[Sentence]:
        """Yields between what congestion lies over the conditions."""
        order = congestion(self.frame, response=response).conditions
        self.tables["congestion"] = order
        ranked = order.drop_nulls("value")
        if ranked.is_empty():
            self.notes.append(f"{response} is undefined everywhere, so conditions have no order.")
            return
        low, high = ranked.row(0, named=True), ranked.row(-1, named=True)
        name = self._upper(response)
        if low["value"] == high["value"]:
            where = f" under all {ranked.height} conditions" if ranked.height > 1 else ""
            yield Sentence("congestion", f"{name} is {low['value']:.3g}{where}.")
            return
        ends = [f"{row['value']:.3g} (condition {row['condition']})" for row in (low, high)]
        yield Sentence("congestion", f"{name} goes from {ends[0]} to {ends[1]}.")

    def paired(self, pairs: PairedDifferences | None) -> Iterator[Sentence]:
        """Yields how the alternatives do against the baseline."""
        if len(self.labels) < 2 or not self.better:
            alone = len(self.labels) < 2
            why = "there is one alternative" if alone else "no response has a better side"
            self.notes.append(f"Nothing is compared: {why}.")
            return
        result = pairs or paired_differences(
            self.frame, response=list(self.better), baseline=self.baseline
        )
        self.tables["paired"] = result.frame
        constant = dict(self._constant(self.better))
        if constant:
            text = f"The same in every run, so not judged: {', '.join(constant.values())}."
            yield Sentence("paired", text)
        verdicts = []
        for label in self.labels:
            if label == self.baseline:
                continue
            pairs_of = result.frame.filter(alternative=label).iter_rows(named=True)
            rows = [row for row in pairs_of if row["response"] not in constant]
            sides: dict[str, list[Row]] = {"better": [], "worse": [], "open": [], "": []}
            for row in rows:
                sides[self._side(row)].append(row)
            counts = {side: len(sides[side]) for side in ("better", "worse", "open")}
            verdicts.append({"alternative": label, "judged": sum(counts.values()), **counts})
            for text in self._compared(label, sides, result) if rows else ():
                yield Sentence("paired", text, alternative=label)
        self.tables["verdicts"] = pl.DataFrame(verdicts)

    def _constant(self, responses: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Responses with one value in all runs, each with its name and that value."""
        for name in responses:
            values = self.frame[name].drop_nulls().unique()
            if len(values) == 1 and self.frame.height > 1 and math.isfinite(values[0]):
                yield name, f"{self._lower(name)} ({values[0]:.3g})"

    def _side(self, row: Row) -> str:
        """Verdict on an alternative in one response: better, worse, open, or "" where undefined."""
        defined = row["p_holm"] is not None and not math.isnan(row["p_holm"])
        if not defined or row["response"] not in self.better:
            return ""
        if row["p_holm"] >= _ALPHA:
            return "open"
        up = self.better[row["response"]] == "higher"
        return "better" if (row["difference"] > 0) == up else "worse"

    def _compared(
        self, label: str, sides: Mapping[str, Sequence[Row]], result: PairedDifferences
    ) -> Iterator[str]:
        better, worse, open_ = (len(sides[side]) for side in ("better", "worse", "open"))
        judged, unit, base = better + worse + open_, result.unit, self.baseline
        if not judged:
            pairs = result.blocks.filter(alternative=label)["replicates"].to_list()
            why = f"fewer than two {unit}s have values of both."
            if unit == "replicate" and max(pairs, default=0) > 1:
                why = "all replicates are equal and count as a single pair of runs."
            self.notes.append(f"{label} cannot be judged against {base}: {why}")
            return
        yield (
            f"Against {base}, {label} is better on {better} and worse on {worse} of {judged} "
            f"responses (p adjusted by Holm below {_ALPHA:g})."
        )
        if open_:
            yield (
                f"On {open_} of them no difference is shown, which is not to say that there is "
                "none."
            )
        for side in ("better", "worse"):
            if not sides[side]:
                continue
            row = min(sides[side], key=lambda row: (row["p"], -abs(row["t"])))
            ends = [f"{row[name]:.3g}" for name in ("difference", "lower", "upper")]
            if math.isfinite(row["relative"]):
                ends = [_percent(row[f"relative{end}"]) for end in ("", "_lower", "_upper")]
            yield (
                f"{label} is most clearly {side} on {self._lower(row['response'])}: {ends[0]} "
                f"({100 * result.confidence:g} % interval {ends[1]} to {ends[2]}) against {base}, "
                f"p {_p(row['p_holm'])}, over {_count(row['n'], unit)}."
            )
            yield from self._where(row, result)

    def _where(self, row: Row, result: PairedDifferences) -> Iterator[str]:
        """Yields the levels of the factor that changes a difference most clearly, if one does."""
        if result.unit != "condition" or not self.factors:
            return
        levels = [it for it in self.frame.columns if it.removesuffix("_level") in self.factors]
        blocks = result.blocks.filter(response=row["response"], alternative=row["alternative"])
        table = (
            blocks.join(self.frame.select("condition", *levels).unique(), on="condition")
            .filter(pl.col(name).abs() == 1 for name in self.factors)
            .with_columns(alternative=pl.lit("all"), replicate=1)
        )
        effects = main_effects(table, factors=self.factors, responses="difference").frame
        effects = effects.with_columns(p=pl.Series(adjusted(effects["p"].to_list(), method="holm")))
        effect = effects.sort("p", nulls_last=True).row(0, named=True)
        if not effect["p"] < _ALPHA:
            return
        factor, base = effect["factor"], abs(row["baseline_mean"])
        level = f"{factor}_level" if f"{factor}_level" in levels else factor
        words = dict(table.select(factor, level).unique().iter_rows())
        sides = []
        for code, mean in ((1, effect["high"]), (-1, effect["low"])):
            size = _percent(mean / base) if math.isfinite(row["relative"]) else f"{mean:.3g}"
            sides.append((abs(mean), size, words[code]))
        (_, most, where), (_, least, elsewhere) = sorted(sides, reverse=True)
        yield (
            f"It is {most} where {self._lower(factor)} is {where}, and {least} where it is "
            f"{elsewhere}: the clearest such change of {_count(len(self.factors), 'factor')} "
            f"(p {_p(effect['p'])})."
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
        best, worst = table.row(0, named=True), table.row(-1, named=True)
        means = [f"{row['mean']:.3g}" for row in (best, worst)]
        of, over = len(self.labels), "Over all judged responses and conditions"
        sd = "undefined" if best["sd"] is None else f"{best['sd']:.3g}"
        if best["mean"] == worst["mean"]:
            text = f"{over} nobody ranks above another (mean {means[0]} of {of})."
        else:
            text = (
                f"{over} {best['alternative']} ranks highest (mean {means[0]} of {of}, "
                f"standard deviation {sd}) and {worst['alternative']} lowest "
                f"(mean {means[1]})."
            )
        yield Sentence("ranks", text)

    def outliers(
        self, responses: Sequence[str], summary: ConditionSummary | None
    ) -> Iterator[Sentence]:
        """Yields how many outliers there are, and who is one most often."""
        if len(self.labels) < 3:
            self.notes.append("Grubbs' test for outliers needs three alternatives.")
            return
        outliers = summary or condition_summary(self.frame, responses=responses)
        if not outliers.tested:
            self.notes.append("No cell could be tested for outliers.")
            return
        table = outliers.counts.sort("outliers", descending=True, maintain_order=True)
        counts = {"all": table["outliers"].sum(), "tested": outliers.tested}
        if math.isfinite(outliers.expected):
            counts["by_chance"] = outliers.expected
        self.tables["outliers"] = table.with_columns(
            pl.lit(value).alias(name) for name, value in counts.items()
        )
        tested, every = _count(outliers.tested, "cell"), outliers.cells["outlier"].sum()
        text = f"Of {tested} of condition and response Grubbs' test calls {every} an outlier"
        if outliers.adjust != "none":
            text += f", adjusted by {METHOD_NAMES[outliers.adjust]}"
        elif math.isfinite(outliers.expected):
            text += f", without adjustment: chance alone gives about {outliers.expected:.3g}"
        if (large := table["outliers"].sum()) < every:
            text += f". Of these {large} are far enough from the mean to be kept"
        if table["outliers"][0]:
            text += f". Most often it is {table['alternative'][0]}: {table['outliers'][0]} of them"
        yield Sentence("outliers", f"{text}.")

    def influence(self, effects: MainEffects) -> Iterator[Sentence]:
        """Yields the factors with the widest influence."""
        table = effects.influence.sort(
            "influence", descending=True, nulls_last=True, maintain_order=True
        )
        self.tables["influence"] = table
        top = table["influence"][0] if table.height else None
        if top is None or not math.isfinite(top) or top <= 0:
            text = "No factor has a significant effect on any response."
            freedom = max(effects.frame["df"].drop_nulls().to_list(), default=math.nan)
            if freedom <= _FEW:
                text += f" With df = {freedom:g} even large ones are not: read their sizes."
            self.notes.append(text)
            return
        # Of factors with equal influence the plan's order would choose one.
        texts = [
            f"{self._lower(row['factor'])}: significant at p < 0.01 on {row['at_1_percent']} and "
            f"at p < 0.05 on another {row['at_5_percent']} of "
            f"{_count(row['responses'], 'response')}"
            for row in table.filter(influence=top).iter_rows(named=True)
        ]
        head = "factor with the widest influence is"
        if len(texts) > 1:
            head = "factors with the widest influence, equally, are"
        yield Sentence("factors", f"The {head} {'; '.join(texts)}.")

    def explained(self, means: LevelMeans) -> Iterator[Sentence]:
        """Yields the factors that explain most of responses, where there are several factors."""
        shares = (
            means.explained.filter(pl.col("levels") > 1)
            .group_by("response", "factor", maintain_order=True)
            .agg(pl.col("explained").mean())
            .drop_nulls()
        )
        if shares["factor"].n_unique() < 2:
            return
        first = shares.sort("explained", descending=True, maintain_order=True).unique(
            "response", keep="first", maintain_order=True
        )
        self.tables["explained"], texts = first, []
        for part in first.partition_by("factor", maintain_order=True):
            row, of = part.row(0, named=True), _count(first.height, "response")
            size = f"most on {self._lower(row['response'])}, {100 * row['explained']:.2g} %"
            texts.append(f"{self._lower(row['factor'])} on {part.height} of {of} ({size})")
        head = "The factor that explains most of the variance between conditions is"
        yield Sentence("factors", f"{head} {'; '.join(texts)}.")

    def _lower(self, name: str) -> str:
        return self.names.get(name, name)

    def _upper(self, name: str) -> str:
        text = self._lower(name)
        return text[:1].upper() + text[1:]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _percent(fraction: float) -> str:
    value = 100.0 * fraction
    return f"{value:+.0f} %" if abs(value) >= 99.5 else f"{value:+.2g} %"


def _p(value: float) -> str:
    """A p value, as after the letter."""
    return "< 0.0001" if value < 1e-4 else f"= {value:.2g}"
