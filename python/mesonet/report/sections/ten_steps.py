"""NIST's ten-step graphical analysis of the first responses."""

from __future__ import annotations

from mesonet.figures import ten_steps_charts
from mesonet.page.charts import picture
from mesonet.page.tables import numbers, percents, table, words
from mesonet.report.results import STEPPED, Results
from mesonet.report.sections.common import Context, notes_of

# Title and how to read it, in the order of the steps.
_STEPS = {
    "ordered": (
        "Ordered data",
        (
            "Conditions from the smallest to the largest value, with their settings below. Look "
            "for jumps, and for a setting that stays on one side."
        ),
    ),
    "scatter": (
        "The response against each factor",
        (
            "Every condition at the low and at the high level. A factor may move all values, their "
            "spread, or one of them."
        ),
    ),
    "effects": ("Main effects", "The steeper the line, the more the factor matters."),
    "interactions": (
        "Interactions",
        "Lines that are not parallel: what one factor does depends on the other.",
    ),
    "blocks": (
        "Blocks",
        (
            "Each bar holds the other factors fixed; main effects of those that a fraction cannot "
            "hold are taken off. A factor to trust moves the response to the same side in nearly "
            "all of them."
        ),
    ),
    "youden": (
        "Youden plot",
        (
            "Mean at the high level against the mean at the low level; terms far from the diagonal "
            "matter."
        ),
    ),
    "sizes": ("Sizes of effects", "Effects beyond the margins of error are more than chance."),
    "half_normal": (
        "Half-normal plot",
        "Chance alone lies on a line through the origin; effects that leave it are real.",
    ),
    "residual_sd": (
        "What is left unexplained",
        (
            "Residual standard deviation as terms are added; where the curve becomes flat, the "
            "model suffices."
        ),
    ),
    "contour": (
        "Contours of the two largest factors",
        (
            "Corners are simulated, between them it is interpolated. Lines close together: a steep "
            "change."
        ),
    ),
}


def make(results: Results) -> Context | None:
    """A panel of ten plots for each of the first responses."""
    if results.effects is None or not results.inputs.factors:
        return None
    if not results.steps:
        return {"why": "The ten steps need at least two factors of two levels."}
    panels: list[Context] = []
    left_out: list[str] = []
    for response, steps in results.steps.items():
        if not steps.terms.frame["absolute"].max():
            why = " ".join(notes_of(steps.notes)) or "no factor has both levels."
            left_out.append(f"{results.names.response(response)}: {why}")
            continue
        number = len(panels) + 1
        charts = ten_steps_charts(steps, names=results.names)
        name = results.names.response(response)
        panels.append(
            {
                "value": response,
                "name": name,
                "notes": notes_of(steps.notes),
                "steps": [
                    {
                        "title": title,
                        "text": text,
                        "picture": picture(
                            f"step-{number}-{step}",
                            charts[step],
                            f"{title}: {name}",
                            file=f"ten-steps-{response}-{place:02}-{step}",
                        ),
                    }
                    for place, (step, (title, text)) in enumerate(_STEPS.items(), start=1)
                ],
                "table": table(
                    f"terms-{response}",
                    steps.terms.frame,
                    (
                        words("term", "Term"),
                        numbers("low", "Mean at −"),
                        numbers("high", "Mean at +"),
                        numbers("effect", "Effect", signed=True),
                        percents("relative", "Relative"),
                        words("aliases", "Stands also for"),
                    ),
                ),
                "models": table(
                    f"models-{response}",
                    steps.terms.models,
                    (
                        words("added", "Added"),
                        numbers("residual_sd", "Residual sd"),
                        percents("explained", "Explained"),
                    ),
                ),
            }
        )
    if not panels:
        return {"why": f"No response has effects to look at. {' '.join(left_out)}"}
    return {"panels": panels, "first": STEPPED, "left_out": left_out}
