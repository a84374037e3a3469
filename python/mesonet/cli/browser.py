"""Pages in the user's browser, where there is a display."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path

from mesonet.cli.common import stderr


def browser() -> bool:
    """`True` if there is a display for a browser with windows."""
    shown = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    if not shown:
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def open_page(page: Path) -> bool:
    """Opens a page; says where it is if no browser takes it, and returns `False`."""
    if browser() and webbrowser.open(page.resolve().as_uri()):
        return True
    stderr.print(f"there is no display for a browser; the page is {page}")
    return False
