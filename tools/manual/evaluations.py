"""Keeps evaluations, and writes pages of the manual from them.

    mesonet evaluate bbr1 --out results/bbr1
    python tools/manual/evaluations.py keep results/bbr1
    python tools/manual/evaluations.py renew results
    python tools/manual/evaluations.py write

`keep` keeps the data of folders in docs/evaluations/NAME.json.xz. `renew` runs the commands of all
that are kept again, each into a folder below the one named, and keeps what comes of them. `write`
renders a page of each below docs/_pages, which Sphinx copies, and docs/evaluations/findings.txt:
the findings that are known of these algorithms, beside what a rule finds in the kept data. Neither
is kept. Nothing is simulated, so that the pages lack the worst runs through time.
"""

from __future__ import annotations

import json
import lzma
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from mesonet.evaluation.page import render_page
from mesonet.evaluation.result import Cell, Evaluation

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "evaluations"
PAGES = ROOT / "docs" / "_pages" / "evaluations"
MODELS = ROOT / "docs" / "models"


class Finding(NamedTuple):
    """What is known of an algorithm, who printed it, and the rule that finds it."""

    name: str
    text: str
    source: str
    rule: Callable[[Evaluation], bool]


def cells(
    evaluation: Evaluation, section: str, words: str, baseline: str = "", **levels: str
) -> list[Cell]:
    """Cells of a measure under the profile rfc, at levels of factors by the first word of these."""
    return [
        cell
        for criterion in evaluation.criteria
        if criterion.section == section
        for experiment in criterion.experiments
        if experiment.profile == "rfc"
        for cell in experiment.cells
        if words in cell.words and baseline in ("", cell.baseline)
        if all(
            value == level
            for key, level in levels.items()
            for name, value in cell.levels.items()
            if name.startswith(key)
        )
    ]


def _all(group: Iterable[Cell], *states: str) -> bool:
    listed = [cell.state for cell in group]
    return bool(listed) and set(listed) <= set(states)


def _cells_are(state: str, *of: str, **levels: str) -> Callable[[Evaluation], bool]:
    """Rule: all cells of a section and a measure, at levels, are in a state."""
    return lambda it: _all(cells(it, *of, **levels), state)


def _none(group: Iterable[Cell], state: str) -> bool:
    listed = [cell.state for cell in group]
    return bool(listed) and state not in listed


FINDINGS = (
    Finding(
        "bbr1",
        "loses more packets than Reno from two flows on, with a buffer of 0.25 or 1 BDP",
        "RFC 9743, 5.1.3",
        lambda it: (
            _all(cells(it, "5.1.3", "packets lost", "reno", buffer="0.25 BDP"), "worse")
            and _all(cells(it, "5.1.3", "packets lost", "reno", buffer="1 BDP"), "worse")
        ),
    ),
    Finding(
        "bbr1",
        "starves flows of CUBIC and Reno in shallow buffers",
        "Hock and others, ICNP 2017; Ware and others, IMC 2019",
        _cells_are("worse", "5.2", "starvation", buffer="0.25 BDP"),
    ),
    Finding(
        "bbr1",
        "takes nearly all from CUBIC and Reno where the buffer of a fast path is shallow",
        "Hock and others, ICNP 2017",
        _cells_are("worse", "6.3", "goodput on a fast", buffer="0.25 BDP"),
    ),
    Finding(
        "bbr1",
        "stops within its window where a slow Wi-Fi acknowledges in bunches, which CUBIC does not",
        "Linux, commit 78dc70ebaa38",
        _cells_are("worse", "6.4", "goodput over a Wi-Fi", "cubic", mean="12 ms", rate="10 Mbit/s"),
    ),
    Finding(
        "bbr1",
        "does not slow down at random losses",
        "Cardwell and others, CACM 2017",
        lambda it: _power(it, "loss", -0.1, 0.1),
    ),
    Finding(
        "bbr3",
        "loses at most 2.5 percentage points more than Reno; its own threshold is 2 %",
        "draft-ietf-ccwg-bbr; the bound is ours",
        lambda it: (
            max(
                (cell.excess or 0.0 for cell in cells(it, "5.1.3", "packets lost", "reno")),
                default=1,
            )
            < 0.025
        ),
    ),
    Finding(
        "copa",
        "keeps the queue short in a deep buffer, where it is by itself",
        "Arun and Balakrishnan, NSDI 2018",
        _cells_are("better", "5.1.2", "median queueing delay", buffer="16 BDP"),
    ),
    Finding(
        "cubic",
        "gets as much as Reno where Reno does well: 8 Mbit/s and 20 ms",
        "RFC 9438, 5.1",
        lambda it: _none(
            cells(it, "5.2.1", "goodput", "reno", rate="8 Mbit/s", **{"round-trip": "20 ms"}),
            "worse",
        ),
    ),
    Finding(
        "cubic",
        "takes from Reno over long round trips in a deep buffer",
        "Ha, Rhee and Xu 2008",
        _cells_are("worse", "5.2.1", "goodput", "reno", buffer="8 BDP", **{"round-trip": "100 ms"}),
    ),
    Finding(
        "cubic",
        "uses more than Reno of 100 Mbit/s over 100 ms, where the buffer is shallow",
        "RFC 9438, 5.2",
        _cells_are("better", "6.3", "goodput alone", "reno", rate="100 Mbit/s", buffer="0.25 BDP"),
    ),
    Finding(
        "reno",
        "has a rate that goes with the power -0.5 of the probability of a loss",
        "Mathis and others 1997",
        lambda it: _power(it, "loss", -0.65, -0.45),
    ),
    Finding(
        "aimd",
        "Reno's rule by another name: no excess over Reno in any cell",
        "by construction",
        lambda it: {cell.excess for cell in cells(it, "5.2.1", "", "reno")} == {0.0},
    ),
    Finding(
        "ledbat++",
        "yields to long flows of CUBIC and Reno: in 5.2.1 it takes from none, and leaves most more",
        "RFC 6817; draft-irtf-iccrg-ledbat-plus-plus",
        lambda it: (
            _none(cells(it, "5.2.1", "goodput"), "worse")
            and median(cell.excess or 0.0 for cell in cells(it, "5.2.1", "goodput")) < -0.05
        ),
    ),
    Finding(
        "dctcp",
        "takes from whoever shares a queue with it that marks: not for the public Internet",
        "RFC 8257, 5",
        _cells_are("worse", "7.1", "goodput in a managed queue"),
    ),
    Finding(
        "dctcp",
        "fills the buffer as Reno does, where nothing marks",
        "RFC 8257, 3.5",
        lambda it: _none(cells(it, "5.1.2", "median queueing delay", "reno"), "better"),
    ),
    Finding(
        "prague",
        "has a rate that goes with the power -1 of the probability of a mark",
        "RFC 9331, 4.3",
        lambda it: _power(it, "mark", -1.2, -0.8),
    ),
    Finding(
        "stubborn",
        "never slows down: others starve at short round trips, and it sends on where half is lost",
        "its own text",
        lambda it: (
            _all(
                cells(it, "5.2", "starvation", buffer="0.25 BDP", **{"round-trip": "20 ms"}),
                "worse",
            )
            and _all(cells(it, "5.1.1", "against one per round trip"), "worse")
        ),
    ),
)


