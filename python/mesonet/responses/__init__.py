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
the flows or transfers of one algorithm. Not measured, and so not among the responses: delays of
single packets, of transfers that are not named flows, and of links; what an algorithm costs a
processor.
"""

from mesonet.responses.experiment1 import (
    define_aggregates,
    define_long_flows,
    define_macroscopic,
    define_saturation,
    define_states,
)
from mesonet.responses.flows import define_completion, define_flows, define_queueing
from mesonet.responses.groups import (
    FLOW_GROUPS,
    define_file_shares,
    define_flow_groups,
    define_flow_retransmission,
    define_pair_classes,
)
from mesonet.responses.lab import define_class_throughput, define_lab, define_network
from mesonet.responses.long_flows import define_long_flow_latencies
from mesonet.responses.measurements import Measurements
from mesonet.responses.queues import define_queue_management
from mesonet.responses.registry import Response, Variant, compute, in_lines, lookup, registry
from mesonet.responses.sensitivity import define_sensitivity

# The order of these calls is the order in which responses are printed.
define_macroscopic()
define_pair_classes()
define_long_flows()
define_saturation()
define_states()
define_aggregates()
define_network()
define_flow_retransmission()
define_class_throughput()
define_sensitivity()
define_lab()
define_flow_groups()
define_file_shares()
define_flows()
define_long_flow_latencies()
define_completion()
define_queueing()
define_queue_management()

__all__ = [
    "FLOW_GROUPS",
    "Measurements",
    "Response",
    "Variant",
    "compute",
    "in_lines",
    "lookup",
    "registry",
    "to_markdown",
]


def to_markdown() -> str:
    """The reference page of all responses, from the registry."""
    from mesonet.responses.markdown import page

    return page(registry.values(), __doc__ or "")
