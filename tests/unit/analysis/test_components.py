import math

import numpy as np
import polars as pl
import pytest
import synthetic
from statsmodels.multivariate.pca import PCA

from mesonet.analysis import example_campaign, principal_components

EXAMPLE = example_campaign()
GOODPUTS = [f"y{n}" for n in range(9, 33, 4)]


def test_statsmodels_finds_the_same_components():
    pca = principal_components(EXAMPLE.frame, responses=GOODPUTS)
    ordered = EXAMPLE.frame.sort("alternative", "condition")
    expected = PCA(ordered.select(GOODPUTS).to_numpy(), standardize=True, method="eig")
    eigenvalues = np.asarray(expected.eigenvals) / expected.eigenvals.sum() * len(GOODPUTS)
    assert pca.scree["variance"].to_list() == pytest.approx(eigenvalues.tolist(), rel=1e-9)
    scores = pca.scores.sort("group", "condition")
    for k in range(3):
        weights = pca.frame.filter(component=k + 1)["weight"].to_numpy()
        theirs = expected.loadings[:, k]
        sign = np.sign(weights @ theirs)
        assert np.abs(weights - sign * theirs).max() < 1e-9
        ours, others = scores[f"pc{k + 1}"].to_numpy(), sign * expected.scores[:, k]
        ratio = ours @ others / (others @ others)
        assert np.abs(ours - ratio * others).max() < 1e-8 * np.abs(ours).max()


def test_loadings_are_correlations_and_signs_are_fixed():
    pca = principal_components(EXAMPLE.frame, responses=GOODPUTS, by=None)
    means = EXAMPLE.frame.group_by("condition").agg(pl.col(GOODPUTS).mean()).sort("condition")
    for row in pca.frame.filter(component=2).iter_rows(named=True):
        r = np.corrcoef(means[row["response"]], pca.scores.sort("condition")["pc2"])[0, 1]
        assert row["loading"] == pytest.approx(r, abs=1e-12)
    for component in range(1, 4):
        own = pca.frame.filter(component=component)["weight"]
        assert own[int(own.abs().arg_max())] > 0
        assert (own**2).sum() == pytest.approx(1.0)
    assert pca.scree["cumulative"][-1] == pytest.approx(1.0)


def test_separation_is_the_share_between_levels():
    pca = principal_components(EXAMPLE.frame, responses=GOODPUTS, factors=EXAMPLE.factors)
    share = {(c, f): x for c, f, x in pca.separation.iter_rows()}
    scores = pca.scores
    for name in ("speed", "group"):
        groups = [part["pc1"].to_numpy() for _, part in scores.group_by(name)]
        grand = scores["pc1"].mean()
        between = sum(len(g) * (g.mean() - grand) ** 2 for g in groups)
        total = ((scores["pc1"] - grand) ** 2).sum()
        assert share[1, name] == pytest.approx(between / total, rel=1e-9)
    assert share[1, "group"] < 0.01 < share[1, "speed"]


def test_what_cannot_be_used_is_named():
    frame = synthetic.campaign()
    pca = principal_components(frame, responses=synthetic.RESPONSES, factors=synthetic.FACTORS)
    assert "recovery_time" not in pca.responses
    assert "connection_failures" not in pca.responses
    assert any("left out: recovery_time" in note for note in pca.notes)
    assert any("left out: connection_failures" in note for note in pca.notes)


def test_missing_runs_are_missing_observations():
    frame = synthetic.campaign()[:-1]
    pca = principal_components(frame, responses=synthetic.GOODPUTS)
    assert pca.scores.height == 95
    assert set(pca.responses) == set(synthetic.GOODPUTS)


def test_more_responses_than_observations():
    pca = principal_components(
        EXAMPLE.frame.filter(pl.col("condition") <= 4), responses=EXAMPLE.responses
    )
    assert pca.scree.height <= 11
    assert any("at most 11 components" in note for note in pca.notes)


@pytest.mark.parametrize(
    ("frame", "responses"),
    [
        (synthetic.campaign(conditions=1, alternatives=("reno",)), synthetic.GOODPUTS),
        (synthetic.campaign(), ["loss_rate"]),
        (synthetic.campaign().with_columns(nothing=math.nan), ["loss_rate", "nothing"]),
        (synthetic.campaign(), ["connection_failures", "loss_rate"]),
    ],
)
def test_too_little_is_said(frame, responses):
    pca = principal_components(frame, responses=responses, factors=synthetic.FACTORS)
    assert pca.scree.is_empty()
    assert pca.frame.is_empty()
    assert pca.separation.is_empty()
    assert "principal components need two responses and three observations" in pca.notes[0]


def test_responses_that_say_the_same_have_one_component():
    frame = synthetic.campaign().with_columns(twice=2 * pl.col("goodput_DD"))
    pca = principal_components(frame, responses=["goodput_DD", "twice"])
    assert pca.scree["fraction"].to_list() == pytest.approx([1.0])
