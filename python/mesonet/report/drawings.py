"""All figures of a report as files: SVG to edit, PDF to print."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from mesonet import figures as draw
from mesonet.analysis import (
    difference_histogram,
    flow_ranks,
    network_congestion,
    trace,
)
from mesonet.errors import InputError, MesonetError
from mesonet.report.results import Results

Draw = Callable[[], Any]


def write_figures(results: Results, folder: str | Path) -> list[Path]:
    """Writes every figure as NAME.svg and NAME.pdf.

    Raises:
        MesonetError: A file cannot be written.
    """
    place, written = Path(folder), []
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, make in drawings(results):
            chart = make()
            written += [draw.save(chart, place / f"{name}.{kind}") for kind in ("svg", "pdf")]
    except OSError as error:
        raise MesonetError(f"{place}: cannot be written: {error.strerror or error}") from error
    return written


def drawings(results: Results) -> Iterator[tuple[str, Draw]]:
    """Name and maker of every figure that the campaign can carry."""
    if results.inputs.frame.is_empty():
        return
    yield from _compared(results)
    yield from _caused(results)
    yield from _together(results)
    yield from _placed(results)


def _compared(results: Results) -> Iterator[tuple[str, Draw]]:
    look, names = results.look, results.names
    if (paired := results.paired) is not None and not paired.frame.is_empty():
        yield (
            "paired",
            partial(draw.forest_chart, paired.on(results.inputs.compared), look=look, names=names),
        )
    if (ranks := results.ranks) is not None:
        yield "ranks", partial(draw.rank_matrix_chart, ranks, names=names)
        yield "rank-scatter", partial(draw.rank_scatter_chart, ranks, look=look)
    coded = results.levels if results.two_level else None
    for one in results.conditions:
        if not one.frame.is_empty():
            yield (
                f"conditions-{_safe(one.response)}",
                partial(draw.condition_response_chart, one, look=look, names=names, levels=coded),
            )
    if (outliers := results.outliers) is not None:
        yield (
            "outliers",
            partial(
                draw.condition_summary_chart, outliers, look=look, names=names, order=results.order
            ),
        )
    # The page says why there is no harm of an alternative that has no finished run.
    with contextlib.suppress(InputError):
        if (harmed := results.harm) is not None:
            yield "harm", partial(draw.harm_chart, harmed, look=look, names=names)
    if len(look.alternatives) > 2 and not results.clusters.links.is_empty():
        yield "dendrograms", partial(draw.dendrograms_chart, results.clusters, look=look)
        yield "stand-apart", partial(draw.stand_apart_chart, results.clusters, look=look)
    if (flows := results.flows) is not None and not flows.frame.is_empty():
        bins = difference_histogram(flows)
        for group in flows.frame["group"].unique(maintain_order=True):
            given: dict[str, Any] = {"group": group, "look": look, "names": names}
            name = _safe(group)
            yield f"biplot-{name}", partial(draw.biplot_chart, flows, **given)
            yield f"bars-{name}", partial(draw.goodput_bars_chart, flows, **given)
            yield (
                f"differences-{name}",
                partial(draw.difference_histogram_chart, bins, **given),
            )
        yield "flow-ranks", partial(draw.rank_scatter_chart, flow_ranks(flows).overall, look=look)


def _caused(results: Results) -> Iterator[tuple[str, Draw]]:
    effects, names = results.effects, results.names
    if effects is None:
        return
    for response in results.inputs.shown:
        if effects.frame.filter(response=response)["mean"].is_nan().all():
            continue
        name = _safe(response)
        yield (
            f"effects-{name}",
            partial(draw.main_effects_chart, effects, response=response, names=names),
        )
        if effects.influence.height > 1:
            yield (
                f"interactions-{name}",
                partial(
                    draw.interactions_chart, results.interactions, response=response, names=names
                ),
            )
    yield "influence", partial(draw.influence_chart, effects, names=names)
    yield "significance", partial(draw.significance_chart, results.significance, names=names)
    for response, steps in results.steps.items():
        for place, (step, chart) in enumerate(
            draw.ten_steps_charts(steps, names=names).items(), start=1
        ):
            yield f"ten-steps-{_safe(response)}-{place:02}-{step}", partial(_same, chart)


def _together(results: Results) -> Iterator[tuple[str, Draw]]:
    if len(results.every) < 3:
        return
    names, related, groups = results.names, results.correlations, results.response_clusters
    yield "correlations", partial(draw.correlation_chart, related, names=names)
    yield (
        "correlation-sizes",
        partial(
            draw.frequency_chart, related, threshold=None if groups.suggested else groups.threshold
        ),
    )
    yield "index-index", partial(draw.index_chart, groups, names=names)
    parts = results.components
    yield "scree", partial(draw.scree_chart, parts)
    yield "loadings", partial(draw.loadings_chart, parts, names=names)
    yield "components", partial(draw.components_chart, parts, look=results.look, names=names)


def _placed(results: Results) -> Iterator[tuple[str, Draw]]:
    geometry, run = results.inputs.geometry, results.inputs.recorded
    if draw.has_map(geometry):
        yield "network", partial(draw.network_chart, geometry)
    if (crowded := results.congestion) is not None:
        yield (
            "congestion",
            partial(draw.congestion_chart, crowded, look=results.look, names=results.names),
        )
    if run is None:
        return
    state = network_congestion(run)
    if draw.has_map(geometry) and not state.nodes.is_empty():
        yield "congestion-map", partial(draw.congestion_stills_chart, state, geometry=geometry)
    if results.inputs.managed is not None:
        yield "queues", partial(draw.queues_chart, results.inputs.managed)
    traced = trace(run, points=1000)
    if not traced.frame.is_empty() or not traced.queues.is_empty():
        yield "trace", partial(draw.trace_chart, traced)


def _same(chart: Any) -> Any:
    return chart


def _safe(name: str) -> str:
    """A response as part of a file name."""
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)
