"""Kept evaluations: what is known of algorithms comes out by rule, or is a miss that is printed."""

import lzma

import pytest

MISSES = {("cubic", "RFC 9438, 5.1"), ("bbr3", "draft-ietf-ccwg-bbr; the bound is ours")}
"""Findings that do not come out."""


@pytest.fixture(scope="module")
def tool(load_tool):
    return load_tool("evaluations")


def test_what_is_known_comes_out_by_rule(tool):
    kept = dict(tool.kept())
    missed = {(it.name, it.source) for it in tool.FINDINGS if not it.rule(kept[it.name])}
    assert missed == MISSES


def test_no_rule_holds_for_want_of_cells(tool):
    empty = next(tool.kept())[1].model_copy(update={"criteria": ()})
    assert not [it.text for it in tool.FINDINGS if it.rule(empty)]


def test_shares_of_a_candidate_that_fails_leave_the_page(tool):
    kept = dict(tool.kept())["bbr1"]
    (criterion,) = (it for it in kept.criteria if it.section == "5.2.1")
    broken = tuple(it.model_copy(update={"shares": ()}) for it in criterion.experiments)
    criteria = (criterion.model_copy(update={"experiments": broken}),)
    only = kept.model_copy(update={"criteria": criteria, "sentences": ()})
    assert "nothing is said" in tool.render_page(only, {})


def test_a_page_of_some_criteria_does_not_say_that_they_cover_others(tool):
    kept = dict(tool.kept())
    whole, part = (tool.render_page(kept[name], {}) for name in ("bbr1", "aimd"))
    assert "not all of them run" in part
    assert "not all of them run" not in whole
    # Headings keep the capitals of names; pictures have words for readers who cannot see them.
    assert "Ecn at" not in whole
    assert 'aria-label="goodput in FQ-CoDel or DualPI2 (harm)"' in whole


def test_pages_are_made_of_what_is_kept(tool, tmp_path, monkeypatch):
    data = lzma.decompress((tool.FOLDER / "aimd.json.xz").read_bytes())
    monkeypatch.setattr(tool, "FOLDER", tmp_path)
    monkeypatch.setattr(tool, "PAGES", tmp_path / "pages")
    (tmp_path / "aimd").mkdir()
    (tmp_path / "aimd" / "evaluation.json").write_bytes(data)
    tool.keep(tmp_path / "aimd")
    tool.write()
    assert 'id="s-5-2-1"' in (tmp_path / "pages" / "aimd.html").read_text("utf-8")
    findings = (tmp_path / "findings.txt").read_text("utf-8")
    assert 'href="aimd.html"' in findings
    assert "| aimd | Reno's rule" in findings


def test_the_excess_of_cubic_is_that_of_the_page(tool):
    cubic = tool.cells(dict(tool.kept())["cubic"], "5.2.1", "goodput", "reno")
    known = [it.excess for it in cubic if {"8 Mbit/s", "20 ms"} <= set(it.levels.values())]
    every, few = (
        f"{min(values):.2f} to {max(values):.2f}" for values in ([it.excess for it in cubic], known)
    )
    page = (tool.FOLDER / "index.md").read_text("utf-8")
    assert {it.state for it in cubic} == {"worse"}
    assert f"is {every} in the {len(cubic)} conditions of 5.2.1, and decided in all" in page
    assert f"where RFC 9438 expects none, it is {few}." in page
