"""One run of the laboratory: what a worker does with a setting, and what the page draws of it."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from mesonet.analysis import trace
from mesonet.controller.folders import look_in
from mesonet.errors import InputError, MesonetError, Problem
from mesonet.lab.copies import copies
from mesonet.lab.job import Answer, Job
from mesonet.lab.setting import OWN, Setting
from mesonet.responses import compute
from mesonet.run import Run
from mesonet.simulation import simulate
from mesonet.workers import report

APART = 6
"""So many flows have a colour each; more have that of their group."""
POINTS = 1800
"""Most points of all lines of a panel; a line has at most what it has where there are six."""
PRINTED = 10_000
"""Most characters of what a program prints that the page shows; the first ones."""
RESPONSES = {
    "utilization": "utilization",
    "jain": "jain_index",
    "delay_p50": "bottleneck_delay_p50",
    "delay_p95": "bottleneck_delay_p95",
}
"""Responses of a run by the names that the laboratory has for them."""


def perform(job: Job) -> Answer:
    """Makes a run."""
    own = _Own(job)
    printed = io.StringIO()
    try:
        setting = Setting.read(job.values)
        name = own.name() if setting.is_own else ""
        scenario = setting.scenario(name)
        with contextlib.redirect_stdout(printed):
            run = simulate(scenario, seed=setting.seed, progress=report, partial=False)
        shown = _shown(setting, run) | {"copies": copies(setting, own.plain(name), job.code)}
        shown["printed"] = printed.getvalue()[:PRINTED]
        return Answer(
            json.dumps(shown, allow_nan=False), tuple(name for name, _ in shown["legend"])
        )
    except InputError as error:
        problems = error.problems
    except MesonetError as error:
        problems = [Problem("", "failed", str(error))]
    except KeyboardInterrupt:
        problems = [Problem("own.py", "failed", "raised KeyboardInterrupt")]
    plain = ((own.plain(it.loc), it.kind, own.plain(it.message)) for it in problems)
    return Answer.refusal((Problem(*it) for it in plain), printed.getvalue()[:PRINTED])


class _Own:
    """The module in the editor, which is `own.py` to its author: here it has a name of its own."""

    def __init__(self, job: Job) -> None:
        self.code = job.code
        self.module = f"own_{hashlib.sha256(job.code.encode()).hexdigest()[:12]}"
        self.folder = job.folder
        self.file = job.folder / f"{self.module}.py"

    def name(self) -> str:
        """The name of the last class of the program, which is written to its file."""
        try:
            parts = ast.parse(self.code).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            at = getattr(error, "lineno", None)
            line = f", line {at}" if at else ""
            text = error.msg if isinstance(error, SyntaxError) else "cannot be read"
            raise InputError([Problem(f"own.py{line}", "syntax", text)]) from None
        classes = [part.name for part in parts if isinstance(part, ast.ClassDef)]
        if not classes:
            raise InputError([Problem("own.py", "missing", "expected a class, got none")])
        self.file.write_text(self.code, encoding="utf-8")
        look_in(self.folder)
        return f"python:{self.module}.{classes[-1]}"

    def plain(self, text: str) -> str:
        """A message without the names that the laboratory gave file and module."""
        return text.replace(str(self.file), "own.py").replace(self.module, OWN)


def _shown(setting: Setting, run: Run) -> dict[str, Any]:
    count = len(run.scenario.named_flows())
    seen = trace(run, points=min(POINTS // count, POINTS // APART))
    groups = {flow: 1 if at < setting.first_flows else 2 for at, flow in enumerate(seen.flows)}
    payload = (seen.payload or 1) / 1e6
    flows = seen.frame.select(
        "time",
        "flow",
        (pl.col("rate") * payload).round(3),
        *(pl.col(name).round(2) for name in ("cwnd", "cwnd_low", "cwnd_high")),
        (pl.col("srtt") * 1000).round(2),
        "retransmitted",
        "marked",
    )
    queue = seen.queues.select("time", *(pl.col(n).round(1) for n in ("packets", "low", "high")))
    return {
        "flows": _columns(flows),
        "queue": _columns(queue),
        "room": seen.queues["capacity"].max(),
        "legend": _legend(setting, groups),
        "labels": {str(group): label(setting, group) for group in sorted({*groups.values()})},
        "numbers": _numbers(setting, run, groups, payload),
        "measured": [round(setting.duration * run.scenario.warm_up, 3), setting.duration],
        "packets": run.totals["injected"],
    }


def _columns(frame: pl.DataFrame) -> dict[str, list[Any]]:
    """Columns as lists; JSON has no NaN."""
    return frame.fill_nan(None).to_dict(as_series=False)


def label(setting: Setting, group: int) -> str:
    """The name of a group of flows: its algorithm, with its round trip where that differs."""
    name = setting.first if group == 1 else setting.second
    if setting.first != setting.second:
        return name
    if setting.second_rtt and setting.second_rtt != setting.rtt:
        return f"{name}, {setting.rtt if group == 1 else setting.second_rtt:g} ms"
    return f"{name}, {'first' if group == 1 else 'second'}"


def _legend(setting: Setting, groups: Mapping[str, int]) -> list[tuple[str, list[str]]]:
    """Entries of the legend, each with the flows that have its colour."""
    entries: list[tuple[str, list[str]]] = []
    for group in (1, 2):
        flows = [flow for flow, its in groups.items() if its == group]
        if len(flows) == 1:
            entries.append((label(setting, group), flows))
        elif len(groups) <= APART:
            entries += [(flow, [flow]) for flow in flows]
        elif flows:
            entries.append((f"{label(setting, group)}, {len(flows)} flows", flows))
    return entries


def _numbers(
    setting: Setting, run: Run, groups: Mapping[str, int], payload: float
) -> dict[str, float | None]:
    """Numbers of a run after its warm-up; those of a group end with its number."""
    begin = setting.duration * run.scenario.warm_up
    seconds = setting.duration - begin
    counts = ("acked", "retransmitted", "ce_marked")
    after = run.flows.filter(pl.col("time") > begin + 1e-9)
    grouped = after.group_by(pl.col("flow").replace_strict(groups), maintain_order=True)
    sums = {row["flow"]: row for row in grouped.agg(pl.col(*counts).sum()).iter_rows(named=True)}
    totals = {count: sum(row[count] for row in sums.values()) for count in counts}
    acked = max(totals["acked"], 1)
    values = compute(run.measurements, tuple(RESPONSES.values())).values()
    numbers: dict[str, float] = dict(zip(RESPONSES, values, strict=True))
    numbers["retransmitted"] = totals["retransmitted"] / acked
    numbers["marked"] = totals["ce_marked"] / acked
    for group, row in sums.items():
        flows = list(groups.values()).count(group)
        numbers[f"rate_{group}"] = row["acked"] * payload / seconds / flows
        numbers[f"share_{group}"] = row["acked"] / acked
    return {name: value if value == value else None for name, value in numbers.items()}
