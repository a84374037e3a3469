"""Command `build-kernel-module`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mesonet.cli.common import friendly


@friendly
def build_kernel_module(
    sources: Annotated[
        list[Path], typer.Argument(help="C files of the module, such as net/ipv4/tcp_cubic.c.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Library; by default NAME.so here.", show_default=False),
    ] = None,
    kernel: Annotated[str, typer.Option(help="Version of Linux that it is from.")] = "6.12",
    hz: Annotated[int, typer.Option(min=100, max=1000, help="Ticks per second (CONFIG_HZ).")] = 250,
    ecn_low: Annotated[
        bool, typer.Option("--ecn-low", help="The route has this feature: BBR 3 answers marks.")
    ] = False,
    compiler: Annotated[str, typer.Option(help="C compiler.")] = "cc",
) -> None:
    """Build a congestion-control module of Linux into a library, from the file as it is.

    Prints the names under which scenarios, `compare`, `evaluate` and campaigns know it.
    """
    from mesonet.controller.kernel import build_kernel_module as build

    for name in build(sources, out=out, kernel=kernel, hz=hz, ecn_low=ecn_low, compiler=compiler):
        print(name)
