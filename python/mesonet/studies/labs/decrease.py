"""Other decreases in the laboratory: AIAD and five sixths. Figures 13 to 16 of the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mesonet.report.charts import picture
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.studies.labs import handout
from mesonet.studies.labs.charts import queue_chart, rate_chart, sequence_chart, window_chart
from mesonet.studies.labs.claims import AIAD, AIMD56
from mesonet.studies.labs.experiment import LaboratoryExperiment
from mesonet.studies.labs.figures import Runs, changed_decrease
from mesonet.studies.labs.interpretations import Decrease, Interpretation
from mesonet.studies.labs.quoted import QUOTED
from mesonet.studies.page import CaptionedChart, Section

LARGE = 4
"""Size of the large file over that of the others."""
LOW_THRESHOLD = 64_000
"""A threshold below the queue [bytes]."""
_SILENCE = f"from {QUOTED['silent from']} s to {QUOTED['silent to']} s"


def _large(interpretation: Interpretation, decrease: Decrease) -> Dumbbell:
    return replace(interpretation, size=LARGE * interpretation.size).one(decrease, duration=40.0)


def _aiad_scenarios(interpretation: Interpretation, _algorithm: str) -> Mapping[str, Dumbbell]:
    return {
        "standard": interpretation.one(),
        "aiad": interpretation.one("step"),
        "long": _large(interpretation, "step"),
        "low": interpretation.one("step", threshold=LOW_THRESHOLD),
    }


def _aimd56_scenarios(interpretation: Interpretation, _algorithm: str) -> Mapping[str, Dumbbell]:
    return {
        "standard": interpretation.one(),
        "aiad": interpretation.one("step"),
        "aimd56": interpretation.one("five sixths"),
        "long": _large(interpretation, "five sixths"),
    }


def _aiad_figures(runs: Runs, _interpretation: Interpretation) -> Mapping[str, float]:
    low, standard = (runs[name]["flows"]["A"]["completion"] for name in ("low", "standard"))
    return changed_decrease(runs, "aiad") | {"aiad.low_threshold": low / standard}


def _aimd56_figures(runs: Runs, _interpretation: Interpretation) -> Mapping[str, float]:
    figures = changed_decrease(runs, "aimd56")
    aiad = changed_decrease(runs, "aiad")
    return figures | {
        "aimd56.gain": aiad["aiad.completion"] - figures["aimd56.completion"],
        "aimd56.to_aiad": figures["aimd56.completion"] / aiad["aiad.completion"],
        "aimd56.falls_faster": figures["aimd56.fall"] - aiad["aiad.fall"],
    }


def _charts(runs: Runs, name: str, first: int, says: tuple[str, str]) -> tuple[CaptionedChart, ...]:
    run = runs[name]
    charts = (
        (f"figure-{first}", rate_chart(run), "Receive rate", f"Figure {first}. {says[0]}"),
        (
            f"figure-{first + 1}",
            window_chart(run, "A"),
            "Window",
            f"Figure {first + 1}. {says[1]}",
        ),
        (
            "queue",
            queue_chart(run),
            "Queue",
            (
                "The queue, which the report does not show: every slow start overflows it. Crosses "
                "are lost segments; on the dashed line the queue of 100 packets is full."
            ),
        ),
        (
            "sequence",
            sequence_chart(run, "A"),
            "Sequence plot",
            "The segments: every cross is repaired by an orange dot to its right, at its height.",
        ),
    )
    return tuple(
        CaptionedChart(picture(identifier, chart, f"{what} over time"), caption)
        for identifier, chart, what, caption in charts
    )


def _long(runs: Runs, what: str) -> Section:
    return Section(
        "larger",
        f"A file of {LARGE} MB",
        text=(
            (
                "A file of 1 MB is over before the algorithm has shown itself, and one lost "
                "segment at its end decides its time. This is the same with a larger file."
            ),
        ),
        charts=(
            CaptionedChart(
                picture("window-long", window_chart(runs["long"], "A"), "Window over time"), what
            ),
        ),
    )


def _aiad_sections(runs: Runs, _algorithm: str, _place: int) -> list[Section]:
    says = (
        (
            f"The receive rate with AIAD. It collapses after each peak, and {_SILENCE} the "
            "sender waits for its timer: the file's last segment was lost."
        ),
        (
            "Each loss leaves a threshold 1000 bytes below the window that it meets: the next slow "
            "start runs into the same wall."
        ),
    )
    return [
        Section(
            "aiad",
            "Additive decrease",
            text=(
                (
                    "One file of 1 MB; a loss event takes 1000 bytes (one segment) where standard "
                    "TCP takes half. Figures 13 and 14 of the report."
                ),
            ),
            charts=_charts(runs, "aiad", 13, says),
            notes=(
                (
                    "That this takes about 2.5 s, as printed, and twice as long as halving, is an "
                    "accident of the file's size: more than a second of it is the wait for the "
                    "timer, and with a queue of 101 packets nothing is lost at the end and it "
                    f"takes {QUOTED['aiad, 101 packets']} s."
                ),
            ),
        ),
        _long(runs, "The pattern goes on: peaks half a second apart, for 5 s."),
    ]


def _aimd56_sections(runs: Runs, _algorithm: str, _place: int) -> list[Section]:
    says = (
        (
            f"The receive rate with a decrease to five sixths. The wait {_SILENCE} is for the "
            "timer, as with AIAD."
        ),
        (
            f"The peaks fall: {QUOTED['five sixths peaks']} segments. With a larger file they "
            "fall until they are below what path and queue hold, 125."
        ),
    )
    return [
        Section(
            "aimd56",
            "Keeping five sixths",
            text=(
                (
                    "One file of 1 MB; a loss event leaves five sixths. Figures 15 and 16 of the "
                    "report."
                ),
            ),
            charts=_charts(runs, "aimd56", 15, says),
        ),
        _long(
            runs,
            f"After {QUOTED['five sixths events, 4 MB']} loss events the threshold fits, and "
            "losses all but end.",
        ),
    ]


AIAD_STUDY = LaboratoryExperiment(
    "lab-aiad",
    "A student's laboratory: additive decrease",
    "What if a loss took one segment instead of half of the window?",
    _aiad_scenarios,
    _aiad_figures,
    AIAD,
    _aiad_sections,
    handout.aiad,
).study()

AIMD56_STUDY = LaboratoryExperiment(
    "lab-aimd56",
    "A student's laboratory: keeping five sixths",
    "What if a loss left five sixths of the window instead of half?",
    _aimd56_scenarios,
    _aimd56_figures,
    AIMD56,
    _aimd56_sections,
    handout.aimd56,
).study()
