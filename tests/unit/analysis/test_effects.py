import math
from itertools import product

import polars as pl
import pytest
import statsmodels.api as sm
import synthetic
from polars.testing import assert_frame_equal
from refusals import refused
from scipy import stats

from mesonet.analysis import (
    congestion,
    correlations,
    example_campaign,
    interactions,
    main_effects,
    term_effects,
)
from mesonet.errors import InputError


def factorial(values, *, factors=("a", "b"), alternative="reno"):
    levels = [(-1, -1), (1, -1), (-1, 1), (1, 1)]
    return pl.DataFrame(
        {
            "condition": range(1, 5),
            "alternative": [alternative] * 4,
            "replicate": [1] * 4,
            factors[0]: [a for a, _ in levels],
            factors[1]: [b for _, b in levels],
            "y": values,
        }
    )


def row(result, **which):
    return result.frame.filter(**which).row(0, named=True)


def test_hand_computed_effects_and_model_test():
    # y = 10, 14, 11, 17: effects 5 and 2; interaction contrast 2, so the residual SS is 1 on 1 df.
    result = main_effects(factorial([10.0, 14.0, 11.0, 17.0]), factors=["a", "b"], responses="y")
    a, b = row(result, factor="a"), row(result, factor="b")
    assert (a["low"], a["high"], a["effect"]) == pytest.approx((10.5, 15.5, 5.0))
    assert a["relative"] == pytest.approx(5.0 / 13.0)
    assert (a["t"], a["df"]) == (pytest.approx(5.0), 1)
    assert b["t"] == pytest.approx(2.0)
    # With one degree of freedom t is Cauchy: p = 1 - 2 atan(t) / pi.
    assert a["p"] == pytest.approx(1 - 2 * math.atan(5.0) / math.pi)
    assert a["effect_upper"] - a["effect"] == pytest.approx(12.706, abs=1e-3)


def test_hand_computed_two_sample_test():
    # Pooled variance of {10, 11} and {14, 17} is (0.5 + 4.5) / 2; t = 5 / sqrt(2.5 * (1/2 + 1/2)).
    result = main_effects(
        factorial([10.0, 14.0, 11.0, 17.0]), factors=["a", "b"], responses="y", method="two-sample"
    )
    a = row(result, factor="a")
    assert (a["t"], a["df"]) == (pytest.approx(5 / math.sqrt(2.5)), 2)


def test_replicates_are_averaged_and_add_no_degrees_of_freedom():
    result = main_effects(
        synthetic.campaign(replicates=3), factors=synthetic.FACTORS, responses="sending_sources"
    )
    assert row(result, factor="speed")["df"] == 32 - 7
    assert not any("n = 1" in note for note in result.notes)


def test_undefined_values_are_left_out_and_said():
    result = main_effects(
        synthetic.campaign(), factors=synthetic.FACTORS, responses="recovery_time"
    )
    effect = row(result, factor="buffers")
    assert effect["n_low"] + effect["n_high"] < 32
    assert any("not balanced" in note for note in result.notes)


@pytest.mark.parametrize("method", ["model", "two-sample"])
def test_effects_that_leave_no_error_are_no_surer_than_chance_in_the_levels_allows(method):
    """Of the six ways to give the low level to two of four conditions two sort them so."""
    values = [1.0, 3.0, 2.0, 4.0] if method == "model" else [1.0, 3.0, 1.0, 3.0]
    result = main_effects(factorial(values), factors=["a", "b"], responses="y", method=method)
    effect = row(result, factor="a")
    assert (effect["t"], effect["p"], effect["stars"]) == (math.inf, pytest.approx(1 / 3), "")
    assert any("no error is left to test effects against: y." in note for note in result.notes)


def test_an_effect_without_an_error_is_found_in_many_conditions():
    codes = list(product((-1, 1), repeat=2)) * 3
    rows = [
        {"condition": at, "alternative": "reno", "replicate": 1, "a": a, "b": b, "y": a}
        for at, (a, b) in enumerate(codes, start=1)
    ]
    effect = row(main_effects(pl.DataFrame(rows), factors="ab", responses="y"), factor="a")
    assert effect["p"] == pytest.approx(2 / math.comb(12, 6))
    assert effect["stars"] == "**"


def test_influence_weighs_one_percent_fully_and_five_percent_half():
    result = main_effects(
        synthetic.campaign(), factors=synthetic.FACTORS, responses=synthetic.RESPONSES
    )
    speed = result.influence.row(by_predicate=pl.col("factor") == "speed", named=True)
    expected = (speed["at_1_percent"] + speed["at_5_percent"] / 2) / len(synthetic.RESPONSES)
    assert speed["influence"] == pytest.approx(expected)
    assert speed["influence"] > 0.5


def test_levels_must_be_coded():
    frame = factorial([1.0, 2.0, 3.0, 4.0]).with_columns(a=pl.Series([0, 1, 0, 1]))
    with refused(InputError, ("a", "not_coded")):
        main_effects(frame, factors=["a", "b"], responses="y")


