"""Claims of the sensitivity analysis, and our explanations of those that disagree."""

from __future__ import annotations

from dataclasses import replace

from mesonet.studies.nist.sensitivity_effects import claim_id
from mesonet.studies.nist.sensitivity_explanations import EXPLANATIONS
from mesonet.studies.nist.sensitivity_published import (
    CORRELATED,
    FACTORS,
    RESPONSES,
    TABLE_7,
    UNPLACED,
    Effect,
)
from mesonet.studies.rules import Figures, Rule, between, not_computable, ordered, within
from mesonet.studies.scorecard import Claim

_TABLE = "methodology paper, Table 7"
_FIGURE = "methodology paper, figure 10 and section 3.2.a"
_PROSE = "methodology paper, Table 8 and section 5.5"
_SAMPLE = "methodology paper, figures 7 to 9 and section 3.1.b"


def _claims() -> list[Claim]:
    return [*_signs(), *_unplaced(), *_figure_10(), *_influence(), *_clusters()]


def same_direction(effect: Effect) -> Rule:
    """The effect has the published sign, whether or not it is significant here."""
    name = claim_id(effect.response, effect.factor)
    direction = 1 if effect.sign == "+" else -1

    def measured(figures: Figures) -> str:
        return f"{figures[f'{name}.relative']:+.1%}{stars(figures[f'{name}.p'])}"

    return Rule(
        (name, f"{name}.relative", f"{name}.p"),
        f"the effect is {'above' if direction > 0 else 'below'} zero",
        lambda figures: figures[name] * direction > 0,
        measured,
    )


def stars(p: float) -> str:
    """The paper's asterisks.

    Examples:
        >>> stars(0.003), stars(0.03), stars(0.3)
        (' **', ' *', ' (p ≥ .05)')
    """
    return " **" if p < 0.01 else " *" if p < 0.05 else " (p ≥ .05)"


def _signs() -> list[Claim]:
    return [
        Claim(
            id=claim_id(effect.response, effect.factor),
            text=(
                f"{RESPONSES[effect.response][1].capitalize()} ({effect.response}), second period: "
                f"larger at the {'high' if effect.sign == '+' else 'low'} level of "
                f"{FACTORS[effect.factor][1]} (X{effect.factor})"
            ),
            published=f"{effect.sign.replace('-', '−')}{effect.stars}",
            source=_TABLE,
            rule=same_direction(effect),
        )
        for effect in TABLE_7
    ]


def _unplaced() -> list[Claim]:
    return [
        Claim(
            id=f"table-7-{response.lower()}-unplaced-{number}",
            text=f"{RESPONSES[response][1].capitalize()} ({response}), second period: a "
            f"significant effect of a factor that the text at hand leaves open",
            published=text.replace("-", "−"),
            source=_TABLE,
            rule=not_computable(f"the column is lost: {columns}"),
        )
        for number, (response, text, columns) in enumerate(UNPLACED, start=1)
    ]


def _figure_10() -> list[Claim]:
    return [
        Claim(
            "table-7-speed",
            "Network speed has a significant influence (p < .05) on all 18 responses of the "
            "second period",
            "18 of 18",
            "methodology paper, section 5.5",
            between("table-7-speed", 18, 18),
        ),
        Claim(
            "figure-10-low",
            "Mean number of sending sources in the second period at low network speed, divided "
            "by the scale",
            "just under 13,000",
            _FIGURE,
            within("figure-10-low", 13_000, relative=0.2),
        ),
        Claim(
            "figure-10-high",
            "The same at high network speed",
            "about 8,500",
            _FIGURE,
            within("figure-10-high", 8_500, relative=0.2),
        ),
        Claim(
            "figure-10-relative",
            "Relative effect of network speed on the number of sending sources",
            "−39 %",
            _FIGURE,
            within("figure-10-relative", -0.39, absolute=0.1),
        ),
        Claim(
            "figure-10-order",
            "Think time, number of sources and their distribution (X7, X12, X13) have the largest "
            "effects on the number of sending sources, before Web objects and topology (X5, X4)",
            "largest of the six",
            _FIGURE,
            ordered("least of X7, X12, X13", "most of X4, X5"),
        ),
        Claim(
            "figure-10-six",
            "Only six factors have a significant effect on the number of sending sources: none of "
            "the other fourteen has p < .05",
            "six",
            _FIGURE,
            between("figure-10-others", 0, 0),
        ),
    ]


def _influence() -> list[Claim]:
    return [
        Claim(
            "table-8-first",
            "Network speed (X1) influences the largest fraction of the 102 responses",
            "most influential",
            _PROSE,
            ordered("influence of X1", "most of all others"),
        ),
        Claim(
            "table-8-main",
            "Speed, delay, buffers, topology, Web objects, think time, number and distribution of "
            "sources (X1 to X5, X7, X12, X13) each influence more responses than any other factor",
            "main and significant influences",
            _PROSE,
            ordered("least of the main eight", "most of the other twelve"),
        ),
        Claim(
            "table-8-lesser",
            "Initial window and slow-start threshold (X16, X17) influence more responses than any "
            "of the ten factors left",
            "lesser influence; others little or none",
            _PROSE,
            ordered("least of X16, X17", "most of the other ten"),
        ),
    ]


def _clusters() -> list[Claim]:
    return [
        Claim(
            "clusters-pairs",
            f"Pairs of the 22 sample responses with |r| above {CORRELATED}",
            "42 of 231",
            _SAMPLE,
            within("clusters-pairs", 42, relative=0.25),
        ),
        Claim(
            "clusters-count",
            "They form seven clusters, responses that stand alone included",
            "7",
            _SAMPLE,
            within("clusters-count", 7),
        ),
        Claim(
            "clusters-dd",
            "Throughput of DD flows (y17) is correlated with no other",
            "uncorrelated",
            _SAMPLE,
            between("clusters-dd-partners", 0, 0),
        ),
        Claim(
            "clusters-completions",
            "The number of flows completing (y6) is correlated with no other",
            "uncorrelated",
            _SAMPLE,
            between("clusters-completions-partners", 0, 0),
        ),
        Claim(
            "clusters-packets",
            "Segments entering and leaving the network (y3, y4) are a cluster of their own",
            "one pair",
            _SAMPLE,
            between("clusters-packets", 1, 1),
        ),
        Claim(
            "clusters-delay",
            "Round-trip time and queuing delay (y15, y16), the network delay, are a cluster of "
            "their own",
            "one pair",
            _SAMPLE,
            between("clusters-delay", 1, 1),
        ),
        Claim(
            "clusters-f-class",
            "Throughputs of flows that F-class routers constrain (y18, y20) are a cluster of their "
            "own",
            "one pair",
            _SAMPLE,
            between("clusters-f-class", 1, 1),
        ),
        Claim(
            "clusters-congestion",
            "The largest cluster reflects congestion: it has the sources that transmit (y1, y2)",
            "25 pairs",
            _SAMPLE,
            between("clusters-congestion", 1, 1),
        ),
        Claim(
            "clusters-losses",
            "The second largest cluster reflects losses: it has loss and retransmission rate (y5, "
            "y10)",
            "14 pairs",
            _SAMPLE,
            between("clusters-losses", 1, 1),
        ),
    ]


def with_explanation(claim: Claim) -> Claim:
    """The claim with our explanation of a difference, if there is one."""
    return replace(claim, explanation=EXPLANATIONS.get(claim.id, ""))


CLAIMS: tuple[Claim, ...] = tuple(with_explanation(claim) for claim in _claims())
"""All claims, in the order of the paper's tables."""
