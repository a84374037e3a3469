"""The project's words: a true glossary, and sentences that are read once."""

import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest
from sentences import LIMIT, manual, sentences

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = ROOT / "docs" / "glossary.md"
RUST = "crates/*/src/**/*.rs"


def claimed_names(page):
    """Line number, row and names of every row of a table whose first column is "Ours"."""
    ours = False
    for number, line in enumerate(page.splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            ours = False
        elif cells[0] == "Ours":
            ours = True
        elif ours and not set(line) <= set("|-: "):
            yield number, line, re.findall(r"`([^`]+)`", cells[0])


def rust_identifiers(source):
    code = re.sub(r'//[^\n]*|"(?:\\.|[^"\\])*"', " ", source)
    return set(re.findall(r"\b[A-Za-z_]\w*", code))


def python_identifiers(source):
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {token.string for token in tokens if token.type == tokenize.NAME}


@cache
def identifiers():
    """Identifiers of the engine and of the package, without comments and texts."""
    python = (ROOT / "python" / "mesonet").rglob("*.py")
    names = [python_identifiers(path.read_text(encoding="utf-8")) for path in python]
    names += [rust_identifiers(path.read_text(encoding="utf-8")) for path in ROOT.glob(RUST)]
    return frozenset().union(*names)


def untrue(page):
    """Problems of a glossary: rows without a name, and names that no source has."""
    problems = []
    for number, row, names in claimed_names(page):
        if not names:
            problems.append(f"line {number}: no name in backticks: {row}")
        problems += [
            f"line {number}: no source has the identifier `{name}`: {row}"
            for name in names
            if name not in identifiers()
        ]
    return problems


def test_an_untrue_row_is_found():
    page = (
        "| Ours | Unit |\n|---|---|\n| `ssthresh`, `no_such_thing` | `bytes` |\n| nothing | |\n\n"
        "| Theirs | Unit |\n|---|---|\n| `no_such_thing` | |\n"
    )
    assert untrue(page) == [
        "line 3: no source has the identifier `no_such_thing`: " + page.splitlines()[2],
        "line 4: no name in backticks: " + page.splitlines()[3],
    ]
    assert rust_identifiers('let a = "b"; // c\n') == {"let", "a"}
    assert python_identifiers('a = "b"  # c\n') == {"a"}


def test_the_glossary_is_true():
    page = GLOSSARY.read_text(encoding="utf-8")
    tables = len(re.findall(r"^\| Ours \|", page, re.MULTILINE))
    rows = list(claimed_names(page))
    assert tables >= 2
    assert len(rows) >= 10 * tables
    problems = untrue(page)
    assert not problems, "\n".join(["docs/glossary.md:", *problems])


def test_prose_is_split_into_sentences():
    page = (
        "# A heading. Of two sentences.\n\nOne `x. Y` two. `Code` begins this. Of K. Mills et al., "
        '2010, e.g. this; "a quotation. Of two" is one word.\n\n'
        "| A table. | Is none. |\n|---|---|\n\n"
        "* An item, $a + b$ long. mesonet ends it\n\n> A block quotation. Is none.\n\n"
        "```\nCode. Is none.\n```\n\n## References\n\n* A. Author. A title. 2010.\n"
    )
    lengths = [(sentence.line, len(sentence.words)) for sentence in sentences(page)]
    assert lengths == [(3, 3), (3, 3), (3, 12), (8, 4), (8, 3)]


@pytest.mark.parametrize("folder", sorted({page.parent for page in (ROOT / "docs").rglob("*.md")}))
def test_no_sentence_of_the_manual_has_more_than_30_words(folder):
    pages = [page for page in manual() if page.parent == folder]
    assert pages
    long = [
        f"{page.relative_to(ROOT)}:{sentence.line}: {len(sentence.words)} words: {sentence.text}"
        for page in pages
        if "results-" not in page.name
        for sentence in sentences(page.read_text(encoding="utf-8"))
        if len(sentence.words) > LIMIT
    ]
    assert not long, "\n".join(["sentences over 30 words:", *long])


def test_no_sentence_of_the_readme_has_more_than_30_words():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    long = [each.text for each in sentences(text) if len(each.words) > 30]
    assert not long
