"""Builds congestion-control modules of Linux, from the user's own files, into a library.

`data/kernel` has what a module includes, written from names, types and meaning of the interface,
and the calls of the simulator mapped to those of the module. The system's C compiler does the rest.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path

from mesonet.controller import library
from mesonet.errors import InputError, Problem, gathered
from mesonet.writing import refuse_name, write_atomically

SHIM = Path(__file__).resolve().parents[1] / "data" / "kernel"
KERNELS = ((5, 10), (7, 1))
"""First and last version of Linux whose modules were tried."""
_FLAGS = (
    *("-shared", "-fPIC", "-O2", "-std=gnu11", "-fvisibility=hidden"),
    # As kernels are compiled: integers wrap, and pointers may be cast.
    *("-fwrapv", "-fno-strict-aliasing"),
    # Newer compilers take these for errors by themselves.
    *("-Werror=implicit-function-declaration", "-Werror=incompatible-pointer-types"),
    # What is missing is to be missed now, not when the library is opened.
    *(() if sys.platform == "darwin" else ("-Wl,-z,defs",)),
)
_ERROR = re.compile(r"^(.+?:\d+)(?::\d+)?: (?:fatal )?error: (.+)$", re.MULTILINE)
_UNDEFINED = re.compile(r"undefined (?:reference to|symbols?).*$", re.MULTILINE)


def build_kernel_module(
    sources: Iterable[str | Path],
    *,
    out: str | Path | None = None,
    kernel: str = "6.12",
    hz: int = 250,
    ecn_low: bool = False,
    compiler: str = "cc",
) -> list[str]:
    """Builds C files of congestion-control modules into one library; the names of its controllers.

    Args:
        sources: the files, such as `net/ipv4/tcp_cubic.c`; they are not changed.
        out: the library; by default named after the first file, in the current folder.
        kernel: the version of Linux that they are from.
        hz: ticks per second of its clock.
        ecn_low: the route has the feature `ecn_low`, with which BBR 3 answers marks.
        compiler: the C compiler.
    """
    files = [Path(source) for source in sources]
    target = Path(out) if out is not None else Path(files[0].stem + library.SUFFIX)
    problems: list[Problem] = [*_problems(files, kernel, compiler)]
    with gathered(problems):
        refuse_name(target, "--out", (library.SUFFIX,))
    if problems:
        raise InputError(problems)
    with tempfile.TemporaryDirectory(prefix="mesonet-") as folder:
        built = Path(folder) / target.name
        _compile(files, built, kernel=kernel, hz=hz, ecn_low=ecn_low, compiler=compiler)
        if not library.names_in(built):
            message = "expected a module that registers itself, with ssthresh and undo_cwnd"
            raise InputError([Problem(str(files[0]), "no_module", message)])
        write_atomically(target, built.read_bytes())
    return library.names_in(target)


def _problems(files: list[Path], kernel: str, compiler: str) -> Iterator[Problem]:
    for file in files:
        if not file.is_file():
            yield Problem(str(file), "missing", "no such file")
        elif files.count(file) > 1:
            yield Problem(str(file), "duplicate", "expected each file once")
    first, last = (".".join(map(str, numbers)) for numbers in KERNELS)
    if not (re.fullmatch(r"\d+\.\d+", kernel) and KERNELS[0] <= _numbers(kernel) <= KERNELS[1]):
        message = f'expected a version of Linux from {first} to {last}, got "{kernel}"'
        yield Problem("--kernel", "unknown_kernel", message)
    if shutil.which(compiler) is None:
        message = f'expected a C compiler such as cc or clang, there is no "{compiler}"'
        yield Problem("--compiler", "missing", message)


def _numbers(kernel: str) -> tuple[int, int]:
    major, minor = map(int, kernel.split("."))
    return major, minor


def _compile(
    files: list[Path], built: Path, *, kernel: str, hz: int, ecn_low: bool, compiler: str
) -> None:
    # Headers that a module may include; each is the shim.
    include = built.parent / "include"
    for name in (SHIM / "headers.txt").read_text(encoding="utf-8").split():
        header = include / name
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text("#include <shim.h>\n", encoding="utf-8")
    major, minor = _numbers(kernel)
    texts = {
        "SOURCE": f"{', '.join(file.name for file in files)} of Linux {kernel}, {hz} Hz",
        "NAME": files[0].stem,
        "VERSION": kernel,
        "PLUGIN": version("mesonet"),
    }
    command = [
        *(compiler, *_FLAGS, f"-I{include}", f"-I{SHIM}"),
        *(f'-DSHIM_{name}="{text}"' for name, text in texts.items()),
        *(f"-DSHIM_KERNEL={(major << 16) + (minor << 8)}", f"-DSHIM_HZ={hz}"),
        f"-DSHIM_ECN_LOW={ecn_low:d}",
        *("-o", str(built), *map(str, [*files, SHIM / "adapter.c", SHIM / "helpers.c"])),
    ]
    # Errors are looked for in English.
    english = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(command, capture_output=True, errors="replace", check=False, env=english)
    if done.returncode:
        raise InputError([_first_error(done.stderr, files[0], kernel)])


def _first_error(printed: str, file: Path, kernel: str) -> Problem:
    """The compiler's first error, with a hint."""
    hint = f"; the shim has what CUBIC, Reno's family and BBR use, as in Linux {kernel} (--kernel)"
    if error := _ERROR.search(printed):
        return Problem(error[1], "compile", error[2] + hint)
    missing = _UNDEFINED.search(printed)
    if missing:
        return Problem(str(file), "link", f"{missing[0]}; name the file that has it, too")
    return Problem(str(file), "compile", f"the compiler failed: {printed.strip()}")
