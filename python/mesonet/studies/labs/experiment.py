"""An experiment of the laboratory as a study: runs under every reading, figures, verdicts, page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from mesonet.dumbbell import Dumbbell
from mesonet.errors import PlanError, Problem
from mesonet.report.tables import counts, table, words
from mesonet.studies.bench import Item
from mesonet.studies.labs.figures import Runs
from mesonet.studies.labs.laboratory import SETTINGS
from mesonet.studies.labs.measures import loss_events, measure_segments
from mesonet.studies.labs.readings import CHOSEN, READINGS, VARIED, Reading
from mesonet.studies.page import Section
from mesonet.studies.scorecard import Claim, score
from mesonet.studies.study import Findings, Gathered, Options, Prepared, Size, Study

SOURCE = (
    'B. Elison, J. Eklund, "Congestion Control Part 2", student report, Brigham Young University, '
    "31 March 2016"
)
SIZES: Mapping[Size, str] = {
    "pocket": "everything as published, and the three other readings of the report",
    "desk": "everything as published, and what the report leaves open varied: its readings, queue, "
    "threshold, initial window, timer, acknowledgements, recovery, delay, rate, file size",
    "full": "as desk; nothing larger was published",
}


@dataclass(frozen=True)
class Experiment:
    """What one study of the laboratory does.

    Attributes:
        name: Of the study.
        title: Of the page.
        question: One sentence.
        scenarios: Runs by name under a reading; the second argument is the algorithm.
        figures: From those runs.
        claims: What was published.
        sections: Of the page, from the runs of the chosen reading; asked for with an algorithm.
        handout: Sections for students.
        algorithms: Whether other algorithms can be tried; else the study is about its own.
    """

    name: str
    title: str
    question: str
    scenarios: Callable[[Reading, str], Mapping[str, Dumbbell]]
    figures: Callable[[Runs, Reading], Mapping[str, float]]
    claims: Sequence[Claim]
    sections: Callable[[Runs, str], list[Section]]
    handout: Callable[[], list[Section]]
    algorithms: bool = False

    def study(self) -> Study:
        """The study."""
        return Study(
            self.name, self.title, self.question, SOURCE, SIZES, self._prepare, self.claims
        )

    def _prepare(self, options: Options) -> Prepared:
        chosen = self._algorithms(options)
        seed = 1 if options.seed is None else options.seed
        readings = READINGS[1:] if options.size == "pocket" else VARIED
        items = [
            Item(_name(run, algorithm), scenario, measure_segments, seed=seed)
            for algorithm in chosen
            for run, scenario in self.scenarios(CHOSEN, algorithm).items()
        ]
        if _STANDARD in chosen:
            items += [
                Item(_varied(run, reading), scenario, measure_segments, seed=seed)
                for reading in readings
                for run, scenario in self.scenarios(reading, _STANDARD).items()
            ]
        else:
            readings = ()

        def find(gathered: Gathered) -> Findings:
            return self._find(gathered, chosen, readings)

        return Prepared(find, items, settings=SETTINGS)

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

    def _find(
        self, gathered: Gathered, chosen: Sequence[str], readings: Sequence[Reading]
    ) -> Findings:
        figures = self._unmeasured()
        sections = []
        for algorithm in chosen:
            wanted = self.scenarios(CHOSEN, algorithm)
            runs = {
                run: gathered.results[_name(run, algorithm)]
                for run in wanted
                if _name(run, algorithm) in gathered.results
            }
            if len(runs) < len(wanted):
                continue
            if algorithm == _STANDARD:
                figures |= self.figures(runs, CHOSEN)
            sections += self.sections(runs, algorithm)
        if _STANDARD in chosen:
            sections.append(self._sensitivity(gathered, readings))
        return Findings(figures, [*sections, *self.handout()])

    def _unmeasured(self) -> dict[str, float]:
        return self.study().unmeasured()

    def _sensitivity(self, gathered: Gathered, readings: Sequence[Reading]) -> Section:
        rows = []
        for reading in (CHOSEN, *readings):
            wanted = self.scenarios(reading, _STANDARD)
            named = {
                run: _name(run, _STANDARD) if reading is CHOSEN else _varied(run, reading)
                for run in wanted
            }
            if any(name not in gathered.results for name in named.values()):
                continue
            runs = {run: gathered.results[name] for run, name in named.items()}
            rows.append(self._row(reading, runs))
        columns = [
            words("reading", "Setting"),
            *(words(name, _HEADINGS.get(name, name)) for name in self._shown()),
            counts("agrees", "Claims that agree"),
            counts("disagrees", "that do not"),
            words("missed", "Which do not"),
        ]
        frame = pl.DataFrame(rows, infer_schema_length=None)
        return Section(
            "sensitivity",
            "What the report leaves open",
            text=(
                (
                    "The scorecard judges the first row. The others change one thing each: how "
                    "the report is read, then conditions of the laboratory. Completion times, in "
                    "seconds from the first segment of each flow to its last acknowledgement; in "
                    "brackets the number of loss events."
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

    def _row(self, reading: Reading, runs: Runs) -> dict[str, Any]:
        figures = self._unmeasured() | dict(self.figures(runs, reading))
        card = score(self.name, "", self.claims, figures)
        tally = card.counts()
        missed = [entry.claim.id for entry in card.entries if entry.verdict == "disagrees"]
        row: dict[str, Any] = {"reading": reading.label}
        for run in self._shown():
            times = " ".join(
                "never" if flow["completion"] is None else f"{flow['completion']:.2f}"
                for flow in runs[run]["flows"].values()
            )
            row[run] = f"{times}\N{NO-BREAK SPACE}({len(loss_events(runs[run]))})"
        return row | {
            "agrees": tally["agrees"],
            "disagrees": tally["disagrees"],
            "missed": ", ".join(missed) or "none",
        }


_STANDARD = "reno"
_HIDDEN = ("long", "low", "standard")
_HEADINGS = {
    "one": "One flow",
    "two": "Two flows",
    "five": "Five flows",
    "aiad": "AIAD",
    "aimd56": "Five sixths",
    "competing": "Blue and red",
    "rtt": "Far and near",
}


def _name(run: str, algorithm: str) -> str:
    return run if algorithm == _STANDARD else f"{run} {algorithm}"


def _varied(run: str, reading: Reading) -> str:
    return f"{run}, {reading.label}"
