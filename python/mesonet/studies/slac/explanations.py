"""Explanations of differences from the slides, by the id of the claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mesonet.studies.scorecard import Claim

_NOISE = (
    "The slides' own errors are of the size of their differences here (up to half of a value), "
    "and so are our deviations between repeats: an order of nine such values is weak evidence. "
)
_SYNCHRONOUS = (
    "On our path nearly all losses happen at one drop-tail buffer. HSTCP flows overflow it "
    "together and back off together, which keeps them equal: in the desk runs the changes of "
    "the windows of eight of them have a mean correlation of 0.9 with each other, those of "
    "CTCP flows to Ireland 0.1 to 0.3. The production path had losses that hit flows one by "
    "one, and stacks that repaired them badly, as the source says. "
)
_ALONE = (
    "One or two CTCP flows keep about gamma packets each in the queue of our path and overflow "
    "nothing, so slower growth only delays their climb: the three kinds carry the same within "
    "a few percent, with random loss and without. The flows of the tests lost several packets "
    "at a time and repaired them badly, as the source says, which smaller increments relieve. "
    "With eight flows, which do overflow the buffer of 250 packets, both kinds carry more here, "
    "too. "
)
_ALIKE = (
    "Eight flows share alike under all three kinds here (σ_f of 0.18 to 0.23, ξ_f of 0.20); in "
    "print the original shares worst. What sets its flows apart there are bursts of losses that "
    "some flows repaired badly, as the source says; ours repair them within a round trip or two, "
    "whichever the kind."
)
_READING = (
    "The slides name the tuned variants without a formula. In our readings gamma only shrinks "
    "from 30 packets towards 5, so they never grow faster than muted increments; the source's "
    "must have raised gamma where there was room, or had another sample."
)
_FULL = (
    "Our path to CERN is filled by most algorithms within seconds, since nothing but "
    "rare random loss and the flows' own buffer stands against them; the printed means of 248 "
    "to 423 Mbit/s on a shared path, each measured once, were shaped by other traffic, CPU "
    "contention and host queues, which the source names as issues. "
)

WAN: Mapping[str, str] = {
    "ctcp-twice-standard": (
        "At the loss that one standard flow saw, CTCP's response function gives a window nine "
        "to ten times Reno's, so in a world of random loss only the capacity bounds its "
        "advantage. The losses of the tests came several at a time from bursts of other "
        "traffic, and all stacks had performance problems with consecutive drops, as the "
        "source says, which cost the larger window more."
    ),
    "reverse-strength": (
        "Acknowledgements here wait and are lost in the queue of the reverse flows and nothing "
        "else happens to them. The source found its own drop to a sixth strange and could not "
        "explain it."
    ),
    "reverse-order": (
        "The source calls these results strange and does not explain them: to Ireland its "
        "standard flow doubled with reverse traffic, which no queue does. Here a reverse queue "
        "delays and loses acknowledgements on every path, and most on that to Florida."
    ),
    "sigma-caltech-table": _NOISE
    + "With round trips of 8 ms all our flows converge within seconds; unequal shares there came "
    "from hosts.",
    "sigma-florida-table": _NOISE
    + "Standard flows that start later on our path need minutes to reach their share, at one "
    "packet per 70 ms; the source's schedule is not printed.",
    "sigma-ireland-table": _NOISE + _SYNCHRONOUS,
    "xi-caltech-table": _NOISE
    + "Our flows to Caltech have deviations below a tenth once they have converged.",
    "xi-ireland-table": _NOISE + _SYNCHRONOUS,
    "caltech-hstcp-variable": (
        "What ξ_f there is on our path to Caltech comes from the first seconds, in which the "
        "last flow takes its share; then flows of all kinds are nearly equal. The printed "
        "values are several times larger, at sums near the rate of a network card: those of "
        "hosts, we think."
    ),
    "ireland-sigma-ctcp-hstcp": _SYNCHRONOUS
    + "CTCP's own σ_f is as printed or larger: its flows measure their base round-trip time in "
    "different queues.",
    "ireland-sigma-standard-half": _SYNCHRONOUS,
    "sigma-hstcp-larger": _SYNCHRONOUS,
    "xi-ireland-ctcp-hstcp": _SYNCHRONOUS
    + "CTCP varies more than HSTCP here because it gives way and returns within seconds.",
    "xi-florida-hstcp": _SYNCHRONOUS
    + "Standard flows that start one after the other need minutes to become equal, which counts "
    "as variation.",
    "xi-caltech-ctcp": (
        "Both are a tenth and equal within their deviations; the printed variation of HSTCP, at "
        "sums near the rate of a network card, is that of hosts, we think."
    ),
    "xi-caltech-hstcp": (
        "Both are equal within their deviations: what ξ_f there is on our path to Caltech "
        "comes from the first seconds; the printed variation of HSTCP, at sums near the rate "
        "of a network card, is that of hosts, we think."
    ),
    "xi-like-sigma": (
        "By the formula ξ_f is the change of the spread over time, which is small where flows "
        "are unequal all the time. In the root mean square, the other reading, both measures "
        "go together by construction, and all printed values fit that."
    ),
}

CTCP: Mapping[str, str] = {
    "burst-throughput-1": _ALONE,
    "burst-throughput-2": _ALONE,
    "burst-sigma-2": _ALONE,
    "burst-xi-2": _ALONE,
    "burst-sigma-8": _ALIKE,
    "burst-xi-8": _ALIKE,
    "muted-sigma": (
        "Printed 0.13 against 0.10 with two flows, 0.19 against 0.27 with eight: the words "
        "rest on eight flows, where ours agree; with two flows chance decides, and the mean "
        "follows it."
    ),
    "muted-xi": (
        "With eight flows muted increments are the fairer ones here, too; with two flows "
        "chance decides, and the mean follows it."
    ),
    "partial-variation": _ALONE,
    "partial-losses": _ALONE,
    "partial-fluctuations": _ALONE,
    "muted-spells": (
        "Spells in which a flow has less than half an equal share are few with two flows here, "
        "and their mean length is that of single spells."
    ),
    "diffwnd-throughput": _READING,
    "losswnd-throughput": _READING,
    "tuning-sigma": _READING,
}

_UNUSED = (
    "Eight standard flows leave a fifth of our path to Ireland unused (405 of 506 Mbit/s of "
    "payload), and a CTCP flow takes that first. In the source the sum stayed 312 Mbit/s with "
    "a CTCP flow, after 311 without, so that day's path was full at that, though eight flows "
    "carried 431 to 497 Mbit/s in its other table. Our capacity is the largest printed."
)

IMPACT: Mapping[str, str] = {
    "ireland-ctcp": _UNUSED,
    "ctcp-ireland-above-florida": _UNUSED,
    "hstcp-similar": (
        "Impact on the long path grows with the length of the test, as standard flows fill the "
        "path: in short tests it lags that of the shorter path."
    ),
    "new-flow-order": (
        "To Florida our HSTCP flow takes more than ten times what a standard flow does, where "
        "2.8 is printed: its window backs off by a quarter to a third and returns in seconds, "
        "while the losses it causes at a buffer of 375 packets halve the others. On the "
        "production path other traffic and the handling of consecutive drops kept it at a "
        "fifth of the capacity, as it did a single HSTCP flow (125 Mbit/s)."
    ),
    "florida-hstcp-total": (
        "Here a flow that recovers faster fills what the others leave, so the sum grows. In "
        "the source it fell by a tenth, which must be due to losses outside of the flows' own "
        "queue or to the stack, whose repair of consecutive drops it blames."
    ),
    "diffwnd-no-impact": (
        "In short tests standard flows even gain: the modified flow overflows the buffer less "
        "often than a standard one, and there is unused capacity."
    ),
    "losswnd-above-muted": (
        "Changes of a few percent are within the deviation of repeats, here and in print (-7 ± "
        "11 and -12 ± 1 %): the two variants hardly differ on this path."
    ),
}

CERN: Mapping[str, str] = {
    "throughput-order": _FULL,
    "stability-order": _FULL
    + "With the path full the sum is steady, and what is left of the deviation is the beginning.",
    "fairness-order": (
        "Fairness of two flows depends on when it is measured, as the source says, which does "
        "not define its min(F). Ours is over the second half of the time of two flows. FAST "
        "decides the order at desk size: its flows share with an index of 0.98 here and of 0.58 "
        "in print. The other five are in the printed order."
    ),
    "rtt-order": (
        "Scalable TCP decides the order at desk size: 70 ms is the largest deviation here, and "
        "22 ms one of the small ones in print, where its throughput was steady, too. Without it "
        "the rank correlation of the other five is 0.8."
    ),
    "scalable-throughput": _FULL,
    "bic-htcp": (
        "Throughput, fairness and round trips are within a tenth, as printed, but the sum of "
        "BIC's flows varies half as much again as that of H-TCP's."
    ),
    "fast-stability": _FULL
    + "FAST's deviation is that of its start: after the losses of slow start it takes half a "
    "minute to fill the path; HSTCP, unstable in print, is steady here.",
    "fast-throughput": _FULL
    + "The printed sums of FAST had big drops, for which the source suspects the stack.",
    "fast-second": (
        "A FAST flow that starts later can measure a base round-trip time with a queue in it, "
        "which gives it more than its share; with time the flows become nearly equal here. In "
        "the tests the second flow got less, for reasons that the source does not give."
    ),
    "htcp-variable": (
        "The source asks itself whether bursty traffic, the stack or the host caused the "
        "variation with three and four flows; nothing of that kind exists here."
    ),
    "reno-congestion": (
        "With a buffer of one bandwidth-delay product halving a window leaves the path nearly "
        "full; the production path had less buffer at the moment of loss or lost several "
        "times."
    ),
}


def with_explanations(
    claims: Iterable[Claim], explanations: Mapping[str, str]
) -> tuple[Claim, ...]:
    """The claims with their explanations.

    Raises:
        KeyError: An explanation belongs to no claim.
    """
    claims = tuple(claims)
    unknown = set(explanations) - {claim.id for claim in claims}
    if unknown:
        raise KeyError(", ".join(sorted(unknown)))
    return tuple(
        replace(claim, explanation=explanations.get(claim.id, "").strip()) for claim in claims
    )
