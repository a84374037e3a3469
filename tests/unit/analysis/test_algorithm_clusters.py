import math

import numpy as np
import polars as pl
import pytest
import synthetic
from scipy.cluster import hierarchy
from scipy.spatial import distance

from mesonet.analysis import algorithm_clusters, example_campaign
from mesonet.errors import InputError

EXAMPLE = example_campaign()


def frame_of(conditions, labels="abcd"):
    """A frame from one matrix [alternative, response] per condition."""
    rows = [
        {"condition": condition, "alternative": labels[k], "replicate": 1}
        | {f"y{j}": value for j, value in enumerate(row)}
        for condition, matrix in enumerate(conditions, start=1)
        for k, row in enumerate(matrix)
    ]
    return pl.DataFrame(rows)


RESPONSES = ["y0", "y1", "y2"]
APART = [[0.0, 1.0, 5.0], [0.1, 1.1, 5.1], [0.05, 1.0, 5.0], [9.0, 7.0, -3.0]]
PAIRS = [[0.0, 1.0, 5.0], [0.1, 1.1, 5.1], [9.0, 7.0, -3.0], [9.1, 7.1, -3.1]]
SAME = [[1.0, 2.0, 3.0]] * 4


def test_distances_and_linkage_by_hand():
    # Two responses of variance 1 and 4: b is 1 and 2 from a, so sqrt(1 / 1 + 4 / 4) = sqrt(2).
    frame = frame_of([[[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]]], labels="abc")
    clusters = algorithm_clusters(frame, responses=["y0", "y1"])
    first, second = clusters.links["height"].to_list()
    assert first == pytest.approx(math.sqrt(2))
    # c is sqrt(2) from b and sqrt(8) from a: 3 sqrt(2) / 2 from both on average.
    assert second == pytest.approx(1.5 * math.sqrt(2))
    assert clusters.conditions["largest"].item() == pytest.approx(1.5 * math.sqrt(2))


def test_scipy_and_plain_numpy_agree():
    responses = [f"y{n}" for n in range(1, 11)]
    clusters = algorithm_clusters(EXAMPLE.frame, responses=responses)
    for condition in (1, 12, 29):
        own = EXAMPLE.frame.filter(condition=condition).select(responses).to_numpy()
        spread = own.std(axis=0, ddof=1)
        z = own[:, spread > 0] / spread[spread > 0]
        plain = [np.sqrt(((z[i] - z[j]) ** 2).sum()) for i in range(3) for j in range(i + 1, 3)]
        tree = hierarchy.average(np.array(plain))
        heights = clusters.links.filter(condition=condition)["height"].to_list()
        assert heights == pytest.approx(tree[:, 2].tolist(), rel=1e-9)
        assert distance.is_valid_y(np.array(plain))


def test_who_stands_apart():
    clusters = algorithm_clusters(frame_of([APART, PAIRS, SAME]), responses=RESPONSES)
    assert clusters.conditions["apart"].to_list() == ["d", None, None]
    assert clusters.conditions["clusters"].to_list() == [2, 2, 1]
    assert clusters.conditions["identical"].to_list() == [False, False, True]
    summary = {row["alternative"]: row for row in clusters.summary.iter_rows(named=True)}
    assert (summary["d"]["apart"], summary["d"]["alone"], summary["d"]["conditions"]) == (1, 1, 3)
    assert summary["a"]["apart"] == summary["a"]["alone"] == 0
    pairs = clusters.frame.filter(condition=2)
    cluster = dict(pairs.select("alternative", "cluster").iter_rows())
    assert cluster["a"] == cluster["b"] != cluster["c"] == cluster["d"]
    assert "identical under condition 3" in clusters.notes[-1]


def test_being_last_is_not_enough_to_stand_apart():
    # Evenly spread alternatives: the last to join is no further from the rest than they are.
    even = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    clusters = algorithm_clusters(frame_of([even]), responses=RESPONSES)
    assert clusters.conditions["apart"].to_list() == [None]


def test_the_cut_decides():
    strict = algorithm_clusters(EXAMPLE.frame, responses=EXAMPLE.responses, cut=0.5)
    loose = algorithm_clusters(EXAMPLE.frame, responses=EXAMPLE.responses, cut=0.95)
    apart = [result.summary["apart"].sum() for result in (strict, loose)]
    assert apart[0] < apart[1]
    with pytest.raises(InputError):
        algorithm_clusters(EXAMPLE.frame, responses=["y1"], cut=0)


def test_the_leaves_and_brackets_fit():
    clusters = algorithm_clusters(frame_of([APART]), responses=RESPONSES)
    assert sorted(clusters.frame["leaf"]) == [0, 1, 2, 3]
    for row in clusters.links.iter_rows(named=True):
        assert row["left_x"] < row["right_x"]
        assert max(row["left_y"], row["right_y"]) <= row["height"]
    top = clusters.links.sort("height").row(-1, named=True)
    assert top["cluster"] is None
    assert clusters.links.filter(pl.col("cluster").is_not_null()).height == 2


def test_the_campaign_scale_keeps_the_size_of_differences():
    small = [[x / 100 for x in row] for row in APART]
    frame = frame_of([APART, small])
    own = algorithm_clusters(frame, responses=RESPONSES).conditions["largest"]
    assert own[0] == pytest.approx(own[1])
    pooled = algorithm_clusters(frame, responses=RESPONSES, scale="campaign").conditions["largest"]
    assert pooled[0] == pytest.approx(100 * pooled[1])


def test_nothing_defined_gives_no_dendrogram():
    frame = synthetic.campaign().with_columns(nothing=math.nan)
    clusters = algorithm_clusters(frame, responses=["nothing"])
    assert clusters.frame.is_empty()
    assert clusters.conditions["largest"].is_nan().all()
    assert clusters.summary["conditions"].to_list() == [0, 0, 0]
