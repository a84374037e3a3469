"""Kept scorecards fit the claims of their studies, and the manual says what they say."""

import json

import pytest

from mesonet.studies import CATALOGUE, find_study


@pytest.fixture(scope="module")
def tool(load_tool):
    return load_tool("scorecards")


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_study_with_claims_has_a_kept_pocket_scorecard(tool, name):
    wanted = bool(find_study(name).claims) and not CATALOGUE[name].interpretation_of
    assert wanted == ("pocket" in tool.kept(name))


@pytest.mark.parametrize("name", CATALOGUE)
def test_kept_scorecards_have_the_words_of_the_claims(tool, name):
    study = find_study(name)
    for card in tool.kept(name).values():
        assert tool.refreshed(study, card) == card, "run tools/manual/scorecards.py write"


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_miss_at_the_largest_size_has_an_explanation(tool, name):
    cards = list(tool.kept(name).values())
    if cards and cards[-1]["size"] != "pocket":
        missed = [row for row in cards[-1]["claims"] if row["verdict"] == "disagrees"]
        assert [row["id"] for row in missed if not row["account"]] == []


def test_the_manual_is_written_from_the_scorecards(tool):
    for path, text in tool.pages():
        assert path.read_text("utf-8") == text, "run tools/manual/scorecards.py write"


def test_claims_that_changed_are_not_passed_over(tool):
    name = next((name for name in CATALOGUE if tool.kept(name)), None)
    if name is None:
        pytest.skip("no scorecard is kept")
    card = next(iter(tool.kept(name).values()))
    with pytest.raises(ValueError, match="its claims differ"):
        tool.refreshed(find_study(name), {**card, "claims": card["claims"][1:]})


def test_of_a_studys_file_only_the_scorecard_is_kept(tool, tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "KEPT", tmp_path / "kept")
    claims = [{"id": "one", "verdict": "agrees"}]
    card = {"study": "hcc", "size": "pocket", "result_version": "3", "claims": claims}
    (tmp_path / "hcc.json").write_text(json.dumps({**card, "settings": {}, "sections": {}}))
    assert tool.keep([tmp_path]) == 1
    kept = tmp_path / "kept" / "pocket" / "hcc.json"
    assert kept.read_text() == json.dumps(card, indent=1) + "\n"
