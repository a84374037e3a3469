"""Command `tour`: the commands to know first."""

from __future__ import annotations

_STEPS = (
    ("mesonet compare cubic bbr3 --out compare.html", "two algorithms over one bottleneck"),
    ("mesonet list algorithms", "algorithms that can be named; list queues has the disciplines"),
    ("mesonet simulate scenario.toml --html run.html", "one run over time, as a page"),
    ("mesonet plan plan.toml", "the runs of a designed experiment, and their cost"),
    ("mesonet run plan.toml --out results", "execute it; the same command resumes"),
    ("mesonet report results --out report.html", "the answer on one page"),
)


def tour() -> None:
    """Show the six commands to know first."""
    width = max(len(command) for command, _ in _STEPS)
    for command, meaning in _STEPS:
        print(f"{command:<{width}}  {meaning}")
    print("\nThe manual's tutorial has files for the last four. Options of a command: --help.")
