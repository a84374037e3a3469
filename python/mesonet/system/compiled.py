"""Compiled files of Python that were cut, as by a full disk or a copy that ended."""

from __future__ import annotations

FAULTS = (EOFError, ValueError, TypeError)
"""Kinds of errors with which Python stumbles over such a file."""


def damage(error: BaseException) -> str | None:
    """Words on the compiled file that an import failed on; `None` if it failed for another reason.

    Python compares date and size of the source with what the file says, and not the file itself, so
    it stumbles over the same file every time.
    """
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_name == "_compile_bytecode" and code.co_filename.startswith("<frozen importlib"):
            path = trace.tb_frame.f_locals.get("bytecode_path")
            return f"{path}: this compiled file is damaged; remove it, and Python makes it anew"
        trace = trace.tb_next
    return None
