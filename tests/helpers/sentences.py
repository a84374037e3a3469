"""Sentences of the prose of pages in Markdown.

Prose is paragraphs and items of lists. Code, tables, headings, block quotations and lists of
references are left out. Inline code, formulas and quotations in a sentence count as one word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

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
    def words(self):
        """Words and numbers, without punctuation."""
        return [word for word in re.split(r"[\s/]+|—|–(?!\d)", self.text) if re.search(r"\w", word)]


def sentences(page):
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


def _text(inline):
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
    return _QUOTATION.sub(lambda quotation: f"Quotation{'.' * (quotation[0][-2] in '.!?')}", text)


def _split(text):
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


def manual():
    """Pages that are kept or built in docs/, and README.md."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
