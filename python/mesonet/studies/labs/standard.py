"""Standard TCP in the laboratory: one, two and five flows. Figures 1 to 12 of the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mesonet.report.charts import picture
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.studies.labs import handout
from mesonet.studies.labs.charts import queue_chart, rate_chart, sequence_chart, window_chart
from mesonet.studies.labs.claims import FIVE, ONE, TWO
from mesonet.studies.labs.experiment import LaboratoryExperiment
from mesonet.studies.labs.figures import Runs, five_flows, one_flow, two_flows
from mesonet.studies.labs.interpretations import Interpretation
from mesonet.studies.labs.measures import RunNumbers, repair
from mesonet.studies.page import CaptionedChart, Section

_FIGURES = 12
"""Number of figures of the report that are remade here."""
_QUEUE = "Packets at the link; crosses are lost segments, coloured by flow."


def _scenarios(interpretation: Interpretation, algorithm: str) -> Mapping[str, Dumbbell]:
    large = replace(interpretation, size=10 * interpretation.size)
    long = large.laboratory([large.standard(algorithm, name="A")], duration=40.0)
    one = interpretation.laboratory([interpretation.standard(algorithm, name="A")])
    return {
        "one": one,
        "two": interpretation.two(algorithm),
        "five": interpretation.five(algorithm),
        "long": long,
    }


def _figures(runs: Runs, _interpretation: Interpretation) -> Mapping[str, float]:
    figures = one_flow(runs) | two_flows(runs) | five_flows(runs)
    return figures | {"two.steeper": figures["two.queue_slope"] - figures["one.queue_slope"]}


@dataclass(frozen=True)
class _Whose:
    """Algorithm whose runs a section shows.

    Attributes:
        mark: Suffix of identifiers; empty for the study's own algorithm.
        words: Suffix of titles and descriptions; empty for the study's own algorithm.
        before: Figures of the page before this algorithm's first one.
    """

    mark: str
    words: str
    before: int

    def says(self, own: str, other: str) -> str:
        """Words about the study's own runs, or others where they would be wrong of these runs."""
        return other if self.mark else own

    def captioned_chart(
        self, figure: int, chart: Any, what: str, own: str, other: str = ""
    ) -> CaptionedChart:
        """A chart with a caption: what is drawn and, of the study's own runs, what to see."""
        says = self.says(own, other or own)
        return CaptionedChart(
            picture(f"figure-{figure}{self.mark}", chart, what + self.words),
            f"Figure {figure + self.before}. {says}",
        )


def _sections(runs: Runs, algorithm: str, place: int) -> list[Section]:
    own = algorithm == "reno"
    mark, words = ("", "") if own else (f"-{algorithm}", f", {algorithm}")
    whose = _Whose(mark, words, _FIGURES * place)
    return [_one(runs["one"], whose), _two(runs["two"], whose), _five(runs["five"], whose)]


def _one(run: RunNumbers, whose: _Whose) -> Section:
    part = repair(run, "A")
    enlarged: tuple[CaptionedChart, ...] = ()
    if part is not None:
        enlarged = (
            CaptionedChart(
                picture(
                    f"figure-4-enlarged{whose.mark}",
                    sequence_chart(run, "A", part=part),
                    f"Sequence plot of one flow, enlarged{whose.words}",
                ),
                "A part of it, enlarged: the smallest loss event. Follow a cross to the right to "
                "the orange dot at its height: that is its repair. Acknowledgements in a level row "
                "are duplicates, which name the missing segment again and again.",
            ),
        )
    return Section(
        f"one{whose.mark}",
        f"One flow{whose.words}",
        text=(
            "One file of 1 MB over an empty link. "
            + whose.says(
                "Figures 1 to 4 of the report.",
                "The report's Figures 1 to 4 show it under standard TCP.",
            ),
        ),
        charts=(
            whose.captioned_chart(
                1,
                rate_chart(run),
                "Receive rate of one flow over time",
                "The receive rate reaches the link's (dashed) within 0.3 s. It falls after each "
                "loss event, when the flow starts again from one segment.",
                "Receive rate; the link's is dashed.",
            ),
            whose.captioned_chart(
                2,
                queue_chart(run),
                "Queue of one flow over time",
                "Slow start fills the queue; crosses are lost segments. After the second peak the "
                "queue no longer overflows.",
                _QUEUE,
            ),
            whose.captioned_chart(
                3,
                window_chart(run, "A"),
                "Window of one flow over time",
                "The saw-tooth; a cross says where the window fell, and from what. Between "
                "overflow and its discovery lies a round trip, in which slow start doubles the "
                "window once more.",
                "Window; a cross says where it fell, and from what.",
            ),
            whose.captioned_chart(
                4,
                sequence_chart(run, "A"),
                "Sequence plot of one flow",
                "Every segment sent (blue), sent again (orange) and lost (cross), and what is "
                "acknowledged (green).",
            ),
            *enlarged,
        ),
    )


def _two(run: RunNumbers, whose: _Whose) -> Section:
    top = max(max(flow["window"]) for flow in run["flows"].values())
    return Section(
        f"two{whose.mark}",
        f"Two flows{whose.words}",
        text=(
            "Two files of 1 MB that start together. "
            + whose.says(
                "Figures 5 to 10 of the report.",
                "The report's Figures 5 to 10 show them under standard TCP.",
            ),
        ),
        charts=(
            whose.captioned_chart(
                5,
                rate_chart(run),
                "Receive rates of two flows over time",
                "Two equal flows. They begin alike; the losses part them.",
                "Receive rates of two equal flows.",
            ),
            whose.captioned_chart(
                6,
                queue_chart(run),
                "Queue of two flows over time",
                "Two peaks with losses, coloured by the flow that lost. Compare the slope at the "
                "end with that of Figure 2.",
                _QUEUE,
            ),
            *(
                whose.captioned_chart(
                    figure,
                    window_chart(run, name, top=top),
                    f"Window of flow {name} over time",
                    f"The window of flow {name}.",
                )
                for figure, name in ((7, "A"), (8, "B"))
            ),
            *(
                whose.captioned_chart(
                    figure,
                    sequence_chart(run, name),
                    f"Sequence plot of flow {name}",
                    f"The segments of flow {name}.",
                )
                for figure, name in ((9, "A"), (10, "B"))
            ),
        ),
    )


def _five(run: RunNumbers, whose: _Whose) -> Section:
    return Section(
        f"five{whose.mark}",
        f"Five flows{whose.words}",
        text=(
            "Five files of 1 MB, each starting 0.1 s after the one before, with an initial "
            "threshold of 16,000 bytes. "
            + whose.says(
                "Figures 11 and 12 of the report.",
                "The report's Figures 11 and 12 show them under standard TCP.",
            ),
        ),
        charts=(
            whose.captioned_chart(
                11,
                rate_chart(run),
                "Receive rates of five flows over time",
                "Flow A is first and gives way as the others join; from 1.3 s on all have about a "
                "fifth. From 3 s on flows finish and leave their share.",
                "Receive rates of five flows, A first.",
            ),
            whose.captioned_chart(
                12,
                queue_chart(run),
                "Queue of five flows over time",
                "Additive increase fills the queue slowly, and each loss costs a single segment.",
                _QUEUE,
            ),
        ),
    )


RENO_STUDY = LaboratoryExperiment(
    "lab-reno",
    "A student's laboratory: one, two and five flows of TCP",
    "What do slow start, loss and additive increase look like on one link?",
    _scenarios,
    _figures,
    (*ONE, *TWO, *FIVE),
    _sections,
    handout.standard,
    algorithms=True,
).study()
