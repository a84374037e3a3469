"""One end of a transfer in a namespace, with the Python that the machine has.

    python endpoint.py receive ADDRESS PORT FLOWS
    python endpoint.py send ADDRESS PORT ALGORITHM START SECONDS

Times are those of the monotonic clock, which namespaces share. A receiver prints, for each flow, a
line of JSON when it has 0.1, 1 and 10 MB. A sender waits for START, prints the time of its SYN, and
then samples of TCP_INFO every 10 ms.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import sys
import threading
import time

MARKS = (100_000, 1_000_000, 10_000_000)
STEP = 0.01
CHUNK = bytes(1 << 16)
TCP_CONGESTION, TCP_INFO = 13, 11
# linux/tcp.h: 24 numbers of 32 bits follow 8 bytes; bytes_acked and data_segs_out come later.
WORDS, ACKED, SENT = struct.Struct("=8x24I"), struct.Struct("=120xQ"), struct.Struct("=156xI")
MINIMUM = struct.Struct("=148xI")


def say(**what: object) -> None:
    """Prints a line of JSON at once."""
    print(json.dumps(what), flush=True)


def receive(address: str, port: int, flows: int) -> None:
    """Takes in what comes, and says when each flow has so many bytes."""
    with socket.create_server((address, port)) as server:
        say(ready=True)
        threads = [
            threading.Thread(target=_drain, args=(server.accept()[0],)) for _ in range(flows)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _drain(taken: socket.socket) -> None:
    total, marks, at = 0, list(MARKS), [0.0]
    buffer = bytearray(1 << 18)
    # The sender ends with a reset.
    with taken, contextlib.suppress(ConnectionResetError):
        peer = taken.getpeername()[1]
        while count := taken.recv_into(buffer):
            total += count
            while marks and total >= marks[0]:
                at[0] = time.monotonic()
                say(peer=peer, bytes=marks.pop(0), at=at[0])


def send(address: str, port: int, algorithm: str, start: float, seconds: float) -> None:
    """Sends all it can for so long, from the time given on."""
    with socket.socket() as out:
        out.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, algorithm.encode())
        time.sleep(max(0.0, start - time.monotonic()))
        began = time.monotonic()
        out.connect((address, port))
        say(peer=out.getsockname()[1], began=began)
        out.settimeout(seconds + 10)
        over = threading.Event()
        samples: list[tuple[float, ...]] = []
        watcher = threading.Thread(target=_watch, args=(out, began, over, samples))
        watcher.start()
        try:
            while time.monotonic() - began < seconds:
                out.settimeout(max(0.01, seconds - (time.monotonic() - began)))
                out.send(CHUNK)
        except TimeoutError:
            pass
        over.set()
        watcher.join()
        # A reset: nothing of the transfer is left for the link to carry.
        out.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    say(samples=samples)


def _watch(
    out: socket.socket, began: float, over: threading.Event, samples: list[tuple[float, ...]]
) -> None:
    turn = 0
    while not over.is_set():
        info = out.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 256)
        words = WORDS.unpack_from(info)
        rtt, ssthresh, cwnd, retransmitted = words[15], words[17], words[18], words[23]
        (acked,), (sent,), (least,) = (each.unpack_from(info) for each in (ACKED, SENT, MINIMUM))
        now = time.monotonic() - began
        samples.append((round(now, 6), cwnd, ssthresh, rtt, retransmitted, acked, sent, least))
        turn += 1
        over.wait(max(0.0, turn * STEP - (time.monotonic() - began)))


if __name__ == "__main__":
    if sys.argv[1] == "receive":
        receive(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        send(sys.argv[2], int(sys.argv[3]), sys.argv[4], float(sys.argv[5]), float(sys.argv[6]))
