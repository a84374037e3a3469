"""Sections of the page about one newcomer."""

from __future__ import annotations

import polars as pl

from mesonet.figures import percent
from mesonet.report.charts import picture
from mesonet.report.tables import Table, counts, numbers, percents, table, words
from mesonet.studies.deployment.charts import (
    FILE_NAMES,
    file_chart,
    file_colours,
    network_chart,
    share_chart,
    side_colours,
)
from mesonet.studies.deployment.cohorts import FILES
from mesonet.studies.deployment.game import outlook
from mesonet.studies.deployment.page_context import (
    FILE,
    PageContext,
    conditions_of,
    interval_columns,
    parts,
)
from mesonet.studies.deployment.starvation import STARVED
from mesonet.studies.deployment.words import Deployment, summary
from mesonet.studies.page import CaptionedChart, Section

_SIGNS = {-1: "−", 0: "0", 1: "+"}


def _deployment(context: PageContext, newcomer: str) -> Deployment:
    return Deployment(
        context.found, context.incumbent, newcomer, context.conditions, context.replicates
    )


def newcomer_sections(context: PageContext, newcomer: str, place: int) -> list[Section]:
    """Sections on the results of the `place`-th newcomer, counted from 0."""
    makers = (_answers, _switching, _goodput, _harm, _network)
    return [make(context, newcomer, place) for make in makers]


def _name(place: int, what: str) -> str:
    return what if place == 0 else f"{what}-{place + 1}"


def _answers(context: PageContext, newcomer: str, place: int) -> Section:
    return Section(
        _name(place, "rfc-9743"),
        f"{newcomer}: what RFC 9743 asks",
        text=tuple(summary(_deployment(context, newcomer))),
        notes=(
            (
                f"Ranges are 95 % intervals over {context.replicates} replicates of these very "
                "conditions, or as many as are said. They are not adjusted for their number: of a "
                "hundred cells without any effect, about five would have an interval that excludes "
                "zero. Certain is what stands when p is adjusted by Holm for all cells that a "
                "paragraph counts: the probability that any of them is a false alarm is at most "
                "5 %. With few replicates little can be certain; what is not may still be there."
            ),
        ),
    )


def _switching(context: PageContext, newcomer: str, place: int) -> Section:
    rows: list[dict[str, str]] = []
    columns: dict[str, str] = {}
    mine = _deployment(context, newcomer)
    family = mine.switching()
    for number, condition in context.conditions.items():
        for file in FILES:
            steps = mine.steps(number, file)
            row = {"condition": condition, "file": FILE_NAMES[file]}
            for step in steps:
                key = f"{100 * step.before:.0f}-{100 * step.after:.0f}"
                columns[key] = f"{100 * step.before:.0f} → {100 * step.after:.0f} %"
                sign = _SIGNS[step.sign] * (2 if step.certain else 1)
                few = mine.few(step.n)
                row[key] = f"{sign} ({percent(step.gain)}{few and f', {few}'})"
            rows.append(row | {"outlook": outlook(steps).words()})
    ordered = sorted(columns, key=lambda key: int(key.split("-")[0]))
    schema = dict.fromkeys(("condition", "file", *ordered, "outlook"), pl.String)
    chart = share_chart(
        mine.gains("switchers").with_columns(FILE),
        colour=("file", file_colours()),
        columns=context.conditions,
        title="Gain of those who switch",
        level=0,
    )
    return Section(
        _name(place, "switching"),
        f"{newcomer}: who gains by switching",
        text=(
            (
                f"At every step the sources that turn from {context.incumbent} to {newcomer} are "
                "compared with themselves: the same sources, with the same files and receivers, "
                "before and after. A plus or a minus says that the 95 % interval of their gain in "
                "mean goodput lies above or below zero, a 0 that it does not tell. Of "
                f"{family.size} steps chance alone would give about {family.chance:.2g} plus and "
                "as many minus; a sign is doubled where it stands after Holm's adjustment for all "
                "of them. If sources switch whenever they gain, plus at every step leads to "
                "universal deployment, minus at the first step stops it before it begins, and plus "
                "followed by minus leaves a mix."
            ),
        ),
        charts=(
            CaptionedChart(
                picture(
                    _name(place, "switching-chart"),
                    chart,
                    "Relative gain in goodput of the sources that switch at each step, with "
                    "intervals, by kind of file, one panel per condition.",
                ),
                "Gain in mean goodput of the sources that switch at the step that ends at this "
                "share. Above the dashed line they gain.",
            ),
        ),
        tables=(
            (
                "Who gains at which share, under which condition",
                table(
                    _name(place, "switching"),
                    pl.DataFrame(rows, schema=schema),
                    (
                        words("condition", "Condition"),
                        words("file", "Files"),
                        *(words(key, columns[key]) for key in ordered),
                        words("outlook", "Outlook"),
                    ),
                ),
            ),
        ),
        notes=(
            (
                "Sources of a step switch together, so that their gain contains what they do to "
                "each other; a single source would be too few transfers to measure."
            ),
        ),
    )


