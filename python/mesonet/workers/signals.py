"""Ctrl-C and SIGTERM as flags."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any


class Signals:
    """Turns Ctrl-C and SIGTERM into flags while it is entered; the main thread alone gets them."""

    def __init__(self) -> None:
        self.received = 0
        """Number of the last signal, or 0."""
        self.at_once = False
        """True to stop without waiting for running tasks."""
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> Signals:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._receive)
        return self

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        self.at_once = self.at_once or bool(self.received) or number == signal.SIGTERM
        self.received = number

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
