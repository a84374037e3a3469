"""Markdown of a study's page as sections of blocks, for the page engine to lay out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from mesonet.page.blocks import (
    Block,
    CaptionedChart,
    Markdown,
    Notes,
    Paragraph,
    Program,
    Questions,
    TitledTable,
)
from mesonet.page.simple import Part

OPEN, CLOSE = "\ue000", "\ue001"
"""Marks around the number of a chart or table in the text; of Unicode's private use."""

_SHOWN = re.compile(rf"{OPEN}(\d+){CLOSE}\s*")
_IDENTIFIER = re.compile(r"\s*\{#([^\s{}]+)\}\s*$")
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")

Shown = tuple[Sequence[Block | None], Mapping[int, Sequence[str]]]
"""Charts and tables by their numbers, None for those left out, and sentences to stand below."""


def laid_out(
    text: str, shown: Sequence[Block | None], notes: Mapping[int, Sequence[str]]
) -> tuple[tuple[Block, ...], tuple[Part, ...]]:
    """Blocks before the first section of a text, and its sections.

    A heading `## Title {#id}` begins a section. A paragraph that begins with the mark of a chart
    or table is that one, with the rest as its caption or title. A quotation is a note, code a
    program, and a list whose entries hold quotations are questions with their answers. A section
    whose charts and tables are all left out and that has nothing else is left out, too.
    """
    introduction: list[Block | None] = []
    current = introduction
    heads: dict[str, tuple[str, list[Block | None]]] = {}
    for nodes in _top(_PARSER.parse(text)):
        first = nodes[0]
        if first.type == "heading_open" and first.tag == "h1":
            title = nodes[1].content
            raise ValueError(f'"# {title}": the title stands in study.toml; sections begin ##')
        if first.type == "heading_open" and first.tag == "h2":
            title, identifier = _heading(nodes[1])
            if identifier in heads:
                raise ValueError(f'two sections have the identifier "{identifier}"')
            current = []
            heads[identifier] = (title, current)
        else:
            current += _blocks(nodes, (shown, notes))
    sections = [
        Part(identifier, title, _joined(blocks))
        for identifier, (title, blocks) in heads.items()
        if None not in blocks or any(blocks)
    ]
    return _joined(introduction), tuple(sections)


def _top(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Tokens of one block after another."""
    block: list[Token] = []
    for token in tokens:
        block.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield block
            block = []


def _heading(inline: Token) -> tuple[str, str]:
    title = _text(inline).plain
    if match := _IDENTIFIER.search(title):
        return title[: match.start()], match[1]
    return title, re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _blocks(nodes: Sequence[Token], shown: Shown) -> Iterator[Block | None]:
    """Blocks of some Markdown; None for a chart or table that is left out."""
    first = nodes[0]
    if first.type == "paragraph_open":
        yield from _paragraph(nodes[1], shown)
    elif first.type in ("fence", "code_block"):
        yield Program(first.content)
    elif first.type == "blockquote_open":
        yield Notes(tuple(_text(token) for token in nodes if token.type == "inline"))
    elif first.type.endswith("list_open") and any(it.type == "blockquote_open" for it in nodes):
        yield Questions(tuple(_questions(nodes)))
    else:
        yield Markdown(Markup(_PARSER.renderer.render(list(nodes), _PARSER.options, {})))


def _paragraph(inline: Token, drawn: Shown) -> Iterator[Block | None]:
    match = _SHOWN.match(inline.content)
    if match is None:
        yield _text(inline)
        return
    blocks, notes = drawn
    block = blocks[int(match[1])]
    caption = _text(_PARSER.parseInline(inline.content[match.end() :].strip())[0])
    if isinstance(block, CaptionedChart):
        described = block.picture.description or caption.plain
        block = CaptionedChart(replace(block.picture, description=described), caption.shown)
    elif isinstance(block, TitledTable):
        block = replace(block, title=caption.plain)
    yield block
    if block is not None and (below := notes.get(int(match[1]))):
        yield Notes(tuple(Paragraph(note, note) for note in below))


def _questions(nodes: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Question and answer of each entry: its text, and that of the quotations in it."""
    texts: tuple[list[str], list[str]] = ([], [])
    quoted = False
    for token in nodes:
        if token.type == "list_item_open" and token.level == 1:
            texts = ([], [])
        elif token.type == "list_item_close" and token.level == 1:
            question, answer = (Markup(" ").join(it) if it[1:] else it[0] for it in texts)
            yield question, answer
        elif token.type in ("blockquote_open", "blockquote_close"):
            quoted = token.nesting > 0
        elif token.type == "inline":
            texts[quoted].append(_text(token).shown)


def _text(inline: Token) -> Paragraph:
    """A paragraph; one without markup is plain text."""
    children = inline.children or []
    plain = "".join(
        " " if child.type in ("softbreak", "hardbreak") else child.content for child in children
    )
    if all(child.type in ("text", "softbreak") for child in children):
        return Paragraph(plain, plain)
    html = _PARSER.renderer.render([inline], _PARSER.options, {})
    return Paragraph(Markup(html.replace("\n", " ")), plain)


def _joined(blocks: Sequence[Block | None]) -> tuple[Block, ...]:
    """The blocks that are there, with notes that follow each other as one."""
    joined: list[Block] = []
    for block in blocks:
        if isinstance(block, Notes) and joined and isinstance(joined[-1], Notes):
            joined[-1] = Notes((*joined[-1].notes, *block.notes))
        elif block is not None:
            joined.append(block)
    return tuple(joined)
