"""Handout for students: a program to change and run again, and questions with their answers."""

from __future__ import annotations

from mesonet.studies.labs.quoted import QUOTED
from mesonet.studies.page import Section


def program(flows: str, changes: str = "") -> str:
    """A whole program for some flows, Python text, and other options of the laboratory."""
    lines = [
        "import mesonet",
        "from mesonet.studies.labs.laboratory import flow, laboratory",
        "from mesonet.studies.labs.measures import measure_facts",
        "",
        f"flows = [{flows}]",
        f"run = mesonet.simulate(laboratory(flows{changes}))",
        'for name, facts in measure_facts(run)["flows"].items():',
        '    took = facts["completion"]  # from the first segment; None: not finished',
        '    ending = "not finished" if took is None else f"over after {took:.2f} s"',
        '    print(name, ending, "with", facts["dropped"], "segments lost")',
        'print(run.flows.select("time", "flow", "cwnd"))  # every 10 ms; also run.queues',
    ]
    return "\n".join(lines) + "\n"


def _again(flows: str, changes: str, text: tuple[str, ...]) -> Section:
    return Section(
        "again",
        "Change it and run it again",
        text=(
            (
                "This is a whole program. It runs in a fraction of a second and gives the same "
                "numbers on every machine."
            ),
            *text,
            (
                "Options of the laboratory: threshold (in bytes), buffer, rate, rtt, "
                "initial_window, "
                'duration, recovery ("tahoe", "newreno", "sack"), transport. run.segments has a '
                "row for whatever happened to a segment; run.flows windows, run.queues the queue."
            ),
        ),
        code=program(flows, changes),
    )


def _questions(*questions: tuple[str, str]) -> Section:
    return Section("questions", "Questions", questions=questions)


def standard(algorithm: str = "reno") -> list[Section]:
    """Handout for one, two and five flows, with questions for Reno only."""
    again = _again(
        f'flow("{algorithm}")',
        "",
        (
            (
                f'Try flow("{algorithm}") twice, flow("cubic"), or threshold=60_000, buffer="20 '
                'packets", recovery="sack".'
            ),
        ),
    )
    if algorithm != "reno":
        return [again]
    return [
        again,
        _questions(
            (
                (
                    f"Figure 3: the queue overflows at {QUOTED['queue full']} s, but the window "
                    f"falls only at {QUOTED['loss found']} s, from {QUOTED['first peak']} "
                    f"segments. Why so late, and why {QUOTED['first peak']}?"
                ),
                (
                    "The third duplicate acknowledgement comes a round trip after the loss, and "
                    "with a full queue a round trip is 20 ms + 100 x 0.8 ms = 100 ms. Slow start "
                    "doubles the window in it, from 125 segments (25 on the path and 100 in the "
                    "queue) to 250."
                ),
            ),
            (
                (
                    f"Why does the second slow start lose {QUOTED['lost then']} segments only, "
                    f"where the first lost {QUOTED['lost at first']}?"
                ),
                (
                    f"Its threshold is half of {QUOTED['first peak']}: it ends just where path and "
                    "queue are full."
                ),
            ),
            (
                "With which initial threshold would nothing be lost? Try it.",
                (
                    f"With about {QUOTED['lossless']} bytes or less, for this file. Path and queue "
                    "hold 125 segments, but slow start has to end some below that: the rest of "
                    "the file takes six round trips of 100 ms, and each adds a segment. With "
                    "125,000 bytes the first of them already loses one. Much below 25 segments "
                    "the link is not used at first."
                ),
            ),
            (
                "Figure 6: why does the queue grow faster with two flows in additive increase?",
                "Each adds a segment per round trip, so the queue grows by two.",
            ),
            (
                "Figures 7 and 8: two equal flows start at the same time, and still differ. How?",
                (
                    "The queue has a last free place, and one flow's segment takes it. The flow "
                    "that loses first restarts first. Change the queue to 105 packets and "
                    "compare."
                ),
            ),
            (
                "Figure 11: why can the first of five flows not use the link while it is alone?",
                "Its slow start ends at 16 segments, and the path holds 25.",
            ),
            (
                "Replace Tahoe with SACK. How much time does the one flow gain, and where?",
                (
                    f"{QUOTED['sack']} s instead of {QUOTED['tahoe']} s: the flow does not start "
                    "again from one segment, and sends nothing twice that had arrived."
                ),
            ),
        ),
    ]


