"""Writes the tables of docs/validation.md and docs/two-flow.md from finished studies.

    mesonet study two-flow --size full --out studies/two-flow
    mesonet study rtt-fairness --size full --out studies/rtt-fairness
    mesonet study response-function --size full --out studies/response-function
    python tools/validation_tables.py studies

Nothing is simulated. What stands between `<!-- table NAME -->` and the next `<!-- end -->` is
replaced; a study that is not there in full leaves its tables as they are.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mesonet.studies import response_function, rtt_fairness
from mesonet.studies.bench import Item, stored
from mesonet.studies.lab import default_algorithms
from mesonet.studies.published import compare
from mesonet.studies.two_flow import run_name, settings, two_flow_items
from mesonet.studies.two_flow_page import quantity, reference_figures

PUBLISHED_HEAD = """\
| Algorithm | What | Published | Agrees within | Measured | |
|---|---|---|---|---|---|"""
FIGURES_HEAD = (
    "| Algorithm | Red alone: window | use | queue | Both: red, blue | use | queue "
    "| Blue's part, end | Lost |\n|---|---|---|---|---|---|---|---|---|"
)
DOCS = Path(__file__).resolve().parent.parent / "docs"
Results = Mapping[str, Mapping[str, Any]]


def published_table(results: Results, names: Sequence[str]) -> str:
    """Published results of the two-flow bench beside the measured ones."""
    rows = [PUBLISHED_HEAD]
    last = None
    for comparison in compare(reference_figures(results, names)):
        it, measured = comparison.statement, comparison.measured
        if measured is None:
            continue
        value = plain(quantity(measured, it.unit))
        name = f"{it.label} (`{it.algorithm}`)" if it.label != last else ""
        last = it.label
        cells = [name, it.what, spaced(it.published), spaced(it.rule)]
        cells += [f"*{value}*" if comparison.verdict == "differs" else value, comparison.verdict]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


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


def plain(text: str) -> str:
    """Text as the manual writes it: ordinary spaces and minus signs."""
    return text.replace("\u202f", " ").replace("\u2212", "-")


def spaced(text: str) -> str:
    """Percentages with a space."""
    return re.sub(r"(?<=\d)%", " %", text)


def complete(folder: Path, study: str, items: Sequence[Item]) -> Results:
    """The results of a study, or none if any is missing."""
    results = stored(items, out=folder / study)
    if 0 < len(results) < len(items):
        print(f"{study}: {len(items) - len(results)} runs are missing; left out", file=sys.stderr)
    return results if len(results) == len(items) else {}


def tables(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and text of every table that the folder's studies give."""
    names = default_algorithms("full", ())
    two_flow = complete(folder, "two-flow", two_flow_items("full", names))
    if two_flow:
        yield "two-flow-published", published_table(two_flow, names)
        for rtt, threshold in settings("full"):
            text = figures_table(two_flow, names, rtt, threshold)
            yield f"two-flow-{rtt}-{'inf' if math.isinf(threshold) else f'{threshold:g}'}", text
    pairs = rtt_fairness.fairness_items("full", names)
    fairness = complete(folder, "rtt-fairness", pairs)
    if fairness:
        frame = rtt_fairness.fairness_frame(fairness, names)
        yield "rtt-fairness", rtt_fairness.fairness_markdown(frame).strip()
    curves = [curve.algorithm for curve in response_function.CURVES]
    items = response_function.response_items("full", curves)
    responses = complete(folder, "response-function", items)
    if responses:
        frame = response_function.response_frame(responses)
        yield "response-function", spaced(response_function.response_markdown(frame).strip())
        figure = response_function.response_figure(frame)
        figure.savefig(DOCS / "images" / "response-functions.png", dpi=130)


def replaced(page: str, name: str, text: str) -> tuple[str, int]:
    """A page with one of its tables replaced, and how often it is there."""
    pattern = rf"(<!-- table {re.escape(name)} -->\n).*?(\n<!-- end -->)"
    return re.subn(pattern, lambda found: found[1] + text + found[2], page, flags=re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="with a folder per finished study")
    given = parser.parse_args(arguments)
    pages = {
        path: path.read_text("utf-8") for path in (DOCS / "validation.md", DOCS / "two-flow.md")
    }
    written = 0
    for name, text in tables(given.folder):
        found = 0
        for path, page in pages.items():
            pages[path], times = replaced(page, name, text)
            found += times
        if not found:
            print(f"error: no page has a table {name}", file=sys.stderr)
            return 1
        written += found
    for path, page in pages.items():
        path.write_text(page, "utf-8")
    print(f"{written} tables")
    return 0 if written else 1


if __name__ == "__main__":
    sys.exit(main())