def test_all_missing_columns_are_named_at_once():
    with pytest.raises(InputError) as caught:
        main_effects(synthetic.campaign(), factors=["sped", "nothing"], responses="lossrate")
    message = str(caught.value)
    assert 'sped: no such column in the frame (did you mean "speed"?)' in message
    assert "nothing: no such column" in message
    assert '(did you mean "loss_rate"?)' in message


@pytest.mark.parametrize("holes", [(), (0, 5, 6, 50)])
def test_statsmodels_and_scipy_agree(holes):
    campaign = example_campaign()
    frame = campaign.frame.filter(alternative="Scalable")
    gone = pl.int_range(pl.len()).is_in(holes)
    frame = frame.with_columns(y7=pl.when(gone).then(math.nan).otherwise("y7"))
    known = frame.filter(pl.col("y7").is_not_nan())
    coded, y = known.select(campaign.factors).to_numpy().astype(float), known["y7"].to_numpy()
    fit = sm.OLS(y, sm.add_constant(coded)).fit()
    modelled = main_effects(frame, factors=campaign.factors, responses=["y1", "y7"])
    pooled = main_effects(
        frame, factors=campaign.factors, responses=["y1", "y7"], method="two-sample"
    )
    bounds = 2 * fit.conf_int()
    for j, name in enumerate(campaign.factors, start=1):
        effect = row(modelled, response="y7", factor=name)
        assert effect["effect"] == pytest.approx(2 * fit.params[j], rel=1e-9)
        assert effect["t"] == pytest.approx(fit.tvalues[j], rel=1e-9)
        assert effect["p"] == pytest.approx(fit.pvalues[j], rel=1e-9)
        assert (effect["effect_lower"], effect["effect_upper"]) == pytest.approx(
            tuple(bounds[j]), rel=1e-9
        )
        test = stats.ttest_ind(y[coded[:, j - 1] > 0], y[coded[:, j - 1] < 0])
        effect = row(pooled, response="y7", factor=name)
        assert (effect["t"], effect["p"]) == pytest.approx((test.statistic, test.pvalue), rel=1e-9)


def test_many_responses_at_once_are_each_what_they_are_alone():
    campaign = example_campaign()
    together = main_effects(
        campaign.frame, factors=campaign.factors, responses=campaign.responses, by="alternative"
    )
    for response in ("y3", "g14", "utilization"):
        alone = main_effects(
            campaign.frame, factors=campaign.factors, responses=response, by="alternative"
        )
        same = together.frame.filter(response=response)
        assert_frame_equal(same, alone.frame, rel_tol=1e-12)


def test_both_levels_within_a_condition_are_refused():
    frame = factorial([1.0, 2.0, 3.0, 4.0])
    again = frame.with_columns(replicate=pl.lit(2, pl.Int64), a=-pl.col("a"))
    frame = pl.concat([frame, again])
    with refused(InputError, ("a", "not_constant")):
        main_effects(frame, factors=["a", "b"], responses="y")


def three_alternatives(*, undefined):
    """No factor has an effect; the alternatives differ; c has no value where `undefined`."""
    rows = [
        {
            "condition": condition, "alternative": label, "replicate": 1,
            **dict(zip("pqrs", codes, strict=True)),
            "y": None if label == "c" and undefined(codes) else mean + math.sin(7.3 * condition),
            "z": mean + math.sin(7.3 * condition),
        }
        for condition, codes in enumerate(product((-1, 1), repeat=4), start=1)
        for label, mean in (("a", 10.0), ("b", 20.0), ("c", 60.0))
    ]  # fmt: skip
    return pl.DataFrame(rows)


def test_an_alternative_without_a_value_in_some_conditions_makes_no_effect():
    frame = three_alternatives(undefined=lambda codes: codes[0] > 0 and codes[1] > 0)
    effects = main_effects(frame, factors="pqrs", responses=["y", "z"])
    y, z = row(effects, response="y", factor="p"), row(effects, response="z", factor="p")
    # Over the two others alone the mean would be 15 in place of 30.
    assert abs(y["effect"]) < 1.0
    assert y["p"] > 0.05
    assert (y["n_low"], y["n_high"]) == (8, 4)
    assert (z["n_low"], z["n_high"]) == (8, 8)
    assert any("left out: y in conditions 13, 14, 15, 16." in note for note in effects.notes)
    pairs = interactions(frame, factors="pqrs", responses="y")
    assert (pairs.frame["p"].fill_nan(1.0) > 0.01).all()
    assert any("y in conditions 13" in note for note in pairs.notes)
    terms = term_effects(frame, factors="pqrs", response="y")
    assert any("y in conditions 13" in note for note in terms.notes)
    assert correlations(frame, responses=["y", "z"]).frame["n"].to_list() == [12]
    order = congestion(frame, response="y")
    assert order.conditions["value"].null_count() == 4
    assert any("y in conditions 13" in note for note in order.notes)
    # On its own an alternative keeps what it has.
    each = main_effects(frame, factors="pqrs", responses="y", by="alternative")
    assert row(each, group="a", factor="p")["n_high"] == 8
    assert row(each, group="c", factor="p")["n_high"] == 4


