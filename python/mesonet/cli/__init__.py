"""The command line: arguments to functions, nothing else.

Data goes to standard output, progress and errors to standard error. Exit status 0 is good, 1 means
that runs failed, 2 that the input cannot be honoured; nothing is written then.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException
from typer.main import get_command

COMMANDS = {
    "compare": ("compare.compare", "Compare algorithms over one bottleneck."),
    "simulate": ("single.simulate", "Simulate one scenario and print its first numbers."),
    "plan": ("plans.plan", "Show a plan's factors, design, aliases and cost."),
    "run": ("campaigns.run", "Execute a plan into a folder, or resume it there."),
    "status": ("campaigns.status", "Show how many runs are done, failed and remaining."),
    "analyze": ("analyses.analyze", "Make the analyses that the plan asks for, or those named."),
    "report": ("campaigns.report", "Write the report of a campaign as one HTML file."),
    "study": ("studies.study", "Execute or resume a study."),
    "evaluate": (
        "evaluate.evaluate",
        "Make the evidence that RFC 9743 asks for of an algorithm, or resume it.",
    ),
    "search": (
        "search.search",
        "Find the condition in which an algorithm harms others most.",
    ),
    "score": ("studies.score", "Judge finished campaigns by the claims of a file."),
    "new-study": ("studies.new_study", "Make a folder with a small complete study."),
    "replay": ("single.replay", "Simulate one run of a campaign again."),
    "verify": ("verify.verify", "Read everything in a campaign folder."),
    "sql": ("query.sql", "Answer an SQL query about a campaign."),
    "export": ("query.export", "Write a table of a campaign as one CSV, Arrow or Parquet file."),
    "check-controller": (
        "controllers.check_controller",
        "Test that a controller meets the demands on every controller.",
    ),
    "ladder": (
        "controllers.ladder",
        "Measure how algorithms respond to a rising probability of marks.",
    ),
    "new-controller": ("controllers.new_controller", "Make a folder with a controller in Rust."),
    "build-kernel-module": (
        "controllers.build_kernel_module",
        "Build a congestion-control module of Linux into a library.",
    ),
    "list": ("names.list_names", "List what can be named in a scenario or plan file."),
    "lab": ("lab.lab", "Open the laboratory in a browser: turn a knob, see the run."),
}
"""Place and summary of each command, in the order of the list.

Modules are imported when their command is used: the list of commands is to show at once.
"""


GROUPS = {
    "Ask": ("compare", "simulate", "lab", "ladder", "search", "evaluate"),
    "Run": ("plan", "run", "status", "study", "replay"),
    "Look": ("analyze", "report", "sql", "export", "list"),
    "Check": ("verify", "score", "check-controller"),
    "Make": ("new-controller", "build-kernel-module", "new-study"),
}
"""Commands by what they are for, in the order of the help."""

BAD_INPUT = 2
_HELP = {"help_option_names": ["-h", "--help"]}


class Commands(TyperGroup):
    """The commands, imported when they are used."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the signature is typer's
        """Names of the commands, in order."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - as above
        """A command for the list of commands: its name and its summary."""
        if cmd_name not in COMMANDS:
            return None
        summary = COMMANDS[cmd_name][1]
        return _command(cmd_name, lambda: None, help=summary, short_help=summary)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - as above
        """The commands in groups."""
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, COMMANDS[name][1]) for name in names])

    def main(self, *args: Any, **options: Any) -> Any:
        """Runs a command; what is wrong with its words is told as any bad input."""
        options |= {"standalone_mode": False}
        try:
            sys.exit(super().main(*args, **options) or 0)
        except TyperException as error:
            print(_told(error), file=sys.stderr)
            sys.exit(BAD_INPUT)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that arguments name, ready to be used."""
        if args[:1] == ["help"]:
            args = [*args[1:2], "--help"]
            if len(args) == 1:
                print(ctx.get_help())
                ctx.exit()
        if args and args[0] in COMMANDS:
            return args[0], load(args[0]), args[1:]
        from difflib import get_close_matches

        if args and not ctx.resilient_parsing:
            close = get_close_matches(args[0], COMMANDS, 1)
            hint = f' (did you mean "{close[0]}"?)' if close else ""
            ctx.fail(f'no command "{args[0]}"{hint}')
        return super().resolve_command(ctx, args)


def _told(error: Any) -> str:
    """What is wrong with the words of a command: its help, or an error with its place."""
    if type(error).__name__ == "NoArgsIsHelpError":
        return str(error.format_message())
    param, context = getattr(error, "param", None), getattr(error, "ctx", None)
    message = " ".join(error.format_message().split())
    if param is not None and error.message:
        from mesonet.errors import InputError, from_pydantic

        cause = error.__cause__
        told = from_pydantic(cause, InputError).problems if hasattr(cause, "errors") else ()
        said = told[0].message if told else error.message
        message = f"{param.get_error_hint().replace(chr(39), '')}: {said}"
    where = f"; see {context.command_path} -h" if context else ""
    return f"error: {message[:1].lower()}{message[1:].rstrip('.')}{where}"


def load(name: str) -> Any:
    """The command of a name, from its module."""
    module, _, function = COMMANDS[name][0].partition(".")
    return _command(name, getattr(import_module(f"mesonet.cli.{module}"), function))


def _command(name: str, called: Callable[..., Any], **options: Any) -> Any:
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, context_settings=_HELP, **options)(called)
    return get_command(single)


app = typer.Typer(
    name="mesonet",
    cls=Commands,
    help="What would happen if this congestion-control algorithm were deployed on the Internet?",
    no_args_is_help=True,
    context_settings=_HELP,
    pretty_exceptions_enable=False,
    # Boxes round the list of commands would take longer to import than all the rest.
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"mesonet {version('mesonet')}")
        raise typer.Exit


@app.callback()
def prepare(
    ctx: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Has controllers looked for in the current folder."""
    from mesonet.controller import look_in

    look_in(Path.cwd())
    ctx.call_on_close(look_in)


def main() -> None:
    """Entry point of the `mesonet` command."""
    try:
        app()
    except OSError as error:
        # Help that cannot be written, as on a full disk; commands catch theirs.
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(1) from None
