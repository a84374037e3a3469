"""Explanations of claims that disagree with the slides."""

from __future__ import annotations

BEST_AT_EVERY_BUFFER = (
    "From 600 packets on it is so within 0.1 %. Where the buffer is smaller than alpha, HCC lives "
    "by its loss rule and halves: 96 % of STCP's and BIC's throughput at 200 packets, 95 % at 100; "
    "they give up an eighth. At 50 packets the burst of a window that doubles, as it does while "
    "the queueing delay is below mi_threshold, overflows the buffer long before the path is full; "
    "the search then ends at that small window and takes some 35 round trips each time. Fig. 7 is "
    "lost, and with it how small its buffers were; the summary says “different sizes”."
)
FRIENDLY = (
    "With 2000 packets of buffer two Reno flows have half of the link beside two of HCC. With 600 "
    "the two HCC flows want 800 packets in a queue that has no room for them: they live by the "
    "loss rule, which regains up to gamma alpha / 2 = 100 segments per round trip where Reno "
    "regains one. The slides do not say how large the buffer of fig. 16 was."
)

_LOSS_BASED = (
    "As published the flow with the shorter round trip has nearly everything, but in the slides "
    "the other one has even less. This holds for every loss-based protocol of the table, and for "
    "none that goes by delay: whatever it is, it makes the second flow lose more often when the "
    "queue overflows. Tried on HSTCP at a ratio of 1.5 and 600 packets (index 0.58 over 100 s): a "
    "first round trip of 20 or 120 ms gives 0.58 and 0.67, the second flow 10 s late 0.59, "
    "NewReno instead of SACK 0.68, an acknowledgement for every second packet 0.61, a smallest "
    "timeout of 0.2 s 0.58; hosts of 1 Gbit/s 0.61, round trips that are no multiple of a "
    "packet's time 0.59 (300 s). The access links of the slides are lost. Not explained."
)
_HTCP = (
    "H-TCP grows by the time since the last loss and scales that by the round trip, so flows that "
    "lose together share nearly equally, which is what its authors designed it for. The slides' "
    "second flow has 6 to 10 Mbit/s in five of six cells, whatever its round trip and the buffer, "
    "and with 600 packets the link is not full. Tried at a ratio of 1.5 and 600 packets (index "
    "0.95 over 100 s): no scaling by the round trip 0.89, a fixed back-off of a half 0.93, both "
    "0.87, a first round trip of 20 or 120 ms 0.87 and 0.96, the second flow 10 s late 0.91, the "
    "first 1.00, NewReno instead of SACK 0.98, an acknowledgement for every second packet 0.98, a "
    "smallest timeout of 0.2 s 0.92, hosts of 1 Gbit/s 0.98 (300 s). The slides do not say which "
    "implementation they had. Not explained."
)
_HTCP_EFFICIENCY = (
    "The slides' two flows leave 5 to 12 % of the link idle; ours 1 to 3 %. With NewReno instead "
    "of SACK ours leave 7 % (185.5 Mbit/s at a ratio of 1.5), so perhaps their losses took longer "
    "to repair; but then HSTCP would leave as much, and theirs does not. See the fairness index."
)
_ILLINOIS = (
    "Illinois decides by thresholds of delay between the smallest and the largest that it has "
    "seen, so small differences of the queue make large ones of growth. Its authors' paper was "
    "not at hand; the constants are those of Linux. Neither the implementation nor the access "
    "links of the slides are known. Not explained."
)
_FAST = (
    "Two flows want 800 packets in a queue of 600, so losses decide. What FAST does after a loss "
    "is not in the slides; ours halves. With 2000 packets, where only the delay rule is at work, "
    "all cells agree."
)
_HCC = (
    "Two flows want 800 packets in a queue of 600, so the loss rule decides, with two constants "
    "that are not printed, Imin and mi_threshold. The section on readings shows how much they "
    "matter. With 2000 packets all cells agree."
)


def table_explanation(label: str, *, efficiency: bool = False) -> str:
    """Explanation of a cell of a protocol in the table, where it differs."""
    if label == "HTCP":
        return _HTCP_EFFICIENCY if efficiency else _HTCP
    others = {"TCP-Illinois": _ILLINOIS, "FAST TCP": _FAST, "HCC TCP": _HCC}
    return others.get(label, _LOSS_BASED)
