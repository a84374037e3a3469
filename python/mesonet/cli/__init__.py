"""The command line: arguments to functions, nothing else.

Data goes to standard output, progress and errors to standard error. Exit status 0 is good, 1 means
that runs failed, 2 that the input cannot be honoured; nothing is written then.
"""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from mesonet.cli import (
    analyses,
    campaigns,
    compare,
    controllers,
    names,
    plans,
    query,
    single,
    studies,
    tour,
)

app = typer.Typer(
    name="mesonet",
    help="What would happen if this congestion-control algorithm were deployed on the Internet?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command()(compare.compare)
app.command()(single.simulate)
app.command()(plans.plan)
app.command()(campaigns.run)
app.command()(campaigns.status)
app.command()(campaigns.watch)
app.command()(analyses.analyze)
app.command()(campaigns.report)
app.command()(studies.study)
app.command()(studies.score)
app.command()(studies.new_study)
app.command()(single.replay)
app.command()(query.sql)
app.command()(query.export)
app.command()(controllers.check_controller)
app.command()(controllers.ladder)
app.command()(controllers.new_controller)
app.command("list")(names.list_names)
app.command()(tour.tour)


@app.callback()
def prepare() -> None:
    """Lets names of Python controllers begin in the folder where the command is given."""
    # Last, so that no file there hides a library.
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)


def main() -> None:
    """Entry point of the `mesonet` command."""
    app()
