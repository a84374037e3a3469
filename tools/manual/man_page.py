"""Writes the man page from the command line: `python tools/manual/man_page.py`.

Wheels install it as share/man/man1/mesonet.1. It has all commands, each with its options, in the
macros of man(7).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from mesonet.cli import COMMANDS, app, load

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "wheel" / "data" / "share" / "man" / "man1" / "mesonet.1"
"""Kept page, where maturin finds it."""
_STATUSES = (
    ("0", "Success."),
    ("1", "Runs failed, a check or a claim failed, or the machine did, such as a full disk."),
    ("2", "The input is invalid. Nothing was written."),
    ("130", "Interrupted with Ctrl-C."),
    ("143", "Ended by SIGTERM."),
)
_EXAMPLES = (
    ("Two algorithms over one bottleneck:", "mesonet compare cubic bbr3 \\-\\-out compare.html"),
    ("One run over time:", "mesonet simulate scenario.toml \\-\\-plot"),
    ("A designed experiment, and its report:", "mesonet run plan.toml \\-\\-out results"),
    ("", "mesonet report results \\-\\-out report.html"),
)


def escaped(text: str) -> str:
    """Text for groff, where no line begins with a control character."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def written(text: str) -> str:
    """A help text: paragraphs joined, names in backticks bold."""
    paragraphs = [" ".join(part.split()) for part in text.strip().split("\n\n")]
    return "\n.PP\n".join(re.sub(r"`([^`]+)`", r"\\fB\1\\fR", escaped(part)) for part in paragraphs)


def page() -> str:
    """The whole page."""
    parts = [
        '.\\" Written by tools/manual/man_page.py from the command line; do not edit.',
        '.TH MESONET 1 "" "mesonet" "User Commands"',
        ".SH NAME",
        "mesonet \\- designed experiments on congestion control, packet by packet",
        ".SH SYNOPSIS",
        ".B mesonet",
        ".I command",
        ".RI [ arguments ]",
        ".SH DESCRIPTION",
        written(get_command(app).help or ""),
        ".PP",
        "Data goes to standard output, progress and errors to standard error.",
        ".SH OPTIONS",
        *_records(get_command(app)),
        ".SH COMMANDS",
    ]
    for name in COMMANDS:
        parts += _command(name)
    parts.append(".SH EXIT STATUS")
    for status, meaning in _STATUSES:
        parts += [".TP", f".B {status}", meaning]
    parts.append(".SH EXAMPLES")
    for said, line in _EXAMPLES:
        parts += [".TP", said or "\\&", f".B {line}"]
    return "\n".join(parts) + "\n"


def _command(name: str) -> Iterator[str]:
    command = load(name)
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    usage = " ".join(f"\\fI{escaped(_shown(each))}\\fR" for each in arguments)
    yield f".SS \\fBmesonet {escaped(name)}\\fR [\\fIoptions\\fR] {usage}".rstrip()
    yield written(command.help or COMMANDS[name][1])
    yield from _records(command)


def _shown(argument: Any) -> str:
    shown = argument.name + ("..." if argument.nargs == -1 else "")
    return shown if argument.required else f"[{shown}]"


def _records(command: Any) -> Iterator[str]:
    context = command.make_context(command.name or "mesonet", [], resilient_parsing=True)
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None:
            continue
        names, meaning = record
        # Of a switch, the type says nothing.
        head, _, kind = names.replace(" <bool>", "").partition(" <")
        head = f"\\fB{escaped(head)}\\fR" if head.startswith("-") else f"\\fI{escaped(head)}\\fR"
        kind = f" \\fI{escaped(kind.removesuffix('>'))}\\fR" if kind and "\\fB" in head else ""
        yield ".TP"
        yield head + kind
        yield written(re.sub(r"\s+\[", " [", meaning)) or "\\&"


def main() -> None:
    """Writes the page."""
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
