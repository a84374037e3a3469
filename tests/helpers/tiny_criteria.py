"""Two criteria in place of those of mesonet, with short runs; a controller that fails."""

from contextlib import contextmanager

from mesonet.evaluation import criteria

CRASHING = """\
import mesonet


class Crash(mesonet.Controller):
    cadence = "round"

    def on_round(self, round, flow):
        if flow.srtt > 0.1:
            raise RuntimeError("out of range")

    def on_congestion(self, event, flow):
        pass
"""
TINY = """\
section = "5.2.1"
title = "Existing algorithms"
strength = "MUST"
asks = "None may be pushed aside."

[[experiments]]
title = "Two flows"
question = "What does one lose?"
arms = "mix"
slopes = ["buffer"]
spread = { rtt = 0.05, start = "100 ms" }
measures = [
    { response = "flow_goodput:victim", words = "goodput", better = "higher", statistic = "harm" },
    { response = "sojourn_p95", words = "delay", better = "lower", statistic = "change" },
]
sizes = { pocket = { replicates = 4, duration = "12 s" } }

[experiments.scenario]
rate = "5 Mbit/s"
rtt = "40 ms"
warm_up = 0.25
record_queues = true
flows = [
    { name = "candidate", algorithm = "candidate", count = 2 },
    { name = "victim", algorithm = "victim" },
]

[experiments.factors.buffer]
label = "buffer"
path = "buffer"
low = "0.5 bdp"
high = "4 bdp"
scale = "log"
"""

UNKNOWN = """\
section = "7.10"
title = "Several paths"
strength = "MUST"
asks = "Share."
status = "not modelled"
why = "one path"
"""


@contextmanager
def tiny_criteria(folder):
    """Has evaluations read the criteria of a folder, which holds these two at first."""
    (folder / "5.2.1.toml").write_text(TINY)
    (folder / "7.10.toml").write_text(UNKNOWN)
    before, criteria.FOLDER = criteria.FOLDER, folder
    criteria.criteria.cache_clear()
    try:
        yield folder
    finally:
        criteria.FOLDER = before
        criteria.criteria.cache_clear()
