"""Report inputs made from the synthetic campaign."""

import synthetic

from mesonet.design import fractional_factorial
from mesonet.report import ReportInputs

NODES = [
    ("STTL", "Seattle", 47.61, -122.33),
    ("SNVA", "Sunnyvale", 37.37, -122.04),
    ("DNVR", "Denver", 39.74, -104.98),
    ("NYCM", "New York", 40.71, -74.01),
]
LINKS = [("STTL", "SNVA", 14), ("STTL", "DNVR", 22), ("SNVA", "DNVR", 11), ("DNVR", "NYCM", 19.5)]
GEOMETRY = {
    "nodes": [dict(zip(("name", "label", "lat", "lon"), node, strict=True)) for node in NODES],
    "links": [dict(zip(("a", "b", "delay_ms"), link, strict=True)) for link in LINKS],
}
DESIGN = fractional_factorial(
    synthetic.FACTORS, generators={"file_size": "delay*speed*buffers*sources*think_time"}
)
BETTER = {"loss_rate": "lower", "retransmission_rate": "lower", "queueing_delay": "lower"}
UNITS = {"loss_rate": "", "queueing_delay": "s", "sending_sources": "sources"}


def about(name):
    goodput = name.startswith("goodput")
    return {
        "name": name.replace("_", " "),
        "unit": UNITS.get(name, "segments/s" if goodput else ""),
        "definition": f"What {name} means, <in words>.",
        "source": "made up",
        "symbol": "exp1: y1",
        "better": "higher" if goodput else BETTER.get(name, "neither"),
    }


def inputs(*, frame=None, **changes):
    frame = synthetic.campaign() if frame is None else frame
    defaults = {
        "title": "Would ctcp & scalable be safe to deploy?",
        "question": "Three algorithms on a national backbone: who gains, who is harmed, and under "
        "which conditions does it matter?",
        "frame": frame,
        "factors": [
            {"name": n, "symbol": s, "label": label, "low": low, "high": high}
            for n, s, label, (low, high) in zip(
                synthetic.FACTORS,
                synthetic.SYMBOLS,
                synthetic.LABELS,
                synthetic.LEVELS,
                strict=True,
            )
        ],
        "design": DESIGN,
        "responses": {name: about(name) for name in synthetic.RESPONSES},
        "congestion": "loss_rate",
        "geometry": GEOMETRY,
        "provenance": {"result version": "1", "seeds": "7"},
        "plan": 'name = "made up"\n',
        "commands": {run: f"mesonet replay results {run}" for run in frame["run"]},
    }
    return ReportInputs(**(defaults | changes))
