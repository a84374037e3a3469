"""Printed results of the sensitivity analysis of MesoNet in the methodology paper.

Table 7 has lost the lines between its columns in the text at hand. Columns were recovered from the
blanks that it kept; one row can be checked against the prose, which names the six effects on the
sending sources, and agrees. Effects whose column stays in doubt are in `UNPLACED`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

FACTORS: Mapping[int, tuple[str, str, int]] = {
    1: ("speed", "network speed", 3),
    2: ("delay", "propagation delay", 2),
    3: ("buffers", "buffers", 4),
    4: ("topology", "topology", 1),
    5: ("web", "size of Web objects", 11),
    6: ("files", "larger files", 12),
    7: ("think", "think time", 9),
    8: ("patience", "patience", 10),
    9: ("jumbo", "spatiotemporal congestion", 13),
    10: ("long_flows", "long-lived flows", 14),
    11: ("interfaces", "interface speeds", 8),
    12: ("sources", "number of sources and receivers", 5),
    13: ("where_sources", "distribution of sources", 6),
    14: ("where_receivers", "distribution of receivers", 7),
    15: ("mix", "congestion control procedures", 15),
    16: ("window", "initial congestion window", 16),
    17: ("ssthresh", "initial slow-start threshold", 17),
    18: ("interval", "measurement interval", 18),
    19: ("duration", "simulated time", 19),
    20: ("startup", "start-up pattern", 20),
}
"""Factors by the paper's number: the plan's name, the parameter, its number in the study's slides.
"""

RESPONSES: Mapping[str, tuple[str, str]] = {
    "Y1": ("y42", "connecting sources"),
    "Y2": ("y1", "sending sources"),
    "Y3": ("initial_slow_start_share", "share in initial slow start"),
    "Y4": ("standard_share", "share in standard congestion avoidance"),
    "Y5": ("alternate_share", "share in alternate congestion avoidance"),
    "Y6": ("y6", "retransmission rate"),
    "Y7": ("y4", "congestion window"),
    "Y8": ("connection_failures", "connection failures"),
    "Y9": ("y7", "round-trip time"),
    "Y10": ("y8", "queuing delay"),
    "Y11": ("completions", "flows completed per second"),
    "Y12": ("output_rate", "segments output per second"),
    "Y13": ("y33", "throughput of long-lived flow 1"),
    "Y14": ("y34", "throughput of long-lived flow 2"),
    "Y15": ("y35", "throughput of long-lived flow 3"),
    "Y16": ("throughput_VF", "throughput on very fast paths"),
    "Y17": ("throughput_F", "throughput on fast paths"),
    "Y18": ("throughput_T", "throughput on typical paths"),
}
"""Macroscopic responses of Table 6: our name, and a description."""

UNITS: Mapping[str, tuple[str, float]] = {
    **dict.fromkeys(("Y1", "Y2"), ("sources", 1.0)),
    **dict.fromkeys(("Y3", "Y4", "Y5", "Y6"), ("%", 100.0)),
    "Y7": ("segments", 1.0),
    "Y8": ("1/s", 1.0),
    **dict.fromkeys(("Y9", "Y10"), ("ms", 1000.0)),
    "Y11": ("flows/s", 1.0),
    **dict.fromkeys((f"Y{number}" for number in range(12, 19)), ("segments/s", 1.0)),
}
"""Units of these responses here, those of Table 6 where it has one, and the factor from ours."""

SAMPLE: Mapping[str, tuple[str, str]] = {
    "y1": ("y1", "sources transmitting"),
    "y2": ("sending_share", "proportion transmitting"),
    "y3": ("input_rate", "segments entering"),
    "y4": ("output_rate", "segments leaving"),
    "y5": ("loss_rate", "loss rate"),
    "y6": ("completions", "flows completing"),
    "y7": ("completion_ratio", "flow-completion rate"),
    "y8": ("connection_failures", "connection failures"),
    "y9": ("failure_ratio", "connection-failure rate"),
    "y10": ("y6", "retransmission rate"),
    "y11": ("y4", "congestion window"),
    "y12": ("cwnd_increases", "congestion-window increases"),
    "y13": ("duplicate_acks", "duplicate ACKs"),
    "y14": ("timeouts", "timeouts"),
    "y15": ("y7", "round-trip time"),
    "y16": ("y8", "queuing delay"),
    "y17": ("throughput_DD", "throughput of DD flows"),
    "y18": ("throughput_DF", "throughput of DF flows"),
    "y19": ("throughput_DN", "throughput of DN flows"),
    "y20": ("throughput_FF", "throughput of FF flows"),
    "y21": ("throughput_FN", "throughput of FN flows"),
    "y22": ("throughput_NN", "throughput of NN flows"),
}
"""Tables 3 and 4's sample of responses, from which the paper forms seven clusters."""


