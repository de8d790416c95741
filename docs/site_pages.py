"""A Sphinx extension for this site: the table of contents, and pages for files outside docs/.

Pages stay in the form in which a code host shows them. So the table of contents is what `index.md` lists under its
headings, a page of docs/ can stand for a page of the project's root, such as the changelog, and a link to a file of the
repository leads to a page that shows the file.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).resolve().parent))

import replays

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SCHEME = "source:"  # of links to files, until the address of their page is known
FENCED = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<=\]\()([^()\s]+)(?=\))")
LISTED = re.compile(r"^- \[[^]]+\]\(([^()#\s]+)\.md\)", re.MULTILINE)
ROOT_PAGES = {  # pages of the project's root, by the page of docs/ that includes them
    "changelog": "CHANGELOG.md",
    "contributing": "CONTRIBUTING.md",
    "code_of_conduct": "CODE_OF_CONDUCT.md",
    "security": "SECURITY.md",
}


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.connect("source-read", read_page)
    app.connect("doctree-resolved", resolve_links)
    app.connect("html-collect-pages", source_pages)
    app.connect("autodoc-process-docstring", mark_code)
    app.connect("build-finished", write_replays)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": False}


# --- pages as they are read


def read_page(app: Sphinx, name: str, content: list[str]) -> None:
    """Include pages of the root, add tables of contents, and mark links that leave docs/."""
    folder = (DOCS / name).parent
    if name in ROOT_PAGES:
        path = ROOT / ROOT_PAGES[name]
        app.env.note_dependency(str(path))
        content[0], folder = path.read_text(encoding="utf-8"), ROOT
    if name == "licences":  # written by pip-licenses, as a table alone
        content[0] = f"# Licenses\n\n{content[0]}"
    if name == "gallery":
        content[0] += replays.section()
    contents = toctrees(content[0]) if name == app.config.root_doc else folder_toctree(content[0], name)
    parts = FENCED.split(content[0])
    parts[::2] = [LINK.sub(lambda match: site_link(match[1], folder, name), part) for part in parts[::2]]
    content[0] = "".join(parts) + contents


def toctrees(front: str) -> str:
    """Return the table of contents: each heading of the front page with the pages that its list links to."""
    trees = []
    for section in front.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        if pages := LISTED.findall(body):
            trees.append("\n```{toctree}\n:hidden:\n:caption: " + "\n".join([title, "", *pages]) + "\n```\n")
    return "".join(trees)


def folder_toctree(text: str, page: str) -> str:
    """Return the table of contents for a folder's index page: all pages of the folder that it links to."""
    pages = [link[:-3] for link in LINK.findall(text) if link.endswith(".md") and "/" not in link]
    if not page.endswith("/index") or page == "rules/index":
        return ""
    return "\n```{toctree}\n:hidden:\n\n" + "\n".join(dict.fromkeys(pages)) + "\n```\n"


def site_link(link: str, folder: Path, page: str) -> str:
    """Return where a link of a page leads on the site.

    Args:
        link: the link as written, relative to `folder`.
        folder: folder of the page in the repository.
        page: name of the page on the site.

    Raises:
        ValueError: the link does not point to a file of the repository.
    """
    name, _, anchor = link.partition("#")
    if "://" in link or link.startswith("mailto:") or not name:
        return link
    target = (folder / name).resolve()
    if target.is_dir():
        target /= "index.md"
    if not target.exists() or not target.is_relative_to(ROOT):
        raise ValueError(f"{page}: the link {link} does not point to a file of the repository")
    taken_in = {ROOT / path: DOCS / f"{page}.md" for page, path in ROOT_PAGES.items()}
    target = taken_in.get(target, DOCS / "index.md" if target == ROOT / "README.md" else target)
    if target.is_relative_to(DOCS) and target.suffix != ".py":
        return relative(target, (DOCS / page).parent) + (f"#{anchor}" if anchor else "")
    return SCHEME + target.relative_to(ROOT).as_posix()


def relative(target: Path, folder: Path) -> str:
    """Return the path from a folder of docs/ to a file of docs/."""
    shared = next(parent for parent in (folder, *folder.parents) if target.is_relative_to(parent))
    return "../" * len(folder.relative_to(shared).parts) + target.relative_to(shared).as_posix()


def mark_code(_app: Sphinx, _what: str, _name: str, _found: object, _options: object, lines: list[str]) -> None:
    """Mark an indented block after a colon as code for reStructuredText."""
    for i, line in enumerate(lines[:-2]):
        if line.endswith(":") and not line.endswith("::") and not lines[i + 1] and lines[i + 2].startswith("    "):
            lines[i] = f"{line}:"


# --- files of the repository


def source_of(module: str, name: str) -> str | None:
    """Return a link to the first line of an object, or to its module if the object has no source lines."""
    found: Any = importlib.import_module(module)
    path = Path(inspect.getsourcefile(found) or "")
    for part in name.split("."):
        found = getattr(found, part, None)
    try:
        found = inspect.unwrap(found)
        path, line = Path(inspect.getsourcefile(found) or ""), inspect.getsourcelines(found)[1]
    except (TypeError, OSError):
        line = 1
    return f"{SCHEME}{path.resolve().relative_to(ROOT).as_posix()}#L-{line}" if ROOT in path.resolve().parents else None


def resolve_links(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Point links to files at the pages that show them, which are made at the end."""
    for node in doctree.findall(nodes.reference):
        if (link := node.get("refuri", "")).startswith(SCHEME):
            path, _, anchor = link.removeprefix(SCHEME).partition("#")
            shown_files(app).add(path)
            link = app.builder.get_relative_uri(page, page_of(path))
            node["refuri"] = link + (f"#{anchor}" if anchor else "")


def shown_files(app: Sphinx) -> set[str]:
    """Return the files that pages link to, which Sphinx keeps in its build environment."""
    if not hasattr(app.env, "shown_files"):
        app.env.shown_files = set()  # type: ignore[attr-defined]
    files: set[str] = app.env.shown_files  # type: ignore[attr-defined]
    return files


def page_of(path: str) -> str:
    """Return the name of the page that shows a file."""
    return f"source/{path}"


def source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield a page for each file that pages link to."""
    for path in sorted(shown_files(app)):
        text = (ROOT / path).read_text(encoding="utf-8")
        try:
            lexer = get_lexer_for_filename(path)
        except ClassNotFound:
            lexer = TextLexer()
        shown = highlight(text, lexer, HtmlFormatter(linenos="inline", lineanchors="L", cssclass="highlight"))
        yield page_of(path), {"title": path, "body": f"<h1>{escape(path)}</h1>\n{shown}"}, "page.html"


def write_replays(app: Sphinx, fault: Exception | None) -> None:
    """Write the replay pages that the gallery shows."""
    if fault is None:
        replays.write_replays(Path(app.outdir))
