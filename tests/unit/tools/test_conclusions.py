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
    def page_of(
        answer="stands", statements="nist-cubic: cubic-*", text="{nist-cubic/cubic-at-least-reno}"
    ):
        file = tmp_path / "conclusions.toml"
        content = HEAD
        for name, value in {"answer": answer, "statements": statements, "text": text}.items():
            content = content.replace("{" + name + "}", value)
        file.write_text(content)
        return tool.conclusions.page(studies, file)

    return page_of


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
    for answer in tool.conclusions.ANSWERS:
        assert (f"*{answer.capitalize()}*: " in head) == (answer in answers)
    assert [row[0] for row in rows] == re.findall(r"^\| (R?\d+) \| \[", end, re.MULTILINE)


def test_counts_and_values_are_those_of_the_scorecards(page, studies):
    text = page()
    entry = next(each for each in studies if each["study"].name == "nist-cubic")
    rows = [row for row in entry["claims"] if row["id"].startswith("cubic-")]
    # What is put in does not count.
    rows = [row for row in rows if row["standing"] != "input"]
    agree = sum(row["verdict"] == "agrees" for row in rows)
    assert f"| {agree} of {len(rows)} | {rows[0]['size']} |" in text
    assert f"Measured: {rows[0]['measured']}." in text


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"answer": "perhaps"}, "perhaps"),
        ({"statements": "nist-cubic: no-such"}, "nist-cubic: .*no-such"),
        ({"statements": "nist-9: a"}, "nist-9"),
        ({"text": "{nist-cubic/no-such}"}, "nist-cubic/no-such"),
        ({"text": "{!nist-9/no-such}"}, "nist-9/no-such"),
        ({"text": "all lose {nist-2b/all-beat-reno: 0 > each}"}, "nist-2b/all-beat-reno: "),
        ({"text": "{nist-2b@pocket/all-beat-reno: each > 0}"}, "nist-2b@pocket/all-beat-reno: "),
        ({"text": "{nist-2b@full/all-beat-reno}"}, "nist-2b@full/all-beat-reno"),
        ({"text": "All lose. {nist-2b/all-beat-reno}"}, "All lose"),
        ({"text": "In 2a 3 of 7 lose"}, "In 2a 3 of 7 lose"),
        ({"answer": "falls here"}, "not all of its statements"),
        ({"statements": "nist-2b: *"}, "not all of its statements"),
    ],
)
def test_what_no_scorecard_has_is_refused(page, parts, said):
    with pytest.raises(ValueError, match=said):
        page(**parts)


@pytest.mark.parametrize(
    ("chain", "holds"),
    [
        ("CTCP > rest", True),
        ("CTCP > HTCP > rest", False),
        ("CTCP > HSTCP > HTCP > rest", True),
        ("CTCP > rest > HTCP", False),
        ("each > 2", True),
        ("3 > each", False),
        ("CTCP > next to fast", True),
        ("1.1 * HTCP > HSTCP > 1.09 * HTCP", False),
        ("1.15 * HTCP > HSTCP > 1.1 * HTCP", True),
        ("", True),
    ],
)
def test_measured_values_meet_an_order_or_do_not(tool, chain, holds):
    measured = "CTCP 6.204, HSTCP 5.464, HTCP 4.901, next to fast 2.5"
    assert tool.conclusions.meets(measured, chain) == holds


def test_each_sentence_with_a_number_or_an_order_names_what_it_rests_on(tool):
    unfounded = tool.conclusions.unfounded
    assert unfounded("It grows. `nist-2a` has alpha. Timers are not printed.") == []
    assert unfounded("It gains {a/b: x > 0}. It gains twice as much (measured once).") == []
    assert unfounded("It gains {a/b: x > 0}. FAST gains, too.") == ["FAST gains, too."]


def test_sentences_that_name_an_order_are_checked_against_the_scorecards(tool, studies):
    """Each of these sentences once said otherwise than the numbers beside it."""
    for name, measured in {
        "nist-2b/all-beat-reno": "FAST 0.26, Scalable 0.09, CTCP 0.08, HSTCP 0.07, FAST-AT -0.01",
        "nist-1a/macroscopic-change-of-fast": "0.051",
        "nist-1b/fast-first": "next_to_fast.x 7, FAST.x 10",
        "nist-2c/fair-ctcp-htcp": "HSTCP 5, HTCP 4, CTCP 3",
        "nist-2b/fair-hstcp": "CTCP 6, HTCP 5, HSTCP 4",
        "nist-1a/fast-completed": "others.x 100, FAST.x 99",
        "nist-1b/fast-oscillates": "FAST.x 1, others.x 2",
        "nist-1b/goodput-latency-order": "rank correlation 0.4",
        "nist-2c/top-three": "FAST-AT 5, CTCP 4",
    }.items():
        study, claim = name.split("/")

        def with_it(rows, claim=claim, measured=measured):
            return [row | ({"measured": measured} if row["id"] == claim else {}) for row in rows]

        changed = [
            entry
            | {
                "claims": with_it(entry["claims"]),
                "cards": {
                    size: {"claims": with_it(card["claims"])}
                    for size, card in entry["cards"].items()
                },
            }
            if entry["study"].name == study
            else entry
            for entry in studies
        ]
        with pytest.raises(ValueError, match=rf"{study}\S*/{claim}: "):
            tool.conclusions.page(changed)
