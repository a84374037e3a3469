"""Standard TCP in the laboratory: one, two and five flows. Figures 1 to 12 of the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mesonet.dumbbell import Dumbbell
from mesonet.report.charts import picture
from mesonet.studies.labs import handout
from mesonet.studies.labs.charts import queue_chart, rate_chart, sequence_chart, window_chart
from mesonet.studies.labs.claims import FIVE, ONE, TWO
from mesonet.studies.labs.experiment import Experiment
from mesonet.studies.labs.figures import Runs, five_flows, one_flow, two_flows
from mesonet.studies.labs.measures import Measured
from mesonet.studies.labs.readings import Reading
from mesonet.studies.page import Section, Shown


def _scenarios(reading: Reading, algorithm: str) -> Mapping[str, Dumbbell]:
    large = replace(reading, size=10 * reading.size)
    long = large.laboratory([large.standard(algorithm, name="A")], duration=40.0)
    one = reading.laboratory([reading.standard(algorithm, name="A")])
    return {
        "one": one,
        "two": reading.two(algorithm),
        "five": reading.five(algorithm),
        "long": long,
    }


def _figures(runs: Runs, _reading: Reading) -> Mapping[str, float]:
    figures = one_flow(runs) | two_flows(runs) | five_flows(runs)
    return figures | {"two.steeper": figures["two.queue_slope"] - figures["one.queue_slope"]}


@dataclass(frozen=True)
class _Whose:
    """Whose runs a page shows.

    Attributes:
        mark: Of identifiers; empty for the study's own algorithm.
        words: Of titles and descriptions, likewise.
    """

    mark: str
    words: str

    def shown(self, figure: str, chart: object, description: str, caption: str) -> Shown:
        return Shown(
            picture(f"figure-{figure}{self.mark}", chart, description + self.words), caption
        )


def _sections(runs: Runs, algorithm: str) -> list[Section]:
    own = algorithm == "reno"
    whose = _Whose("", "") if own else _Whose(f"-{algorithm}", f", {algorithm}")
    return [_one(runs["one"], whose), _two(runs["two"], whose), _five(runs["five"], whose)]


def _one(run: Measured, whose: _Whose) -> Section:
    return Section(
        f"one{whose.mark}",
        f"One flow{whose.words}",
        text=("One file of 1 MB over an empty link. Figures 1 to 4 of the report.",),
        charts=(
            whose.shown(
                "1",
                rate_chart(run),
                "Receive rate of one flow over time",
                "Figure 1. The receive rate reaches the link's (dashed) within 0.3 s. It falls "
                "after each loss event, when the flow starts again from one segment.",
            ),
            whose.shown(
                "2",
                queue_chart(run),
                "Queue of one flow over time",
                "Figure 2. Slow start fills the queue; crosses are lost segments. After the "
                "second peak the queue no longer overflows.",
            ),
            whose.shown(
                "3",
                window_chart(run, "A"),
                "Window of one flow over time",
                "Figure 3. The saw-tooth; a cross says where the window fell, and from what. "
                "Between overflow and its discovery lies a round trip, in which slow start "
                "doubles the window once more.",
            ),
            whose.shown(
                "4",
                sequence_chart(run, "A"),
                "Sequence plot of one flow",
                "Figure 4. Every segment sent (blue), sent again (orange) and lost (cross); "
                "the line is what is acknowledged. Follow one cross upwards in time to the "
                "orange dot at its height: that is its repair.",
            ),
        ),
    )


def _two(run: Measured, whose: _Whose) -> Section:
    top = max(max(flow["window"]) for flow in run["flows"].values())
    return Section(
        f"two{whose.mark}",
        f"Two flows{whose.words}",
        text=("Two files of 1 MB that start together. Figures 5 to 10 of the report.",),
        charts=(
            whose.shown(
                "5",
                rate_chart(run),
                "Receive rates of two flows over time",
                "Figure 5. Two equal flows. They begin alike; the losses part them.",
            ),
            whose.shown(
                "6",
                queue_chart(run),
                "Queue of two flows over time",
                "Figure 6. Two peaks with losses, coloured by the flow that lost. Compare the "
                "slope at the end with that of Figure 2.",
            ),
            *(
                whose.shown(
                    figure,
                    window_chart(run, name, top=top),
                    f"Window of flow {name} over time",
                    f"Figure {figure}. The window of flow {name}.",
                )
                for figure, name in (("7", "A"), ("8", "B"))
            ),
            *(
                whose.shown(
                    figure,
                    sequence_chart(run, name),
                    f"Sequence plot of flow {name}",
                    f"Figure {figure}. The segments of flow {name}.",
                )
                for figure, name in (("9", "A"), ("10", "B"))
            ),
        ),
    )


def _five(run: Measured, whose: _Whose) -> Section:
    return Section(
        f"five{whose.mark}",
        f"Five flows{whose.words}",
        text=(
            (
                "Five files of 1 MB, each starting 0.1 s after the one before, with an initial "
                "threshold of 16,000 bytes. Figures 11 and 12 of the report."
            ),
        ),
        charts=(
            whose.shown(
                "11",
                rate_chart(run),
                "Receive rates of five flows over time",
                "Figure 11. Flow A is first and gives way as the others join; from 1.3 s on "
                "all have about a fifth. From 3 s on flows finish and leave their share.",
            ),
            whose.shown(
                "12",
                queue_chart(run),
                "Queue of five flows over time",
                "Figure 12. Additive increase fills the queue slowly, and each loss costs a "
                "single segment.",
            ),
        ),
    )


RENO_STUDY = Experiment(
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
