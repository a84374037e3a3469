"""Claims of the slides on the modifications of CTCP, and the rules that judge them."""

from __future__ import annotations

from mesonet.studies.rules import between, not_computable, ordered, same_sign
from mesonet.studies.scorecard import Claim
from mesonet.studies.slac.explanations import CTCP, with_explanations

_TABLE = "table “CTCP Burst Control”"
_SINGLE = "“CTCP Burst Control”, single flow"
_TWO = "“CTCP Burst Control”, two flows"
_TUNING = "“γ Auto-Tuning”"
_SMALL = "“CTCP with Small Queues”"

_GAINS = {1: "+91 % and +53 %", 2: "+38 % and +52 %", 8: "+23 % and +22 %"}
_SIGMAS = {2: "0.13 and 0.10 against 0.22", 8: "0.19 and 0.27 against 0.35"}
_XIS = {2: "0.34 and 0.35 against 0.52", 8: "0.52 and 0.61 against 0.87"}

_CLAIMS = (
    *(
        Claim(
            f"burst-throughput-{count}",
            "Both kinds of burst control carry more than the original, "
            f"{count} flow{'s' if count > 1 else ''} (the smaller of the two gains)",
            printed,
            _TABLE,
            same_sign(f"burst.gain.{count}", 1),
        )
        for count, printed in _GAINS.items()
    ),
    *(
        Claim(
            f"burst-{measure}-{count}",
            f"Both kinds of burst control have a smaller {name} than the original, {count} flows",
            printed,
            _TABLE,
            ordered(f"original.{measure}.{count}", f"modified.{measure}.{count}"),
        )
        for measure, name, table in (("sigma", "σ_f", _SIGMAS), ("xi", "ξ_f", _XIS))
        for count, printed in table.items()
    ),
    Claim(
        "burst-similar",
        "Throughputs of both kinds are similar: muted over partial, mean of 1, 2 and 8 flows",
        "1.06",
        _TABLE,
        between("muted over partial", 0.75, 1.33),
    ),
    *(
        Claim(
            f"muted-{measure}",
            f"With more than one flow muted increments are fairer than partial ones: {name}, mean "
            "of 2 and 8 flows",
            printed,
            _TABLE,
            ordered(f"partial.{measure}", f"muted.{measure}"),
        )
        for measure, name, printed in (
            ("sigma", "σ_f", "0.160 against 0.185"),
            ("xi", "ξ_f", "0.43 against 0.48"),
        )
    ),
    Claim(
        "muted-gradual",
        "Muted increments let the window of a single flow grow more gradually than partial ones",
        "words",
        _SINGLE,
        ordered("partial.climb", "muted.climb"),
    ),
    Claim(
        "partial-variation",
        "Partial increments make the throughput of a single flow vary more than muted ones",
        "words",
        _SINGLE,
        ordered("partial.variation", "muted.variation"),
    ),
    Claim(
        "partial-losses",
        "Partial increments cause larger losses of a single flow than muted ones",
        "words",
        _SINGLE,
        ordered("partial.lost", "muted.lost"),
    ),
    Claim(
        "partial-fluctuations",
        "With two flows partial increments show larger fluctuations of throughput than muted ones",
        "words",
        _TWO,
        ordered("partial.fluctuation", "muted.fluctuation"),
    ),
    Claim(
        "muted-spells",
        "With two flows muted increments show slightly longer periods of unfairness than partial "
        "ones (mean spell in which a flow has less than half an equal share)",
        "words",
        _TWO,
        ordered("muted.spell", "partial.spell"),
    ),
    Claim(
        "average-throughput",
        "Burst control achieves about average throughput",
        "words",
        _TWO,
        not_computable("the slide does not say the average of what"),
    ),
    Claim(
        "diffwnd-throughput",
        "The gamma tuned by diffWnd carries more than muted increments alone (mean gain over 1, 2 "
        "and 8 flows)",
        "+15 %",
        _TUNING,
        same_sign("diffwnd.gain", 1),
    ),
    Claim(
        "losswnd-throughput",
        "The gamma tuned by the loss window carries more than muted increments alone, two flows",
        "+16 %",
        _TUNING,
        same_sign("losswnd.gain.2", 1),
    ),
    Claim(
        "losswnd-throughput-1-8",
        "The gamma tuned by the loss window carries more than muted increments, 1 and 8 flows",
        "“Both perform better in terms of throughput”, but -13 % and -16 % in the table",
        _TUNING,
        not_computable("the words and the table of the slide contradict each other"),
    ),
    *(
        Claim(
            f"tuning-{measure}",
            f"Fairness of both tuned variants is similar to that of muted increments or better: "
            f"{name} over theirs, mean of 2 and 8 flows, the worse variant",
            printed,
            _TUNING,
            between(f"tuning.{measure}", 0, 1.5),
        )
        for measure, name, printed in (("sigma", "σ_f", "1.32"), ("xi", "ξ_f", "0.92"))
    ),
    Claim(
        "diffwnd-below-gamma",
        "To Ireland diffWnd of a CTCP flow is too small for its gamma of 30 packets (median)",
        "about 3 packets",
        _SMALL,
        between("queued.ireland", 0, 29.9),
    ),
)

CLAIMS = with_explanations(_CLAIMS, CTCP)
