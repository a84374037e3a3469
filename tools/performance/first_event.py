"""Time from Python to the first event of a small dumbbell, and to its finished run.

The engine's part ends with the run of a simulated millisecond, which has a few events; so what is
printed is an upper bound. Medians of 200 calls after the first [ms].
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

from mesonet import dumbbell, simulate
from mesonet.checked import checked

SCENARIO = dumbbell(
    rate="10 Mbit/s", rtt="10 ms", flows=["reno", "cubic"], duration="1 ms", interval="1 ms"
)


def median_ms(call: Callable[[], object], calls: int = 200) -> float:
    """Median duration of a call, the first one left out [ms]."""
    call()
    spent = []
    for _ in range(calls):
        begun = time.perf_counter()
        call()
        spent.append(time.perf_counter() - begun)
    return 1000 * statistics.median(spent)


def main() -> None:
    """Prints both."""
    to_events = median_ms(lambda: checked(SCENARIO).handle().run(1))
    whole = median_ms(lambda: simulate(SCENARIO))
    sys.stdout.write(f"first event {to_events:.2f} ms, whole run {whole:.2f} ms\n")


if __name__ == "__main__":
    main()
