"""Summary of a campaign in plain sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from mesonet.analysis.columns import Column, columns
from mesonet.analysis.effects.estimate import MainEffects, main_effects
from mesonet.analysis.frames import alternatives, listed, refuse_unknown, replicate_notes, require
from mesonet.analysis.levels.estimate import LevelMeans
from mesonet.analysis.missing import missing_runs, with_missing
from mesonet.analysis.outliers.estimate import ConditionSummary
from mesonet.analysis.paired.estimate import PairedDifferences
from mesonet.analysis.result import Result
from mesonet.analysis.summary_builder import Sentence, SummaryBuilder

_PLAIN_SUMMARY = columns(
    "topic text loud",
    Column("topic", pl.String, "", "topic of the sentence"),
    Column("text", pl.String, "", "the sentence"),
    Column("loud", pl.Boolean, "", "true for a warning"),
)


class PlainSummary(Result, frame=_PLAIN_SUMMARY):
    """A campaign in sentences.

    `frame` has a row for each sentence.
    """

    sentences: tuple[Sentence, ...]
    tables: Mapping[str, pl.DataFrame]
    baseline: str


def plain_summary(
    frame: pl.DataFrame,
    *,
    responses: str | Sequence[str],
    baseline: str,
    better: Mapping[str, str] | None = None,
    order_by: str | None = None,
    factors: Sequence[str] = (),
    effects: MainEffects | None = None,
    means: LevelMeans | None = None,
    names: Mapping[str, str] | None = None,
    paired: PairedDifferences | None = None,
    outliers: ConditionSummary | None = None,
    planned: pl.DataFrame | None = None,
) -> PlainSummary:
    """Says in plain sentences what a campaign shows, and how sure that is.

    Args:
        baseline: The alternative that the others are compared with.
        better: "higher" or "lower" per response; responses without are not judged.
        order_by: Response that measures congestion; not spoken of if `None`.
        effects: Main effects that are made already, on more responses perhaps; made here, of
            `factors` on `responses`, if `None`.
        means: Means at the levels of factors that have more than two; not spoken of if `None`.
        names: Names of responses and factors in sentences.
        paired: A comparison with the baseline that is made already, so that sentences and page
            speak of the same tests; made here if `None`.
        outliers: Outliers that are found already, likewise.
        planned: One row per planned run, as `missing_runs` takes it; without it a condition that
            has no run is not known of.
    """
    analysed = listed(responses)
    require(frame, columns=(*analysed, *([order_by] if order_by else []), *factors))
    labels = alternatives(frame)
    refuse_unknown(labels, baseline=baseline)
    judged = {name: side for name, side in (better or {}).items() if side != "neither"}
    sides = {name: side for name, side in judged.items() if name in analysed}
    missing = None if planned is None else missing_runs(frame, planned=planned)
    if effects is None and factors:
        effects = main_effects(frame, factors=list(factors), responses=list(analysed))
    two_level = effects.influence["factor"].to_list() if effects else ()
    summary = SummaryBuilder(frame, baseline, sides, names or {}, missing, two_level)
    sentences = (
        *summary.campaign(),
        *(summary.congestion(order_by) if order_by else ()),
        *summary.paired(paired),
        *summary.ranks(),
        *summary.outliers(analysed, outliers),
        *(summary.influence(effects) if effects else ()),
        *(summary.explained(means) if means else ()),
    )
    notes = replicate_notes(frame)
    return PlainSummary(
        frame=_PLAIN_SUMMARY.frame(
            [(sentence.topic, sentence.text, sentence.loud) for sentence in sentences]
        ),
        notes=(*(with_missing(notes, missing) if missing else notes), *summary.notes),
        sentences=sentences,
        tables=summary.tables,
        baseline=baseline,
    )
