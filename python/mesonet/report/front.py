"""The front page: the answer, how sure it is, and what was simulated, in plain sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from mesonet.analysis import Sentence
from mesonet.figures import (
    answer_chart,
    congestion_chart,
    has_links,
    has_map,
    influence_chart,
    judged_responses,
    laboratory_chart,
    level_means_chart,
    network_glance_chart,
    percent,
    router_name,
)
from mesonet.page.charts import Picture, picture
from mesonet.report.inputs import ReportInputs
from mesonet.report.results import Results, analysed

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

_ANSWER, _SET = ("paired", "ranks", "outliers"), ("campaign", "congestion", "factors")
_UNCOMPARED = ("factors",)
"""Topics of the answer where there is nothing to compare."""
_DRAWN = 8
# Sections that have more on the topics of the plain summary.
_HOMES = {
    "missing": "runs",
    "paired": "paired",
    "ranks": "ranks",
    "outliers": "condition-response",
    "factors": "main-effects",
    "congestion": "congestion",
}


@dataclass(frozen=True)
class FrontSentence:
    """A sentence of the front page, and the section that has more; empty if none has."""

    text: Markup
    section: str
    loud: bool = False
    """True for a warning."""


@dataclass(frozen=True)
class Verdict:
    """Sentences on one alternative, the verdict first; on several where the label is empty."""

    label: str
    colour: str
    sentences: list[FrontSentence]
    section: str


@dataclass(frozen=True)
class Front:
    """The front page: findings, how far to trust them, and what was simulated."""

    answer: list[Verdict]
    sure: list[FrontSentence]
    simulated: list[FrontSentence]
    numbers: list[tuple[str, str]]
    """The one row of the table `campaign`: heading and value of each cell."""
    trust: str = ""
    """Size of the evidence, in one sentence for the first screen."""
    cautious: bool = False
    """True if the reader has to be careful."""
    picture: Picture | None = None
    caption: str = ""
    network: Picture | None = None
    """Map of the network with its congestion; `None` for a network without places."""
    network_caption: str = ""


def front(results: Results, sections: Mapping[str, object]) -> Front:
    """Sorts the sentences of the plain summary under the three questions of the front page.

    Sentences whose section is not among those that are shown lead nowhere.
    """
    inputs, plain = results.inputs, results.plain
    if plain is None:
        text = "There are <b>0</b> finished runs, so there is nothing to report yet."
        return Front([Verdict("", "", [FrontSentence(Markup(text), "")], "")], [], [], [])
    missing = int(plain.tables["campaign"]["missing"][0])
    planned = inputs.frame.height + missing
    sure = []
    for sentence in plain.sentences:
        if not sentence.loud:
            continue
        warning = _linked(sentence, sections)
        # The other warning is that there is a single replicate.
        head = Markup("" if sentence.topic == "missing" else "<b>n = 1.</b> ")
        sure.append(replace(warning, text=head + warning.text))
    if (rule := inputs.stopping) is not None:
        sure.append(FrontSentence(escape(rule.text), _to("runs", sections), loud=not rule.content))
    sure += [
        FrontSentence(escape(note), _to("responses", sections), loud=True)
        for note in results.analyses.result("describe").notes
        if note.startswith("Suspicious")
    ]
    paired = results.judged
    tests = 0 if paired is None else int(paired.frame["p"].is_finite().sum())
    if tests:
        text = (
            "All algorithms met the same conditions with the same random numbers, so differences "
            "are taken within a condition. An algorithm is called better or worse only where "
            "chance makes so large a difference in fewer than one of twenty such reports "
            "(p &lt; 0.05 after Holm's adjustment for all <b>{}</b> comparisons)."
        )
        if paired is not results.paired:
            text += (
                f" {results.conditions_count} conditions are too few to speak of others: all this "
                "is about exactly these, judged by the variation between replicates."
            )
        if results.replicates == 1 and paired and paired.unit == "condition" and paired.shared_seed:
            text += (
                " All conditions share one seed, so chance that moves all of them alike is not "
                "counted."
            )
        sure.append(FrontSentence(Markup(text).format(tests), _to("paired", sections)))
    sure += [FrontSentence(escape(note), "") for note in plain.notes if not _is_stated(note)]
    chart, caption = _picture(results)
    network, network_caption = _network(results)
    return Front(
        network=network,
        network_caption=network_caption,
        picture=chart,
        caption=caption,
        answer=_verdicts(results, sections),
        trust=_trust(results, missing, planned, tests),
        cautious=any(sentence.loud for sentence in sure) or results.replicates == 1,
        sure=sure,
        simulated=[
            _linked(sentence, sections)
            for sentence in plain.sentences
            if sentence.topic in _SET and not sentence.loud
            if results.several or sentence.topic not in _UNCOMPARED
        ],
        numbers=[
            (name, str(value))
            for name, value in plain.tables["campaign"].row(0, named=True).items()
        ],
    )


def _trust(results: Results, missing: int, planned: int, tests: int) -> str:
    """Size of the evidence, in one sentence."""
    conditions, replicates = results.conditions_count, results.replicates
    runs = "one run" if replicates == 1 else f"{replicates} runs"
    where = "the one condition" if conditions == 1 else f"each of {conditions} conditions"
    text = f"{runs.capitalize()} {'of every algorithm ' if results.several else ''}under {where}"
    if results.judged is not results.paired:
        text += ", and about these conditions alone"
    if missing > 0:
        text += f", {missing} of {planned} missing"
    if tests:
        text += f"; better and worse mean p < 0.05 over all {tests} comparisons together"
    return text + "."


def answer(results: Results) -> tuple[Any, int, int] | None:
    """The answer as a chart, how many responses it shows, and how many are judged.

    `None` where nothing was compared.
    """
    paired, better = results.judged, results.inputs.subject.better
    judged = () if paired is None else judged_responses(paired, better=better)
    if paired is None or not judged:
        return None
    # Those that are drawn elsewhere, too, before the rest.
    first = [name for name in results.inputs.compared if name in judged][:_DRAWN]
    chart = answer_chart(
        paired.on(first), look=results.look, names=results.names, better=better, limit=_DRAWN
    )
    return chart, len(first), len(judged)


def campaign_chart(campaign: Campaign) -> Any:
    """The answer of a campaign as an Altair chart, as notebooks show it.

    Where nothing was compared, the factors that matter; without these, the congestion of the
    conditions; `None` where nothing of it was measured.
    """
    results = analysed(ReportInputs.from_campaign(campaign))
    if results.inputs.frame.is_empty():
        return None
    if (drawn := answer(results)) is not None:
        return drawn[0]
    if results.effects is not None:
        return influence_chart(results.effects, names=results.names)
    if results.several_levels and (shown := results.inputs.shown):
        means, look = results.analyses.result("level_means"), results.look
        return level_means_chart(means, response=shown[0], look=look, names=results.names)
    if results.congestion is not None:
        return congestion_chart(results.congestion, look=results.look, names=results.names)
    return None


def _picture(results: Results) -> tuple[Picture | None, str]:
    """The answer as a chart, and how to read it."""
    paired, drawn = results.judged, answer(results)
    if paired is None or drawn is None:
        return None, ""
    chart, drawn_responses, judged = drawn
    base, level = paired.baseline, percent(paired.confidence, digits=3, signed=False)
    caption = (
        f"Right of the line is better than {base}, left is worse. Bars are {level} intervals. "
        "Filled marks are more than chance (p < 0.05 after Holm)."
    )
    if judged > drawn_responses:
        caption += f" The first {drawn_responses} of {judged} judged responses."
    title = f"Differences from {base} that are better or worse"
    return picture("answer", chart, title), caption


def _network(results: Results) -> tuple[Picture | None, str]:
    """The network with its congestion, and what to see."""
    inputs, state = results.inputs, results.recorded_state
    if has_links(inputs.scenario):
        drawn = picture("network-glance", laboratory_chart(inputs.scenario), "Hosts and links")
        return drawn, "The network of the scenario; factors and alternatives change parts of it."
    if not has_map(inputs.geometry):
        return None, ""
    routers, links = len(inputs.geometry["nodes"]), len(inputs.geometry["links"])
    caption = f"The network: {routers} routers of the backbone and {links} links."
    chart = network_glance_chart(inputs.geometry, result=state)
    fullest = None if state is None else state.means().head(1)
    if fullest is None or fullest.is_empty():
        caption += " How full routers were is known of runs with --series."
    else:
        node, occupancy = fullest.row(0)
        called = {str(router["name"]): router_name(router) for router in inputs.geometry["nodes"]}
        caption += (
            f" Large and red: buffers were full, on average over {inputs.recorded_name}. "
            f"Fullest: {called[node]}, {percent(occupancy, signed=False)}."
        )
    return picture("network-glance", chart, "The network with its congestion"), caption


def _verdicts(results: Results, sections: Mapping[str, object]) -> list[Verdict]:
    """The findings: those on one alternative together, the others each by itself."""
    assert results.plain is not None
    verdicts: list[Verdict] = []
    for sentence in results.plain.sentences:
        if sentence.topic not in (_ANSWER if results.several else _UNCOMPARED):
            continue
        finding, label = _linked(sentence, sections), sentence.alternative
        if label and verdicts and verdicts[-1].label == label:
            verdicts[-1].sentences.append(finding)
        else:
            colour = results.look.colour(label) if label else ""
            verdicts.append(Verdict(label, colour, [finding], finding.section))
    return verdicts


def _is_stated(note: str) -> bool:
    """Tests whether the front page says it already in its own words."""
    missing = re.search(r"\d runs? (is|are) missing", note) is not None
    return missing or note.startswith(("n = 1", "Suspicious"))


def _to(section: str, sections: Mapping[str, object]) -> str:
    return section if section in sections else ""


def _linked(sentence: Sentence, sections: Mapping[str, object]) -> FrontSentence:
    # A true minus, as everywhere on the page; no line ends before its unit.
    text = re.sub(r"(?<=[ (])-(?=\d)", "−", sentence.text).replace(" %", "\u00a0%")
    return FrontSentence(escape(text), _to(_HOMES.get(sentence.topic, ""), sections), sentence.loud)
