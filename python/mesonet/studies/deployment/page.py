"""Sections of the page of `deployment-mix`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from mesonet.figures import percent
from mesonet.report.charts import picture
from mesonet.report.tables import Column, Table, counts, numbers, percents, table, words
from mesonet.studies.deployment.bottleneck import DEEP, FLOWS
from mesonet.studies.deployment.charts import (
    FILE_NAMES,
    bottleneck_chart,
    file_colours,
    network_chart,
    share_chart,
    side_colours,
)
from mesonet.studies.deployment.cohorts import FILES
from mesonet.studies.deployment.game import outlook
from mesonet.studies.deployment.outcomes import Outcomes
from mesonet.studies.deployment.starvation import STARVED
from mesonet.studies.deployment.words import steps_of, summary
from mesonet.studies.page import Section, Shown

_SIGNS = {-1: "−", 0: "0", 1: "+"}
_FILES = pl.col("file").replace_strict(FILE_NAMES, return_dtype=pl.String)


@dataclass(frozen=True)
class Material:
    """Everything that the page shows.

    Attributes:
        incumbent: Name of its algorithm.
        newcomers: Names of theirs, in order.
        conditions: What each is, in words, by number.
        found: What the national network gave.
        together: `algorithm`, `condition`, `file`, and intervals of `goodput` where all algorithms
            have equal shares; empty with one newcomer.
        game: As `bottleneck.play` gives it.
        rivals: As `bottleneck.face` gives it.
    """

    incumbent: str
    newcomers: Sequence[str]
    conditions: Mapping[int, str]
    found: Outcomes
    together: pl.DataFrame
    game: pl.DataFrame
    rivals: pl.DataFrame


def sections(material: Material) -> list[Section]:
    """The page, newcomer by newcomer, then all together, then the bottleneck."""
    found: list[Section] = []
    for place, newcomer in enumerate(material.newcomers):
        found += [
            _answers(material, newcomer, place),
            _switching(material, newcomer, place),
            _goodput(material, newcomer, place),
            _harm(material, newcomer, place),
            _network(material, newcomer, place),
        ]
    if not material.together.is_empty():
        found.append(_together(material))
    if not material.game.is_empty():
        found.append(_bottleneck(material))
    return found


def _name(place: int, what: str) -> str:
    return what if place == 0 else f"{what}-{place + 1}"


def _answers(material: Material, newcomer: str, place: int) -> Section:
    return Section(
        _name(place, "rfc-9743"),
        f"{newcomer}: what RFC 9743 asks",
        text=tuple(summary(material.found, material.incumbent, newcomer, material.conditions)),
        notes=(
            "Ranges are 95 % intervals over replicates of these very conditions. They are not "
            "adjusted for their number: of a hundred cells without any effect, about five would "
            "be called certain.",
        ),
    )


def _switching(material: Material, newcomer: str, place: int) -> Section:
    rows: list[dict[str, str]] = []
    columns: dict[str, str] = {}
    for number, condition in material.conditions.items():
        for file in FILES:
            steps = steps_of(material.found.ratios, newcomer, number, file)
            row = {"condition": condition, "file": FILE_NAMES[file]}
            for step in steps:
                key = f"{100 * step.before:.0f}-{100 * step.after:.0f}"
                columns[key] = f"{100 * step.before:.0f} → {100 * step.after:.0f} %"
                row[key] = f"{_SIGNS[step.sign]} ({percent(step.gain)})"
            rows.append(row | {"outlook": outlook(steps).words()})
    ordered = sorted(columns, key=lambda key: int(key.split("-")[0]))
    schema = dict.fromkeys(("condition", "file", *ordered, "outlook"), pl.String)
    switchers = material.found.ratios.filter(
        (pl.col("newcomer") == newcomer)
        & (pl.col("who") == "switchers")
        & (pl.col("measure") == "goodput")
    ).with_columns(_FILES, pl.col("mean", "lower", "upper") - 1)
    chart = share_chart(
        switchers,
        colour=("file", file_colours()),
        columns=material.conditions,
        title="Gain of those who switch",
        level=0,
    )
    return Section(
        _name(place, "switching"),
        f"{newcomer}: who gains by switching",
        text=(
            "At every step the sources that turn from "
            f"{material.incumbent} to {newcomer} are compared with themselves: the same sources, "
            "with the same files and receivers, before and after. A plus or a minus says that the "
            "95 % interval of their gain in mean goodput lies above or below zero, a 0 that it "
            "does not tell. If sources switch whenever they gain, plus at every step leads to "
            "universal deployment, minus at the first step stops it before it begins, and plus "
            "followed by minus leaves a mix.",
        ),
        charts=(
            Shown(
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
            "Sources of a step switch together, so that their gain contains what they do to each "
            "other; a single source would be too few transfers to measure.",
        ),
    )


def _goodput(material: Material, newcomer: str, place: int) -> Section:
    sides = {"stayers": material.incumbent, "adopters": newcomer}
    mine = material.found.ratios.filter(
        (pl.col("newcomer") == newcomer) & pl.col("who").is_in(list(sides))
    ).with_columns(pl.col("who").replace_strict(sides, return_dtype=pl.String), _FILES)
    charts = []
    for measure, title, caption in (
        (
            "goodput",
            "Goodput over before",
            f"Mean goodput of the sources that keep {material.incumbent} and of those that use "
            f"{newcomer}, each over what the same sources got before anybody switched. Where the "
            "curves cross, neither side is better off than the other.",
        ),
        (
            "duration",
            "Completion time over before",
            "Mean completion time of transfers in the same way. Above the dashed line, "
            "completion takes longer than before.",
        ),
    ):
        chart = share_chart(
            mine.filter(pl.col("measure") == measure),
            colour=("who", side_colours(material.incumbent, newcomer)),
            columns=material.conditions,
            rows=("file", list(FILE_NAMES.values())),
            title=title,
            level=1,
        )
        identifier = _name(place, f"{measure}-chart")
        charts.append(Shown(picture(identifier, chart, f"{title}, by side, file, condition."), caption))
    return Section(
        _name(place, "goodput"),
        f"{newcomer}: both sides at every share",
        charts=tuple(charts),
        tables=(("All ratios", _ratios(material, newcomer, place)),),
    )


def _ratios(material: Material, newcomer: str, place: int) -> Table:
    frame = material.found.ratios.filter(
        (pl.col("newcomer") == newcomer) & (pl.col("percent") > 0)
    ).with_columns(_FILES, _conditions(material))
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
            *_interval_columns(numbers),
        ),
    )


def _conditions(material: Material) -> pl.Expr:
    number = pl.col("condition").cast(pl.Int64)
    return number.replace_strict(material.conditions, return_dtype=pl.String).alias("conditions")


def _interval_columns(form: object) -> tuple[Column, ...]:
    make = percents if form is percents else numbers
    ends = (("mean", "Mean"), ("lower", "Lower"), ("upper", "Upper"))
    return (*(make(name, heading) for name, heading in ends), counts("n", "Replicates"))


def _harm(material: Material, newcomer: str, place: int) -> Section:
    mine = material.found.harm.filter(pl.col("newcomer") == newcomer).with_columns(
        _FILES, _conditions(material)
    )
    starved = material.found.starved.filter(pl.col("newcomer") == newcomer).with_columns(
        pl.col("who").replace_strict(
            {"incumbent": material.incumbent, "newcomer": newcomer}, return_dtype=pl.String
        ),
        _conditions(material),
    )
    curves = (
        (
            "harm-chart",
            share_chart(
                mine.filter(pl.col("measure") == "goodput"),
                colour=("file", file_colours()),
                columns=material.conditions,
                title="Harm",
                level=0,
            ),
            f"Harm to the goodput of sources that keep {material.incumbent}: the part of it that "
            "they lose to the deployment. Below zero they gain.",
        ),
        (
            "starved-chart",
            share_chart(
                starved,
                colour=("who", side_colours(material.incumbent, newcomer)),
                columns=material.conditions,
                title="Starved transfers",
            ),
            f"Part of the transfers whose goodput is below {STARVED:.0%} of the median of their "
            "flow group (path class, interface, kind of file) before anybody switched.",
        ),
    )
    shown = tuple(
        Shown(picture(_name(place, name), chart, caption), caption)
        for name, chart, caption in curves
    )
    return Section(
        _name(place, "harm"),
        f"{newcomer}: harm and starvation",
        text=(
            "Harm is that of Ware, Mukerjee, Seshan and Sherry (HotNets 2019): (x − y) / x for "
            "goodput, (y − x) / y for completion times, with x the value before anybody switched "
            "and y the value now. Both are of the same sources.",
        ),
        charts=shown,
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
                        *_interval_columns(percents),
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
                        *_interval_columns(percents),
                    ),
                ),
            ),
        ),
    )


_NETWORK = (
    ("loss", "Losses", "Dropped packets over all that were sent.", True),
    ("queueing", "Queueing delay (s)", "Mean over flows and time.", False),
    ("goodput", "Goodput (segments/s)", "Segments of completed files per second.", False),
)


def _network(material: Material, newcomer: str, place: int) -> Section:
    mine = material.found.network.filter(pl.col("newcomer") == newcomer)
    charts = []
    for measure, title, caption, as_percent in _NETWORK:
        chart = network_chart(
            mine, columns=material.conditions, measure=measure, title=title, percent=as_percent
        )
        identifier = _name(place, f"network-{measure}")
        charts.append(Shown(picture(identifier, chart, f"{title} over the share."), caption))
    return Section(
        _name(place, "network"),
        f"{newcomer}: the network as a whole",
        charts=tuple(charts),
        tables=(
            (
                "Responses of the network",
                table(
                    _name(place, "network"),
                    mine.with_columns(_conditions(material)),
                    (
                        words("conditions", "Condition"),
                        counts("percent", "Share (%)"),
                        words("measure", "Response"),
                        *_interval_columns(numbers),
                    ),
                ),
            ),
        ),
    )


def _together(material: Material) -> Section:
    frame = material.together.with_columns(_FILES, _conditions(material))
    return Section(
        "together",
        "All at equal shares",
        text=(
            "All algorithms at once, each used by as many sources. Ratios compare the sources of "
            f"an algorithm with themselves where all use {material.incumbent}.",
        ),
        tables=(
            (
                "Goodput over before",
                table(
                    "together",
                    frame,
                    (
                        words("conditions", "Condition"),
                        words("algorithm", "Algorithm"),
                        words("file", "Files"),
                        *_interval_columns(numbers),
                    ),
                ),
            ),
        ),
    )


def _bottleneck(material: Material) -> Section:
    charts = []
    for place, newcomer in enumerate(material.game["newcomer"].unique(maintain_order=True)):
        caption = (
            f"{newcomer}: goodput per flow, in fair shares, means and ranges over replicates. A "
            "flow that switches moves from the one curve to the other, a step to the right. Where "
            "that is no longer upwards, a mix is at rest."
        )
        chart = bottleneck_chart(
            material.game, incumbent=material.incumbent, newcomer=newcomer, flows=FLOWS
        )
        charts.append(Shown(picture(f"bottleneck-{place + 1}", chart, caption), caption))
    one = material.rivals.group_by("newcomer", "rivals", maintain_order=True).agg(
        pl.col("share").mean().alias("mean"),
        pl.col("share").min().alias("lowest"),
        pl.col("share").max().alias("highest"),
    )
    return Section(
        "bottleneck",
        "Where others asked: one bottleneck",
        text=(
            f"{FLOWS} long-lived flows share 50 Mbit/s at 40 ms; the second half of each run "
            "counts. Publications speak of this world, so that it decides their claims. It is not "
            "the national network, where most flows end before any equilibrium.",
        ),
        charts=tuple(charts),
        tables=(
            (
                f"A single flow among flows of {material.incumbent}, buffer of {DEEP} "
                "bandwidth-delay products: part of the capacity",
                table(
                    "rivals",
                    one,
                    (
                        words("newcomer", "Algorithm"),
                        counts("rivals", f"Flows of {material.incumbent}"),
                        percents("mean", "Mean"),
                        percents("lowest", "Lowest"),
                        percents("highest", "Highest"),
                    ),
                ),
            ),
        ),
    )


