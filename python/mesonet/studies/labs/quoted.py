"""Numbers that handouts and captions quote. tests/unit/studies/test_labs_handout.py measures each.

Times are in seconds, from the first segment of a flow unless said otherwise; windows in segments.
"""

from __future__ import annotations

from collections.abc import Mapping

QUOTED: Mapping[str, str] = {
    # One flow under Tahoe with halving; the first three count from the beginning of the run.
    "queue full": "0.22",
    "loss found": "0.33",
    "first peak": "251",
    "lost at first": "126",
    "lost then": "2",
    "tahoe": "1.2",
    "sack": "0.9",
    # The largest initial threshold [bytes], in steps of 500, with which nothing is lost.
    "lossless": "119,500",
    # Additive decrease. The silence counts from the beginning of the run.
    "silent from": "1.3",
    "silent to": "2.3",
    "aiad, 4 MB": "5.2",
    "aiad events, 4 MB": "11",
    "aiad, 64,000 bytes": "0.9",
    "aiad, 101 packets": "1.3",
    # Other decreases.
    "five sixths, 4 MB": "4.1",
    "five sixths events, 4 MB": "5",
    "five sixths peaks": "251, 209, 168",
    "decreases, 4 MB": "4.3, 3.8, 3.6 and 3.5",
    # Two flows; the losses count from the beginning of the run.
    "blue and red lose": "0.2 s and 0.7",
    "near, 10 MB": "10",
    "far, 10 MB": "29",
}
