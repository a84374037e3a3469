"""The page on the conclusions of the NIST study says what kept scorecards say."""

import re

import pytest

HEAD = """
[[conclusion]]
said = "It stands"
where = "Slides"
answer = "{answer}"
statements = ["{statements}"]
text = "Measured: {text}."

[[recommendation]]
said = "Use it"
answer = "stands"
statements = ["nist-cubic: cubic-cut"]
text = ""
"""


@pytest.fixture(scope="module")
def tool(load_tool):
    return load_tool("scorecards")


@pytest.fixture(scope="module")
def studies(tool):
    return tool.entries()


@pytest.fixture
def page(tool, studies, tmp_path):
    def made(answer="stands", statements="nist-cubic: cubic-*", text="{nist-cubic/cubic-cut}"):
        file = tmp_path / "conclusions.toml"
        content = HEAD
        for name, value in {"answer": answer, "statements": statements, "text": text}.items():
            content = content.replace("{" + name + "}", value)
        file.write_text(content)
        return tool.conclusions.page(studies, file)

    return made


def test_the_page_is_written_from_the_scorecards(tool, studies):
    kept = tool.CONCLUSIONS.read_text("utf-8")
    assert kept == tool.conclusions.page(studies), "run tools/manual/scorecards.py write"


def test_every_conclusion_has_an_answer_at_a_size_and_its_statements(tool):
    kept = tool.CONCLUSIONS.read_text("utf-8")
    head, _, end = kept.partition("## Statements behind each answer")
    rows = re.findall(r"^\| (R?\d+) \| .* \| \*\*(.+)\*\* \| (.+) \| (.+) \|$", head, re.MULTILINE)
    assert len(rows) == 20
    answers = {answer for _, answer, _, _ in rows}
    assert answers <= set(tool.conclusions.ANSWERS)
    # The page explains the answers that it gives, and no other.
    for answer in ("stands", "falls here", "hangs on a choice"):
        assert (f"*{answer.capitalize()}*: " in head) == (answer in answers)
    assert [row[0] for row in rows] == re.findall(r"^\| (R?\d+) \| \[", end, re.MULTILINE)


def test_counts_and_values_are_those_of_the_scorecards(page, studies):
    text = page()
    entry = next(each for each in studies if each["study"].name == "nist-cubic")
    rows = [row for row in entry["claims"] if row["id"].startswith("cubic-")]
    agree = sum(row["verdict"] == "agrees" for row in rows)
    assert f"| {agree} of {len(rows)} | {rows[0]['size']} |" in text
    assert f"Measured: {rows[0]['measured']}." in text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"answer": "perhaps"}, "no answer perhaps"),
        ({"statements": "nist-cubic: no-such"}, "nist-cubic: no statement no-such"),
        ({"statements": "nist-9: a"}, "no study nist-9"),
        ({"text": "{nist-cubic/no-such}"}, "no kept statement nist-cubic/no-such"),
    ],
)
def test_what_no_scorecard_has_is_refused(page, given, said):
    with pytest.raises(ValueError, match=said):
        page(**given)
