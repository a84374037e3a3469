"""An experiment of the laboratory as a study: runs, figures, verdicts and page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from mesonet.errors import PlanError, Problem
from mesonet.report.tables import counts, table, words
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.studies.bench import Item
from mesonet.studies.labs.figures import Runs
from mesonet.studies.labs.interpretations import CHOSEN, INTERPRETATIONS, VARIED, Interpretation
from mesonet.studies.labs.laboratory import SETTINGS
from mesonet.studies.labs.measures import RunNumbers, loss_events, measure_segments
from mesonet.studies.page import Section
from mesonet.studies.scorecard import Claim, Verdict, score
from mesonet.studies.study import Options, Prepared, RunResults, Size, Study, StudyOutput

SOURCE = (
    'B. Elison, J. Eklund, "Congestion Control Part 2", student report, Brigham Young University, '
    "31 March 2016"
)
SIZES: Mapping[Size, str] = {
    "pocket": "everything as published, and the three other interpretations of the report",
    "desk": "everything as published, and what the report leaves open varied: its interpretations, "
    "queue, threshold, initial window, timer, acknowledgements, recovery, delay, rate, file size",
    "full": "as desk; nothing larger was published",
}


@dataclass(frozen=True)
class LaboratoryExperiment:
    """Experiment of the laboratory, from which a study is made.

    Attributes:
        name: Name of the study.
        title: Title of the page.
        question: Question of the study, in one sentence.
        scenarios: Function that gives the runs by name, for an interpretation and an algorithm.
        figures: Function that computes the figures from those runs.
        claims: Published claims.
        sections: Sections of the page, from the runs of the chosen interpretation, an algorithm and
            how many algorithms the page shows before it.
        handout: Sections for students, who are to try an algorithm.
        algorithms: True if other algorithms can be tried; else the study is about its own.
    """

    name: str
    title: str
    question: str
    scenarios: Callable[[Interpretation, str], Mapping[str, Dumbbell]]
    figures: Callable[[Runs, Interpretation], Mapping[str, float]]
    claims: Sequence[Claim]
    sections: Callable[[Runs, str, int], list[Section]]
    handout: Callable[[str], list[Section]]
    algorithms: bool = False

    def study(self) -> Study:
        """The study."""
        return Study(
            self.name, self.title, self.question, SOURCE, SIZES, self._prepare, self.claims
        )

    def _prepare(self, options: Options) -> Prepared:
        chosen = self._algorithms(options)
        seed = 1 if options.seed is None else options.seed
        interpretations = INTERPRETATIONS[1:] if options.size == "pocket" else VARIED
        items = [
            Item(_name(run, algorithm), scenario, measure_segments, seed=seed)
            for algorithm in chosen
            for run, scenario in self.scenarios(CHOSEN, algorithm).items()
        ]
        if _STANDARD in chosen:
            items += [
                Item(_varied(run, interpretation), scenario, measure_segments, seed=seed)
                for interpretation in interpretations
                for run, scenario in self.scenarios(interpretation, _STANDARD).items()
            ]
        else:
            interpretations = ()

        def evaluate(run_results: RunResults) -> StudyOutput:
            return self._evaluate(run_results, options.size, chosen, interpretations)

        return Prepared(evaluate, items, settings=SETTINGS)

    def _algorithms(self, options: Options) -> tuple[str, ...]:
        problems = []
        if options.replicates is not None:
            message = "expected none: nothing in the laboratory is random, every run is the same"
            problems.append(Problem("replicates", "unsupported", message))
        if options.algorithms is not None and not self.algorithms:
            message = (
                f"{self.name} is about its own algorithms; lab-reno and lab-rtt take any, "
                "for instance lab-reno --algorithms aiad,cubic"
            )
            problems.append(Problem("algorithms", "unsupported", message))
        elif options.algorithms is not None and not options.algorithms:
            message = "expected at least one algorithm, got none"
            problems.append(Problem("algorithms", "empty", message))
        if problems:
            raise PlanError(problems)
        return options.algorithms or (_STANDARD,)

    def _evaluate(
        self,
        run_results: RunResults,
        size: Size,
        chosen: Sequence[str],
        interpretations: Sequence[Interpretation],
    ) -> StudyOutput:
        figures = self._unmeasured()
        sections = []
        for place, algorithm in enumerate(chosen):
            wanted = self.scenarios(CHOSEN, algorithm)
            runs = {
                run: run_results.results[_name(run, algorithm)]
                for run in wanted
                if _name(run, algorithm) in run_results.results
            }
            if len(runs) < len(wanted):
                continue
            if algorithm == _STANDARD:
                figures |= self.figures(runs, CHOSEN)
            sections += self.sections(runs, algorithm, place)
        judged = _STANDARD in chosen
        if judged:
            sections.append(self._sensitivity(run_results, interpretations))
        sections += self.handout(_STANDARD if judged else chosen[0])
        return StudyOutput(figures, sections, size=_what(size, chosen), judged=judged)

    def _unmeasured(self) -> dict[str, float]:
        return self.study().unmeasured()

    def _sensitivity(
        self, run_results: RunResults, interpretations: Sequence[Interpretation]
    ) -> Section:
        rows: list[dict[str, Any]] = []
        first: Mapping[str, Verdict] = {}
        for interpretation in (CHOSEN, *interpretations):
            wanted = self.scenarios(interpretation, _STANDARD)
            named = {
                run: _name(run, _STANDARD)
                if interpretation is CHOSEN
                else _varied(run, interpretation)
                for run in wanted
            }
            if any(name not in run_results.results for name in named.values()):
                continue
            runs = {run: run_results.results[name] for run, name in named.items()}
            rows.append(self._row(interpretation, runs, first))
            first = first or self._verdicts(interpretation, runs)
        columns = [
            words("reading", "Setting"),
            *(words(name, f"{_HEADINGS.get(name, name)} [s]") for name in self._shown()),
            counts("agrees", "Agree"),
            counts("disagrees", "Disagree"),
            words("changed", "Other verdicts than in the first row"),
        ]
        frame = pl.DataFrame(rows, infer_schema_length=None)
        return Section(
            "sensitivity",
            "What the report leaves open",
            text=(
                (
                    "The scorecard judges the first row. The others change one thing each: how "
                    "the report is read, then conditions of the laboratory; those that begin with "
                    "“both” change both interpretations at once. Completion times count from the "
                    "first segment of each flow to its last acknowledgement; events are those of "
                    "loss, and claims of the scorecard agree or disagree."
                ),
                (
                    "Where a row far below differs little from the first, the report's conclusion "
                    "is robust; where a queue of one packet more changes it, it is an accident of "
                    "this file size. That is worth a discussion."
                ),
            ),
            tables=(("Completion times and verdicts by setting", table(self.name, frame, columns)),)
            if rows
            else (),
        )

    def _shown(self) -> list[str]:
        return [run for run in self.scenarios(CHOSEN, _STANDARD) if run not in _HIDDEN]

    def _verdicts(self, interpretation: Interpretation, runs: Runs) -> dict[str, Verdict]:
        figures = self._unmeasured() | dict(self.figures(runs, interpretation))
        entries = score(self.name, "", self.claims, figures).entries
        return {entry.claim.text: entry.verdict for entry in entries}

    def _row(
        self, interpretation: Interpretation, runs: Runs, first: Mapping[str, Verdict]
    ) -> dict[str, Any]:
        verdicts = self._verdicts(interpretation, runs)
        tally = Counter(verdicts.values())
        changed = []
        for verdict, said in _CHANGES.items():
            here = [t for t, now in verdicts.items() if first and now == verdict != first[t]]
            if here:
                changed.append(f"{said}: {'; '.join(map(_short, here))}.")
        return {
            "reading": interpretation.label,
            **{run: _times(runs[run]) for run in self._shown()},
            "agrees": tally["agrees"],
            "disagrees": tally["disagrees"],
            "changed": " ".join(changed) or "none",
        }


_STANDARD = "reno"
_HIDDEN = ("long", "low", "standard")
_CHANGES: Mapping[Verdict, str] = {
    "agrees": "Now agree",
    "disagrees": "Now disagree",
    "not computable": "Now cannot be computed",
}
_HEADINGS = {
    "one": "One flow",
    "two": "Two flows",
    "five": "Five flows",
    "aiad": "AIAD",
    "aimd56": "Five sixths",
    "competing": "Blue and red",
    "rtt": "Far and near",
}


def _what(size: Size, chosen: Sequence[str]) -> str:
    """Description of the runs, in words."""
    others = ", ".join(name for name in chosen if name != _STANDARD)
    if _STANDARD not in chosen:
        return f"the report's experiments under {others}; the report has standard TCP"
    return SIZES[size] + (f"; the experiments under {others}, too" if others else "")


def _short(text: str) -> str:
    """A claim without its figure and unit."""
    return re.sub(r" \[.*?\]", "", text).partition(":")[0]


def _times(run: RunNumbers) -> str:
    """Completion time of each flow [s], and the number of loss events."""
    flows = run["flows"].values()
    *some, last = (
        "never" if flow["completion"] is None else f"{flow['completion']:.2f}" for flow in flows
    )
    times = f"{', '.join(some)} and {last}" if some else last
    events = len(loss_events(run))
    return f"{times}; {events}\N{NO-BREAK SPACE}event{'s' * (events != 1)}"


def _name(run: str, algorithm: str) -> str:
    return run if algorithm == _STANDARD else f"{run} {algorithm}"


def _varied(run: str, interpretation: Interpretation) -> str:
    return f"{run}, {interpretation.label}"
