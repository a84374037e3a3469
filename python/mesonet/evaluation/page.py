"""The page of an evaluation, which a working group reads: `templates/evaluation.html.j2`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from mesonet.analysis import Trace, trace
from mesonet.analysis.traces.chart import trace_chart
from mesonet.campaign import Campaign
from mesonet.controller import command_line, short
from mesonet.errors import MesonetError
from mesonet.evaluation.chart import measure_chart, overview_chart, place, shares_chart
from mesonet.evaluation.criteria import MARGIN
from mesonet.evaluation.result import (
    Cell,
    CriterionResult,
    Effect,
    Evaluation,
    ExperimentResult,
    PackResult,
    Slope,
    by_measure,
)
from mesonet.evaluation.sentences import foremost, values
from mesonet.evaluation.statistics import LEVEL, STATES
from mesonet.numbers import number
from mesonet.page.charts import Picture, picture
from mesonet.page.layout import Entry, Fact, Head, render
from mesonet.page.tables import Table, rows_table
from mesonet.responses import compute
from mesonet.text import capital

_POINTS, _FLOWS = 200, 4
"""Points of a trace, and flows of each algorithm in it."""
_TWO = partial(number, digits=2)
_CELL = {
    "baseline": "Baseline",
    "words": "Measure",
    "n": "Replicates",
    "values": "Baseline → candidate",
    "state": "Verdict",
    "excess": "Excess",
    "interval": "Interval",
    "margin": "Margin",
    "p": "p (Holm)",
    "needed": "Replicates to decide",
}
"""Headings of the table of all cells."""
_EFFECT = {
    "factor": "Factor",
    "levels": "From",
    "what": "Excess in",
    "change": "Change",
    "interval": "95 % interval",
    "p": "p",
}
_STATEMENT = {
    "id": "Statement",
    "text": "What is measured",
    "published": "Published",
    "source": "Where",
    "expected": "Expected",
    "measured": "Measured",
    "verdict": "Verdict",
    "remark": "Remark",
}
_TURNED = {
    "section": "Section",
    "what": "Measure",
    "where": "Condition",
    "rfc": "Profile rfc (excess)",
    "profile": "Profile",
    "state": "There (excess)",
}


def worst_traces(
    evaluation: Evaluation, folder: Path, tell: Callable[[str], None]
) -> Mapping[str, Trace]:
    """The first run of the worst condition of each experiment through time, by its folder.

    A candidate that does not do the same again has none, which is told.
    """
    traces = {}
    for criterion in evaluation.criteria:
        for experiment in criterion.experiments:
            if experiment.profile == "rfc" and (cell := experiment.worst) is not None:
                campaign = Campaign.open(folder / experiment.folder)
                try:
                    traces[experiment.folder] = _traced(campaign, cell.run)
                except MesonetError as error:
                    tell(f"{experiment.folder}, run {cell.run}, a second time: {error}")
    return traces


def _traced(campaign: Campaign, identifier: str) -> Trace:
    run = campaign.replay(identifier)
    now = compute(run.measurements, campaign.plan.responses)
    recorded = campaign.recorded(identifier)
    if recorded is not None and repr([*now.values()]) != repr([*recorded.values()]):
        raise MesonetError("not what was recorded: the candidate is not deterministic")
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
    total = sum(it.runs + it.failed for each in ran for it in each.experiments)
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
        title=f"Evidence on {name}" + (f" ({candidate.settings})" if candidate.parameters else ""),
        question=f"Compared with {than}, where is {name} better or worse for others?",
        facts=[
            Fact("Code", code),
            Fact("Engine", f"mesonet {provenance.mesonet}"),
            Fact("Size", evaluation.size),
            Fact("Runs", f"{total:,}"),
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
        again=[it.section for it in ran if any(own.profile != "rfc" for own in it.experiments)],
        met=_met(ran),
        whole=bool(traces),
        turned=sensitivity(ran),
        replay=partial(
            command_line, "mesonet", "replay", names=[candidate.name, *evaluation.baselines]
        ),
        states=STATES,
        counts=lambda cells: Counter(cell.state for cell in cells),
        anchor=anchor,
        foremost=foremost,
        interval=interval,
        number=number,
        settings={
            "Candidate": candidate.name,
            "Its parameters": candidate.settings or "defaults",
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


def _lead(evaluation: Evaluation) -> str:
    """The answer: how much was run, and in how many sections others or the candidate fare worse."""
    ran = [it for it in evaluation.criteria if it.cells]
    added = sum(not it.section[0].isdigit() for it in ran)
    name = short(evaluation.candidate.name)
    text = f"{len(ran) - added} of {len(evaluation.criteria) - added} sections of RFC 9743 were run"
    text += f", and {added} added. " if added else ". "
    failed = sum(own.failed for it in ran for own in it.experiments)
    text += f"{failed} runs failed, of which nothing is known. " if failed else ""
    for arms, where in (("mix", "with other flows"), ("alone", "with it alone")):
        asked = {
            (it.section, cell.baseline)
            for it in ran
            for own in it.experiments
            for cell in own.cells
            if own.arms == arms and cell.excess is not None
        }
        if not asked:
            text += "Nothing is known of harm to others. " if arms == "mix" else ""
            continue
        count = len({section for section, _ in asked})
        than = " or ".join(sorted({baseline for _, baseline in asked}))
        worse = len(foremost(evaluation.sentences, "worse", others=arms == "mix"))
        text += f"In {worse} of {count} sections {where}, " + (
            f"flows of {than} fare worse beside {name} than beside more of their own kind"
            if arms == "mix"
            else f"{name} is worse than {than}, or beyond a limit,"
        )
        text += " in some condition. "
    return text.strip()


def _met(ran: Sequence[CriterionResult]) -> str:
    """Ranges of rate, round-trip time and buffer at which others shared a path with it."""
    factors = [it.factors for each in ran for it in each.experiments if it.arms == "mix"]
    texts = []
    for label in ("rate", "round-trip time", "buffer"):
        ends = {end for it in factors for end in it.get(label, ())}
        if ends:
            low, *_, high = sorted(ends, key=lambda end: float(end.split()[0]))
            texts.append(f"{low} to {high}")
    if texts and any(not it.section[0].isdigit() for it in ran):
        texts.append("and in added scenarios")
    return ", ".join(texts)


class Shown(NamedTuple):
    """An experiment with its charts, each with a caption, and its tables."""

    experiment: ExperimentResult
    charts: list[tuple[Picture, str]]
    shares: Table | None
    effects: Table | None
    cells: Table | None
    trace: Picture | None


def anchor(section: str) -> str:
    """Identifier of the part on a criterion."""
    return f"s-{section.replace('.', '-')}"


def interval(it: Cell | Effect | Slope) -> str:
    """The ends of an interval; nothing without any."""
    if isinstance(it, Cell) and it.low is None and it.n > 1:
        return "all alike"
    return "" if it.low is None else f"{_TWO(it.low)} to {_TWO(it.high)}"


def shown(
    criterion: CriterionResult, experiment: ExperimentResult, traces: Mapping[str, Trace]
) -> Shown:
    """An experiment as the page has it."""
    place_there = f"{criterion.section}{experiment.id}"
    name, worst = anchor(criterion.section) + experiment.id, None
    if (cell := experiment.worst) is not None and experiment.folder in traces:
        chart = trace_chart(traces[experiment.folder], panels=("rate", "queue"), height=90)
        worst = picture(f"{name}-worst", chart, f"{cell.words} at {place(cell)}")
    return Shown(
        experiment,
        [*_measures(name, experiment), *_shares_charts(name, experiment)],
        _shares(f"shares-{place_there}", experiment),
        _effects(f"effects-{place_there}", experiment),
        _cells(f"cells-{place_there}", experiment),
        worst,
    )


def _measures(name: str, experiment: ExperimentResult) -> Iterator[tuple[Picture, str]]:
    for at, (words, cells) in enumerate(by_measure(experiment.cells).items(), 1):
        what = "harm" if cells[0].statistic == "harm" else cells[0].unit
        title = f"{words} ({what})" if what else words
        other = "the limit" if cells[0].statistic == "line" else "the baseline"
        caption = f"{capital(words)}: the candidate (filled), {other} (hollow)."
        if experiment.arms == "mix":
            of = f"{'Harm to others' if what == 'harm' else 'Others'}' {words}"
            caption = f"{of}: beside the candidate (filled) and beside their own kind (hollow)."
        if experiment.factors:
            caption += f" Rows: {' · '.join(experiment.factors)}."
        yield picture(f"{name}-{at}", measure_chart(cells, title=title), title), caption


def _shares_charts(name: str, experiment: ExperimentResult) -> Iterator[tuple[Picture, str]]:
    if experiment.shares:
        title = "Goodput of a flow by flows of the candidate"
        chart = picture(f"{name}-shares", shares_chart(experiment.shares), title)
        yield chart, f"{title}: its own (filled) and those of the baseline (hollow)."


def _shares(identifier: str, experiment: ExperimentResult) -> Table | None:
    rows: dict[tuple[int, str], dict[str, str]] = {}
    headings = {name: capital(name) for name in experiment.factors} | {"baseline": "Versus"}
    for it in experiment.shares:
        row = rows.setdefault((it.condition, it.baseline), {**it.levels, "baseline": it.baseline})
        row[str(it.count)] = _TWO(it.probability)
        headings[str(it.count)] = f"{it.count} of {it.flows}"
    return rows_table(identifier, list(rows.values()), headings)


def _cells(identifier: str, experiment: ExperimentResult) -> Table | None:
    headings = {name: capital(name) for name in experiment.factors} | _CELL
    rows = [
        {
            **cell.levels,
            **cell.model_dump(),
            "baseline": cell.versus,
            "values": values(cell),
            "interval": interval(cell),
            "p": _TWO(cell.p),
        }
        for cell in experiment.cells
    ]
    own = [{key: row[key] for key in headings} for row in rows]
    return rows_table(identifier, own, headings, {"excess": partial(number, digits=3)})


def _effects(identifier: str, experiment: ExperimentResult) -> Table | None:
    rows = [
        {
            "factor": it.factor,
            "levels": f"{it.low_level} to {it.high_level}",
            "what": f"{it.words} versus {it.baseline}",
            "change": it.change,
            "interval": interval(it),
            "p": _TWO(it.p),
        }
        for it in sorted(experiment.effects, key=lambda it: -abs(it.change))
        if it.p is not None and it.p < LEVEL and abs(it.change) >= MARGIN
    ]
    return rows_table(identifier, rows, _EFFECT, {"change": partial(_TWO, signed=True)})


def statements(pack: PackResult) -> Table | None:
    """Statements of a specification with what was measured versus what is expected."""
    rows = [it.model_dump() for it in pack.statements]
    return rows_table(f"pack-{pack.name}", rows, _STATEMENT)


def sensitivity(ran: Sequence[CriterionResult]) -> Table | None:
    """Cells in which "worse" comes or goes with another profile of the transport."""
    rows = []
    for criterion in ran:
        cells = {
            (it.profile, (it.id, cell.condition, cell.baseline, cell.response)): cell
            for it in criterion.experiments
            for cell in it.cells
        }
        for (profile, key), cell in cells.items():
            before = cells.get(("rfc", key))
            if before is None or (before.state == "worse") == (cell.state == "worse"):
                continue
            rows.append(
                {
                    "section": f"{criterion.section}{key[0]}",
                    "what": f"{cell.words}, {cell.versus}",
                    "where": place(cell),
                    "rfc": f"{before.state} ({_TWO(before.excess)})",
                    "profile": profile,
                    "state": f"{cell.state} ({_TWO(cell.excess)})",
                }
            )
    return rows_table("sensitivity", rows, _TURNED)
