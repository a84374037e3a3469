"""Words of the page of Experiments 1a and 1b."""

from __future__ import annotations

from mesonet.studies.page import Section

CONDITIONS = (
    (
        "A condition sets the six factors; every algorithm is simulated under each, alone in the "
        "network. Scaling multiplies router speeds and numbers of hosts alike, so the load of "
        "every router, in parts of its capacity, is that of the full size. Line rates of hosts "
        "scale, too (see “Settings”). What does not scale are file sizes, thresholds and round "
        "trips: a burst of a hundred packets meets smaller buffers, because buffers of one round "
        "trip shrink with speed and those divided by the root of n with the root of it, and fewer "
        "flows even each other out. So the smaller the size, the more is lost in conditions that "
        "lose nothing at full size."
    ),
    (
        "The design is the 2^(6-1) of highest resolution. The source prints condition numbers but "
        "neither the generator nor which factor is x1. In the order of the slides' table and in "
        "that of the paper's, condition 12, where nothing was lost, would offer the N-class "
        "routers one and two thirds of their capacity. Of all orders, those with speed first and "
        "think time last (or the reverse; speed comes first in Experiment 2) give the loss-free "
        "conditions 2, 8, 12 and 20 the least load, and buffers before delay gives 12 and 20 the "
        "large buffers. That order is used here; claims that rest on it alone count as fitted. "
        "Exchanging the distribution of sources and the size of Web objects would exchange "
        "conditions 12 and 20, and change no other numbered finding."
    ),
)
APART = (
    (
        "Clustering asks under each condition which algorithms give alike values of all 45 "
        "responses. Distances are measured in standard deviations of that condition, so a "
        "condition with tiny differences gives a dendrogram of the usual height."
    ),
)
RETRANSMISSION = (
    (
        "The retransmission rate y6 is one less file size over segments sent, over completed "
        "transfers. The source states the ratio of the two, not which part of which."
    ),
)
SAFETY = (
    (
        "Congested are the sixteen conditions with the highest retransmission rates of the "
        "algorithms other than FAST and FAST-AT; of them those with buffers divided by the root of "
        "n have few buffers. The swing of windows is the standard deviation over the mean of the "
        "congestion windows of the long-lived flows while files on very fast paths are large."
    ),
    (
        "What an algorithm changes: the median over the conditions and over active flows, packets "
        "out, flows completed and round-trip times of the relative difference from standard TCP, "
        "without its sign."
    ),
)
LONG_FLOWS = (
    (
        "Where the flows run is not published; ours run between the backbone routers that are "
        "farthest, most average and nearest, from their D-class routers, with fast interfaces. "
        "Goodput latency is the time from a flow's start until a second with 90 % of its largest "
        "goodput outside the congestion, recovery latency the time from the end of the congestion; "
        "a flow that does not get there counts with the time it had. The source defines neither."
    ),
    (
        "Scaled networks have slower routers, so a window has less to grow to, and periods are "
        "shorter. The latencies are scored where the period before the congestion is at least as "
        "long as the longest that is printed, and those of recovery only where the congestion took "
        "at least half of the flows' goodput: a flow that was not slowed down has nothing to "
        "recover."
    ),
)
CUTS = (
    (
        "The slides say how much each algorithm reduces its rate after a loss. The publication has "
        "no bench for it. Ours: one flow for a minute over 20 packets/ms, 50 ms and a buffer of "
        "150 packets; the median over all losses of the smallest window in the two following round "
        "trips, over the window before."
    ),
)
WORLD = (
    (
        "Computed from the full size without simulating. Buffers are means over routers; minimum, "
        "mean and maximum are over the settings. The root's n is the number of hosts below a "
        "router: the interpretation that fits best of those tried. The maxima of access routers in "
        "1b repeat the minima of PoP routers, a misprint."
    ),
)


def volumes(part: float) -> tuple[str, ...]:
    """Words before the volumes of a size that is this part of the published one."""
    return (
        (
            f"This size simulates {part:.3g} of the published hosts times duration; volumes are "
            "divided by that, and so is processor time."
        ),
        (
            "Sizes of files come from a Pareto distribution whose shape is not published (1.5 "
            "here). Means of samples of such a distribution lie below its mean, the more so the "
            "nearer the shape is to one: eight million files have typically 0.997 of it with 1.5, "
            "0.94 with 1.2 and 0.79 with 1.1. The printed packets per flow are about 0.7 of what "
            "the printed means promise; they were not used to choose the shape."
        ),
    )


def contradictions(name: str) -> Section:
    """Contradictions between the sources, and the interpretation that is taken."""
    notes: list[str] = [
        (
            "Large files end at 0.9 of the run (slides) or at 0.8, with the fourth of five periods "
            "(paper). Taken: 0.8, so that the last period is recovery alone."
        ),
        "Large files are 100 times (slides) or 10 times (paper) as large. Taken: 100.",
        (
            "Retransmission timers are not published. Taken: RFC 2988 of the time, initially 3 s "
            "and at least 1 s. With at least 200 ms flows on full routers send again sooner, so "
            "more is lost."
        ),
        (
            "The slides call x7 what is x8, and print .33 where a third is meant; sources agree "
            "with a third."
        ),
    ]
    if name == "nist-1a":
        notes.insert(
            0,
            "The initial slow-start threshold is 2^31/2 on one slide and 2^32/2 on another and in "
            "the paper. Taken: 2^31/2. No window comes near either: with both the same scenario "
            "gives the same numbers.",
        )
    else:
        notes.append(
            "The largest number of flows completed, 16,729,532, is one in 2.49 s of every one of "
            "27,800 sources for 25 minutes, less than the mean think time of 2.5 s alone: it "
            "cannot belong to the printed settings."
        )
    return Section(
        "contradictions",
        "Where the sources contradict each other",
        (
            (
                f"Both interpretations can be run: `mesonet study {name}-slides` has large files "
                f"to 0.9 of the run, `mesonet study {name}-paper` files of ten times the size, "
                f"`mesonet study {name}-timers` retransmission timers of at least 200 ms."
            ),
        ),
        notes=tuple(notes),
    )
