"""A laboratory that listens on the loopback while tests ask it."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
from typing import NamedTuple

import pytest
import uvicorn

from mesonet.lab.server import Laboratory


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self):
        return json.loads(self.body)


class Served(NamedTuple):
    port: int
    token: str

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/{self.token}/"

    def ask(self, path, code="", visitor="somebody"):
        """The answer to a path below the token; with a program, to a POST."""
        return self.at(f"/{self.token}/{path}", code, visitor)

    def at(self, path, code="", visitor="somebody"):
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        with contextlib.closing(line):
            line.request("POST" if code else "GET", path, code or None, {"X-Visitor": visitor})
            answer = line.getresponse()
            return Reply(answer.status, dict(answer.getheaders()), answer.read())


@contextlib.contextmanager
def serving(laboratory):
    """As `serve` does it, on a thread that can be told to end."""
    config = uvicorn.Config(laboratory.application(), log_level="warning")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield Served(listener.getsockname()[1], laboratory.token)
        finally:
            server.should_exit = True
            thread.join()
            laboratory.close()


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """A run may take as long as a busy machine needs."""
    monkeypatch.setattr("mesonet.lab.bench.SECONDS", 300.0)


@pytest.fixture(scope="module")
def served():
    with serving(Laboratory()) as it:
        yield it


@pytest.fixture
def shared():
    with serving(Laboratory(own=False)) as it:
        yield it
