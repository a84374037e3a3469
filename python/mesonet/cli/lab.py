"""Command `lab`: the laboratory in the browser."""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from typing import Annotated

import typer

from mesonet.cli.common import friendly, stderr
from mesonet.errors import InputError, MesonetError, unknown


@friendly
def lab(
    lesson: Annotated[
        str, typer.Argument(help="Lesson to begin with, such as bufferbloat.", show_default=False)
    ] = "",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 is any free one.")] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    share: Annotated[
        bool,
        typer.Option("--share", help="Let other machines in, such as those of a class."),
    ] = False,
    trust: Annotated[
        bool, typer.Option("--trust", help="With --share: run programs that visitors type.")
    ] = False,
) -> None:
    """Open the laboratory in a browser: turn a knob, see the run.

    The page is on this machine alone, at an address with a token in it, which is printed. Ctrl-C
    ends it. Needs the extra "lab" of mesonet.
    """
    missing = [it for it in ("starlette", "uvicorn") if find_spec(it) is None]
    if missing:
        message = f'{missing[0]} is not installed; it comes with the extra "lab" of mesonet'
        raise MesonetError(message)
    import webbrowser

    from mesonet.lab.lessons import lessons
    from mesonet.lab.server import Laboratory, address, serve
    from mesonet.machine import available_cores

    names = [it.id for it in lessons()]
    if lesson and (problems := unknown("lesson", "unknown_lesson", lesson, names)):
        raise InputError(problems)
    laboratory = Laboratory(workers=available_cores() if share else 1, own=trust or not share)

    def ready(port: int) -> None:
        place = f"{port}/{laboratory.token}/{f'#lesson={lesson}' if lesson else ''}"
        here = f"http://127.0.0.1:{place}"
        print(f"http://{address()}:{place}" if share else here, flush=True)
        stderr.print("Ctrl-C ends the laboratory.")
        if browser:
            webbrowser.open(here)

    # Ctrl-C is how it ends.
    with suppress(KeyboardInterrupt):
        serve(laboratory, host="0.0.0.0" if share else "127.0.0.1", port=port, ready=ready)
