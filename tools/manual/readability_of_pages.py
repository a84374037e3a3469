"""Measures how readable the prose of the manual is.

    python tools/manual/readability_of_pages.py [--long] [PAGE ...]

Without pages, README.md and all pages of docs/. One line per page: words, sentences, mean words of
a sentence, share of sentences over 30 words, and Flesch's reading ease (higher is easier; 60 and
more is plain English, technical prose lies around 50). `--long` lists the long sentences instead.

Prose is paragraphs and items of lists. Code, tables, headings, block quotations and lists of
references are left out. Inline code, formulas and quotations in a sentence count as one word.
The measures are those of the package `readability`:
<https://github.com/andreasvc/readability>. R. Flesch, A new readability yardstick, Journal of
Applied Psychology 32, 1948.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import readability
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 30
"""Words that a sentence may have."""

_BIBLIOGRAPHY = {"references", "sources"}
_QUOTATION = re.compile(r'"[^"]+"|“[^”]+”')
_FORMULA = re.compile(r"\$[^$\n]+\$")
_END = re.compile(r"(?<=[.!?])[)\"”']*\s+(?=[\"“(]?(?:[^\Wa-z]|mesonet\b))")
_NO_END = re.compile(r"\b(?:[A-Z]|al|cf|e\.g|i\.e|vs|No|pp?|Fig|Eq|Sec|Vol)\.$")


@dataclass(frozen=True)
class Sentence:
    """Sentence of a page.

    Attributes:
        line: Line of the page on which its paragraph begins, from 1.
        text: Words, with one in place of code, formulas and quotations.
    """

    line: int
    text: str

    @property
    def words(self) -> list[str]:
        """Words and numbers, without punctuation."""
        return [word for word in re.split(r"[\s/]+|—|–(?!\d)", self.text) if re.search(r"\w", word)]


@dataclass(frozen=True)
class Readability:
    """Readability of a text.

    Attributes:
        words: Number of words.
        sentences: Number of sentences.
        long: Number of sentences over `LIMIT` words.
        ease: Flesch's reading ease.
    """

    words: int
    sentences: int
    long: int
    ease: float

    def __str__(self) -> str:
        """Columns of the table: words, sentences, words of a sentence, share of long ones, ease."""
        mean = self.words / max(1, self.sentences)
        share = 100 * self.long / max(1, self.sentences)
        return f"{self.words:7} {self.sentences:6} {mean:6.1f} {share:6.1f} {self.ease:6.1f}"


def sentences(page: str) -> Iterator[Sentence]:
    """Sentences of the prose of a page in Markdown."""
    bibliography = quoted = False
    tokens = MarkdownIt("commonmark").enable("table").parse(page)
    for before, token in zip([None, *tokens], tokens, strict=False):
        match token.type:
            case "blockquote_open" | "table_open":
                quoted = True
            case "blockquote_close" | "table_close":
                quoted = False
            case "inline" if before is not None and before.type == "heading_open":
                bibliography = token.content.strip().lower() in _BIBLIOGRAPHY
            case "inline" if not (bibliography or quoted):
                line = (token.map or [0])[0] + 1
                yield from (Sentence(line, text) for text in _split(_text(token)))


def _text(inline: Token) -> str:
    """Text of a paragraph, with one word in place of code, formulas and quotations."""
    parts = []
    for child in inline.children or []:
        match child.type:
            case "code_inline":
                parts.append("Code")
            case "softbreak" | "hardbreak":
                parts.append(" ")
            case "text":
                parts.append(child.content)
    text = _FORMULA.sub("Formula", "".join(parts))
    return _QUOTATION.sub(lambda found: f"Quotation{'.' * (found[0][-2] in '.!?')}", text)


def _split(text: str) -> Iterator[str]:
    """Sentences of a paragraph; a full stop after an initial or an abbreviation ends none."""
    begun = ""
    for part in _END.split(text):
        begun = f"{begun} {part}" if begun else part
        if not _NO_END.search(begun):
            if re.search(r"\w", begun):
                yield begun.strip()
            begun = ""
    if re.search(r"\w", begun):
        yield begun.strip()


def measure(found: Sequence[Sentence]) -> Readability:
    """Readability of sentences."""
    counted = [sentence.words for sentence in found]
    counted = [words for words in counted if words]
    ease = 0.0
    if counted:
        text = "\n".join(" ".join([*words, "."]) for words in counted)
        ease = readability.getmeasures(text, lang="en")["readability grades"]["FleschReadingEase"]
    return Readability(
        sum(map(len, counted)),
        len(counted),
        sum(len(words) > LIMIT for words in counted),
        ease,
    )


def manual() -> list[Path]:
    """Pages that are kept or built in docs/, and README.md."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pages", type=Path, nargs="*")
    parser.add_argument("--long", action="store_true", help="list the sentences that are too long")
    given = parser.parse_args(arguments)
    everything: list[Sentence] = []
    if not given.long:
        print(f"{'page':<44}   words  sent.   mean  long %   ease")
    for page in given.pages or manual():
        path = page.resolve()
        name = str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)
        found = list(sentences(path.read_text("utf-8")))
        everything += found
        if not given.long:
            print(f"{name:<44} {measure(found)}")
        for sentence in found if given.long else ():
            if len(sentence.words) > LIMIT:
                print(f"{name}:{sentence.line}: {len(sentence.words)}: {sentence.text}")
    if not given.long:
        print(f"{'total':<44} {measure(everything)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
