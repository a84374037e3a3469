"""The page of an evaluation, which a working group reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from markupsafe import Markup

from mesonet.analysis import Trace, trace
from mesonet.campaign import Campaign
from mesonet.controller import short
from mesonet.evaluation.front import coverage, summary
from mesonet.evaluation.result import Evaluation
from mesonet.evaluation.sections import criterion_part, pack_part, sensitivity
from mesonet.evaluation.words import paragraph
from mesonet.page.blocks import Markdown
from mesonet.page.layout import Fact
from mesonet.page.simple import Part, simple_page

_POINTS, _FLOWS = 200, 4
"""Points of a trace, and flows of each algorithm in it."""
_DEPLOYMENT = (
    "The candidate takes the place of the first baseline, source by source. All of it:",
    "deployment-mix/deployment-mix.html",
    "the page of the study",
)
_READING = """\
A cell is one condition with one baseline and one measure. Replicates have other start times,
round-trip times within 5 % and other random delays at hosts. The candidate and the baseline share
them, and are compared replicate by replicate.

Harm is the part of its performance that a flow loses in company: 0 is none, 1 is everything.
Excess is the harm by the candidate less the harm by the flow's own kind. Where the
candidate is by itself, excess is its loss against the baseline. Losses of rates and delays are
parts of the better value; those of shares, such as retransmitted segments, are plain differences.

“More harm” says that the excess is above zero, “no more harm” that it is below the margin, 0.05
unless the measure has another. Both are t-tests over replicates, adjusted by Holm's method: the
probability of any false alarm among the cells of a criterion is at most 5 %. “Undecided” is
neither; no evidence of harm is no evidence of its absence.

Effects of factors are shown where p is below 0.05 and the change at least 0.05. Their 95 %
intervals are not adjusted. Where a design is a fraction, aliased effects are one number."""


def _deployment(evaluation: Evaluation) -> Iterator[Part]:
    if evaluation.deployment:
        link = Markdown(Markup('<p>{} <a href="{}">{}</a></p>').format(*_DEPLOYMENT))
        texts = map(paragraph, evaluation.deployment)
        yield Part("deployment", "On a national network, from 0 to 100 %", (link, *texts))


def worst_traces(evaluation: Evaluation, folder: Path) -> Mapping[str, Trace]:
    """The first run of the worst condition of each experiment through time, by its folder."""
    return {
        experiment.folder: _traced(Campaign.open(folder / experiment.folder), cell.run)
        for criterion in evaluation.criteria
        for experiment in criterion.experiments
        if experiment.profile == "rfc" and (cell := experiment.worst) is not None
    }


def _traced(campaign: Campaign, identifier: str) -> Trace:
    run = campaign.replay(identifier)
    groups: dict[str, list[str]] = {}
    for name, flow in run.scenario.named_flows().items():
        groups.setdefault(flow.algorithm, []).append(name)
    names = [name for group in groups.values() for name in group[:_FLOWS]]
    return trace(run, flows=names, points=_POINTS)


def render_page(evaluation: Evaluation, traces: Mapping[str, Trace]) -> str:
    """The page as HTML. It loads nothing, and the same evaluation gives the same text.

    `traces` are those of `worst_traces`.
    """
    ran = [each for each in evaluation.criteria if each.experiments]
    candidate, provenance = evaluation.candidate, evaluation.provenance
    code = f"SHA-256 {candidate.sha256[:16]}" if candidate.sha256 else "built in"
    runs = sum(it.runs for each in ran for it in each.experiments)
    return simple_page(
        kind="mesonet evaluation · RFC 9743",
        title=f"Evidence on {short(candidate.name)}",
        question=f"Where is {short(candidate.name)} better or worse for others than "
        f"{' and '.join(evaluation.baselines)} are?",
        facts=[
            Fact("Code", code),
            Fact("Engine", f"mesonet {provenance.mesonet}"),
            Fact("Size", evaluation.size),
            Fact("Runs", f"{runs:,}"),
            Fact("Run it again", evaluation.command, wide=True),
        ],
        parts=[
            summary(evaluation),
            coverage(evaluation),
            *(criterion_part(each, evaluation, traces) for each in ran),
            *_deployment(evaluation),
            *map(pack_part, evaluation.packs),
            *sensitivity(ran),
            Part(
                "statistics",
                "How to read this",
                tuple(map(paragraph, _READING.replace("\n", " ").split("  "))),
            ),
        ],
        settings={
            "Candidate": candidate.name,
            "SHA-256 of its code": candidate.sha256 or "built in",
            "Its files": ", ".join(candidate.files) or "none",
            "Baselines": ", ".join(evaluation.baselines),
            "First seed": str(evaluation.seed),
            "Version of mesonet": provenance.mesonet,
            "Result version": provenance.result_version,
            "Python and platform": f"{provenance.python}, {provenance.platform}",
            "Date": provenance.date,
        },
    )
