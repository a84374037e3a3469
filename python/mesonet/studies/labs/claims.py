"""Claims of the report, and the rules that judge them."""

from __future__ import annotations

from mesonet.studies.labs.laboratory import PIPE, QUEUE
from mesonet.studies.rules import between, occurs, ordered, same_sign, within
from mesonet.studies.scorecard import Claim

NEAR = 0.25
"""Half of the step in which the report prints completion times [s]."""
ALIKE = 0.1
"""Curves that differ by less, relative to their size, are "nearly identical"."""

_TRAINS = (
    "Both flows start alike, but their segments travel in trains, and the queue overflows while "
    "one of B's ends and one of A's begins. B has two duplicate acknowledgements before A's train "
    "and the third after it, 50 ms later than A has its own; A restarts first, and from then on "
    "the two alternate. At the second peak the thresholds, 64 and 61.5 segments, add up to what "
    "path and queue hold, 125: three segments of A are lost and none of B, so A halves its window "
    "twice and B once, and B is done 0.36 s before A. The larger size shows how little decides "
    "it: with a queue of 105 packets the rates are alike and they finish together."
)

_TIMER = (
    "The third slow start loses the very last segment of the file; nothing behind it can report "
    "it, and the transfer waits for the timer, at least 1 s, whatever the decrease: AIAD and five "
    "sixths end at the same instant. A queue of 101 packets, or a file of 1024 segments, "
    "and nobody waits (1.3 to 1.5 s), so the times of a file of 1 MB say little. With 4 MB the "
    "report's order comes out clearly: 5.2 s and 4.1 s. Tahoe as released in 1988 with the "
    "threshold itself lowered takes 2.5 s and 2.2 s, very near the printed ones, because its own "
    "repairs look like further losses to it; but then the far flow of Figure 18 needs 13 s."
)

_CLOCK = (
    "On the printed link this cannot be: slow start from one segment fills path and queue within "
    "0.2 s of any start at 0 s. The report prints no parameters for this experiment and says that "
    "the advanced ones altered the topology. A link of 2 Mbit/s has its losses found at 1.0 s and "
    "its second event at 2.1 s, one of 100 ms round trip at 0.9 s and 2.3 s: either would fit."
)

ONE: tuple[Claim, ...] = (
    Claim(
        "figure-1-levels-off",
        "One flow's receive rate rises very quickly and levels off at the full bandwidth",
        "quickly to the full 10 Mbit/s",
        "section 2.1, Figure 1",
        between("one.level", low=9.0, unit="Mbit/s"),
    ),
    Claim(
        "figure-2-fills-quickly",
        "Slow start fills the queue quickly",
        "quickly",
        "section 2.1, Figure 2",
        between("one.queue_full_at", high=0.5, unit="s"),
    ),
    Claim(
        "figure-2-below-100-later",
        "After some loss the queue stays below its 100 packets",
        "under 100 packets",
        "section 2.1, Figure 2",
        between("one.queue_after_losses", high=QUEUE - 1, unit="packets"),
    ),
    Claim(
        "figure-2-two-peaks",
        "The queue of one flow has two peaks with losses",
        "2",
        "section 2.2, on Figure 2",
        within("one.loss_events", 2, unit="events"),
    ),
    Claim(
        "additive-at-1.1-s",
        "Around 1.1 s the flow is in additive increase",
        "around 1.1 s",
        "section 2.1",
        occurs("one.additive"),
    ),
    Claim(
        "larger-file-without-loss",
        "With a larger file that additive increase goes on without loss for a long time: longer "
        "than the whole transfer takes [s]",
        "a long time",
        "section 2.1",
        between("long.lossless", low=1.2, unit="s"),
    ),
    Claim(
        "figure-3-saw-tooth",
        "The window is a saw-tooth: it falls more than once",
        "saw-tooth",
        "section 2.1, Figure 3",
        between("one.restarts", low=2, unit="times"),
    ),
)