def aiad(_algorithm: str = "") -> list[Section]:
    """Handout for additive decrease."""
    return [
        _again(
            'flow("aiad")',
            "",
            (
                (
                    'Try threshold=64_000, buffer="101 packets", recovery="sack", or another step: '
                    'parameters={"aiad": {"decrease": 20}}.'
                ),
            ),
        ),
        _questions(
            (
                (
                    f"Why does the sender do nothing from {QUOTED['silent from']} s to "
                    f"{QUOTED['silent to']} s?"
                ),
                (
                    "The very last segment was lost. No later segment can cause duplicate "
                    "acknowledgements, so only the timer finds it, and the timer is 1 s at least."
                ),
            ),
            (
                (
                    "How many loss events are needed until the threshold is below what path and "
                    "queue hold?"
                ),
                (
                    "If every peak reached the threshold before it, 126: one segment less each "
                    f"time. In the run with 4 MB {QUOTED['aiad events, 4 MB']} are enough, because "
                    "a loss is often found before slow start gets there, and the next threshold is "
                    "one below that peak."
                ),
            ),
            (
                "For which threshold and network is AIAD as good as halving?",
                (
                    "Where slow start ends before the queue is full: a threshold of 64,000 bytes "
                    f"gives {QUOTED['aiad, 64,000 bytes']} s and no loss."
                ),
            ),
            (
                (
                    "Change the queue to 101 packets. The time falls by a second. Is AIAD better "
                    "with a larger queue?"
                ),
                (
                    "No: the file happened to end at the lost segment. Compare transfers of many "
                    "sizes before you conclude anything."
                ),
            ),
        ),
    ]


def aimd56(_algorithm: str = "") -> list[Section]:
    """Handout for a decrease to five sixths."""
    return [
        _again(
            'flow("aimd")',
            ', parameters={"aimd": {"decrease": 1 / 6}}',
            ('Try other values of decrease between 0 and 1, and flow(..., size="4 MB").',),
        ),
        _questions(
            (
                (
                    "How many loss events until the threshold is below 125 segments, for five "
                    "sixths and for a half?"
                ),
                (
                    "From 251: five sixths give 209, 174, 145, 121, so four; halving gives 125.5, "
                    "so one, and a second that hardly overflows."
                ),
            ),
            (
                "With 1 MB five sixths and AIAD take the same time here. Why? What do 4 MB give?",
                (
                    "Both wait for the timer at the end. With 4 MB five sixths take "
                    f"{QUOTED['five sixths, 4 MB']} s, AIAD {QUOTED['aiad, 4 MB']} s: the "
                    "threshold comes down."
                ),
            ),
            (
                "Which decrease is best for this link and 4 MB? Try 0.1, 0.3, 0.5 and 0.7.",
                (
                    f"The larger the better up to 0.7: {QUOTED['decreases, 4 MB']} s, and no gain "
                    "beyond. A small one runs into the same wall again and again in slow start; "
                    "with 0.7 nothing is lost after the first time. A large one leaves the queue "
                    "empty after a loss, which costs little here. In additive increase 0.8 (20 % "
                    "kept) would just keep the link busy: after a loss the window has to be at "
                    "least 25 segments of 125."
                ),
            ),
        ),
    ]


def competing(_algorithm: str = "") -> list[Section]:
    """Handout for two decreases on one link."""
    return [
        _again(
            'flow("reno", name="blue"), flow("aimd", name="red")',
            ', parameters={"aimd": {"decrease": 1 / 6}}',
            ('Try flow("cubic", name="red"), or a later start: flow("reno", start="0.5 s").',),
        ),
        _questions(
            (
                (
                    "After the first loss event the rates are equal, after the second red is far "
                    "ahead. Why not at once?"
                ),
                (
                    "Both thresholds together are still larger than path and queue, so slow start "
                    "fills the queue again whoever has the larger one. After the second event they "
                    "fit, and the windows stay where the thresholds put them."
                ),
            ),
            (
                "Is red's algorithm better?",
                (
                    "For red, beside blue. If all used it, all would lose more and no one would "
                    "gain: try two reds."
                ),
            ),
            (
                (
                    "The report sees its losses at 1 s and 2 s; we see them at "
                    f"{QUOTED['blue and red lose']} s. Which rate or delay would give the report's?"
                ),
                (
                    "About 2 Mbit/s, or a round trip of 100 ms: slow start then takes longer to "
                    "fill the queue."
                ),
            ),
        ),
    ]


def rtt(algorithm: str = "reno") -> list[Section]:
    """Handout for two distances on one link, with questions for Reno only."""
    again = _again(
        f'flow("{algorithm}", name="far", rtt="200 ms"), flow("{algorithm}", name="near")',
        ", duration=12",
        ('Try flow("cubic", ...), flow("hybla", ...), or other distances.',),
    )
    if algorithm != "reno":
        return [again]
    return [
        again,
        _questions(
            (
                "How long does slow start take to a window of 128 segments, near and far?",
                "Seven doublings: 0.14 s near, 1.4 s far, while the queue is empty.",
            ),
            (
                "Which of the report's two reasons is at work here?",
                (
                    "The first: the far flow's window grows once per 200 ms. It loses nothing "
                    "while the near flow sends, so the second reason is not needed."
                ),
            ),
            (
                (
                    'Give both flows size="10 MB", and the laboratory duration=40. Does the far '
                    "flow catch up while both send?"
                ),
                (
                    "No. In additive increase each flow adds a segment per round trip of its own, "
                    "so the near one makes up for a loss ten times as fast. It is done after "
                    f"{QUOTED['near, 10 MB']} s, the far one after {QUOTED['far, 10 MB']} s."
                ),
            ),
        ),
    ]