def test_an_alternative_that_never_has_the_response_takes_no_part_in_its_means():
    frame = three_alternatives(undefined=lambda codes: True)
    effects = main_effects(frame, factors="pqrs", responses="y")
    assert row(effects, factor="p")["mean"] == pytest.approx(15.0, abs=0.5)
    assert row(effects, factor="p")["n_high"] == 8
    assert not any("left out" in note for note in effects.notes)


def test_logarithms_make_effects_factors_and_leave_out_zeros():
    # y = 2^a 10^b: a multiplies by four, b by a hundred, and nothing is left.
    result = main_effects(
        factorial([0.05, 0.2, 5.0, 20.0]), factors=["a", "b"], responses="y", transformation="log"
    )
    assert row(result, factor="b")["effect"] == pytest.approx(2.0)
    assert row(result, factor="a")["relative"] == pytest.approx(3.0)
    assert result.residuals["residual"].to_list() == pytest.approx([0.0] * 4, abs=1e-12)
    zero = main_effects(
        factorial([0.0, 0.2, 5.0, 20.0]), factors=["a", "b"], responses="y", transformation="log"
    )
    assert zero.residuals["condition"].to_list() == [2, 3, 4]
    assert len(zero.notes) > len(result.notes)


def test_residuals_and_their_quantiles_are_those_of_statsmodels_and_scipy():
    campaign = example_campaign()
    result = main_effects(
        campaign.frame, factors=campaign.factors, responses="loss_rate", transformation="log"
    )
    means = campaign.frame.group_by("condition").agg(
        pl.col("loss_rate").log10().mean(), pl.col(campaign.factors).first()
    )
    means = means.sort("condition")
    model = sm.OLS(
        means["loss_rate"].to_numpy(), sm.add_constant(means[campaign.factors].to_numpy())
    )
    assert result.residuals["residual"].to_list() == pytest.approx(model.fit().resid.tolist())
    ours = result.residuals.sort("residual")
    (theirs, _), _ = stats.probplot(ours["residual"].to_numpy())
    # scipy has Filliben's approximation of the medians.
    assert ours["quantile"].to_list() == pytest.approx(theirs.tolist(), abs=0.01)


def test_contrasts_are_the_effects_of_all_terms():
    campaign = example_campaign()
    result = main_effects(campaign.frame, factors=campaign.factors, responses=["loss_rate", "y1"])
    terms = term_effects(campaign.frame, factors=campaign.factors, response="loss_rate")
    contrasts = result.contrasts("loss_rate")
    assert contrasts.margin == pytest.approx(terms.margin)
    assert contrasts.frame["effect"].to_list() == pytest.approx(terms.frame["effect"].to_list())


def test_contrasts_of_logarithms_are_changes_of_the_response_and_keep_the_notes_of_the_runs():
    frame = factorial([0.05, 0.2, 5.0, 20.0])
    frame = pl.concat([frame, frame.with_columns(replicate=pl.col("replicate") + 1)])
    result = main_effects(frame, factors=["a", "b"], responses="y", transformation="log")
    contrasts = result.contrasts("y")
    assert contrasts.frame.filter(term="a")["relative"].item() == pytest.approx(3.0)
    assert not any(note.startswith("n = 1") for note in contrasts.notes)
    with refused(InputError, ("transformation", "unknown_name")):
        main_effects(frame, factors=["a", "b"], responses="y", transformation="log10")


def test_the_mean_of_alternatives_on_a_logarithm_lies_among_them():
    low, high = factorial([1.0, 1.0, 2.0, 2.0]), factorial([100.0, 100.0, 1.0, 1.0])
    frame = pl.concat([low, high.with_columns(alternative=pl.lit("other"))])
    options = {"factors": ["a", "b"], "responses": "y", "transformation": "log"}
    overall = row(main_effects(frame, **options), factor="b")
    each = main_effects(frame, by="alternative", **options)
    parts = [row(each, factor="b", group=name) for name in each.frame["group"].unique()]
    for level in ("low", "high"):
        assert overall[level] == pytest.approx(sum(part[level] for part in parts) / 2)


def test_factors_that_multiply_do_not_interact_on_the_logarithm():
    frame = factorial([0.05, 0.2, 5.0, 20.0])
    plain, logs = (
        interactions(frame, factors=["a", "b"], responses="y", transformation=it).frame
        for it in ("none", "log")
    )
    assert abs(plain["effect"].item()) > 1
    assert logs["effect"].item() == pytest.approx(0.0, abs=1e-12)
    bent = interactions(
        factorial([1.0, 1.0, 1.0, 100.0]), factors=["a", "b"], responses="y", transformation="log"
    )
    assert bent.frame["effect"].item() == pytest.approx(1.0)
    assert bent.frame["relative"].item() == pytest.approx(9.0)
    assert bent.main.transformation == "log"
