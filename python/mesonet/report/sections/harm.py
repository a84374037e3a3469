"""Harm and impact, where the plan asks for them."""

from __future__ import annotations

import polars as pl

from mesonet.analysis.harm import undirected_note
from mesonet.figures import harm_chart, impact_chart, percent
from mesonet.page.charts import picture
from mesonet.page.tables import counts, numbers, percents, probabilities, table, words
from mesonet.report.results import Results
from mesonet.report.sections.common import Context, notes_of, response_names


def make(results: Results) -> Context | None:
    """Harm with its excess over what is done already, and impact; `None` if not asked for."""
    asked = {"harm", "impact"} & set(results.inputs.analysis)
    if not asked:
        return None
    content: Context = {"harm": None, "impact": None, "notes": []}
    if "harm" in asked:
        content |= _harm(results)
    if "impact" in asked:
        content |= _impact(results, content["notes"])
    if content["harm"] is None and content["impact"] is None:
        told = " ".join(content["notes"]) or "No pair of runs has values to compare."
        return {"why": f"This could not be computed: {told}"}
    return content


def _harm(results: Results) -> Context:
    found, names = results.harm, response_names(results)
    left_out = undirected_note(results.inputs.subject.family, results.harm_sides)
    if found is None:
        return {"notes": notes_of(left_out)}
    notes = notes_of((*found.notes, *left_out))
    defined = found.frame.filter(pl.col("n") > 0)
    if defined.is_empty():
        return {"notes": notes}
    excess = (
        percents("excess", f"More than beside {found.own}"),
        percents("excess_lower", "Lower"),
        percents("excess_upper", "Upper"),
        probabilities("p_holm", "p (Holm)"),
    )
    columns = (
        words("response", "Response", names),
        words("alternative", "In the company of"),
        counts("n", f"{found.unit.capitalize()}s"),
        percents("harm", "Harm"),
        percents("lower", "Lower"),
        percents("upper", "Upper"),
        percents("worst", "Worst"),
        counts("worst_condition", "In condition"),
        *(excess if found.own else ()),
    )
    chart = harm_chart(found, look=results.look, names=results.names)
    return {
        "harm": table("harm", defined, columns),
        "picture": picture("harm", chart, f"Harm against {found.solo}"),
        "solo": found.solo,
        "own": found.own,
        "unit": found.unit,
        "confidence": percent(found.confidence, digits=3, signed=False),
        "blocks": table(
            "harm-blocks",
            found.blocks,
            (
                words("response", "Response", names),
                words("alternative", "In the company of"),
                counts("condition", "Condition"),
                numbers("solo_value", found.solo),
                numbers("value", "In company"),
                percents("harm", "Harm"),
            ),
        ),
        "notes": notes,
    }


def _impact(results: Results, notes: list[str]) -> Context:
    found = results.asked_impact
    if found is None:
        return {}
    told = notes_of((*notes, *found.notes))
    defined = found.frame.filter(pl.col("change").is_finite())
    if defined.is_empty():
        return {"notes": told}
    columns = (
        words("response", "Response", response_names(results)),
        words("alternative", "With"),
        counts("n", f"{found.unit.capitalize()}s"),
        numbers("without", found.baseline),
        numbers("with", "With it"),
        percents("change", "Change"),
        percents("lower", "Lower"),
        percents("upper", "Upper"),
        probabilities("p_holm", "p (Holm)"),
    )
    chart = impact_chart(found, look=results.look, names=results.names)
    return {
        "impact": table("impact-asked", defined, columns),
        "impact_picture": picture("impact-asked", chart, f"Change against {found.baseline}"),
        "baseline": found.baseline,
        "impact_confidence": percent(found.confidence, digits=3, signed=False),
        "notes": told,
    }
