"""Section on the first two principal components, which separate algorithms and conditions."""

from __future__ import annotations

from mesonet.figures import components_chart
from mesonet.page.charts import picture
from mesonet.page.tables import counts, numbers, percents, table, words
from mesonet.report.results import Results
from mesonet.report.sections.common import Context, notes_of


def make(results: Results) -> Context | None:
    """PC1 against PC2, and what explains each component."""
    if len(results.every) < 3:
        return None
    parts = results.components
    if parts.scree.height < 2 or parts.scores.height < 3:
        return {"why": " ".join(notes_of(parts.notes)) or "There are not two components to draw."}
    names = {name: results.names.factor(name) for name in parts.factors} | {"group": "Algorithm"}
    first = parts.separation.filter(component=1).sort("fraction", descending=True, nulls_last=True)
    panels = [
        ("Factors that explain most", None),
        *((names[name], [name]) for name in parts.factors),
    ]
    return {
        "panels": [
            {
                "value": str(place),
                "name": title,
                "picture": picture(
                    f"components-{place}",
                    components_chart(parts, look=results.look, names=results.names, by=by),
                    f"First and second principal component: {title}",
                    file=None if by else "components",
                ),
            }
            for place, (title, by) in enumerate(panels, start=1)
        ],
        "most": names.get(first["factor"][0], first["factor"][0]) if first.height else "",
        "share": first["fraction"][0] if first.height else None,
        "responses": len(parts.responses),
        "table": table(
            "component-separation",
            parts.separation,
            (
                counts("component", "Component"),
                words("factor", "Explained by", names),
                percents("fraction", "Share of its variance"),
            ),
        ),
        "scores": table(
            "component-scores",
            parts.scores,
            (
                counts("condition", "Condition"),
                words("group", "Algorithm"),
                numbers("pc1", "PC1", signed=True),
                numbers("pc2", "PC2", signed=True),
            ),
        ),
        "notes": notes_of(parts.notes),
    }
