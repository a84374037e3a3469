import math

import numpy as np
import polars as pl
import pytest
import synthetic
from statsmodels.regression.linear_model import OLS

from mesonet.analysis import example_campaign, interactions
from mesonet.design import plackett_burman


def row(result, **which):
    return result.frame.filter(**which).row(0, named=True)


def test_the_published_interactions_of_the_springs():
    result = interactions(synthetic.springs(), factors=["x1", "x2", "x3"], responses="y")
    effects = {(r["first"], r["second"]): r["effect"] for r in result.frame.iter_rows(named=True)}
    assert effects == pytest.approx({("x1", "x2"): 1.5, ("x1", "x3"): 10.0, ("x2", "x3"): 0.0})
    corners = row(result, first="x1", second="x3")
    assert [corners[k] for k in ("low_low", "high_low", "low_high", "high_high")] == [
        64.0, 77.0, 55.5, 88.5,
    ]  # fmt: skip
    assert corners["relative"] == pytest.approx(10.0 / 71.25)


@pytest.mark.parametrize("holes", [(), (3, 17, 40, 41)])
def test_statsmodels_agrees(holes):
    campaign = example_campaign()
    frame = campaign.frame.filter(alternative="CTCP")
    if holes:
        gone = pl.int_range(pl.len()).is_in(holes)
        frame = frame.with_columns(y1=pl.when(gone).then(None).otherwise("y1"))
    result = interactions(frame, factors=campaign.factors, responses="y1")
    defined = frame.drop_nulls("y1")
    main = defined.select(campaign.factors).to_numpy().astype(float)
    y = defined["y1"].to_numpy()
    for pair in result.frame.iter_rows(named=True):
        both = main[:, campaign.factors.index(pair["first"])]
        both = both * main[:, campaign.factors.index(pair["second"])]
        fit = OLS(y, np.column_stack([np.ones(len(y)), main, both])).fit()
        assert pair["effect"] == pytest.approx(2 * fit.params[-1], rel=1e-9)
        assert pair["t"] == pytest.approx(fit.tvalues[-1], rel=1e-9)
        assert pair["p"] == pytest.approx(fit.pvalues[-1], rel=1e-9)
        assert pair["df"] == fit.df_resid


def test_aliases_of_a_resolution_iv_design_are_named():
    levels = [(a, b, c, a * b * c) for c in (-1, 1) for b in (-1, 1) for a in (-1, 1)]
    frame = pl.DataFrame(levels, schema=["a", "b", "c", "d"], orient="row").with_columns(
        pl.int_range(1, 9).alias("condition"),
        pl.lit("reno").alias("alternative"),
        pl.lit(1).alias("replicate"),
        pl.Series("y", [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]),
    )
    result = interactions(frame, factors=["a", "b", "c", "d"], responses="y")
    assert row(result, first="a", second="b")["aliases"] == "c*d"
    effects = dict(zip(result.frame["aliases"], result.frame["effect"], strict=True))
    assert effects["c*d"] == pytest.approx(effects["a*b"])
    assert any("cannot tell 6 of 6" in note for note in result.notes)


def test_an_interaction_confounded_with_a_main_effect_has_no_estimate():
    levels = [(a, b, -a * b) for b in (-1, 1) for a in (-1, 1)]
    frame = pl.DataFrame(levels, schema=["a", "b", "c"], orient="row").with_columns(
        pl.int_range(1, 5).alias("condition"),
        pl.lit("reno").alias("alternative"),
        pl.lit(1).alias("replicate"),
        pl.Series("y", [3.0, 1.0, 4.0, 1.0]),
    )
    result = interactions(frame, factors=["a", "b", "c"], responses="y")
    pair = row(result, first="a", second="b")
    assert pair["aliases"] == "-c"
    assert math.isnan(pair["effect"])
    assert any("have no estimate" in note for note in result.notes)


def test_parts_of_other_interactions_have_their_shares():
    design = plackett_burman(list("abcde"), runs=12)
    frame = design.matrix.with_columns(
        pl.lit("reno").alias("alternative"),
        pl.lit(1).alias("replicate"),
        # Main effects and one interaction; its parts are all that other pairs can hold.
        (3 * pl.col("a") - pl.col("e") + 5 * pl.col("c") * pl.col("d")).cast(pl.Float64).alias("y"),
    )
    result = interactions(frame, factors=list("abcde"), responses="y")
    true = row(result, first="c", second="d")["effect"]
    assert true == pytest.approx(10.0)
    held = 0
    for pair in result.frame.iter_rows(named=True):
        parts = dict(part.split(" ")[::-1] for part in pair["aliases"].split(", "))
        share = -float(parts["-c*d"]) if "-c*d" in parts else float(parts.get("c*d", 0.0))
        if (pair["first"], pair["second"]) != ("c", "d"):
            assert pair["effect"] == pytest.approx(share * true, abs=0.01 * true)
            held += share != 0.0
    assert held > 0
    assert any("there are parts of others" in note for note in result.notes)
    assert not any("cannot tell" in note for note in result.notes)


def test_a_missing_condition_is_no_confounding():
    frame = synthetic.campaign().filter(pl.col("condition") != 7)
    result = interactions(frame, factors=synthetic.FACTORS[:5], responses="loss_rate")
    assert set(result.frame["aliases"]) == {""}
