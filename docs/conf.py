"""Settings of Sphinx, which builds the site from the pages in this folder: `make site`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # autodoc reads signatures; nothing needs to be compiled
sys.path.insert(0, str(Path(__file__).parent))

import sackarmies_training.config  # noqa: F401 - before autodoc, under which pydantic refuses its models
from sackarmies_env import __version__

project = "sackarmies-env"
author = "The sackarmies-env authors"
copyright = f"2026, {author}. MIT license"  # noqa: A001 - the name that Sphinx reads
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.linkcode",
    "site_pages",  # beside this file: contents, pages of the repository's files
]
exclude_patterns = ["images/*.toml", "_static"]
root_doc = "index"
source_suffix = {".md": "markdown"}
nitpicky = False  # docstrings name types of other libraries, and an offline build cannot reach their sites

myst_heading_anchors = 4  # as code hosts name them
myst_url_schemes = ["http", "https", "mailto", "source"]  # the last one: links of site_pages.py

default_role = "code"  # `names` in docstrings
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True}
maximum_signature_line_length = 90
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # attributes as a list
add_module_names = False
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"sackarmies-env {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": False}


def linkcode_resolve(domain: str, info: dict[str, str]) -> str | None:
    """Return the link to the source of a documented object, in the form that `site_pages` understands."""
    from site_pages import source_of

    return source_of(info["module"], info["fullname"]) if domain == "py" and info["module"] else None
