"""A check of the built site: no page loads anything from another host, and no link within the site is broken.

`python docs/check_site.py build/site`; `make site` runs it. Plain links to other hosts are not visited.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {  # attributes of tags whose content a browser fetches by itself
    "img": ("src", "srcset"),
    "script": ("src",),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "link": ("href",),
    "form": ("action",),
    "input": ("src",),
    "use": ("href", "xlink:href"),
    "image": ("href", "xlink:href"),
}
NOT_FETCHED = {
    "next",
    "prev",
    "index",
    "search",
    "author",
    "canonical",
    "license",
    "top",
    "up",
    "contents",
}  # of <link>
IN_CODE = re.compile(r"(?:@import\s+(?:url\()?|url\()\s*[\"']?((?:https?:)?//[^\"')\s]+)")


class Page(HTMLParser):
    """What a page loads, what it links to, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)
        self.loaded += IN_CODE.findall(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the attributes of a tag."""
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag != "link" or not NOT_FETCHED & set(values.get("rel", "").split()):
            self.loaded += [values[name] for name in LOADED.get(tag, ()) if name in values]


def is_foreign(address: str) -> bool:
    """Return whether an address names a host or a scheme; `data:` addresses are part of the page."""
    parts = urlsplit(address.strip())
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def faults_of(folder: Path) -> list[str]:
    """Return a sentence for each resource that a page loads from elsewhere, and for each broken link."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    faults = [] if pages else [f"{folder} has no pages"]
    for path, page in pages.items():
        name = path.relative_to(folder).as_posix()
        faults += [f"{name} loads {address}" for address in page.loaded if is_foreign(address)]
        inner = [link for link in page.links if not is_foreign(link)]
        local = [link for link in page.loaded if not is_foreign(link) and not urlsplit(link).scheme]
        faults += [f"{name}: {link} is broken" for link in inner + local if is_broken(link, path, pages)]
    for path in sorted(folder.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        faults += [f"{path.relative_to(folder).as_posix()} loads {address}" for address in IN_CODE.findall(text)]
    return faults


def is_broken(link: str, path: Path, pages: dict[Path, Page]) -> bool:
    """Return whether a link within the site names a file or an anchor that does not exist."""
    parts = urlsplit(link)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return True
    anchor = unquote(parts.fragment)
    is_anchor = bool(anchor) and "=" not in anchor  # a replay opens at "ply=12"
    return is_anchor and target in pages and anchor not in pages[target].anchors


def main() -> int:
    """Check the site in the folder given on the command line, and print its faults."""
    folder = Path(sys.argv[1]).resolve()
    faults = faults_of(folder)
    for fault in faults:
        print(fault)
    print(f"{len(list(folder.rglob('*.html')))} pages, {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
