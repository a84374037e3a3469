"""Fairness, stability, latencies and delays: measures of flows."""

from __future__ import annotations

import polars as pl

from mesonet.page.tables import counts, numbers, table, words
from mesonet.report.results import Results
from mesonet.report.sections.common import Context, notes_of, response_names

# What each family asks, and the beginnings of the identifiers that belong to it.
_FAMILIES = (
    (
        "Are shares equal?",
        (
            "Jain's index is 1 and σ_f is 0 where all flows get the same; ξ_f is 0 where the "
            "spread between them stays the same, also where it is large."
        ),
        ("jain_index", "min_jain", "sigma_f", "xi_f"),
    ),
    (
        "How much do they get together?",
        "Fair shares of an idle link are no achievement: read this beside the shares.",
        ("efficiency_index", "utilization", "flow_goodput", "total_goodput"),
    ),
    (
        "How steady are they?",
        "Standard deviation over mean: 0 is perfectly steady.",
        ("stability", "flow_stability"),
    ),
    (
        "How fast do they get there?",
        "Seconds until flows reach fair shares, their largest goodput, or recover it after losses.",
        ("convergence_time", "goodput_latency", "recovery_latency", "activation_threshold"),
    ),
    (
        "What does it cost in time?",
        "Percentiles: 95 % of packets or transfers were at least as fast.",
        ("completion_time_p", "queueing_delay_p", "bottleneck_delay_p", "sojourn_p"),
    ),
)


def make(results: Results) -> Context | None:
    """One table per question, for the measures that this campaign has."""
    description = results.description.frame
    defined = set(description.filter(pl.col("mean").is_finite())["response"])
    families = []
    for title, text, heads in _FAMILIES:
        kept = [name for name in results.every if name.startswith(heads)]
        found = [name for name in kept if name in defined]
        if found:
            families.append((title, text, found))
    if not families:
        return None
    columns = (
        words("response", "Measure", response_names(results)),
        words("alternative", "Algorithm"),
        counts("conditions", "Conditions"),
        numbers("mean", "Mean"),
        numbers("minimum", "Smallest"),
        numbers("median", "Median"),
        numbers("maximum", "Largest"),
    )
    return {
        "families": [
            {
                "title": title,
                "text": text,
                "table": table(
                    f"flows-{place}",
                    description.filter(pl.col("response").is_in(found)),
                    columns,
                ),
            }
            for place, (title, text, found) in enumerate(families, start=1)
        ],
        "notes": notes_of(results.description.notes),
    }