TWO: tuple[Claim, ...] = (
    Claim(
        "figure-5-rates-alike",
        "The receive rates of two flows that start together are nearly identical: mean "
        "difference as a part of the link",
        "nearly identical",
        "section 2.2, Figure 5",
        between("two.rate_gap", high=ALIKE),
        explanation=_TRAINS,
    ),
    Claim(
        "figures-7-8-windows-alike",
        "Their windows are nearly identical: mean difference as a part of the mean",
        "nearly identical",
        "section 2.2, Figures 7 and 8",
        between("two.window_gap", high=ALIKE),
        explanation="As with the rates: the first loss is found 50 ms apart, and at the second "
        "peak only A loses. Up to 0.3 s the windows are nearly equal, 128 and 123 segments.",
    ),
    Claim(
        "losses-together",
        "Both lose at nearly the same time: longest time between a restart of one and the next of "
        "the other, at most a round trip with a full queue [s]",
        "nearly the same time",
        "section 2.2",
        between("two.loss_gap", high=0.1, unit="s"),
        explanation="The first restarts, 50 ms apart, are together; but only A loses at the second "
        "peak, for the reason given with the rates, and its second restart has no counterpart.",
    ),
    Claim(
        "figure-6-two-peaks",
        "The queue of two flows has two peaks with losses",
        "2",
        "section 2.2, Figure 6",
        within("two.loss_events", 2, unit="events"),
    ),
    Claim(
        "figure-6-additive-before-full",
        "After the second peak both flows begin additive increase before the queue is full",
        "before it is filled",
        "section 2.2, Figure 6",
        between("two.queue_additive", high=QUEUE - 1, unit="packets"),
    ),
    Claim(
        "figure-6-steeper",
        "In additive increase the queue grows faster with two flows than with one [packets/s]",
        "steeper",
        "section 2.2, Figures 6 and 2",
        same_sign("two.steeper", 1, unit="packets/s"),
    ),
)

FIVE: tuple[Claim, ...] = (
    Claim(
        "figure-11-first-takes-all",
        "The first of five flows immediately takes advantage of all the bandwidth [Mbit/s]",
        "all of 10 Mbit/s",
        "section 2.3, Figure 11",
        between("five.first_alone", low=9.0, unit="Mbit/s"),
        explanation="The experiment's own threshold forbids it: slow start ends at 16,000 bytes, "
        "and 16 segments per 20 ms are 6.4 Mbit/s. The path holds 25; at a segment more per round "
        "trip the flow would need 0.2 s for the rest, and the second flow comes after 0.1 s. We "
        "see the first flow at 5.8 Mbit/s in its best tenth of a second.",
    ),
    Claim(
        "figure-11-first-drops",
        "As others join, the first flow's rate drops [Mbit/s]",
        "drops",
        "section 2.3, Figure 11",
        ordered(
            "five.first_before", "five.first_shared", called=("before", "shared"), unit="Mbit/s"
        ),
    ),
    Claim(
        "figure-11-newer-rise",
        "Meanwhile the newest flow's rate rises [Mbit/s]",
        "increases",
        "section 2.3, Figure 11",
        ordered(
            "five.newest_shared", "five.newest_before", called=("shared", "at first"), unit="Mbit/s"
        ),
    ),
    Claim(
        "figure-11-even-shares",
        "until the rates are roughly the same: Jain's index of the five",
        "roughly the same",
        "section 2.3, Figure 11",
        between("five.jain", low=0.9),
    ),
    Claim(
        "figure-11-rest-speeds-up",
        "As flows finish, those that remain take the bandwidth: the last one's rate [Mbit/s]",
        "take advantage",
        "section 2.3, Figure 11",
        ordered("five.last_after", "five.last_shared", called=("after", "shared"), unit="Mbit/s"),
    ),
)

AIAD: tuple[Claim, ...] = (
    Claim(
        "aiad-2.5-s",
        "AIAD transfers the file in about 2.5 s",
        "about 2.5 s",
        "section 3.2, Figure 13",
        within("aiad.completion", 2.5, absolute=NEAR, unit="s"),
    ),
    Claim(
        "aiad-twice-as-long",
        "AIAD takes twice as long as halving",
        "2",
        "section 3.1, Figures 1 and 13",
        within("aiad.to_standard", 2, relative=0.2),
    ),
    Claim(
        "figure-14-two-peaks",
        "With 1 MB the quick peak and loss happens only twice",
        "2",
        "section 3.1, Figure 14",
        within("aiad.loss_events", 2, unit="events"),
        explanation="Two peaks lose 247 segments. The threshold is still 239 segments, far above "
        "what path and queue hold, so a third slow start follows, and the first of its segments "
        "that finds no place is the last one of the file: a third event, of one segment. With a "
        "queue of 101 packets it is not lost, and there are two events.",
    ),
    Claim(
        "figure-14-goes-on",
        "With a larger file the pattern continues: loss events in the second half of 4 MB",
        "continues",
        "section 3.1, Figure 14",
        between("aiad.late_losses", low=2, unit="events"),
    ),
    Claim(
        "aiad-low-threshold",
        "With a threshold below the queue, one flow and a stable link AIAD is decent: time as a "
        "part of what halving takes with the large threshold",
        "decent",
        "section 3.1",
        between("aiad.low_threshold", high=1.0),
    ),
)

