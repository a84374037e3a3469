"""The page of an evaluation, which a working group reads: `templates/evaluation.html.j2`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from mesonet.analysis import Trace, trace
from mesonet.campaign import Campaign
from mesonet.controller import is_outside, short
from mesonet.evaluation.chart import overview_chart, place
from mesonet.evaluation.result import Cell, Evaluation
from mesonet.evaluation.sections import anchor, interval, sensitivity, shown, statements
from mesonet.evaluation.statistics import STATES
from mesonet.numbers import number
from mesonet.page.charts import picture
from mesonet.page.layout import Entry, Fact, Head, render

_POINTS, _FLOWS = 200, 4
"""Points of a trace, and flows of each algorithm in it."""


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
    ran = [it for it in evaluation.criteria if it.experiments]
    candidate, provenance = evaluation.candidate, evaluation.provenance
    name, than = short(candidate.name), " and ".join(evaluation.baselines)
    code = f"SHA-256 {candidate.sha256[:16]}" if candidate.sha256 else "built in"
    profiles = {it.profile for each in ran for it in each.experiments} - {"rfc"}
    titles = {
        "summary": "The answer",
        "coverage": "What is covered",
        **{anchor(it.section): f"{it.section} {it.title}" for it in ran},
        **(
            {"deployment": "On a national network, from 0 to 100 %"}
            if evaluation.deployment
            else {}
        ),
        **{f"pack-{it.name}": f"Statements: {it.name}" for it in evaluation.packs},
        **({"sensitivity": "With other transports"} if profiles else {}),
        "statistics": "How to read this",
        "settings": "Settings",
    }
    head = Head(
        kind="mesonet evaluation · RFC 9743",
        title=f"Evidence on {name}",
        question=f"Where is {name} better or worse for others than {than} are?",
        facts=[
            Fact("Code", code),
            Fact("Engine", f"mesonet {provenance.mesonet}"),
            Fact("Size", evaluation.size),
            Fact("Runs", f"{sum(it.runs for each in ran for it in each.experiments):,}"),
            Fact("Run it again", evaluation.command, wide=True),
        ],
        contents={"": [Entry(*both) for both in titles.items()]},
        first="“The answer”",
    )
    overview = picture("overview", overview_chart(evaluation), "Excess of all cells by measure")
    parts = [
        (it, [shown(it, each, traces) for each in it.experiments if each.profile == "rfc"])
        for it in ran
    ]
    return render(
        "evaluation.html.j2",
        "mesonet.evaluation",
        head,
        charts=[overview, parts],
        evaluation=evaluation,
        lead=_lead(evaluation),
        overview=overview,
        parts_run=parts,
        packs=[(it, statements(it)) for it in evaluation.packs],
        profiles=sorted(profiles),
        turned=sensitivity(ran),
        trust=" --trust" if any(map(is_outside, (candidate.name, *evaluation.baselines))) else "",
        states=STATES,
        counts=_counts,
        anchor=anchor,
        interval=interval,
        number=number,
        place=place,
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


def _counts(cells: list[Cell]) -> Counter[str]:
    return Counter(cell.state for cell in cells)


def _lead(evaluation: Evaluation) -> str:
    """The answer: how much was run, how many criteria have more harm, and which are MUSTs."""
    ran = [it for it in evaluation.criteria if it.cells]
    worse = [it for it in ran if _counts(it.cells)["more harm"]]
    musts = [it.section for it in worse if "MUST" in it.strength]
    added = sum(not it.section[0].isdigit() for it in ran)
    text = f"{len(ran) - added} of the {len(evaluation.criteria) - added} criteria of RFC 9743 were"
    text += f" run, and {added} added. " if added else " run. "
    than = " and ".join(evaluation.baselines)
    text += f"In {len(worse) or 'none'} of them {short(evaluation.candidate.name)} does more harm "
    text += f"than {than} under some conditions."
    return f"{text} The RFC says MUST for {', '.join(musts)}." if musts else text