class Effect(NamedTuple):
    """A significant effect of Table 7: `sign` gives the level with the larger response."""

    response: str
    factor: int
    sign: str
    stars: str


_TABLE_7 = {
    "Y1": "1-** 3+** 4+* 7-** 12+** 13+** 16+**",
    "Y2": "1-** 4+** 5+** 7-** 12+** 13+**",
    "Y3": "1+** 2+** 3+** 5-** 7+** 12-** 13-** 17+**",
    "Y4": "1-** 2-** 3-** 5+** 7-** 12+** 13+** 15-*",
    "Y5": "1+** 3+** 7+** 12-** 13-** 15+** 16+* 17-**",
    "Y6": "1-** 2-** 3-** 5+** 7-** 12+** 13+** 16+**",
    "Y7": "1+*",
    "Y8": "1-** 2-** 3-** 5+** 12+** 13+** 16+**",
    "Y9": "1-** 2+** 3+**",
    "Y10": "1-** 2+** 3+** 7-* 12+** 13+**",
    "Y11": "1+** 2-* 4+** 5-** 7-** 12+** 13+**",
    "Y12": "1+** 3+** 4+** 5+** 7-**",
    "Y13": "1+** 3+* 4+* 7+**",
    "Y14": "1+* 4+** 7+**",
    "Y15": "1+** 7+** 12-* 13-*",
    "Y16": "1+** 2-** 4-** 7+* 12-** 13-* 17+**",
    "Y17": "1+** 2-** 4+* 7+** 12-** 13+** 14-**",
    "Y18": "1+** 2-** 4-** 7+** 12-** 13-** 16+**",
}

TABLE_7: tuple[Effect, ...] = tuple(
    Effect(response, int(number), sign, stars)
    for response, row in _TABLE_7.items()
    for number, sign, stars in re.findall(r"(\d+)([+-])(\*+)", row)
)
"""Significant effects in the second period whose column is clear."""

UNPLACED: tuple[tuple[str, str, str], ...] = (
    ("Y9", "+*", "X12, perhaps its neighbours"),
    ("Y9", "+*", "X13, perhaps its neighbours"),
    ("Y12", "-**", "one of X8 to X13"),
    ("Y12", "+**", "one of X8 to X13, right of the minus"),
    ("Y13", "-**", "X12, perhaps X10"),
    ("Y14", "-**", "X12, perhaps X10"),
    ("Y16", "+**", "X11, perhaps its neighbours"),
    ("Y16", "-*", "one of X18 to X20"),
    ("Y17", "+**", "X11, perhaps its neighbours"),
    ("Y17", "+**", "X16 or X17"),
    ("Y17", "-*", "one of X18 to X20"),
)
"""Significant effects of Table 7 whose column is in doubt: row, sign and stars, likely columns."""

MAIN_FACTORS = (1, 2, 3, 4, 5, 7, 12, 13)
"""Factors that the prose calls the main and the other significant influences."""
LESSER_FACTORS = (16, 17)
"""Factors of lesser influence; the others have little or none."""

CORRELATED = 0.65
"""Threshold of the absolute correlation."""
PROCESSOR_HOURS = 28
"""Mean processor time of one run [h], section 3.1."""
