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
def test_kept_scorecards_fit_the_claims(tool, name):
    study = find_study(name)
    for card in tool.kept(name).values():
        rows = tool.with_words(study, card)["claims"]
        assert [row["id"] for row in rows] == [claim.id for claim in study.claims]
        known = set(card["verdicts"])
        assert all(set(changed) <= known for changed in card.get("variants", {}).values())


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_miss_at_the_largest_size_has_an_explanation(tool, name):
    cards = list(tool.kept(name).values())
    if cards and cards[-1]["size"] != "pocket":
        rows = tool.with_words(find_study(name), cards[-1])["claims"]
        missed = [row for row in rows if row["verdict"] == "disagrees"]
        assert [row["id"] for row in missed if not row["account"]] == []


def test_the_manual_is_written_from_the_scorecards(tool):
    for path, text in tool.pages():
        assert path.read_text("utf-8") == text, "run tools/manual/scorecards.py write"


def test_claims_that_changed_are_not_passed_over(tool):
    name = next((name for name in CATALOGUE if tool.kept(name)), None)
    if name is None:
        pytest.skip("no scorecard is kept")
    card = next(iter(tool.kept(name).values()))
    verdicts = dict(list(card["verdicts"].items())[1:])
    with pytest.raises(ValueError, match="its claims differ"):
        tool.with_words(find_study(name), {**card, "verdicts": verdicts})


def test_of_a_studys_file_verdicts_and_values_are_kept(tool, tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "KEPT", tmp_path / "kept")
    rows = [
        {"id": name, "verdict": verdict, "measured": "1", "claim": "words"}
        for name, verdict in (("one", "agrees"), ("two", "disagrees"))
    ]
    card = {"study": "hcc", "size": "pocket", "result_version": "3"}
    variants = {"other": {"one": "agrees", "two": "agrees"}}
    file, kept = tmp_path / "hcc.json", tmp_path / "kept" / "pocket" / "hcc.json"
    file.write_text(json.dumps({**card, "claims": rows, "variants": variants, "settings": {}}))
    assert tool.keep([tmp_path]) == 1
    verdicts = {"one": ["agrees", "1"], "two": ["disagrees", "1"]}
    found = {**card, "verdicts": verdicts, "variants": {"other": {"two": "agrees"}}}
    assert json.loads(kept.read_text()) == found
    # Without variants those of the same verdicts stay; of others they would prove nothing.
    file.write_text(json.dumps({**card, "claims": rows}))
    tool.keep([tmp_path])
    assert json.loads(kept.read_text()) == found
    rows[0]["verdict"] = "disagrees"
    file.write_text(json.dumps({**card, "claims": rows}))
    tool.keep([tmp_path])
    assert "variants" not in json.loads(kept.read_text())
