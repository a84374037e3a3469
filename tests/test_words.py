"""The project's words: a docstring begins with a verb or a noun, and the glossary is true."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CLAUSE = re.compile(r"(What|Whether|Of|How|Which|The same)\b")
PYTHON = ("python/mesonet", "tools")
RUST = "crates/*/src/**/*.rs"
# Folders and files that still have to be rewritten. The list only shrinks.
NOT_YET = (
    "crates/binding",
    "crates/congestion",
    "crates/plugin",
    "crates/sim/src/scenario",
    "crates/sim/src/spec",
    "crates/sim/src/tcp",
)

Found = Iterator[tuple[int, str]]
"""Line number and first line of each docstring."""


def docstrings(source: str) -> Found:
    """Docstrings of modules, classes and functions, and those below attributes."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for statement in node.body:
            match statement:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    yield statement.lineno, text.strip().partition("\n")[0]


def doc_comments(source: str) -> Found:
    """First lines of blocks of `///` or `//!`."""
    before = ""
    for number, line in enumerate(source.splitlines(), 1):
        match = re.match(r"\s*//[/!](?!/) ?(.*)", line)
        if match and not before:
            yield number, match[1].strip()
        before = match[0] if match else ""


def clauses(found: Found) -> list[tuple[int, str]]:
    return [(line, text) for line, text in found if CLAUSE.match(text)]


def sources() -> list[Path]:
    python = [path for folder in PYTHON for path in sorted((ROOT / folder).rglob("*.py"))]
    return [*python, *sorted(ROOT.glob(RUST))]


def is_clean(path: Path) -> bool:
    name = str(path.relative_to(ROOT))
    return not any(name == entry or name.startswith(f"{entry}/") for entry in NOT_YET)


def test_a_clause_is_found() -> None:
    python = (
        '"""A module."""\n\n\nclass A:\n    """What it is."""\n\n    b: int\n    """Of A."""\n\n'
        '    def c(self) -> None:\n        """Whether so."""\n'
    )
    assert clauses(docstrings(python)) == [
        (5, "What it is."),
        (8, "Of A."),
        (11, "Whether so."),
    ]
    rust = (
        "//! How it works.\n\n/// A struct.\n/// What follows is no beginning.\nstruct A {\n"
        "    /// Which of them.\n    b: u8,\n    //// What is no documentation.\n    // What\n}\n"
    )
    assert clauses(doc_comments(rust)) == [(1, "How it works."), (6, "Which of them.")]
    assert not clauses(iter([(1, "Often, howling."), (2, "The sum of both.")]))


@pytest.mark.parametrize("root", [*PYTHON, "crates"])
def test_documentation_begins_with_a_verb_or_a_noun(root: str) -> None:
    read = [path for path in sources() if path.is_relative_to(ROOT / root)]
    assert read
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in read
        if is_clean(path)
        for line, text in clauses(
            (docstrings if path.suffix == ".py" else doc_comments)(path.read_text(encoding="utf-8"))
        )
    ]
    assert not wrong, "\n".join(["documentation begins with a clause:", *wrong])
