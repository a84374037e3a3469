"""Unequal flows in the laboratory: two decreases, two distances. Figures 17 and 18."""

from __future__ import annotations

from collections.abc import Mapping

from mesonet.report.charts import picture
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.studies.labs import handout
from mesonet.studies.labs.charts import queue_chart, rate_chart, sequence_chart, window_chart
from mesonet.studies.labs.claims import COMPETING, RTT
from mesonet.studies.labs.experiment import LaboratoryExperiment
from mesonet.studies.labs.figures import Runs, competing_flows, two_distances
from mesonet.studies.labs.interpretations import Interpretation
from mesonet.studies.page import CaptionedChart, Section

_NEAR = "The near flow's window: that of one flow alone, nearly."
_FAR = "The far flow's window doubles ten times more slowly."
_COLUMNS = "The far flow's segments: one column of dots per round trip."


def _competing_scenarios(interpretation: Interpretation, _algorithm: str) -> Mapping[str, Dumbbell]:
    return {"competing": interpretation.competing()}


def _rtt_scenarios(interpretation: Interpretation, algorithm: str) -> Mapping[str, Dumbbell]:
    return {"rtt": interpretation.rtt(algorithm)}


def _rtt_figures(runs: Runs, _interpretation: Interpretation) -> Mapping[str, float]:
    return two_distances(runs)


def _competing_sections(runs: Runs, _algorithm: str, _place: int) -> list[Section]:
    run = runs["competing"]
    top = max(max(flow["window"]) for flow in run["flows"].values())
    return [
        Section(
            "competing",
            "Half against five sixths",
            text=(
                (
                    "Two files of 1 MB that start together: blue keeps half after a loss, red five "
                    "sixths. Figure 17 of the report."
                ),
                (
                    "The two multipliers are lost in the text that we have. It says that the "
                    "multiplier of red leaves more than that of blue, and the report tries two, "
                    "1/2 and 5/6."
                ),
            ),
            charts=(
                CaptionedChart(
                    picture("figure-17", rate_chart(run), "Receive rates of both over time"),
                    "Figure 17. Until the second loss event both are equal; then red has more.",
                ),
                *(
                    CaptionedChart(
                        picture(
                            f"window-{name}",
                            window_chart(run, name, top=top),
                            f"Window of {name} over time",
                        ),
                        f"The window of {name}, which keeps {kept} at each cross.",
                    )
                    for name, kept in (("blue", "half"), ("red", "five sixths"))
                ),
                CaptionedChart(
                    picture("queue", queue_chart(run), "Queue over time"),
                    "The queue, and who loses.",
                ),
            ),
        )
    ]


def _rtt_sections(runs: Runs, algorithm: str, place: int) -> list[Section]:
    run = runs["rtt"]
    mark = "" if algorithm == "reno" else f"-{algorithm}"
    # Captions of the study's own runs say what to see; of another algorithm's they would be wrong.
    charts = (
        (
            "figure-18",
            rate_chart(run),
            "Receive rates of both over time",
            (
                f"Figure {18 + place}. Receive rates; the link's is dashed."
                if mark
                else "Figure 18. The near flow has the link nearly for itself until it is done; "
                "then the far one fills it, a doubling every 200 ms."
            ),
        ),
        (
            "window-near",
            window_chart(run, "near"),
            "Window of the near flow over time",
            "The near flow's window." if mark else _NEAR,
        ),
        (
            "window-far",
            window_chart(run, "far"),
            "Window of the far flow over time",
            "The far flow's window." if mark else _FAR,
        ),
        ("queue", queue_chart(run), "Queue over time", "The queue, and who loses."),
        (
            "sequence-far",
            sequence_chart(run, "far"),
            "Sequence plot of the far flow",
            "The far flow's segments." if mark else _COLUMNS,
        ),
    )
    return [
        Section(
            f"rtt{mark}",
            "Far and near" if not mark else f"Far and near, {algorithm}",
            text=(
                (
                    "Two files of 1 MB that start together, one to a host 100 ms away, one to a "
                    "host 10 ms away. "
                    + (
                        "The report's Figure 18 shows them under standard TCP."
                        if mark
                        else "Figure 18 of the report."
                    )
                ),
                (
                    "The report contradicts itself: first the far flow is the first one, blue; "
                    "then the first flow is the one with the larger part, which can only be the "
                    "near one. Here they are called far and near."
                ),
            ),
            charts=tuple(
                CaptionedChart(picture(f"{name}{mark}", chart, description), caption)
                for name, chart, description, caption in charts
            ),
        )
    ]


COMPETING_STUDY = LaboratoryExperiment(
    "lab-competing-aimd",
    "A student's laboratory: two decreases on one link",
    "What does a flow gain that gives up less than its neighbour after a loss?",
    _competing_scenarios,
    competing_flows,
    COMPETING,
    _competing_sections,
    handout.competing,
).study()

RTT_STUDY = LaboratoryExperiment(
    "lab-rtt",
    "A student's laboratory: two distances on one link",
    "How do a near and a far flow share a link?",
    _rtt_scenarios,
    _rtt_figures,
    RTT,
    _rtt_sections,
    handout.rtt,
    algorithms=True,
).study()
