"""Markdown of a study's page as sections of blocks, for the page engine to lay out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

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
from mesonet.studies.page import Section

OPEN, CLOSE = "\ue000", "\ue001"
"""Marks around the number of a chart or table in the text; of Unicode's private use."""

_SHOWN = re.compile(rf"{OPEN}(\d+){CLOSE}\s*")
_IDENTIFIER = re.compile(r"\s*\{#([^\s{}]+)\}\s*$")
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass(frozen=True)
class Document:
    """A page: blocks before the first section, and sections."""

    introduction: tuple[Block, ...]
    sections: tuple[Section, ...]


class LayoutError(ValueError):
    """Text that cannot be laid out."""


def document(
    text: str,
    shown: Sequence[Block | None],
    notes: Mapping[int, Sequence[str]] = MappingProxyType({}),
) -> Document:
    """The sections of a text.

    A heading `## Title {#id}` begins a section. A paragraph that begins with the mark of a chart
    or table is that one, with the rest as its caption or title. A quotation is a note, code a
    program, and a list whose entries hold quotations are questions with their answers. A section
    whose charts and tables are all left out and that has nothing else is left out, too.

    Args:
        text: Markdown, with marks where charts and tables stand.
        shown: charts and tables by their numbers; None for one that is left out.
        notes: sentences that stand below charts and tables, by their numbers.

    Raises:
        LayoutError: two sections have one identifier, or a heading of the first level is there.
    """
    introduction: list[Block | None] = []
    current = introduction
    heads: list[tuple[str, str, list[Block | None]]] = []
    for nodes in _top(_PARSER.parse(text)):
        first = nodes[0]
        if first.type == "heading_open" and first.tag == "h1":
            message = f'"# {nodes[1].content}": the title stands in study.toml; sections begin ##'
            raise LayoutError(message)
        if first.type == "heading_open" and first.tag == "h2":
            title, identifier = _heading(nodes[1])
            if identifier in [each for each, _, _ in heads]:
                raise LayoutError(f'two sections have the identifier "{identifier}"')
            current = []
            heads.append((identifier, title, current))
            continue
        current += _blocks(nodes, shown, notes)
    sections = [
        Section(identifier, title, blocks=_joined(blocks))
        for identifier, title, blocks in heads
        if None not in blocks or any(blocks)
    ]
    return Document(_joined(introduction), tuple(sections))


def _top(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Tokens of one block after another."""
    block: list[Token] = []
    for token in tokens:
        block.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield block
            block = []


def _heading(inline: Token) -> tuple[str, str]:
    title = _plain(inline.children or ())
    match = _IDENTIFIER.search(title)
    if match:
        return title[: match.start()], match[1]
    return title, re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _blocks(
    nodes: Sequence[Token], shown: Sequence[Block | None], notes: Mapping[int, Sequence[str]]
) -> Iterator[Block | None]:
    """Blocks of some Markdown; None for a chart or table that is left out."""
    first = nodes[0]
    if first.type == "paragraph_open":
        yield from _paragraph(nodes[1], shown, notes)
    elif first.type in ("fence", "code_block"):
        yield Program(first.content)
    elif first.type == "blockquote_open":
        yield Notes(tuple(_paragraphs(nodes)))
    elif first.type in ("ordered_list_open", "bullet_list_open") and _has_answers(nodes):
        yield Questions(tuple(_questions(nodes)))
    else:
        yield Markdown(Markup(_PARSER.renderer.render(list(nodes), _PARSER.options, {})))


def _paragraph(
    inline: Token, shown: Sequence[Block | None], notes: Mapping[int, Sequence[str]]
) -> Iterator[Block | None]:
    match = _SHOWN.match(inline.content)
    if match is None:
        yield _text(inline.children or ())
        return
    block = shown[int(match[1])]
    if block is None:
        yield None
        return
    rest = _PARSER.parseInline(inline.content[match.end() :].strip())[0]
    caption = _text(rest.children or ())
    if isinstance(block, CaptionedChart):
        described = block.picture.description or caption.plain
        picture = type(block.picture)(block.picture.identifier, described, block.picture.spec)
        yield CaptionedChart(picture, caption.shown)
    elif isinstance(block, TitledTable):
        yield TitledTable(caption.plain, block.table)
    if below := notes.get(int(match[1])):
        yield Notes(tuple(Paragraph(each, each) for each in below))


def _paragraphs(nodes: Sequence[Token]) -> Iterator[Paragraph]:
    for token in nodes:
        if token.type == "inline":
            yield _text(token.children or ())


def _has_answers(nodes: Sequence[Token]) -> bool:
    return any(token.type == "blockquote_open" for token in nodes)


def _questions(nodes: Sequence[Token]) -> Iterator[tuple[str, str]]:
    question, answer, quoted = "", "", False
    for token in nodes:
        if token.type == "list_item_open" and token.level == 1:
            question, answer = "", ""
        elif token.type == "list_item_close" and token.level == 1:
            yield question, answer
        elif token.type in ("blockquote_open", "blockquote_close"):
            quoted = token.nesting > 0
        elif token.type == "inline":
            text = _text(token.children or ()).shown
            if quoted:
                answer = _with(answer, text)
            else:
                question = _with(question, text)


def _with(before: str, text: str) -> str:
    return Markup(" ").join([before, text]) if before else text


def _text(children: Sequence[Token]) -> Paragraph:
    """A paragraph; one without markup is plain text."""
    plain = _plain(children)
    if all(child.type in ("text", "softbreak") for child in children):
        return Paragraph(plain, plain)
    inline = Token("inline", "", 0, children=list(children))
    html = _PARSER.renderer.render([inline], _PARSER.options, {})
    return Paragraph(Markup(html.replace("\n", " ")), plain)


def _plain(children: Sequence[Token]) -> str:
    return "".join(
        " " if child.type in ("softbreak", "hardbreak") else child.content for child in children
    )


def _joined(blocks: Sequence[Block | None]) -> tuple[Block, ...]:
    """The blocks that are there, with notes that follow each other as one."""
    joined: list[Block] = []
    for block in blocks:
        if block is None:
            continue
        if isinstance(block, Notes) and joined and isinstance(joined[-1], Notes):
            joined[-1] = Notes((*joined[-1].notes, *block.notes))
        else:
            joined.append(block)
    return tuple(joined)
