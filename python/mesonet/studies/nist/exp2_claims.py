"""Published claims on Experiment 2, and the rules that judge them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mesonet.studies.nist.exp2_explanations import EXPLANATIONS
from mesonet.studies.nist.exp2_figures import FAIR, HALVING, KEPT_RATE, OSCILLATING
from mesonet.studies.nist.exp2_published import (
    MATRIX_SLIDES,
    printed_order,
)
from mesonet.studies.nist.exp2_shared_claims import (
    LABELS,
    RATE,
    SLACK,
    UTILITY,
    beyond,
    fairness,
    network,
    others,
    volumes,
)
from mesonet.studies.rules import above, between, each, ordered, placed, within
from mesonet.studies.scorecard import Claim

_FIG25, _FIG26 = "paper, section 6 and figure 25", "paper, section 6 and figure 26"
_PCA = "slides, “Principal Components Analysis of Goodputs (high sst)”; paper, figure 13"


def claims_of(name: str) -> tuple[Claim, ...]:
    """The claims of `nist-2a`, `nist-2b` or `nist-2c`, with what is to be said of misses."""
    found = (*_OWN[name], *fairness(name), *beyond(name), *network(name), *volumes(name))
    explanations = EXPLANATIONS[name]
    return tuple(
        replace(
            claim, text=claim.text.removesuffix("."), explanation=explanations.get(claim.id, "")
        )
        for claim in found
    )


def _matrices() -> tuple[Claim, ...]:
    alternate, standard = MATRIX_SLIDES["alternate"], MATRIX_SLIDES["standard"]
    return (
        _order(),
        # The kind of file alone explains 0.30 of the variance of the first printed matrix, the
        # flow group 0.15 of that of the second: what two matrices share that agree in no more.
        Claim(
            "matrix-ctcp",
            "Ranks of CTCP's goodput by condition and flow group: rank correlation of ours with "
            "those printed.",
            "768 ranks",
            alternate,
            between("matrix.alternate", 0.25),
        ),
        Claim(
            "matrix-reno-beside-ctcp",
            "Ranks of Reno's goodput beside CTCP by condition and flow group, likewise.",
            "768 ranks",
            standard,
            between("matrix.standard", 0.15),
        ),
        Claim(
            "ctcp-mean-rank",
            "Mean of the ranks of CTCP's goodput.",
            "4.10",
            alternate,
            within("matrix.alternate.mean", 4.10, absolute=0.5),
        ),
        Claim(
            "ctcp-deviation",
            "Standard deviation of the ranks of CTCP's goodput.",
            "1.91",
            alternate,
            within("matrix.alternate.sd", 1.91, absolute=0.3),
        ),
        Claim(
            "reno-beside-ctcp-mean-rank",
            "Mean of the ranks of Reno's goodput beside CTCP.",
            "5.15",
            standard,
            within("matrix.standard.mean", 5.15, absolute=0.5),
        ),
        Claim(
            "reno-beside-ctcp-deviation",
            "Standard deviation of the ranks of Reno's goodput beside CTCP.",
            "1.64",
            standard,
            within("matrix.standard.sd", 1.64, absolute=0.3),
        ),
        *_by_file(),
        *_around_ctcp(),
    )


def _by_file() -> list[Claim]:
    alternate, standard = MATRIX_SLIDES["alternate"], MATRIX_SLIDES["standard"]
    files = {
        "movies": (3.14, 4.78),
        "service packs": (3.01, 5.25),
        "documents": (4.94, 5.20),
        "Web objects": (5.32, 5.37),
    }
    made = [
        Claim(
            f"ctcp-{file.replace(' ', '-').lower()}",
            f"Mean rank of CTCP's goodput, {file}.",
            f"{ctcp}",
            alternate,
            within(f"alternate.CTCP.{file}", ctcp, absolute=0.75),
        )
        for file, (ctcp, _) in files.items()
    ]
    made += [
        Claim(
            f"reno-beside-ctcp-{file.replace(' ', '-').lower()}",
            f"Mean rank of Reno's goodput beside CTCP, {file}.",
            f"{reno}",
            standard,
            within(f"reno.CTCP.{file}", reno, absolute=0.75),
        )
        for file, (_, reno) in files.items()
    ]
    return made


def _around_ctcp() -> tuple[Claim, ...]:
    alternate, standard = MATRIX_SLIDES["alternate"], MATRIX_SLIDES["standard"]
    return (
        Claim(
            "ctcp-smaller-files",
            "CTCP gives smaller files a higher relative goodput than larger ones.",
            "higher on smaller files",
            alternate,
            ordered("alternate.CTCP.small", "alternate.CTCP.large"),
        ),
        Claim(
            "reno-high-beside-ctcp",
            "Reno flows get a high relative goodput beside CTCP: more than the middle rank.",
            "high",
            standard,
            between("reno.CTCP", 4.0),
        ),
    )


def _order() -> Claim:
    return Claim(
        "order-of-congestion",
        "The 32 conditions in order of congestion: rank correlation with their order by loss rate.",
        " ".join(map(str, printed_order())),
        f"{MATRIX_SLIDES['alternate']}, order of the rows",
        between("order", 0.7),
    )


def _components() -> tuple[Claim, ...]:
    return (
        Claim(
            "components-three-factors",
            "Network speed, propagation delay and file size separate goodputs in the plane of the "
            "first two principal components, each more than any other factor: the smallest lead, "
            "as a part of the variance.",
            "three main factors",
            _PCA,
            between("plane.three", 0.0),
        ),
        Claim(
            "components-order",
            "Of these network speed separates most, then propagation delay, then file size.",
            "speed, delay, file size",
            _PCA,
            ordered("plane.speed", "plane.delay", "plane.web"),
        ),
        Claim(
            "components-groups",
            "Longer and shorter delays fall apart where the network is fast, and less where it is "
            "slow.",
            "groups 2 and 3 against group 1",
            _PCA,
            ordered("plane.delay.high", "plane.delay.low"),
        ),
        Claim(
            "components-no-algorithm",
            "The algorithm plays no significant part there: at most 5 % of the variance of the "
            "plane.",
            "not significant",
            _PCA,
            between("plane.group", 0.0, 0.05),
        ),
    )


def _high_threshold() -> tuple[Claim, ...]:
    return (
        Claim(
            "movies-beat-reno",
            "Under congestion BIC, HSTCP and Scalable TCP get more than Reno beside them: movies, "
            "very fast paths, fast interfaces.",
            "higher",
            _FIG25,
            each("vf.congested.", KEPT_RATE, 0.0),
        ),
        Claim(
            "movies-increasing",
            "The lead of BIC, HSTCP and Scalable TCP over Reno there grows with congestion: rank "
            "correlation.",
            "increasing",
            _FIG25,
            each("vf.trend.", KEPT_RATE, 0.0),
        ),
        Claim(
            "movies-equal",
            "CTCP, FAST, FAST-AT and HTCP get about as much as Reno there: within 15 %.",
            "approximately equal",
            _FIG25,
            each("vf.", HALVING, -0.15, 0.15),
        ),
        Claim(
            "same-rate-high-threshold",
            "Without congestion all algorithms, Reno included, reach the highest rate alike: gains "
            "over Reno on large files on very fast and fast paths within 10 %.",
            "same quickness",
            RATE,
            each("low.", LABELS, -0.1, 0.1),
        ),
    )


def _tops_2a() -> tuple[Claim, ...]:
    figure = "paper, section 6 and figure 27"
    return (
        Claim(
            "top-htcp-ctcp",
            "HTCP and CTCP have the highest mean ranks of goodput, their flows and Reno's beside "
            "them together.",
            "highest",
            figure,
            above("rank.", ("HTCP", "CTCP"), others("HTCP", "CTCP"), slack=SLACK),
        ),
        Claim(
            "third-fast-at",
            "FAST-AT comes third.",
            "3",
            "paper, section 6 and figure 28",
            placed("rank.", "FAST-AT", LABELS, 3, 3),
        ),
        Claim(
            "deviation-htcp-ctcp",
            "The ranks of HTCP and CTCP vary more than those of the others on average: the smaller "
            "difference of standard deviations.",
            "relatively high",
            figure,
            between("sd.top-two", 0.0),
        ),
        Claim(
            "sizes-htcp-ctcp",
            "Both rank higher on small files than on large ones: the smaller difference of "
            "mean ranks.",
            "higher on small files",
            "paper, section 6",
            between("sizes", 0.0),
        ),
        _low("paper, section 6 and figures 27 and 28"),
    )


def _low(where: str) -> Claim:
    return Claim(
        "low-bic-hstcp-scalable",
        "BIC, HSTCP and Scalable TCP have low ranks: each below the middle.",
        "low",
        where,
        each("rank.", KEPT_RATE, high=4.0),
    )


def _own_2b() -> tuple[Claim, ...]:
    figure = "paper, section 6 and figure 28"
    return (
        Claim(
            "top-ctcp",
            "CTCP has the highest mean rank.",
            "1",
            figure,
            placed("rank.", "CTCP", LABELS, 1, 1),
        ),
        Claim(
            "near-fast-at",
            "FAST-AT ranks nearly as high: within half a rank.",
            "nearly as high",
            figure,
            between("rank.distance", -SLACK, 0.5),
        ),
        Claim(
            "deviation-fast-at",
            "FAST-AT's ranks vary more than CTCP's.",
            "higher deviation",
            figure,
            ordered("sd.FAST-AT", "sd.CTCP"),
        ),
        _low(figure),
        Claim(
            "reno-20-percent",
            "Reno gets 20 % of the line rate: movies, very fast paths, fast interfaces, without "
            "congestion.",
            "20 %",
            _FIG26,
            within("fraction.reno", 0.2, absolute=0.1),
        ),
        Claim(
            "all-beat-reno",
            "Every alternate gets more than Reno there, on movies and service packs.",
            "significantly higher",
            f"{_FIG26}; {RATE}",
            each("low.", LABELS, 0.0),
        ),
        Claim(
            "fast-highest",
            "FAST and FAST-AT get most there.",
            "highest",
            _FIG26,
            above("fraction.", OSCILLATING, others(*OSCILLATING)),
        ),
        Claim(
            "ctcp-third",
            "CTCP comes next.",
            "3",
            _FIG26,
            placed("fraction.", "CTCP", LABELS, 3, 3),
        ),
        Claim(
            "larger-files-gain-more",
            "Without congestion the gain over Reno grows with the size of files.",
            "the larger, the larger",
            RATE,
            ordered("size.movies", "size.service packs", "size.documents", "size.Web objects"),
        ),
        Claim(
            "utility-large-files",
            "Only large files gain: more on movies and service packs than on smaller files, for "
            "the three fairest algorithms, without congestion.",
            "large files only",
            UTILITY,
            ordered("utility.large.uncongested", "utility.small"),
        ),
        Claim(
            "utility-uncongested",
            "They gain more on paths with sporadic losses than on congested ones.",
            "uncongested paths",
            UTILITY,
            ordered("utility.large.uncongested", "utility.large.congested"),
        ),
    )


def _own_2c() -> tuple[Claim, ...]:
    where = "paper, section 6"
    return (
        Claim(
            "top-three",
            "FAST-AT, CTCP and HTCP have the three highest mean ranks.",
            "three highest",
            where,
            above("rank.", FAIR, others(*FAIR), slack=SLACK),
        ),
        Claim(
            "top-fast-at",
            "FAST-AT has the highest of all.",
            "1",
            where,
            placed("rank.", "FAST-AT", LABELS, 1, 1),
        ),
        Claim(
            "deviation-fast-at-ctcp",
            "FAST-AT's ranks vary less than CTCP's.",
            "lowest of the three",
            where,
            ordered("sd.CTCP", "sd.FAST-AT"),
        ),
        Claim(
            "deviation-fast-at-htcp",
            "FAST-AT's ranks vary less than HTCP's.",
            "lowest of the three",
            where,
            ordered("sd.HTCP", "sd.FAST-AT"),
        ),
    )


_OWN: Mapping[str, tuple[Claim, ...]] = {
    "nist-2a": (*_matrices(), *_tops_2a(), *_high_threshold(), *_components()),
    "nist-2b": (_order(), *_own_2b()),
    "nist-2c": (_order(), *_own_2c(), *_high_threshold()[3:]),
}
