"""Differences from the baseline."""

from __future__ import annotations

from mesonet.analysis import PairedDifferences
from mesonet.figures import forest_chart, percent
from mesonet.page.charts import picture
from mesonet.page.tables import Column, counts, numbers, percents, probabilities, table, words
from mesonet.report.results import Results
from mesonet.report.sections.common import Context, notes_of, plain_table, response_names


def make(results: Results) -> Context:
    """The forest plot with its tables; empty without a comparison."""
    paired, judged = results.paired, results.judged
    if paired is None or judged is None or paired.frame.is_empty():
        return {}
    drawn = judged.on(results.inputs.compared)
    better = {name: str(about.get("better")) for name, about in results.inputs.responses.items()}
    chart = forest_chart(drawn, look=results.look, names=results.names, better=better)
    blocks = (
        words("response", "Response", response_names(results)),
        words("alternative", "Alternative"),
        counts("condition", "Condition"),
        counts("replicates", "Pairs"),
        numbers("baseline_value", paired.baseline),
        numbers("difference", "Difference", signed=True),
        numbers("lower", "Lower"),
        numbers("upper", "Upper"),
    )
    here = judged is not paired
    return {
        "baseline": judged.baseline,
        "unit": judged.unit,
        "few": here,
        "conditions": results.conditions_count,
        "shared": paired.shared_seed,
        "confidence": percent(judged.confidence, digits=3, signed=False),
        "tests": int(judged.frame["p"].is_finite().sum()),
        "drawn": len(drawn.responses),
        "responses": len(judged.responses),
        "picture": picture("paired", chart, f"Differences from {judged.baseline}"),
        "verdicts": plain_table(
            results,
            "verdicts",
            (
                words("alternative", "Algorithm"),
                counts("judged", "Responses judged"),
                counts("better", f"Better than {paired.baseline}"),
                counts("worse", f"Worse than {paired.baseline}"),
                counts("open", "No difference shown"),
            ),
        ),
        "here": table("paired-here", judged.frame, _columns(results, judged)) if here else None,
        "table": table(
            "paired-differences",
            paired.frame,
            _columns(results, paired),
        ),
        "blocks": table("paired-blocks", paired.blocks, blocks),
        "notes": notes_of(judged.notes),
    }


def _columns(results: Results, paired: PairedDifferences) -> tuple[Column, ...]:
    return (
        words("response", "Response", response_names(results)),
        words("alternative", "Alternative"),
        counts("n", f"{paired.unit.capitalize()}s"),
        numbers("baseline_mean", f"Mean of {paired.baseline}"),
        numbers("difference", "Difference", signed=True),
        numbers("lower", "Lower"),
        numbers("upper", "Upper"),
        percents("relative", "Relative"),
        percents("relative_lower", "Lower"),
        percents("relative_upper", "Upper"),
        counts("above", "Above"),
        counts("equal", "Equal"),
        counts("below", "Below"),
        probabilities("p", "p"),
        probabilities("p_holm", "p (Holm)"),
        probabilities("wilcoxon_holm", "Wilcoxon p (Holm)"),
        *(
            (
                numbers("seed_lower", "These conditions: lower"),
                numbers("seed_upper", "upper"),
                probabilities("seed_holm", "p (Holm)"),
            )
            if paired.unit == "condition" and (paired.frame["seeds"] > 1).any()
            else ()
        ),
    )
