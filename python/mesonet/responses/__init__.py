"""Responses: one number of one run, each defined once.

A response is measured over the measured periods of its run together, after the warm-up. Counters
are summed over the intervals of all periods before a ratio is taken, so that every interval weighs
the same. For periods of equal length a mean over intervals is also the mean of the periods' means.
An interval at the end that is shorter than the others is in no period.
`y1@2` is the same response over the second measured period alone. Responses of completed transfers
(y9 to y32, g1 to g24 and n1 to n24) are kept from the end of the warm-up to the end of the run. The
aggregates T.y1 to T.y5 are kept over the whole run. Neither has per-period variants.

NaN means undefined: a class without transfers, a queue that is not watched.

Responses of named flows depend on the measurement interval. Windows are whole intervals, and a
window shorter than the interval is undefined. So choose an interval of at most a base round-trip
time where `xi_f` and its like matter. `flow_goodput:reno` or `g13:reno` is the same response over
the flows or transfers of one algorithm, `flow_goodput:@video` those of the flow, or of the flows
alike, that the scenario calls `video`. Of the delays, quote `sojourn_p95` (per packet) for a queue
and `queueing_delay_p95` (per round trip) for a flow; `bottleneck_delay_p95` is per unit of time.
Not measured, and so not among the responses: delays of
single packets, of transfers that are not named flows, and of links; what an algorithm costs a
processor.
"""

from mesonet.responses.measurements import Measurements
from mesonet.responses.registry import (
    CASES,
    Response,
    Variant,
    compute,
    in_lines,
    lookup,
    registry,
)

FLOW_GROUPS: dict[int, tuple[str, str, str]] = {
    case["number"]: (case["path"], case["interface"], case["file"]) for case in CASES["group"]
}
"""The 24 flow groups by NIST's number: path class, interface, file."""

__all__ = [
    "FLOW_GROUPS",
    "Measurements",
    "Response",
    "Variant",
    "compute",
    "in_lines",
    "lookup",
    "registry",
]
