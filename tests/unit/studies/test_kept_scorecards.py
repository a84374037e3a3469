"""Kept scorecards fit the claims of their studies, and the manual says what they say."""

import json
import re
from types import SimpleNamespace

import pytest

from mesonet.studies import CATALOGUE, find_study


@pytest.fixture(scope="module")
def tool(load_tool):
    return load_tool("scorecards")


@pytest.fixture(scope="module")
def rates(load_tool):
    return load_tool("headline")


@pytest.fixture(scope="module")
def kept_cards(load_tool):
    return load_tool("kept")


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_study_with_claims_has_a_kept_pocket_scorecard(tool, name):
    wanted = bool(find_study(name).claims)
    assert wanted == ("pocket" in tool.kept(name))


@pytest.mark.parametrize("name", CATALOGUE)
def test_kept_scorecards_fit_the_claims(tool, name):
    study = find_study(name)
    for card in tool.kept(name).values():
        rows = tool.with_words(study, card)["claims"]
        ids = [claim.id for claim in study.claims]
        # Larger sizes may lack claims whose rules have changed since; every one is there at pocket.
        kept = (
            ids if card["size"] == "pocket" else [each for each in ids if each in card["verdicts"]]
        )
        assert [row["id"] for row in rows] == kept
        known = set(card["verdicts"])
        assert all(set(changed) <= known for changed in card.get("variants", {}).values())


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_miss_above_pocket_size_has_an_explanation(tool, name):
    for size, card in tool.kept(name).items():
        rows = tool.with_words(find_study(name), card)["claims"]
        missed = [row for row in rows if row["verdict"] == "disagrees"]
        assert size == "pocket" or [row["id"] for row in missed if not row["account"]] == []


def test_a_claim_counts_at_the_largest_size_that_has_judged_it(tool):
    study = find_study("nist-1a")
    first, second, third, fourth = [claim.id for claim in study.claims][:4]
    lacking = ["not computable", "-"]
    every = {claim.id: ["agrees", "1"] for claim in study.claims} | {fourth: lacking}
    cards = {
        "pocket": {"size": "pocket", "verdicts": every},
        "desk": {
            "size": "desk",
            "verdicts": {first: ["disagrees", "2"], second: ["agrees", "2"], fourth: lacking},
        },
        "population": {
            "size": "population",
            "verdicts": {first: lacking, second: ["disagrees", "3"]},
        },
    }
    cards = {size: tool.with_words(study, card) for size, card in cards.items()}
    rows = {row["id"]: row for row in tool.decisive(study, cards)}
    sizes = [rows[each]["size"] for each in (first, second, third, fourth)]
    assert sizes == ["desk", "population", "pocket", "desk"]
    assert [rows[each]["measured"] for each in (first, second, third)] == ["2", "3", "1"]
    assert tool.sizes_of(list(rows.values())) == "pocket; 2 at desk, 1 at population"


def test_of_a_part_of_the_runs_the_claims_are_kept_that_it_decides(kept_cards):
    card = {"study": "s", "size": "population", "result_version": "3"}
    card["verdicts"] = {"a": ["agrees", "1"], "b": ["disagrees", "2"], "c-1": ["agrees", "3"]}
    before = {"verdicts": {"b": ["agrees", "0"], "a": ["disagrees", "0"]}}
    assert kept_cards.some_of(card, before, ["a", "c-*"])["verdicts"] == {
        "a": ["agrees", "1"], "b": ["agrees", "0"], "c-1": ["agrees", "3"],
    }  # fmt: skip
    card["variants"] = {"v": {"a": "disagrees", "b": "agrees"}}
    before["variants"] = {"u": {"b": "disagrees"}, "v": {"c-1": "disagrees", "b": "disagrees"}}
    assert kept_cards.some_of(card, before, ["a", "c-*"])["variants"] == {
        "u": {"b": "disagrees"}, "v": {"a": "disagrees", "b": "disagrees"},
    }  # fmt: skip
    before["variants_of"] = {"result_version": "2"}
    kept = kept_cards.some_of(card, before, ["a"])
    assert {key: kept[key] for key in ("variants", "variants_of")} == {
        key: before[key] for key in ("variants", "variants_of")
    }
    with pytest.raises(ValueError, match=r"\bd$"):
        kept_cards.some_of(card, before, ["d"])


def test_the_manual_is_written_from_the_scorecards(tool):
    told = "run tools/manual/scorecards.py write"
    assert tool.PAGE.read_text("utf-8") == tool.validation(), told
    assert tool.MISSES_PAGE.read_text("utf-8") == tool.misses_page(), told
    assert tool.COUNTING.read_text("utf-8") == tool.counting(tool.entries()), told
    assert tool.FIGURES.read_text("utf-8") == tool.figures(), told
    readme = tool.README.read_text("utf-8")
    assert tool.headline(tool.entries()) in readme, told


def test_a_sentence_counts_once_and_agrees_where_it_agrees_in_each_experiment(rates):
    def entry(name, *rows):
        columns = ("claim", "published", "source", "verdict", "standing")
        claims = [dict(zip(columns, row, strict=True)) for row in rows]
        return {"study": SimpleNamespace(name=name), "claims": claims}

    said = ("FAST loses more", "increased loss", "Safety")
    studies = [
        entry("nist-1a", (*said, "agrees", "decidable"), ("A", "1", "p", "agrees", "input")),
        entry("nist-1b", (*said, "disagrees", "decidable"), ("B", "2", "p", "agrees", "decidable")),
        entry("queues", (*said, "agrees", "decidable")),
    ]
    counts = {it: counted["sentences"] for it, counted in rates.by_source(studies).items()}
    assert {it: (counted["agrees"], counted["scored"]) for it, counted in counts.items()} == {
        **dict.fromkeys(rates.SOURCES, (0, 0)),
        rates.source_of("nist-1a"): (1, 2),
        rates.LATER: (1, 1),
    }
    assert rates.headline(studies).startswith("1 of 2 ")


