"""What students are given: a program to change and run again, and questions with their answers."""

from __future__ import annotations

from mesonet.studies.page import Section


def program(flows: str, changes: str = "") -> str:
    """A whole program for some flows, Python text, and other options of the laboratory."""
    lines = [
        "import mesonet",
        "from mesonet.studies.labs.laboratory import flow, laboratory",
        "",
        f"flows = [{flows}]",
        f"scenario = laboratory(flows{changes})",
        "run = mesonet.simulate(scenario)",
        'sent = run.segments.group_by("flow", maintain_order=True)',
        "for (name,), segments in sent:",
        '    lost = segments.filter(fate="dropped").height',
        '    print(name, "over after", segments["time"].max(), "s;", lost, "segments lost")',
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


def standard() -> list[Section]:
    """For one, two and five flows."""
    return [
        _again(
            'flow("reno")',
            "",
            (
                (
                    'Try flow("reno") twice, flow("cubic"), or threshold=60_000, buffer="20 '
                    'packets", recovery="sack".'
                ),
            ),
        ),
        _questions(
            (
                (
                    "Figure 3: the queue overflows at 0.22 s, but the window falls only at 0.33 s, "
                    "from 251 segments. Why so late, and why 251?"
                ),
                (
                    "The third duplicate acknowledgement comes a round trip after the loss, and "
                    "with a full queue a round trip is 20 ms + 100 x 0.8 ms = 100 ms. Slow start "
                    "doubles the window in it, from 125 segments (25 on the path and 100 in the "
                    "queue) to 250."
                ),
            ),
            (
                "Why does the second slow start lose two segments only, where the first lost 126?",
                "Its threshold is half of 251: it ends just where path and queue are full.",
            ),
            (
                "With which initial threshold would nothing be lost? Try it.",
                (
                    "With 125,000 bytes or less, for this file: slow start stops before the queue "
                    "is full, and additive increase has no time to fill it. Much below 25 "
                    "segments the link is not used at first."
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
                    "0.9 s instead of 1.2 s: the flow does not start again from one segment, and "
                    "sends nothing twice that had arrived."
                ),
            ),
        ),
    ]


def aiad() -> list[Section]:
    """For additive decrease."""
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
                "Why does the sender do nothing from 1.3 s to 2.3 s?",
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
                    "time. In the run with 4 MB eleven are enough, because a loss is often found "
                    "before slow start gets there, and the next threshold is one below that peak."
                ),
            ),
            (
                "For which threshold and network is AIAD as good as halving?",
                (
                    "Where slow start ends before the queue is full: a threshold of 64,000 bytes "
                    "gives 0.9 s and no loss."
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


def aimd56() -> list[Section]:
    """For five sixths."""
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
                    "Both wait for the timer at the end. With 4 MB five sixths take 4.1 s, AIAD "
                    "5.2 s: the threshold comes down."
                ),
            ),
            (
                "Which decrease is best for this link and 4 MB? Try 0.1, 0.3, 0.5 and 0.7.",
                (
                    "A small one loses much in slow start; a large one leaves the queue empty "
                    "after every loss. In additive increase 0.2 (80 % kept) would just keep the "
                    "link busy: after a loss the window has to be at least 25 segments of 125."
                ),
            ),
        ),
    ]


def competing() -> list[Section]:
    """For two decreases on one link."""
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
                    "The report sees its losses at 1 s and 2 s; we see them at 0.2 s and 0.7 s. "
                    "Which rate or delay would give the report's?"
                ),
                (
                    "About 2 Mbit/s, or a round trip of 100 ms: slow start then takes longer to "
                    "fill the queue."
                ),
            ),
        ),
    ]


def rtt() -> list[Section]:
    """For two distances on one link."""
    return [
        _again(
            'flow("reno", name="far", rtt="200 ms"), flow("reno", name="near")',
            ", duration=12",
            ('Try flow("cubic", ...), flow("hybla", ...), or other distances.',),
        ),
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
                "Give both flows 10 MB. Does the far flow catch up while both send?",
                (
                    "Try it: in additive increase each flow adds a segment per round trip of its "
                    "own, so the near one grows faster, and both halve at the same losses."
                ),
            ),
        ),
    ]