AIMD56: tuple[Claim, ...] = (
    Claim(
        "aimd-2-s",
        "Keeping five sixths transfers the file in about 2 s",
        "about 2 s",
        "section 3.2, Figure 15",
        within("aimd56.completion", 2.0, absolute=NEAR, unit="s"),
        explanation=_TIMER,
    ),
    Claim(
        "aimd-faster-than-aiad",
        "Keeping five sixths is slightly faster than AIAD: time gained [s]",
        "slightly (about 0.5 s)",
        "section 3.2, Figures 13 and 15",
        same_sign("aimd56.gain", 1, unit="s"),
        explanation=_TIMER,
    ),
    Claim(
        "aimd-like-aiad",
        "Its performance is similar to AIAD's: ratio of times",
        "similar (about 0.8)",
        "section 3.2",
        between("aimd56.to_aiad", low=0.7, high=1.3),
    ),
    Claim(
        "aimd-much-worse-than-half",
        "It is much slower than halving: ratio of times",
        "much worse",
        "section 3.2",
        between("aimd56.to_standard", low=1.25),
    ),
    Claim(
        "figure-16-falls-faster",
        "Its window falls more quickly from peak to peak than AIAD's: difference [segments]",
        "more quickly",
        "section 3.2, Figures 14 and 16",
        same_sign("aimd56.falls_faster", 1, unit="segments"),
    ),
    Claim(
        "aimd-stable-in-time",
        "With a larger file it becomes reasonably stable: use of the link in the second half of "
        "4 MB",
        "reasonably stable",
        "section 3.2",
        between("aimd56.late_level", low=0.85),
    ),
)

COMPETING: tuple[Claim, ...] = (
    Claim(
        "first-loss-at-1-s",
        "The first loss event is around 1 s",
        "around 1 s",
        "section 3.3, Figure 17",
        within("competing.first_loss", 1.0, absolute=NEAR, unit="s"),
        explanation=_CLOCK,
    ),
    Claim(
        "second-loss-at-2-s",
        "The second loss event is at 2 s",
        "2 s",
        "section 3.3, Figure 17",
        within("competing.second_loss", 2.0, absolute=NEAR, unit="s"),
        explanation=_CLOCK,
    ),
    Claim(
        "thresholds-too-large-after-one",
        "After the first event both thresholds together are too large for path and queue "
        "[segments]",
        "too large",
        "section 3.3",
        between("competing.thresholds_1", low=PIPE + QUEUE, unit="segments"),
    ),
    Claim(
        "thresholds-fit-after-two",
        "After the second they fit [segments]",
        "more reasonable",
        "section 3.3",
        between("competing.thresholds_2", high=PIPE + QUEUE, unit="segments"),
    ),
    Claim(
        "figure-17-red-higher",
        "From then on the flow that keeps more is much faster: its rate as a multiple of the "
        "other's",
        "much higher",
        "section 3.3, Figure 17",
        between("competing.red_to_blue", low=1.25),
    ),
)

RTT: tuple[Claim, ...] = (
    Claim(
        "figure-18-near-larger",
        "The near flow has a much larger part of the bandwidth until it is done",
        "much larger",
        "section 3.4, Figure 18",
        between("rtt.near_part", low=2 / 3),
    ),
    Claim(
        "figure-18-far-follows",
        "Then the far flow takes the bandwidth that is left [Mbit/s]",
        "begins to use it",
        "section 3.4, Figure 18",
        ordered("rtt.far_after", "rtt.far_before", called=("after", "before"), unit="Mbit/s"),
    ),
    Claim(
        "figure-18-far-slower",
        "but more slowly than the near one did: time to the full rate [s]",
        "slower",
        "section 3.4, Figure 18",
        ordered("rtt.far_to_full", "rtt.near_to_full", called=("far", "near"), unit="s"),
    ),
    Claim(
        "far-meets-fuller-queue",
        "Far packets meet a fuller queue: a larger part of them is lost while both send",
        "too full for all of them",
        "section 3.4, second reason",
        same_sign("rtt.excess_loss", 1),
        explanation="The far flow loses nothing while both send: with round trips of 200 ms and "
        "more it sends 31 segments while the near one sends all its file, and a single one before "
        "the near flow overflows the queue for the first time. The first of the report's two "
        "reasons explains the figure alone.",
    ),
)
