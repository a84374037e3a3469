"""Writes the tables of every algorithm into pages of docs/studies.

    mesonet study two-flow --size full --replicates 1 --variants host-jitter --out studies/two-flow
    mesonet study rtt-fairness --size full --variants host-jitter --out studies/rtt-fairness
    mesonet study response-function --size full --out studies/response-function
    python tools/manual/every_algorithm_tables.py studies

Nothing is simulated. What stands between `<!-- table NAME -->` and the next `<!-- end -->` is
replaced; a study that is not there in full leaves its tables as they are. Where a study has jitter
of hosts they are of its runs without.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from model_figures import regular

from mesonet.controller import built_in
from mesonet.studies.bench import stored
from mesonet.studies.folder import find_study
from mesonet_studies.hcc.lab import BUFFERS
from mesonet_studies.hcc.rtt_fairness.measure import fairness_frame
from mesonet_studies.response_function.charts import curves_chart
from mesonet_studies.response_function.measure import response_frame
from mesonet_studies.two_flow.runs import SETTINGS, run_name

FIGURES_HEAD = (
    "| Algorithm | Red alone: window | use | queue | Both: red, blue | use | queue "
    "| Blue's part, end | Lost |\n|---|---|---|---|---|---|---|---|---|"
)
RESPONSES_HEAD = (
    "| Algorithm, RTT | p | Printed, periodic loss | Carried to random loss | Measured "
    "| Timeouts | From printed | From carried |\n|---|---|---|---|---|---|---|---|"
)
EFFICIENCY_WITHIN, JAIN_WITHIN = 0.02, 0.05
"""Tolerances of the study hcc: a part of the efficiency, a distance of the index."""
DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = (
    "studies/two-flow/every-setting.md",
    "studies/response-function/every-algorithm.md",
    "studies/hcc/rtt-fairness.md",
)
Results = Mapping[str, Mapping[str, Any]]


def figures_table(results: Results, names: Sequence[str], rtt: int, threshold: float) -> str:
    """Every algorithm at one setting of the two-flow bench."""
    rows = [FIGURES_HEAD]
    for name in names:
        result = results.get(run_name(name, rtt, threshold))
        if result is None:
            continue
        f = result["figures"]
        row = (
            f"| `{name}` | {f['alone_window']:.0f} | {f['alone_use']:.1%} | {f['alone_queue']:.0f} "
            f"| {f['red_window']:.0f}, {f['blue_window']:.0f} | {f['both_use']:.1%} "
            f"| {f['both_queue']:.0f} | {f['blue_part_end']:.1%} | {f['loss']:.3%} |"
        )
        rows.append(spaced(row))
    return "\n".join(rows)


def spaced(text: str) -> str:
    """Percentages with a space."""
    return re.sub(r"(?<=\d)%", " %", text)


def complete(folder: Path, study: str) -> Results:
    """The results of a study at full size, or none if any is missing."""
    items = regular(find_study(study), "full")
    results = stored(items.values(), out=folder / study)
    if 0 < len(results) < len(items):
        print(f"{study}: {len(items) - len(results)} runs are missing; left out", file=sys.stderr)
    whole = len(results) == len(items)
    return {name: results[item.name] for name, item in items.items()} if whole else {}


def tables(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and text of every table that the folder's studies give."""
    names = [info.name for info in built_in()]
    two_flow = complete(folder, "two-flow")
    if two_flow:
        for rtt, threshold in SETTINGS:
            text = figures_table(two_flow, names, rtt, threshold)
            yield f"two-flow-{rtt}-{'inf' if math.isinf(threshold) else f'{threshold:g}'}", text
    fairness = complete(folder, "rtt-fairness")
    if fairness:
        yield "rtt-fairness", fairness_markdown(fairness_frame(fairness, names))
    responses = complete(folder, "response-function")
    if responses:
        frame = response_frame(responses)
        yield "response-function", spaced(response_markdown(frame))
        curves_chart(frame).save(DOCS / "images" / "response-functions.png", ppi=130)


def fairness_markdown(frame: pl.DataFrame) -> str:
    """Efficiency and Jain's index per algorithm, a table for each buffer."""
    parts = []
    for buffer in BUFFERS:
        mine = frame.filter(buffer=buffer)
        if mine.is_empty():
            continue
        ratios = sorted(mine["ratio"].unique())
        head = "".join(f" | {ratio:g}: Mbit/s | Jain" for ratio in ratios)
        rows = [f"| Algorithm{head} |", f"|---{'|---|---' * len(ratios)}|"]
        for (algorithm,), group in mine.group_by("algorithm", maintain_order=True):
            cells = []
            for row in group.sort("ratio").iter_rows(named=True):
                total, index = f"{row['efficiency']:.1f}", f"{row['jain']:.3f}"
                if (other := row["published_jain"]) is not None:
                    sum_ = row["published_efficiency"]
                    near = abs(row["efficiency"] / sum_ - 1) <= EFFICIENCY_WITHIN
                    total = beside(total, f"{sum_:.1f}", agrees=near)
                    near = abs(row["jain"] - other) <= JAIN_WITHIN
                    index = beside(index, f"{other:.3f}", agrees=near)
                cells += [total, index]
            rows.append(f"| {algorithm} | {' | '.join(cells)} |")
        parts.append(f"Buffer of {buffer} packets:\n\n" + "\n".join(rows))
    return "\n\n".join(parts)


def beside(measured: str, printed: str, *, agrees: bool) -> str:
    """A measured value, in italics if it disagrees with the printed one in brackets."""
    return f"{measured} ({printed})" if agrees else f"*{measured}* ({printed})"


def response_markdown(frame: pl.DataFrame) -> str:
    """Published and measured windows."""
    rows = [RESPONSES_HEAD]
    for row in frame.iter_rows(named=True):
        windows = [window(row[name]) for name in ("published", "carried", "window", "error")]
        rows.append(
            f"| {row['algorithm']}, {row['rtt'] * 1000:g} ms | 1e{round(math.log10(row['loss']))} "
            f"| {windows[0]} | {windows[1]} | {windows[2]} ± {windows[3]} "
            f"| {row['timeouts']} | {row['from_published']:+.1%} | {row['from_carried']:+.1%} |"
        )
    return "\n".join(rows)


def window(value: float) -> str:
    """A window in segments, with a decimal below 1000."""
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def replaced(page: str, name: str, text: str) -> tuple[str, int]:
    """A page with one of its tables replaced, and how often it is there."""
    pattern = rf"(<!-- table {re.escape(name)} -->\n).*?(\n<!-- end -->)"
    return re.subn(pattern, lambda match: match[1] + text + match[2], page, flags=re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="with a folder per finished study")
    options = parser.parse_args(arguments)
    pages = {DOCS / name: (DOCS / name).read_text("utf-8") for name in PAGES}
    written = 0
    for name, text in tables(options.folder):
        count = 0
        for path, page in pages.items():
            pages[path], times = replaced(page, name, text)
            count += times
        if not count:
            print(f"error: no page has a table {name}", file=sys.stderr)
            return 1
        written += count
    for path, page in pages.items():
        path.write_text(page, "utf-8")
    print(f"{written} tables")
    return 0 if written else 1


if __name__ == "__main__":
    sys.exit(main())
