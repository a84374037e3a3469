"""Claims of the slides on the tests over three paths, and the rules that judge them."""

from __future__ import annotations

from mesonet.studies.rules import between, correlates, not_computable, ordered
from mesonet.studies.scorecard import Claim
from mesonet.studies.slac.explanations import WAN, with_explanations
from mesonet.studies.slac.published import SIGMA, THROUGHPUT, XI, PrintedValue

NEAR = (0.67, 1.5)
"""Ratios that we call comparable, where the source says similar or comparable."""
RHO = 0.5
"""Rank correlation that we ask of a printed table of one path."""

_TABLES = {"throughput": THROUGHPUT, "sigma": SIGMA, "xi": XI}
_SLIDES = {
    "throughput": "table “Aggregate Throughput”",
    "sigma": "table “σ_f - overall fairness”",
    "xi": "table “ξ_f - instant. fairness”",
}


def _cells(measure: str, path: str) -> dict[str, float]:
    table: dict[str, PrintedValue] = dict(_TABLES[measure])
    return {
        f"{measure}.{key}": cell.value
        for key, cell in table.items()
        if key.startswith(f"{path}.") and not key.endswith(".reverse")
    }


def _table_claims() -> list[Claim]:
    return [
        Claim(
            f"{measure}-{path}-table",
            f"{text} of three algorithms and several numbers of flows, {path.title()}",
            f"{len(_cells(measure, path))} values",
            _SLIDES[measure],
            correlates(_cells(measure, path), rho=RHO),
        )
        for measure, text in (
            ("throughput", "Order of the throughputs"),
            ("sigma", "Order of σ_f"),
            ("xi", "Order of ξ_f"),
        )
        for path in ("caltech", "florida", "ireland")
    ]


_THROUGHPUT = "“Aggregate Throughput”"
_CALTECH = "“SLAC to Caltech”"
_IRELAND = "“SLAC to Ireland”"
_SIGMA = "“σ_f - overall fairness”"
_XI = "“ξ_f - instant. fairness”"
_SUMMARY = "last “Summary”"

