"""Limits of a process that reads what anybody may have made."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def be_modest() -> None:
    """Limits this process to the memory that the machine has, without dumps of it."""
    import resource

    most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for kind, limit in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_DATA, most)):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (limit, limit))
    # Where memory runs out all the same, this process goes and not the one that it works for.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", "ascii")
