"""Reports as HTML: self-contained pages that load nothing; untrusted text is escaped here and nowhere else."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

CSS = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1f2933; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #d8dee4; text-align: right; white-space: nowrap; }
th:first-child, td:first-child, table.words th, table.words td { text-align: left; }
summary { cursor: pointer; }
svg { max-width: 100%; height: auto; }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


class Markup(str):
    """HTML that is put into a page as it is; all other text is escaped."""

    __slots__ = ()


def escaped(text: str) -> Markup:
    """Escape text for HTML; `Markup` is returned unchanged."""
    return text if isinstance(text, Markup) else Markup(html.escape(text))


def page(title: str, parts: Iterable[Markup]) -> str:
    """Return a whole page; its heading is the title."""
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<meta name="viewport" content="width=device-width"><title>{escaped(title)}</title><style>{CSS}</style>'
    )
    body = f"<main>{element('h1', title)}{''.join(parts)}</main>"
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def element(tag: str, *content: str) -> Markup:
    """Return an element without attributes."""
    return Markup(f"<{tag}>{''.join(map(escaped, content))}</{tag}>")


def items(lines: Iterable[str]) -> Markup:
    """Return a list."""
    return element("ul", *(element("li", line) for line in lines))


def link(address: str, text: str) -> Markup:
    """Return a link."""
    return Markup(f'<a href="{html.escape(address)}">{escaped(text)}</a>')


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, words: bool = False) -> Markup:
    """Return a table of numbers whose first column names the rows or, with `words`, a table of text."""
    head = element("tr", *(element("th", cell) for cell in heads))
    body = element("tbody", *(element("tr", *(element("td", cell) for cell in row)) for row in rows))
    return Markup(f"<table{' class=words' if words else ''}>{element('thead', head)}{body}</table>")


def folded(summary: str, *content: str) -> Markup:
    """Return content that is hidden until its summary is clicked."""
    return element("details", element("summary", summary), *content)