def test_the_five_sources_are_all_studies_of_them(rates):
    later = {name for name in CATALOGUE if rates.source_of(name) == rates.LATER}
    assert {"queues", "l4s", "nist-cubic", "tcpeval"} <= later
    assert not later & {"nist-sensitivity", "nist-2c", "two-flow", "hcc", "slac-2005", "lab-rtt"}


def test_the_page_of_validation_has_a_line_for_each_study_and_ten_misses(tool):
    text = tool.validation()
    scored = [name for name in CATALOGUE if tool.kept(name)]
    assert re.findall(r"^\| \[`([\w-]+)`\]", text, re.MULTILINE) == scored
    assert len(re.findall(r"^\d+\. ", tool.misses_page(), re.MULTILINE)) == 10


def test_results_are_built_beside_the_page_of_their_study(tool):
    pages = dict(tool.results())
    assert {path.stem.removeprefix("results-") for path in pages} == {
        name for name in CATALOGUE if tool.kept(name)
    }
    for path, text in pages.items():
        index = (path.parent / "index.md").read_text("utf-8")
        assert re.search(r"```{toctree}\n(:\w+:.*\n)*\n\*\n```", index), path
        study = find_study(path.stem.removeprefix("results-"))
        for size in tool.kept(study.name):
            assert f"## Size {size}: " in text
        for claim in study.claims:
            assert text.count(f"| {str(claim.text).replace('|', chr(92) + '|')} |") >= 1, claim.id
        for target in re.findall(r"\]\(([^)\s:]+)\)", text):
            assert (path.parent / target.partition("#")[0]).exists(), target


def test_claims_that_changed_are_not_passed_over(tool):
    name = next((name for name in CATALOGUE if tool.kept(name)), None)
    if name is None:
        pytest.skip("no scorecard is kept")
    card = next(iter(tool.kept(name).values()))
    verdicts = dict(list(card["verdicts"].items())[1:])
    with pytest.raises(ValueError, match=name):
        tool.with_words(find_study(name), {**card, "verdicts": verdicts})
    gone = {**card, "size": "desk", "verdicts": {**verdicts, "gone": ["agrees", "1"]}}
    with pytest.raises(ValueError, match="gone"):
        tool.with_words(find_study(name), gone)


def test_of_a_studys_file_verdicts_and_values_are_kept(kept_cards, tmp_path, monkeypatch):
    monkeypatch.setattr(kept_cards, "KEPT", tmp_path / "kept")
    rows = [
        {"id": name, "verdict": verdict, "measured": "1", "claim": "words"}
        for name, verdict in (("one", "agrees"), ("two", "disagrees"))
    ]
    card = {"study": "hcc", "size": "pocket", "result_version": "3"}
    variants = {"other": {"one": "agrees", "two": "agrees"}}
    file, kept = tmp_path / "hcc.json", tmp_path / "kept" / "pocket" / "hcc.json"
    file.write_text(json.dumps({**card, "claims": rows, "variants": variants, "settings": {}}))
    assert kept_cards.keep([tmp_path]) == 1
    verdicts = {"one": ["agrees", "1"], "two": ["disagrees", "1"]}
    expected = {**card, "verdicts": verdicts, "variants": {"other": {"two": "agrees"}}}
    assert json.loads(kept.read_text()) == expected
    # Without variants those of the same verdicts stay; of others they would prove nothing.
    file.write_text(json.dumps({**card, "claims": rows}))
    kept_cards.keep([tmp_path])
    assert json.loads(kept.read_text()) == expected
    # They say nothing of a claim that has come since.
    file.write_text(json.dumps({**card, "claims": [*rows, {**rows[0], "id": "three"}]}))
    kept_cards.keep([tmp_path])
    more = json.loads(kept.read_text())
    assert (more["variants"], more["variants_on"]) == (expected["variants"], ["one", "two"])
    assert set(more["verdicts"]) == {"one", "two", "three"}
    rows[0]["verdict"] = "disagrees"
    file.write_text(json.dumps({**card, "claims": rows}))
    kept_cards.keep([tmp_path])
    assert "variants" not in json.loads(kept.read_text())


def test_changes_under_variants_are_told_both_ways(tool):
    study = find_study("nist-1b")
    ids = [claim.id for claim in study.claims]
    verdicts = {key: ["agrees", "1"] for key in ids} | {ids[0]: ["disagrees", "1"]}
    changes = {ids[0]: "agrees", ids[1]: "disagrees", ids[2]: "not computable"}
    card = {"size": "pocket", "verdicts": verdicts, "variants": {"seed": changes}}
    (row,) = tool.under_variants(study, card)
    assert (row["gained"], row["lost"]) == (ids[0], ids[1])
    assert row["changed"] == f"{ids[2]} (agrees → not computable)"
    assert (row["agrees"], row["scored"]) == (len(ids) - 2, len(ids) - 1)
    with pytest.raises(ValueError, match="gone"):
        tool.under_variants(study, {**card, "variants": {"gone": {}}})
