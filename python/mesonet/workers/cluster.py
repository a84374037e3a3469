"""Workers on many machines, through Dask: whatever Dask can begin, a campaign can use.

Workers need no folder in common with this machine: the work travels to them, and what is kept comes
back. They are asked for their engine before they execute anything.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import queue
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from distributed import Client, Future, KilledWorker, get_worker
from distributed.comm import parse_address, parse_host_port
from distributed.comm.registry import get_backend

from mesonet.controller import look_in
from mesonet.controller.folders import folders
from mesonet.errors import CampaignError
from mesonet.workers.process import perform
from mesonet.workers.tasks import Beat, Budget, Event, Execute, Lost, Outcome, Task

_OF_HOSTS = ("tcp", "tls", "ws", "wss")
"""Schemes whose addresses are a host and a port."""
_CONNECT = 30.0
"""Seconds to wait for a scheduler at first."""
_ATTEMPT = 2.0
"""Seconds of one attempt to connect, during which signals wait."""
JOIN = 300.0
"""Seconds to wait for the first worker."""
_LOOK_EVERY = 1.0
_AHEAD = 1.25
"""Tasks handed out per place of a worker, so that none waits for the next to travel."""

_topics = itertools.count()


class ClusterPool:
    """The workers of a Dask scheduler."""

    def __init__(self, cluster: str | Client, execute: Execute, budget: Budget) -> None:
        """Connects."""
        self._execute, self._budget = execute, budget
        self._topic = f"mesonet-{time.time_ns()}-{next(_topics)}"
        self._events: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._sent: dict[str, Future] = {}
        self._places: dict[str, int] = {}
        self._looked = 0.0
        self._lonely_since = time.monotonic()
        self._owned = isinstance(cluster, str)
        if isinstance(cluster, str):
            # That a scheduler is away is said here, in a line.
            logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
            self._client = _connect(cluster)
        else:
            self._client = cluster
        self._address = str(self._client.scheduler.address)

        def heard(event: tuple[float, Any]) -> None:
            # Dask adds fields of its own.
            beat = Beat(**{name: event[1][name] for name in Beat._fields})
            self._events.put((beat.id, beat))

        self._client.subscribe_topic(self._topic, heard)
        self._look()

    def workers(self) -> int:
        return max(sum(self._places.values()), 1)

    def lonely(self) -> str:
        if self._places:
            return ""
        return f"no worker is connected to {self._address}; waiting for one"

    def free(self) -> int:
        places = sum(self._places.values())
        return max(int(places * _AHEAD + 0.5) - len(self._sent), 0)

    def submit(self, task: Task) -> str:
        future = self._client.submit(
            _on_cluster,
            self._execute,
            task,
            self._budget,
            self._topic,
            folders(),
            key=f"{self._topic}-{task.id}-{time.monotonic_ns()}",
            pure=False,
        )
        self._sent[task.id] = future
        future.add_done_callback(lambda done: self._events.put((task.id, done)))
        return "cluster"

    def poll(self, timeout: float) -> list[Event]:
        events: list[Event] = []
        with contextlib.suppress(queue.Empty):
            events += self._translate(*self._events.get(timeout=timeout))
            while True:
                events += self._translate(*self._events.get_nowait())
        if time.monotonic() - self._looked >= _LOOK_EVERY:
            self._look()
        return events

    def end(self, task: str) -> None:
        if (future := self._sent.pop(task, None)) is not None:
            future.cancel()

    def memory(self, task: str) -> int | None:  # noqa: ARG002 - the workers see to it themselves
        return None

    def close(self) -> None:
        if self._client.status == "running":
            with contextlib.suppress(Exception):
                self._client.cancel(list(self._sent.values()), force=True)
            with contextlib.suppress(Exception):
                self._client.unsubscribe_topic(self._topic)
        self._sent.clear()
        if self._owned:
            with contextlib.suppress(Exception):
                self._client.close(timeout=5)

    def _translate(self, task: str, what: Future | Beat) -> list[Event]:
        if isinstance(what, Beat):
            return [what]
        if task not in self._sent or self._sent[task] is not what:
            return []
        del self._sent[task]
        if what.status == "finished":
            answer = what.result()
            if isinstance(answer, CampaignError):
                raise answer
            return [answer]
        if what.status == "error":
            error = what.exception()
            if isinstance(error, KilledWorker):
                return [Outcome(task, error=f"{type(error).__name__}: {error}")]
            # Whatever a run raises is an outcome.
            raise CampaignError(
                f"{self._address}: scheduler or worker cannot read a run "
                f"({error.__cause__ or error}); install the same mesonet there"
            )
        # Cancelled or lost: the scheduler forgot it, for instance as it was begun again.
        return [Lost(task, "the scheduler lost it", blame=False)]

    def _look(self) -> None:
        """Looks which workers there are."""
        self._looked = time.monotonic()
        if self._client.status != "running":
            raise CampaignError(f"{self._address}: the scheduler is gone; the same command resumes")
        try:
            workers = self._client.scheduler_info(n_workers=-1)["workers"]
        except Exception:  # noqa: BLE001 - any of the library's; the connection is looked at next time
            return
        self._places = {address: int(about["nthreads"]) for address, about in workers.items()}
        if self._places:
            self._lonely_since = self._looked
        elif self._looked - self._lonely_since > JOIN:
            raise CampaignError(f"{self._address}: no worker has joined in {JOIN:.0f} s")


def _connect(address: str) -> Client:
    """A connection to a scheduler, which may be about to begin."""
    deadline = time.monotonic() + _CONNECT
    while True:
        try:
            _check_address(address)
            return Client(address, timeout=_ATTEMPT, set_as_default=False)
        except ValueError as error:
            message = f"not an address such as tcp://HOST:8786: {error}"
            raise CampaignError(f"--cluster {address}: {message}") from None
        except OSError as error:
            if time.monotonic() >= deadline:
                # Its own text counts the seconds of the last attempt.
                why = f" ({error.__cause__})" if str(error.__cause__ or "") else ""
                message = f"no scheduler answers in {_CONNECT:.0f} s{why}"
                raise CampaignError(f"--cluster {address}: {message}") from None
            time.sleep(0.2)


def _check_address(address: str) -> None:
    """Raises `ValueError` for no address: a client of it would try to end itself for ever."""
    scheme, rest = parse_address(address)
    get_backend(scheme)
    if scheme in _OF_HOSTS:
        parse_host_port(rest)


def _on_cluster(
    execute: Execute, task: Task, budget: Budget, topic: str, places: Sequence[Path]
) -> Outcome | CampaignError:
    """Executes a task in a worker of Dask, which looks for controllers in the same places."""
    worker = get_worker()
    look_in(*places)

    def tell(beat: Beat) -> None:
        worker.log_event(topic, beat._asdict())

    try:
        return perform(execute, task, budget, tell, worker.address)
    except CampaignError as error:
        return error
