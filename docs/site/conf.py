# SPDX-License-Identifier: Apache-2.0
"""How Sphinx makes the documentation site: Markdown through MyST, the theme Furo.

Called by tools/docs.sh. The source folder is the whole repository, so that pages link to each
other as they do in it; a page is what `include_patterns` names. The site needs nothing from
elsewhere: pages, search and plots work from files, without a network.
"""
from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Optional

ROOT = Path(__file__).resolve().parents[2]

project = "Heddle"
html_title = "Heddle"
html_short_title = "Heddle"

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "docs/index"
include_patterns = ["README.md", "docs/**.md", "bench/**.md", "tests/*/README.md"]
exclude_patterns = ["build", ".*", "src", "python", "sim", "compiler", "packaging", "tools"]
myst_heading_anchors = 4  # links to headings, as in the repository's own view
html_theme = "furo"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_search_summary = False  # would be fetched, which files cannot be
html_use_index = False
html_domain_indices = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
smartquotes = False


def folder_as_text(_app: Any, _env: Any, node: Any, contnode: Any) -> Optional[Any]:
    """A link to a folder of the repository is its name, for a site has no folders to show."""
    page = Path(str(node.get("refdoc", "")))
    target = (ROOT / page.parent / str(node.get("reftarget", ""))).resolve()
    return contnode if ROOT in target.parents and target.is_dir() else None


def complete_theme(app: Any, error: Optional[Exception]) -> None:
    """Debian's Furo imports a style sheet from the root of a web server, and a script as a module;
    browsers do neither for pages that are files. And it lacks the rule for readers who have told
    their browser that they prefer dark pages."""
    static = Path(app.outdir) / "_static"
    sheet = static / "styles" / "furo.css"
    if error is not None or not sheet.is_file():
        return
    put_in(sheet, r"@import url\((/[^)]*)\);", Path("/usr/share"))
    put_in(static / "scripts" / "furo.js", r'import \w+ from "\.(/[^"]*)";', static / "scripts")
    text = sheet.read_text(encoding="utf-8")
    dark = re.search(r'body\[data-theme="dark"\] (\{[^}]*\})', text)
    if dark is not None and "prefers-color-scheme" not in text:
        sheet.write_text(f"{text}\n@media screen and (prefers-color-scheme: dark) {{\n"
                         f'  body:not([data-theme="light"]) {dark[1]} }}\n', encoding="utf-8")


def put_in(file: Path, statement: str, folder: Path) -> None:
    """Replaces the first line of `file`, where it imports another one of `folder`, by that."""
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    found = re.match(statement, text)
    if found is not None:
        imported = Path(f"{folder}{found[1]}").read_text(encoding="utf-8")
        file.write_text(imported + text[found.end():], encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    app.connect("missing-reference", folder_as_text)
    app.connect("build-finished", complete_theme)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
