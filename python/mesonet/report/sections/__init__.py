"""The sections of a report, in the order of the page: what was found before how it was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mesonet.analyses import REGISTRY
from mesonet.errors import InputError, Problem, did_you_mean
from mesonet.page.tables import Table
from mesonet.report.inputs import ReportInputs
from mesonet.report.results import Results
from mesonet.report.sections import (
    analysis,
    clusters,
    components,
    conditions,
    congestion,
    design,
    effects,
    flows,
    goodput,
    harm,
    network,
    paired,
    provenance,
    ranks,
    reduction,
    responses,
    runs,
    ten_steps,
    time,
)
from mesonet.report.sections.common import Context


@dataclass(frozen=True)
class Section:
    """One page of the report.

    Attributes:
        identifier: Identifier in links.
        title: Heading of the section.
        question: Question that it answers, in words that need no explanation.
        group: Group of the section in the list of contents.
        make: Function that makes its content; `None` where the campaign has nothing for it, a
            mapping with `why` where it has to be said why nothing could be computed, an empty one
            where its template says so.
        measured: True if its tables hold results.
        layout: Template of its own, without a suffix; that of its identifier if empty.
    """

    identifier: str
    title: str
    question: str
    group: str
    make: Callable[[Results], Context | None]
    measured: bool = True
    layout: str = ""

    @property
    def template(self) -> str:
        """Name of its template, without a suffix."""
        return self.layout or self.identifier


_WHO, _WHY, _TOGETHER = "Who gains, who loses", "What decides", "What goes together"
_SET, _REFERENCE = "What was simulated", "To look things up"
_ASKED = "What the plan asks for"

SECTIONS: tuple[Section, ...] = (
    Section("paired", "Differences from the baseline",
            "How much better or worse is each algorithm, and how sure is that?", _WHO, paired.make),
    Section("ranks", "Ranks", "Who comes first, and does that hold everywhere?", _WHO, ranks.make),
    Section("condition-response", "Condition by condition",
            "Under which conditions does one algorithm stand out?", _WHO, conditions.make),
    Section("goodput", "Beside standard flows",
            "What do new flows gain, and what do the others lose?", _WHO, goodput.make),
    Section("harm", "Harm and impact",
            "How much worse do flows do in the company of others?", _WHO, harm.make),
    Section("clusters", "Which algorithms are alike",
            "Who behaves like whom, and who stands apart?", _WHO, clusters.make),
    Section("flows", "Fairness, stability and delay",
            "Are shares equal, steady, and quickly reached?", _WHO, flows.make),
    Section("main-effects", "Main effects", "Which factors matter, and by how much?", _WHY,
            effects.make),
    Section("ten-steps", "The ten steps", "What does the experiment say about one response?", _WHY,
            ten_steps.make),
    Section("reduction", "Responses that say the same",
            "How many different things were measured?", _TOGETHER, reduction.make),
    Section("components", "Principal components", "What separates conditions and algorithms most?",
            _TOGETHER, components.make),
    Section("network", "The network", "Where does the traffic run?", _SET, network.make, False),
    Section("design", "The experiment", "Which conditions were simulated?", _SET, design.make,
            False),
    Section("congestion", "How congested", "Which conditions hurt?", _SET, congestion.make),
    Section("through-time", "Through time", "Where was it congested, and when?", _SET, time.make),
    Section("responses", "Responses", "What exactly was measured?", _REFERENCE, responses.make),
    Section("provenance", "Provenance", "Where do these numbers come from?", _REFERENCE,
            provenance.make, False),
    Section("runs", "Every run", "How is a run repeated?", _REFERENCE, runs.make, False),
)  # fmt: skip


def sections_of(asked: Iterable[str]) -> list[Section]:
    """All sections that a report can have, in the order of the page.

    Args:
        asked: Analyses that the plan asks for; those without a section among `SECTIONS` get one.
    """
    own = [
        Section(
            one.identifier,
            one.title,
            one.summary[:1].upper() + one.summary[1:] + ".",
            _ASKED,
            analysis.maker(one),
            layout="analysis",
        )
        for one in (REGISTRY[name] for name in asked)
        if not one.section
    ]
    found = next(k for k, section in enumerate(SECTIONS) if section.group == _SET)
    return [*SECTIONS[:found], *own, *SECTIONS[found:]]


def contents(results: Results) -> dict[str, tuple[Section, Context]]:
    """The sections to show with what is in them, in the order of the page.

    Raises:
        InputError: The inputs ask for a section that there is not.
    """
    empty = results.inputs.frame.is_empty()
    shown = {}
    for section in _chosen(results.inputs):
        content = _made(section, results) if not (empty and section.measured) else None
        if content is None:
            continue
        if section.measured and results.replicates == 1:
            content = _with_warnings(content)
        shown[section.identifier] = (section, content)
    return shown


def section_problems(wanted: Sequence[str], asked: Iterable[str]) -> list[Problem]:
    """Problems with identifiers that no section of a report has.

    Args:
        wanted: Identifiers that a plan gives.
        asked: Analyses that it asks for.
    """
    known = [section.identifier for section in sections_of(asked)]
    hint = f"; there are {', '.join(known)}"
    return [
        Problem(
            f"report.sections[{place}]",
            "unknown_section",
            f'"{name}" is no section{did_you_mean(name, known) or hint}',
        )
        for place, name in enumerate(wanted)
        if name not in known
    ]


def _chosen(inputs: ReportInputs) -> list[Section]:
    wanted, sections = inputs.sections, sections_of(inputs.analysis)
    if problems := section_problems(wanted, inputs.analysis):
        raise InputError(problems)
    return [section for section in sections if not wanted or section.identifier in wanted]


def _made(section: Section, results: Results) -> Context | None:
    """Content, or the reason why there is none: one analysis that fails takes no other with it."""
    try:
        return section.make(results)
    except InputError as error:
        told = "; ".join(problem.message for problem in error.problems)
        return {"why": f"This could not be computed: {told}."}


def _with_warnings(content: Any) -> Any:
    """Copy of the content with n = 1 on every table."""
    if isinstance(content, Table):
        return replace(content, caution="n = 1")
    if isinstance(content, dict):
        return {key: _with_warnings(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_with_warnings(value) for value in content]
    return content
