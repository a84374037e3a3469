"""Claims of the slides on one new flow among standard ones, and the rules that judge them."""

from __future__ import annotations

from mesonet.studies.rules import between, not_computable, ordered, same_sign
from mesonet.studies.scorecard import Claim
from mesonet.studies.slac.explanations import IMPACT, with_explanations

NEAR = 0.1
"""Changes up to this size are nominal; the printed ones that the source calls so are 2 %."""

OVERLAP = "the printed errors overlap, and the source does not state the order in words"

_TABLE = "second table of “Friendliness & Impact”"
_FIRST = "first table of “Friendliness & Impact”"
_LATER = "“γ Auto-Tuning Impact on Ireland link”"

_CLAIMS = (
    *(
        Claim(
            f"{path}-{name}",
            f"A {name.upper()} flow lowers what standard flows carry to {path.title()} (change)",
            printed,
            _TABLE,
            same_sign(f"change.{path}.{name}", -1),
        )
        for path, name, printed in (
            ("ireland", "ctcp", "-32 % ± 7 %"),
            ("ireland", "hstcp", "-24 % ± 6 %"),
            ("florida", "hstcp", "-25 % ± 1 %"),
        )
    ),
    Claim(
        "florida-ctcp-nominal",
        "A CTCP flow has a nominal effect on standard flows to Florida (change)",
        "-2 % ± 1 %",
        f"{_TABLE} and “CTCP has nominal effect”",
        between("change.florida.ctcp", -NEAR, NEAR),
    ),
    Claim(
        "ctcp-ireland-above-florida",
        "CTCP has a higher impact to Ireland than to Florida",
        "-32 % and -2 %",
        _FIRST,
        ordered("change.florida.ctcp", "change.ireland.ctcp"),
    ),
    Claim(
        "ireland-ctcp-above-hstcp",
        "To Ireland CTCP has a higher impact than HSTCP",
        "-32 % and -24 %",
        _TABLE,
        not_computable(OVERLAP),
    ),
    Claim(
        "florida-hstcp-above-ctcp",
        "To Florida HSTCP has a higher impact than CTCP",
        "-25 % and -2 %",
        _TABLE,
        ordered("change.florida.ctcp", "change.florida.hstcp"),
    ),
    Claim(
        "hstcp-similar",
        "HSTCP has a similar impact on both paths (difference of the changes)",
        "-24 % and -25 %",
        _FIRST,
        between("hstcp.difference", 0, NEAR),
    ),
    Claim(
        "new-flow-more",
        "The new flow carries more than a standard flow beside it (smallest of four ratios)",
        "1.9 to 4.8",
        _FIRST,
        between("advantage.least", 1),
    ),
    Claim(
        "new-flow-order",
        "Advantage of the new flow over a standard one: largest to Ireland (smaller of CTCP and "
        "HSTCP, whose errors overlap), then HSTCP to Florida, then CTCP to Florida",
        "4.8, 4.2, 2.8, 1.9",
        _FIRST,
        ordered(
            "advantage.ireland",
            "advantage.florida.hstcp",
            "advantage.florida.ctcp",
        ),
    ),
    Claim(
        "florida-ctcp-total",
        "To Florida all eight carry more with a CTCP flow than eight standard flows (change)",
        "+9 %",
        _FIRST,
        same_sign("total.florida.ctcp", 1),
    ),
    Claim(
        "florida-hstcp-total",
        "To Florida all eight carry less with an HSTCP flow than eight standard flows (change)",
        "-9 %",
        _FIRST,
        same_sign("total.florida.hstcp", -1),
    ),
    Claim(
        "modified-total",
        "All eight carry more with one modified CTCP flow than eight standard flows (smallest "
        "change)",
        "+22 to +35 %",
        _LATER,
        same_sign("total.modified", 1),
    ),
    Claim(
        "modified-more",
        "The modified flow carries more than a standard flow beside it (smallest of three ratios)",
        "3.5 to 3.8",
        _LATER,
        between("advantage.least.modified", 1),
    ),
    Claim(
        "diffwnd-no-impact",
        "The gamma tuned by diffWnd has no noticeable impact on standard TCP (change)",
        "+2 % ± 2 %",
        _LATER,
        between("change.ireland.ctcp:slac-diffwnd", -NEAR, NEAR),
    ),
    Claim(
        "losswnd-above-muted",
        "The gamma tuned by the loss window has a higher impact than muted increments alone",
        "-12 % ± 1 % and -7 % ± 11 %",
        _LATER,
        ordered("change.ireland.ctcp:slac-muted", "change.ireland.ctcp:slac-losswnd"),
    ),
    Claim(
        "diffwnd-below-muted",
        "The gamma tuned by diffWnd has a lower impact than muted increments alone",
        "+2 % ± 2 % and -7 % ± 11 %",
        _LATER,
        not_computable(OVERLAP),
    ),
    Claim(
        "modified-below-original",
        "The modified flows have a lower impact than the original CTCP",
        "+2, -7 and -12 % against -32 %",
        f"{_TABLE} and {_LATER}",
        ordered("change.modified.worst", "change.ireland.ctcp"),
    ),
    Claim(
        "tuned-throughput",
        "Both tuned flows carry more than the one with muted increments",
        "“Both versions give better throughput”, but 84 and 76 against 83 Mbit/s in the table",
        _LATER,
        not_computable("the words and the table of the slide contradict each other"),
    ),
)

CLAIMS = with_explanations(_CLAIMS, IMPACT)
