"""What visitors of a shared laboratory wait: each loads the page, then turns a knob now and then.

`python tools/performance/lab_load.py` starts a laboratory on the loopback as `mesonet lab --share`
has it, and prints JSON: visitors, runs, errors, and the delay of a run as visitors see it [s].
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import random
import statistics
import subprocess
import sys
import threading
import time
from typing import NamedTuple
from urllib.parse import urlencode

SERVER = """
from mesonet.lab.server import Laboratory, serve
from mesonet.machine import available_cores
laboratory = Laboratory(workers=available_cores(), own=False)
ready = lambda port: print(port, laboratory.token, flush=True)
serve(laboratory, host="127.0.0.1", port=0, ready=ready)
"""
PAGE = ("", "page.css", "lab.css", "vega.js", "state.js", "side.js", "lab.js", "options.json")
KNOBS = {
    "rate": (5, 10, 20, 50),
    "rtt": (10, 20, 40, 80, 160),
    "buffer": (0.25, 0.5, 1, 2, 4, 8),
    "queue": ("droptail", "codel", "fq_codel", "pie"),
    "first": ("reno", "cubic", "bbr3", "vegas"),
    "second": ("none", "reno", "cubic", "bbr1"),
    "seed": tuple(range(1, 11)),
}


class Seen(NamedTuple):
    """What visitors saw: delays of the first page and of runs [s], and answers that were none."""

    pages: list[float]
    runs: list[float]
    errors: list[str]


def visit(port: int, token: str, number: int, turns: int, pause: float, seen: Seen) -> None:
    """One visitor: the page, then turns of a knob, `pause` seconds apart on average."""
    draws = random.Random(number)
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    headers = {"X-Visitor": str(number), "Accept-Encoding": "gzip"}

    def load(path: str) -> float:
        begun = time.monotonic()
        line.request("GET", f"/{token}/{path}", headers=headers)
        answer = line.getresponse()
        answer.read()
        if answer.status != 200:
            seen.errors.append(f"{answer.status} {path}")
        return time.monotonic() - begun

    with contextlib.closing(line):
        try:
            seen.pages.append(sum(map(load, (*PAGE, "run"))))
            for _ in range(turns):
                time.sleep(min(draws.expovariate(1 / pause), 3 * pause))
                query = {name: draws.choice(values) for name, values in KNOBS.items()}
                seen.runs.append(load(f"run?{urlencode(query)}"))
        except (OSError, http.client.HTTPException) as error:
            seen.errors.append(repr(error))


def measure(visitors: int, turns: int, pause: float) -> dict[str, float]:
    """Has visitors come within half of a pause, and sums up what they saw."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            port, token = server.stdout.readline().split()
            seen = Seen([], [], [])
            threads = [
                threading.Thread(target=visit, args=(int(port), token, it, turns, pause, seen))
                for it in range(visitors)
            ]
            for thread in threads:
                thread.start()
                time.sleep(pause / 2 / visitors)
            for thread in threads:
                thread.join()
        finally:
            server.terminate()
    for error in sorted(set(seen.errors)):
        print(error, file=sys.stderr)
    delays = statistics.quantiles(seen.runs, n=20)
    return {
        "visitors": visitors,
        "runs": len(seen.runs),
        "errors": len(seen.errors),
        "page_median": round(statistics.median(seen.pages), 3),
        "delay_median": round(statistics.median(seen.runs), 3),
        "delay_p95": round(delays[-1], 3),
        "delay_largest": round(max(seen.runs), 3),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=100)
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--pause", type=float, default=10, help="mean time between turns [s]")
    chosen = parser.parse_args()
    print(json.dumps(measure(chosen.visitors, chosen.turns, chosen.pause)))