def _goodput(context: PageContext, newcomer: str, place: int) -> Section:
    sides = {"stayers": context.incumbent, "adopters": newcomer}
    mine = context.found.ratios.filter(
        (pl.col("newcomer") == newcomer) & pl.col("who").is_in(list(sides))
    ).with_columns(pl.col("who").replace_strict(sides, return_dtype=pl.String), FILE)
    charts = []
    for measure, title, caption in (
        (
            "goodput",
            "Goodput over before",
            (
                f"Mean goodput of the sources that keep {context.incumbent} and of those that use "
                f"{newcomer}, each over what the same sources got before anybody switched. Where "
                "the curves cross, neither side is better off than the other."
            ),
        ),
        (
            "duration",
            "Completion time over before",
            (
                "Mean completion time of transfers in the same way. Above the dashed line, "
                "completion takes longer than before."
            ),
        ),
    ):
        chart = file_chart(
            mine.filter(pl.col("measure") == measure),
            colour=("who", side_colours(context.incumbent, newcomer)),
            columns=context.conditions,
            title=title,
            level=1,
        )
        identifier = _name(place, f"{measure}-chart")
        charts.append(
            CaptionedChart(
                picture(identifier, chart, f"{title}, by side, file, condition."), caption
            )
        )
    return Section(
        _name(place, "goodput"),
        f"{newcomer}: both sides at every share",
        charts=tuple(charts),
        tables=(("All ratios", _ratios(context, newcomer, place)),),
    )


def _ratios(context: PageContext, newcomer: str, place: int) -> Table:
    frame = context.found.ratios.filter(
        (pl.col("newcomer") == newcomer) & (pl.col("percent") > 0)
    ).with_columns(FILE, conditions_of(context))
    return table(
        _name(place, "ratios"),
        frame,
        (
            words("conditions", "Condition"),
            counts("percent", "Share (%)"),
            counts("before", "Compared with (%)"),
            words("who", "Sources"),
            words("file", "Files"),
            words("measure", "Measure"),
            *interval_columns(numbers),
        ),
    )


def _harm(context: PageContext, newcomer: str, place: int) -> Section:
    mine = context.found.harm.filter(pl.col("newcomer") == newcomer).with_columns(
        FILE, conditions_of(context)
    )
    starved = context.found.starved.filter(pl.col("newcomer") == newcomer).with_columns(
        pl.col("who").replace_strict(
            {"incumbent": context.incumbent, "newcomer": newcomer}, return_dtype=pl.String
        ),
        conditions_of(context),
    )
    curves = (
        (
            "harm-chart",
            share_chart(
                mine.filter(pl.col("measure") == "goodput"),
                colour=("file", file_colours()),
                columns=context.conditions,
                title="Harm",
                level=0,
            ),
            (
                f"Harm to the goodput of sources that keep {context.incumbent}: the part of it "
                "that they lose to the deployment. Below zero they gain."
            ),
        ),
        (
            "starved-chart",
            share_chart(
                starved,
                colour=("who", side_colours(context.incumbent, newcomer)),
                columns=context.conditions,
                title="Starved transfers",
                floor=0,
            ),
            (
                f"Part of the transfers whose goodput is below "
                f"{percent(STARVED, signed=False)} of the median of their "
                "flow group (path class, interface, kind of file) before anybody switched."
            ),
        ),
    )
    charts = tuple(
        CaptionedChart(picture(_name(place, name), chart, caption), caption)
        for name, chart, caption in curves
    )
    return Section(
        _name(place, "harm"),
        f"{newcomer}: harm and starvation",
        text=(
            (
                "Harm is that of Ware, Mukerjee, Seshan and Sherry (HotNets 2019): (x − y) / x "
                "for goodput, (y − x) / y for completion times, with x the value before anybody "
                "switched and y the value now, of the same sources. Before anybody switched, the "
                "incumbent met its own kind, so that this is harm beyond what it does to itself, "
                "the bar that they propose."
            ),
        ),
        charts=charts,
        tables=(
            (
                "Harm to those who stay",
                table(
                    _name(place, "harm"),
                    mine,
                    (
                        words("conditions", "Condition"),
                        counts("percent", "Share (%)"),
                        words("file", "Files"),
                        words("measure", "Measure"),
                        *interval_columns(percents),
                    ),
                ),
            ),
            (
                "Starved transfers",
                table(
                    _name(place, "starved"),
                    starved,
                    (
                        words("conditions", "Condition"),
                        counts("percent", "Share (%)"),
                        words("who", "Algorithm"),
                        *interval_columns(parts),
                    ),
                ),
            ),
        ),
    )


# Name, title of the axis, caption, level, whether it is a part.
_NETWORK: tuple[tuple[str, str, str, float | None, bool], ...] = (
    ("loss", "Losses", "Dropped packets over all that were sent.", None, True),
    ("queueing", "Queueing delay (s)", "Mean queueing delay over flows and time.", None, False),
    (
        "goodput_ratio",
        "Goodput over before",
        "Segments of completed files per second, over the same before anybody switched.",
        1.0,
        True,
    ),
)


def _network(context: PageContext, newcomer: str, place: int) -> Section:
    mine = context.found.network.filter(pl.col("newcomer") == newcomer)
    charts = []
    for measure, title, caption, level, as_percent in _NETWORK:
        chart = network_chart(
            mine,
            measure=measure,
            columns=context.conditions,
            title=title,
            level=level,
            percent=as_percent,
        )
        identifier = _name(place, f"network-{measure}")
        charts.append(
            CaptionedChart(picture(identifier, chart, f"{title} over the share."), caption)
        )
    return Section(
        _name(place, "network"),
        f"{newcomer}: the network as a whole",
        charts=tuple(charts),
        tables=(
            (
                "Responses of the network",
                table(
                    _name(place, "network"),
                    mine.with_columns(conditions_of(context)),
                    (
                        words("conditions", "Condition"),
                        counts("percent", "Share (%)"),
                        words("measure", "Response"),
                        *interval_columns(numbers),
                    ),
                ),
            ),
        ),
    )
