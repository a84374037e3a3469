"""The laboratory's server: its pages, and runs within limits.

Everything lies below a token in the address, which nobody can guess: pages of others that a browser
shows can send requests to this machine, too.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import secrets
import socket
import tempfile
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mesonet.controller import built_in
from mesonet.errors import InputError, Problem
from mesonet.lab.bench import Bench
from mesonet.lab.job import Answer, Job
from mesonet.lab.lessons import lessons
from mesonet.lab.setting import Setting, algorithms
from mesonet.page.bundle import bundle

LONGEST_PROGRAM = 20_000
"""Longest program of the editor [bytes]."""
MOST_WAITING = 200
"""So many runs may wait; another one is refused."""
_KEPT = 200
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Laboratory:
    """Pages and runs. Answers to settings are kept: a class that opens a lesson makes one run."""

    def __init__(self, *, workers: int = 1, own: bool = True) -> None:
        self.token = secrets.token_urlsafe(16)
        self.own = own
        self._folder = tempfile.TemporaryDirectory(prefix="mesonet-lab-")
        self._bench, self._bench_of_own = Bench(workers), Bench(1)
        self._kept: OrderedDict[Setting, Future[Answer]] = OrderedDict()
        self._busy: set[str] = set()
        self._waiting = 0
        # The process starts, and its first run is there, before anybody asks.
        self._run(Setting(), "")
        self._page = ThreadPoolExecutor(1).submit(_page)

    def close(self) -> None:
        """Ends what runs."""
        self._bench.close()
        self._bench_of_own.close()
        self._folder.cleanup()

    def application(self) -> ASGIApp:
        """The web application."""
        static = StaticFiles(packages=[("mesonet.lab", "static")], html=True)
        routes = [
            Route("/run", self.run, methods=["GET", "POST"]),
            Route("/options.json", self.options),
            Route("/vega.js", self.vega),
            Route("/page.css", _page_style),
            Mount("/", static),
        ]
        inside = [Mount(f"/{self.token}", routes=routes)]
        return Starlette(
            routes=inside,
            middleware=[Middleware(_Headers), Middleware(GZipMiddleware, compresslevel=3)],
        )

    async def options(self, _: Request) -> Response:
        """What the page is made of: knobs, names, lessons and the chart."""
        options = (await asyncio.wrap_future(self._page))[0]
        return JSONResponse(options | {"own": self.own})

    async def vega(self, _: Request) -> Response:
        """Vega: it is most of what a visitor loads."""
        vega = (await asyncio.wrap_future(self._page))[1]
        headers = {"Content-Encoding": "gzip", "Cache-Control": "max-age=86400"}
        return Response(vega, media_type="text/javascript", headers=headers)

    async def run(self, request: Request) -> Response:
        """The run of the setting in the query; the program of the editor is the body."""
        visitor = request.headers.get("x-visitor", "")[:40] or getattr(request.client, "host", "")
        if visitor in self._busy or self._waiting >= MOST_WAITING:
            return _refused(429, "busy: a run at a time, and the machine has many to make")
        self._busy.add(visitor)
        self._waiting += 1
        try:
            return await self._answered(request)
        except InputError as error:
            return _json(Answer.refusal(error.problems).shown, 422)
        except ClientDisconnect:
            return _refused(400, "the program did not come whole")
        finally:
            self._waiting -= 1
            self._busy.discard(visitor)

    async def _answered(self, request: Request) -> Response:
        setting = Setting.read(request.query_params.multi_items())
        code = ""
        if setting.is_own:
            if not self.own:
                return _refused(403, "programs of visitors are not run here")
            if request.method != "POST":
                return _refused(409, "the program in the editor was not run yet")
            code = await _program(request)
        answer = await asyncio.wrap_future(self._run(setting, code))
        if not answer.legend:
            # Of what ended at a limit another try may become something.
            self._kept.pop(setting, None)
            return _json(answer.shown, 422)
        colours = json.dumps(await asyncio.to_thread(_colours, answer.legend))
        return _json(f'{{"colours":{colours},"run":{answer.shown}}}')

    def _run(self, setting: Setting, code: str) -> Future[Answer]:
        job = Job(setting.model_dump(), code, Path(self._folder.name))
        if setting.is_own:
            return self._bench_of_own.submit(job)
        if setting not in self._kept:
            self._kept[setting] = self._bench.submit(job)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return self._kept[setting]


def _json(text: str, status: int = 200) -> Response:
    return Response(text, status, media_type="application/json")


def _refused(status: int, message: str) -> Response:
    return _json(Answer.refusal([Problem("", "refused", message)]).shown, status)


async def _program(request: Request) -> str:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_PROGRAM:
            message = f"expected at most {LONGEST_PROGRAM} bytes"
            raise InputError([Problem("own.py", "too_large", message)])
    return body.decode(errors="replace")


def _colours(labels: tuple[str, ...]) -> tuple[str, ...]:
    # Imports the library of charts, which takes half a second.
    from mesonet.figures.style import Look

    return Look.of(labels).colours


def _page() -> tuple[dict[str, Any], bytes]:
    """Options and Vega, which take a second to make and are the same for all visitors."""
    from mesonet.lab.chart import spec

    schema = Setting.model_json_schema()["properties"]
    described = {it.name: it.summary for it in built_in()}
    options = {
        "knobs": {
            name: {key: about[key] for key in ("default", "unit", "steps", "enum") if key in about}
            for name, about in schema.items()
        },
        "algorithms": [[name, described.get(name, "")] for name in algorithms()],
        "lessons": [lesson.model_dump(exclude_unset=True) for lesson in lessons()],
        "chart": spec(),
    }
    return options, gzip.compress(bundle().encode(), 6)


def _page_style(_: Request) -> Response:
    style = resources.files("mesonet.page") / "templates" / "page.css"
    return Response(style.read_text("utf-8"), media_type="text/css")


class _Headers:
    """Has browsers load nothing from elsewhere, and tell nobody the address."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self._app(scope, receive, sent)


def serve(laboratory: Laboratory, *, host: str, port: int, ready: Callable[[int], None]) -> None:
    """Serves until Ctrl-C; `ready` is told the port once the server listens.

    Args:
        laboratory: Laboratory to serve; it is closed at the end.
        host: Address to listen at.
        port: Port to listen at, or 0 for any that is free.
        ready: Called with the port.
    """
    # A visitor who thinks for a minute keeps the connection.
    config = uvicorn.Config(
        laboratory.application(),
        log_level="warning",
        access_log=False,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=1,
    )
    try:
        with _listener(host, port) as listener:
            ready(listener.getsockname()[1])
            uvicorn.Server(config).run(sockets=[listener])
    finally:
        laboratory.close()


def _listener(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port))
    except OSError as error:
        message = f"{port} cannot be listened at: {os.strerror(error.errno or 0)}"
        raise InputError([Problem("--port", "occupied", message)]) from None


def address() -> str:
    """The address of this machine for others of its network; its name where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            # Nothing is sent: the system only chooses the way, here to an address for examples.
            way.connect(("192.0.2.1", 9))
        except OSError:
            return socket.gethostname()
        return str(way.getsockname()[0])
