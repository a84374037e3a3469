"""Settings of these studies, for their pages."""

from __future__ import annotations

from collections.abc import Sequence

from mesonet.studies.slac.paths import (
    CAPACITIES,
    LONGEST,
    MEAN_SIZE,
    NETWORK_CARD,
    PACKET,
    SHAPE,
    SHORT_RTTS,
    SMSS,
    Path,
    TestExtent,
    seeds,
)
from mesonet.studies.study import Options

NOT_COMPARABLE = (
    "The tests ran over production networks with unknown capacities, buffers and other traffic, on "
    "Windows hosts whose stack the source itself suspects. Only orders, signs and ratios are "
    "scored; absolute throughputs stand beside each other and are not."
)


def settings(paths: Sequence[Path], options: Options, extent: TestExtent) -> dict[str, str]:
    """Settings of a study for its page, by name."""

    def each(text: str) -> str:
        return "; ".join(text.format(p=path, loss=path.loss) for path in paths)

    return {
        "Paths": each("{p.title}"),
        "Capacity (ours)": CAPACITIES,
        "Buffer": each("{p.name} {p.buffer} packets")
        + ". Florida's and Ireland's are printed; others, one bandwidth-delay product, are ours",
        "Other traffic (ours)": "random loss with which Reno's response function, window = "
        "√(1.5 / loss) (RFC 3649), gives the throughput printed for one standard flow: "
        + each("{p.name} {loss:.3g}"),
        "Hosts (ours)": f"{NETWORK_CARD} network cards, the transport profile linux; every segment "
        "is acknowledged",
        "Schedule (ours)": each("{p.name}: a flow every {p.stagger:g} s, {p.duration:g} s in all")
        + f"; times {extent.scale:g} in this size",
        "Packets": f"{PACKET} bytes, {SMSS} of them payload; throughputs are of payload",
        "Seeds": ", ".join(map(str, seeds(options, extent))),
        "Fairness": "over the time in which all flows send, in windows of 1 s and of 5 to 100 base "
        "round-trip times",
        "Short flows (another variant)": f"standard TCP, Pareto sizes with mean {MEAN_SIZE} "
        f"packets, shape {SHAPE}, at most {LONGEST} means; Poisson starts; round trips of "
        f"{', '.join(map(str, SHORT_RTTS))} ms, all drawn from the seed before the run",
    }
