"""Claims whose verdict proves little: read, refused and counted apart."""

import pytest

from mesonet.studies import StudyError, find_study
from mesonet.studies.new_study import new_study
from mesonet.studies.rules import between
from mesonet.studies.scorecard import Claim, score

APART = """
[[standing]]
is = "live network"
claims = ["longer-*"]
reason = "Nobody knows who else sent."
"""


@pytest.fixture
def folder(tmp_path):
    return new_study(tmp_path / "mine")


def test_a_standing_is_read_with_its_reason(folder):
    with (folder / "claims.toml").open("a", encoding="utf-8") as file:
        file.write(APART)
    *others, last = find_study(folder).claims
    assert (last.standing, last.reason) == ("live network", "Nobody knows who else sent.")
    assert {claim.standing for claim in others} == {"decidable"}


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        ('"live network"', '"live"', ["literal_error"]),
        ('"longer-*"', '"shorter-*"', ["unknown_id"]),
        ("reason", "because", ["missing", "unknown_key"]),
        ("is =", "was =", ["missing", "unknown_key"]),
        ('["longer-*"]', "[]", ["too_short"]),
    ],
)
def test_faults_of_standings_are_told(folder, before, after, kinds):
    assert before in APART
    with (folder / "claims.toml").open("a", encoding="utf-8") as file:
        file.write(APART.replace(before, after))
    with pytest.raises(StudyError) as error:
        find_study(folder)
    assert sorted(each.kind for each in error.value.problems) == kinds
    assert all("claims.toml" in each.loc for each in error.value.problems)


def test_verdicts_are_counted_by_standing():
    rule = between("size", low=1)
    claims = [
        Claim("a", "A", "1", "here", rule),
        Claim("b", "B", "1", "here", between("size", low=9)),
        Claim("c", "C", "1", "here", rule, standing="slip", reason="a misprint"),
    ]
    card = score("mine", "pocket", claims, {"size": 2.0})
    assert card.by_standing() == {"decidable": (1, 2), "slip": (1, 1)}
    assert card.to_frame()["standing"].to_list() == ["decidable", "decidable", "slip"]
