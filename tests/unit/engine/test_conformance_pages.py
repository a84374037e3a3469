"""Tests named on the pages on conformance are tests of this repository."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = {
    "recovery": (5681, 6298, 6582, 6675, 7661, 8985, 9406, 9438, 9937, 5682, 3708),
    "quic": (9002, 9000),
}
"""RFCs of each page, in order."""
RUST = re.compile(r"#\[test\](?:\s*#\[[^\]]*\])*\s*fn (\w+)|proptest! \{[^}]*?fn (\w+)", re.S)


def text(page):
    return (ROOT / "docs" / "conformance" / f"{page}.md").read_text("utf-8")


def rows(page):
    lines = text(page).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "|" in line]
    return [row for row in cells if row[0] != "Section" and not row[0].startswith("---")]


def there_are():
    names = set()
    for file in (ROOT / "crates").rglob("*.rs"):
        for plain, generated in RUST.findall(file.read_text("utf-8")):
            names.add(plain or generated)
    for file in (ROOT / "tests").rglob("test_*.py"):
        names |= set(re.findall(r"^def (test_\w+)", file.read_text("utf-8"), re.M))
    return names


@pytest.mark.parametrize("page", PAGES)
def test_every_rfc_has_its_table(page):
    titles = re.findall(r"^## RFC (\d+):", text(page), re.M)
    assert tuple(map(int, titles)) == PAGES[page]


@pytest.mark.parametrize(("page", "least"), [("recovery", 61), ("quic", 40)])
def test_every_row_names_a_test_or_says_why_there_is_none(page, least):
    known = there_are()
    assert len(rows(page)) >= least
    for section, requirement, answer in rows(page):
        named = [name for name in re.findall(r"`(\w+)`", answer) if "_" in name]
        assert named or ":" in answer, (section, requirement)
        missing = [name for name in named if name not in known]
        assert not missing, f"{section}, {requirement}: no test {', '.join(missing)}"


@pytest.mark.parametrize(
    ("words", "section", "heading"),
    [
        ("`pipeACK`", "4.2", "Estimating the Validated Capacity Supported by a Path"),
        ("does not grow", "4.4", "TCP Congestion Control during the Non-validated Phase"),
        ("half of what was in use", "4.4.1", "Response to Congestion in the Non-validated Phase"),
        ("five minutes", "4.4.3", "Adjustment at the End of the Non-validated Period (NVP)"),
        ("D-SACKs of all retransmissions", "3, step B.1", "Disambiguation Algorithm"),
        ("no D-SACK reports", "3, step B.2", "Disambiguation Algorithm"),
        ("may lie", "5", "Security Considerations"),
    ],
)
def test_requirements_stand_in_the_section_that_has_them(words, section, heading):
    sections = [row[0] for row in rows("recovery") if words in row[1]]
    assert sections == [section], f"of RFC 7661 or RFC 3708, {heading}"


@pytest.mark.parametrize("name", ["one_loss_of_ten", "test_prr_needs_sacks"])
def test_tests_of_both_languages_are_found(name):
    assert name in there_are()
    assert f"{name}_of_another_name" not in there_are()