def _power(evaluation: Evaluation, signal: str, low: float, high: float) -> bool:
    slopes = [
        slope.candidate
        for criterion in evaluation.criteria
        for experiment in criterion.experiments
        for slope in experiment.slopes
        if slope.factor == f"probability of a {signal}"
    ]
    return bool(slopes) and all(low < it < high for it in slopes)


def kept() -> Iterator[tuple[str, Evaluation]]:
    """The kept evaluations, by the names of their files."""
    for file in sorted(FOLDER.glob("*.json.xz")):
        yield (
            file.name.removesuffix(".json.xz"),
            Evaluation.model_validate_json(lzma.decompress(file.read_bytes())),
        )


def keep(folder: Path) -> None:
    """Keeps the data of a folder, under its name."""
    data = json.loads((folder / "evaluation.json").read_text("utf-8"))
    data["command"] = re.sub(r" --(out|reuse) \S+", "", data["command"])
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    (FOLDER / f"{folder.name}.json.xz").write_bytes(lzma.compress(text.encode(), preset=9))


def renew(folder: Path) -> None:
    """Makes all kept evaluations again, below a folder; those that are there are not run again.

    Runs of the baselines are taken from the first evaluation of the same size.
    """
    first: dict[str, Path] = {}
    for name, evaluation in list(kept()):
        arguments = [*shlex.split(evaluation.command)[1:], "--out", str(folder / name)]
        if evaluation.size in first:
            arguments += ["--reuse", str(first[evaluation.size])]
        first.setdefault(evaluation.size, folder / name)
        # Status 1 says that a candidate failed in a condition, which is evidence, too.
        subprocess.run([sys.executable, "-m", "mesonet", *arguments], check=False, cwd=ROOT)
        keep(folder / name)


def write() -> None:
    """Writes the pages and the list of findings."""
    PAGES.mkdir(parents=True, exist_ok=True)
    for old in PAGES.glob("*.html"):
        old.unlink()
    evaluations = dict(kept())
    for name, evaluation in evaluations.items():
        (PAGES / f"{name}.html").write_text(render_page(evaluation, {}), "utf-8")
    lines = [
        "| Algorithm | Model | Size | Cells of others | Worse | Own cells | Worse | Undecided |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, evaluation in evaluations.items():
        states: dict[bool, list[str]] = {True: [], False: []}
        for criterion in evaluation.criteria:
            for it in criterion.experiments:
                if it.profile == "rfc":
                    states[it.arms == "mix"] += [cell.state for cell in it.cells]
        link = f'<a href="{name}.html">{name}</a>'
        counts = [n for own in states.values() for n in (len(own), own.count("worse"))]
        counts.append(sum(own.count("undecided") for own in states.values()))
        page = f"{name.rstrip('+')}.md"
        model = f"[{name}](../models/{page})" if (MODELS / page).exists() else ""
        lines.append(f"| {link} | {model} | `{evaluation.size}` | {' | '.join(map(str, counts))} |")
    states_at_desk = [
        cell.state
        for evaluation in evaluations.values()
        for criterion in evaluation.criteria
        for experiment in criterion.experiments
        for cell in experiment.cells
        if evaluation.size == "desk"
    ]
    undecided = f"{states_at_desk.count('undecided')} of {len(states_at_desk):,} cells"
    lines += ["", f"At `desk` {undecided} are undecided, those of the other profiles included."]
    lines += ["", "| Algorithm | Known | Printed in | Comes out |", "|---|---|---|---|"]
    for name, text, source, rule in FINDINGS:
        if name in evaluations:
            answer = "yes" if rule(evaluations[name]) else "**no**"
            lines.append(f"| {name} | {text} | {source} | {answer} |")
    (FOLDER / "findings.txt").write_text("\n".join([*lines, ""]), "utf-8")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["keep", *folders]:
            for each in folders:
                keep(Path(each))
        case ["renew", folder]:
            renew(Path(folder).resolve())
        case ["write"]:
            write()
        case _:
            sys.exit(__doc__)