_CLAIMS = (
    Claim(
        "same-value-with-more-flows",
        "Throughputs of the algorithms tend to the same value with more flows: their range over "
        "their mean, averaged over paths, is larger with one flow than with eight",
        "all throughputs tend towards same value",
        _THROUGHPUT,
        ordered("spread.1", "spread.8"),
    ),
    Claim(
        "ctcp-twice-standard",
        "With one and two flows CTCP carries twice what standard TCP does (mean of four ratios, "
        "Florida and Ireland; the table's are 2.2, 1.7, 2.4 and 1.1, Caltech's 1.2 and 1.1)",
        "2x",
        _THROUGHPUT,
        between("ctcp over standard", 1.5, 2.5),
    ),
    Claim(
        "reverse-caltech",
        "16 reverse flows lower what one flow carries to Caltech (part that is left)",
        "0.16 (mean of three)",
        _THROUGHPUT,
        between("reverse.caltech", 0, 0.95),
    ),
    Claim(
        "reverse-florida",
        "16 reverse flows lower what one flow carries to Florida (part that is left)",
        "0.46 (mean of three)",
        _THROUGHPUT,
        between("reverse.florida", 0, 0.95),
    ),
    Claim(
        "reverse-strength",
        "With 16 reverse flows less than half is left on the path to Caltech",
        "0.14 to 0.18",
        _THROUGHPUT,
        between("reverse.caltech", 0, 0.5),
    ),
    Claim(
        "reverse-order",
        "Reverse traffic takes most from the shortest path and least from the longest",
        "0.16, 0.46, 1.28 are left (means of three)",
        _THROUGHPUT,
        ordered("reverse.ireland", "reverse.florida", "reverse.caltech"),
    ),
    *_table_claims(),
    Claim(
        "caltech-same-aggregate",
        "On the path to Caltech all algorithms carry about the same with eight flows: range over "
        "mean",
        "0.14",
        _CALTECH,
        between("spread.caltech.8", 0, 0.2),
    ),
    Claim(
        "caltech-sigma-range",
        "On the path to Caltech σ_f of eight flows differs little between algorithms",
        "0.10 between the largest and the smallest",
        _CALTECH,
        between("sigma.caltech.range", 0, 0.15),
    ),
    Claim(
        "caltech-hstcp-variable",
        "HSTCP is highly variable on the path to Caltech: its ξ_f of eight flows is above both "
        "others",
        "0.677 against 0.326 and 0.236",
        _CALTECH,
        ordered("xi.caltech.hstcp.8", "xi.caltech.others.8"),
    ),
    Claim(
        "ireland-sigma-ctcp-hstcp",
        "On the path to Ireland σ_f of eight flows is similar for CTCP and HSTCP (ratio)",
        "0.345 / 0.386 = 0.89",
        _IRELAND,
        between("sigma.ireland.8 ctcp over hstcp", *NEAR),
    ),
    Claim(
        "ireland-sigma-standard-half",
        "On the path to Ireland σ_f of eight standard flows is almost half of that of CTCP and "
        "HSTCP (ratio)",
        "0.169 / 0.366 = 0.46",
        _IRELAND,
        between("sigma.ireland.8 standard over both", 0.33, 0.67),
    ),
    Claim(
        "sigma-hstcp-larger",
        "HSTCP has a larger σ_f than both others (means over paths and 2, 4 and 8 flows)",
        "0.30 against 0.13 and 0.11",
        _SIGMA,
        ordered("sigma.hstcp", "sigma.others"),
    ),
    Claim(
        "xi-ireland-ctcp-hstcp",
        "On the path to Ireland ξ_f of CTCP is similar to that of HSTCP (ratio of means)",
        "0.520 / 0.525 = 0.99",
        f"{_XI}, {_IRELAND}",
        between("xi.ireland ctcp over hstcp", *NEAR),
    ),
    Claim(
        "xi-ireland-standard",
        "On the path to Ireland standard TCP is the most instantaneously fair",
        "0.287 against 0.520 and 0.525",
        _XI,
        ordered("xi.ireland.others", "xi.ireland.reno"),
    ),
    Claim(
        "xi-florida-standard",
        "On the path to Florida standard TCP is the most instantaneously fair",
        "“medium latency paths”, but CTCP's printed values are smaller with 2, 4 and 8 flows",
        _XI,
        not_computable("the words and the table of the slide contradict each other"),
    ),
    *(
        Claim(
            f"xi-{path}-ctcp",
            f"CTCP performs well on the path to {path.title()}: its ξ_f is below that of HSTCP "
            "(means over 2, 4 and 8 flows)",
            printed,
            _XI,
            ordered(f"xi.{path}.hstcp", f"xi.{path}.ctcp"),
        )
        for path, printed in (("caltech", "0.185 against 0.550"), ("florida", "0.214 and 0.798"))
    ),
    *(
        Claim(
            f"xi-{path}-hstcp",
            f"HSTCP performs badly on the path to {path.title()}: its ξ_f is above that of "
            f"standard "
            "TCP (means over 2, 4 and 8 flows)",
            printed,
            _XI,
            ordered(f"xi.{path}.hstcp", f"xi.{path}.reno"),
        )
        for path, printed in (("caltech", "0.550 against 0.278"), ("florida", "0.798 and 0.358"))
    ),
    Claim(
        "xi-like-sigma",
        "Results for ξ_f are similar to those for σ_f: rank correlation over 27 tests",
        "0.84",
        _XI,
        between("xi with sigma", 0.5, 1.0),
    ),
    Claim(
        "ctcp-sigma-well-provisioned",
        "σ_f of CTCP is good on well provisioned networks: lower to Caltech and Florida than to "
        "Ireland",
        "0.012 and 0.041 against 0.337",
        _SUMMARY,
        ordered("sigma.ireland.ctcp", "sigma.short.ctcp"),
    ),
    Claim(
        "ctcp-xi-well-provisioned",
        "ξ_f of CTCP is good on well provisioned networks: lower to Caltech and Florida than to "
        "Ireland",
        "0.185 and 0.214 against 0.520",
        _SUMMARY,
        ordered("xi.ireland.ctcp", "xi.short.ctcp"),
    ),
    Claim(
        "ireland-throughput-ctcp-hstcp",
        "On the path to Ireland CTCP and HSTCP carry about the same (mean of four ratios)",
        "0.96",
        _SUMMARY,
        between("throughput.ireland ctcp over hstcp", *NEAR),
    ),
    Claim(
        "few-flows-variable",
        "One and two flows have a very variable throughput, many do not (deviation over mean of "
        "the sum, all paths and algorithms)",
        "“not so apparent with many flows”",
        "“Drops Experienced”",
        ordered("variation.few", "variation.8"),
    ),
    Claim(
        "stacks",
        "Windows pushes the slow-start threshold to very low values, unlike Linux",
        "words",
        "“Stack Differences”",
        not_computable("one TCP mechanism is simulated, not two operating systems"),
    ),
)

CLAIMS = with_explanations(_CLAIMS, WAN)
